//! The hybrid mechanism: `hybrid`.
//!
//! # Idea
//! Toss a coin that does not look at the data: PM, or Duchi's mechanism. Mixing evens out where each
//! of them is bad.
//!
//! # Equation
//! PM with probability `1 - e^(-eps/2)` if `eps > 0.61`, otherwise always Duchi; the report is the
//! unbiased value of whichever was used.
//!
//! # Guarantee
//! Unit [`FeatureRow`](crate::unit::FeatureRow), `eps` exactly.
//! *Proof.* The level tells which branch was taken; its probability is that of the branch (the same for
//! all inputs) times that of the level within it, which changes by at most `e^eps`
//! ([`super::piecewise`], [`super::duchi`]). ∎ k of d columns: [`super::sampled`].
//!
//! # Paper
//! Wang et al., ICDE 2019, section III-C.
//!
//! # Differs from paper
//! Lattice in place of floats; the coin is a ratio of integers near the printed probability, which
//! matters for the variance only.
//!
//! # Cost
//! Three words per reported column.
//!
//! # Numerics
//! Exact.

use super::coordinate::{CoordinateLaw, FiniteLaw, Scheme};
use super::duchi::TwoPointLaw;
use super::piecewise::{PiecewiseScheme, one_per_two_and_a_half};
use super::sampled::SampledCoordinates;
use super::window_law::WindowLaw;
use crate::budget::Budget;
use crate::error::Result;
use crate::fault::{self, Fault};
use crate::noise::{Bernoulli, RandomWords};
use crate::origin::shipped;

/// The hybrid mechanism on k of d columns.
pub type Hybrid = SampledCoordinates<HybridScheme>;

/// Some columns by PM or Duchi, at `eps/k` each.
#[derive(Debug)]
pub enum HybridScheme {}

/// Up to here Duchi alone has the smaller worst-case variance.
const DUCHI_ALONE: f64 = 0.61;
/// How finely the coin is set: the factor of one PM weight.
const FINENESS: u128 = 1 << 20;

shipped!(HybridScheme, HybridLaw);

impl Scheme for HybridScheme {
    type Law = HybridLaw;
    const NAME: &'static str = "hybrid";
    const PROOF: &'static str = "privet_privacy::features::hybrid";

    fn law(steps: u32, budget: Budget) -> Result<HybridLaw> {
        HybridLaw::new(steps, budget)
    }

    fn recommended_k(budget: Budget, columns: usize) -> usize {
        one_per_two_and_a_half(budget, columns)
    }
}

/// PM's levels, and beyond them one on either side for Duchi's.
#[derive(Debug, Clone)]
pub struct HybridLaw {
    piecewise: WindowLaw,
    duchi: TwoPointLaw,
    /// Integer factors of the weights of the two branches.
    factors: (u128, u128),
    coin: Bernoulli,
}

impl HybridLaw {
    fn new(steps: u32, budget: Budget) -> Result<Self> {
        let piecewise = PiecewiseScheme::law(steps, budget)?;
        let duchi = TwoPointLaw::new(steps, budget);
        let epsilon = budget.as_f64();
        let factors = if epsilon > DUCHI_ALONE {
            // odds of Duchi: e^(-eps/2) / (1 - e^(-eps/2)) = 1 / (e^(eps/2) - 1)
            let odds = 1.0 / libm::expm1(epsilon / 2.0);
            // Weights of the two laws have different totals: the factor makes the coin's odds those of the paper. The
            // coin looks at no value, so any coin keeps the guarantee.
            let per_weight = odds * piecewise.total() as f64 / duchi.total() as f64;
            (FINENESS, (FINENESS as f64 * per_weight).round() as u128)
        } else {
            (0, 1)
        };
        // The coin and both laws become one law over integers, whose weights an audit can compare.
        let first = factors.0 * piecewise.total();
        let coin = Bernoulli::new(first, first + factors.1 * duchi.total())?;
        Ok(Self { piecewise, duchi, factors, coin })
    }

    /// The level that stands for Duchi's 1.
    fn duchi_level(&self) -> i64 {
        self.piecewise.largest_level() + 1
    }
}

impl CoordinateLaw for HybridLaw {
    fn draw<W: RandomWords>(&self, input: i64, noise: &mut W) -> i64 {
        if self.coin.draw(noise) || input > 0 && fault::on(Fault::CoinLooksAtTheValue) {
            self.piecewise.draw(input, noise)
        } else {
            // Duchi's two outputs get levels beyond the window's, so that a report says which law made it.
            self.duchi.draw(input, noise) * self.duchi_level()
        }
    }

    fn value(&self, level: i64) -> f64 {
        if level.abs() < self.duchi_level() {
            self.piecewise.value(level)
        } else {
            self.duchi.value(level)
        }
    }

    fn largest(&self) -> f64 {
        self.piecewise.largest().max(self.duchi.largest())
    }

    fn variance(&self, input: i64) -> f64 {
        let share = self.coin.probability();
        // Both laws are unbiased, so their variances mix without a term between means.
        share * self.piecewise.variance(input) + (1.0 - share) * self.duchi.variance(input)
    }
}

impl FiniteLaw for HybridLaw {
    fn weights(&self, input: i64) -> Vec<(i64, u128)> {
        let windowed = self.piecewise.weights(input).into_iter();
        let two = self.duchi.weights(input).into_iter();
        let windowed = windowed.map(|(level, w)| (level, w * self.factors.0));
        let two = two.map(|(level, w)| (level * self.duchi_level(), w * self.factors.1));
        windowed.chain(two).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::testing::*;

    #[test]
    fn private_and_tight_on_small_lattices() {
        for epsilon in [0.3, 0.7, 1.0, 2.0, 20.0] {
            let law = HybridLaw::new(16, budget(epsilon)).unwrap();
            let total: u128 = law.weights(5).iter().map(|&(_, weight)| weight).sum();
            assert_eq!(
                total,
                law.factors.0 * law.piecewise.total() + law.factors.1 * law.duchi.total()
            );
            if epsilon < 10.0 {
                assert_private_and_tight(&law, 16, epsilon);
                assert_moments_are_those_of_the_weights(&law, 16);
                assert_drawn_levels_fit(&law, 16, 175);
            }
        }
    }

    /// The worst-case variance of the paper's mixture, and the coin behind it.
    #[test]
    fn the_mixture_is_the_printed_one() {
        for epsilon in [0.7, 1.0, 2.0, 5.0] {
            let law = HybridLaw::new(1 << 16, budget(epsilon)).unwrap();
            let share = 1.0 - (-epsilon / 2.0).exp();
            assert!((law.coin.probability() - share).abs() < 1e-4);
            // ((e^(eps/2) + 3) / (3 e^(eps/2) (e^(eps/2) - 1)) + (e^eps + 1)² / (e^(eps/2) (e^eps - 1)²)
            let (t, e) = ((epsilon / 2.0).exp(), epsilon.exp());
            let printed =
                (t + 3.0) / (3.0 * t * (t - 1.0)) + (e + 1.0).powi(2) / (t * (e - 1.0).powi(2));
            for input in [0, 1 << 16] {
                assert!((law.variance(input) / printed - 1.0).abs() < 1e-3);
            }
        }
        let law = HybridLaw::new(1 << 16, budget(0.5)).unwrap();
        assert_eq!(law.coin.probability(), 0.0);
    }

    #[test]
    fn a_million_draws_have_the_moments() {
        assert_drawn_fits(&HybridLaw::new(1 << 16, budget(1.0)).unwrap(), 1 << 16, 75);
    }
}
