//! The piecewise mechanism (PM): `piecewise`.
//!
//! # Idea
//! As the square wave, with a window chosen for the variance of an *unbiased* report.
//!
//! # Equation
//! Reports lie in [-s, s], `s = (e^(eps/2) + 1)/(e^(eps/2) - 1)`, with density
//! `p = (e^eps - e^(eps/2)) / (2 e^(eps/2) + 2)` on `[l(x), l(x) + s - 1]`, `l(x) = (s+1)/2 x - (s-1)/2`,
//! and `p e^-eps` elsewhere (LDP-GE eq. 3). Divided by `(s+1)/2` this is a window of half width
//! `e^(-eps/2)` around x: the law of [`super::window_law`]. On k of d columns (eq. 4, 5)
//! `Var = d (t + 3) / (3k (t - 1)²) + (d t / (k (t - 1)) - 1) x²`, `t = e^(eps/2k)`.
//!
//! # Guarantee
//! Unit [`FeatureRow`](crate::unit::FeatureRow), `eps` exactly: [`crate::noise::window`] for a column,
//! [`super::sampled`] for k of them. ∎
//!
//! # Paper
//! Wang, Xiao, Yang, Zhao, Hui, Shin, Shin, Yu, ICDE 2019, Algorithms 2 and 4.
//!
//! # Differs from paper
//! Lattice in place of floats.
//!
//! # Cost
//! Two words per reported column; worst-case variance at eps = 1: 5.224. The paper's
//! `k = max(1, min(d, ⌊eps/2.5⌋))`.
//!
//! # Numerics
//! Exact.

use super::coordinate::{Scheme, between_1_and};
use super::sampled::SampledCoordinates;
use super::window_law::{PrintedFormula, WindowLaw};
use crate::budget::Budget;
use crate::error::Result;
use crate::origin::shipped;

/// The piecewise mechanism on k of d columns.
pub type Piecewise = SampledCoordinates<PiecewiseScheme>;

/// Some columns by PM, at `eps/k` each.
#[derive(Debug)]
pub enum PiecewiseScheme {}

/// The paper's number of columns, `max(1, min(d, ⌊eps/2.5⌋))`.
pub(crate) fn one_per_two_and_a_half(budget: Budget, columns: usize) -> usize {
    between_1_and(columns, (budget.as_f64() / 2.5).floor())
}

shipped!(PiecewiseScheme);

impl Scheme for PiecewiseScheme {
    type Law = WindowLaw;
    const NAME: &'static str = "piecewise";
    const PROOF: &'static str = "privet_privacy::features::piecewise";

    fn law(steps: u32, budget: Budget) -> Result<WindowLaw> {
        let half_width = libm::exp(-budget.as_f64() / 2.0);
        WindowLaw::new(steps, budget, half_width, PrintedFormula::Unbiased)
    }

    fn recommended_k(budget: Budget, columns: usize) -> usize {
        one_per_two_and_a_half(budget, columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::coordinate::CoordinateLaw;
    use crate::features::testing::*;
    use crate::features::{Decoding, EntryMoments};

    #[test]
    fn private_and_tight_on_small_lattices() {
        for epsilon in [0.1, 1.0, 3.0] {
            let law = PiecewiseScheme::law(16, budget(epsilon)).unwrap();
            assert_private_and_tight(&law, 16, epsilon);
            assert_moments_are_those_of_the_weights(&law, 16);
            assert_drawn_levels_fit(&law, 16, 172);
        }
    }

    /// Equation 5, for one column and for k of d.
    #[test]
    fn the_variance_is_the_printed_one() {
        for (epsilon, k, d) in [(1.0f64, 1usize, 1usize), (1.0, 1, 10), (6.0, 2, 10), (0.3, 1, 4)] {
            let mechanism = Piecewise::with_k(epsilon, scale(d), k).unwrap();
            let (t, rate) = ((epsilon / (2.0 * k as f64)).exp(), d as f64 / k as f64);
            for x in [0.0f32, -0.5, 1.0] {
                let printed = rate * (t + 3.0) / (3.0 * (t - 1.0).powi(2))
                    + (rate * t / (t - 1.0) - 1.0) * f64::from(x * x);
                for decoding in [Decoding::Paper, Decoding::Unbiased] {
                    let EntryMoments { mean, variance } = mechanism.moments(0, x, decoding);
                    assert!((mean - f64::from(x)).abs() < 1e-4);
                    assert!((variance / printed - 1.0).abs() < 1e-3, "{variance} {printed}");
                }
            }
        }
        let law = PiecewiseScheme::law(1 << 16, budget(1.0)).unwrap();
        assert!((law.variance(1 << 16) - 5.224).abs() < 1e-3);
    }

    #[test]
    fn a_million_draws_have_the_moments() {
        assert_drawn_fits(&PiecewiseScheme::law(1 << 16, budget(1.0)).unwrap(), 1 << 16, 72);
    }

    #[test]
    fn the_papers_number_of_columns() {
        let k = |epsilon, columns| PiecewiseScheme::recommended_k(budget(epsilon), columns);
        assert_eq!((k(1.0, 9), k(5.0, 9), k(7.6, 9), k(100.0, 9)), (1, 2, 3, 9));
    }
}
