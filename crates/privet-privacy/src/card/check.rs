//! Checking a card: every number is computed again from the ledgers, every file is hashed again, and what
//! cannot be checked is listed.

use std::path::Path;

use super::guarantee::{CombinedLoss, Conversion, GroupLine, Guarantee, totals};
use super::{Card, CardKey, FORMAT};
use crate::error::Result;
use crate::ledger::Contents;
use crate::loss::Loss;
use crate::unit::UnitFacts;

/// What became of a card.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CardCheck {
    /// What is not true. The card holds if there is nothing here.
    pub differences: Vec<String>,
    /// What is true and worth knowing.
    pub notes: Vec<String>,
    /// What the card states, and nothing at hand can confirm.
    pub unchecked: Vec<String>,
}

impl Card {
    /// Computes everything again that can be: files below `folder`, numbers from `ledgers`, the signature
    /// if there is a key.
    ///
    /// # Errors
    /// If an event has no theorem.
    pub fn check(
        &self,
        folder: &Path,
        ledgers: &[Contents],
        key: Option<&CardKey>,
    ) -> Result<CardCheck> {
        let mut checked =
            CardCheck { differences: self.changed_files(folder), ..CardCheck::default() };
        checked.differences.extend(self.differences(ledgers)?);
        for guarantee in &self.guarantees {
            if let Some(ledger) = guarantee.find(ledgers)
                && let Some(more) = ledger.entries.len().checked_sub(guarantee.ledger.entries + 1)
            {
                let later = match more + 1 {
                    1 => "1 later release from this ledger is not included".to_owned(),
                    many => format!("{many} later releases from this ledger are not included"),
                };
                checked.notes.push(format!("{}: {later}", guarantee.unit));
            }
        }
        match (key, &self.mac) {
            (Some(key), Some(_)) if self.is_signed_by(key)? => {
                checked.notes.push("signed with this key".into());
            }
            (Some(_), Some(_)) => checked.differences.push("not signed with this key".into()),
            (Some(_), None) => checked.differences.push("not signed".into()),
            (None, Some(_)) => checked.unchecked.push("its signature (no key was given)".into()),
            (None, None) => checked.unchecked.push(
                "who issued it (it is not signed: card, ledger and files agree, and a forger \
                 of all three would pass)"
                    .into(),
            ),
        }
        for stated in ["its subject", "what is not protected", "the software that made it"] {
            checked.unchecked.push(stated.into());
        }
        Ok(checked)
    }

    /// Computes the promises again from ledgers. An empty list means that every number holds.
    ///
    /// # Errors
    /// If an event has no theorem.
    pub fn differences(&self, ledgers: &[Contents]) -> Result<Vec<String>> {
        let mut differences = Vec::new();
        if self.format != FORMAT {
            differences.push(format!("the card is of format {}, not {FORMAT}", self.format));
        }
        if self.guarantees.is_empty() {
            differences.push("the card promises nothing: there is no guarantee on it".into());
        }
        for guarantee in &self.guarantees {
            let unit = &guarantee.unit;
            match guarantee.find(ledgers) {
                None => differences.push(format!("no ledger for the unit {unit}")),
                Some(ledger) => {
                    let found = guarantee.compare(ledger)?;
                    differences.extend(found.into_iter().map(|what| format!("{unit}: {what}")));
                }
            }
        }
        if !pairwise(&self.totals, &totals(&self.guarantees), CombinedLoss::is_alike) {
            differences.push("what guarantees cost together is not their sum".into());
        }
        Ok(differences)
    }
}

impl Guarantee {
    /// The ledger it was made from; else one of the same unit, to say what differs.
    fn find<'a>(&self, ledgers: &'a [Contents]) -> Option<&'a Contents> {
        let of_unit = || ledgers.iter().filter(|ledger| ledger.header.unit == self.unit);
        // A ledger that went on still contains the card's state: the chain after so many entries names it.
        let known = |ledger: &&Contents| {
            let count = self.ledger.entries;
            count <= ledger.entries.len()
                && ledger.chain_after(count).is_ok_and(|chain| chain == self.ledger.chain)
        };
        of_unit().find(known).or_else(|| of_unit().next())
    }

    /// Every field, against what the ledger says about the same entries. It may have grown since; what
    /// stood then must stand still.
    fn compare(&self, ledger: &Contents) -> Result<Vec<String>> {
        let Some(unit) = UnitFacts::named(&self.unit) else {
            return Ok(vec!["there is no such unit".into()]);
        };
        let count = self.ledger.entries;
        if count == 0 {
            return Ok(vec!["the card was made before anything was released".into()]);
        }
        let Some(then) = ledger.up_to(count)? else {
            let file = ledger.entries.len();
            return Ok(vec![format!("the card counts {count} entries, the ledger {file}")]);
        };
        let truth = Self::of(*unit, &then)?;
        let (relation, limit) = (ledger.header.relation, ledger.header.limit);
        let same_text = |field: &str, card: &str, truth: &str| {
            (card == truth, format!("{field}: the card says '{card}', not '{truth}'"))
        };
        let checks = [
            (
                truth.ledger.chain == self.ledger.chain,
                "the ledger is not the one the card was made from".to_owned(),
            ),
            (
                (relation, limit) == (self.relation, self.limit) && relation == truth.relation,
                "the ledger's relation or limit is another one".into(),
            ),
            (
                alike(truth.loss, self.loss),
                format!("the card says {}, the ledger {}", self.loss, truth.loss),
            ),
            (
                truth.published == self.published,
                format!(
                    "the card says that {} people chose to publish, the ledger {}",
                    self.published, truth.published
                ),
            ),
            (
                // A card without the profile claims less than it could.
                self.profile.is_empty()
                    || pairwise(&truth.profile, &self.profile, |a, b| alike(*a, *b)),
                "the guarantees at smaller epsilons are not those of the ledger".into(),
            ),
            same_text("protects", &self.protects, &truth.protects),
            same_text("accountant", &self.accountant, &truth.accountant),
            same_text("trust", self.trust.meaning(), truth.trust.meaning()),
            (
                pairwise(&truth.groups, &self.groups, GroupLine::is_alike),
                "the groups of users differ".into(),
            ),
            (
                truth.releases == self.releases,
                "the releases listed are not those of the ledger".into(),
            ),
            (
                pairwise(&truth.also, &self.also, Conversion::is_alike),
                format!(
                    "under other relations the card says {}, the ledger {}",
                    listed(&self.also),
                    listed(&truth.also)
                ),
            ),
        ];
        Ok(checks.into_iter().filter(|(holds, _)| !holds).map(|(_, what)| what).collect())
    }
}

impl GroupLine {
    fn is_alike(&self, other: &Self) -> bool {
        (self.users, self.opted_out) == (other.users, other.opted_out)
            && alike(self.loss, other.loss)
    }
}

impl Conversion {
    fn is_alike(&self, other: &Self) -> bool {
        (self.relation, self.between, &self.theorem)
            == (other.relation, other.between, &other.theorem)
            && alike(self.loss, other.loss)
    }
}

impl CombinedLoss {
    fn is_alike(&self, other: &Self) -> bool {
        (self.relation, &self.units, &self.protects)
            == (other.relation, &other.units, &other.protects)
            && alike(self.loss, other.loss)
    }
}

fn listed(all: &[Conversion]) -> String {
    match all {
        [] => "nothing".into(),
        all => {
            let words = all.iter().map(|other| format!("{} {}", other.relation, other.loss));
            words.collect::<Vec<_>>().join(", ")
        }
    }
}

fn pairwise<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

/// Whether two losses are the same number. Transforms differ in their last digits from processor to
/// processor, so a card that was written on one machine may be recomputed on another.
fn alike(a: Loss, b: Loss) -> bool {
    // Two machines' logarithms may differ in the last digits; an edited number differs by more.
    let close = |x: f64, y: f64| x == y || (x - y).abs() <= 1e-9 * x.abs().max(1.0);
    let (a_delta, b_delta) = (a.delta.get(), b.delta.get());
    close(a.epsilon.get(), b.epsilon.get())
        && (a_delta == b_delta || (a_delta - b_delta).abs() <= 1e-9 * a_delta)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A part in a thousand million, of 1 or of more; of a delta, of itself.
    #[test]
    fn numbers_may_differ_in_their_last_digits() {
        let same = |a: (f64, f64), b: (f64, f64)| {
            alike(Loss::new(a.0, a.1).unwrap(), Loss::new(b.0, b.1).unwrap())
        };
        for (epsilon, room) in [(0.5, 1e-9), (1.0, 1e-9), (100.0, 1e-7)] {
            for side in [-1.0, 1.0] {
                let near = |share: f64| (epsilon + side * share * room, 1e-5);
                assert!(same((epsilon, 1e-5), near(0.9)), "{epsilon}");
                assert!(!same((epsilon, 1e-5), near(1.2)), "{epsilon}");
            }
        }
        assert!(same((1.0, 1e-5), (1.0, 1e-5 * (1.0 + 0.9e-9))));
        assert!(!same((1.0, 1e-5), (1.0, 1e-5 * (1.0 + 1.2e-9))));
        assert!(!same((1.0, 0.0), (1.0, 1e-300)));
        assert!(same((f64::INFINITY, 0.0), (f64::INFINITY, 0.0)));
    }
}
