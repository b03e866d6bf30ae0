//! Writing a graph on disk: arrays from front to back, then what vouches for them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use bytemuck::Pod;

use super::{BLOCK, FolderArray, FolderHeader};
use super::{FILE, UNLABELLED};
use crate::{Dataset, FeatureMatrix, Features, Id, Labels, NodeId, NodeIds};

/// What makes the files of a folder: handed a name, it gives something to write to and takes it back when it is
/// complete.
pub(crate) trait FolderFiles {
    /// What is written to.
    type Out: Write;

    fn create(&mut self, name: &str) -> io::Result<Self::Out>;

    fn finish(&mut self, out: Self::Out) -> io::Result<()>;
}

/// Writes the arrays of a dataset and their header; the caller writes the manifest.
pub(crate) fn write<M: FolderFiles>(dataset: &Dataset, members: &mut M) -> io::Result<()> {
    let mut folder = FolderWriter { members, files: BTreeMap::new() };
    let graph = dataset.graph();
    folder.array("offsets.u64", graph.offsets().iter().map(|&at| at as u64))?;
    folder.slice("targets.u32", graph.targets())?;
    folder.ids(dataset.ids())?;
    if let Some(features) = dataset.features() {
        folder.features(features)?;
    }
    if let Some(labels) = dataset.labels() {
        folder.labels(labels)?;
    }
    // Last: a folder without a header was not written to its end.
    let header = FolderHeader::new(folder.files);
    let mut out = members.create(FILE)?;
    serde_json::to_writer_pretty(&mut out, &header)?;
    out.write_all(b"\n")?;
    members.finish(out)
}

struct FolderWriter<'a, M> {
    members: &'a mut M,
    files: BTreeMap<String, FolderArray>,
}

impl<M: FolderFiles> FolderWriter<'_, M> {
    fn ids(&mut self, ids: &NodeIds) -> io::Result<()> {
        if ids.is_sequential() {
            return Ok(());
        }
        let nodes = 0..ids.len() as NodeId;
        if ids.are_integers() {
            let number = |node| match ids.get(node) {
                Id::Integer(number) => number,
                Id::Text(_) => 0,
            };
            return self.array("ids.u64", nodes.map(number));
        }
        let (mut ends, mut text) = (Vec::with_capacity(ids.len()), String::new());
        for node in nodes {
            text.push_str(&ids.get(node).to_string());
            ends.push(text.len() as u64);
        }
        self.slice("ids.ends.u64", &ends)?;
        self.slice("ids.text", text.as_bytes())
    }

    fn features(&mut self, features: &Features) -> io::Result<()> {
        match features.matrix() {
            FeatureMatrix::Dense(matrix) => self.slice("features.f32", matrix.values()),
            FeatureMatrix::Sparse(matrix) => {
                let offsets = matrix.offsets().iter().map(|&at| at as u64);
                self.array("features.offsets.u64", offsets)?;
                self.slice("features.columns.u32", matrix.indices())?;
                self.slice("features.values.f32", matrix.values())
            }
        }
    }

    fn labels(&mut self, labels: &Labels) -> io::Result<()> {
        let nodes = 0..labels.len() as NodeId;
        if !labels.is_multi() {
            let class = |node| labels.class(node).unwrap_or(UNLABELLED);
            return self.array("labels.u32", nodes.map(class));
        }
        let (mut offsets, mut classes) = (vec![0u64], Vec::new());
        for node in nodes {
            classes.extend_from_slice(labels.classes(node));
            offsets.push(classes.len() as u64);
        }
        self.slice("labels.offsets.u64", &offsets)?;
        self.slice("labels.classes.u32", &classes)
    }

    fn slice<T: Pod>(&mut self, name: &str, values: &[T]) -> io::Result<()> {
        let mut out = self.members.create(name)?;
        let mut array = FolderArray::default();
        // Hashed while it is in the cache, before it is written.
        for block in bytemuck::cast_slice::<T, u8>(values).chunks(BLOCK) {
            array.add(block);
            out.write_all(block)?;
        }
        self.done(name, out, array)
    }

    fn array<T: Pod>(&mut self, name: &str, values: impl Iterator<Item = T>) -> io::Result<()> {
        let mut out = self.members.create(name)?;
        let (mut array, mut block) = (FolderArray::default(), Vec::with_capacity(BLOCK));
        for value in values {
            block.extend_from_slice(bytemuck::bytes_of(&value));
            if block.len() == BLOCK {
                array.add(&block);
                out.write_all(&block)?;
                block.clear();
            }
        }
        if !block.is_empty() {
            array.add(&block);
            out.write_all(&block)?;
        }
        self.done(name, out, array)
    }

    fn done(&mut self, name: &str, out: M::Out, array: FolderArray) -> io::Result<()> {
        self.members.finish(out)?;
        self.files.insert(name.to_owned(), array);
        Ok(())
    }
}
