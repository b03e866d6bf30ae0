//! The figures and tables of the DPAR paper, with what each truly costs.
//!
//! | file | what it does |
//! |---|---|
//! | [`item`], [`lines`] | what can be reproduced: which systems on which axis |
//! | [`sweep`] | measuring them, cell by cell |
//! | [`pictures`], `flatten` | what a model makes of people, as points of a plane |
//! | `render` | what was measured as a report |
//! | [`paper`] | the numbers the paper prints |
//!
//! Nothing stands alone: the majority class and features alone are beside every figure, and a printed epsilon
//! has the true one beside it.

mod flatten;
pub mod item;
pub mod lines;
pub mod paper;
pub mod pictures;
mod render;
pub mod sweep;

use super::Entry;
pub use item::{Item, Wanted};
pub use sweep::{Grid, reproduce};

/// All items, for a list.
pub(super) fn entries() -> Vec<Entry> {
    let entry = |item: Item| Entry {
        name: item.name(),
        shows: item.title(),
        runs: item.cells(&Wanted::of(item)),
        quick_runs: item.cells(&Wanted::quick(item)),
        cost: "minutes to an hour; --quick: minutes",
    };
    let pictures = pictures::count(&pictures::wanted());
    let figure_9 = Entry {
        name: pictures::NAME,
        shows: pictures::TITLE,
        runs: pictures,
        quick_runs: pictures,
        cost: "a minute",
    };
    Item::ALL.map(entry).into_iter().chain([figure_9]).collect()
}
