//! Items of the HeteroRR paper.

use std::sync::atomic::AtomicBool;

use privet_lab::experiments::cells::{Key, Progress};
use privet_lab::experiments::measure::{Data, Sweep};
use privet_lab::experiments::reproduce::heterorr::{Case, Item, Wanted, reproduce};
use privet_lab::report::Report;

use super::{Absent, Bench, Experiment, Sources, check_mechanisms, finite_epsilons, given};
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
    /// If a name is unknown, or options contradict each other.
    pub fn new(name: &str, typed: Reproduce, console: &Console) -> Result<Self> {
        let item = Item::find(name)?;
        let wanted = wanted(item, &typed)?;
        let absent = if typed.datasets.is_empty() { Absent::LeaveOut } else { Absent::Fail };
        let sources = Sources::find(&wanted.datasets, absent, &typed.reading, console)?;
        Ok(Self { item, wanted, sources })
    }
}

impl Experiment for Items {
    fn measure(&self, bench: &Bench<'_>) -> Result<Report> {
        let keep = |_: &str, loaded: privet_graph::Loaded| Ok(loaded.into_nodes()?);
        let read = self.sources.load(bench.console, keep)?;
        let data: Vec<Data<'_>> =
            read.iter().map(|(name, dataset)| Data { name, dataset }).collect();
        let mut cells = bench.cells(self.item.name())?;
        let cases = self.item.cases(&self.wanted, &data);
        let keys: Vec<Key> = cases.iter().map(Case::key).collect();
        let bar = bench.bar(&cells, &keys, keys.len());
        // Ctrl-C ends the process at once; what counts of the store is always whole.
        let never = AtomicBool::new(false);
        let mut sweep = Sweep { cells: &mut cells, threads: bench.threads, interrupt: &never };
        let progress = |progress: Progress<'_>| bar.set_position(progress.done as u64);
        let report = reproduce(self.item, &self.wanted, &data, &mut sweep, progress)?;
        bar.finish_and_clear();
        Ok(report)
    }
}

fn wanted(item: Item, typed: &Reproduce) -> Result<Wanted> {
    let whole = if typed.quick { Wanted::quick(item) } else { Wanted::of(item) };
    if item == Item::Fig10 && !typed.datasets.is_empty() {
        let message = format!("{} needs no data", item.name());
        return Err(Failure::usage(message).hint("leave out --datasets"));
    }
    if typed.decoding.is_some() {
        let message = "--decoding is settled for these items";
        return Err(Failure::usage(message).hint("leave it out"));
    }
    check_mechanisms(&typed.mechanisms, item.known_curves())?;
    Ok(Wanted {
        datasets: given(&typed.datasets, whole.datasets),
        curves: given(&typed.mechanisms, whole.curves),
        epsilons: finite_epsilons(&typed.epsilons, whole.epsilons)?,
        runs: typed.runs.unwrap_or(whole.runs),
        ..whole
    })
}
