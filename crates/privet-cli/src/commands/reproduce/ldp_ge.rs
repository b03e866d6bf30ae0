//! Items of the LDP-GE paper.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use privet::graph::{Bounds, BoundsOrigin, Dataset, Features};
use privet::ldp_ge::Preset;
use privet::privacy::features::{Decoding, FeatureMechanism};
use privet_lab::experiments::cells::{Cells, Key, Progress};
use privet_lab::experiments::measure::{Data, Sweep};
use privet_lab::experiments::reproduce::ldp_ge::{Grid, Item, Wanted, utility, variance};
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
    /// In place of the published settings, and of the ceiling's.
    settings: Option<Preset>,
    ceiling: Option<Preset>,
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
        let (settings, ceiling) =
            (settings(typed.settings.as_deref())?, settings(typed.ceiling_settings.as_deref())?);
        Ok(Self { item, wanted, sources, settings, ceiling })
    }

    /// Figure 1 is quick, but its mechanisms can be refused as well.
    fn check_variances(&self) -> Result<()> {
        if self.item != Item::Fig1 {
            return Ok(());
        }
        for mechanism in &self.wanted.mechanisms {
            for &epsilon in &self.wanted.epsilons {
                variance::measure(mechanism, Decoding::Unbiased, epsilon, 1, 0)?;
            }
        }
        Ok(())
    }

    fn sweep(&self, grids: &[Grid<'_>], cells: &mut Cells, bench: &Bench<'_>) -> Result<Report> {
        let keys: Vec<Key> = grids.iter().flat_map(Grid::keys).collect();
        let total = match self.item {
            Item::Fig1 => self.item.cells(&self.wanted) as usize,
            _ => keys.len(),
        };
        let bar = bench.bar(cells, &keys, total);
        // Ctrl-C ends the process at once; what counts of the store is always whole.
        let never = AtomicBool::new(false);
        let mut sweep = Sweep { cells, threads: bench.threads, interrupt: &never };
        let progress = |progress: Progress<'_>| {
            bar.set_position(progress.done as u64);
        };
        let report = match self.item {
            Item::Fig1 => variance::reproduce(&self.wanted, &mut sweep, progress)?,
            item => utility::reproduce(item, &self.wanted, grids, &mut sweep, progress)?,
        };
        bar.finish_and_clear();
        Ok(report)
    }
}

impl Experiment for Items {
    fn measure(&self, bench: &Bench<'_>) -> Result<Report> {
        let keep =
            |name: &str, loaded: privet::graph::Loaded| with_range(name, loaded.into_nodes()?);
        let datasets = self.sources.load(bench.console, keep)?;
        let grids: Vec<Grid<'_>> = datasets
            .iter()
            .map(|(name, dataset)| Data { name, dataset })
            .filter_map(|data| Grid::new(self.item, &self.wanted, data, self.settings.clone()))
            .map(|grid| match &self.ceiling {
                Some(ceiling) => grid.with_ceiling(ceiling.clone()),
                None => grid,
            })
            .collect();
        for grid in &grids {
            grid.check()?;
        }
        self.check_variances()?;
        let mut cells = bench.cells(self.item.name())?;
        self.sweep(&grids, &mut cells, bench)
    }
}

/// Settings from a file.
fn settings(path: Option<&Path>) -> Result<Option<Preset>> {
    let Some(path) = path else { return Ok(None) };
    let failed = |error: String| Failure::data(format!("{}: {error}", path.display()));
    let text = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    let expected = |error| failed(format!("not settings that `privet tune` wrote: {error}"));
    serde_json::from_slice(&text).map(Some).map_err(expected)
}

/// The data with a range for its features, where its benchmark states none but the preset does.
fn with_range(name: &str, dataset: Dataset) -> Result<Dataset> {
    let stated = |features: &&Features| features.bounds().is_some_and(Bounds::is_public);
    let (Some(features), Some((low, high))) =
        (dataset.features().filter(|f| !stated(f)).cloned(), Preset::declared_range(name))
    else {
        return Ok(dataset);
    };
    let bounds = Bounds::uniform(low, high, BoundsOrigin::Declared)?;
    Ok(dataset.with_features(features.with_bounds(bounds)?)?)
}

fn wanted(item: Item, typed: &Reproduce) -> Result<Wanted> {
    let whole = if typed.quick { Wanted::quick(item) } else { Wanted::of(item) };
    if item == Item::Fig1 && !typed.datasets.is_empty() {
        let message = format!("{} needs no data", item.name());
        return Err(Failure::usage(message).hint("leave out --datasets"));
    }
    if !typed.points.is_empty() {
        let message = "--points is for items of DPRR and HeteroRR";
        return Err(Failure::usage(message).hint("use --epsilons"));
    }
    // The variance of Gaussian noise depends on a delta, which no item has.
    let known: Vec<&'static str> =
        FeatureMechanism::NAMES.iter().copied().filter(|&name| name != "gaussian").collect();
    check_mechanisms(&typed.mechanisms, &known)?;
    Ok(Wanted {
        datasets: given(&typed.datasets, whole.datasets),
        mechanisms: given(&typed.mechanisms, whole.mechanisms),
        epsilons: finite_epsilons(&typed.epsilons, whole.epsilons)?,
        runs: typed.runs.unwrap_or(whole.runs),
        decoding: typed.decoding.map(Into::into),
        ..whole
    })
}
