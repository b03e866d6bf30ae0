//! The figures of the DPRR paper.
//!
//! | file | what it does |
//! |---|---|
//! | [`item`] | what can be reproduced, and with which settings by default |
//! | [`grid`] | figures 4, 5, 6 and 10: which cells there are, and measuring them |
//! | [`degrees`] | figure 7: true and reported degrees, beside what theory says |
//! | [`time`] | figures 8 and 9: seconds against the size of graphs |
//! | `render` | what was measured as a report |
//!
//! The paper prints its results as curves without numbers; what its text states is quoted in reports.

pub mod degrees;
pub mod grid;
pub mod item;
mod render;
pub mod time;

use super::Entry;
pub use grid::Grid;
pub use item::{Item, Wanted};

/// All items, for a list.
pub(super) fn entries() -> Vec<Entry> {
    let entry = |item: Item| Entry {
        name: item.name(),
        shows: item.title(),
        runs: item.cells(&Wanted::of(item)),
        quick_runs: item.cells(&Wanted::quick(item)),
        cost: match item {
            Item::Fig7 => "seconds",
            Item::Fig8 | Item::Fig9 => "an hour; --quick: seconds",
            _ => "hours; --quick: minutes",
        },
    };
    Item::ALL.map(entry).into()
}
