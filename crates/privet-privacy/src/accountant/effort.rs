//! How much work an answer may take, so that every question has an answer soon.
//!
//! Work is counted in evaluations of an exponential, about ten nanoseconds each, and estimated *before*
//! anything is computed or allocated. An accountant that would need more looks at fewer orders or a coarser
//! grid, each of which is a bound as well, or refuses with [`Error::TooCostly`](crate::error::Error::TooCostly).

/// Evaluations for one question to the Rényi accountant: some tenths of a second.
pub(crate) const RENYI: f64 = 3e7;
/// Evaluations for one grid of the PLD accountant: some tenths of a second, and a few grids may be tried.
pub(crate) const GRID: f64 = 3e7;
/// The most cells for one release: two megabytes.
pub(crate) const MAX_CELLS: f64 = 131_072.0;
/// The largest Fourier transform: sixteen megabytes, a few of which are alive at a time.
pub(crate) const MAX_BINS: f64 = 1_048_576.0;
/// Fewer cells or bins than this are not worth an answer.
pub(crate) const FEWEST: f64 = 1_024.0;
