//! HDS: the square wave on `k` of `d` columns, reported raw.
//!
//! # Idea
//! A user reports a few randomly chosen columns at a larger budget each; the rest is 0. Nothing is
//! scaled up, so the reports stay small numbers, which suits averaging over neighbours.
//!
//! # Equation
//! `E[entry] = C x`, `C = (k/d) κ(eps/k)` (LDP-GE eq. 10), and
//! `Var[entry] = (k/d) (b³ e^(eps/k) + 3b² + 3b + 1) / (3 (b e^(eps/k) + 1)) + (C - C²) x²` (eq. 11).
//!
//! # Guarantee
//! Unit [`FeatureRow`](crate::unit::FeatureRow), `eps` exactly.
//! *Proof.* The square wave at `eps/k` is `(eps/k)`-LDP ([`super::square_wave`]); k such reports on
//! columns chosen without looking at the row are `eps`-LDP ([`super::sampled`]). ∎
//!
//! # Paper
//! LDP-GE, Algorithm 2, Theorem 1, Lemma 1.
//!
//! # Differs from paper
//! Lattice in place of floats. [`Decoding::Paper`](super::Decoding) gives the printed report,
//! [`Decoding::Unbiased`](super::Decoding) divides by `C`. The printed comparison of error bounds is
//! about the shrunken reports: on a common unbiased scale HDS has more variance than PM and multi-bit
//! (d = 100, eps = 1, best k each: 650.6, 621.4, 468.3).
//!
//! # Cost
//! O(k) per user. The worst-case variance of the unbiased entry is least at `eps/k = 2.1482`.
//!
//! # Numerics
//! Exact.

use super::coordinate::{Scheme, between_1_and};
use super::sampled::SampledCoordinates;
use super::square_wave::SquareWaveScheme;
use super::window_law::WindowLaw;
use crate::budget::Budget;
use crate::error::Result;
use crate::origin::shipped;

/// HDS: the square wave on k of d columns.
///
/// ```
/// use privet_graph::{Bounds, BoundsOrigin, DenseMatrix, FeatureMatrix, Features};
/// use privet_privacy::features::{DecodeRows, Decoding, Hds, Scale};
/// use privet_privacy::{Ledger, Loss, Secret, noise::NoiseRng};
/// let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?;
/// let features = Secret::new(Features::dense(DenseMatrix::new(2, 3, vec![0.0, 1.0, 0.5, 1.0, 1.0, 0.0])?));
///
/// let hds = Hds::new(1.0, Scale::new(3, Some(&bounds))?)?;
/// let mut ledger = Ledger::in_memory(Loss::new(1.0, 0.0)?, NoiseRng::from_operating_system()?)?;
/// let reports = ledger.release_each(&features, &hds)?;
/// let matrix = reports.try_map(|reports| hds.decode(&reports, Decoding::Paper))?;
/// assert!(matches!(matrix.get(), FeatureMatrix::Sparse(m) if m.nonzeros() <= 2)); // k = 1 each
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Hds = SampledCoordinates<HdsScheme>;

/// Some columns by the square wave, at `eps/k` each.
#[derive(Debug)]
pub enum HdsScheme {}

/// The budget per column at which the worst-case variance of the unbiased entry is least.
const BEST_SHARE: f64 = 2.1482;

shipped!(HdsScheme);

impl Scheme for HdsScheme {
    type Law = WindowLaw;
    const NAME: &'static str = "hds";
    const PROOF: &'static str = "privet_privacy::features::hds";

    fn law(steps: u32, budget: Budget) -> Result<WindowLaw> {
        SquareWaveScheme::law(steps, budget)
    }

    fn recommended_k(budget: Budget, columns: usize) -> usize {
        between_1_and(columns, (budget.as_f64() / BEST_SHARE).round())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::coordinate::{CoordinateLaw, FiniteLaw};
    use crate::features::square_wave::{half_width, shrinkage};
    use crate::features::testing::{budget, largest_ratio, scale};
    use crate::features::{Decoding, EntryMoments};

    /// Equations 10 and 11.
    #[test]
    fn mean_and_variance_are_the_printed_ones() {
        for (epsilon, k, d) in [(1.0f64, 1usize, 10usize), (6.0, 3, 10), (0.1, 2, 2), (10.0, 5, 50)]
        {
            let mechanism = Hds::with_k(epsilon, scale(d), k).unwrap();
            let (share, rate) = (epsilon / k as f64, k as f64 / d as f64);
            let (b, e) = (half_width(share), share.exp());
            let c = rate * b * (e - 1.0) / (b * e + 1.0);
            assert!((c / (rate * shrinkage(share)) - 1.0).abs() < 1e-12);
            let constant = (b.powi(3) * e + 3.0 * b * b + 3.0 * b + 1.0) / (3.0 * (b * e + 1.0));
            for x in [-1.0f32, 0.0, 0.5] {
                let printed = rate * constant + (c - c * c) * f64::from(x * x);
                let EntryMoments { mean, variance } = mechanism.moments(0, x, Decoding::Paper);
                assert!((mean - c * f64::from(x)).abs() < 1e-4 * c);
                assert!((variance / printed - 1.0).abs() < 1e-3, "{variance} {printed}");
                let unbiased = mechanism.moments(0, x, Decoding::Unbiased);
                assert!((unbiased.mean - f64::from(x)).abs() < 1e-4);
                assert!((unbiased.variance * c * c / printed - 1.0).abs() < 1e-3);
            }
        }
    }

    /// d = 3, k = 2 on the lattice -1, 0, 1 at epsilon 2 log 1.5: records that differ everywhere lose
    /// exactly two column ratios, and a column ratio is 1.5 up to rounding.
    #[test]
    fn k_columns_cost_epsilon_and_not_more() {
        let epsilon = 2.0 * 1.5f64.ln();
        let mechanism = Hds::with_k(epsilon, scale(3).with_steps(1).unwrap(), 2).unwrap();
        assert_eq!(mechanism.law().largest_level(), 2); // n = h = 1
        let column = largest_ratio(mechanism.law(), 1).unwrap().to_f64().value();
        assert!((2.0 * column.ln() - 0.810930216).abs() < 1e-9);
        assert!(2.0 * column.ln() <= epsilon);
        // A whole epsilon for each column would be k times too much.
        let careless = HdsScheme::law(1, budget(epsilon)).unwrap();
        assert!(2.0 * largest_ratio(&careless, 1).unwrap().to_f64().value().ln() > 1.6);
        assert_eq!(mechanism.law().weights(1).len(), 5);
    }

    #[test]
    fn the_recommended_k() {
        let k = |epsilon| HdsScheme::recommended_k(budget(epsilon), 100);
        assert_eq!([0.1, 1.0, 3.0, 5.0, 8.0, 10.0].map(k), [1, 1, 1, 2, 4, 5]);
        assert_eq!(HdsScheme::recommended_k(budget(100.0), 3), 3);
        // It is the best of its neighbours, in the worst case over x.
        let worst = |epsilon, k| {
            let law = HdsScheme::law(1 << 16, budget(epsilon / k as f64)).unwrap();
            (law.variance(1 << 16) + 1.0) / k as f64
        };
        for epsilon in [5.0, 8.0, 10.0] {
            let best = k(epsilon);
            assert!(worst(epsilon, best) <= worst(epsilon, best - 1));
            assert!(worst(epsilon, best) <= worst(epsilon, best + 1));
        }
    }
}
