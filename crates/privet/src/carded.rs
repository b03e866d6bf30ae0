//! [`Carded`]: what a system hands out. A value made of releases and of what is public, and the card of those very
//! releases.

use crate::privacy::release::Source;
use crate::privacy::{Card, Protected};
use crate::{Error, Result};

/// A value and what was promised under it. Systems make it out of releases; nobody else makes one:
///
/// ```compile_fail
/// # fn forge(card: privet::privacy::Card) {
/// let forged = privet::Carded { value: vec![1.0], card };
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Carded<T> {
    value: Protected<T>,
    card: Card,
}

impl<T> Carded<T> {
    /// The value with its card.
    ///
    /// # Errors
    /// If the card is not of the ledgers that the value came out of.
    pub(crate) fn new(value: Protected<T>, card: Card) -> Result<Self> {
        for source in value.sources() {
            let of_unit = card.guarantees.iter().find(|g| g.unit == source.unit);
            let known = of_unit.is_some_and(|guarantee| {
                let seal = &guarantee.ledger;
                seal.entries > source.entries
                    || (seal.entries, &seal.chain) == (source.entries, &source.chain)
            });
            if !known {
                let expected = "one of the ledgers that the releases are written down in";
                return Err(Error::invalid("card", source.unit, expected));
            }
        }
        Ok(Self { value, card })
    }

    /// The value: nothing in it needs protection any more.
    pub fn get(&self) -> &T {
        self.value.get()
    }

    /// What was promised to whom.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// Where everything in it was paid for; empty if all of it is public.
    pub fn sources(&self) -> &[Source] {
        self.value.sources()
    }

    /// The value and the card, from here on apart.
    pub fn into_parts(self) -> (T, Card) {
        (self.value.into_inner(), self.card)
    }

    /// Post-processing.
    pub fn map<S>(self, work: impl FnOnce(T) -> S) -> Carded<S> {
        Carded { value: self.value.map(work), card: self.card }
    }

    /// Post-processing that can fail.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn try_map<S, E>(self, work: impl FnOnce(T) -> Result<S, E>) -> Result<Carded<S>, E> {
        Ok(Carded { value: self.value.try_map(work)?, card: self.card })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::noise::NoiseRng;
    use crate::privacy::template::CoinFlip;
    use crate::privacy::{Ledger, Loss, Secret};

    #[test]
    fn a_card_belongs_to_its_releases() {
        let account =
            || Ledger::in_memory(Loss::new(2.0, 0.0).unwrap(), NoiseRng::replay(1)).unwrap();
        let (mut ledger, mut other) = (account(), account());
        let answers = Secret::new(vec![1.0, 0.0]);
        let coin = |epsilon| CoinFlip::new(epsilon).unwrap();
        let release = ledger.release_each(&answers, &coin(1.0)).unwrap();
        other.release_each(&answers, &coin(0.5)).unwrap();
        let card = |ledger: &Ledger<_>| Card::new("answers").with_ledger(ledger).unwrap();
        let value = release.protected();
        assert!(Carded::new(value.clone(), card(&other)).is_err());
        assert!(Carded::new(value.clone(), Card::new("nothing")).is_err());
        let carded = Carded::new(value, card(&ledger)).unwrap();
        let counted = carded.map(|reports| reports.len());
        assert_eq!((*counted.get(), counted.sources().len()), (2, 1));
        assert_eq!(counted.sources()[0].chain, counted.card().guarantees[0].ledger.chain);
    }
}
