//! The Laplace mechanism, on every column: `laplace`.
//!
//! # Idea
//! Add two-sided noise, wide enough to hide the whole range of a column.
//!
//! # Equation
//! On [-1, 1] each of d columns gets noise of scale `2d/eps` (LDP-GE, "existing solutions"); here, on the
//! lattice of `n` steps, `P(z) ∝ e^(-eps |z| / (2nd))`. The variance is about `8d²/eps²`.
//!
//! # Guarantee
//! Unit [`FeatureRow`](crate::unit::FeatureRow), `eps` exactly.
//! *Proof.* Two lattice points are at most 2n steps apart, and the discrete law at `eps/d` with
//! sensitivity 2n changes by at most `e^(eps/d)` ([`crate::noise::discrete_laplace`]); d columns compose
//! to `eps` ([`super::sampled`]). ∎ A scale of `1/eps` on [-1, 1] would cost twice as much.
//!
//! # Paper
//! Dwork, McSherry, Nissim, Smith 2006.
//!
//! # Differs from paper
//! Integer noise: floats of the textbook sampler give the input away (Mironov 2012).
//!
//! # Cost
//! About half a word per binary digit of the scale, per column; reports are dense.
//!
//! # Numerics
//! Exact.

use super::coordinate::{CoordinateLaw, Scheme};
use super::sampled::SampledCoordinates;
use crate::budget::Budget;
use crate::error::Result;
use crate::fault::{self, Fault};
use crate::noise::{DiscreteLaplace, RandomWords};
use crate::origin::shipped;

/// Laplace noise on all columns.
pub type Laplace = SampledCoordinates<LaplaceScheme>;

/// All columns with Laplace noise, each at `eps/d`.
#[derive(Debug)]
pub enum LaplaceScheme {}

shipped!(LaplaceScheme, LaplaceLaw);

impl Scheme for LaplaceScheme {
    type Law = LaplaceLaw;
    const NAME: &'static str = "laplace";
    const PROOF: &'static str = "privet_privacy::features::laplace";

    fn law(steps: u32, budget: Budget) -> Result<LaplaceLaw> {
        // A value lies on -steps..=steps: two of them are at most 2 steps of the scale apart.
        let range = if fault::on(Fault::HalfTheRange) { 1 } else { 2 } * u64::from(steps);
        let noise = DiscreteLaplace::new(budget, range)?;
        Ok(LaplaceLaw { noise, steps: i64::from(steps) })
    }

    fn recommended_k(_budget: Budget, columns: usize) -> usize {
        columns
    }
}

/// The input plus two-sided geometric noise.
#[derive(Debug, Clone)]
pub struct LaplaceLaw {
    noise: DiscreteLaplace,
    steps: i64,
}

impl LaplaceLaw {
    /// The law of the noise.
    pub fn noise(&self) -> &DiscreteLaplace {
        &self.noise
    }
}

impl CoordinateLaw for LaplaceLaw {
    fn draw<W: RandomWords>(&self, input: i64, noise: &mut W) -> i64 {
        // The sensitivity holds for clipped inputs only.
        let input = input.clamp(-self.steps, self.steps);
        input.saturating_add(self.noise.draw(noise))
    }

    fn value(&self, level: i64) -> f64 {
        level as f64 / self.steps as f64
    }

    fn largest(&self) -> f64 {
        f64::INFINITY
    }

    fn variance(&self, _input: i64) -> f64 {
        self.noise.variance() / (self.steps as f64).powi(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Decoding;
    use crate::features::testing::*;

    /// The whole range of a column is worth epsilon, not two epsilon.
    #[test]
    fn the_largest_log_ratio_is_epsilon() {
        for (steps, epsilon) in [(1u32, 1.0), (4, 0.3), (16, 2.0)] {
            let law = LaplaceScheme::law(steps, budget(epsilon)).unwrap();
            let (n, p) = (i64::from(steps), |z| law.noise().probability(z));
            let loss = (-200..200)
                .flat_map(|z| (-n..=n).map(move |i| (z, i)))
                .map(|(z, i)| (p(z - i) / p(z - n)).ln().abs())
                .fold(0.0, f64::max);
            assert!((loss - epsilon).abs() < 1e-9, "{loss} for {epsilon}");
        }
    }

    /// 8 d² / eps².
    #[test]
    fn the_variance_is_the_printed_one() {
        for (epsilon, d) in [(1.0, 1usize), (0.5, 7), (4.0, 100)] {
            let found = Laplace::new(epsilon, scale(d)).unwrap().moments(0, 0.5, Decoding::Paper);
            let printed = 8.0 * (d as f64).powi(2) / (epsilon * epsilon);
            assert!((found.variance / printed - 1.0).abs() < 1e-6);
            assert!((found.mean - 0.5).abs() < 1e-12);
        }
    }

    #[test]
    fn a_million_draws_have_the_moments() {
        assert_drawn_fits(&LaplaceScheme::law(1 << 16, budget(1.0)).unwrap(), 1 << 16, 78);
    }

    #[test]
    fn a_budget_too_small_for_so_many_columns_is_refused() {
        assert!(Laplace::new(1e-9, scale(10_000)).is_err());
    }
}
