//! Cards, attacked by a forger who would like them to say something else.
#![expect(clippy::unwrap_used, reason = "in the helpers of tests a panic is a failed test")]

use std::path::{Path, PathBuf};

use privet_graph::Labels;
use privet_privacy::card::CardKey;
use privet_privacy::features::LabelRr;
use privet_privacy::ledger::Contents;
use privet_privacy::noise::NoiseRng;
use privet_privacy::template::CoinFlip;
use privet_privacy::unit::{DataPart, FeatureRow, Label};
use privet_privacy::{Card, Ledger, Loss, Secret, UserChoice, UserChoices};
use serde_json::Value;

fn limit(epsilon: f64) -> Loss {
    Loss::new(epsilon, 0.0).unwrap()
}

fn labels() -> Secret<Labels> {
    let names = ["red", "blue"].map(String::from).to_vec();
    Secret::new(Labels::single([0, 1, 1, 0, 1].map(Some).to_vec(), names).unwrap())
}

fn label_account(epsilon: f64) -> Ledger<Label> {
    Ledger::in_memory(limit(epsilon), NoiseRng::replay(1)).unwrap()
}

fn label_rr(epsilon: f64) -> LabelRr {
    LabelRr::new(epsilon, 2).unwrap()
}

/// A release of features and labels in a folder, with its card, and the ledgers it came from.
struct Released {
    folder: tempfile::TempDir,
    card: Card,
    ledgers: Vec<Contents>,
}

impl Released {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut features: Ledger<FeatureRow> =
            Ledger::create(&folder.path().join("f.ledger"), limit(1.0), NoiseRng::replay(1))
                .unwrap();
        let answers = Secret::new(vec![1.0, 0.0, 1.0, 1.0, 0.0]);
        features.release_each(&answers, &CoinFlip::new(1.0).unwrap()).unwrap();
        let mut of_labels = label_account(2.0);
        let of_user =
            [0, 0, 1, 0].map(UserChoice::Private).into_iter().chain([UserChoice::Public]).collect();
        let choices = UserChoices::new(vec![label_rr(0.5), label_rr(1.0)], of_user).unwrap();
        of_labels.release_chosen(&labels(), &choices).unwrap();
        let files = ["out/edges.csv", "out/nodes.csv"].map(|name| folder.path().join(name));
        std::fs::create_dir(folder.path().join("out")).unwrap();
        files.iter().for_each(|path| std::fs::write(path, "a,b\n").unwrap());
        let card = Card::new("a survey")
            .with_ledger(&features)
            .and_then(|card| card.with_ledger(&of_labels))
            .and_then(|card| {
                card.with_unprotected("who took part").for_files(folder.path(), &files)
            })
            .unwrap();
        let ledgers = vec![features.contents().clone(), of_labels.contents().clone()];
        Self { folder, card, ledgers }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn differences(&self, card: &Card) -> Vec<String> {
        card.check(self.path(), &self.ledgers, None).unwrap().differences
    }
}

#[test]
fn a_true_card_holds() {
    let released = Released::new();
    let text = serde_json::to_vec_pretty(&released.card).unwrap();
    std::fs::write(released.path().join("out.card.json"), text).unwrap();
    let card = Card::read(&released.path().join("out.card.json")).unwrap();
    assert_eq!(card, released.card);
    assert_eq!(released.differences(&card), Vec::<String>::new());
}

/// Every leaf of a JSON value, by the way to it.
fn leaves(value: &Value, way: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| leaves(value, &format!("{way}/{key}"), found));
        }
        Value::Array(list) => {
            let at = |(at, value): (usize, &Value)| leaves(value, &format!("{way}/{at}"), found);
            list.iter().enumerate().for_each(at);
        }
        _ => found.push(way.into()),
    }
}

/// Other values that a field might take.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Bool(flag) => vec![(!flag).into()],
        Value::Number(number) if number.is_u64() => vec![(number.as_u64().unwrap() + 1).into()],
        Value::Number(number) => vec![(number.as_f64().unwrap() / 2.0 + 0.125).into()],
        Value::Null => vec![1.into(), "x".into()],
        Value::String(text) if text.len() == 64 => vec!["0".repeat(64).into()],
        _ => [
            "something else",
            "curator",
            "edge-ldp",
            "idealized",
            "operating-system",
            "feature-row",
        ]
        .map(Value::from)
        .to_vec(),
    }
}

/// The one test that no new field of a card escapes: change any value, and `check` notices, or lists it among
/// what it could not check.
#[test]
fn every_field_is_checked() {
    let released = Released::new();
    let truth = serde_json::to_value(&released.card).unwrap();
    let mut all = Vec::new();
    leaves(&truth, "", &mut all);
    let (mut tried, mut unnoticed) = (0, Vec::new());
    for way in &all {
        for other in others(truth.pointer(way).unwrap()) {
            let mut edited = truth.clone();
            *edited.pointer_mut(way).unwrap() = other;
            let Ok(card) = serde_json::from_value::<Card>(edited) else { continue };
            if card == released.card {
                continue;
            }
            tried += 1;
            let noticed = card.check(released.path(), &released.ledgers, None);
            if noticed.is_ok_and(|checked| checked.differences.is_empty()) {
                unnoticed.push(way.as_str());
            }
        }
    }
    unnoticed.dedup();
    // Free text, and where to look for a ledger, which is then known by its chain.
    let free = [
        "/guarantees/0/ledger/file",
        "/guarantees/1/ledger/file",
        "/software",
        "/subject",
        "/unprotected/0/what",
    ];
    assert_eq!(unnoticed, free);
    assert!(tried > 60, "only {tried} edits were tried");
}

/// Nor does a line that was taken out.
#[test]
fn nothing_can_be_left_out() {
    let released = Released::new();
    let mut card = released.card.clone();
    card.guarantees.remove(0);
    assert!(released.differences(&card)[0].contains("not their sum"));
    card.guarantees.clear();
    card.totals.clear();
    assert!(released.differences(&card)[0].contains("promises nothing"));
    let mut card = released.card.clone();
    card.totals.clear();
    assert!(!released.differences(&card).is_empty());
    let mut card = released.card.clone();
    card.guarantees[1].groups.pop();
    assert!(!released.differences(&card).is_empty());
    card = released.card.clone();
    card.files.clear();
    assert!(released.differences(&card)[0].contains("names no file"));
}

/// An account that was opened and never charged makes a card of epsilon 0. It promises nothing.
#[test]
fn a_card_of_no_release_does_not_hold() {
    let released = Released::new();
    let ledger = label_account(1.0);
    let mut card = Card::new("nothing").with_ledger(&ledger).unwrap();
    card.files.clone_from(&released.card.files);
    let ledgers = [ledger.contents().clone()];
    let checked = card.check(released.path(), &ledgers, None).unwrap();
    assert!(checked.differences[0].contains("before anything was released"));
}

#[test]
fn files_must_be_what_the_card_was_issued_for() {
    let released = Released::new();
    let edges = released.path().join("out/edges.csv");
    let says = |part: &str| {
        let all = released.differences(&released.card);
        assert!(all.iter().any(|line| line.contains(part)), "{part}: {all:?}");
    };
    std::fs::write(&edges, "b,a\n").unwrap();
    says("edges.csv: changed since");
    std::fs::write(&edges, "a,b\nb,c\n").unwrap();
    says("issued for 4 bytes, here are 8");
    std::fs::remove_file(&edges).unwrap();
    says("edges.csv");
    std::fs::write(&edges, "a,b\n").unwrap();
    assert!(released.differences(&released.card).is_empty());
    // A reader of the folder would take this for a part of it.
    std::fs::write(released.path().join("out/features.csv"), "1\n").unwrap();
    says("out/features.csv: not among the files");

    for name in ["../edges.csv", "/dev/zero", "", "out"] {
        let mut card = released.card.clone();
        card.files[0].name = name.into();
        assert!(!released.differences(&card).is_empty(), "{name}");
    }
    let elsewhere: PathBuf = "/dev/null".into();
    assert!(Card::new("x").for_files(released.path(), &[elsewhere]).is_err());
}

#[test]
fn a_ledger_that_has_grown_is_mentioned() {
    let released = Released::new();
    let mut ledger = label_account(9.0);
    ledger.release_each(&labels(), &label_rr(1.0)).unwrap();
    let mut card = Card::new("the first").with_ledger(&ledger).unwrap();
    card.files.clone_from(&released.card.files);
    ledger.release_each(&labels(), &label_rr(1.0)).unwrap();
    let ledgers = [ledger.contents().clone()];
    let checked = card.check(released.path(), &ledgers, None).unwrap();
    assert_eq!(checked.differences, Vec::<String>::new());
    assert!(
        checked.notes[0].contains("1 later release from this ledger is not included"),
        "{:?}",
        checked.notes
    );
}

/// A forger of card, ledger and files, chain and all, is found out by the key alone.
#[test]
fn a_key_tells_who_issued_a_card() {
    let (mine, theirs) = (CardKey::new(vec![1; 32]).unwrap(), CardKey::new(vec![2; 32]).unwrap());
    let released = Released::new();
    let check = |card: &Card, key: Option<&CardKey>| {
        card.check(released.path(), &released.ledgers, key).unwrap()
    };
    let unsigned = check(&released.card, None);
    assert!(unsigned.unchecked[0].contains("not signed"), "{:?}", unsigned.unchecked);
    assert_eq!(check(&released.card, Some(&mine)).differences, ["not signed"]);
    let signed = released.card.clone().signed(&mine).unwrap();
    assert!(check(&signed, Some(&mine)).differences.is_empty());
    assert!(check(&signed, None).differences.is_empty());
    assert_eq!(check(&signed, Some(&theirs)).differences, ["not signed with this key"]);
    let mut edited = signed;
    edited.unprotected.clear();
    assert_eq!(check(&edited, Some(&mine)).differences, ["not signed with this key"]);
}

#[test]
fn people_who_publish_come_first_and_no_number_hides_them() {
    let mut ledger = label_account(2.0);
    ledger.release_each(&labels(), &label_rr(2.0)).unwrap(); // nothing is left
    let all = UserChoices::new(vec![label_rr(1.0)], vec![UserChoice::Public; 5]).unwrap();
    ledger.release_chosen(&labels(), &all).unwrap();
    let card = Card::new("all labels").with_ledger(&ledger).unwrap();
    let guarantee = &card.guarantees[0];
    assert_eq!(guarantee.published, 5);
    assert!(!guarantee.loss.epsilon.is_finite(), "{}", guarantee.loss);
    let groups: Vec<_> = guarantee.groups.iter().map(|g| (g.users, g.opted_out)).collect();
    assert_eq!(groups, [(Some(5), true)], "all users published");
    let words = card.explain();
    let first = words.find("NO PROTECTION for 5 people").unwrap();
    assert!(first < words.find("Protected:").unwrap(), "{words}");
    assert!(
        words.contains("No other person is in the data.") && words.contains("(no protection)"),
        "{words}"
    );

    let mut ledger = label_account(2.0);
    let of_user =
        [0, 0, 0, 0].map(UserChoice::Private).into_iter().chain([UserChoice::Public]).collect();
    ledger
        .release_chosen(&labels(), &UserChoices::new(vec![label_rr(1.0)], of_user).unwrap())
        .unwrap();
    let card = Card::new("one").with_ledger(&ledger).unwrap();
    assert_eq!((card.guarantees[0].loss, card.guarantees[0].published), (limit(1.0), 1));
    assert!(card.warnings()[0].starts_with("NO PROTECTION for 1 person"));
}

/// Features and label are parts of one record: 1 and 1 are 2.
#[test]
fn what_a_record_costs_in_all_is_said_first() {
    let released = Released::new();
    let total = &released.card.totals[0];
    assert_eq!(
        (total.loss, total.units.as_slice()),
        (limit(2.0), &["feature-row", "label"].map(String::from)[..])
    );
    let words = released.card.explain();
    let all = words.find("In all, for one person (record-ldp): (epsilon 2").unwrap();
    assert!(all < words.find("Strength: epsilon 1").unwrap(), "{words}");
    let mut one = released.card.clone();
    one.forget(DataPart::Labels);
    assert!(one.totals.is_empty() && one.guarantees.len() == 1);
}

/// What was promised about other parts stays, and so does what was not; by structure, not by words.
#[test]
fn cards_compose_by_parts() {
    use privet_privacy::card::UnprotectedPart;
    let released = Released::new();
    let mut before = released.card.clone();
    before.forget(DataPart::Labels);
    let before = before
        .with_unprotected(UnprotectedPart::part(DataPart::Labels, "who is in which class"))
        .with_unprotected("the labels of every node are a matter of taste");
    let mut ledger = label_account(1.0);
    ledger.release_each(&labels(), &label_rr(1.0)).unwrap();
    let after =
        Card::new("both").continuing(&before, DataPart::Labels).with_ledger(&ledger).unwrap();
    let units: Vec<&str> = after.guarantees.iter().map(|g| g.unit.as_str()).collect();
    assert_eq!(units, ["feature-row", "label"]);
    let words: Vec<&str> = after.unprotected.iter().map(|u| u.what.as_str()).collect();
    assert_eq!(words, ["who took part", "the labels of every node are a matter of taste"]);
    assert_eq!(after.totals[0].loss, limit(2.0));
}

#[test]
fn hostile_cards_are_read_within_limits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.card.json");
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Card::read(&path).unwrap_err().to_string()
    };
    assert!(read(b"{\"format\": 1}").contains("does not say what files"));
    assert!(read(b"{\"format\": 3}").contains("format 3"));
    assert!(read(b"[]").contains("not a privacy card"));
    assert!(read(&vec![b' '; (1 << 24) + 1]).contains("far too long"));
    #[cfg(unix)]
    for endless in ["/dev/zero", "/dev/urandom"] {
        assert!(Card::read(Path::new(endless)).is_err());
        assert!(Contents::read(Path::new(endless)).is_err());
    }
}
