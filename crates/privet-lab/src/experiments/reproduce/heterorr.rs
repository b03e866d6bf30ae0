//! The figures of the HeteroRR paper and its supplement, on public graphs (its images are not public).
//!
//! | file | what it does |
//! |---|---|
//! | [`item`] | what can be reproduced, and with which settings by default |
//! | [`cell`] | one cell: a curve at a place with a seed, and measuring it |
//! | `render` | what was measured as a report |

pub mod cell;
pub mod item;
mod render;

use super::Entry;
use crate::error::Error;
use crate::experiments::cells::{Key, Progress, run_cells};
use crate::experiments::measure::{Data, Sweep};
use crate::report::Report;

pub use cell::{Case, edge_method};
pub use item::{Item, Wanted};

/// All items, for a list.
pub(super) fn entries() -> Vec<Entry> {
    let entry = |item: Item| Entry {
        name: item.name(),
        shows: item.title(),
        runs: item.cells(&Wanted::of(item)),
        quick_runs: item.cells(&Wanted::quick(item)),
        cost: match item {
            Item::Fig10 => "seconds",
            _ => "an hour; --quick: minutes",
        },
    };
    Item::ALL.map(entry).into()
}

/// Measures what is missing, and makes the report.
///
/// # Errors
/// Those of [`run_cells`].
pub fn reproduce(
    item: Item,
    wanted: &Wanted,
    data: &[Data<'_>],
    sweep: &mut Sweep<'_>,
    progress: impl Fn(Progress<'_>) + Sync,
) -> Result<Report, Error> {
    let cases = item.cases(wanted, data);
    let keys: Vec<Key> = cases.iter().map(Case::key).collect();
    let interrupt = sweep.interrupt;
    let measure = |key: &Key| {
        let at = keys.iter().position(|other| other == key).unwrap_or(0);
        cases[at].measure(interrupt)
    };
    let found: Vec<Vec<f64>> =
        run_cells(sweep.cells, &keys, sweep.threads, interrupt, progress, measure)?;
    Ok(render::report(item, wanted, &cases, &found))
}
