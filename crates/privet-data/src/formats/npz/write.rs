//! Writing a [`Dataset`] as npz: the members that others read, and a few of our own for the rest.
//!
//! An undirected edge stands in both rows. The same dataset gives the same bytes.

use std::io::{self, Seek, SeekFrom, Write};

use zip::write::SimpleFileOptions;

use crate::formats::bundle::bad_zip;
use crate::formats::manifest::fact_lines;
use crate::formats::npy::{Number, write_numbers, write_texts};
use crate::{
    Bounds, Dataset, Direction, Error, FeatureMatrix, Features, Graph, Id, Labels, NodeId, NodeIds,
    Result, SourceLocation,
};

/// Writes a dataset; [`super::read`] gives it back, notices aside.
///
/// # Errors
/// If writing fails, or a name ends in NUL, which numpy's text cannot keep.
///
/// ```
/// use privet_data::formats::{Bundle, Limits, ReadOptions, npz};
/// use privet_graph::{Dataset, Direction, GraphBuilder, NodeIds};
/// let (graph, _) = GraphBuilder::new(3, Direction::Undirected).edges([(0, 1)]).build()?;
/// let people = Dataset::new("people", graph, NodeIds::texts(["ada", "bob", "cy"])?)?;
/// let mut file = std::io::Cursor::new(Vec::new());
/// npz::write(&people, &mut file)?;
/// let bundle = Bundle::from_memory("", [("people.npz", file.into_inner())], Limits::default());
/// assert_eq!(npz::read(&bundle, &ReadOptions::default())?.into_nodes()?, people);
/// # Ok::<(), privet_graph::Error>(())
/// ```
pub fn write(dataset: &Dataset, out: &mut (impl Write + Seek)) -> Result<()> {
    let place = SourceLocation::file(format!("{}.npz", dataset.name()));
    let mut archive = NpzArchive::new(out, place);
    archive.texts("name", &[], [dataset.name()])?;
    write_graph(&mut archive, dataset.graph())?;
    write_ids(&mut archive, dataset.ids())?;
    if let Some(features) = dataset.features() {
        write_features(&mut archive, features)?;
    }
    if let Some(labels) = dataset.labels() {
        write_labels(&mut archive, labels)?;
    }
    if let Some(split) = dataset.split() {
        archive.nodes("split_train", &split.train)?;
        archive.nodes("split_validation", &split.validation)?;
        archive.nodes("split_test", &split.test)?;
    }
    let facts = fact_lines(dataset);
    if !facts.is_empty() {
        archive.texts(super::FACTS, &[facts.len()], &facts)?;
    }
    archive.finish()
}

/// Writes features and ids, without the graph; [`crate::formats::attach`] reads them.
pub(crate) fn write_rows(
    dataset: &Dataset,
    features: &Features,
    out: &mut (impl Write + Seek),
) -> Result<()> {
    let place = SourceLocation::file(format!("{}.npz", dataset.name()));
    let mut archive = NpzArchive::new(out, place);
    write_ids(&mut archive, dataset.ids())?;
    write_features(&mut archive, features)?;
    archive.finish()
}

fn write_graph<W: Write + Seek>(archive: &mut NpzArchive<W>, graph: &Graph) -> Result<()> {
    let (nodes, arcs) = (graph.node_count(), graph.arc_count());
    // scipy needs values beside the indices, although all are 1.
    archive.numbers("adj_data", &[arcs], std::iter::repeat_n(1f32, arcs))?;
    archive.nodes("adj_indices", graph.targets())?;
    // Signed, as scipy has its index arrays.
    archive.numbers("adj_indptr", &[nodes + 1], graph.offsets().iter().map(|&o| o as i64))?;
    archive.numbers("adj_shape", &[2], [nodes as i64; 2])?;
    archive.numbers("directed", &[], [graph.direction() == Direction::Directed])
}

pub(super) fn write_ids<W: Write + Seek>(archive: &mut NpzArchive<W>, ids: &NodeIds) -> Result<()> {
    // 0..n-1 is what a reader assumes where no ids are stored.
    if ids.is_sequential() {
        return Ok(());
    }
    let integer = |id: Id<'_>| match id {
        Id::Integer(id) => Some(id),
        Id::Text(_) => None,
    };
    if let Some(integers) = ids.iter().map(integer).collect::<Option<Vec<u64>>>() {
        return archive.numbers("node_ids", &[ids.len()], integers);
    }
    let names: Vec<String> = ids.iter().map(|id| id.to_string()).collect();
    archive.texts("node_names", &[names.len()], &names)
}

fn write_features<W: Write + Seek>(archive: &mut NpzArchive<W>, features: &Features) -> Result<()> {
    match features.matrix() {
        FeatureMatrix::Dense(matrix) => {
            let shape = [matrix.rows(), matrix.columns()];
            // Row by row, so that a mapped matrix need not be in memory.
            let values = matrix.passing_rows().flatten().copied();
            archive.numbers("attr_matrix", &shape, values)?;
        }
        FeatureMatrix::Sparse(matrix) => {
            let entries = [matrix.nonzeros()];
            let offsets = matrix.offsets().iter().map(|&offset| offset as i64);
            archive.numbers("attr_data", &entries, matrix.values().iter().copied())?;
            archive.nodes("attr_indices", matrix.indices())?;
            archive.numbers("attr_indptr", &[matrix.rows() + 1], offsets)?;
            let shape = [matrix.rows() as i64, matrix.columns() as i64];
            archive.numbers("attr_shape", &[2], shape)?;
        }
    }
    write_feature_facts(archive, features)
}

/// The names of the columns, and the ranges that were declared.
pub(super) fn write_feature_facts<W: Write + Seek>(
    archive: &mut NpzArchive<W>,
    features: &Features,
) -> Result<()> {
    if let Some(names) = features.names() {
        archive.texts("attr_names", &[names.len()], names)?;
    }
    features.bounds().map_or(Ok(()), |bounds| write_bounds(archive, bounds))
}

fn write_bounds<W: Write + Seek>(archive: &mut NpzArchive<W>, bounds: &Bounds) -> Result<()> {
    match bounds.column_count() {
        None => archive.numbers("attr_bounds", &[2], <[f32; 2]>::from(bounds.column(0)))?,
        Some(columns) => {
            let ranges = (0..columns).flat_map(|c| <[f32; 2]>::from(bounds.column(c)));
            archive.numbers("attr_bounds", &[columns, 2], ranges)?;
        }
    }
    let origin = serde_json::to_value(bounds.origin());
    let origin = origin.map_err(|error| archive.place.io(error.into()))?;
    archive.texts("attr_bounds_origin", &[], origin.as_str())
}

fn write_labels<W: Write + Seek>(archive: &mut NpzArchive<W>, labels: &Labels) -> Result<()> {
    let items = 0..labels.len() as NodeId;
    archive.texts("class_names", &[labels.class_count()], labels.class_names())?;
    if labels.is_multi() {
        let columns = 0..labels.class_count() as u32;
        let row = |item| {
            let classes = labels.classes(item);
            columns.clone().map(move |class| classes.binary_search(&class).is_ok())
        };
        let shape = [labels.len(), labels.class_count()];
        return archive.numbers("labels", &shape, items.flat_map(row));
    }
    // -1 is no class, as in scikit-learn.
    let class = |item| labels.class(item).map_or(-1, i64::from);
    archive.numbers("labels", &[labels.len()], items.map(class))
}

/// A zip being written, one array at a time.
pub(super) struct NpzArchive<W: Write + Seek> {
    zip: zip::ZipWriter<FailingOnce<W>>,
    place: SourceLocation,
}

/// A writer that fails once, and from then on pretends to write. A zip that is given up tries to write its end all the
/// same, and would tell standard error in its own words that this failed too.
struct FailingOnce<W> {
    out: W,
    failed: bool,
    /// Where the next byte would go, and where the last one is.
    at: u64,
    end: u64,
}

impl<W> FailingOnce<W> {
    fn new(out: W) -> Self {
        Self { out, failed: false, at: 0, end: 0 }
    }

    /// What came of an attempt, which may be the last.
    fn tried<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        self.failed |= done.is_err();
        done
    }
}

impl<W: Write> Write for FailingOnce<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = match self.failed {
            // Pretends: the caller has the first error already.
            true => bytes.len(),
            false => {
                let done = self.out.write(bytes);
                self.tried(done)?
            }
        };
        self.at += count as u64;
        self.end = self.end.max(self.at);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.failed {
            return Ok(());
        }
        let done = self.out.flush();
        self.tried(done)
    }
}

impl<W: Seek> Seek for FailingOnce<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = match (self.failed, to) {
            (false, to) => {
                let done = self.out.seek(to);
                self.tried(done)?
            }
            (true, SeekFrom::Start(at)) => at,
            (true, SeekFrom::Current(by)) => self.at.saturating_add_signed(by),
            (true, SeekFrom::End(by)) => self.end.saturating_add_signed(by),
        };
        self.end = self.end.max(self.at);
        Ok(self.at)
    }
}

impl<W: Write + Seek> NpzArchive<W> {
    pub fn new(out: W, place: SourceLocation) -> Self {
        Self { zip: zip::ZipWriter::new(FailingOnce::new(out)), place }
    }

    pub fn finish(self) -> Result<()> {
        self.zip.finish().map_err(|error| bad_zip(&self.place, error))?;
        Ok(())
    }

    pub fn numbers<T: Number>(
        &mut self,
        key: &str,
        shape: &[usize],
        values: impl IntoIterator<Item = T>,
    ) -> Result<()> {
        self.start(key)?;
        write_numbers(&mut self.zip, shape, values).map_err(|error| self.failed(key, error))
    }

    /// Positions as scipy wants them: 32 bits where they suffice.
    fn nodes(&mut self, key: &str, nodes: &[NodeId]) -> Result<()> {
        // scipy's own index arrays are of 32 bits where they suffice; wider ones would be converted on loading.
        let narrow: Option<Vec<i32>> = nodes.iter().map(|&node| node.try_into().ok()).collect();
        match narrow {
            Some(narrow) => self.numbers(key, &[nodes.len()], narrow),
            None => self.numbers(key, &[nodes.len()], nodes.iter().map(|&node| i64::from(node))),
        }
    }

    pub fn texts<S: AsRef<str>>(
        &mut self,
        key: &str,
        shape: &[usize],
        texts: impl IntoIterator<Item = S> + Clone,
    ) -> Result<()> {
        self.start(key)?;
        write_texts(&mut self.zip, shape, texts).map_err(|error| self.failed(key, error))
    }

    fn start(&mut self, key: &str) -> Result<()> {
        // No clock in the file, so that equal datasets give equal bytes; room for 4 GiB and more.
        let options = SimpleFileOptions::default()
            .last_modified_time(zip::DateTime::default())
            .large_file(true);
        let started = self.zip.start_file(format!("{key}.npy"), options);
        started.map_err(|error| bad_zip(&self.place.member(key), error))
    }

    fn failed(&self, key: &str, error: io::Error) -> Error {
        self.place.member(key).io(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with room for so many bytes.
    struct Full(io::Cursor<Vec<u8>>, u64);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match self.0.position() + bytes.len() as u64 > self.1 {
                true => Err(io::ErrorKind::StorageFull.into()),
                false => self.0.write(bytes),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Full {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    /// After the first failure nothing fails any more, so a zip that is given up has nothing to complain about.
    #[test]
    fn a_full_disk_fails_once() {
        let mut once = FailingOnce::new(Full(io::Cursor::default(), 3));
        assert!(once.write_all(b"abc").is_ok());
        assert_eq!(once.write(b"d").unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!(once.write_all(b"end of the directory").is_ok() && once.flush().is_ok());
        let club = crate::synthetic::karate_club().unwrap();
        for room in [0, 10, 400, 1000] {
            let message =
                write(&club, &mut Full(io::Cursor::default(), room)).unwrap_err().to_string();
            assert!(message.contains("no space left on the disk"), "{message}");
        }
    }
}
