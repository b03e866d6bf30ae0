//! The three-outputs mechanism: `three-outputs`.
//!
//! # Idea
//! Duchi's mechanism with a third report, "about zero".
//!
//! # Equation
//! Levels -1, 0, 1. With `λ = e^-eps` and a free parameter a:
//! at x = 0: `((1-a)/2, a, (1-a)/2)`; at x = 1: `(λq, aλ, q)`, `q = (1 - aλ)/(1 + λ)`; at x = -1
//! mirrored; elsewhere the mixture of x = 0 and x = ±1 with weight |x|. The level 1 stands for
//! `C = 1 / (q (1 - λ)) = e^eps (e^eps + 1) / ((e^eps - 1)(e^eps - a))`.
//!
//! # Guarantee
//! Unit [`FeatureRow`](crate::unit::FeatureRow), `eps` exactly, for *every* `a` that the constructor
//! lets through, so that a poor optimiser for `a` costs utility only.
//! *Proof*, for the integers that run. Let T be the total and the rows `(v, z, v)` at 0 and `(m, y, p)`
//! at 1, each of sum T. The weight of level 0 is a mixture of z and y, that of level 1 (as x runs from
//! -1 to 1) a mixture of neighbours in the list m, v, p, level -1 mirrored. So it suffices that
//! `y ≤ z ≤ y/λ`, `m ≤ v ≤ p` and `p ≤ m/λ`, where `λ ≥ e^-eps` is the rational of
//! [`Decay`]. The constructor takes `y = ⌈λz⌉`, `m = ⌈(T - y) λ/(1 + λ)⌉`, `p = T - y - m`, so the first
//! and the last hold by rounding up, and `v ≤ p` follows from `m ≤ v` since `m + y + p = 2v + z`
//! and `y ≤ z`. For `m ≤ v` it keeps `z ≤ (T - 4/(1-λ)) / (1 + 2λ)` (in real numbers `a ≤ 1/(1 + 2λ)`):
//! then `v - m ≥ (1-λ)(T - z(1+2λ)) / (2(1+λ)) - 1 ≥ 2/(1+λ) - 1 ≥ 0`, or z = 0, where
//! `m = ⌈T λ/(1+λ)⌉ ≤ T/2 = v`. ∎ k of d columns: [`super::sampled`].
//!
//! # Paper
//! Zhao et al. 2020 (as [`super::pm_sub`]), section IV-A.
//!
//! # Differs from paper
//! The weights are integers. `a` is found by search, not by the root of a cubic. C is the one that
//! belongs to the integers, so the report is unbiased without an error term.
//!
//! # Cost
//! Four words per reported column, whatever the input.
//!
//! # Numerics
//! Exact.

use super::coordinate::{CoordinateLaw, FiniteLaw, Scheme};
use super::piecewise::one_per_two_and_a_half;
use super::sampled::SampledCoordinates;
use crate::budget::Budget;
use crate::error::Result;
use crate::fault::{self, Fault};
use crate::noise::{Decay, RandomWords};
use crate::origin::shipped;

/// The three-outputs mechanism on k of d columns.
pub type ThreeOutputs = SampledCoordinates<ThreeOutputsScheme>;

/// Some columns by three outputs, at `eps/k` each.
#[derive(Debug)]
pub enum ThreeOutputsScheme {}

shipped!(ThreeOutputsScheme, ThreeOutputsLaw);

impl Scheme for ThreeOutputsScheme {
    type Law = ThreeOutputsLaw;
    const NAME: &'static str = "three-outputs";
    const PROOF: &'static str = "privet_privacy::features::three_outputs";

    fn law(steps: u32, budget: Budget) -> Result<ThreeOutputsLaw> {
        let lambda = Decay::of(budget);
        Ok(ThreeOutputsLaw::new(steps, lambda, best_zero_share(lambda.as_f64())))
    }

    fn recommended_k(budget: Budget, columns: usize) -> usize {
        one_per_two_and_a_half(budget, columns)
    }
}

/// The sum of the weights of a row: even, and small enough for products in 128 bits.
const TOTAL: u64 = Decay::UNIT;

/// Levels -1, 0 and 1.
#[derive(Debug, Clone)]
pub struct ThreeOutputsLaw {
    steps: i64,
    /// Weights at x = 0 of level 0 (`z`); those of ±1 are `(T - z)/2`.
    zero_at_0: u64,
    /// Weights at x = 1 of the levels -1, 0 and 1 (`m`, `y`, `p`).
    at_1: [u64; 3],
}

impl ThreeOutputsLaw {
    /// The law with `P(0 | x = 0)` at most `zero_share`.
    fn new(steps: u32, lambda: Decay, zero_share: f64) -> Self {
        let (unit, l) = (u128::from(Decay::UNIT), u128::from(lambda.numerator()));
        // z ≤ (T - 4/(1-λ)) / (1 + 2λ), and even.
        let margin = (4 * unit).div_ceil((unit - l).max(1));
        let bound = u128::from(TOTAL).saturating_sub(margin) * unit / (unit + 2 * l);
        // Rounded down to an even number, so that the rest splits into two equal sides.
        let wanted = (zero_share.clamp(0.0, 1.0) * TOTAL as f64) as u64;
        let zero = wanted.min(bound as u64) & !1;
        let lambda = if fault::on(Fault::EndsAtTwiceEpsilon) { lambda.squared() } else { lambda };
        Self { steps: i64::from(steps), zero_at_0: zero, at_1: row_at_1(zero, lambda) }
    }

    /// `v`.
    fn side_at_0(&self) -> u64 {
        (TOTAL - self.zero_at_0) / 2
    }

    /// `C = T / (p - m)`.
    fn size(&self) -> f64 {
        TOTAL as f64 / (self.at_1[2] - self.at_1[0]) as f64
    }
}

/// `(m, y, p)` for a given z.
fn row_at_1(zero: u64, lambda: Decay) -> [u64; 3] {
    // P(0 | end) = λ P(0 | middle), rounded up: the odds stay within e^eps.
    let y = lambda.shrink(zero);
    let (rest, l) = (u128::from(TOTAL - y), u128::from(lambda.numerator()));
    // The rarer side, rounded up: (T - y - m)/m <= 1/λ.
    let m = (rest * l).div_ceil(u128::from(Decay::UNIT) + l) as u64;
    [m, y, TOTAL - y - m]
}

/// The `a` of least worst-case variance, by a grid that is refined around its best point.
fn best_zero_share(lambda: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0 / (1.0 + 2.0 * lambda));
    // The worst variance is piecewise smooth with one minimum; each pass narrows the grid 16-fold. The law is private
    // for any share, so the search only affects the variance.
    for _ in 0..8 {
        let step = (high - low) / 32.0;
        let points = (0..=32).map(|at| low + step * f64::from(at));
        let best =
            points.min_by(|a, b| worst_variance(*a, lambda).total_cmp(&worst_variance(*b, lambda)));
        let best = best.unwrap_or(low);
        (low, high) = ((best - step).max(low), (best + step).min(high));
    }
    0.5 * (low + high)
}

/// `max over x of C² (1 - a + a (1-λ) x) - x²`.
fn worst_variance(a: f64, lambda: f64) -> f64 {
    let size = (1.0 + lambda) / ((1.0 - lambda) * (1.0 - a * lambda));
    let (square, slope) = (size * size, a * (1.0 - lambda));
    // The variance is a parabola in |x|: its top, or the end of the range.
    let worst = (0.5 * square * slope).min(1.0);
    square * (1.0 - a + slope * worst) - worst * worst
}

impl CoordinateLaw for ThreeOutputsLaw {
    fn draw<W: RandomWords>(&self, input: i64, noise: &mut W) -> i64 {
        let input = input.clamp(-self.steps, self.steps);
        // All coins are tossed for every input; the outcome only selects between them.
        // The law of x is the mixture (1 - |x|) law(0) + |x| law(sign x): mixtures of eps-indistinguishable laws stay
        // so.
        let at_end = (noise.below(self.steps as u64) as i64) < input.abs();
        let side = self.side_at_0();
        let cuts = if at_end {
            (self.at_1[0], self.at_1[0] + self.at_1[1])
        } else {
            (side, side + self.zero_at_0)
        };
        let level = noise.below_in_runs(TOTAL, |place| {
            i64::from(place >= cuts.0) + i64::from(place >= cuts.1) - 1
        });
        if input < 0 { -level } else { level }
    }

    fn value(&self, level: i64) -> f64 {
        level.signum() as f64 * self.size()
    }

    fn largest(&self) -> f64 {
        self.size()
    }

    fn variance(&self, input: i64) -> f64 {
        let place = (input as f64 / self.steps as f64).abs();
        let zero = (1.0 - place) * self.zero_at_0 as f64 + place * self.at_1[1] as f64;
        self.size().powi(2) * (1.0 - zero / TOTAL as f64) - place * place
    }
}

impl FiniteLaw for ThreeOutputsLaw {
    fn weights(&self, input: i64) -> Vec<(i64, u128)> {
        let (end, middle) = (input.unsigned_abs(), self.steps as u64 - input.unsigned_abs());
        let mix = |at_0: u64, at_1: u64| {
            u128::from(middle) * u128::from(at_0) + u128::from(end) * u128::from(at_1)
        };
        let sign = if input < 0 { -1 } else { 1 };
        let side = self.side_at_0();
        vec![
            (-sign, mix(side, self.at_1[0])),
            (0, mix(self.zero_at_0, self.at_1[1])),
            (sign, mix(side, self.at_1[2])),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::testing::*;

    fn law(steps: u32, epsilon: f64) -> ThreeOutputsLaw {
        ThreeOutputsScheme::law(steps, budget(epsilon)).unwrap()
    }

    #[test]
    fn private_and_tight_on_small_lattices() {
        for epsilon in [0.3, 0.7, 1.0, 2.0, 5.0] {
            for steps in [1u32, 8] {
                assert_private_and_tight(&law(steps, epsilon), steps.into(), epsilon);
                assert_moments_are_those_of_the_weights(&law(steps, epsilon), steps.into());
                assert_drawn_levels_fit(&law(steps, epsilon), steps.into(), 176);
            }
        }
    }

    /// Any `a` is safe, also one beyond the largest: it is lowered.
    #[test]
    fn every_share_of_zeros_is_private() {
        for epsilon in [2f64.powi(-40), 1e-6, 0.3, 1.0, 3.0, 40.0] {
            let lambda = Decay::of(budget(epsilon));
            for share in [0.0, 0.1, 0.5, 0.99, 1.0, f64::NAN] {
                let law = ThreeOutputsLaw::new(4, lambda, share);
                let [m, y, p] = law.at_1;
                let (z, v) = (law.zero_at_0, law.side_at_0());
                assert!(y <= z && m <= v && v <= p);
                let at_most = |large: u64, small: u64| {
                    u128::from(large) * u128::from(lambda.numerator())
                        <= u128::from(small) * u128::from(Decay::UNIT)
                };
                assert!(at_most(z, y) && at_most(p, m), "{epsilon} {share}");
                assert!(2 * v + z == TOTAL && m + y + p == TOTAL);
            }
        }
    }

    /// `z` is what was asked for, but at most `(T - 4/(1-λ)) / (1 + 2λ)`, in exact rationals, and even.
    #[test]
    fn the_share_of_zeros_is_the_largest_that_is_proved() {
        use crate::noise::testing::rational;
        use dashu::rational::RBig;
        let named = [1e-6, 0.01, 0.3, 1.0, 3.0, 20.0].map(|epsilon| Decay::of(budget(epsilon)));
        let evenly = (1..97).map(|part| Decay::from_numerator(Decay::UNIT / 97 * part));
        for lambda in named.into_iter().chain(evenly) {
            let exact = rational(lambda.numerator().into(), u128::from(Decay::UNIT));
            let margin = RBig::from(4u8) / (RBig::ONE - exact.clone());
            let bound = (RBig::from(TOTAL) - margin) / (RBig::ONE + RBig::from(2u8) * exact);
            let largest = ThreeOutputsLaw::new(4, lambda, 1.0).zero_at_0;
            assert!(largest.is_multiple_of(2) && RBig::from(largest) <= bound, "{lambda:?}");
            assert!(RBig::from(largest + 4) > bound, "{lambda:?}: {largest}");
            for share in [0.0, 0.05, 0.2] {
                let found = ThreeOutputsLaw::new(4, lambda, share).zero_at_0;
                assert!((found as f64 / TOTAL as f64 - share).abs() < 1e-15, "{lambda:?} {share}");
            }
        }
    }

    /// a = 0 below log 2, and e^eps/(e^eps + 2) beyond log((3 + √65)/2).
    #[test]
    fn the_search_finds_the_published_ends() {
        let share = |epsilon: f64| best_zero_share((-epsilon).exp());
        assert!(share(0.5) < 1e-6 && share(0.69) < 1e-3);
        assert!(share(0.8) > 0.01);
        let end = ((3.0 + 65f64.sqrt()) / 2.0).ln();
        for epsilon in [end + 0.01, 3.0, 6.0] {
            let expected = epsilon.exp() / (epsilon.exp() + 2.0);
            assert!((share(epsilon) - expected).abs() < 1e-6, "{epsilon}");
        }
        assert!(share(end - 0.2) < (end - 0.2).exp() / ((end - 0.2).exp() + 2.0) - 1e-3);
    }

    /// By hand at λ = a = 1/2, where `C` is 4: 16 (1/2 + x/4) - x² rises up to x = 1.
    #[test]
    fn the_worst_input_is_within_the_range() {
        assert!((worst_variance(0.5, 0.5) - 11.0).abs() < 1e-12);
        // In general the largest over a grid.
        for (a, lambda) in [(0.1, 0.3), (0.3, 0.5), (0.5, 0.2), (0.05, 0.9), (0.6, 0.1)] {
            let size: f64 = (1.0 + lambda) / ((1.0 - lambda) * (1.0 - a * lambda));
            let variance = |at: i32| {
                let x = f64::from(at) / 1000.0;
                size.powi(2) * (1.0 - a + a * (1.0 - lambda) * x) - x * x
            };
            let grid = (0..=1000).map(variance).fold(0.0, f64::max);
            assert!((worst_variance(a, lambda) - grid).abs() < 1e-5, "{a} {lambda}");
        }
    }

    /// The first and the last place of every level, at the middle and at both ends.
    #[test]
    fn each_level_has_its_places() {
        use crate::noise::testing::StrictWords;
        let law = law(1, 1.5);
        let drawn = |input: i64, place: u64| {
            // One word for the end, and 128 digits of which the first 62 are the place.
            law.draw(input, &mut StrictWords::new([0, place << 2, 0]))
        };
        let [m, y, _] = law.at_1;
        let (side, zero) = (law.side_at_0(), law.zero_at_0);
        for (input, cuts) in [(0, (side, side + zero)), (1, (m, m + y))] {
            let places = [0, cuts.0 - 1, cuts.0, cuts.1 - 1, cuts.1, TOTAL - 1];
            let levels = [-1, -1, 0, 0, 1, 1];
            assert_eq!(places.map(|place| drawn(input, place)), levels, "{input}");
            if input == 1 {
                assert_eq!(places.map(|place| drawn(-1, place)), levels.map(|level| -level));
            }
        }
    }

    #[test]
    fn a_million_draws_have_the_moments() {
        assert_drawn_fits(&law(1 << 16, 1.0), 1 << 16, 76);
        assert_drawn_fits(&law(1 << 16, 3.0), 1 << 16, 77);
    }
}
