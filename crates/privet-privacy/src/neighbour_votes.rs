//! Noisy counts of the classes of protected people, in the rows of new people who know them: `neighbour-votes`.
//!
//! # Idea
//! New people want to know their class, and know some of the protected people. Every protected person has one vote, of
//! norm 1, and shares it among the new people they know: each of `d` recipients gets `1/√d` in the column of the voter's
//! class. All numbers get Gaussian noise, those of rows without a vote too.
//!
//! # Equation
//! `Y_vc = Σ {1/√d_u : u knows v, class(u) = c} + N(0, σ²)`, with `d_u` how many recipients u has; twice the variance for
//! [`ReplacedNode`].
//!
//! # Guarantee
//! `Gaussian(σ)`, for
//! * [`Node`]: a person who is there, or is not and votes for no one;
//! * [`ReplacedNode`]: a person whose class and list become any others.
//!
//! The recipients are not protected, nor is what they know of each other. What a protected person knows of other protected
//! people is not read.
//!
//! *Proof.* On the lattice (`lattice.rs`) a vote has norm S steps, and a recipient of a voter with d of them gets
//! `w = ⌊√(⌊S²/d⌋)⌋` steps. The voter adds w to d different numbers and 0 to the others: a vector without negative parts
//! whose squared norm is `d w² ≤ S²`. It depends on the voter's own class and list alone, since duplicates and
//! strangers are left out of each list by itself. Sums are taken over voters, so that with or without one voter
//! they are at most S apart. Replaced, they are `|a - b|² = |a|² + |b|² - 2 a·b ≤ 2 S²` apart, because `a·b ≥ 0`. S is
//! the largest integer for which `S²`, or `2 S²`, is at most the square of the lattice's reach; the lemma there gives
//! the claim. ∎ No bound on degrees is needed, and no list is cut.
//!
//! # Paper
//! None. Noisy sums over neighbours are those of Sajadmanesh and others, "GAP", 2023, for all nodes at once.
//!
//! # Differs from paper
//! Sums are taken at unprotected nodes, so that a person's part is one row of each, and lists need no bound.
//!
//! # Cost
//! `O(votes + recipients · classes)`. Every number has variance σ², or 2 σ².
//!
//! # Numerics
//! Exact.

use std::marker::PhantomData;

use privet_graph::{DenseMatrix, NodeId};
use serde_json::json;

use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::lattice::Lattice;
use crate::mechanism::{Central, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{NoiseSource, Numerics};
use crate::origin::sealed::MechanismOrigin;
use crate::population::PublicShape;
use crate::unit::{Node, ReplacedNode, Unit};

/// Protected people, with the new people each of them knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voters {
    /// The class of each; a person without one votes for no one.
    pub classes: Vec<Option<u32>>,
    /// The recipients that each knows, in any order.
    pub recipients: Vec<Vec<NodeId>>,
}

impl PublicShape for Voters {
    /// How many people may vote.
    type Shape = usize;

    fn shape(&self) -> usize {
        self.classes.len()
    }
}

/// A unit whose votes can be protected.
pub trait VotingUnit: Unit {
    /// The square of how far sums move with one unit, in votes.
    fn squared_sensitivity() -> u64;
}

impl VotingUnit for Node {
    fn squared_sensitivity() -> u64 {
        1
    }
}

impl VotingUnit for ReplacedNode {
    fn squared_sensitivity() -> u64 {
        if fault::on(Fault::ReplacedVoterAsAbsent) { 1 } else { 2 }
    }
}

/// A vote has up to 2^27 steps, so that those of 2^32 people fit into 64 bits.
const FINEST: i32 = 27;

/// Noisy counts of classes at so many recipients, protecting units `U`.
///
/// ```
/// use privet_privacy::neighbour_votes::{NeighbourVotes, Voters};
/// use privet_privacy::{Ledger, Loss, Secret, noise::NoiseRng, unit::Node};
/// let voters = Voters { classes: vec![Some(1), Some(1)], recipients: vec![vec![0], vec![0]] };
/// let votes = NeighbourVotes::<Node>::new(2, 2, 0.01)?;
/// let mut ledger = Ledger::in_memory(Loss::new(1e5, 1e-5)?, NoiseRng::from_operating_system()?)?;
/// let counts = ledger.release(&Secret::new(voters), &votes)?;
/// assert!((counts.get().row(0)[1] - 2.0).abs() < 0.1 && counts.get().row(1)[1].abs() < 0.1);
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug)]
pub struct NeighbourVotes<U: VotingUnit> {
    recipients: usize,
    classes: usize,
    noise_multiplier: f64,
    lattice: Lattice,
    unit: PhantomData<fn() -> U>,
}

impl<U: VotingUnit> NeighbourVotes<U> {
    /// Counts of so many classes in the rows of so many recipients.
    ///
    /// # Errors
    /// If there are no recipients or no classes, or the noise is out of range.
    pub fn new(recipients: usize, classes: usize, noise_multiplier: f64) -> Result<Self> {
        for (what, count) in [("recipients", recipients), ("classes", classes)] {
            if count == 0 || u32::try_from(count).is_err() {
                return Err(Error::range(what, count, "from 1 to 2^32 - 1"));
            }
        }
        Event::Gaussian { noise_multiplier }.validate()?;
        let lattice = Lattice::new(noise_multiplier, FINEST)?;
        Ok(Self { recipients, classes, noise_multiplier, lattice, unit: PhantomData })
    }

    /// The deviation of the noise on every count, in votes.
    pub fn deviation(&self) -> f64 {
        self.noise_multiplier * (U::squared_sensitivity() as f64).sqrt()
    }

    /// S: the norm of a vote, in steps.
    fn vote(&self) -> u64 {
        // The reach is below 2^28.
        (self.lattice.reach().pow(2) / U::squared_sensitivity()).isqrt()
    }

    /// The sums before noise, in steps.
    fn sums(&self, voters: &Voters) -> Vec<i64> {
        let mut sums = vec![0i64; self.recipients * self.classes];
        for (class, recipients) in voters.classes.iter().zip(&voters.recipients) {
            let Some(class) = class.filter(|&class| (class as usize) < self.classes) else {
                continue;
            };
            let mut list = recipients.clone();
            list.retain(|&recipient| (recipient as usize) < self.recipients);
            // A recipient who is named twice would get two shares, and the vote would be longer than 1.
            list.sort_unstable();
            list.dedup();
            let shares = if fault::on(Fault::VoteNotShared) { 1 } else { list.len() as u64 };
            // L shares of vote/√L, rounded down: their squares sum to at most vote².
            let part = (self.vote().pow(2) / shares.max(1)).isqrt();
            for recipient in list {
                sums[recipient as usize * self.classes + class as usize] += part as i64;
            }
        }
        sums
    }
}

impl<U: VotingUnit> MechanismOrigin for NeighbourVotes<U> {
    const AUDITED: bool = true;
}

impl<U: VotingUnit> Mechanism for NeighbourVotes<U> {
    type Unit = U;

    fn name(&self) -> &'static str {
        "neighbour-votes"
    }

    fn event(&self) -> Event {
        Event::Gaussian { noise_multiplier: self.noise_multiplier }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "a person shares a vote of norm 1 among the new people they know".into(),
            proof: "privet_privacy::neighbour_votes, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::from([
            ("classes".into(), json!(self.classes)),
            ("noise-multiplier".into(), json!(self.noise_multiplier)),
        ])
    }

    fn assumes_public(&self) -> Vec<String> {
        vec!["the new people, their number, their order and what they know of each other".into()]
    }
}

impl<U: VotingUnit> Central for NeighbourVotes<U> {
    type Input = Voters;
    /// A row for every recipient, a column for every class; counts may be below 0.
    type Output = DenseMatrix;

    fn sample<N: NoiseSource>(
        &self,
        voters: &Voters,
        noise: N,
        _permit: Permit<'_>,
    ) -> DenseMatrix {
        // One step is 1/S of a vote; a reach below 1 was refused, but S may be 0 where it is 1 and units are replaced.
        let step = 1.0 / self.vote().max(1) as f64;
        let noisy = self.lattice.noisy(self.sums(voters), step, noise);
        let mut counts = DenseMatrix::zeros(self.recipients, self.classes);
        counts.values_mut().copy_from_slice(&noisy);
        counts
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::noise::NoiseRng;
    use crate::{Delta, Epsilon, Ledger, Loss, Secret};

    fn released<U: VotingUnit>(voters: Voters, votes: &NeighbourVotes<U>) -> DenseMatrix {
        let limit = Loss { epsilon: Epsilon::INFINITE, delta: Delta::new(1e-5).unwrap() };
        let mut ledger = Ledger::<U>::in_memory(limit, NoiseRng::replay(1)).unwrap();
        ledger.release(&Secret::new(voters), votes).unwrap().into_inner()
    }

    fn apart(one: &[i64], other: &[i64]) -> u128 {
        one.iter().zip(other).map(|(a, b)| u128::from(a.abs_diff(*b)).pow(2)).sum()
    }

    proptest! {
        /// Whatever a person's list and class are, or become: sums stay within reach, in integers.
        #[test]
        fn one_person_moves_sums_within_reach(
            lists in prop::collection::vec(prop::collection::vec(0u32..40, 0..60), 3),
            classes in prop::collection::vec(prop::option::of(0u32..5), 3),
            log in -2.0f64..5.0,
        ) {
            let with = Voters { classes: classes.clone(), recipients: lists.clone() };
            let mut without = with.clone();
            without.classes[0] = None;
            let mut replaced = with.clone();
            (replaced.classes[0], replaced.recipients[0]) = (Some(1), lists[1].clone());
            let absent = NeighbourVotes::<Node>::new(35, 4, log.exp()).unwrap();
            let reach = u128::from(absent.lattice.reach()).pow(2);
            prop_assert!(apart(&absent.sums(&with), &absent.sums(&without)) <= reach);
            let other = NeighbourVotes::<ReplacedNode>::new(35, 4, log.exp()).unwrap();
            prop_assert!(apart(&other.sums(&with), &other.sums(&replaced)) <= reach);
        }
    }

    #[test]
    fn a_vote_is_shared_among_those_the_voter_knows() {
        let voters = Voters {
            classes: vec![Some(0), Some(1), None, Some(9), Some(1)],
            // A recipient who is named twice gets one part; one who does not exist gets none.
            recipients: vec![vec![0, 1, 2, 3], vec![2, 2, 77], vec![0], vec![0], vec![]],
        };
        let counts = released(voters, &NeighbourVotes::<Node>::new(4, 2, 1e-6).unwrap());
        let expected = [0.5, 0.0, 0.5, 0.0, 0.5, 1.0, 0.5, 0.0];
        for (found, expected) in counts.values().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{counts:?}");
        }
    }

    /// The closed form of mean and variance, by many draws on rows without votes.
    #[test]
    fn noise_has_the_variance_that_is_stated() {
        fn variance<U: VotingUnit>() -> f64 {
            let votes = NeighbourVotes::<U>::new(100_000, 2, 1.5).unwrap();
            let empty = Voters { classes: Vec::new(), recipients: Vec::new() };
            let counts = released(empty, &votes);
            let count = counts.values().len() as f64;
            let mean = counts.values().iter().map(|&x| f64::from(x)).sum::<f64>() / count;
            assert!(mean.abs() < 0.02, "{mean}");
            let square = counts.values().iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / count;
            square / votes.deviation().powi(2)
        }
        assert!((variance::<Node>() - 1.0).abs() < 0.02);
        assert!((variance::<ReplacedNode>() - 1.0).abs() < 0.02);
        let [absent, replaced] = [
            NeighbourVotes::<Node>::new(1, 2, 1.0).unwrap().deviation(),
            NeighbourVotes::<ReplacedNode>::new(1, 2, 1.0).unwrap().deviation(),
        ];
        assert!((replaced / absent - 2f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(NeighbourVotes::<Node>::new(0, 2, 1.0).is_err());
        assert!(NeighbourVotes::<Node>::new(2, 0, 1.0).is_err());
        assert!(NeighbourVotes::<Node>::new(2, 2, -1.0).is_err());
    }
}
