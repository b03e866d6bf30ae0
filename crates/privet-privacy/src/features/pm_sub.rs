//! The sub-optimal piecewise mechanism: `pm-sub`.
//!
//! # Idea
//! PM with a slightly wider window, close to the width that minimises the worst-case variance.
//!
//! # Equation
//! The law of [`super::window_law`] with half width `e^(-eps/3)`.
//!
//! # Guarantee
//! Unit [`FeatureRow`](crate::unit::FeatureRow), `eps` exactly: [`crate::noise::window`] for a column,
//! [`super::sampled`] for k of them. ∎
//!
//! # Paper
//! Zhao, Zhao, Yang, Wang, Wang, Lyu, Niyato, Lam, "Local differential privacy-based federated learning
//! for Internet of Things", 2020.
//!
//! # Differs from paper
//! Lattice in place of floats. The number of columns is PM's rule.
//!
//! # Cost
//! Two words per reported column; worst-case variance at eps = 1: 5.082.
//!
//! # Numerics
//! Exact.

use super::coordinate::Scheme;
use super::piecewise::one_per_two_and_a_half;
use super::sampled::SampledCoordinates;
use super::window_law::{PrintedFormula, WindowLaw};
use crate::budget::Budget;
use crate::error::Result;
use crate::origin::shipped;

/// PM-SUB on k of d columns.
pub type PmSub = SampledCoordinates<PmSubScheme>;

/// Some columns by PM-SUB, at `eps/k` each.
#[derive(Debug)]
pub enum PmSubScheme {}

shipped!(PmSubScheme);

impl Scheme for PmSubScheme {
    type Law = WindowLaw;
    const NAME: &'static str = "pm-sub";
    const PROOF: &'static str = "privet_privacy::features::pm_sub";

    fn law(steps: u32, budget: Budget) -> Result<WindowLaw> {
        let half_width = libm::exp(-budget.as_f64() / 3.0);
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

    #[test]
    fn private_and_tight_on_small_lattices() {
        for epsilon in [0.1, 1.0, 3.0] {
            let law = PmSubScheme::law(16, budget(epsilon)).unwrap();
            assert_private_and_tight(&law, 16, epsilon);
            assert_moments_are_those_of_the_weights(&law, 16);
            assert_drawn_levels_fit(&law, 16, 173);
        }
    }

    #[test]
    fn worst_case_at_epsilon_one() {
        let law = PmSubScheme::law(1 << 16, budget(1.0)).unwrap();
        assert!((law.variance(1 << 16) - 5.082).abs() < 1e-3);
    }

    #[test]
    fn a_million_draws_have_the_moments() {
        assert_drawn_fits(&PmSubScheme::law(1 << 16, budget(1.0)).unwrap(), 1 << 16, 73);
    }
}
