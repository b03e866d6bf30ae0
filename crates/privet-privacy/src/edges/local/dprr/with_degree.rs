//! DPRR that also sends the noisy degree, for the same price.
//!
//! # Idea
//! The length of a report is a biased estimate of the degree: noise below zero is cut off before the
//! list is thinned. But the noisy degree itself is drawn first, and the proof of [`Dprr`] covers it:
//! nothing more is lost if the user sends it along, and `d + DLap` has mean `d`.
//!
//! # Equation
//! The report is `(d*, s)` with `d* = d + DLap(eps1)`, not clipped, and `s` as of [`Dprr`] given `d*`.
//!
//! # Guarantee
//! Unit [`NeighborBit`], `eps1 + eps2`, as [`Dprr`]. *Proof.* That of [`Dprr`] bounds the ratio of the
//! joint probability of `d*`, the kept positions and the answers; `(d*, s)` is a function of these. ∎
//! The estimate `d*` is unbiased with variance `2r / (1 - r)^2`, `r = e^-eps1`, for every degree.
//!
//! # Paper
//! A footnote of section 6.2 remarks that the sampling probability could be sent.
//!
//! # Differs from paper
//! The noisy degree is sent, from which anyone can compute the sampling probability; not the other way
//! around, for the probability is clipped.
//!
//! # Cost
//! That of [`Dprr`], and one number per user.
//!
//! # Numerics
//! Exact.

use privet_graph::{Graph, NodeId};

use super::Dprr;
use crate::edges::local::list::{Agreement, degree, known, others};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::ledger::PairCost;
use crate::mechanism::{Disclose, Local, Mechanism, MechanismParameters, Permit, Status, Theorem};
use crate::noise::{Numerics, RandomWords};
use crate::origin::shipped;
use crate::population::{GraphShape, NeighborList};
use crate::unit::NeighborBit;

/// [`Dprr`] with the noisy degree in the report.
#[derive(Debug, Clone)]
pub struct DprrWithDegree(pub Dprr);

/// What a user sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DegreeReport {
    /// An unbiased estimate of the degree; below zero it is noise, not a mistake.
    pub degree: i64,
    /// The noisy list.
    pub neighbors: Vec<NodeId>,
}

impl DprrWithDegree {
    /// The probability of a report about a list; 0 if no user could send it.
    pub fn probability(&self, list: &NeighborList<'_>, report: &DegreeReport) -> f64 {
        let Some(agreement) = Agreement::of(list, &report.neighbors) else { return 0.0 };
        let Agreement { kept, lost, invented, absent } = agreement;
        let Self(dprr) = self;
        let flip = dprr.response.flip_probability();
        let q = match others(list) {
            0 => 0.0,
            others => dprr.keep_rate(report.degree, others),
        };
        let (one, zero) = ((1.0 - flip) * q, flip * q);
        let power = |base: f64, times: usize| base.powf(times as f64);
        dprr.degree_noise.probability(report.degree - degree(list) as i64)
            * power(one, kept)
            * power(1.0 - one, lost)
            * power(zero, invented)
            * power(1.0 - zero, absent)
    }

    /// The variance of the degree in a report, whatever the true one.
    pub fn degree_variance(&self) -> f64 {
        let ratio = (-self.0.degree.as_f64()).exp();
        2.0 * ratio / (1.0 - ratio).powi(2)
    }
}

shipped!(DprrWithDegree);

impl Mechanism for DprrWithDegree {
    type Unit = NeighborBit;

    fn name(&self) -> &'static str {
        "dprr-with-degree"
    }

    fn event(&self) -> Event {
        self.0.event()
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "a noisy degree, and bits thinned to it, both sent: the budgets add up"
                .into(),
            proof: "privet_privacy::edges::local::dprr::with_degree, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        self.0.parameters()
    }

    fn status(&self) -> Status {
        self.0.status()
    }

    fn assumes_public(&self) -> Vec<String> {
        self.0.assumes_public()
    }
}

impl Local for DprrWithDegree {
    type Population = Graph;
    type Report = DegreeReport;

    fn pair(&self, graph: &GraphShape) -> Option<PairCost> {
        graph.pair(PairCost::told_by_both(self.0.cost().total()))
    }

    fn randomize<W: RandomWords>(
        &self,
        list: NeighborList<'_>,
        noise: &mut W,
        _permit: Permit<'_>,
    ) -> DegreeReport {
        let degree = self.0.noisy_degree(&list, noise);
        // Thinned to the very degree that is sent: a second noisy degree would be a second release.
        let neighbors = match others(&list) {
            0 => Vec::new(),
            _ => self.0.thinned(&list, degree, noise),
        };
        let degree = match fault::on(Fault::SecondNoisyDegree) {
            true => self.0.noisy_degree(&list, noise),
            false => degree,
        };
        DegreeReport { degree, neighbors }
    }
}

impl Disclose for DprrWithDegree {
    fn disclose(&self, list: NeighborList<'_>, _permit: Permit<'_>) -> DegreeReport {
        DegreeReport { degree: degree(&list) as i64, neighbors: known(&list).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;

    /// Every report about three users: (d*, s) costs eps1 + eps2 and no more.
    #[test]
    fn sending_the_degree_costs_nothing_more() {
        let mechanism = DprrWithDegree(Dprr::from_parts(0.1, 0.9).unwrap());
        let lists: [&[NodeId]; 4] = [&[], &[1], &[2], &[1, 2]];
        let list = |neighbors| NeighborList { owner: 0, neighbors, node_count: 3 };
        let mut worst: f64 = 0.0;
        for degree in -30..30 {
            for sent in lists {
                let report = DegreeReport { degree, neighbors: sent.to_vec() };
                let p = lists.map(|truth| mechanism.probability(&list(truth), &report));
                for (a, b) in [(0, 1), (0, 2), (1, 3), (2, 3)] {
                    if p[a].max(p[b]) > 0.0 {
                        worst = worst.max((p[a] / p[b]).ln().abs());
                    }
                }
            }
        }
        assert!((worst - 1.0).abs() < 1e-9, "{worst}");
    }

    /// At degree 0 the length of a list is far off; the degree that is sent is not.
    #[test]
    fn the_degree_that_is_sent_is_unbiased() {
        let mut noise = NoiseRng::replay(64).next_release().into_stream();
        let mechanism = DprrWithDegree(Dprr::from_parts(0.1, 0.9).unwrap());
        let draws = 20_000;
        for neighbors in [&[][..], &[3, 7]] {
            let list = NeighborList { owner: 1, neighbors, node_count: 200 };
            let (mut degrees, mut lengths) = (0, 0);
            for _ in 0..draws {
                let report = mechanism.randomize(list, &mut noise, Permit::new());
                degrees += report.degree;
                lengths += report.neighbors.len();
            }
            let mean = |sum: f64| sum / f64::from(draws);
            let truth = neighbors.len() as f64;
            let error = (mechanism.degree_variance() / f64::from(draws)).sqrt();
            assert!((mean(degrees as f64) - truth).abs() < 5.0 * error, "{degrees}");
            assert!(mean(lengths as f64) > truth + 2.0, "{lengths}");
        }
    }
}
