//! How many neighbours a user has, with noise, and nothing about who they are.
//!
//! # Idea
//! Bits of a list say little about a graph until single edges can be believed. Until then all of epsilon is better
//! spent on the degree.
//!
//! # Equation
//! The report is `d + DLap(eps)`, not clipped.
//!
//! # Guarantee
//! Unit [`NeighborBit`], `eps`, tight. *Proof.* One bit of the list moves `d` by 1, and a shift of [`DiscreteLaplace`] by 1
//! changes a probability by a factor of at most `e^eps`. ∎
//! The estimate is unbiased with variance `2r / (1 - r)^2`, `r = e^-eps`.
//!
//! # Paper
//! The first step of DPRR (Hidano and Murakami, algorithm 1) with the whole budget.
//!
//! # Differs from paper
//! No list is sent. The noise is discrete.
//!
//! # Cost
//! One number per user.
//!
//! # Numerics
//! Exact.

use privet_graph::{Graph, NodeId};
use serde_json::json;

use super::dprr::DegreeReport;
use super::list::{degree, known};
use crate::budget::Budget;
use crate::edges::merge::ListCost;
use crate::error::Result;
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::ledger::PairCost;
use crate::loss::Epsilon;
use crate::mechanism::{Disclose, Local, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{DiscreteLaplace, Numerics, RandomWords};
use crate::origin::shipped;
use crate::population::{GraphShape, NeighborList};
use crate::unit::NeighborBit;

/// The number of neighbours, with noise. Users who publish send their list beside it.
///
/// ```
/// use privet_privacy::edges::local::NoisyDegree;
/// let degree = NoisyDegree::new(1.0)?;
/// assert!((degree.variance() - 1.841).abs() < 1e-3);
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NoisyDegree {
    budget: Budget,
    noise: DiscreteLaplace,
}

impl NoisyDegree {
    /// The mechanism that costs `epsilon`.
    ///
    /// # Errors
    /// If epsilon is out of range.
    pub fn new(epsilon: f64) -> Result<Self> {
        let budget = Budget::from_epsilon(epsilon)?;
        Ok(Self { budget, noise: DiscreteLaplace::new(budget, 1)? })
    }

    /// What a report tells: no bits.
    pub fn cost(&self) -> ListCost {
        ListCost { degree: self.budget.into(), bits: Epsilon::ZERO }
    }

    /// The variance of a report, whatever the true degree.
    pub fn variance(&self) -> f64 {
        self.noise.variance()
    }
}

shipped!(NoisyDegree);

impl Mechanism for NoisyDegree {
    type Unit = NeighborBit;

    fn name(&self) -> &'static str {
        "noisy-degree"
    }

    fn event(&self) -> Event {
        Event::Pure { epsilon: self.budget.into() }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "one bit moves the degree by 1, and its noise is discrete Laplace".into(),
            proof: "privet_privacy::edges::local::noisy_degree, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::from([("epsilon".into(), json!(self.budget.as_f64()))])
    }

    fn assumes_public(&self) -> Vec<String> {
        vec!["the number of nodes and their ids".into()]
    }
}

impl Local for NoisyDegree {
    type Population = Graph;
    type Report = DegreeReport;

    fn pair(&self, graph: &GraphShape) -> Option<PairCost> {
        graph.pair(PairCost::told_by_both(self.budget.into()))
    }

    fn randomize<W: RandomWords>(
        &self,
        list: NeighborList<'_>,
        noise: &mut W,
        _permit: Permit<'_>,
    ) -> DegreeReport {
        // One bit of a list changes its degree by 1: sensitivity 1. Below 0 is left as it is; a clip is up to the
        // reader.
        let noisy = (degree(&list) as i64).saturating_add(self.noise.draw(noise));
        let neighbors = match fault::on(Fault::ListBesideDegree) {
            true => known(&list).collect::<Vec<NodeId>>(),
            false => Vec::new(),
        };
        DegreeReport { degree: noisy, neighbors }
    }
}

impl Disclose for NoisyDegree {
    fn disclose(&self, list: NeighborList<'_>, _permit: Permit<'_>) -> DegreeReport {
        DegreeReport { degree: degree(&list) as i64, neighbors: known(&list).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;

    #[test]
    fn the_degree_is_unbiased_and_no_neighbour_is_named() {
        let mut noise = NoiseRng::replay(64).next_release().into_stream();
        let mechanism = NoisyDegree::new(0.5).unwrap();
        let draws = 20_000;
        for neighbors in [&[][..], &[1, 3, 7]] {
            // A self-loop is no neighbour.
            let list = NeighborList { owner: 1, neighbors, node_count: 200 };
            let truth = neighbors.iter().filter(|&&node| node != 1).count() as f64;
            let mut sum = 0;
            for _ in 0..draws {
                let report = mechanism.randomize(list, &mut noise, Permit::new());
                assert!(report.neighbors.is_empty());
                sum += report.degree;
            }
            let error = (mechanism.variance() / f64::from(draws)).sqrt();
            assert!((sum as f64 / f64::from(draws) - truth).abs() < 5.0 * error, "{sum}");
        }
    }
}
