//! Items of the HeteroRR paper.

use std::sync::atomic::AtomicBool;

use privet::graph::{Dataset, Loaded, NodeIds};
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

    /// Of a set of graphs the largest, where structure is all that matters.
    fn one_graph(&self, name: &str, loaded: Loaded, console: &Console) -> Result<Dataset> {
        let Loaded::Graphs(set) = loaded else { return Ok(loaded.into_nodes()?) };
        let largest = set.graphs().iter().enumerate().max_by_key(|(_, graph)| graph.edge_count());
        match largest.filter(|_| self.item == Item::Fig11) {
            None => Ok(Loaded::Graphs(set).into_nodes()?),
            Some((at, graph)) => {
                console.note(&format!("{name}: graph {at} of {}, the largest", set.len()));
                let ids = NodeIds::sequential(graph.node_count());
                Ok(Dataset::new(name, graph.clone(), ids)?)
            }
        }
    }
}

impl Experiment for Items {
    fn measure(&self, bench: &Bench<'_>) -> Result<Report> {
        let keep = |name: &str, loaded: Loaded| self.one_graph(name, loaded, bench.console);
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
    let over_shares = !matches!(item, Item::Fig6 | Item::Fig10);
    let wrong = typed.points.iter().find(|share| !over_shares || !(0.0..=1.0).contains(*share));
    if let Some(share) = wrong {
        let message = format!("--points: {share} is no share of private edges for {}", item.name());
        return Err(Failure::usage(message).hint("fig7, fig11 and linkteller take 0 to 1"));
    }
    Ok(Wanted {
        shares: given(&typed.points, whole.shares),
        datasets: given(&typed.datasets, whole.datasets),
        curves: given(&typed.mechanisms, whole.curves),
        epsilons: finite_epsilons(&typed.epsilons, whole.epsilons)?,
        runs: typed.runs.unwrap_or(whole.runs),
    })
}
