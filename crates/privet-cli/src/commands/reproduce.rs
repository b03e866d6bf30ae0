//! `privet reproduce ITEM -o DIR`: the figures and tables of the papers, measured again.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use privet::ldp_ge::Preset;
use privet::privacy::features::Decoding;
use privet_graph::{Bounds, BoundsOrigin, Dataset, Error, Features};
use privet_lab::experiments::cells::{Cells, Key, Progress};
use privet_lab::experiments::measure::{Data, Sweep};
use privet_lab::experiments::reproduce::{Grid, Item, Wanted, utility, variance};
use privet_lab::report::Report;

use crate::args::{DecodingRule, Reading, Reproduce};
use crate::console::Console;
use crate::failure::{Failure, Kind, Result};
use crate::reproduced::{Listed, Reproduced};
use crate::source::Source;

/// What to do.
#[derive(Debug)]
pub enum Plan {
    /// Show what there is.
    List,
    /// Measure an item.
    Measure(Box<Work>),
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

/// An item to measure.
#[derive(Debug)]
pub struct Work {
    item: Item,
    wanted: Wanted,
    sources: Vec<(String, Source)>,
    /// Whether datasets that are not here are left out, or are an error.
    absent: Absent,
    folder: PathBuf,
    threads: NonZeroUsize,
    command: String,
    /// In place of the published settings, and of the ceiling's.
    settings: (Option<Preset>, Option<Preset>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Absent {
    LeaveOut,
    Fail,
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, options contradict each other, or something is in the way.
    pub fn new(typed: Reproduce, console: &Console) -> Result<Self> {
        let Some(name) = &typed.item else { return Ok(Self::List) };
        let item = Item::find(name)?;
        let wanted = wanted(item, &typed)?;
        let Some(folder) = typed.output.clone() else {
            let hint = "say where cells and the report go, with -o DIR";
            return Err(Failure::usage(format!("{name} needs a folder")).hint(hint));
        };
        check_folder(&folder)?;
        let reading = &typed.reading;
        if wanted.datasets.len() > 1 && describes_one_file(reading) {
            let message =
                "--features, --labels, --bounds, --format and --member are about one dataset";
            return Err(Failure::usage(message).hint("name it with --datasets NAME"));
        }
        let find = |name: &String| {
            Source::find(name, reading.clone(), console).map(|source| (name.clone(), source))
        };
        let sources = wanted.datasets.iter().map(find).collect::<Result<Vec<_>>>()?;
        let absent = if typed.datasets.is_empty() { Absent::LeaveOut } else { Absent::Fail };
        let threads = typed.threads.or(std::thread::available_parallelism().ok());
        Ok(Self::Measure(Box::new(Work {
            item,
            sources,
            absent,
            folder,
            threads: threads.unwrap_or(NonZeroUsize::MIN),
            command: command(item, &typed),
            settings: (settings(&typed.settings)?, settings(&typed.ceiling_settings)?),
            wanted,
        })))
    }

    /// Measures what is missing and writes the report, or lists what there is.
    ///
    /// # Errors
    /// If data cannot be read, a run fails, or something cannot be written.
    pub fn run(self, console: &Console) -> Result<()> {
        match self {
            Self::List => console.answer(&Listed::all()),
            Self::Measure(work) => work.run(console),
        }
    }
}

impl Work {
    fn run(self, console: &Console) -> Result<()> {
        let datasets = self.load(console)?;
        let grids: Vec<Grid<'_>> = datasets
            .iter()
            .map(|(name, dataset)| Data { name, dataset })
            .filter_map(|data| Grid::new(self.item, &self.wanted, data, self.settings.0.clone()))
            .map(|grid| match &self.settings.1 {
                Some(ceiling) => grid.with_ceiling(ceiling.clone()),
                None => grid,
            })
            .collect();
        for grid in &grids {
            grid.check()?;
        }
        self.check_variances()?;
        std::fs::create_dir_all(&self.folder)
            .map_err(|error| Failure::data(format!("{}: {error}", self.folder.display())))?;
        // Cells of another experiment, or in use by another process, are left alone.
        let mut cells = Cells::open(&self.folder.join(CELLS), self.item.name())
            .map_err(|error| Failure::from(error).of_kind(Kind::Refused))?;
        let report = self.measure(&grids, &mut cells, console)?;
        let files = report.write(&self.folder)?;
        let files = files.iter().map(|path| path.display().to_string()).collect();
        console.answer(&Reproduced { report, files })
    }

    /// Reads all data: it is small beside what is made of it, and a missing file is better found now.
    fn load(&self, console: &Console) -> Result<Vec<(String, Dataset)>> {
        let mut read = Vec::new();
        for (name, source) in &self.sources {
            let dataset = source.load(console).and_then(|(loaded, _)| Ok(loaded.into_nodes()?));
            match dataset {
                Ok(dataset) => read.push((name.clone(), with_range(name, dataset)?)),
                Err(_) if self.absent == Absent::LeaveOut && source.is_absent() => {
                    console.note(&format!("{name} is left out: it is not on this machine"));
                }
                Err(failure) => return Err(failure),
            }
        }
        if read.is_empty() && !self.sources.is_empty() {
            let message = "none of the paper's datasets is on this machine";
            let hint =
                "get one with `privet data fetch cora`, or name your own with --datasets FILE";
            return Err(Failure::data(message).hint(hint));
        }
        Ok(read)
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

    fn measure(&self, grids: &[Grid<'_>], cells: &mut Cells, console: &Console) -> Result<Report> {
        let keys: Vec<Key> = grids.iter().flat_map(Grid::keys).collect();
        let stored = keys.iter().filter(|key| cells.contains(key)).count();
        let total = match self.item {
            Item::Fig1 => self.item.cells(&self.wanted) as usize,
            _ => keys.len(),
        };
        let bar = console.runs("measuring");
        bar.set_length(total as u64);
        bar.set_position(stored as u64);
        // What was stored says nothing about how fast it goes now.
        bar.reset_eta();
        // Ctrl-C ends the process at once; what counts of the store is always whole.
        let never = AtomicBool::new(false);
        let mut sweep = Sweep { cells, threads: self.threads, interrupt: &never };
        let progress = |progress: Progress<'_>| {
            bar.set_position(progress.done as u64);
        };
        let mut report = match self.item {
            Item::Fig1 => variance::reproduce(&self.wanted, &mut sweep, progress)?,
            item => utility::reproduce(item, &self.wanted, grids, &mut sweep, progress)?,
        };
        bar.finish_and_clear();
        report.command.clone_from(&self.command);
        Ok(report)
    }
}

/// Settings from a file.
fn settings(path: &Option<PathBuf>) -> Result<Option<Preset>> {
    let Some(path) = path else { return Ok(None) };
    let failed = |error: String| Failure::data(format!("{}: {error}", path.display()));
    let text = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    let expected = |error| failed(format!("not settings that `privet tune` wrote: {error}"));
    serde_json::from_slice(&text).map(Some).map_err(expected)
}

/// The store of finished cells.
pub const CELLS: &str = "cells.jsonl";

/// A folder of somebody's files is not ours to write reports into.
pub fn check_folder(folder: &Path) -> Result<()> {
    if folder.join(CELLS).exists() {
        return Ok(());
    }
    let refused = |what| {
        let message = format!("{}: refused: {what}", folder.display());
        Err(Failure::new(Kind::Refused, message)
            .hint("name a new folder, or an earlier one to continue"))
    };
    match std::fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
        Ok(true) => refused("it holds other files, and no cells to continue from"),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => refused("it is a file"),
        _ => Ok(()),
    }
}

fn wanted(item: Item, typed: &Reproduce) -> Result<Wanted> {
    let mut wanted = if typed.quick { Wanted::quick(item) } else { Wanted::of(item) };
    if item == Item::Fig1 && !typed.datasets.is_empty() {
        let message = format!("{} needs no data", item.name());
        return Err(Failure::usage(message).hint("leave out --datasets"));
    }
    let given = |list: &[String], default: Vec<String>| {
        if list.is_empty() { default } else { distinct(list.to_vec()) }
    };
    wanted.datasets = given(&typed.datasets, wanted.datasets);
    wanted.mechanisms = given(&typed.mechanisms, wanted.mechanisms);
    if !typed.epsilons.is_empty() {
        // The ceiling is an infinite epsilon, and measured in any case.
        let finite = typed.epsilons.iter().copied().filter(|&epsilon| epsilon != f64::INFINITY);
        wanted.epsilons = distinct(finite.collect());
        if wanted.epsilons.is_empty() {
            let hint = "the ceiling is measured in any case: name an epsilon to compare with it";
            return Err(Failure::usage("--epsilons has no finite epsilon").hint(hint));
        }
    }
    wanted.runs = typed.runs.unwrap_or(wanted.runs);
    wanted.decoding = typed.decoding.map(Into::into);
    if let Some(name) = wanted.mechanisms.iter().find(|name| *name == "gaussian") {
        let known = privet::privacy::features::FeatureMechanism::NAMES.iter().copied();
        let known = known.filter(|other| other != name);
        return Err(Error::unknown_name("mechanism without delta", name, known).into());
    }
    Ok(wanted)
}

fn distinct<T: PartialEq>(list: Vec<T>) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for item in list {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

fn describes_one_file(reading: &Reading) -> bool {
    reading.features.is_some()
        || reading.labels.is_some()
        || reading.bounds.is_some()
        || reading.format.is_some()
        || reading.member.is_some()
}

/// The command that makes the report again, from what decides its numbers.
fn command(item: Item, typed: &Reproduce) -> String {
    let mut words = vec!["privet reproduce".to_owned(), item.name().to_owned()];
    let mut option = |name: &str, values: Vec<String>| {
        if !values.is_empty() {
            words.push(format!("--{name} {}", values.join(",")));
        }
    };
    option("datasets", typed.datasets.clone());
    option("mechanisms", typed.mechanisms.clone());
    option("epsilons", typed.epsilons.iter().map(f64::to_string).collect());
    option("runs", typed.runs.iter().map(u64::to_string).collect());
    let decoding = typed.decoding.map(|rule| match rule {
        DecodingRule::Unbiased => "unbiased".to_owned(),
        DecodingRule::Paper => "paper".to_owned(),
    });
    option("decoding", decoding.into_iter().collect());
    if typed.quick {
        words.push("--quick".into());
    }
    words.push(format!("{}-o DIR", reading_options(&typed.reading)));
    words.join(" ")
}

/// Those options about reading that decide what is measured, as they are typed.
pub fn reading_options(reading: &Reading) -> String {
    let range = |bounds: &Bounds| format!("{},{}", bounds.column(0).0, bounds.column(0).1);
    let path = |path: &PathBuf| path.display().to_string();
    let options = [
        ("features", reading.features.as_ref().map(path)),
        ("labels", reading.labels.as_ref().map(path)),
        ("bounds", reading.bounds.as_ref().map(range)),
        ("member", reading.member.clone()),
    ];
    let given = options.into_iter().filter_map(|(name, value)| Some((name, value?)));
    given.map(|(name, value)| format!("--{name} {value} ")).collect()
}
