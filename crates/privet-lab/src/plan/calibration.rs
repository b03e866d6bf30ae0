//! How far predictions were off where the truth is known: the margins by which intervals are widened.
//!
//! Made again by `privet plan --check`, which says if they have become others.

use super::method::Family;

/// The margin of a family, in shares, from the benchmarks that are not held out.
pub fn margin_of(family: Family) -> f64 {
    match family {
        Family::Reports => 0.05,
        Family::Lists => 0.1,
        Family::Graphs => 0.05,
        Family::Connections => 0.05,
        Family::People => 0.05,
    }
}
