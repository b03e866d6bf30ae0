//! [`Card`]: the guarantee that travels with what was released, and can be checked.
//!
//! A card is a JSON file beside the output. It names the files it was issued for by their SHA-256, says who
//! is protected against what, by how much, on whose word, and what is *not* protected. It quotes the hash
//! of the ledgers it was made from, so [`Card::check`] can recompute every number and notice a ledger that
//! was edited or cut, and a file that was changed.

mod check;
mod files;
mod guarantee;
mod key;
mod stated;
pub mod text;

pub use check::CardCheck;
pub use files::FileSeal;
pub use guarantee::{CombinedLoss, Conversion, GroupLine, Guarantee, LedgerSeal, ReleaseLine};
pub use key::CardKey;
pub use stated::{LossCondition, StatedLoss, stated_account, stated_conversions};
pub use text::Odds;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::ledger::{Foreseen, Ledger};
use crate::noise::NoiseOrigin;
use crate::unit::{DataPart, Unit, UnitFacts};

/// The version of the card's format.
pub const FORMAT: u32 = 2;

/// A longer file is no card.
const MOST_BYTES: u64 = 1 << 24;

/// A privacy card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The version of the format.
    pub format: u32,
    /// What was released.
    pub subject: String,
    /// The files it was issued for, and no others.
    pub files: Vec<FileSeal>,
    /// What guarantees of the same relation cost one person together.
    pub totals: Vec<CombinedLoss>,
    /// One guarantee per ledger. Those of different relations are listed, never added.
    pub guarantees: Vec<Guarantee>,
    /// What is in the released thing, or was used to make it, without any protection.
    pub unprotected: Vec<UnprotectedPart>,
    /// The software that made it.
    pub software: String,
    /// HMAC-SHA256 of everything above, by the issuer's key, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mac: Option<String>,
}

impl Card {
    /// A card with no guarantee yet.
    pub fn new(subject: impl Into<String>) -> Self {
        let software = format!("privet {}", env!("CARGO_PKG_VERSION"));
        Self {
            format: FORMAT,
            subject: subject.into(),
            files: Vec::new(),
            totals: Vec::new(),
            guarantees: Vec::new(),
            unprotected: Vec::new(),
            software,
            mac: None,
        }
    }

    /// Adds what a ledger guarantees.
    ///
    /// # Errors
    /// If an event in it has no theorem.
    pub fn with_ledger<U: Unit>(mut self, ledger: &Ledger<U>) -> Result<Self> {
        let mut guarantee = Guarantee::of(unit_facts::<U>(), ledger.contents())?;
        let file = ledger.path().and_then(|path| path.file_name());
        guarantee.ledger.file = file.map(|name| name.to_string_lossy().into_owned());
        self.guarantees.push(guarantee);
        self.totals = guarantee::totals(&self.guarantees);
        Ok(self)
    }

    /// Adds what planned releases will guarantee: a promise, before any data is read. It names no ledger, so
    /// it cannot be taken for the card of a release ([`differences`](Self::differences)).
    ///
    /// # Errors
    /// If an event has no theorem.
    pub fn foreseeing<U: Unit>(mut self, planned: &Foreseen<U>) -> Result<Self> {
        let mut guarantee = Guarantee::of(unit_facts::<U>(), planned.contents())?;
        guarantee.ledger.entries = 0;
        self.guarantees.push(guarantee);
        self.totals = guarantee::totals(&self.guarantees);
        Ok(self)
    }

    /// Adds something that is not protected, once.
    #[must_use]
    pub fn with_unprotected(mut self, what: impl Into<UnprotectedPart>) -> Self {
        let what = what.into();
        if !self.unprotected.contains(&what) {
            self.unprotected.push(what);
        }
        self
    }

    /// Goes on where the card of the input ended: what was promised and what was not, about everything
    /// but `now`, the part that is randomised now.
    #[must_use]
    pub fn continuing(mut self, earlier: &Self, now: DataPart) -> Self {
        let mut earlier = earlier.clone();
        earlier.forget(now);
        self.guarantees.extend(earlier.guarantees);
        self.totals = guarantee::totals(&self.guarantees);
        earlier.unprotected.into_iter().fold(self, Self::with_unprotected)
    }

    /// The guarantees of both, and what neither protects.
    pub(crate) fn joined(mut self, other: Self) -> Self {
        for guarantee in other.guarantees {
            if !self.guarantees.contains(&guarantee) {
                self.guarantees.push(guarantee);
            }
        }
        self.totals = guarantee::totals(&self.guarantees);
        if self.subject.is_empty() {
            self.subject = other.subject;
        }
        other.unprotected.into_iter().fold(self, Self::with_unprotected)
    }

    /// Whether anything is promised about a part of a dataset.
    pub fn protects(&self, part: DataPart) -> bool {
        self.guarantees.iter().any(|guarantee| guarantee.is_about(part))
    }

    /// Removes all statements about a part of a dataset.
    pub fn forget(&mut self, part: DataPart) {
        self.guarantees.retain(|guarantee| !guarantee.is_about(part));
        self.unprotected.retain(|what| what.about != Some(part));
        self.totals = guarantee::totals(&self.guarantees);
    }

    /// Whether any noise was replayed from a seed, so that there is no protection.
    pub fn is_simulation(&self) -> bool {
        let seeded = |r: &ReleaseLine| matches!(r.noise, NoiseOrigin::Simulation { .. });
        self.guarantees.iter().flat_map(|guarantee| &guarantee.releases).any(seeded)
    }

    /// Whether Privet ships every mechanism that made it. If not, its numbers are the word of another author.
    pub fn is_audited(&self) -> bool {
        let mut releases = self.guarantees.iter().flat_map(|guarantee| &guarantee.releases);
        releases.all(|release| release.audited)
    }
}

/// Reading and writing: a card may come from a file that an attacker wrote.
impl Card {
    /// Reads a card.
    ///
    /// # Errors
    /// If it cannot be read, is no card, or is of another format.
    pub fn read(path: &Path) -> Result<Self> {
        let failed = |reason: &dyn std::fmt::Display| Error::card(path.display(), reason);
        let file = File::open(path).map_err(|error| failed(&error))?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(failed(&"not a privacy card: far too long for one"));
        }
        Self::parse(&bytes).map_err(|reason| failed(&reason))
    }

    /// The card that [`Card::to_json`] wrote.
    ///
    /// # Errors
    /// If it is no card, or is of another format.
    pub fn from_json(text: &[u8]) -> Result<Self> {
        Self::parse(text).map_err(|reason| Error::card("a text", reason))
    }

    /// The card as people and programs read it.
    ///
    /// # Errors
    /// If a number cannot be written.
    pub fn to_json(&self) -> Result<Vec<u8>> {
        let mut text =
            serde_json::to_vec_pretty(self).map_err(|error| Error::card(&self.subject, error))?;
        text.push(b'\n');
        Ok(text)
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct CardFormat {
            format: u32,
        }
        let no_card = |error: serde_json::Error| format!("not a privacy card: {error}");
        let CardFormat { format } = serde_json::from_slice(bytes).map_err(no_card)?;
        match format {
            FORMAT => serde_json::from_slice(bytes).map_err(no_card),
            1 => Err(
                "a card of format 1, which does not say what files it was issued for, so nothing \
                      can be promised about a file beside it; its ledger still counts"
                    .into(),
            ),
            other => {
                Err(format!("a card of format {other}, but this version knows format {FORMAT}"))
            }
        }
    }
}

/// Something that is not protected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnprotectedPart {
    /// The part of a dataset that lies open; by this, not by its words, a line is found again when that
    /// part is randomised later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<DataPart>,
    /// What it is, in words.
    pub what: String,
}

impl UnprotectedPart {
    /// All of a part of a dataset, in words.
    pub fn part(part: DataPart, what: impl Into<String>) -> Self {
        Self { about: Some(part), what: what.into() }
    }
}

impl<T: Into<String>> From<T> for UnprotectedPart {
    fn from(what: T) -> Self {
        Self { about: None, what: what.into() }
    }
}

impl std::fmt::Display for UnprotectedPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}

/// The facts of a unit that is known by its type.
const fn unit_facts<U: Unit>() -> UnitFacts {
    UnitFacts {
        name: U::NAME,
        relation: U::RELATION,
        trust: U::TRUST,
        protects: U::PROTECTS,
        parts: U::PARTS,
    }
}

#[cfg(test)]
mod tests {
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
        let choices =
            UserChoices::new(vec![LabelRr::new(0.5, 2).unwrap()], of_user.to_vec()).unwrap();
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
        assert_eq!(text, include_str!("card/text/explained.txt"));
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
        let in_all =
            |card: &Card| card.totals.iter().map(|t| t.loss.epsilon.get()).collect::<Vec<_>>();
        let joined = other.clone().joined(one.clone());
        assert_eq!((joined.guarantees.len(), in_all(&joined)), (2, vec![1.5]));
        assert_eq!(joined.subject, "answers", "the other one has none");
        assert_eq!(
            joined.clone().joined(one.clone()),
            joined,
            "what is there already is not added"
        );
        let named = Card::new("labels").joined(one.clone());
        assert_eq!((named.subject.as_str(), named.guarantees.len()), ("labels", 1));
        let next = Card::new("edges").continuing(&joined, DataPart::Edges);
        assert_eq!((next.guarantees.len(), in_all(&next)), (2, vec![1.5]));
        let planned =
            || Foreseen::<FeatureRow>::new(limit()).each(&CoinFlip::new(1.0).unwrap(), &2);
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
}
