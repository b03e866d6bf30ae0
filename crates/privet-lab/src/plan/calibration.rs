//! How far predictions were off where the truth is known: the margin by which intervals are widened.
//!
//! A family of methods has two to eight cases of known truth, too few for a margin of its own, so that all of
//! them share one. Made again by `privet plan --check`, which says if it has become another.

/// The margin, in shares, from all cases of the benchmarks that are not held out.
pub const MARGIN: f64 = 0.04;
