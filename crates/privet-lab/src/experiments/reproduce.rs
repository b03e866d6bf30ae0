//! The figures and tables of the papers, measured again, ours beside theirs.
//!
//! Each paper has a module of its own, with an `Item` (what can be measured), a `Wanted` (with which
//! settings) and one `reproduce` function per kind of item; names are `PAPER/ITEM`. What they share
//! is here and in [`cells`](super::cells): an [`Entry`] in the list, and a store of finished cells.

pub mod dpar;
pub mod dprr;
pub mod heterorr;
pub mod ldp_ge;

use privet::graph::Error;
use serde::Serialize;

use super::cells::Progress;
use super::measure::Sweep;

/// A paper whose figures can be measured again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paper {
    /// Features randomised by their owners, spread over the graph.
    LdpGe,
    /// Neighbour lists randomised by their owners, graphs told apart.
    Dprr,
    /// One graph made private once, with public and private edges.
    HeteroRr,
    /// A classifier trained on a curator's graph that hides whole people.
    Dpar,
}

/// An item, for a list of all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its name, `PAPER/ITEM`.
    pub name: &'static str,
    /// What it shows.
    pub shows: &'static str,
    /// How many cells the whole of it takes.
    pub runs: u64,
    /// How many with `--quick`.
    pub quick_runs: u64,
    /// About how long that takes on two cores.
    pub cost: &'static str,
}

impl Paper {
    /// All of them, in the order of lists.
    pub const ALL: [Self; 4] = [Self::LdpGe, Self::Dprr, Self::HeteroRr, Self::Dpar];

    /// What names of its items begin with.
    pub fn name(self) -> &'static str {
        match self {
            Self::LdpGe => "ldp-ge",
            Self::Dprr => "dprr",
            Self::HeteroRr => "heterorr",
            Self::Dpar => "dpar",
        }
    }

    /// Its items.
    pub fn entries(self) -> Vec<Entry> {
        match self {
            Self::LdpGe => ldp_ge::entries(),
            Self::Dprr => dprr::entries(),
            Self::HeteroRr => heterorr::entries(),
            Self::Dpar => dpar::entries(),
        }
    }

    /// The paper of an item's name.
    ///
    /// # Errors
    /// If there is no such item, with the nearest that there is.
    pub fn of_item(name: &str) -> Result<Self, Error> {
        let has = |paper: &Self| paper.entries().iter().any(|entry| entry.name == name);
        let known = || Self::ALL.into_iter().flat_map(Self::entries).map(|entry| entry.name);
        let found = Self::ALL.into_iter().find(has);
        found.ok_or_else(|| Error::unknown_name("item", name, known()))
    }
}

/// Measures grid after grid, under one progress: `cells` says how many cells a grid has.
fn each_grid<'g, G, M>(
    grids: &'g [G],
    sweep: &mut Sweep<'_>,
    progress: impl Fn(Progress<'_>) + Sync,
    cells: impl Fn(&G) -> usize,
    measure: impl Fn(
        &G,
        &mut Sweep<'_>,
        &(dyn Fn(Progress<'_>) + Sync),
    ) -> Result<M, crate::error::Error>,
) -> Result<Vec<(&'g G, M)>, crate::error::Error> {
    let total: usize = grids.iter().map(&cells).sum();
    let mut before = 0;
    let mut measured = Vec::new();
    for grid in grids {
        let all = |part: Progress<'_>| {
            progress(Progress { done: before + part.done, total, key: part.key });
        };
        measured.push((grid, measure(grid, sweep, &all)?));
        before += cells(grid);
    }
    Ok(measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_bears_the_name_of_its_paper() {
        for paper in Paper::ALL {
            for entry in paper.entries() {
                assert_eq!(entry.name.split('/').next(), Some(paper.name()));
                assert_eq!(Paper::of_item(entry.name).unwrap(), paper);
                assert!(entry.quick_runs <= entry.runs, "{entry:?}");
            }
        }
        assert!(Paper::of_item("ldp-ge/fig9").is_err());
    }
}
