//! What a ledger cannot know by itself: what was spent elsewhere, and what its folder has forgotten.

use privet_privacy::noise::NoiseRng;
use privet_privacy::template::CoinFlip;
use privet_privacy::unit::FeatureRow;
use privet_privacy::{Epsilon, Ledger};

use crate::files::count_of;
use crate::{account, answers, limit};

/// Restoring ledger, count and card together from an older copy is invisible from inside their folder.
#[test]
fn a_folder_restored_from_an_older_copy_is_noticed_from_outside() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = folder.path().join("people.ledger");
    let witness = outside.path().join("people.count");
    let spend = |ledger: Ledger<FeatureRow>| {
        let mut ledger = ledger.witnessed_by(&witness)?;
        ledger.release_each(&answers(), &CoinFlip::new(0.5)?).map(drop)
    };
    let open = || Ledger::<FeatureRow>::open(&path, NoiseRng::replay(1)).unwrap();
    spend(Ledger::create(&path, limit(10.0), NoiseRng::replay(1)).unwrap()).unwrap();
    let before = [&path, &count_of(&path)].map(|file| (file.clone(), std::fs::read(file).unwrap()));
    spend(open()).unwrap();
    before.iter().for_each(|(file, bytes)| std::fs::write(file, bytes).unwrap());
    assert_eq!(open().entries().len(), 1, "the folder alone knows nothing of the second charge");
    let message = spend(open()).unwrap_err().to_string();
    assert!(
        message.contains("has 1 entries") && message.contains("people.count knows of 2"),
        "{message}"
    );
    // A new account under the old name is no way around it.
    before.iter().for_each(|(file, _)| std::fs::remove_file(file).unwrap());
    assert!(spend(Ledger::create(&path, limit(10.0), NoiseRng::replay(1)).unwrap()).is_err());
}

#[test]
fn what_others_have_spent_is_not_there_to_spend() {
    let mut ledger = account(3.0).at_most(Epsilon::new(1.2).unwrap());
    let coin = |epsilon| CoinFlip::new(epsilon).unwrap();
    ledger.release_each(&answers(), &coin(1.0)).unwrap();
    let message = ledger.release_each(&answers(), &coin(0.5)).unwrap_err().to_string();
    assert!(message.contains("1.2") && ledger.entries().len() == 1, "{message}");
    ledger.release_each(&answers(), &coin(0.1)).unwrap();
    // A ceiling above the limit raises nothing.
    let mut ledger = account(1.0).at_most(Epsilon::new(9.0).unwrap());
    assert!(ledger.release_each(&answers(), &coin(1.5)).is_err());
}

/// Copies of a ledger as `cp -r` makes them, each with its own lock: all of them hold the same entries.
fn copies(folder: &std::path::Path, spent: usize) -> [std::path::PathBuf; 2] {
    let path = folder.join("people.ledger");
    let mut ledger = Ledger::create(&path, limit(10.0), NoiseRng::replay(1)).unwrap();
    for _ in 0..spent {
        ledger.release_each(&answers(), &CoinFlip::new(0.5).unwrap()).unwrap();
    }
    drop(ledger);
    let copy = folder.join("copy");
    std::fs::create_dir(&copy).unwrap();
    let copied = copy.join("people.ledger");
    std::fs::copy(&path, &copied).unwrap();
    std::fs::copy(count_of(&path), count_of(&copied)).unwrap();
    [path, copied]
}

/// Both copies are opened and agree with the count; then both spend.
#[test]
fn a4_copies_cannot_both_spend() {
    for spent in [0, 1] {
        let folder = tempfile::tempdir().unwrap();
        let witness = folder.path().join("outside.count");
        let mut ledgers = copies(folder.path(), spent).map(|path| {
            let ledger = Ledger::<FeatureRow>::open(&path, NoiseRng::replay(1)).unwrap();
            ledger.witnessed_by(&witness).unwrap()
        });
        let coin = CoinFlip::new(0.5).unwrap();
        ledgers[1].release_each(&answers(), &coin).unwrap();
        let message = ledgers[0].release_each(&answers(), &coin).unwrap_err().to_string();
        assert!(message.contains("a copy of it was charged meanwhile"), "{message}");
        assert_eq!(ledgers[0].entries().len(), spent, "what is refused is not charged");
        ledgers[1].release_each(&answers(), &coin).unwrap();
    }
}

/// While another process has the count, nothing is charged.
#[test]
fn a4_an_entry_waits_for_the_count() {
    let folder = tempfile::tempdir().unwrap();
    let witness = folder.path().join("outside.count");
    let [path, _] = copies(folder.path(), 0);
    let ledger = Ledger::<FeatureRow>::open(&path, NoiseRng::replay(1)).unwrap();
    let mut ledger = ledger.witnessed_by(&witness).unwrap();
    let lock = std::fs::File::create(folder.path().join("outside.count.lock")).unwrap();
    lock.lock().unwrap();
    let length = || std::fs::metadata(&path).unwrap().len();
    let before = length();
    std::thread::scope(|scope| {
        let charging = scope.spawn(|| {
            ledger.release_each(&answers(), &CoinFlip::new(0.5).unwrap()).unwrap();
        });
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert!(!charging.is_finished() && length() == before);
        lock.unlock().unwrap();
        charging.join().unwrap();
    });
    assert!(length() > before);
}

/// A process that dies after its entry and before the count leaves a charge and no obstacle.
#[test]
fn a4_a_crash_between_entry_and_count_leaves_a_charge() {
    let folder = tempfile::tempdir().unwrap();
    let witness = folder.path().join("outside.count");
    let [path, _] = copies(folder.path(), 0);
    let open = || {
        let ledger = Ledger::<FeatureRow>::open(&path, NoiseRng::replay(1)).unwrap();
        ledger.witnessed_by(&witness).unwrap()
    };
    let coin = CoinFlip::new(0.5).unwrap();
    let mut ledger = open();
    let before = std::fs::read(&witness).unwrap();
    ledger.release_each(&answers(), &coin).unwrap();
    drop(ledger);
    std::fs::write(&witness, before).unwrap();
    // The lock's file stays; nothing holds it.
    assert!(folder.path().join("outside.count.lock").exists());
    let mut ledger = open();
    assert_eq!(ledger.entries().len(), 1);
    ledger.release_each(&answers(), &coin).unwrap();
    assert_eq!(open_entries(&witness), 2);
}

fn open_entries(witness: &std::path::Path) -> usize {
    privet_privacy::ledger::counted_elsewhere(witness).unwrap()
}
