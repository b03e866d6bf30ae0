//! A graph on disk that is read where it lies: arrays of numbers in a folder, mapped into memory, loaded by nobody.
//!
//! | file | holds | bytes |
//! |---|---|---|
//! | `csr.json` | version, sizes, checksums of every 16 MiB of every array | |
//! | `dataset.json` | names, direction, bounds, classes, split: see `manifest.rs` | |
//! | `offsets.u64` | where each row begins in `targets.u32`, and one end | 8 (n + 1) |
//! | `targets.u32` | the neighbours of every node, ascending; an undirected edge stands in both rows | 4 an arc |
//! | `ids.u64`, or `ids.ends.u64` and `ids.text` | ids that are not 0, 1, 2, ... | 8 each, or the text |
//! | `features.f32` | dense rows | 4 n d |
//! | `features.offsets.u64`, `features.columns.u32`, `features.values.f32` | sparse rows | 8 a value |
//! | `labels.u32` | the class of every node; 2^32 - 1 for none | 4 n |
//! | `labels.offsets.u64`, `labels.classes.u32` | any number of classes a node | |
//!
//! All numbers are little-endian. Whoever opens the folder goes once through all of it, from front to back: the checksums
//! are compared and the rows checked ([`Graph::held`]), so that everything after can rely on them.

mod header;
mod write;

pub use header::VERSION;

pub(crate) use header::{FILE, Header};
pub(crate) use write::{Members, write};

use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;

use super::fact_lines::with_fact_lines;
use super::manifest::{self, LabelKind, Manifest, Storage};
use super::mapped::Mapped;
use super::{Bundle, ReadOptions};
use crate::{
    Dataset, DenseMatrix, Direction, FeatureMatrix, FoundValue, Graph, Labels, LoadedData, NodeIds,
    Notice, Result, SelfLoops, SharedSlice, SliceOwner, SourceLocation, SparseMatrix,
};

/// Marks a node without a class.
const UNLABELLED: u32 = u32::MAX;

pub(crate) fn recognises(bundle: &Bundle) -> bool {
    bundle.members().iter().any(|member| member == FILE)
}

/// Reads a bundle of this format. Files of a folder are mapped; members of an archive are unpacked into memory.
///
/// # Errors
/// If the members are not what the header says they are.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let folder = Folder::open(bundle)?;
    let place = bundle.place();
    let manifest_place = bundle.member_place(manifest::FILE);
    let text = bundle.open(manifest::FILE)?.into_bytes()?;
    let missing = || manifest_place.malformed("another kind of JSON", "a manifest of Privet's");
    let manifest = Manifest::parse(&manifest_place, &text)?.ok_or_else(missing)?;
    let said = manifest.direction.unwrap_or(Direction::Undirected);
    let (offsets, targets) = (folder.array("offsets.u64")?, folder.array("targets.u32")?);
    let graph = Graph::held(said, offsets, targets).map_err(|error| error.at(place))?;
    let mut notices = Vec::new();
    if graph.self_loop_count() > 0 && options.self_loops == SelfLoops::Drop {
        let text = format!("{} self-loops stay: they were kept", graph.self_loop_count());
        notices.push(Notice::new(place, text));
    }
    let graph = match options.direction {
        None | Some(Direction::Undirected) if said == Direction::Undirected => graph,
        Some(Direction::Undirected) => graph.to_undirected()?,
        None => graph,
        Some(Direction::Directed) => graph.to_directed(),
    };
    let nodes = graph.node_count();
    let ids = folder.ids(nodes)?;
    let name = manifest.name.clone().unwrap_or_else(|| "graph".into());
    let split = manifest.split(&ids, &manifest_place)?;
    let mut dataset = Dataset::new(name, graph, ids).map_err(|error| error.at(place))?;
    if let Some(about) = &manifest.features {
        let matrix = folder.features(nodes, about.columns, about.storage)?;
        let features = about.describe(matrix, &manifest_place)?;
        dataset = dataset.with_features(features).map_err(|error| error.at(place))?;
    }
    if let Some(about) = &manifest.labels {
        let labels = folder.labels(nodes, about.kind, &about.classes)?;
        dataset = dataset.with_labels(labels).map_err(|error| error.at(place))?;
    }
    if let Some(split) = split {
        dataset = dataset.with_split(split).map_err(|error| error.at(place))?;
    }
    let dataset = with_fact_lines(dataset, &manifest.facts, &manifest_place)?;
    Ok(LoadedData::Nodes(dataset.with_notices(notices)))
}

/// The arrays of a bundle, held against the header.
struct Folder<'a> {
    bundle: &'a Bundle,
    header: Header,
}

impl<'a> Folder<'a> {
    fn open(bundle: &'a Bundle) -> Result<Self> {
        let place = bundle.member_place(FILE);
        let header = Header::parse(&place, &bundle.open(FILE)?.into_bytes()?)?;
        Ok(Self { bundle, header })
    }

    /// An array whose bytes are those the header was written for.
    fn array<T: Pod + Send + Sync>(&self, name: &str) -> Result<SharedSlice<T>> {
        let place = self.bundle.member_place(name);
        let Some(expected) = self.header.files.get(name) else {
            let place = self.bundle.member_place(FILE);
            return Err(place.malformed(FoundValue::words(format!("no {name}")), "an entry for it"));
        };
        match self.bundle.plain_file(name) {
            Some(path) => {
                let file = std::fs::File::open(path).map_err(|error| place.io(error))?;
                let mapped: Arc<Mapped<T>> = Mapped::new(&file).map_err(|e| place.io(e))?;
                let release = |bytes: Range<usize>| {
                    mapped.release(bytes.start / size_of::<T>()..bytes.end / size_of::<T>());
                };
                expected.check(bytemuck::cast_slice(mapped.words()), &place, release)?;
                Ok(mapped)
            }
            None => {
                let bytes = self.bundle.open(name)?.into_bytes()?;
                expected.check(&bytes, &place, |_| ())?;
                // Of as many bytes as a whole number of numbers: a header for others is refused when the file is written.
                let numbers = bytes.chunks_exact(size_of::<T>().max(1));
                let numbers: Vec<T> = numbers.map(bytemuck::pod_read_unaligned).collect();
                Ok(Arc::new(numbers))
            }
        }
    }

    fn ids(&self, nodes: usize) -> Result<NodeIds> {
        let files = &self.header.files;
        if files.contains_key("ids.u64") {
            let ids: Vec<u64> = self.array("ids.u64")?.words().to_vec();
            return NodeIds::integers(ids).map_err(|error| error.at(&self.place("ids.u64")));
        }
        if !files.contains_key("ids.text") {
            return Ok(NodeIds::sequential(nodes));
        }
        let place = self.place("ids.text");
        let (ends, text) = (self.array::<u64>("ids.ends.u64")?, self.array::<u8>("ids.text")?);
        let text = std::str::from_utf8(text.words());
        let text = text.map_err(|_| place.malformed("bytes that are no text", "UTF-8"))?;
        let mut start = 0;
        let mut names = Vec::with_capacity(nodes);
        for &end in ends.words() {
            let name = text.get(start..end as usize);
            names.push(name.ok_or_else(|| place.malformed("an id that ends nowhere", "text"))?);
            start = end as usize;
        }
        NodeIds::texts(names).map_err(|error| error.at(&place))
    }

    fn features(&self, rows: usize, columns: usize, storage: Storage) -> Result<FeatureMatrix> {
        match storage {
            Storage::Dense => {
                let values = self.array("features.f32")?;
                let matrix = DenseMatrix::shared(rows, columns, values);
                let matrix = matrix.map_err(|error| error.at(&self.place("features.f32")))?;
                Ok(FeatureMatrix::Dense(matrix))
            }
            Storage::Sparse => {
                let offsets = self.array("features.offsets.u64")?;
                let indices = self.array("features.columns.u32")?;
                let matrix = SparseMatrix::held(
                    columns,
                    offsets,
                    indices,
                    self.array("features.values.f32")?,
                );
                let place = self.place("features.columns.u32");
                Ok(FeatureMatrix::Sparse(matrix.map_err(|error| error.at(&place))?))
            }
        }
    }

    fn labels(&self, nodes: usize, kind: LabelKind, classes: &[String]) -> Result<Labels> {
        let (place, names) = (self.place(FILE), classes.to_vec());
        let labels = match kind {
            LabelKind::Single => {
                let labels = self.array::<u32>("labels.u32")?;
                let class = |&class: &u32| (class != UNLABELLED).then_some(class);
                Labels::single(labels.words().iter().map(class).collect(), names)
            }
            LabelKind::Multi => {
                let offsets = self.array::<u64>("labels.offsets.u64")?;
                let classes = self.array::<u32>("labels.classes.u32")?;
                let (offsets, classes) = (offsets.words(), classes.words());
                let list = |bounds: &[u64]| {
                    let list = classes.get(bounds[0] as usize..bounds[1] as usize);
                    list.map(<[u32]>::to_vec)
                };
                let lists: Option<Vec<_>> = offsets.windows(2).map(list).collect();
                let lost = || place.malformed("labels that end nowhere", "a list a node");
                Labels::multi(lists.ok_or_else(lost)?, names)
            }
        };
        let labels = labels.map_err(|error| error.at(&place))?;
        if labels.len() != nodes {
            let found = FoundValue::words(format!("{} labels", labels.len()));
            return Err(place.malformed(found, format!("one for each of {nodes} nodes")));
        }
        Ok(labels)
    }

    fn place(&self, name: &str) -> SourceLocation {
        self.bundle.member_place(name)
    }
}

#[cfg(test)]
mod tests;
