//! Items of the DPAR paper.

use std::sync::atomic::AtomicBool;

use privet::graph::Dataset;
use privet_lab::experiments::cells::{Key, Progress};
use privet_lab::experiments::reproduce::dpar::{Grid, Item, Wanted, pictures, reproduce};
use privet_lab::report::Report;

use super::{Absent, Bench, Experiment, Sources, finite_epsilons, given};
use crate::args::Reproduce;
use crate::console::Console;
use crate::failure::{Failure, Result};

/// An item to measure.
#[derive(Debug)]
pub struct Items {
    what: What,
    wanted: Wanted,
    sources: Sources,
}

/// Which kind of item.
#[derive(Debug, Clone, Copy)]
enum What {
    /// Scores along an axis.
    Scores(Item),
    /// Pictures of what a model makes of people.
    Pictures,
}

impl Items {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, or an option is for another item.
    pub fn new(name: &str, typed: &Reproduce, console: &Console) -> Result<Self> {
        if !typed.mechanisms.is_empty() || typed.decoding.is_some() {
            let message = "--mechanisms and --decoding are about LDP-GE";
            return Err(Failure::usage(message).hint("DPAR's items measure all of its methods"));
        }
        let (what, whole) = match name {
            pictures::NAME => (What::Pictures, pictures::wanted()),
            name => {
                let item = Item::find(name)?;
                let whole = if typed.quick { Wanted::quick(item) } else { Wanted::of(item) };
                (What::Scores(item), whole)
            }
        };
        if let (What::Pictures, Some(2..)) = (what, typed.runs) {
            let message = format!("--runs: {name} draws one run of each model");
            return Err(Failure::usage(message).hint("leave it out"));
        }
        let wanted = Wanted {
            datasets: given(&typed.datasets, whole.datasets),
            epsilons: finite_epsilons(&typed.epsilons, whole.epsilons)?,
            runs: typed.runs.unwrap_or(whole.runs),
        };
        let absent = if typed.datasets.is_empty() { Absent::LeaveOut } else { Absent::Fail };
        let sources = Sources::find(&wanted.datasets, absent, &typed.reading, console)?;
        Ok(Self { what, wanted, sources })
    }

    fn scores(
        &self,
        item: Item,
        datasets: &[(String, Dataset)],
        bench: &Bench<'_>,
    ) -> Result<Report> {
        let grids = datasets
            .iter()
            .map(|(name, dataset)| Grid::new(item, &self.wanted, name, dataset))
            .collect::<privet::Result<Vec<_>>>()?;
        let mut cells = bench.cells(item.name())?;
        let mut keys: Vec<Key> = grids.iter().flat_map(Grid::keys).collect();
        keys.sort();
        keys.dedup();
        let bar = bench.bar(&cells, &keys, keys.len());
        let progress = |progress: Progress<'_>| bar.set_position(progress.done as u64);
        let (wanted, threads) = (&self.wanted, bench.threads);
        let report = reproduce(item, wanted, &grids, &mut cells, threads, &NEVER, progress)?;
        bar.finish_and_clear();
        Ok(report)
    }

    fn pictures(&self, datasets: &[(String, Dataset)], bench: &Bench<'_>) -> Result<Report> {
        let mut cells = bench.cells(pictures::NAME)?;
        let bar = bench.bar(&cells, &[], pictures::count(&self.wanted) as usize);
        let progress = |progress: Progress<'_>| bar.set_position(progress.done as u64);
        let (wanted, threads) = (&self.wanted, bench.threads);
        let report = pictures::draw(wanted, datasets, &mut cells, threads, &NEVER, progress)?;
        bar.finish_and_clear();
        Ok(report)
    }
}

/// Ctrl-C ends the process at once; what counts of the store is always whole.
static NEVER: AtomicBool = AtomicBool::new(false);

impl Experiment for Items {
    fn measure(&self, bench: &Bench<'_>) -> Result<Report> {
        let datasets = self.sources.load(bench.console, |_, loaded| Ok(loaded.into_nodes()?))?;
        match self.what {
            What::Scores(item) => self.scores(item, &datasets, bench),
            What::Pictures => self.pictures(&datasets, bench),
        }
    }
}
