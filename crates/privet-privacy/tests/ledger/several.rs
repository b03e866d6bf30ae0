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
    let told = spend(open()).unwrap_err().to_string();
    assert!(told.contains("has 1 entries") && told.contains("people.count knows of 2"), "{told}");
    // A new account under the old name is no way around it.
    before.iter().for_each(|(file, _)| std::fs::remove_file(file).unwrap());
    assert!(spend(Ledger::create(&path, limit(10.0), NoiseRng::replay(1)).unwrap()).is_err());
}

#[test]
fn what_others_have_spent_is_not_there_to_spend() {
    let mut ledger = account(3.0).at_most(Epsilon::new(1.2).unwrap());
    let coin = |epsilon| CoinFlip::new(epsilon).unwrap();
    ledger.release_each(&answers(), &coin(1.0)).unwrap();
    let told = ledger.release_each(&answers(), &coin(0.5)).unwrap_err().to_string();
    assert!(told.contains("1.2") && ledger.entries().len() == 1, "{told}");
    ledger.release_each(&answers(), &coin(0.1)).unwrap();
    // A ceiling above the limit raises nothing.
    let mut ledger = account(1.0).at_most(Epsilon::new(9.0).unwrap());
    assert!(ledger.release_each(&answers(), &coin(1.5)).is_err());
}
