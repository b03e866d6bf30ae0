//! A graph on disk that is read where it lies: arrays of numbers in a folder, mapped into memory and never loaded.
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
//! All numbers are little-endian. Opening the folder goes once through all of it, from front to back: the checksums
//! are compared and the rows checked ([`Graph::held`]), so that everything after can rely on them.

mod write;

pub(crate) use write::{FolderFiles, write};

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::manifest::with_fact_lines;
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
    let folder = FolderArrays::open(bundle)?;
    let place = bundle.place();
    let manifest_place = bundle.member_place(manifest::FILE);
    let text = bundle.open(manifest::FILE)?.into_bytes()?;
    let missing = || manifest_place.malformed("another kind of JSON", "a manifest of Privet's");
    let manifest = Manifest::parse(&manifest_place, &text)?.ok_or_else(missing)?;
    let stated = manifest.direction.unwrap_or(Direction::Undirected);
    let (offsets, targets) = (folder.array("offsets.u64")?, folder.array("targets.u32")?);
    // Goes through all rows once: mapped bytes are as hostile as any.
    let graph = Graph::held(stated, offsets, targets).map_err(|error| error.at(place))?;
    let mut notices = Vec::new();
    if graph.self_loop_count() > 0 && options.self_loops == SelfLoops::Drop {
        // The arrays are not written again, so the option comes too late for them.
        let text = format!("{} self-loops stay: they were kept", graph.self_loop_count());
        notices.push(Notice::new(place, text));
    }
    let graph = match options.direction {
        None | Some(Direction::Undirected) if stated == Direction::Undirected => graph,
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
struct FolderArrays<'a> {
    bundle: &'a Bundle,
    header: FolderHeader,
}

impl<'a> FolderArrays<'a> {
    fn open(bundle: &'a Bundle) -> Result<Self> {
        let place = bundle.member_place(FILE);
        let header = FolderHeader::parse(&place, &bundle.open(FILE)?.into_bytes()?)?;
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
                // Each block is released once it was hashed: checking a large file takes no memory.
                expected.check(bytemuck::cast_slice(mapped.words()), &place, release)?;
                Ok(mapped)
            }
            None => {
                let bytes = self.bundle.open(name)?.into_bytes()?;
                expected.check(&bytes, &place, |_| ())?;
                // Of as many bytes as a whole number of numbers: a header for others is refused when the file is
                // written.
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
            // `get` refuses ends that go backwards, past the text, or into the middle of a letter.
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
                // The largest number stands for no class.
                let class = |&class: &u32| (class != UNLABELLED).then_some(class);
                Labels::single(labels.words().iter().map(class).collect(), names)
            }
            LabelKind::Multi => {
                let offsets = self.array::<u64>("labels.offsets.u64")?;
                let classes = self.array::<u32>("labels.classes.u32")?;
                let (offsets, classes) = (offsets.words(), classes.words());
                let list = |bounds: &[u64]| {
                    // Offsets were not checked for being ascending: a bad pair gives `None`.
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

// `csr.json`: what the arrays of a folder are, and how to tell that they are still what was written.

/// What the header is called.
pub(crate) const FILE: &str = "csr.json";
const FORMAT: &str = "privet-csr";
/// The version of the folder.
pub const VERSION: u32 = 1;
/// Bytes under one checksum: a reader of a part of an array can check that part alone.
const BLOCK: usize = 16 << 20;

/// The header of a folder.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FolderHeader {
    format: String,
    version: u32,
    /// The arrays, by name.
    pub files: BTreeMap<String, FolderArray>,
}

/// One array.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct FolderArray {
    bytes: u64,
    /// SHA-256 of every block of 16 MiB, in order.
    sha256: Vec<String>,
}

impl FolderHeader {
    pub fn new(files: BTreeMap<String, FolderArray>) -> Self {
        Self { format: FORMAT.into(), version: VERSION, files }
    }

    pub fn parse(place: &SourceLocation, bytes: &[u8]) -> Result<Self> {
        let header: Self = serde_json::from_slice(bytes).map_err(|error| {
            let found = FoundValue::words(format!("a header that cannot be read ({error})"));
            place.line(error.line() as u64).malformed(found, "the JSON of a graph on disk")
        })?;
        if (&*header.format, header.version) != (FORMAT, VERSION) {
            let found = FoundValue::words(format!("{} version {}", header.format, header.version));
            let expected = format!("{FORMAT} version {VERSION} (is it newer than this program?)");
            return Err(place.malformed(found, expected));
        }
        Ok(header)
    }
}

impl FolderArray {
    /// Takes the next bytes into account: whole blocks, but for the last ones.
    pub fn add(&mut self, block: &[u8]) {
        self.bytes += block.len() as u64;
        self.sha256.push(checksum(block));
    }

    /// Whether these are the bytes; `done` gets every range that has been looked at.
    ///
    /// # Errors
    /// If not; the message says where the first block begins that is another.
    pub fn check(
        &self,
        bytes: &[u8],
        place: &SourceLocation,
        done: impl Fn(Range<usize>) + Sync,
    ) -> Result<()> {
        if bytes.len() as u64 != self.bytes {
            let found = FoundValue::words(format!("{} bytes", bytes.len()));
            return Err(place.malformed(found, format!("{}, as the header says", self.bytes)));
        }
        let blocks = bytes.par_chunks(BLOCK).zip(&self.sha256);
        // In parallel, yet the first wrong block is named, whichever thread is faster.
        let wrong = blocks.enumerate().find_first(|(at, (block, sum))| {
            let right = checksum(block) == **sum;
            done(at * BLOCK..at * BLOCK + block.len());
            !right
        });
        // `zip` ends with the shorter list: blocks without a checksum would pass.
        let short = bytes.len().div_ceil(BLOCK) != self.sha256.len();
        match wrong {
            None if !short => Ok(()),
            None => Err(place.malformed("another number of checksums", "one for every 16 MiB")),
            Some((at, _)) => {
                let found = FoundValue::words(format!("other bytes from {} on", at * BLOCK));
                Err(place.malformed(found, "those that the header was written for"))
            }
        }
    }
}

fn checksum(bytes: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::formats::write::{Overwrite, write};
    use crate::formats::{Format, Limits, ReadOptions, Spill, read as read_path};
    use crate::{Bounds, BoundsOrigin, Features, GraphBuilder, SparseBuilder, Split};

    fn people(multi: bool, sparse: bool, text: bool) -> Dataset {
        let edges = (0..40u32).flat_map(|u| (1..4).map(move |k| (u, (u * k + 3) % 40)));
        let graph = GraphBuilder::new(40, Direction::Undirected).edges(edges).build().unwrap().0;
        let ids = match text {
            true => NodeIds::texts((0..40).map(|at| format!("p {at}é"))).unwrap(),
            false => NodeIds::integers((0..40).map(|at| at * 7 + 1).collect()).unwrap(),
        };
        let matrix = if sparse {
            let mut rows = SparseBuilder::new(12);
            (0..40u32)
                .for_each(|at| rows.push_row(&mut [(at % 9, 0.5), (9 + at % 3, 2.0)]).unwrap());
            FeatureMatrix::Sparse(rows.finish())
        } else {
            let values = (0..40 * 3).map(|at| at as f32 / 7.0).collect();
            FeatureMatrix::Dense(DenseMatrix::new(40, 3, values).unwrap())
        };
        let bounds = Bounds::uniform(0.0, 20.0, BoundsOrigin::Declared).unwrap();
        let features = Features::new(matrix).with_bounds(bounds).unwrap();
        let classes = vec!["a".to_owned(), "b; c".to_owned()];
        let labels = match multi {
            true => Labels::multi((0..40).map(|at| (0..at % 3).collect()).collect(), classes),
            false => {
                Labels::single((0..40).map(|at| (at % 3 < 2).then_some(at % 3)).collect(), classes)
            }
        };
        let split = Split { train: vec![0, 5], validation: vec![], test: vec![7] };
        let dataset = Dataset::new("people", graph, ids).unwrap().with_features(features).unwrap();
        dataset.with_labels(labels.unwrap()).unwrap().with_split(split).unwrap()
    }

    fn save(dataset: &Dataset, path: &Path) {
        let loaded = LoadedData::Nodes(dataset.clone());
        write(&loaded, path, Some(Format::CsrFolder), Overwrite::Refuse).unwrap();
    }

    fn load(path: &Path) -> Result<Dataset> {
        read_path(path, &ReadOptions::default())?.into_nodes()
    }

    #[test]
    fn everything_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        for case in 0..8 {
            let dataset = people(case & 1 > 0, case & 2 > 0, case & 4 > 0);
            let path = folder.path().join(format!("p{case}.csr"));
            save(&dataset, &path);
            assert_eq!(load(&path).unwrap(), dataset, "{case}");
        }
    }

    /// Every byte of every file counts: changed or cut, it is noticed, and the file is named.
    #[test]
    fn damage_is_noticed_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.csr");
        save(&people(true, true, true), &path);
        let mut files: Vec<_> = fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        assert_eq!(files.len(), 11);
        for file in files {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let whole = fs::read(&file).unwrap();
            // The manifest is JSON for people to edit, and has checks of its own.
            if name != manifest::FILE && name != FILE {
                for at in [0, whole.len() / 2, whole.len() - 1] {
                    let mut damaged = whole.clone();
                    damaged[at] ^= 1;
                    fs::write(&file, damaged).unwrap();
                    let message = load(&path).unwrap_err().to_string();
                    assert!(message.contains(&name) && message.contains("from 0 on"), "{message}");
                }
            }
            for length in [0, 1, whole.len() / 2, whole.len() - 2] {
                fs::write(&file, &whole[..length]).unwrap();
                assert!(load(&path).is_err(), "{name} cut at {length}");
            }
            fs::remove_file(&file).unwrap();
            assert!(load(&path).is_err(), "{name} removed");
            fs::write(&file, &whole).unwrap();
        }
        assert!(load(&path).is_ok());
    }

    #[test]
    fn a_newer_version_and_rows_that_are_no_graph_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.csr");
        save(&people(false, false, false), &path);
        let header = path.join(FILE);
        let text = fs::read_to_string(&header).unwrap();
        fs::write(&header, text.replace("\"version\": 1", "\"version\": 2")).unwrap();
        assert!(load(&path).unwrap_err().to_string().contains("privet-csr version 2"));
        // Right checksums over wrong rows do not get past the check of rows.
        let mut array = FolderArray::default();
        let targets: Vec<u8> = fs::read(path.join("targets.u32")).unwrap();
        let backwards: Vec<u8> = targets.chunks(4).rev().flatten().copied().collect();
        array.add(&backwards);
        let mut forged = FolderHeader::parse(&SourceLocation::file("x"), text.as_bytes()).unwrap();
        forged.files.insert("targets.u32".into(), array);
        fs::write(&header, serde_json::to_string(&forged).unwrap()).unwrap();
        fs::write(path.join("targets.u32"), backwards).unwrap();
        assert!(load(&path).unwrap_err().to_string().contains("row"));
    }

    /// A folder in an archive is unpacked into memory, and is the same.
    #[test]
    fn archives_hold_them_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.csr");
        let dataset = people(false, true, false);
        save(&dataset, &path);
        let members: Vec<(String, Vec<u8>)> = fs::read_dir(&path)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|p| (p.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(p).unwrap()))
            .collect();
        let bundle = Bundle::from_memory("p.csr", members, Limits::default());
        let found = read(&bundle, &ReadOptions::default()).unwrap().into_nodes().unwrap();
        assert_eq!(found, dataset);
    }

    /// An edge list that does not fit into the memory allowed gives the same graph, and leaves nothing behind.
    #[test]
    fn edge_lists_are_sorted_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edges.csv");
        let mut text = String::from("source,target\n");
        for at in 0..200_000u64 {
            let (u, v) = (at * 7919 % 3001, at * at % 2999);
            text += &format!("{},{}\n", u * 5, v);
        }
        fs::write(&path, text).unwrap();
        let aside = tempfile::tempdir().unwrap();
        let spill = Spill { folder: aside.path().into(), memory: 1 << 20 };
        let bounded = ReadOptions { spill: Some(spill), ..ReadOptions::default() };
        let found = read_path(&path, &bounded).unwrap();
        assert_eq!(found, read_path(&path, &ReadOptions::default()).unwrap());
        assert_eq!(fs::read_dir(aside.path()).unwrap().count(), 0);
    }
}
