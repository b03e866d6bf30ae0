//! [`Foreseen`]: what an account will say of releases that are planned, from public facts alone. No data are
//! there to look at, nothing is drawn, and nothing is charged; the same mechanisms, asked for real, are written down
//! with the same words and the same price.

use std::marker::PhantomData;

use super::entry::{Charge, LedgerEntry};
use super::store::{Contents, LedgerHeader};
use super::{PopulationShape, UserChoices, allowed, charges_of, everyone};
use crate::error::Result;
use crate::loss::Loss;
use crate::mechanism::{Disclose, Local, Mechanism};
use crate::noise::NoiseOrigin;
use crate::unit::Unit;

/// Planned releases of one unit.
///
/// ```
/// use privet_privacy::{Card, Loss, ledger::Foreseen, template::CoinFlip};
/// let asked = Foreseen::new(Loss::new(1.5, 0.0)?).each(&CoinFlip::new(1.0)?, &3)?;
/// let promise = Card::new("answers").foreseeing(&asked)?;
/// assert_eq!(promise.guarantees[0].loss.epsilon.get(), 1.0);
/// assert!(asked.each(&CoinFlip::new(1.0)?, &3).is_err());   // 2.0 would be over the limit
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug)]
pub struct Foreseen<U: Unit> {
    contents: Contents,
    unit: PhantomData<fn() -> U>,
}

impl<U: Unit> Foreseen<U> {
    /// An account that is not there yet.
    pub fn new(limit: Loss) -> Self {
        let contents = Contents::planned(LedgerHeader::new(U::NAME, U::RELATION, limit));
        Self { contents, unit: PhantomData }
    }

    /// One report of every user, from data of this shape.
    ///
    /// # Errors
    /// If the mechanism is not for such data, or it would pass the limit.
    pub fn each<M: Local<Unit = U>>(
        self,
        mechanism: &M,
        shape: &PopulationShape<M>,
    ) -> Result<Self> {
        mechanism.check(shape)?;
        self.charged(mechanism, everyone(mechanism, mechanism.pair(shape)), None)
    }

    /// One report of every user, at the strength that each chose.
    ///
    /// # Errors
    /// If a mechanism is not for such data, or it would pass the limit.
    pub fn chosen<M: Disclose<Unit = U>>(
        self,
        of: &UserChoices<M>,
        shape: &PopulationShape<M>,
    ) -> Result<Self> {
        of.mechanisms.iter().try_for_each(|mechanism| mechanism.check(shape))?;
        let (charges, people) = (charges_of(of, shape)?, of.of_user.len() as u64);
        match of.mechanisms.first() {
            Some(first) => self.charged(first, charges, Some(people)),
            None => Ok(self),
        }
    }

    /// One result of a curator's mechanism.
    ///
    /// # Errors
    /// If it would pass the limit.
    pub fn curated<M: Mechanism<Unit = U>>(self, mechanism: &M) -> Result<Self> {
        self.charged(mechanism, everyone(mechanism, None), None)
    }

    fn charged(
        mut self,
        mechanism: &impl Mechanism,
        charges: Vec<Charge>,
        people: Option<u64>,
    ) -> Result<Self> {
        let entry = LedgerEntry::of(mechanism, charges, people, NoiseOrigin::OperatingSystem);
        allowed(&self.contents, self.contents.header.limit, &entry)?;
        self.contents.entries.push(entry);
        Ok(self)
    }

    /// What the account would say.
    pub(crate) fn contents(&self) -> &Contents {
        &self.contents
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Card;
    use crate::edges::local::Rr;
    use crate::event::Event;
    use crate::features::{Hds, Scale};
    use crate::ledger::{UserChoice, Users};
    use crate::loss::{Delta, Epsilon};
    use crate::population::{GraphShape, TableShape};
    use crate::unit::{DataPart, FeatureRow, NeighborBit};
    use privet_graph::{Bounds, BoundsOrigin, Direction};

    fn limit(epsilon: f64) -> Loss {
        Loss::new(epsilon, 0.0).unwrap()
    }

    /// What is planned is priced like what is done: one entry after the other, within the limit, for the right shape.
    #[test]
    fn plans_are_priced_and_checked() {
        let club = GraphShape { nodes: 34, direction: Direction::Undirected };
        let flip = Rr::new(1.0).unwrap();
        let once = Foreseen::<NeighborBit>::new(limit(1.5)).each(&flip, &club).unwrap();
        assert_eq!(once.contents().entries.len(), 1);
        assert!(matches!(once.each(&flip, &club), Err(crate::Error::OverLimit { .. })));
        let card = Card::new("lists")
            .foreseeing(&Foreseen::<NeighborBit>::new(limit(1.5)).each(&flip, &club).unwrap())
            .unwrap();
        assert_eq!((card.guarantees.len(), card.guarantees[0].ledger.entries), (1, 0));
        assert_eq!(card.guarantees[0].loss.epsilon.get(), 1.0);
        assert!(card.protects(DataPart::Edges) && !card.protects(DataPart::Features));
        assert!(!Card::new("nothing").protects(DataPart::Edges));
        // Some choose to publish.
        let of_user =
            (0..34).map(|user| if user < 3 { UserChoice::Public } else { UserChoice::Private(0) });
        let choices = UserChoices::new(vec![flip], of_user.collect()).unwrap();
        let chosen = Foreseen::<NeighborBit>::new(limit(1.5)).chosen(&choices, &club).unwrap();
        assert_eq!(chosen.contents().entries[0].people, Some(34));
        assert!(chosen.chosen(&choices, &club).is_err());
    }

    /// A mechanism for two columns refuses a table of three before anything is priced.
    #[test]
    fn other_shapes_are_refused() {
        let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared).unwrap();
        let hds = Hds::new(1.0, Scale::new(2, Some(&bounds)).unwrap()).unwrap();
        let plan = || Foreseen::<FeatureRow>::new(limit(9.0));
        assert!(plan().each(&hds, &TableShape { rows: 5, columns: 2 }).is_ok());
        assert!(plan().each(&hds, &TableShape { rows: 5, columns: 3 }).is_err());
        let table = |columns| TableShape { rows: 5, columns };
        let choices = UserChoices::new(vec![hds], vec![UserChoice::Private(0); 5]).unwrap();
        assert!(plan().chosen(&choices, &table(2)).is_ok());
        assert!(plan().chosen(&choices, &table(3)).is_err());
    }

    /// Where there is no limit nothing is priced, but an event that means nothing is still none.
    #[test]
    fn an_account_without_a_limit_takes_no_impossible_event() {
        let unlimited = Loss { epsilon: Epsilon::INFINITE, delta: Delta::ZERO };
        let contents = Foreseen::<NeighborBit>::new(unlimited).contents;
        let asked = |noise_multiplier| {
            let event = Event::Gaussian { noise_multiplier };
            let charges = vec![Charge { users: Users::Everyone, event, pair: None }];
            let flip = Rr::new(1.0).unwrap();
            let entry = LedgerEntry::of(&flip, charges, None, NoiseOrigin::OperatingSystem);
            allowed(&contents, unlimited, &entry)
        };
        assert!(asked(1.0).is_ok());
        assert!(asked(0.0).is_err() && asked(f64::NAN).is_err());
    }
}
