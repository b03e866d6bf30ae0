//! The figures and tables of the LDP-GE paper.
//!
//! | file | what it does |
//! |---|---|
//! | [`item`] | what can be reproduced, and with which settings by default |
//! | [`variance`] | figure 1: variances in closed form, checked by drawing |
//! | [`utility`] | figures 2 to 4 and table III: which cells there are, and measuring them |
//! | `render` | what was measured as a report |
//! | [`paper`] | the numbers the paper prints |
//!
//! No private figure stands alone: beside it are the ceiling (the same learner on features in the
//! clear) and the control (people who all hold the same row, randomised alike).

pub mod item;
pub mod paper;
mod render;
pub mod utility;
pub mod variance;

use super::Entry;
pub use item::{Item, Wanted};
pub(crate) use render::in_percent;
pub use utility::Grid;

/// All items, for a list.
pub(super) fn entries() -> Vec<Entry> {
    let entry = |item: Item| Entry {
        name: item.name(),
        shows: item.title(),
        runs: item.cells(&Wanted::of(item)),
        quick_runs: item.cells(&Wanted::quick(item)),
        cost: match item {
            Item::Fig1 => "seconds",
            _ => "hours; --quick: minutes",
        },
    };
    Item::ALL.map(entry).into()
}
