//! Items of the DPAR paper.

use std::sync::atomic::AtomicBool;

use privet_lab::experiments::cells::{Key, Progress};
use privet_lab::experiments::reproduce::dpar::{Grid, Item, Wanted, reproduce};
use privet_lab::report::Report;

use super::{Absent, Bench, Experiment, Sources, finite_epsilons, given};
use crate::args::Reproduce;
use crate::console::Console;
use crate::failure::{Failure, Result};

/// An item to measure.
#[derive(Debug)]
pub struct Items {
    item: Item,
    wanted: Wanted,
    sources: Sources,
}

impl Items {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, or an option is for another paper.
    pub fn new(name: &str, typed: &Reproduce, console: &Console) -> Result<Self> {
        let item = Item::find(name)?;
        if !typed.mechanisms.is_empty() || typed.decoding.is_some() {
            let message = "--mechanisms and --decoding are about LDP-GE";
            return Err(Failure::usage(message).hint("DPAR's items measure all of its methods"));
        }
        let whole = if typed.quick { Wanted::quick(item) } else { Wanted::of(item) };
        let wanted = Wanted {
            datasets: given(&typed.datasets, whole.datasets),
            epsilons: finite_epsilons(&typed.epsilons, whole.epsilons)?,
            runs: typed.runs.unwrap_or(whole.runs),
        };
        let absent = if typed.datasets.is_empty() { Absent::LeaveOut } else { Absent::Fail };
        let sources = Sources::find(&wanted.datasets, absent, &typed.reading, console)?;
        Ok(Self { item, wanted, sources })
    }
}

impl Experiment for Items {
    fn measure(&self, bench: &Bench<'_>) -> Result<Report> {
        let datasets = self.sources.load(bench.console, |_, loaded| Ok(loaded.into_nodes()?))?;
        let grids = datasets
            .iter()
            .map(|(name, dataset)| Grid::new(self.item, &self.wanted, name, dataset))
            .collect::<privet::Result<Vec<_>>>()?;
        let mut cells = bench.cells(self.item.name())?;
        let mut keys: Vec<Key> = grids.iter().flat_map(Grid::keys).collect();
        keys.sort();
        keys.dedup();
        let bar = bench.bar(&cells, &keys, keys.len());
        // Ctrl-C ends the process at once; what counts of the store is always whole.
        let never = AtomicBool::new(false);
        let progress = |progress: Progress<'_>| bar.set_position(progress.done as u64);
        let (item, wanted) = (self.item, &self.wanted);
        let report = reproduce(item, wanted, &grids, &mut cells, bench.threads, &never, progress)?;
        bar.finish_and_clear();
        Ok(report)
    }
}
