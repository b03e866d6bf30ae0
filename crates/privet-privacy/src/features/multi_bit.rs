//! The multi-bit mechanism of locally private GNNs: `multi-bit`.
//!
//! # Idea
//! Two-point reports on `k` of `d` columns.
//!
//! # Equation
//! [`super::duchi`] with `e = eps/k` on each sampled column; the entry is
//! `(d/k) (e^e + 1)/(e^e - 1)` times ±1 (LDP-GE eq. 7) and 0 if not sampled. Its variance is
//! `(d/k) ((e^e + 1)/(e^e - 1))² - x²` (eq. 8).
//!
//! # Guarantee
//! Unit [`FeatureRow`](crate::unit::FeatureRow), `eps` exactly: [`super::duchi`] for a column,
//! [`super::sampled`] for k of them. ∎
//!
//! # Paper
//! Sajadmanesh, Gatica-Perez, CCS 2021 (LPGNN), Algorithm 1.
//!
//! # Differs from paper
//! LDP-GE reprints its law (eq. 6) with a misprint: the mass would be `e^e/(e^e + 1)`, and -1
//! impossible at x = 1. This is the law with mass 1.
//!
//! # Cost
//! Two words per reported column; the paper's `k = max(1, min(d, ⌊eps/2.18⌋))`.
//!
//! # Numerics
//! Exact.

use super::coordinate::{Scheme, between_1_and};
use super::duchi::TwoPointLaw;
use super::sampled::SampledCoordinates;
use crate::budget::Budget;
use crate::error::Result;
use crate::origin::shipped;

/// The multi-bit mechanism: two-point reports on k of d columns.
pub type MultiBit = SampledCoordinates<MultiBitScheme>;

/// Some columns by two-point reports, at `eps/k` each.
#[derive(Debug)]
pub enum MultiBitScheme {}

shipped!(MultiBitScheme);

impl Scheme for MultiBitScheme {
    type Law = TwoPointLaw;
    const NAME: &'static str = "multi-bit";
    const PROOF: &'static str = "privet_privacy::features::multi_bit";

    fn law(steps: u32, budget: Budget) -> Result<TwoPointLaw> {
        Ok(TwoPointLaw::new(steps, budget))
    }

    fn recommended_k(budget: Budget, columns: usize) -> usize {
        between_1_and(columns, (budget.as_f64() / 2.18).floor())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::testing::*;
    use crate::features::{Decoding, Hds, Piecewise};

    /// Equation 8.
    #[test]
    fn the_variance_is_the_printed_one() {
        for (epsilon, k, d) in [(1.0f64, 1usize, 10usize), (5.0, 2, 7), (0.2, 3, 3)] {
            let mechanism = MultiBit::with_k(epsilon, scale(d), k).unwrap();
            let half = (epsilon / k as f64 / 2.0).tanh(); // (e^e - 1)/(e^e + 1)
            for x in [-1.0f32, 0.0, 0.5] {
                let printed = d as f64 / k as f64 / (half * half) - f64::from(x * x);
                let found = mechanism.moments(0, x, Decoding::Paper);
                assert!((found.variance / printed - 1.0).abs() < 1e-9);
                assert!((found.mean - f64::from(x)).abs() < 1e-12);
            }
        }
        let k = |epsilon| MultiBitScheme::recommended_k(budget(epsilon), 100);
        assert_eq!((k(1.0), k(4.4), k(9.0)), (1, 2, 4));
    }

    /// On a common unbiased scale, d = 100, epsilon 1, best k each: HDS has the most variance.
    #[test]
    fn the_comparison_on_a_common_scale() {
        let worst = |moments: &dyn Fn(f32) -> f64| moments(0.0).max(moments(1.0));
        for (epsilon, hds, pm, mb) in [(1.0, 650.6, 621.4, 468.3), (0.1, 53451.0, 53421.0, 40067.0)]
        {
            let decoding = Decoding::Unbiased;
            let found = [
                worst(&|x| Hds::new(epsilon, scale(100)).unwrap().moments(0, x, decoding).variance),
                worst(&|x| {
                    Piecewise::new(epsilon, scale(100)).unwrap().moments(0, x, decoding).variance
                }),
                worst(&|x| {
                    MultiBit::new(epsilon, scale(100)).unwrap().moments(0, x, decoding).variance
                }),
            ];
            for (found, expected) in found.into_iter().zip([hds, pm, mb]) {
                assert!((found / expected - 1.0).abs() < 2e-4, "{found} not {expected}");
            }
        }
    }
}
