//! Writing: a whole dataset or nothing, by way of a temporary file beside the target.
//!
//! | target | holds |
//! |---|---|
//! | a folder name | everything, as CSV (or Parquet, if asked for) |
//! | `.npz`, `.graphml` | everything |
//! | `.csr` | everything, in a folder of arrays that is read where it lies |
//! | `.csv`, `.tsv`, `.parquet` | the edges; refused if that would lose something |
//! | `.txt` | a set of graphs, as GIN's text |
//! | text, and `.gz` or `.zst` | the same, compressed |
//!
//! What holds everything reads back equal, given that the reader is told to keep self-loops if
//! there are any: it drops them by default, and says so.

mod form;
mod packed;
mod rows;
mod staged;
mod target;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use form::Form;
use packed::Packed;
pub use privet_graph::files::temporary;
pub use rows::{check_rows, write_rows};
use staged::{Kind, Staged};
use target::{Tables, Target};

use super::manifest::{self, Manifest};
use super::{Format, csr_folder, csv_folder};
use crate::{Dataset, Features, LoadedData, Result, SourceLocation};

/// What to do if the target exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// Refuse to write.
    #[default]
    Refuse,
    /// Replace it, once the new one is complete. A folder is replaced only if it holds nothing
    /// but files that Privet writes.
    Replace,
}

/// Writes a dataset to `path` in the format named, or else in the one the path's ending tells, and
/// returns the files written.
///
/// # Errors
/// If the target exists, the format cannot hold what is to be written, or the disk refuses. Then
/// nothing has changed.
///
/// ```
/// use privet_data::formats::write::{Overwrite, write};
/// use privet_graph::{Dataset, Direction, GraphBuilder, LoadedData, NodeIds};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("people");
/// let (graph, _) = GraphBuilder::new(3, Direction::Undirected).edges([(0, 1)]).build()?;
/// let people = Dataset::new("people", graph, NodeIds::texts(["ada", "bob", "cy"])?)?;
/// let files = write(&LoadedData::Nodes(people), &path, None, Overwrite::Refuse)?;
/// assert_eq!(files, [path.join("edges.csv"), path.join("nodes.csv"), path.join("dataset.json")]);
/// # Ok::<(), privet_graph::Error>(())
/// ```
pub fn write(
    loaded: &LoadedData,
    path: &Path,
    format: Option<Format>,
    overwrite: Overwrite,
) -> Result<Vec<PathBuf>> {
    let place = SourceLocation::file(path.display().to_string());
    let (target, packing) = Target::of(path, format, &place)?;
    check_fit(loaded, target, &place)?;
    if let (LoadedData::Nodes(dataset), Target::Folder(tables)) = (loaded, target) {
        return write_folder(dataset, path, tables, overwrite);
    }
    let staged = Staged::new(path, Kind::File, overwrite)?;
    let out = match Form::of(loaded, target) {
        Form::Text(text) => {
            let out = staged.create_file(None)?;
            let mut out = Packed::new(out, packing).map_err(staged.failed())?;
            text.write(&mut out, &place)?;
            out.finish().map_err(staged.failed())?
        }
        Form::Binary(binary) => {
            let mut out = staged.create_file(None)?;
            binary.write(&mut out, &place)?;
            out
        }
    };
    staged.finish_file(out)?;
    staged.commit()
}

/// Writes a dataset to a stream: its edges as csv, or another format that is one file.
///
/// # Errors
/// If the format cannot hold what is to be written, or the stream refuses.
pub fn write_to(loaded: &LoadedData, format: Option<Format>, out: &mut impl Write) -> Result<()> {
    let place = SourceLocation::file("standard output");
    let target = Target::of_stream(format, &place)?;
    check_fit(loaded, target, &place)?;
    match Form::of(loaded, target) {
        Form::Text(text) => text.write(out, &place)?,
        Form::Binary(binary) => {
            // These know only at the end what stands at the beginning.
            let mut whole = io::Cursor::new(Vec::new());
            binary.write(&mut whole, &place)?;
            out.write_all(whole.get_ref()).map_err(|error| place.io(error))?;
        }
    }
    out.flush().map_err(|error| place.io(error))
}

/// Checks that `path` and `format` name something that can be written, before there is anything to
/// write.
///
/// # Errors
/// If the ending tells no format, or the format can only be read.
pub fn check(path: &Path, format: Option<Format>) -> Result<()> {
    Target::of(path, format, &SourceLocation::file(path.display().to_string())).map(drop)
}

/// Whether `path` and `format` name a file with room for edges and nothing else.
///
/// # Errors
/// As [`check`].
pub fn is_edges_alone(path: &Path, format: Option<Format>) -> Result<bool> {
    let place = SourceLocation::file(path.display().to_string());
    Ok(Target::of(path, format, &place)?.0.is_edges_alone())
}

/// Whether `path` and `format` name a file with room for a set of graphs alone.
///
/// # Errors
/// As [`check`].
pub fn is_set(path: &Path, format: Option<Format>) -> Result<bool> {
    let place = SourceLocation::file(path.display().to_string());
    Ok(Target::of(path, format, &place)?.0 == Target::GinText)
}

/// Refuses a format that has no room for what is to be written.
fn check_fit(loaded: &LoadedData, target: Target, place: &SourceLocation) -> Result<()> {
    match (loaded, target) {
        (LoadedData::Graphs(_), Target::GinText) => Ok(()),
        (LoadedData::Graphs(_), _) => Err(place.refused(
            "a set of graphs can be written as gin-text only; name a .txt file, or gin-text",
        )),
        (LoadedData::Nodes(_), Target::GinText) => Err(place.refused(
            "gin-text holds sets of graphs, and this is a single one; name a folder, or a .npz",
        )),
        (LoadedData::Nodes(dataset), target) if target.is_edges_alone() => {
            refuse_loss(dataset, place)
        }
        (LoadedData::Nodes(_), _) => Ok(()),
    }
}

/// A file of edges has no room for anything else.
fn refuse_loss(dataset: &Dataset, place: &SourceLocation) -> Result<()> {
    let graph = dataset.graph();
    let transposed = graph.transposed();
    let alone = |&node: &u32| graph.degree(node) == 0 && transposed.degree(node) == 0;
    let isolated = graph.nodes().filter(alone).count();
    let mut lost = Vec::new();
    lost.extend(dataset.features().map(|features| format!("{} features", features.columns())));
    lost.extend(dataset.labels().map(|labels| format!("{} classes", labels.class_count())));
    lost.extend(dataset.split().map(|_| "the split".to_owned()));
    lost.extend((isolated > 0).then(|| format!("{isolated} isolated nodes")));
    if lost.is_empty() {
        return Ok(());
    }
    Err(place.refused(format!(
        "a file of edges would lose {}; name a folder (no ending) or a .npz file",
        lost.join(", ")
    )))
}

fn write_folder(
    dataset: &Dataset,
    path: &Path,
    tables: Tables,
    overwrite: Overwrite,
) -> Result<Vec<PathBuf>> {
    let staged = Staged::new(path, Kind::Folder, overwrite)?;
    let about = Manifest::of(dataset);
    match tables {
        Tables::Csv => {
            write_member(&staged, "edges.csv", |out| csv_folder::write_edges(dataset, b',', out))?;
            let labels = about.labels.as_ref();
            write_member(&staged, "nodes.csv", |out| {
                csv_folder::write_nodes(dataset, labels, out)
            })?;
            if let Some(features) = dataset.features() {
                write_member(&staged, "features.csv", |out| {
                    csv_folder::write_features(dataset, features, out)
                })?;
            }
        }
        Tables::Parquet => parquet::write_tables(dataset, &about, &staged)?,
        Tables::Csr => csr_folder::write(dataset, &mut &staged).map_err(staged.failed())?,
    }
    write_member(&staged, manifest::FILE, |out| about.write(out))?;
    staged.commit()
}

impl csr_folder::Members for &Staged {
    type Out = BufWriter<File>;

    fn create(&mut self, name: &str) -> io::Result<BufWriter<File>> {
        self.create_file(Some(name)).map_err(io::Error::other)
    }

    fn finish(&mut self, out: BufWriter<File>) -> io::Result<()> {
        self.finish_file(out).map_err(io::Error::other)
    }
}

fn write_member(
    staged: &Staged,
    name: &str,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<()> {
    let mut out = staged.create_file(Some(name))?;
    fill(&mut out).map_err(staged.failed())?;
    staged.finish_file(out)
}

#[cfg(feature = "tables")]
mod parquet {
    use super::*;
    use crate::formats::parquet_table;

    pub fn write_edges(
        dataset: &Dataset,
        out: &mut (impl Write + Send),
        place: &SourceLocation,
    ) -> Result<()> {
        parquet_table::write_edges(dataset, out).map_err(|error| place.io(error))
    }

    pub fn write_rows(
        dataset: &Dataset,
        features: &Features,
        out: &mut (impl Write + Send),
        place: &SourceLocation,
    ) -> Result<()> {
        parquet_table::write_features(dataset, features, out).map_err(|error| place.io(error))
    }

    pub fn write_tables(dataset: &Dataset, about: &Manifest, staged: &Staged) -> Result<()> {
        write_member(staged, "edges.parquet", |out| parquet_table::write_edges(dataset, out))?;
        write_member(staged, "nodes.parquet", |out| {
            parquet_table::write_nodes(dataset, about.labels.as_ref(), out)
        })?;
        if let Some(features) = dataset.features() {
            write_member(staged, "features.parquet", |out| {
                parquet_table::write_features(dataset, features, out)
            })?;
        }
        Ok(())
    }
}

#[cfg(not(feature = "tables"))]
mod parquet {
    use super::*;

    fn missing(place: &SourceLocation) -> crate::Error {
        place.refused("Parquet is not compiled in (cargo feature `tables`)")
    }

    pub fn write_edges(_: &Dataset, _: &mut impl Write, place: &SourceLocation) -> Result<()> {
        Err(missing(place))
    }

    pub fn write_rows(
        _: &Dataset,
        _: &Features,
        _: &mut impl Write,
        place: &SourceLocation,
    ) -> Result<()> {
        Err(missing(place))
    }

    pub fn write_tables(_: &Dataset, _: &Manifest, staged: &Staged) -> Result<()> {
        Err(missing(staged.place()))
    }
}

#[cfg(test)]
mod tests;
