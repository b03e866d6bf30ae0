//! FeatureRR: graded randomised response over bins, with a budget of its own for every column:
//! `feature-rr`.
//!
//! # Idea
//! Cut the range of a column into k bins; report a bin, nearer ones more often. Columns that matter
//! get a larger share of the budget ([`Theta`]).
//!
//! # Equation
//! `t = min(k, max(1, ⌈k z⌉))` for `z` on [0, 1], `P(u | t) = e^(-|u - t| / (k σ_i)) / C_t` with
//! `σ_i = (k-1)/(k eps_i)` and `eps_i = θ_i eps` (HeteroRR eq. 8, 9, 16): that is
//! `e^(-|u-t| eps_i / (k-1))`. A report u stands for `u/k`.
//!
//! # Guarantee
//! Unit [`FeatureRow`], `eps` exactly.
//! *Proof.* Column i is `eps_i`-LDP, tight, by the proof in [`crate::noise::graded`]. The shares are the
//! same for all users and come from public knowledge, so composition applies: `Σ eps_i ≤ eps`, in
//! integers. A column whose share rounds down to nothing reports level 0, "nothing", whatever the
//! record. ∎
//! Adjacent bins are *not* protected better than by eps: there is no graded guarantee.
//! With shares computed from the record itself the claim is false. With `C(e) = Σ_{j<k} e^(-e j/(k-1))` and d columns the
//! true cost is up to `eps + log C(eps) + (d-1) log k - d log C(eps/d)`, between eps and 1.5 eps, and unbounded once the
//! shares are sent along.
//!
//! # Paper
//! HeteroRR, section III-A, Theorem 3, Algorithm 1.
//!
//! # Differs from paper
//! Bounds are declared (a range taken from all records would cost up to n times as much), θ is
//! public, and the binning is the formula above: the printed loop sends every value to bin k. An
//! unbiased decoder is offered (`bins.rs`).
//!
//! # Cost
//! Two words and a binary search per column; reports are dense.
//!
//! # Numerics
//! Exact.

use std::collections::BTreeMap;

use serde_json::json;

use super::FeatureReport;
use super::decode::{DecodeRows, Decoding};
use super::sampled::disclosed;
use super::scaling::Scale;
use super::theta::Theta;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::Epsilon;
use crate::mechanism::{Disclose, Local, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{GradedResponse, Numerics, RandomWords};
use crate::origin::shipped;
use crate::population::{FeatureRecord, TableShape};
use crate::public::{Public, PublicOrigin};
use crate::unit::FeatureRow;

/// Graded randomised response on all columns.
#[derive(Debug, Clone)]
pub struct FeatureRr {
    budget: Budget,
    bins: u32,
    scale: Scale,
    origin: PublicOrigin,
    /// One law per distinct budget.
    laws: Vec<BinLaw>,
    /// Which law a column has; `None` if its share is nothing.
    of_column: Vec<Option<u32>>,
}

impl FeatureRr {
    /// The mechanism that costs `epsilon` for a whole row, with `bins` per column.
    ///
    /// # Errors
    /// If epsilon is out of range, there is not one share per column, or bins are not 2 to 4096.
    pub fn new(epsilon: f64, bins: u32, theta: &Public<Theta>, scale: Scale) -> Result<Self> {
        let budget = Budget::from_epsilon(epsilon)?;
        let count = theta.get().shares().len();
        if count != scale.columns() {
            return Err(Error::range("number of budget shares", count, "one per column"));
        }
        let (mut laws, mut places, mut of_column) = (Vec::new(), BTreeMap::new(), Vec::new());
        for share in theta.get().budgets(budget) {
            let Some(share) = share else {
                of_column.push(None);
                continue;
            };
            let share = if fault::on(Fault::SharesIgnored) { budget } else { share };
            // Columns with the same share use one law: thousands of columns have a handful of shares.
            let place = match places.get(&share) {
                Some(&place) => place,
                None => {
                    laws.push(BinLaw::new(bins, share)?);
                    places.insert(share, laws.len() as u32 - 1);
                    laws.len() as u32 - 1
                }
            };
            of_column.push(Some(place));
        }
        Ok(Self { budget, bins, scale, origin: theta.origin(), laws, of_column })
    }

    /// The law of a column; `None` if it reports nothing.
    pub fn law(&self, column: u32) -> Option<&GradedResponse> {
        self.bin_law(column).map(|law| &law.graded)
    }

    /// `E|z - z~|` of a column on [0, 1] for a value in bin `t` (from 1): the expected error bound of
    /// the paper's supplement, for bin values `t/k`.
    pub fn expected_error(&self, column: u32, bin: u32) -> Option<f64> {
        let (law, bin) = (self.law(column)?, bin.clamp(1, self.bins) - 1);
        // E|reported bin - bin|, as a share of the range.
        let error = |u: u32| law.probability(bin, u) * f64::from(u.abs_diff(bin));
        Some((0..self.bins).map(error).sum::<f64>() / f64::from(self.bins))
    }

    fn bin_law(&self, column: u32) -> Option<&BinLaw> {
        let place = (*self.of_column.get(column as usize)?)?;
        self.laws.get(place as usize)
    }
}

shipped!(FeatureRr);

impl Mechanism for FeatureRr {
    type Unit = FeatureRow;

    fn name(&self) -> &'static str {
        "feature-rr"
    }

    fn event(&self) -> Event {
        Event::Pure { epsilon: Epsilon::from(self.budget) }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement:
                "each column is reported by graded response at its public share of epsilon; \
                        the shares sum to at most epsilon"
                    .into(),
            proof:
                "privet_privacy::features::feature_rr, Guarantee; privet_privacy::noise::graded, \
                    Guarantee"
                    .into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::from([
            ("epsilon".into(), json!(self.budget.as_f64())),
            ("bins".into(), json!(self.bins)),
            ("columns".into(), json!(self.scale.columns())),
            ("shares-from".into(), json!(self.origin)),
        ])
    }

    fn assumes_public(&self) -> Vec<String> {
        let shares = "the share of the budget of every column".to_owned();
        vec!["the number of feature columns".into(), self.scale.assumption(), shares]
    }
}

impl Local for FeatureRr {
    type Population = privet_graph::Features;
    type Report = FeatureReport;

    fn check(&self, shape: &TableShape) -> Result<()> {
        self.scale.check(shape)
    }

    fn randomize<W: RandomWords>(
        &self,
        record: FeatureRecord<'_>,
        noise: &mut W,
        _permit: Permit<'_>,
    ) -> FeatureReport {
        let mut row = record.walk();
        let level = |column| match self.law(column) {
            None => 0,
            Some(law) => {
                let bin = bin_of(&self.scale, self.bins, column, row.value(column));
                i64::from(law.draw(bin, noise)) + 1
            }
        };
        FeatureReport::All((0..self.scale.columns() as u32).map(level).collect())
    }
}

impl Disclose for FeatureRr {
    fn disclose(&self, record: FeatureRecord<'_>, _permit: Permit<'_>) -> FeatureReport {
        disclosed(&self.scale, &record)
    }
}

impl DecodeRows for FeatureRr {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    /// On [0, 1] `u/k` as printed, or an unbiased value of the bin's middle; a column that reported
    /// nothing is in the middle of its range.
    fn value(&self, column: u32, level: i64, decoding: Decoding) -> f64 {
        let bin = level.clamp(0, i64::from(self.bins)) as usize;
        let law = self.bin_law(column).filter(|_| bin > 0);
        let middle = 0.5;
        match decoding {
            Decoding::Paper => law.map_or(middle, |_| bin as f64 / f64::from(self.bins)),
            Decoding::Unbiased => {
                let place = law.map_or(middle, |law| law.unbiased[bin - 1]);
                self.scale.original(column, 2.0 * place - 1.0)
            }
        }
    }

    fn disclosed(&self, column: u32, value: f32, decoding: Decoding) -> f64 {
        match decoding {
            Decoding::Paper => 0.5 * (self.scale.normalized(column, value) + 1.0),
            Decoding::Unbiased => f64::from(value),
        }
    }
}

/// The law of a column, and the unbiased value of each bin on [0, 1].
///
/// # Unbiased values
/// Wanted are numbers `g(u)` whose mean over the reports of bin t is the middle of t:
/// `Σ_u g(u) λ^|u-t| / C_t = (t - 1/2)/k`. The weights form a Kac-Murdock-Szegő matrix `W = (λ^|u-t|)`,
/// whose inverse is tridiagonal, so `g = W⁻¹ h` with `h(t) = C_t (t - 1/2)/k` takes O(k): row u of the
/// inverse is `(-λ, 1 + λ², -λ) / (1 - λ²)`, with 1 in place of `1 + λ²` in the first and the last row.
#[derive(Debug, Clone)]
pub(crate) struct BinLaw {
    pub(crate) graded: GradedResponse,
    pub(crate) unbiased: Vec<f64>,
}

impl BinLaw {
    pub(crate) fn new(bins: u32, budget: Budget) -> Result<Self> {
        let graded = GradedResponse::new(bins, budget)?;
        let unbiased = unbiased_values(&graded);
        Ok(Self { graded, unbiased })
    }
}

/// `min(k, max(1, ⌈k z⌉))`, counted from 0, for a value of a column.
pub(crate) fn bin_of(scale: &Scale, bins: u32, column: u32, value: f32) -> u32 {
    let place = 0.5 * (scale.normalized(column, value) + 1.0);
    // Bin t holds ((t-1)/k, t/k]. The paper's loop, read literally, pushes every value on to the last bin.
    ((place * f64::from(bins)).ceil() as u32).clamp(1, bins) - 1
}

/// `g`, see the head of this file. Bins are counted from 0 here, so the middle of t is `(t + 1/2)/k`.
fn unbiased_values(law: &GradedResponse) -> Vec<f64> {
    let bins = law.bins();
    let (own, next) = (law.weight(0, 0) as f64, law.weight(0, 1) as f64);
    let lambda = next / own;
    let scale = (own - next) / own * (1.0 + lambda); // 1 - λ², without cancellation
    let h = |t: u32| law.total(t) as f64 / own * (f64::from(t) + 0.5) / f64::from(bins);
    let value = |u: u32| {
        let neighbours = u32::from(u > 0) + u32::from(u + 1 < bins);
        // The diagonal of the inverse matrix: 1 + λ² inside, 1 in the first and the last row.
        let middle = 1.0 + f64::from(neighbours.saturating_sub(1)) * lambda * lambda;
        let below = if u > 0 { h(u - 1) } else { 0.0 };
        let above = if u + 1 < bins { h(u + 1) } else { 0.0 };
        // Row u of W⁻¹ times h: three terms, as the inverse is tridiagonal.
        (middle * h(u) - lambda * (below + above)) / scale
    };
    (0..bins).map(value).collect()
}

#[cfg(test)]
mod tests {
    use privet_graph::{Bounds, BoundsOrigin};

    use super::*;
    use crate::features::testing::{budget, scale};

    fn mechanism(epsilon: f64, bins: u32, shares: &[f64]) -> FeatureRr {
        let theta = Public::declared(Theta::new(shares.to_vec()).unwrap());
        FeatureRr::new(epsilon, bins, &theta, scale(shares.len())).unwrap()
    }

    /// d = 2, k = 3, θ = (0.3, 0.7): the largest log ratio over all pairs of vectors is epsilon.
    #[test]
    fn the_vector_costs_epsilon() {
        for epsilon in [0.5, 1.0, 4.0] {
            let found = mechanism(epsilon, 3, &[0.3, 0.7]);
            let loss: f64 = (0..2)
                .map(|column| {
                    let law = found.law(column).unwrap();
                    let triples = (0..27u32).map(|i| (i / 9, i / 3 % 3, i % 3));
                    triples
                        .map(|(u, t, s)| (law.probability(t, u) / law.probability(s, u)).ln())
                        .fold(0.0, f64::max)
                })
                .sum();
            assert!(loss <= epsilon + 1e-12 && (loss - epsilon).abs() < 1e-9, "{loss}");
        }
    }

    #[test]
    fn a_column_without_a_share_reports_nothing() {
        let found = mechanism(1.0, 4, &[0.0, 1.0]);
        assert!(found.law(0).is_none() && found.law(1).is_some());
        assert_eq!(found.value(0, 0, Decoding::Paper), 0.5);
        assert_eq!(found.value(0, 0, Decoding::Unbiased), 0.0);
        assert_eq!(found.expected_error(0, 1), None);
    }

    /// A uniform guess is off by (k² - 1)/(3k²) on average over t; epsilon only lowers that.
    #[test]
    fn the_expected_error_falls_with_epsilon() {
        let average = |epsilon| {
            let found = mechanism(epsilon, 10, &[1.0]);
            (1..=10).map(|t| found.expected_error(0, t).unwrap()).sum::<f64>() / 10.0
        };
        assert!((average(1e-9) - 0.33).abs() < 1e-6);
        assert!(average(1.0) < average(0.5) && average(9.0) < average(3.0));
        assert!(average(400.0) < 1e-9);
    }

    /// Bins count from 1, and the law is the same from either end.
    #[test]
    fn the_expected_error_is_symmetric_in_the_bins() {
        let found = mechanism(1.5, 5, &[1.0]);
        let errors: Vec<f64> = (1..=5).map(|t| found.expected_error(0, t).unwrap()).collect();
        // What lies beyond either end is in the bin at that end.
        let beyond = [0, 6].map(|t| found.expected_error(0, t).unwrap());
        assert_eq!(beyond, [errors[0], errors[4]]);
        for t in 0..5 {
            assert!((errors[t] - errors[4 - t]).abs() < 1e-12, "{errors:?}");
        }
        assert!(errors[0] > errors[1] && errors[1] > errors[2]);
        assert_eq!(found.expected_error(0, 9), found.expected_error(0, 5));
    }

    #[test]
    fn bad_parameters_are_refused() {
        let theta = Public::declared(Theta::uniform(2).unwrap());
        assert!(FeatureRr::new(1.0, 4, &theta, scale(3)).is_err());
        assert!(FeatureRr::new(1.0, 1, &theta, scale(2)).is_err());
        assert!(FeatureRr::new(0.0, 4, &theta, scale(2)).is_err());
    }

    #[test]
    fn the_unbiased_value_has_the_middle_of_the_bin_as_its_mean() {
        for (bins, epsilon) in [(2u32, 0.1), (3, 1.0), (10, 1.0), (32, 0.01), (10, 9.0)] {
            let law = BinLaw::new(bins, budget(epsilon)).unwrap();
            let largest = law.unbiased.iter().copied().fold(0.0, |a: f64, b| a.max(b.abs()));
            for t in 0..bins {
                let term = |u: u32| law.graded.probability(t, u) * law.unbiased[u as usize];
                let mean: f64 = (0..bins).map(term).sum();
                let middle = (f64::from(t) + 0.5) / f64::from(bins);
                assert!((mean - middle).abs() < 1e-11 * (1.0 + largest), "{mean} not {middle}");
            }
        }
    }

    /// The printed loop would send everything to the last bin.
    #[test]
    fn bins_are_half_open() {
        let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared).unwrap();
        let scale = Scale::new(1, Some(&bounds)).unwrap();
        let bin = |z| bin_of(&scale, 4, 0, z);
        let values = [-5.0, 0.0, 0.1, 0.25, 0.26, 0.5, 0.75, 0.76, 1.0, 9.0];
        assert_eq!(values.map(bin), [0, 0, 0, 0, 1, 1, 2, 3, 3, 3]);
    }
}
