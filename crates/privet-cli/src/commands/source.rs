//! [`Source`]: something to read, found by name or path.
//!
//! A word that names a benchmark means that benchmark in every folder, so that a command does the
//! same thing wherever it is run; anything else is a path, and `./cora` is always a path.

use std::path::{Path, PathBuf};

use privet::apart::keep_apart;
use privet::cardfile::of_input;
use privet::data::catalog::{self, BenchmarkSelection};
use privet::data::formats::read_list;
use privet::data::formats::{Bundle, Format, ReadOptions, attach, detect, read_bundle};
use privet::graph::files::{is_special, is_standard};
use privet::graph::{
    Bounds, Dataset, DeclaredColumns, Error, Fact, FactOrigin, LoadedData, NodeIds,
};
use privet::project::InputGuard;

use crate::args::{DataName, FactOptions, ReadingArgs};
use crate::failure::{Failure, Result};
use crate::output::console::Console;
use crate::output::facts::Origin;

/// Something to read, and how.
#[derive(Debug)]
pub struct Source {
    place: SourcePlace,
    options: ReadOptions,
    features: Option<PathBuf>,
    labels: Option<PathBuf>,
    bounds: Option<Bounds>,
    facts: FactOptions,
}

#[derive(Debug)]
enum SourcePlace {
    Benchmark(BenchmarkSelection, Vec<PathBuf>),
    Path(PathBuf),
}

impl Source {
    /// Finds out what was meant by a name or path.
    ///
    /// # Errors
    /// If it is neither.
    pub fn find(typed: &DataName, reading: ReadingArgs, console: &Console) -> Result<Self> {
        let options = reading.options();
        let folders = catalog::data_dirs(reading.data_dir.data_dir.as_deref());
        // A benchmark's name comes before a file of that name; ./NAME is always the file.
        let place = match catalog::select(typed) {
            Ok(selection) => {
                if Path::new(typed.as_typed()).exists() {
                    console.note(&format!(
                        "'{typed}' is taken as the benchmark; for the file or folder here write ./{typed}"
                    ));
                }
                SourcePlace::Benchmark(variant(selection, &reading)?, folders)
            }
            Err(error) => path(typed, error)?,
        };
        let ReadingArgs { features, labels, bounds, facts, .. } = reading;
        Ok(Self { place, options, features, labels, bounds, facts })
    }

    /// The file or folder, unless it is a benchmark.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            SourcePlace::Benchmark(..) => None,
            // What a stream was made from is not known, so no card stands beside it.
            SourcePlace::Path(path) => Some(&**path).filter(|path| !is_standard(path)),
        }
    }

    /// Whether it is a benchmark whose files are not all on this machine.
    pub fn is_absent(&self) -> bool {
        match &self.place {
            SourcePlace::Benchmark(selection, folders) => !selection.locate(folders).is_complete(),
            SourcePlace::Path(_) => false,
        }
    }

    /// Every file and folder that is read: itself, what stands beside it, and what options name.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let mut inputs = match &self.place {
            SourcePlace::Benchmark(selection, folders) => {
                selection.locate(folders).present().map(|file| file.path.clone()).collect()
            }
            SourcePlace::Path(path) => Bundle::files_of(path),
        };
        inputs.extend(
            [&self.features, &self.labels, &self.facts.nodes].into_iter().flatten().cloned(),
        );
        let lists = [&self.facts.classes, &self.facts.columns].into_iter().flatten();
        inputs.extend(lists.map(PathBuf::from).filter(|path| path.is_file()));
        inputs
    }

    /// Refuses to write over what is read.
    ///
    /// # Errors
    /// If an output is an input, holds one, or lies in one.
    pub fn keep_apart(&self, outputs: &[&Path]) -> Result<()> {
        Ok(keep_apart(&self.inputs(), outputs)?)
    }

    /// Whether features come from a file of their own, in place of any in the source.
    pub fn has_other_features(&self) -> bool {
        self.features.is_some()
    }

    /// Whether labels come from a file of their own, in place of any in the source.
    pub fn has_other_labels(&self) -> bool {
        self.labels.is_some()
    }

    /// Reads it, with the features and labels from files of their own, and says where it came from.
    ///
    /// # Errors
    /// If something cannot be read, or does not fit together.
    pub fn load(&self, console: &Console) -> Result<(LoadedData, Origin)> {
        let _alive = console.spinner(match &self.place {
            SourcePlace::Benchmark(selection, _) => format!("reading {selection}"),
            SourcePlace::Path(path) if is_standard(path) => "reading standard input".into(),
            SourcePlace::Path(path) => format!("reading {}", path.display()),
        });
        let (guard, raw) = self.guarded()?;
        let (loaded, origin) = match &self.place {
            SourcePlace::Benchmark(selection, folders) => {
                let origin = origin_of(selection, folders);
                (selection.load(folders, &self.options)?, origin)
            }
            SourcePlace::Path(path) => self.load_path(path)?,
        };
        // Attached files and declarations complete the data before it is compared.
        let loaded = self.complete(loaded)?;
        if raw {
            guard.check_loaded(&loaded)?;
        }
        Ok((loaded, origin))
    }

    /// Refuses files that hold people whom a project protects, before they are read: a table of people is no graph, and a
    /// complaint about its form would hide the refusal. Whether the data itself is to be compared, too: a benchmark is
    /// public, and something released has a card that was issued for it.
    fn guarded(&self) -> Result<(InputGuard, bool)> {
        let inputs = match &self.place {
            SourcePlace::Path(_) => self.inputs(),
            SourcePlace::Benchmark(..) => Vec::new(),
        };
        let attached: Vec<PathBuf> =
            [&self.features, &self.labels].into_iter().flatten().cloned().collect();
        let guard = InputGuard::around(inputs.iter().chain(&attached).map(PathBuf::as_path))?;
        if guard.is_empty() {
            return Ok((guard, false));
        }
        let is_released = self.path().is_some_and(|path| matches!(of_input(path), Ok(Some(_))));
        // What was released has been charged: it may be read like public data.
        let raw = matches!(self.place, SourcePlace::Path(_)) && !is_released;
        if raw {
            guard.check_files(&inputs)?;
        }
        guard.check_attached(&attached)?;
        Ok((guard, raw))
    }

    /// Reads it and notes what is odd about it. If it is not on this machine, says that what can be made
    /// up (`people`, say) will do for a try.
    ///
    /// # Errors
    /// Those of [`Source::load`].
    pub fn load_or_make_up(&self, what: &str, console: &Console) -> Result<LoadedData> {
        let loaded = self.load(console).map_err(|failure| match self.is_absent() {
            true => {
                failure.or_hint(&format!("try it on made-up {what} with `--dataset synthetic`"))
            }
            false => failure,
        });
        let (loaded, _) = loaded?;
        console.notices(loaded.notices());
        Ok(loaded)
    }

    fn load_path(&self, path: &Path) -> Result<(LoadedData, Origin)> {
        let bundle = Bundle::from_path(path, self.options.limits)?;
        let format = match self.options.format {
            Some(format) => format,
            // A damaged edge list may not look like one; reading it says what is wrong, and where.
            None => detect(&bundle).or_else(|error| edge_list_by_name(path).ok_or(error))?,
        };
        let options = ReadOptions { format: Some(format), ..self.options.clone() };
        let origin = Origin {
            path: Some(path.display().to_string()),
            format: Some(format.name().into()),
            ..Origin::default()
        };
        Ok((read_bundle(&bundle, &options)?, origin))
    }

    /// Adds what the options bring: features, labels, bounds, and what is public.
    fn complete(&self, loaded: LoadedData) -> Result<LoadedData> {
        let FactOptions { nodes, classes, columns, assume_public } = &self.facts;
        let stated = nodes.is_some() || classes.is_some() || columns.is_some();
        let added = self.features.is_some() || self.labels.is_some() || self.bounds.is_some();
        if !stated && !added {
            return Ok(take_for_public(loaded, assume_public));
        }
        // Facts and attachments are about one graph.
        let mut dataset = loaded.into_nodes()?;
        // The universe first: features and labels are matched by its ids.
        if let Some(path) = nodes {
            let ids = NodeIds::texts(read_list(path)?)?;
            dataset = dataset.with_universe(ids)?;
        }
        if let Some(path) = &self.features {
            dataset = attach::features(dataset, path, &self.options)?;
        }
        if let Some(path) = &self.labels {
            dataset = attach::labels(dataset, path, &self.options)?;
        }
        if let Some(typed) = classes {
            dataset = dataset.with_classes(class_list(typed)?)?;
        }
        if let Some(typed) = columns {
            dataset = dataset.with_columns(column_list(typed)?)?;
        }
        if let Some(bounds) = &self.bounds {
            dataset = declare(dataset, bounds.clone())?;
        }
        Ok(take_for_public(LoadedData::Nodes(dataset), assume_public))
    }
}

fn take_for_public(loaded: LoadedData, facts: &[Fact]) -> LoadedData {
    match loaded {
        LoadedData::Nodes(dataset) => {
            LoadedData::Nodes(facts.iter().fold(dataset, |data, &fact| data.taken_for_public(fact)))
        }
        LoadedData::Graphs(set) => LoadedData::Graphs(match set.ids_origin() {
            FactOrigin::ReadOff if facts.contains(&Fact::Ids) => {
                set.with_ids_origin(FactOrigin::TakenForPublic)
            }
            _ => set,
        }),
    }
}

/// `a,b,c`, or a file with one a line.
fn class_list(typed: &str) -> Result<Vec<String>> {
    if Path::new(typed).is_file() {
        return Ok(read_list(Path::new(typed))?);
    }
    let mut names: Vec<String> = typed.split(',').map(|name| name.trim().to_owned()).collect();
    names.retain(|name| !name.is_empty());
    let mut distinct = names.clone();
    distinct.sort_unstable();
    distinct.dedup();
    // A class twice would number labels wrongly.
    if names.is_empty() || distinct.len() < names.len() {
        let message = format!("--classes {typed}: found no list of distinct classes");
        return Err(Failure::usage(message).hint("--classes A,B,C or a file of one a line"));
    }
    Ok(names)
}

/// A number, or a file with a name a line.
fn column_list(typed: &str) -> Result<DeclaredColumns> {
    match typed.parse() {
        Ok(count) => Ok(DeclaredColumns::Count(count)),
        Err(_) => Ok(DeclaredColumns::Names(read_list(Path::new(typed))?)),
    }
}

/// Where the files of a benchmark lie.
fn origin_of(selection: &BenchmarkSelection, folders: &[PathBuf]) -> Origin {
    let located = selection.locate(folders);
    let folder = located.present().next().and_then(|here| here.path.parent());
    Origin {
        benchmark: Some(selection.to_string()),
        path: folder.map(|folder| folder.display().to_string()),
        format: Some(selection.variant.format.name().into()),
        ..Origin::default()
    }
}

/// The variant that `--member` names, if it was given with the bare name of a benchmark.
fn variant(selection: BenchmarkSelection, reading: &ReadingArgs) -> Result<BenchmarkSelection> {
    if reading.format.is_some() {
        let message = format!("--format is known for the benchmark '{selection}'");
        return Err(Failure::usage(message).hint("leave it out"));
    }
    match &reading.member {
        Some(name) => Ok(selection.entry.variant(name)?),
        None => Ok(selection),
    }
}

/// A path, unless it looks like a misspelt name: no such file, no extension, no folder.
fn path(typed: &DataName, unknown: Error) -> Result<SourcePlace> {
    let path = PathBuf::from(typed.as_typed());
    // A word without a dot or slash was probably meant as a benchmark.
    let is_word = !typed.contains(['/', '\\', '.']);
    if is_word && !is_standard(&path) && !path.exists() {
        let hint = format!(
            "`privet data list` shows all names; there is no file or folder '{typed}' here either"
        );
        return Err(Failure::from(unknown).hint(hint));
    }
    Ok(SourcePlace::Path(path))
}

/// An edge list, if the name of a file says that it is a table of text.
fn edge_list_by_name(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    // Compression is no part of the format's name.
    let plain = name.trim_end_matches(".gz").trim_end_matches(".zst");
    let endings = [".csv", ".tsv", ".txt", ".edges", ".edgelist"];
    // A stream has no name: most of what is piped are lines of two ids.
    let stream = is_standard(path) || is_special(path);
    let named = path.is_file() && endings.iter().any(|ending| plain.ends_with(ending));
    (stream || named).then_some(Format::EdgeList)
}

/// The dataset with the bounds its owner declares.
fn declare(dataset: Dataset, bounds: Bounds) -> Result<Dataset> {
    let Some(features) = dataset.features().cloned() else {
        let message = "--bounds declares the range of features, but there are none";
        return Err(Failure::usage(message).hint("give them with --features FILE"));
    };
    Ok(dataset.with_features(features.with_bounds(bounds)?)?)
}
