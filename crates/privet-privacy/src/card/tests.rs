use super::*;
use crate::features::LabelRr;
use crate::ledger::{RelationshipEnds, UserChoice, UserChoices};
use crate::loss::{Delta, Epsilon, Loss};
use crate::mechanism::Status;
use crate::noise::{NoiseRng, Numerics};
use crate::template::CoinFlip;
use crate::unit::{FeatureRow, Label, Relation};
use crate::{Ledger, Secret};
use privet_graph::Labels;

fn limit() -> Loss {
    Loss::new(9.0, 0.0).unwrap()
}

fn coins(noise: NoiseRng) -> Ledger<FeatureRow> {
    let mut ledger = Ledger::in_memory(limit(), noise).unwrap();
    ledger.release_each(&Secret::new(vec![1.0, 0.0]), &CoinFlip::new(1.0).unwrap()).unwrap();
    ledger
}

fn features() -> Card {
    Card::new("answers").with_ledger(&coins(NoiseRng::replay(1))).unwrap()
}

/// Labels of three people, each by their own choice.
fn labels(of_user: [UserChoice; 3]) -> Card {
    let names = ["red", "blue"].map(String::from).to_vec();
    let people = Secret::new(Labels::single([0, 1, 1].map(Some).to_vec(), names).unwrap());
    let choices = UserChoices::new(vec![LabelRr::new(0.5, 2).unwrap()], of_user.to_vec()).unwrap();
    let mut ledger = Ledger::<Label>::in_memory(limit(), NoiseRng::replay(1)).unwrap();
    ledger.release_chosen(&people, &choices).unwrap();
    Card::new("").with_ledger(&ledger).unwrap()
}

/// All that a card can say, line by line: these are the words that people rely on.
#[test]
fn every_word_of_a_card() {
    let mut card = features();
    let guarantee = &mut card.guarantees[0];
    guarantee.loss.delta = Delta::new(1e-5).unwrap();
    guarantee.also.push(Conversion {
        relation: Relation::RelationshipDp,
        between: RelationshipEnds::AnyTwo,
        loss: Loss::new(2.0, 0.0).unwrap(),
        theorem: "two reports".into(),
    });
    let on = "no person has more than 3 neighbours".to_owned();
    let (printed, flaw) = (Epsilon::new(0.1).unwrap(), "it is more".to_owned());
    let first = guarantee.releases[0].clone();
    for status in [
        Status::Conditional { on: on.clone() },
        Status::Conditional { on },
        Status::HoldsAtStationarity,
        Status::PaperMode { printed, flaw },
    ] {
        let (noise, numerics) = (NoiseOrigin::OperatingSystem, Numerics::Idealized);
        let line = ReleaseLine { status, noise, numerics, audited: false, ..first.clone() };
        guarantee.releases.push(line);
    }
    guarantee.releases[0].assumes_public = vec!["how many people there are".into()];
    card.totals.push(CombinedLoss {
        relation: Relation::RecordLdp,
        units: Vec::new(),
        protects: "both".into(),
        loss: Loss::new(3.0, 0.0).unwrap(),
    });
    card.files.push(FileSeal { name: "out.csv".into(), bytes: 7, sha256: "5f3c".into() });
    let card = card.with_unprotected("who took part");
    let text = card.explain().replace(&card.software, "privet");
    assert_eq!(text, include_str!("text/explained.txt"));
    let bare = Card::new("nothing").explain();
    assert!(bare.contains("nothing was declared") && !bare.contains("Issued for"), "{bare}");
}

#[test]
fn those_who_publish_are_all_there_are_or_not() {
    let warning = |of_user| labels(of_user).warnings().concat();
    let mixed = warning([UserChoice::Public, UserChoice::Private(0), UserChoice::Public]);
    assert!(mixed.contains("2 people") && !mixed.contains("No other person"), "{mixed}");
    assert!(warning([UserChoice::Public; 3]).contains("No other person is in the data."));
    assert_eq!(warning([UserChoice::Private(0); 3]), "");
}

/// Nothing was released, so nothing was lost.
#[test]
fn an_account_without_charges_has_lost_nothing() {
    let ledger = Ledger::<Label>::in_memory(limit(), NoiseRng::replay(1)).unwrap();
    let card = Card::new("labels").with_ledger(&ledger).unwrap();
    assert_eq!(card.guarantees[0].loss, Loss::new(0.0, 0.0).unwrap());
}

/// However cards are put together, what one person loses in all is on the result.
#[test]
fn sums_are_on_every_card() {
    let (one, other) = (features(), labels([UserChoice::Private(0); 3]));
    let in_all = |card: &Card| card.totals.iter().map(|t| t.loss.epsilon.get()).collect::<Vec<_>>();
    let joined = other.clone().joined(one.clone());
    assert_eq!((joined.guarantees.len(), in_all(&joined)), (2, vec![1.5]));
    assert_eq!(joined.subject, "answers", "the other one has none");
    assert_eq!(joined.clone().joined(one.clone()), joined, "what is there already is not added");
    let named = Card::new("labels").joined(one.clone());
    assert_eq!((named.subject.as_str(), named.guarantees.len()), ("labels", 1));
    let next = Card::new("edges").continuing(&joined, DataPart::Edges);
    assert_eq!((next.guarantees.len(), in_all(&next)), (2, vec![1.5]));
    let planned = || Foreseen::<FeatureRow>::new(limit()).each(&CoinFlip::new(1.0).unwrap(), &2);
    let twice = Card::new("plans").foreseeing(&planned().unwrap()).unwrap();
    let twice = twice.foreseeing(&planned().unwrap()).unwrap();
    assert_eq!(in_all(&twice), [2.0]);
}

#[test]
fn one_seed_makes_all_of_it_a_simulation() {
    let real = coins(NoiseRng::from_operating_system().unwrap());
    let card = Card::new("both").with_ledger(&real).unwrap();
    assert!(!card.is_simulation());
    assert!(card.with_ledger(&coins(NoiseRng::replay(1))).unwrap().is_simulation());
}

/// Of several ledgers of a unit the one that the card was made from counts, wherever it stands.
#[test]
fn a_card_finds_its_own_ledger() {
    let (mine, other) = (coins(NoiseRng::replay(1)), coins(NoiseRng::replay(2)));
    let card = Card::new("answers").with_ledger(&mine).unwrap();
    let empty = Ledger::<FeatureRow>::in_memory(limit(), NoiseRng::replay(3)).unwrap();
    let [mine, other, empty] = [&mine, &other, &empty].map(|ledger| ledger.contents().clone());
    for ledgers in [[other.clone(), mine.clone()], [mine.clone(), other], [empty, mine]] {
        assert_eq!(card.differences(&ledgers).unwrap(), Vec::<String>::new());
    }
}

/// A check lists what is true, and what it cannot confirm.
#[test]
fn a_check_says_what_it_could_not_check() {
    let key = CardKey::new(vec![1; 16]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let signed = features().signed(&key).unwrap();
    let checked = signed.check(folder.path(), &[], Some(&key)).unwrap();
    assert_eq!(checked.notes, ["signed with this key"]);
    let stated = ["its subject", "what is not protected", "the software that made it"];
    assert_eq!(checked.unchecked, stated);
}

/// What a card claims under another relation, and what is true.
#[test]
fn other_relations_are_named_where_they_differ() {
    let ledger = coins(NoiseRng::replay(1));
    let mut card = Card::new("answers").with_ledger(&ledger).unwrap();
    card.guarantees[0].also.push(Conversion {
        relation: Relation::RelationshipDp,
        between: RelationshipEnds::AnyTwo,
        loss: Loss::new(2.0, 0.0).unwrap(),
        theorem: "none".into(),
    });
    let message = card.differences(&[ledger.contents().clone()]).unwrap().concat();
    let claimed = card.guarantees[0].also[0].loss.to_string();
    assert!(message.contains(&format!("the card says relationship-dp {claimed}")), "{message}");
    assert!(message.contains("the ledger nothing"), "{message}");
}

#[test]
fn a_card_as_a_file_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("card.json");
    let text = features().to_json().unwrap();
    assert!(text.ends_with(b"}\n"));
    std::fs::write(&path, &text).unwrap();
    assert_eq!(Card::read(&path).unwrap(), features());
}
