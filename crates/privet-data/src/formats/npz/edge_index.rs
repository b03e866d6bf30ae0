//! Writing a [`Dataset`] as PyTorch Geometric holds it: `edge_index`, `x`, `y` and masks, in an npz.
//!
//! ```python
//! import numpy, torch
//! from torch_geometric.data import Data
//! arrays = numpy.load("people.npz")
//! keys = ["edge_index", "x", "y", "train_mask", "val_mask", "test_mask"]
//! data = Data(**{key: torch.from_numpy(arrays[key]) for key in keys if key in arrays})
//! ```
//! An undirected edge stands there both ways, as PyG wants it. `num_nodes`, ids, names and what was stated stand
//! beside, for whoever reads it back.

use std::io::{Seek, Write};

use privet_graph::memory;

use super::write::{Archive, write_feature_facts, write_ids};
use super::{FACTS, SourceLocation};
use crate::formats::fact_lines::fact_lines;
use crate::{Dataset, Direction, FeatureMatrix, Features, Labels, NodeId, Result, Split};

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
    let mut archive = Archive::new(out, place);
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

fn write_x<W: Write + Seek>(archive: &mut Archive<W>, features: &Features) -> Result<()> {
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
fn write_y<W: Write + Seek>(archive: &mut Archive<W>, labels: &Labels) -> Result<()> {
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
    archive: &mut Archive<W>,
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
