//! Items of the DPRR paper.

use std::sync::atomic::AtomicBool;

use privet::dprr::Method;
use privet::graph::GraphSet;
use privet_lab::experiments::cells::{Key, Progress};
use privet_lab::experiments::measure::Sweep;
use privet_lab::experiments::reproduce::dprr::{Grid, Item, Wanted, degrees, grid, time};
use privet_lab::report::Report;

use super::{Absent, Bench, Experiment, Sources, check_mechanisms, finite_epsilons, given};
use crate::args::Reproduce;
use crate::commands::dprr_data::{SYNTHETIC, made_up_threads};
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
        let read: Vec<String> =
            wanted.datasets.iter().filter(|name| *name != SYNTHETIC).cloned().collect();
        let sources = Sources::find(&read, absent, &typed.reading, console)?;
        Ok(Self { item, wanted, sources })
    }

    fn load(&self, console: &Console) -> Result<Vec<(String, GraphSet)>> {
        let keep = |_: &str, loaded: privet::graph::Loaded| Ok(loaded.into_graphs()?);
        let mut sets = self.sources.load(console, keep)?;
        if self.wanted.datasets.iter().any(|name| name == SYNTHETIC) {
            sets.push((SYNTHETIC.to_owned(), made_up_threads()?));
        }
        Ok(sets)
    }
}

impl Experiment for Items {
    fn measure(&self, bench: &Bench<'_>) -> Result<Report> {
        let sets = self.load(bench.console)?;
        let grids: Vec<Grid<'_>> = sets
            .iter()
            .filter_map(|(name, set)| Grid::new(self.item, &self.wanted, name, set))
            .collect();
        let mut cells = bench.cells(self.item.name())?;
        let keys: Vec<Key> = grids.iter().flat_map(Grid::keys).collect();
        let total = match keys.len() {
            0 => self.item.cells(&self.wanted) as usize,
            cells => cells,
        };
        let bar = bench.bar(&cells, &keys, total);
        // Ctrl-C ends the process at once; what counts of the store is always whole.
        let never = AtomicBool::new(false);
        let mut sweep = Sweep { cells: &mut cells, threads: bench.threads, interrupt: &never };
        let progress = |progress: Progress<'_>| bar.set_position(progress.done as u64);
        let report = match self.item {
            Item::Fig7 => degrees::reproduce(&self.wanted, &sets, &mut sweep, progress)?,
            Item::Fig8 | Item::Fig9 => {
                time::reproduce(self.item, &self.wanted, &sets, &mut sweep, progress)?
            }
            item => grid::reproduce(item, &self.wanted, &grids, &mut sweep, progress)?,
        };
        bar.finish_and_clear();
        Ok(report)
    }
}

fn wanted(item: Item, typed: &Reproduce) -> Result<Wanted> {
    let whole = if typed.quick { Wanted::quick(item) } else { Wanted::of(item) };
    if !item.needs_data() && !typed.datasets.is_empty() {
        let message = format!("{} makes its own graphs", item.name());
        return Err(Failure::usage(message).hint("leave out --datasets"));
    }
    if typed.decoding.is_some() {
        let message = "--decoding is about feature rows; these items have none";
        return Err(Failure::usage(message).hint("leave it out"));
    }
    check_mechanisms(&typed.mechanisms, &Method::ALL.map(Method::name))?;
    let named = |name: &String| Method::ALL.into_iter().find(|method| method.name() == name);
    let methods: Vec<Method> = typed.mechanisms.iter().filter_map(named).collect();
    let wanted = Wanted {
        datasets: given(&typed.datasets, whole.datasets),
        methods: given(&methods, whole.methods),
        epsilons: finite_epsilons(&typed.epsilons, whole.epsilons)?,
        runs: typed.runs.unwrap_or(whole.runs),
        ..whole
    };
    check_points(item, &typed.points)?;
    Ok(match typed.points.is_empty() {
        true => wanted,
        false => wanted.with_points(item, &typed.points),
    })
}

/// Shares are shares, and sizes are sizes.
fn check_points(item: Item, points: &[f64]) -> Result<()> {
    let fits = |point: &&f64| match item {
        Item::Fig5 | Item::Fig7 => **point > 0.0 && point.is_finite(),
        Item::Fig9 => (10.0..=1e7).contains(*point),
        _ => (0.0..=1.0).contains(*point),
    };
    match points.iter().find(|point| !fits(point)) {
        None => Ok(()),
        Some(point) => {
            let message = format!("--points: {point} is no place on the axis of {}", item.name());
            Err(Failure::usage(message))
        }
    }
}
