//! `privet reproduce ITEM -o DIR`: the figures and tables of the papers, measured again.
//!
//! What an item is made of is the laboratory's business. Here are the list, the folder, the store of cells,
//! progress and the report; `data` reads what an item needs, `limits` refuses options that are about other items.

mod data;
mod limits;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use privet::data::formats::HeaderRow;
use privet::graph::Bounds;
use privet::ldp_ge::Preset;
use privet::settings::name;
use privet::words::shell_word;
use privet_lab::experiments::cells::{Cells, Sweep};
use privet_lab::experiments::reproduce::{Item, Wanted};

use super::trial::with_progress;
use crate::args::{Reading, Reproduce};
use crate::console::Console;
use crate::failure::{Failure, Kind, Result};
use crate::reproduced::{Listed, Reproduced};
use data::Sources;

/// The store of finished cells.
const CELLS: &str = "cells.jsonl";

/// Measures what is missing of an item and writes the report, or lists what there is.
///
/// # Errors
/// If options contradict each other, something is in the way, data cannot be read, a run fails, or something cannot be
/// written.
pub(super) fn run(typed: Reproduce, console: &Console) -> Result<()> {
    let Some(name) = &typed.item else { return console.answer(&Listed::all()?) };
    let item = Item::find(name)?;
    let Some(folder) = typed.output.clone() else {
        let hint = "say where cells and the report go, with -o DIR";
        return Err(Failure::usage(format!("{name} needs a folder")).hint(hint));
    };
    check_folder(&folder)?;
    let settings_of = |path: &Option<PathBuf>| settings(path.as_deref());
    let wanted = Wanted {
        settings: settings_of(&typed.settings)?,
        ceiling: settings_of(&typed.ceiling_settings)?,
        ..limits::wanted(item, &typed)?
    };
    let sources = Sources::find(&wanted.datasets, &typed, console)?;
    let inputs = sources.read(item.reads, console)?;
    let work = item.work(&wanted, &inputs)?;
    let measure = |sweep: &mut Sweep<'_>| work.measure(sweep);
    let mut report = in_folder(console, "measuring", &folder, item.name, typed.threads, measure)?;
    report.command = command(name, &typed);
    let files = report.write(&folder)?;
    let files = files.iter().map(|path| path.display().to_string()).collect();
    console.answer(&Reproduced { report, files })
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
        .map_err(|error| Failure::from(error).of_kind(Kind::Refused))?;
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

/// A folder of somebody's files is not ours to write reports into.
pub(super) fn check_folder(folder: &Path) -> Result<()> {
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
pub(super) fn reading_options(reading: &Reading) -> String {
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
