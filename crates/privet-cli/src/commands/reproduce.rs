//! `privet reproduce ITEM -o DIR`: the figures and tables of the papers, measured again.
//!
//! Here is what items of all papers share: the list, the folder, the store of cells, progress, the
//! report. What an item needs and measures is the business of its paper's file, as an [`Experiment`].

mod dpar;
mod dprr;
mod heterorr;
mod ldp_ge;

use std::fmt::Debug;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use privet::graph::{Bounds, Error};
use privet_lab::experiments::cells::{Cells, Key};
use privet_lab::experiments::reproduce::Paper;
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

/// An item to measure.
#[derive(Debug)]
pub struct Work {
    experiment: Box<dyn Experiment>,
    folder: PathBuf,
    threads: NonZeroUsize,
    command: String,
}

/// An item of a paper, with everything it needs but the data.
pub trait Experiment: Debug {
    /// Reads what it needs, finds out whether all of it can run, measures what the store lacks, and
    /// makes the report.
    ///
    /// # Errors
    /// If data cannot be read, a setting is refused, or a run fails.
    fn measure(&self, bench: &Bench<'_>) -> Result<Report>;
}

/// Where and how an item is measured.
#[derive(Debug)]
pub struct Bench<'a> {
    folder: &'a Path,
    /// Runs at a time.
    pub threads: NonZeroUsize,
    /// For notes.
    pub console: &'a Console,
}

/// The store of finished cells.
pub const CELLS: &str = "cells.jsonl";

impl Bench<'_> {
    /// The store of an experiment's cells. Cells of another experiment, or in use by another process,
    /// are left alone.
    ///
    /// # Errors
    /// If it is not ours, or the folder cannot be made.
    pub fn cells(&self, experiment: &str) -> Result<Cells> {
        std::fs::create_dir_all(self.folder)
            .map_err(|error| Failure::data(format!("{}: {error}", self.folder.display())))?;
        Cells::open(&self.folder.join(CELLS), experiment)
            .map_err(|error| Failure::from(error).of_kind(Kind::Refused))
    }

    /// A bar that begins with what is stored of so many cells.
    pub fn bar(&self, cells: &Cells, keys: &[Key], total: usize) -> ProgressBar {
        let stored = keys.iter().filter(|key| cells.contains(key)).count();
        let bar = self.console.runs("measuring");
        bar.set_length(total as u64);
        bar.set_position(stored as u64);
        // What was stored says nothing about how fast it goes now.
        bar.reset_eta();
        bar
    }
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, options contradict each other, or something is in the way.
    pub fn new(typed: Reproduce, console: &Console) -> Result<Self> {
        let Some(name) = typed.item.clone() else { return Ok(Self::List) };
        let paper = Paper::of_item(&name)?;
        let Some(folder) = typed.output.clone() else {
            let hint = "say where cells and the report go, with -o DIR";
            return Err(Failure::usage(format!("{name} needs a folder")).hint(hint));
        };
        check_folder(&folder)?;
        let threads = typed.threads.or(std::thread::available_parallelism().ok());
        let command = command(&name, &typed);
        let experiment: Box<dyn Experiment> = match paper {
            Paper::LdpGe => Box::new(ldp_ge::Items::new(&name, typed, console)?),
            Paper::Dpar => Box::new(dpar::Items::new(&name, &typed, console)?),
            Paper::Dprr => Box::new(dprr::Items::new(&name, typed, console)?),
            Paper::HeteroRr => Box::new(heterorr::Items::new(&name, typed, console)?),
        };
        Ok(Self::Measure(Box::new(Work {
            experiment,
            folder,
            threads: threads.unwrap_or(NonZeroUsize::MIN),
            command,
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
        let bench = Bench { folder: &self.folder, threads: self.threads, console };
        let mut report = self.experiment.measure(&bench)?;
        report.command.clone_from(&self.command);
        let files = report.write(&self.folder)?;
        let files = files.iter().map(|path| path.display().to_string()).collect();
        console.answer(&Reproduced { report, files })
    }
}

/// Datasets that an item wants, found but not read.
#[derive(Debug)]
pub struct Sources {
    named: Vec<(String, Source)>,
    /// Whether datasets that are not here are left out, or are an error.
    absent: Absent,
}

/// What becomes of a dataset that is not on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// It was one of the paper's: the others will do.
    LeaveOut,
    /// It was asked for.
    Fail,
}

impl Sources {
    /// Finds datasets by their names.
    ///
    /// # Errors
    /// If one is unknown, or options about one file are given for several.
    pub fn find(
        names: &[String],
        absent: Absent,
        reading: &Reading,
        console: &Console,
    ) -> Result<Self> {
        if names.len() > 1 && describes_one_file(reading) {
            let message =
                "--features, --labels, --bounds, --format and --member are about one dataset";
            return Err(Failure::usage(message).hint("name it with --datasets NAME"));
        }
        let find = |name: &String| {
            Source::find(name, reading.clone(), console).map(|source| (name.clone(), source))
        };
        Ok(Self { named: names.iter().map(find).collect::<Result<Vec<_>>>()?, absent })
    }

    /// Reads all data: it is small beside what is made of it, and a missing file is better found now.
    ///
    /// # Errors
    /// If one cannot be read, or `keep` refuses it, or none is here.
    pub fn load<T>(
        &self,
        console: &Console,
        keep: impl Fn(&str, privet::graph::Loaded) -> Result<T>,
    ) -> Result<Vec<(String, T)>> {
        let mut read = Vec::new();
        for (name, source) in &self.named {
            match source.load(console).and_then(|(loaded, _)| keep(name, loaded)) {
                Ok(data) => read.push((name.clone(), data)),
                Err(_) if self.absent == Absent::LeaveOut && source.is_absent() => {
                    console.note(&format!("{name} is left out: it is not on this machine"));
                }
                Err(failure) => return Err(failure),
            }
        }
        if read.is_empty()
            && let Some((first, _)) = self.named.first()
        {
            let message = "none of the paper's datasets is on this machine";
            let hint = format!(
                "get one with `privet data fetch {first}`, or name your own with --datasets FILE"
            );
            return Err(Failure::data(message).hint(hint));
        }
        Ok(read)
    }
}

/// What was listed, or the default; each once.
pub fn given<T: PartialEq + Clone>(listed: &[T], default: Vec<T>) -> Vec<T> {
    if listed.is_empty() { default } else { distinct(listed.to_vec()) }
}

/// Finite epsilons, or the default. No noise at all is measured in any case.
///
/// # Errors
/// If none of those listed is finite.
pub fn finite_epsilons(listed: &[f64], default: Vec<f64>) -> Result<Vec<f64>> {
    let finite = listed.iter().copied().filter(|&epsilon| epsilon != f64::INFINITY);
    let kept = given(&finite.collect::<Vec<_>>(), Vec::new());
    match (listed.is_empty(), kept.is_empty()) {
        (true, _) => Ok(default),
        (false, false) => Ok(kept),
        (false, true) => {
            let hint = "the ceiling is measured in any case: name an epsilon to compare with it";
            Err(Failure::usage("--epsilons has no finite epsilon").hint(hint))
        }
    }
}

/// Refuses mechanisms that the paper's items do not know.
///
/// # Errors
/// If there is one, with the nearest known.
pub fn check_mechanisms(listed: &[String], known: &[&'static str]) -> Result<()> {
    match listed.iter().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(Error::unknown_name("mechanism", name, known.iter().copied()).into()),
    }
}

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
fn command(item: &str, typed: &Reproduce) -> String {
    let mut words = vec!["privet reproduce".to_owned(), item.to_owned()];
    let mut option = |name: &str, values: Vec<String>| {
        if !values.is_empty() {
            words.push(format!("--{name} {}", values.join(",")));
        }
    };
    option("datasets", typed.datasets.clone());
    option("mechanisms", typed.mechanisms.clone());
    option("epsilons", typed.epsilons.iter().map(f64::to_string).collect());
    option("points", typed.points.iter().map(f64::to_string).collect());
    option("runs", typed.runs.iter().map(u64::to_string).collect());
    let decoding = typed.decoding.map(|rule| match rule {
        DecodingRule::Unbiased => "unbiased".to_owned(),
        DecodingRule::Paper => "paper".to_owned(),
    });
    option("decoding", decoding.into_iter().collect());
    let file =
        |path: &Option<PathBuf>| path.iter().map(|path| path.display().to_string()).collect();
    option("settings", file(&typed.settings));
    option("ceiling-settings", file(&typed.ceiling_settings));
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
