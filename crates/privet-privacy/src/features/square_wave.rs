//! The square wave mechanism, on every column: `square-wave`.
//!
//! # Idea
//! Report a value within `b` of the truth with high density, any other with low density. What is
//! reported is *not* unbiased; it is concentrated.
//!
//! # Equation
//! Density `p = e^eps / (2b e^eps + 2)` on `[x - b, x + b]` and `p e^-eps` on the rest of
//! `[-1-b, 1+b]` (LDP-GE eq. 9), with `b = (eps e^eps - e^eps + 1) / (e^eps (e^eps - eps - 1))`.
//! Then `E[report] = κ x` with `κ = 1 - (1 - e^-eps)/eps`, and `b = eps κ / (e^eps - 1 - eps)`.
//!
//! # Guarantee
//! Unit [`FeatureRow`](crate::unit::FeatureRow). The law of a column is `e`-LDP exactly, by the proof
//! in [`crate::noise::window`]; `d` columns at `e = eps/d` each are `eps`-LDP, by the proof in
//! [`super::sampled`]. ∎
//!
//! # Paper
//! Li, Wang, Lopuhaä-Zwakenberg, Škorić, Li, SIGMOD 2020; extended to [-1, 1] by Li et al., "Privacy-
//! preserving graph embedding based on local differential privacy" (LDP-GE), Algorithm 1.
//!
//! # Differs from paper
//! A lattice in place of floats: in floating point the printed sampler is not private for any epsilon
//! (at epsilon 1, 30 % of the outputs in the common window of x = 0.3 and 0.31 exclude one of them).
//!
//! # Cost
//! Two words per column. Variance of the unbiased value at eps = 1: 3.798 at x = 0, 5.516 at |x| = 1.
//!
//! # Numerics
//! Exact. `b` comes from floats, but from public numbers only. The printed formula for it loses all
//! digits below eps = 1e-6; see [`half_width`].

use super::coordinate::Scheme;
use super::sampled::SampledCoordinates;
use super::window_law::{PrintedFormula, WindowLaw};
use crate::budget::Budget;
use crate::error::Result;
use crate::fault::{self, Fault};
use crate::origin::shipped;

/// The square wave on all columns.
pub type SquareWave = SampledCoordinates<SquareWaveScheme>;

/// All columns by the square wave, each at `eps/d`.
#[derive(Debug)]
pub enum SquareWaveScheme {}

shipped!(SquareWaveScheme);

impl Scheme for SquareWaveScheme {
    type Law = WindowLaw;
    const NAME: &'static str = "square-wave";
    const PROOF: &'static str = "privet_privacy::features::square_wave";

    fn law(steps: u32, budget: Budget) -> Result<WindowLaw> {
        WindowLaw::new(steps, budget, half_width(budget.as_f64()), PrintedFormula::Raw)
    }

    fn recommended_k(_budget: Budget, columns: usize) -> usize {
        columns
    }
}

/// Below this the closed forms of κ and `e^eps - 1 - eps` cancel; the series do not.
const SERIES_BELOW: f64 = 1.0;
/// Terms of the series: 1/20! is below the last bit.
const TERMS: u32 = 20;

/// κ = 1 - (1 - e^-eps)/eps: what the mean of a report is multiplied by.
pub fn shrinkage(epsilon: f64) -> f64 {
    if epsilon < SERIES_BELOW {
        // κ = eps/2! - eps²/3! + eps³/4! - ...
        series(-epsilon, 2) * epsilon
    } else {
        1.0 + libm::expm1(-epsilon) / epsilon
    }
}

/// b = eps κ / (e^eps - 1 - eps): the half width of the window, from 1 (eps → 0) to 0.
pub fn half_width(epsilon: f64) -> f64 {
    if fault::on(Fault::WidthAsPrinted) {
        let e = epsilon.exp();
        return (epsilon * e - e + 1.0) / (e * (e - epsilon - 1.0));
    }
    if epsilon < SERIES_BELOW {
        // e^eps - 1 - eps = eps² (1/2! + eps/3! + ...), and κ = eps (1/2! - eps/3! + ...).
        series(-epsilon, 2) / series(epsilon, 2)
    } else {
        // b = (eps e^eps - e^eps + 1) / (e^eps (e^eps - 1 - eps)) divided through by e^eps; the factor 2 of the paper
        // is the width of the range -1..1.
        epsilon * shrinkage(epsilon) / (libm::exp(epsilon) - 1.0 - epsilon)
    }
}

/// `1/m! + x/(m+1)! + x²/(m+2)! + ...`, smallest terms first.
fn series(x: f64, m: u32) -> f64 {
    let factorial: f64 = (2..=m).map(f64::from).product();
    (0..TERMS).rev().fold(1.0, |sum, term| 1.0 + sum * x / f64::from(m + 1 + term)) / factorial
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::coordinate::{CoordinateLaw, FiniteLaw};
    use crate::features::testing::*;

    /// The table of the moments: eps, b, κ, A, unbiased variance at 0 and at 1.
    const TABLE: [(f64, f64, f64, f64, f64, f64); 4] = [
        (0.1, 0.935504675416, 0.048374180360, 1.202431875, 513.846309, 533.518494),
        (1.0, 0.512165875003, 0.367879441171, 0.513978534, 3.797816, 5.516098),
        (2.0, 0.258674133492, 0.567667641618, 0.240970354, 0.747783, 1.509377),
        (5.0, 0.028134604781, 0.801347589400, 0.070207327, 0.109330, 0.357228),
    ];

    #[test]
    fn width_shrinkage_and_variance_are_those_of_the_table() {
        for (epsilon, b, kappa, second, at_zero, at_one) in TABLE {
            assert!((half_width(epsilon) - b).abs() < 1e-12);
            assert!((shrinkage(epsilon) - kappa).abs() < 1e-12);
            let n = 1 << 20;
            let law = SquareWaveScheme::law(n, budget(epsilon)).unwrap();
            assert!((law.shrinkage() / kappa - 1.0).abs() < 1e-4);
            let raw = law.variance(0) * law.shrinkage().powi(2);
            assert!((raw / second - 1.0).abs() < 1e-4, "A at {epsilon}: {raw}");
            assert!((law.variance(0) / at_zero - 1.0).abs() < 1e-4);
            assert!((law.variance(i64::from(n)) / at_one - 1.0).abs() < 1e-4);
        }
    }

    /// b = 1 - 2eps/3 + 2eps²/9 - 7eps³/135 + ..., κ = eps/2 - eps²/6 + ...: all digits at any eps.
    #[test]
    fn tiny_budgets_keep_all_digits() {
        for epsilon in [1e-12, 1e-8, 1e-6, 1e-4] {
            let b = 1.0 - 2.0 / 3.0 * epsilon + 2.0 / 9.0 * epsilon * epsilon;
            assert!((half_width(epsilon) - b).abs() < 1e-12, "{epsilon}");
            let kappa = epsilon / 2.0 - epsilon * epsilon / 6.0;
            assert!((shrinkage(epsilon) / kappa - 1.0).abs() < 1e-8);
        }
        // Both branches agree where they meet.
        let (below, above) = (1.0f64.next_down(), 1.0);
        assert!((half_width(below) - half_width(above)).abs() < 1e-15);
        assert!((shrinkage(below) - shrinkage(above)).abs() < 1e-15);
        assert_eq!(half_width(8192.0), 0.0);
    }

    #[test]
    fn private_and_tight_on_small_lattices() {
        for epsilon in [0.1, 1.0, 3.0] {
            let law = SquareWaveScheme::law(16, budget(epsilon)).unwrap();
            assert_private_and_tight(&law, 16, epsilon);
            assert_moments_are_those_of_the_weights(&law, 16);
            assert_drawn_levels_fit(&law, 16, 171);
        }
    }

    #[test]
    fn a_million_draws_have_the_moments() {
        let law = SquareWaveScheme::law(1 << 16, budget(1.0)).unwrap();
        assert_drawn_fits(&law, 1 << 16, 71);
    }

    /// The worst-case variances that the mechanisms are compared by.
    #[test]
    fn worst_case_at_epsilon_one() {
        let law = SquareWaveScheme::law(1 << 16, budget(1.0)).unwrap();
        assert!((law.variance(1 << 16) - 5.516).abs() < 1e-3);
        assert!(law.expected_error(0, 1 << 16) > 1.0);
    }
}
