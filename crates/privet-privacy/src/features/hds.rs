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
