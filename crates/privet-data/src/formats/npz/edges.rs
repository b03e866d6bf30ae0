//! The edges of an npz: a CSR adjacency, or a list of node pairs.

use std::io::{Seek, Write};

use privet_graph::memory;

use super::NpzArrays;
use super::arrays::EDGE_LISTS;
use crate::formats::limits::many_nodes;
use crate::formats::manifest::fact_lines;
use crate::formats::npz::write::{NpzArchive, write_feature_facts, write_ids};
use crate::formats::npz::{FACTS, SourceLocation};
use crate::{
    Dataset, Direction, FeatureMatrix, Features, FoundValue, Labels, NodeId, Result, Split,
};

pub(super) struct NpzEdges {
    pub node_count: usize,
    pub pairs: Vec<[NodeId; 2]>,
    pub direction: Direction,
}

/// Arrays with one row per node, which tell how many nodes there are if nothing else does.
const PER_NODE: [&str; 7] =
    ["x", "features", "attr_matrix", "node_features", "labels", "y", "node_labels"];

pub(super) fn read(arrays: &mut NpzArrays<'_>) -> Result<NpzEdges> {
    let direction = match arrays.get("directed")? {
        Some(array) if array.integers::<u8>("0 or 1")?.contains(&1) => Direction::Directed,
        _ => Direction::Undirected,
    };
    let pair_list = EDGE_LISTS.into_iter().find(|key| arrays.has(key));
    let (node_count, pairs) = match (arrays.adjacency_prefix(), pair_list) {
        (Some(prefix), _) => read_csr(arrays, prefix)?,
        (None, Some(key)) => read_pairs(arrays, key)?,
        (None, None) => {
            let expected = "adj_data, adj_indices, adj_indptr and adj_shape (or adj_matrix.data \
                            and so on), edge_index or edges";
            return Err(arrays
                .place()
                .malformed(FoundValue::words(format!("the arrays {}", arrays.keys())), expected));
        }
    };
    Ok(NpzEdges { node_count, pairs, direction })
}

fn read_csr(arrays: &mut NpzArrays<'_>, prefix: &str) -> Result<(usize, Vec<[NodeId; 2]>)> {
    let adjacency = arrays.csr(prefix)?;
    if adjacency.rows() != adjacency.columns() {
        let found = FoundValue::words(format!(
            "{} rows and {} columns",
            adjacency.rows(),
            adjacency.columns()
        ));
        return Err(arrays.place().malformed(found, "a square adjacency"));
    }
    if !adjacency.all_ones() {
        arrays.notice("edge weights are not used; an entry of 0 is no edge");
    }
    Ok((adjacency.rows(), adjacency.arcs()))
}

/// Two rows (sources, targets), or one row per edge.
fn read_pairs(arrays: &mut NpzArrays<'_>, key: &str) -> Result<(usize, Vec<[NodeId; 2]>)> {
    let array = arrays.required(key)?;
    let nodes: Vec<NodeId> = array.integers("a node, from 0 to below 4294967295")?;
    let pairs: Vec<[NodeId; 2]> = match *array.shape() {
        [2, _] => {
            let (from, to) = nodes.split_at(nodes.len() / 2);
            from.iter().zip(to).map(|(&u, &v)| [u, v]).collect()
        }
        [_, 2] => nodes.as_chunks::<2>().0.to_vec(),
        _ => {
            let found = FoundValue::words(format!("the shape {:?}", array.shape()));
            return Err(array.place().malformed(found, "two rows, sources and targets"));
        }
    };
    let node_count = count_nodes(arrays, nodes.iter().max().map_or(0, |&v| v as usize + 1))?;
    let limit = arrays.bundle().limits().nodes;
    if node_count as u64 > limit {
        return Err(many_nodes(limit).at(arrays.place()));
    }
    Ok((node_count, pairs))
}

/// As the file says, or as many as have features or labels, or as many as the edges name.
fn count_nodes(arrays: &mut NpzArrays<'_>, named: usize) -> Result<usize> {
    if let Some(array) = arrays.get("num_nodes")? {
        let counts: Vec<usize> = array.integers("a number of nodes")?;
        let &[count] = counts.as_slice() else {
            return Err(array
                .place()
                .malformed(FoundValue::words(format!("{} values", counts.len())), "one"));
        };
        return Ok(count);
    }
    if arrays.has("attr_indptr") {
        return Ok(arrays.csr("attr_")?.rows());
    }
    let rows = arrays.first(&PER_NODE)?;
    // Only rows with values are counted: those of an array without columns cost a file nothing.
    let rows = rows.filter(|array| !array.is_empty()).and_then(|a| a.shape().first().copied());
    Ok(rows.unwrap_or(named))
}

// Writing a `Dataset` as PyTorch Geometric holds it: `edge_index`, `x`, `y` and masks, in an npz.
//
// ```python
// import numpy, torch
// from torch_geometric.data import Data
// arrays = numpy.load("people.npz")
// keys = ["edge_index", "x", "y", "train_mask", "val_mask", "test_mask"]
// data = Data(**{key: torch.from_numpy(arrays[key]) for key in keys if key in arrays})
// ```
// An undirected edge stands there both ways, as PyG wants it. `num_nodes`, ids, names and what was stated stand
// beside, so that Privet reads back what it wrote.

/// Writes a dataset; [`super::read`] gives it back, but for features that were sparse and are dense now.
///
/// # Errors
/// If writing fails, or dense features would not fit into memory.
///
/// ```
/// use privet_data::formats::{Bundle, Limits, ReadOptions, npz};
/// use privet_data::synthetic::karate_club;
/// let club = karate_club()?;
/// let mut file = std::io::Cursor::new(Vec::new());
/// npz::write_edge_index(&club, &mut file)?;
/// let bundle = Bundle::from_memory("", [("club.npz", file.into_inner())], Limits::default());
/// assert_eq!(npz::read(&bundle, &ReadOptions::default())?.into_nodes()?, club);
/// # Ok::<(), privet_graph::Error>(())
/// ```
pub fn write_edge_index(dataset: &Dataset, out: &mut (impl Write + Seek)) -> Result<()> {
    let place = SourceLocation::file(format!("{}.npz", dataset.name()));
    let mut archive = NpzArchive::new(out, place);
    let (graph, nodes) = (dataset.graph(), dataset.graph().node_count());
    let sources = graph.nodes().flat_map(|node| {
        let degree = graph.neighbors(node).len();
        std::iter::repeat_n(i64::from(node), degree)
    });
    let targets = graph.targets().iter().map(|&target| i64::from(target));
    archive.numbers("edge_index", &[2, graph.arc_count()], sources.chain(targets))?;
    archive.numbers("num_nodes", &[], [nodes as i64])?;
    archive.numbers("directed", &[], [graph.direction() == Direction::Directed])?;
    archive.texts("name", &[], [dataset.name()])?;
    write_ids(&mut archive, dataset.ids())?;
    if let Some(features) = dataset.features() {
        write_x(&mut archive, features)?;
        write_feature_facts(&mut archive, features)?;
    }
    if let Some(labels) = dataset.labels() {
        write_y(&mut archive, labels)?;
    }
    if let Some(split) = dataset.split() {
        write_masks(&mut archive, split, nodes)?;
    }
    let facts = fact_lines(dataset);
    if !facts.is_empty() {
        archive.texts(FACTS, &[facts.len()], &facts)?;
    }
    archive.finish()
}

fn write_x<W: Write + Seek>(archive: &mut NpzArchive<W>, features: &Features) -> Result<()> {
    let shape = [features.rows(), features.columns()];
    match features.matrix() {
        FeatureMatrix::Dense(matrix) => {
            archive.numbers("x", &shape, matrix.values().iter().copied())
        }
        FeatureMatrix::Sparse(matrix) => {
            memory::ask("columns", shape[1] as u64, 4 * shape[0] as u64, 0)?;
            archive.numbers("x", &shape, matrix.to_dense().values().iter().copied())
        }
    }
}

/// A class per node, -1 for none; or a truth value per node and class.
fn write_y<W: Write + Seek>(archive: &mut NpzArchive<W>, labels: &Labels) -> Result<()> {
    archive.texts("class_names", &[labels.class_count()], labels.class_names())?;
    let items = 0..labels.len() as NodeId;
    if labels.is_multi() {
        let row = |item| {
            let classes = labels.classes(item);
            (0..labels.class_count() as u32).map(move |class| classes.binary_search(&class).is_ok())
        };
        let shape = [labels.len(), labels.class_count()];
        return archive.numbers("y", &shape, items.flat_map(row));
    }
    let class = |item| labels.class(item).map_or(-1, i64::from);
    archive.numbers("y", &[labels.len()], items.map(class))
}

fn write_masks<W: Write + Seek>(
    archive: &mut NpzArchive<W>,
    split: &Split,
    nodes: usize,
) -> Result<()> {
    let parts = [&split.train, &split.validation, &split.test];
    for (key, part) in super::MASKS.into_iter().zip(parts) {
        let mut mask = vec![false; nodes];
        part.iter().for_each(|&node| mask[node as usize] = true);
        archive.numbers(key, &[nodes], mask)?;
    }
    Ok(())
}
