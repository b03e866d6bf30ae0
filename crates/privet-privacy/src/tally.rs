//! Counts of people, with noise: how many are in each of a few boxes, `tally`.
//!
//! # Idea
//! Each person is in at most one box (for an evaluation: `right` and `wrong`), and which one depends on that person
//! alone. Each box is counted, and its count gets integer noise.
//!
//! # Equation
//! `c_b = |{people in box b}| + DLap(eps / m)`, with `m` the number of people by which one person can move all counts
//! together.
//!
//! # Guarantee
//! `eps`, with `m`
//! * for [`Node`] and [`Record`]: 1. A person who is not there is in no box, so one count moves by one.
//! * for [`ReplacedNode`] and [`ReplacedRecord`]: 2. Another person in the same place may be in another box: one count falls
//!   by one, one rises by one.
//!
//! *Proof.* Counts are integers, and the vector of them moves by at most `m` in the sum of absolute changes;
//! independent [`DiscreteLaplace`] noise of sensitivity `m` in every box costs `eps` (the factors multiply). ∎
//! That a box depends on its person alone is what [`Preparation`](crate::prepared::Preparation)s state; how many boxes
//! there are, and how many people *may* be in one, is public.
//!
//! # Paper
//! Dwork, McSherry, Nissim, Smith 2006, with integer noise of Ghosh, Roughgarden, Sundararajan 2009.
//!
//! # Differs from paper
//! Nothing.
//!
//! # Cost
//! One pass over the people, one draw a box. A count's variance is `1 / (2 sinh²(eps / 2m))`.
//!
//! # Numerics
//! Exact.

use std::marker::PhantomData;

use serde_json::json;

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::Epsilon;
use crate::mechanism::{Central, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{DiscreteLaplace, NoiseSource, Numerics};
use crate::origin::sealed::MechanismOrigin;
use crate::population::PublicShape;
use crate::unit::{Node, Record, ReplacedNode, ReplacedRecord, Unit};

/// Each person's box; `None` for a person in none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ballots(pub Vec<Option<u32>>);

impl PublicShape for Ballots {
    /// How many people may be in a box.
    type Shape = usize;

    fn shape(&self) -> usize {
        self.0.len()
    }
}

/// A unit whose people can be counted.
pub trait CountedUnit: Unit {
    /// By how much one of them can move all counts together.
    fn moves() -> u64;
}

impl CountedUnit for Node {
    fn moves() -> u64 {
        1
    }
}

impl CountedUnit for Record {
    fn moves() -> u64 {
        1
    }
}

impl CountedUnit for ReplacedNode {
    fn moves() -> u64 {
        if fault::on(Fault::ReplacedVoteIsOne) { 1 } else { 2 }
    }
}

impl CountedUnit for ReplacedRecord {
    fn moves() -> u64 {
        ReplacedNode::moves()
    }
}

/// Noisy counts of so many boxes, protecting units `U`.
#[derive(Debug, Clone)]
pub struct Tally<U: CountedUnit> {
    budget: Budget,
    boxes: u32,
    noise: DiscreteLaplace,
    unit: PhantomData<fn() -> U>,
}

impl<U: CountedUnit> Tally<U> {
    /// Counts of so many boxes for `epsilon` in all.
    ///
    /// # Errors
    /// If epsilon is out of range, or there is no box.
    pub fn new(boxes: u32, epsilon: f64) -> Result<Self> {
        if boxes == 0 {
            return Err(Error::range("boxes", boxes, "at least 1"));
        }
        let budget = Budget::from_epsilon(epsilon)?;
        // A ballot that comes or goes moves one count by 1; one that is replaced moves two: l1 sensitivity 1 or 2.
        let noise = DiscreteLaplace::new(budget, U::moves())?;
        Ok(Self { budget, boxes, noise, unit: PhantomData })
    }

    /// The noise of every box.
    pub fn noise(&self) -> &DiscreteLaplace {
        &self.noise
    }
}

impl<U: CountedUnit> MechanismOrigin for Tally<U> {
    const AUDITED: bool = true;
}

impl<U: CountedUnit> Mechanism for Tally<U> {
    type Unit = U;

    fn name(&self) -> &'static str {
        "tally"
    }

    fn event(&self) -> Event {
        Event::Pure { epsilon: Epsilon::from(self.budget) }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: format!("one person moves all counts together by at most {}", U::moves()),
            proof: "privet_privacy::tally, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::from([
            ("epsilon".into(), json!(self.budget.as_f64())),
            ("boxes".into(), json!(self.boxes)),
        ])
    }
}

impl<U: CountedUnit> Central for Tally<U> {
    type Input = Ballots;
    /// One noisy count a box; it may be below 0.
    type Output = Vec<i64>;

    fn sample<N: NoiseSource>(&self, ballots: &Ballots, noise: N, _permit: Permit<'_>) -> Vec<i64> {
        let mut counts = vec![0i64; self.boxes as usize];
        // Who is in a box that does not exist is in none.
        let inside = ballots.0.iter().flatten().filter(|&&at| at < self.boxes);
        inside.for_each(|&at| counts[at as usize] += 1);
        let first_exact = fault::on(Fault::FirstCountExact);
        noise.map_users(counts.len(), |at, words| match first_exact && at == 0 {
            true => counts[0],
            false => counts[at].saturating_add(self.noise.draw(words)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::{Ledger, Loss, Secret};

    fn ballots(votes: &[Option<u32>]) -> Secret<Ballots> {
        Secret::new(Ballots(votes.to_vec()))
    }

    #[test]
    fn people_are_counted_in_their_boxes_and_nowhere_else() {
        let mut ledger =
            Ledger::<Node>::in_memory(Loss::new(5000.0, 0.0).unwrap(), NoiseRng::replay(1))
                .unwrap();
        let votes = ballots(&[Some(0), Some(1), Some(1), None, Some(7)]);
        let counts = ledger.release(&votes, &Tally::new(2, 4000.0).unwrap()).unwrap();
        assert_eq!(counts.get(), &[1, 2]);
        assert!(Tally::<Node>::new(0, 1.0).is_err() && Tally::<Node>::new(1, -1.0).is_err());
    }

    #[test]
    fn who_is_replaced_moves_two_counts() {
        let absent = Tally::<Node>::new(2, 1.0).unwrap().noise().variance();
        let replaced = Tally::<ReplacedNode>::new(2, 2.0).unwrap().noise().variance();
        assert!((absent / replaced - 1.0).abs() < 1e-9, "twice the epsilon for the same noise");
    }
}
