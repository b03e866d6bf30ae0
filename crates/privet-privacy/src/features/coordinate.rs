//! [`CoordinateLaw`]: what happens to one number between -1 and 1; [`Scheme`]: how a paper applies
//! such a law to a row of many numbers.

use crate::budget::Budget;
use crate::error::Result;
use crate::noise::RandomWords;
use crate::origin::sealed::MechanismOrigin;

/// A randomizer of one lattice point `i`, `-n ≤ i ≤ n`, that stands for `x = i/n`.
///
/// What is reported is an integer level; floats begin with decoding.
/// It sees a coordinate of a user's row, so only this crate's own are laws:
///
/// ```compile_fail
/// # use privet_privacy::features::CoordinateLaw;
/// # use privet_privacy::noise::RandomWords;
/// #[derive(Debug, Clone)]
/// struct Mine;
/// impl CoordinateLaw for Mine {
///     fn draw<W: RandomWords>(&self, input: i64, _: &mut W) -> i64 { input }
///     fn value(&self, level: i64) -> f64 { level as f64 }
///     fn variance(&self, _: i64) -> f64 { 0.0 }
///     fn largest(&self) -> f64 { 1.0 }
/// }
/// ```
pub trait CoordinateLaw: MechanismOrigin + std::fmt::Debug + Clone + Send + Sync {
    /// A level for the input. Inputs beyond the lattice are moved to its end.
    fn draw<W: RandomWords>(&self, input: i64, noise: &mut W) -> i64;

    /// The value a level stands for: its mean over `draw(i)` is exactly `i/n`.
    fn value(&self, level: i64) -> f64;

    /// The variance of [`value`](Self::value) given the input.
    fn variance(&self, input: i64) -> f64;

    /// The largest size of [`value`](Self::value) over all levels; infinite if levels have no end.
    fn largest(&self) -> f64;

    /// What the paper multiplies [`value`](Self::value) by, when the column was one of `k` sampled
    /// out of `d` (`rate = k/d`). Unbiased mechanisms undo the sampling.
    fn paper_factor(&self, rate: f64) -> f64 {
        1.0 / rate
    }
}

/// A law with finitely many levels, whose probabilities are ratios of integers.
pub trait FiniteLaw: CoordinateLaw {
    /// The exact weight of every level given the input. The sum is the same for every input, so the
    /// ratio of two weights of a level is the ratio of its probabilities. Meant for small lattices.
    fn weights(&self, input: i64) -> Vec<(i64, u128)>;

    /// `E|value - x|` given the input: the expected error bound of the HeteroRR paper (supplement).
    fn expected_error(&self, input: i64, steps: u32) -> f64 {
        let weights = self.weights(input);
        let total: f64 = weights.iter().map(|&(_, weight)| weight as f64).sum();
        let place = input as f64 / f64::from(steps);
        let errors = weights.iter().map(|&(level, w)| w as f64 * (self.value(level) - place).abs());
        errors.sum::<f64>() / total
    }
}

/// A published mechanism for rows: a law for one coordinate, and how many coordinates to report.
/// Its name stands on cards, so only this crate's own are schemes:
///
/// ```compile_fail
/// # use privet_privacy::features::{Scheme, square_wave::SquareWaveScheme};
/// # use privet_privacy::{Budget, Result};
/// struct Mine;
/// impl Scheme for Mine {
///     type Law = <SquareWaveScheme as Scheme>::Law;
///     const NAME: &'static str = "hds";
///     const PROOF: &'static str = "trust me";
///     fn law(steps: u32, budget: Budget) -> Result<Self::Law> { SquareWaveScheme::law(steps, budget) }
///     fn recommended_k(_: Budget, columns: usize) -> usize { columns }
/// }
/// ```
pub trait Scheme: MechanismOrigin + Send + Sync + 'static {
    /// The law of one coordinate.
    type Law: CoordinateLaw;

    /// The name in ledgers, cards and on the command line.
    const NAME: &'static str;

    /// Where the proof stands.
    const PROOF: &'static str;

    /// The law on a lattice of `steps`, at the budget of one coordinate.
    ///
    /// # Errors
    /// If lattice or budget are outside what the sampler supports.
    fn law(steps: u32, budget: Budget) -> Result<Self::Law>;

    /// How many of `columns` coordinates a user should report, each at an equal share of the budget.
    fn recommended_k(budget: Budget, columns: usize) -> usize;
}

/// `max(1, min(columns, k))` for a rule that gives a real number.
pub(crate) fn between_1_and(columns: usize, k: f64) -> usize {
    // A float beyond the range of the integers saturates; NaN cannot come from a budget.
    (k as usize).clamp(1, columns.max(1))
}
