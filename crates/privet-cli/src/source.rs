//! [`Source`]: something to read, found by name or path.
//!
//! A word that names a benchmark means that benchmark in every folder, so that a command does the
//! same thing wherever it is run; anything else is a path, and `./cora` is always a path.

use std::path::{Path, PathBuf};

use privet_graph::catalog::{self, Selection};
use privet_graph::io::{Bundle, Format, ReadOptions, attach, detect, read_bundle};
use privet_graph::{Bounds, Dataset, Error, Loaded};

use crate::args::Reading;
use crate::console::Console;
use crate::facts::Origin;
use crate::failure::{Failure, Result};

/// Something to read, and how.
#[derive(Debug)]
pub struct Source {
    place: SourcePlace,
    options: ReadOptions,
    features: Option<PathBuf>,
    labels: Option<PathBuf>,
    bounds: Option<Bounds>,
}

#[derive(Debug)]
enum SourcePlace {
    Benchmark(Selection, Vec<PathBuf>),
    Path(PathBuf),
}

impl Source {
    /// Finds out what was meant by a name or path.
    ///
    /// # Errors
    /// If it is neither.
    pub fn find(typed: &str, reading: Reading, console: &Console) -> Result<Self> {
        let options = reading.options();
        let folders = catalog::data_dirs(reading.data_dir.data_dir.as_deref());
        let place = match catalog::select(typed) {
            Ok(selection) => {
                if Path::new(typed).exists() {
                    console.note(&format!(
                        "'{typed}' is taken as the benchmark; for the file or folder here write ./{typed}"
                    ));
                }
                SourcePlace::Benchmark(variant(selection, &reading)?, folders)
            }
            Err(error) => path(typed, error)?,
        };
        let Reading { features, labels, bounds, .. } = reading;
        Ok(Self { place, options, features, labels, bounds })
    }

    /// The file or folder, unless it is a benchmark.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            SourcePlace::Benchmark(..) => None,
            SourcePlace::Path(path) => Some(path),
        }
    }

    /// Whether it is a benchmark whose files are not all on this machine.
    pub fn is_absent(&self) -> bool {
        match &self.place {
            SourcePlace::Benchmark(selection, folders) => !selection.locate(folders).is_complete(),
            SourcePlace::Path(_) => false,
        }
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
    pub fn load(&self, console: &Console) -> Result<(Loaded, Origin)> {
        let _alive = console.spinner(match &self.place {
            SourcePlace::Benchmark(selection, _) => format!("reading {selection}"),
            SourcePlace::Path(path) => format!("reading {}", path.display()),
        });
        let (loaded, origin) = match &self.place {
            SourcePlace::Benchmark(selection, folders) => {
                let origin = origin_of(selection, folders);
                (selection.load(folders, &self.options)?, origin)
            }
            SourcePlace::Path(path) => self.load_path(path)?,
        };
        Ok((self.complete(loaded)?, origin))
    }

    /// Reads it and notes what is odd about it. If it is not on this machine, says that what can be made
    /// up (`people`, say) will do for a try.
    ///
    /// # Errors
    /// Those of [`Source::load`].
    pub fn load_or_make_up(&self, what: &str, console: &Console) -> Result<Loaded> {
        let loaded = self.load(console).map_err(|failure| match self.is_absent() {
            true => {
                failure.or_hint(&format!("try it on made-up {what} with `--dataset synthetic`"))
            }
            false => failure,
        });
        let (loaded, _) = loaded?;
        loaded.notices().iter().for_each(|notice| console.note(&notice.to_string()));
        Ok(loaded)
    }

    fn load_path(&self, path: &Path) -> Result<(Loaded, Origin)> {
        let bundle = Bundle::from_path(path, self.options.limits)?;
        let format = match self.options.format {
            Some(format) => format,
            // A damaged edge list may not look like one; reading it says what is wrong, and where.
            None => {
                detect::detect(&bundle).or_else(|error| edge_list_by_name(path).ok_or(error))?
            }
        };
        let options = ReadOptions { format: Some(format), ..self.options.clone() };
        let origin = Origin {
            path: Some(path.display().to_string()),
            format: Some(format.name().into()),
            ..Origin::default()
        };
        Ok((read_bundle(&bundle, &options)?, origin))
    }

    /// Adds what the options bring: features, labels, bounds.
    fn complete(&self, loaded: Loaded) -> Result<Loaded> {
        if self.features.is_none() && self.labels.is_none() && self.bounds.is_none() {
            return Ok(loaded);
        }
        let mut dataset = loaded.into_nodes()?;
        if let Some(path) = &self.features {
            dataset = attach::features(dataset, path, &self.options)?;
        }
        if let Some(path) = &self.labels {
            dataset = attach::labels(dataset, path, &self.options)?;
        }
        if let Some(bounds) = &self.bounds {
            dataset = declare(dataset, bounds.clone())?;
        }
        Ok(Loaded::Nodes(dataset))
    }
}

/// Where the files of a benchmark lie.
fn origin_of(selection: &Selection, folders: &[PathBuf]) -> Origin {
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
fn variant(selection: Selection, reading: &Reading) -> Result<Selection> {
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
fn path(typed: &str, unknown: Error) -> Result<SourcePlace> {
    let path = PathBuf::from(typed);
    let is_word = !typed.contains(['/', '\\', '.']);
    if is_word && !path.exists() {
        let hint = format!(
            "`privet data list` shows all names; there is no file or folder '{typed}' here either"
        );
        return Err(Failure::from(unknown).hint(hint));
    }
    Ok(SourcePlace::Path(path))
}

/// An edge list, if the name of a file says that it is a table of text.
fn edge_list_by_name(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_str()?.to_lowercase();
    let plain = name.trim_end_matches(".gz").trim_end_matches(".zst");
    let endings = [".csv", ".tsv", ".txt", ".edges", ".edgelist"];
    (path.is_file() && endings.iter().any(|ending| plain.ends_with(ending)))
        .then_some(Format::EdgeList)
}

/// The dataset with the bounds its owner declares.
fn declare(dataset: Dataset, bounds: Bounds) -> Result<Dataset> {
    let Some(features) = dataset.features().cloned() else {
        let message = "--bounds declares the range of features, but there are none";
        return Err(Failure::usage(message).hint("give them with --features FILE"));
    };
    Ok(dataset.with_features(features.with_bounds(bounds)?)?)
}
