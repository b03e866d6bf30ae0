//! Duchi's mechanism for one number, on every column: `duchi`.
//!
//! # Idea
//! Round x to -1 or 1 at random so that the mean stays x, then flip the sign by randomised response.
//!
//! # Equation
//! `P(+1 | x) = 1/(e^eps + 1) + (x + 1)/2 (e^eps - 1)/(e^eps + 1)`, and the levels ±1 stand for
//! `±C`, `C = (e^eps + 1)/(e^eps - 1)`. The variance is `C² - x²`.
//!
//! # Guarantee
//! Unit [`FeatureRow`](crate::unit::FeatureRow), `eps` exactly.
//! *Proof.* On the lattice, with `λ = ⌈e^-eps⌉`, `2n (1+λ) P(+1 | i) = (n+i) + (n-i) λ`: it rises with i
//! from `2nλ` to `2n`, a factor `1/λ ≤ e^eps`; -1 is the mirror image. ∎ (Rounding at random is the
//! user's own business; randomised response alone would prove it as well.) All columns at `eps/d`
//! each: [`super::sampled`].
//!
//! # Paper
//! Duchi, Jordan, Wainwright 2018 (one dimension).
//!
//! # Differs from paper
//! Rows are treated column by column; the paper's own mechanism for rows is not this one.
//!
//! # Cost
//! Two words per column; worst-case variance at eps = 1: 4.683, at x = 0.
//!
//! # Numerics
//! Exact.

use super::coordinate::{CoordinateLaw, FiniteLaw, Scheme};
use super::sampled::SampledCoordinates;
use crate::budget::Budget;
use crate::error::Result;
use crate::fault::{self, Fault};
use crate::noise::{BitResponse, RandomWords};
use crate::origin::shipped;

/// Duchi's mechanism on all columns.
pub type Duchi = SampledCoordinates<DuchiScheme>;

/// All columns by two-point reports, each at `eps/d`.
#[derive(Debug)]
pub enum DuchiScheme {}

shipped!(DuchiScheme, TwoPointLaw);

impl Scheme for DuchiScheme {
    type Law = TwoPointLaw;
    const NAME: &'static str = "duchi";
    const PROOF: &'static str = "privet_privacy::features::duchi";

    fn law(steps: u32, budget: Budget) -> Result<TwoPointLaw> {
        Ok(TwoPointLaw::new(steps, budget))
    }

    fn recommended_k(_budget: Budget, columns: usize) -> usize {
        columns
    }
}

/// Levels -1 and 1.
#[derive(Debug, Clone)]
pub struct TwoPointLaw {
    steps: i64,
    response: BitResponse,
    /// `C`: what the level 1 stands for.
    size: f64,
}

impl TwoPointLaw {
    /// The law on a lattice of `steps`.
    pub(crate) fn new(steps: u32, budget: Budget) -> Self {
        let response = BitResponse::new(budget);
        let (keep, flip) = response.weights();
        // (e^eps + 1)/(e^eps - 1) for the rational law that runs: reports of +-size are unbiased exactly.
        let size = (keep as f64 + flip as f64) / (keep - flip) as f64;
        Self { steps: i64::from(steps), response, size }
    }

    /// The weights of -1 and of 1; their sum is [`TwoPointLaw::total`].
    pub(crate) fn sides(&self, input: i64) -> (u128, u128) {
        let (keep, flip) = self.response.weights();
        let (keep, flip) = (u128::from(keep), u128::from(flip));
        let (below, above) = ((self.steps - input) as u128, (self.steps + input) as u128);
        // Scaled by 2n: a side is drawn with probability (n +- i)/2n and then kept or flipped.
        (below * keep + above * flip, above * keep + below * flip)
    }

    /// The sum of both weights, the same for every input.
    pub(crate) fn total(&self) -> u128 {
        let (keep, flip) = self.response.weights();
        2 * self.steps as u128 * (u128::from(keep) + u128::from(flip))
    }
}

impl CoordinateLaw for TwoPointLaw {
    #[inline]
    fn draw<W: RandomWords>(&self, input: i64, noise: &mut W) -> i64 {
        let input = input.clamp(-self.steps, self.steps);
        // Up with probability (x + 1)/2 = (i + n)/2n.
        let up = noise.below(2 * self.steps as u64) < (input + self.steps) as u64;
        if fault::on(Fault::SideNotFlipped) {
            return if up { 1 } else { -1 };
        }
        if self.response.draw(up, noise) { 1 } else { -1 }
    }

    fn value(&self, level: i64) -> f64 {
        level.signum() as f64 * self.size
    }

    fn largest(&self) -> f64 {
        self.size
    }

    fn variance(&self, input: i64) -> f64 {
        let place = input as f64 / self.steps as f64;
        // Reports are ±size, so E[r²] = size², and the mean is the value itself.
        self.size * self.size - place * place
    }
}

impl FiniteLaw for TwoPointLaw {
    fn weights(&self, input: i64) -> Vec<(i64, u128)> {
        let (minus, plus) = self.sides(input);
        vec![(-1, minus), (1, plus)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::testing::*;

    /// With levels ±C and mean x, `E|value - x| = C - x²/C`.
    #[test]
    fn the_expected_error_has_a_closed_form() {
        for (steps, epsilon) in [(4u32, 0.5), (8, 2.0)] {
            let law = TwoPointLaw::new(steps, budget(epsilon));
            let size = law.largest();
            for input in -i64::from(steps)..=i64::from(steps) {
                let x = input as f64 / f64::from(steps);
                let found = law.expected_error(input, steps);
                assert!((found - (size - x * x / size)).abs() < 1e-12, "{input}: {found}");
            }
        }
    }

    #[test]
    fn private_and_tight_on_small_lattices() {
        for epsilon in [0.3, 0.7, 1.0, 2.0] {
            for steps in [1, 2, 16] {
                let law = TwoPointLaw::new(steps, budget(epsilon));
                assert_private_and_tight(&law, steps.into(), epsilon);
                assert_moments_are_those_of_the_weights(&law, steps.into());
                assert_drawn_levels_fit(&law, steps.into(), 174);
            }
        }
    }

    /// The mass is one and both reports are possible at x = 1 (a misprint would say otherwise).
    #[test]
    fn the_law_is_the_corrected_one() {
        let law = TwoPointLaw::new(8, budget(1.0));
        let e = 1f64.exp();
        for input in [-8i64, 0, 3, 8] {
            let (minus, plus) = law.sides(input);
            assert_eq!(minus + plus, law.total());
            let up = 1.0 / (e + 1.0) + (input as f64 / 8.0 + 1.0) / 2.0 * (e - 1.0) / (e + 1.0);
            assert!((plus as f64 / law.total() as f64 - up).abs() < 1e-15);
        }
        assert!(law.sides(8).0 > 0);
        assert!((law.variance(0) - 4.683).abs() < 1e-3);
    }

    #[test]
    fn a_million_draws_have_the_moments() {
        assert_drawn_fits(&TwoPointLaw::new(1 << 16, budget(1.0)), 1 << 16, 74);
    }
}
