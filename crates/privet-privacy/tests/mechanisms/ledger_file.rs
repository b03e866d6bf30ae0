//! A ledger's file after an edit, and after a crash in the middle of a line.

use std::path::Path;

use privet_graph::{Bounds, BoundsOrigin, DenseMatrix, Features};
use privet_privacy::features::{Duchi, Scale};
use privet_privacy::noise::NoiseRng;
use privet_privacy::template::CoinFlip;
use privet_privacy::unit::FeatureRow;
use privet_privacy::{Ledger, Loss, Secret, UserChoice, UserChoices};

/// An account with so many releases of epsilon 1/4 to three people, out of 2.
fn account(path: &Path, releases: usize) -> Ledger<FeatureRow> {
    let limit = Loss::new(2.0, 0.0).unwrap();
    let mut ledger = Ledger::create(path, limit, NoiseRng::replay(1)).unwrap();
    (0..releases).for_each(|_| spend(&mut ledger));
    ledger
}

fn spend(ledger: &mut Ledger<FeatureRow>) {
    let answers = Secret::new(vec![1.0, 0.0, 1.0]);
    ledger.release_each(&answers, &CoinFlip::new(0.25).unwrap()).unwrap();
}

fn open(path: &Path) -> privet_privacy::Result<Ledger<FeatureRow>> {
    Ledger::open(path, NoiseRng::replay(1))
}

/// The limit stands in the first line: raising it is noticed, with or without entries below it.
#[test]
fn a_raised_limit_is_noticed() {
    for releases in [0, 2] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.jsonl");
        drop(account(&path, releases));
        let text = std::fs::read_to_string(&path).unwrap();
        let (first, rest) = text.split_once('\n').unwrap();
        let raised = first.replace("2.0", "9.0");
        assert_ne!(raised, first);
        std::fs::write(&path, format!("{raised}\n{rest}")).unwrap();
        let error = open(&path).err().expect("an edited limit").to_string();
        assert!(error.contains("line 1"), "{error}");
    }
}

/// What a crash left of a line is dropped, and the next entry stands where it stood.
#[test]
fn a_torn_line_leaves_no_trace_in_what_follows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.jsonl");
    let longer = folder.path().join("longer.jsonl");
    drop(account(&path, 1));
    drop(account(&longer, 2));
    let whole = std::fs::read(&longer).unwrap();
    // All of the second entry's line except its end; it was not counted yet.
    assert!(whole.starts_with(&std::fs::read(&path).unwrap()));
    std::fs::write(&path, &whole[..whole.len() - 7]).unwrap();
    let mut ledger = open(&path).unwrap();
    assert_eq!(ledger.entries().len(), 1);
    spend(&mut ledger);
    let chain = ledger.chain().to_owned();
    drop(ledger);
    let again = open(&path).unwrap();
    assert_eq!((again.entries().len(), again.chain()), (2, chain.as_str()));
    assert!(chain.len() == 64 && chain.bytes().all(|byte| byte.is_ascii_hexdigit()));
}

/// Every user is in the group of the mechanism they chose, and groups that no user chose are not charged.
#[test]
fn those_who_choose_are_charged_what_they_chose() {
    let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared).unwrap();
    let mechanism = |epsilon| Duchi::new(epsilon, Scale::new(1, Some(&bounds)).unwrap()).unwrap();
    let picks = [UserChoice::Private(1), UserChoice::Private(0), UserChoice::Private(1)];
    let choices = UserChoices::new([0.5, 1.0, 0.25].map(mechanism).into(), picks.to_vec()).unwrap();
    assert_eq!((choices.publishers(), choices.private().count()), (0, 3));
    let limit = Loss::new(2.0, 0.0).unwrap();
    let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
    let people = Features::dense(DenseMatrix::new(3, 1, vec![1.0, 0.0, 1.0]).unwrap());
    ledger.release_chosen(&Secret::new(people), &choices).unwrap();
    assert_eq!(ledger.entries()[0].charges.len(), 2);
    let spent = ledger.spent().unwrap();
    let mut spent: Vec<(f64, Option<u64>)> =
        spent.iter().map(|group| (group.loss.epsilon.get(), group.users.count())).collect();
    spent.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(spent, [(0.5, Some(1)), (1.0, Some(2))]);
}

/// An account is counted from its first moment; one that was charged and is gone does not begin anew.
#[test]
fn a_charged_account_does_not_begin_anew() {
    let begin = |path: &Path| {
        Ledger::<FeatureRow>::create(path, Loss::new(2.0, 0.0).unwrap(), NoiseRng::replay(1))
    };
    for releases in [0, 2] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.jsonl");
        drop(account(&path, releases));
        assert!(folder.path().join("ledger.jsonl.count").exists());
        // The file is there: the error for a new one says so, and not that it is gone.
        let error = begin(&path).err().expect("it exists").to_string();
        assert!(!error.contains("it is gone"), "{error}");
        std::fs::remove_file(&path).unwrap();
        match (releases, begin(&path)) {
            (0, new) => assert!(new.is_ok()),
            (_, new) => {
                let error = new.err().expect("it was charged").to_string();
                assert!(error.contains("it is gone") && error.contains("2 charges"), "{error}");
            }
        }
    }
}
