//! `privet reproduce ITEM -o DIR`: the figures and tables of the papers, measured again.
//!
//! What an item is made of is the laboratory's business. Here are the list, the folder, the store of cells,
//! progress and the report; `data` reads what an item needs, `limits` refuses options that are about other items.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use privet::data::formats::HeaderRow;
use privet::graph::{Bounds, BoundsOrigin, Dataset, Error, Features, LoadedData, NodeIds};
use privet::ldp_ge::Preset;
use privet::settings::name;
use privet::words::shell_word;
use privet_lab::experiments::cells::{Cells, Sweep};
use privet_papers::{Inputs, Item, ItemData, MeasureRequest, Places};

use super::trial::with_progress;
use crate::args::{ReadingArgs, Reproduce};
use crate::commands::people::{SYNTHETIC, made_up_threads};
use crate::commands::source::Source;
use crate::failure::{Failure, FailureKind, Result};
use crate::output::console::Console;
use crate::output::reproduce::{ReproducibleItems, ReproductionOutput};

/// The store of finished cells.
const CELLS: &str = "cells.jsonl";

/// Measures what is missing of an item and writes the report, or lists what there is.
///
/// # Errors
/// If options contradict each other, something is in the way, data cannot be read, a run fails, or something cannot be
/// written.
pub(super) fn run(typed: Reproduce, console: &Console) -> Result<()> {
    let Some(name) = &typed.item else { return console.answer(&ReproducibleItems::all()?) };
    let item = Item::find(name)?;
    let Some(folder) = typed.output.clone() else {
        let hint = "say where cells and the report go, with -o DIR";
        return Err(Failure::usage(format!("{name} needs a folder")).hint(hint));
    };
    check_folder(&folder)?;
    let settings_of = |path: &Option<PathBuf>| settings(path.as_deref());
    let wanted = MeasureRequest {
        settings: settings_of(&typed.settings)?,
        ceiling: settings_of(&typed.ceiling_settings)?,
        ..wanted(item, &typed)?
    };
    let sources = Sources::find(&wanted.datasets, &typed, console)?;
    let inputs = sources.read(item.reads, console)?;
    let work = item.work(&wanted, &inputs)?;
    let measure = |sweep: &mut Sweep<'_>| work.measure(sweep);
    let mut report = in_folder(console, "measuring", &folder, item.name, typed.threads, measure)?;
    report.command = command(name, &typed);
    let files = report.write(&folder)?;
    let files = files.iter().map(|path| path.display().to_string()).collect();
    console.answer(&ReproductionOutput { report, files })
}

/// Measures under a bar, out of the store of cells in a folder. Cells of another experiment, or in use by another
/// process, are left alone.
///
/// # Errors
/// If the folder or the store cannot be used, or a run fails.
pub(super) fn in_folder<T, E: Into<Failure>>(
    console: &Console,
    doing: &str,
    folder: &Path,
    experiment: &str,
    threads: Option<NonZeroUsize>,
    measure: impl FnOnce(&mut Sweep<'_>) -> Result<T, E>,
) -> Result<T> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::data(format!("{}: {error}", folder.display())))?;
    let mut cells = Cells::open(&folder.join(CELLS), experiment)
        .map_err(|error| Failure::from(error).of_kind(FailureKind::Refused))?;
    let threads = threads.or(std::thread::available_parallelism().ok());
    with_progress(console, doing, &mut cells, threads.unwrap_or(NonZeroUsize::MIN), measure)
}

/// Settings from a file.
fn settings(path: Option<&Path>) -> Result<Option<Preset>> {
    let Some(path) = path else { return Ok(None) };
    let failed = |error: String| Failure::data(format!("{}: {error}", path.display()));
    let text = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    let expected = |error| failed(format!("not settings that `privet tune` wrote: {error}"));
    serde_json::from_slice(&text).map(Some).map_err(expected)
}

/// A folder with files of other programs is not ours to write reports into.
pub(super) fn check_folder(folder: &Path) -> Result<()> {
    if folder.join(CELLS).exists() {
        return Ok(());
    }
    let refused = |what| {
        let message = format!("{}: refused: {what}", folder.display());
        Err(Failure::new(FailureKind::Refused, message)
            .hint("name a new folder, or an earlier one to continue"))
    };
    match std::fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
        Ok(true) => refused("it holds other files, and no cells to continue from"),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => refused("it is a file"),
        _ => Ok(()),
    }
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
    option("decoding", typed.decoding.iter().map(name).collect());
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
pub(super) fn reading_options(reading: &ReadingArgs) -> String {
    let range = |bounds: &Bounds| format!("{},{}", bounds.column(0).0, bounds.column(0).1);
    let path = |path: &PathBuf| path.display().to_string();
    let delimiter = |byte: u8| match byte {
        b'\t' => "tab".to_owned(),
        b' ' => "space".into(),
        byte => char::from(byte).to_string(),
    };
    let header = match reading.header {
        HeaderRow::Present => Some("yes".to_owned()),
        HeaderRow::Absent => Some("no".into()),
        HeaderRow::Detect => None,
    };
    let facts = &reading.facts;
    let public = facts.assume_public.iter().map(|fact| fact.name()).collect::<Vec<_>>().join(",");
    let options = [
        ("format", reading.format.map(|format| format.name().to_owned())),
        ("delimiter", reading.delimiter.map(delimiter)),
        ("header", header),
        ("source-column", reading.source_column.clone()),
        ("target-column", reading.target_column.clone()),
        ("label-column", reading.label_column.clone()),
        ("member", reading.member.clone()),
        ("features", reading.features.as_ref().map(path)),
        ("labels", reading.labels.as_ref().map(path)),
        ("bounds", reading.bounds.as_ref().map(range)),
        ("nodes", facts.nodes.as_ref().map(path)),
        ("classes", facts.classes.clone()),
        ("columns", facts.columns.clone()),
        ("assume-public", (!public.is_empty()).then_some(public)),
        ("data-dir", reading.data_dir.data_dir.as_ref().map(path)),
    ];
    let flags = [
        ("directed", reading.directed),
        ("undirected", reading.undirected),
        ("keep-self-loops", reading.keep_self_loops),
    ];
    let given = options.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let given = given.map(|(name, value)| format!("--{name} {} ", shell_word(&value)));
    let flags = flags.into_iter().filter(|(_, set)| *set).map(|(name, _)| format!("--{name} "));
    given.chain(flags).collect()
}

// `Sources`: the data that an item wants, found, then read as the item needs it.

/// Datasets that an item wants, found but not read.
#[derive(Debug)]
struct Sources {
    named: Vec<(String, Source)>,
    /// Whether threads are wanted that do not exist.
    made_up: bool,
    /// What becomes of a dataset that is not on this machine.
    absent: MissingDataset,
}

/// What becomes of a dataset that is not on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MissingDataset {
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
    fn find(names: &[String], typed: &Reproduce, console: &Console) -> Result<Self> {
        if names.len() > 1 && describes_one_file(&typed.reading) {
            let message =
                "--features, --labels, --bounds, --format and --member are about one dataset";
            return Err(Failure::usage(message).hint("name it with --datasets NAME"));
        }
        let find = |name: &String| {
            let source = Source::find(&name.as_str().into(), typed.reading.clone(), console);
            source.map(|source| (name.clone(), source))
        };
        let absent =
            if typed.datasets.is_empty() { MissingDataset::LeaveOut } else { MissingDataset::Fail };
        let made_up = names.iter().any(|name| name == SYNTHETIC);
        let read = names.iter().filter(|name| *name != SYNTHETIC);
        Ok(Self { named: read.map(find).collect::<Result<Vec<_>>>()?, made_up, absent })
    }

    /// Reads what an item is measured on; sets of graphs that are made up come last.
    ///
    /// # Errors
    /// If data cannot be read, or is of another kind.
    fn read(&self, reads: ItemData, console: &Console) -> Result<Inputs> {
        let mut inputs = Inputs::default();
        match reads {
            ItemData::Nothing(_) => {}
            ItemData::People => {
                inputs.people = self.load(console, |_, loaded| Ok(loaded.into_nodes()?))?;
            }
            ItemData::PeopleWithRange => {
                let keep = |name: &str, loaded: LoadedData| with_range(name, loaded.into_nodes()?);
                inputs.people = self.load(console, keep)?;
            }
            ItemData::Structure => {
                inputs.people = self.load(console, |name, it| largest(name, it, console))?;
            }
            ItemData::Sets => {
                inputs.sets = self.load(console, |_, loaded| Ok(loaded.into_graphs()?))?;
                if self.made_up {
                    inputs.sets.push((SYNTHETIC.to_owned(), made_up_threads()?));
                }
            }
        }
        Ok(inputs)
    }

    /// Reads all data: it is small beside what is made of it, and a missing file is better found now.
    ///
    /// # Errors
    /// If one cannot be read, or `keep` refuses it, or none is here.
    fn load<T>(
        &self,
        console: &Console,
        keep: impl Fn(&str, LoadedData) -> Result<T>,
    ) -> Result<Vec<(String, T)>> {
        let mut read = Vec::new();
        for (name, source) in &self.named {
            match source.load(console).and_then(|(loaded, _)| keep(name, loaded)) {
                Ok(data) => read.push((name.clone(), data)),
                Err(_) if self.absent == MissingDataset::LeaveOut && source.is_absent() => {
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

/// Of a set of graphs the largest.
fn largest(name: &str, loaded: LoadedData, console: &Console) -> Result<Dataset> {
    let LoadedData::Graphs(set) = loaded else { return Ok(loaded.into_nodes()?) };
    let largest = set.graphs().iter().enumerate().max_by_key(|(_, graph)| graph.edge_count());
    match largest {
        None => Ok(LoadedData::Graphs(set).into_nodes()?),
        Some((at, graph)) => {
            console.note(&format!("{name}: graph {at} of {}, the largest", set.len()));
            let ids = NodeIds::sequential(graph.node_count());
            Ok(Dataset::new(name, graph.clone(), ids)?)
        }
    }
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

fn describes_one_file(reading: &ReadingArgs) -> bool {
    reading.features.is_some()
        || reading.labels.is_some()
        || reading.bounds.is_some()
        || reading.format.is_some()
        || reading.member.is_some()
}

// What may be asked of an item: options that are about others are refused.

/// What is measured: the item's own settings where nothing else was typed.
///
/// # Errors
/// If an option is about another item, or a number is no place on the item's axis.
fn wanted(item: &Item, typed: &Reproduce) -> Result<MeasureRequest> {
    let name = item.name;
    if let ItemData::Nothing(why) = item.reads {
        refuse(typed.datasets.is_empty(), &format!("{name} {why}"), "leave out --datasets")?;
    }
    let decoded = typed.decoding.is_none() || item.decodes;
    refuse(decoded, &format!("--decoding is settled for {name}"), "leave it out")?;
    let once = !item.once || typed.runs.is_none_or(|runs| runs == 1);
    refuse(once, &format!("--runs: {name} draws one run of each model"), "leave it out")?;
    check_mechanisms(item, &typed.mechanisms)?;
    let mut wanted = item.wanted(typed.quick);
    wanted.datasets = given(&typed.datasets, wanted.datasets);
    wanted.mechanisms = given(&typed.mechanisms, wanted.mechanisms);
    wanted.epsilons = finite_epsilons(&typed.epsilons, wanted.epsilons)?;
    match check_points(item, &typed.points)? {
        Some(Places::Epsilons) => wanted.epsilons = given(&typed.points, wanted.epsilons),
        _ => wanted.points = given(&typed.points, wanted.points),
    }
    wanted.runs = typed.runs.unwrap_or(wanted.runs);
    wanted.decoding = typed.decoding;
    Ok(wanted)
}

fn refuse(fits: bool, message: &str, hint: &str) -> Result<()> {
    if fits { Ok(()) } else { Err(Failure::usage(message).hint(hint)) }
}

/// What the places of the item's axis are, if those that were typed are such.
///
/// # Errors
/// If the item has no axis but epsilon, or a number is no place on it.
fn check_points(item: &Item, points: &[f64]) -> Result<Option<Places>> {
    let places = item.places;
    let message = format!("--points: {} has no axis of its own", item.name);
    refuse(places.is_some() || points.is_empty(), &message, "use --epsilons")?;
    let fits = |point: f64| places.is_some_and(|places| places.contains(point));
    match points.iter().find(|point| !fits(**point)) {
        None => Ok(places),
        Some(point) => {
            let what = match places {
                Some(Places::Shares) => "0 to 1",
                Some(Places::Users) => "10 to 10,000,000",
                _ => "numbers above 0",
            };
            let message = format!("--points: {point} is no place on the axis of {}", item.name);
            Err(Failure::usage(message).hint(format!("it takes {what}")))
        }
    }
}

/// What was listed, or the default; each once.
fn given<T: PartialEq + Clone>(listed: &[T], default: Vec<T>) -> Vec<T> {
    if listed.is_empty() { default } else { distinct(listed.to_vec()) }
}

/// Finite epsilons, or the default. No noise at all is measured in any case.
///
/// # Errors
/// If none of those listed is finite.
fn finite_epsilons(listed: &[f64], default: Vec<f64>) -> Result<Vec<f64>> {
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

/// Refuses mechanisms that the item does not know.
///
/// # Errors
/// If there is one, with the nearest known.
fn check_mechanisms(item: &Item, listed: &[String]) -> Result<()> {
    let known = item.known;
    let message = format!("--mechanisms: {} measures all of its methods", item.name);
    refuse(listed.is_empty() || !known.is_empty(), &message, "leave it out")?;
    match listed.iter().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(Error::unknown_name("mechanism", name, known.iter().copied()).into()),
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
