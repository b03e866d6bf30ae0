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
//! What holds everything reads back equal, given that the reader keeps self-loops if
//! there are any: it drops them by default, and says so.

mod rows;
mod staged;
mod target;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use staged::{Staged, StagedKind};
use target::OutputForm;
use target::{FolderTables, WriteTarget};

use super::manifest::{self, Manifest};
use super::{Format, csr_folder, csv_folder};
use crate::{Dataset, Features, LoadedData, Result, SourceLocation};

pub use privet_graph::files::temporary;
pub use rows::{check_rows, write_rows};

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
    let (target, packing) = WriteTarget::of(path, format, &place)?;
    // What the format cannot hold is refused before anything is created.
    check_fit(loaded, target, &place)?;
    if let (LoadedData::Nodes(dataset), WriteTarget::Folder(tables)) = (loaded, target) {
        return write_folder(dataset, path, tables, overwrite);
    }
    // Written beside, and moved when it is complete.
    let staged = Staged::new(path, StagedKind::File, overwrite)?;
    let out = match OutputForm::of(loaded, target) {
        OutputForm::Text(text) => {
            let out = staged.create_file(None)?;
            let mut out = Packed::new(out, packing).map_err(staged.failed())?;
            text.write(&mut out, &place)?;
            out.finish().map_err(staged.failed())?
        }
        OutputForm::Binary(binary) => {
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
    let target = WriteTarget::of_stream(format, &place)?;
    check_fit(loaded, target, &place)?;
    match OutputForm::of(loaded, target) {
        OutputForm::Text(text) => text.write(out, &place)?,
        OutputForm::Binary(binary) => {
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
    WriteTarget::of(path, format, &SourceLocation::file(path.display().to_string())).map(drop)
}

/// Whether `path` and `format` name a file with room for edges and nothing else.
///
/// # Errors
/// As [`check`].
pub fn is_edges_alone(path: &Path, format: Option<Format>) -> Result<bool> {
    let place = SourceLocation::file(path.display().to_string());
    Ok(WriteTarget::of(path, format, &place)?.0.is_edges_alone())
}

/// Whether `path` and `format` name a file with room for a set of graphs alone.
///
/// # Errors
/// As [`check`].
pub fn is_set(path: &Path, format: Option<Format>) -> Result<bool> {
    let place = SourceLocation::file(path.display().to_string());
    Ok(WriteTarget::of(path, format, &place)?.0 == WriteTarget::GinText)
}

/// Refuses a format that has no room for what is to be written.
fn check_fit(loaded: &LoadedData, target: WriteTarget, place: &SourceLocation) -> Result<()> {
    match (loaded, target) {
        (LoadedData::Graphs(_), WriteTarget::GinText) => Ok(()),
        (LoadedData::Graphs(_), _) => Err(place.refused(
            "a set of graphs can be written as gin-text only; name a .txt file, or gin-text",
        )),
        (LoadedData::Nodes(_), WriteTarget::GinText) => Err(place.refused(
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
    // A directed node without arcs out may have arcs in.
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
    tables: FolderTables,
    // The manifest goes last: a folder with one is complete.
    overwrite: Overwrite,
) -> Result<Vec<PathBuf>> {
    let staged = Staged::new(path, StagedKind::Folder, overwrite)?;
    let about = Manifest::of(dataset);
    match tables {
        FolderTables::Csv => {
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
        FolderTables::Parquet => parquet::write_tables(dataset, &about, &staged)?,
        FolderTables::Csr => csr_folder::write(dataset, &mut &staged).map_err(staged.failed())?,
    }
    write_member(&staged, manifest::FILE, |out| about.write(out))?;
    staged.commit()
}

impl csr_folder::FolderFiles for &Staged {
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

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    None,
    Gzip,
    Zstd,
}

impl Packing {
    /// The name without the ending that tells how it is compressed.
    pub fn of(name: &str) -> (&str, Self) {
        for packing in [Self::Gzip, Self::Zstd] {
            // "x.gz" is packed, "gz" is a name.
            let plain = name.strip_suffix(packing.ending()).and_then(|rest| rest.strip_suffix('.'));
            if let Some(plain) = plain {
                return (plain, packing);
            }
        }
        (name, Self::None)
    }

    /// What names end in.
    pub fn ending(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => "gz",
            Self::Zstd => "zst",
        }
    }
}

/// A writer that compresses, or not. The same bytes go in, the same come out: no clock, no name.
enum Packed<W: Write> {
    Plain(W),
    Gzip(Box<flate2::write::GzEncoder<W>>),
    #[cfg(feature = "zstd")]
    Zstd(zstd::stream::write::Encoder<'static, W>),
}

impl<W: Write> Packed<W> {
    pub fn new(out: W, packing: Packing) -> io::Result<Self> {
        Ok(match packing {
            Packing::None => Self::Plain(out),
            Packing::Gzip => {
                let level = flate2::Compression::default();
                Self::Gzip(Box::new(flate2::write::GzEncoder::new(out, level)))
            }
            #[cfg(feature = "zstd")]
            Packing::Zstd => Self::Zstd(zstd::stream::write::Encoder::new(out, 3)?),
            #[cfg(not(feature = "zstd"))]
            Packing::Zstd => {
                let missing = "Zstandard is not compiled in (cargo feature `zstd`); use .gz";
                return Err(io::Error::other(missing));
            }
        })
    }

    /// Writes what is still held back, and gives back where it went.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::Plain(out) => Ok(out),
            Self::Gzip(encoder) => encoder.finish(),
            #[cfg(feature = "zstd")]
            Self::Zstd(encoder) => encoder.finish(),
        }
    }

    fn inner(&mut self) -> &mut dyn Write {
        match self {
            Self::Plain(out) => out,
            Self::Gzip(encoder) => encoder,
            #[cfg(feature = "zstd")]
            Self::Zstd(encoder) => encoder,
        }
    }
}

impl<W: Write> Write for Packed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphSet;
    use crate::formats::{ReadOptions, read};
    use crate::{Direction, Graph, GraphBuilder, Labels, NodeIds};

    fn pair() -> Dataset {
        let (graph, _) =
            GraphBuilder::new(2, Direction::Undirected).edges([(0, 1)]).build().unwrap();
        Dataset::new("pair", graph, NodeIds::texts(["a", "b"]).unwrap()).unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn endings_and_names_tell_the_format() {
        let place = SourceLocation::file("x");
        let of = |path: &str, format| WriteTarget::of(Path::new(path), format, &place);
        let message = |path: &str, format| of(path, format).unwrap().0;
        assert_eq!(message("out", None), WriteTarget::Folder(FolderTables::Csv));
        assert_eq!(message("out.csv/", None), WriteTarget::Folder(FolderTables::Csv));
        assert_eq!(message("out.CSV", None), WriteTarget::EdgeText(b','));
        assert_eq!(message("out.parquet", None), WriteTarget::EdgeParquet);
        assert_eq!(
            message("out", Some(Format::Parquet)),
            WriteTarget::Folder(FolderTables::Parquet)
        );
        assert_eq!(message("a/out.npz", None), WriteTarget::Npz);
        assert_eq!(message("out.graphml", None), WriteTarget::GraphMl);
        assert_eq!(message("out.txt", None), WriteTarget::GinText);
        assert_eq!(message("out.txt", Some(Format::Npz)), WriteTarget::Npz);
        let error = of("out.xlsx", None).unwrap_err().with_values();
        assert!(error.contains("the ending .xlsx"), "{error}");
        let error = of("out", Some(Format::Jlg)).unwrap_err().with_values();
        assert!(error.contains("jlg can be read but not written"), "{error}");
    }

    #[test]
    fn a_file_of_edges_refuses_to_lose_anything() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edges_only.csv");
        let labels = Labels::from_names(&["x", "y"]).unwrap();
        let labelled = LoadedData::Nodes(pair().with_labels(labels).unwrap());
        let message = write(&labelled, &path, None, Overwrite::Refuse).unwrap_err().with_values();
        assert!(message.contains("would lose 2 classes; name a folder"), "{message}");
        let graph = Graph::empty(2, Direction::Directed).unwrap();
        let lonely = LoadedData::Nodes(Dataset::new("l", graph, NodeIds::sequential(2)).unwrap());
        let message = write(&lonely, &path, None, Overwrite::Refuse).unwrap_err().with_values();
        assert!(message.contains("would lose 2 isolated nodes"), "{message}");
        let plain = LoadedData::Nodes(pair());
        assert_eq!(write(&plain, &path, None, Overwrite::Refuse).unwrap(), [&*path]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "source,target\na,b\n");
        assert_eq!(names(folder.path()), ["edges_only.csv"]);
    }

    #[test]
    fn sets_and_single_graphs_keep_apart() {
        let set = LoadedData::Graphs(GraphSet::new("s", vec![]));
        let message =
            write(&set, Path::new("x.npz"), None, Overwrite::Refuse).unwrap_err().with_values();
        assert!(message.contains("gin-text only"), "{message}");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("set.txt");
        let labels = Labels::from_names(&["0", "1"]).unwrap();
        let pairs =
            GraphSet::new("set", vec![pair().graph().clone(); 2]).with_labels(labels).unwrap();
        write(&LoadedData::Graphs(pairs.clone()), &path, None, Overwrite::Refuse).unwrap();
        let back = read(&path, &ReadOptions::default()).unwrap().into_graphs().unwrap();
        assert_eq!(back.graphs(), pairs.graphs());
        let single = LoadedData::Nodes(pair());
        let message =
            write(&single, Path::new("x.txt"), None, Overwrite::Refuse).unwrap_err().with_values();
        assert!(message.contains("this is a single one"), "{message}");
    }

    #[test]
    fn existing_targets_are_refused_or_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let data = LoadedData::Nodes(pair());
        write(&data, &path, None, Overwrite::Refuse).unwrap();
        let message = write(&data, &path, None, Overwrite::Refuse).unwrap_err().with_values();
        assert!(message.contains("it exists already"), "{message}");
        // Replacing is whole: a table that the new dataset lacks is gone.
        std::fs::write(path.join("features.csv"), "id,x\n").unwrap();
        write(&data, &path.join(""), None, Overwrite::Replace).unwrap();
        assert_eq!(names(&path), ["dataset.json", "edges.csv", "nodes.csv"]);
        assert_eq!(names(folder.path()), ["out"]);
        let back = read(&path, &ReadOptions::default()).unwrap().into_nodes().unwrap();
        assert_eq!(back.ids(), pair().ids());
        // The user's own files are not ours to delete.
        std::fs::write(path.join("thesis.tex"), "").unwrap();
        let message = write(&data, &path, None, Overwrite::Replace).unwrap_err().with_values();
        assert!(message.contains("also holds 'thesis.tex'"), "{message}");
        assert_eq!(names(&path).len(), 4);
        let message = write(&data, &path, Some(Format::GraphMl), Overwrite::Replace).unwrap_err();
        assert!(message.to_string().contains("a folder of that name exists"), "{message}");
    }

    #[test]
    fn a_failure_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let bad = Dataset::new(
            "bad",
            Graph::empty(1, Direction::Undirected).unwrap(),
            NodeIds::texts(["\u{1}"]).unwrap(),
        );
        let path = folder.path().join("bad.graphml");
        let message = write(&LoadedData::Nodes(bad.unwrap()), &path, None, Overwrite::Refuse);
        let message = message.unwrap_err().with_values();
        assert!(message.contains("U+0001"), "{message}");
        assert!(names(folder.path()).is_empty());
        let missing = folder.path().join("no/such/folder.csv");
        let message =
            write(&LoadedData::Nodes(pair()), &missing, None, Overwrite::Refuse).unwrap_err();
        assert!(message.to_string().contains("folder.csv: there is no folder"), "{message}");
    }

    #[test]
    fn a_target_can_be_checked_before_there_is_anything_to_write() {
        assert!(check(Path::new("people"), None).is_ok());
        assert!(check(Path::new("people.xyz"), Some(Format::Npz)).is_ok());
        let message = check(Path::new("people.xyz"), None).unwrap_err().with_values();
        assert!(message.contains("people.xyz: found the ending .xyz"), "{message}");
        let message = check(Path::new("people"), Some(Format::Jlg)).unwrap_err().with_values();
        assert!(message.contains("can be read but not written"), "{message}");
    }

    #[test]
    fn the_temporary_stands_beside_its_target() {
        let name = |path: &str| temporary(Path::new(path)).unwrap();
        let number = std::process::id();
        assert_eq!(name("a/b.npz"), Path::new("a").join(format!(".b.npz.tmp-{number}")));
        assert_eq!(name("a/folder/"), Path::new("a").join(format!(".folder.tmp-{number}")));
        assert_eq!(temporary(Path::new("/")), None);
    }
}
