//! npz: a zip of numpy arrays with a CSR adjacency, features, labels and names.
//!
//! Three ways to state the edges are read: `adj_data`, `adj_indices`, `adj_indptr`, `adj_shape`; the
//! same as `adj_matrix.data` and so on; and `edge_index`, two rows of nodes. Rows need not be sorted.
//! The graph is undirected unless a member `directed` is true. Members that are not needed are left
//! alone and named in a notice; object arrays are pickles and are never opened.
//!
//! [`write()`] keeps everything a [`Dataset`] has, and [`read`] gives it back; [`write_edge_index`] writes what PyTorch
//! Geometric takes.

mod arrays;
mod edge_index;
mod edges;
mod node_data;
mod write;

pub(crate) use arrays::Arrays;
pub use edge_index::write_edge_index;
pub(crate) use node_data::{FeatureKeys, LABELS, dense_matrix, feature_matrix, labels_of};
pub use write::write;
pub(crate) use write::write_rows;

use super::choose::{Candidate, base_name, ending_with, one_of, single_file};
use super::{Bundle, ReadOptions, arcs};
use crate::formats::fact_lines::with_fact_lines;
use crate::{Dataset, LoadedData, Notice, Result, SourceLocation};

/// The masks of PyG's splits: who trains, who validates, who tests.
const MASKS: [&str; 3] = ["train_mask", "val_mask", "test_mask"];

/// What the records said and nobody stated, see [`privet_graph::facts`].
const FACTS: &str = "facts";

pub(crate) fn recognises(bundle: &Bundle) -> bool {
    let archives = archives(bundle);
    if archives.is_empty() {
        return Arrays::new(bundle).has_edges();
    }
    // In a folder, arrays may accompany another format: only one with edges is a graph.
    let has_edges = |member| open(bundle, member).is_ok_and(|i| Arrays::new(&i).has_edges());
    single_file(bundle).is_some() || archives.iter().any(|candidate| has_edges(candidate.member))
}

/// Reads a bundle of this format.
///
/// # Errors
/// If the members are not what the format says they are.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let archives = archives(bundle);
    if archives.is_empty() {
        // The bundle's own members are arrays: an npz under another name, or a folder of them.
        return read_arrays(Arrays::new(bundle), stem(bundle.place().file_name()), options);
    }
    let chosen = one_of(bundle, options, archives, "an npz file")?;
    let inner = open(bundle, chosen.member)?;
    read_arrays(Arrays::new(&inner), stem(chosen.member), options)
}

/// The `.npz` files of a bundle; if it is a single file, only that one.
fn archives(bundle: &Bundle) -> Vec<Candidate<'_>> {
    let mut members = ending_with(bundle, ".npz");
    members.retain(|&member| single_file(bundle).is_none_or(|file| file == member));
    members.into_iter().map(|member| Candidate { name: stem(member), member }).collect()
}

/// `d/cora.npz` is called `cora`.
fn stem(member: &str) -> String {
    let name = base_name(member);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

/// The arrays of the `.npz` file that a bundle is or has.
pub(crate) fn open(bundle: &Bundle, member: &str) -> Result<Bundle> {
    let bytes = bundle.open(member)?.into_bytes()?;
    // An npz inside an archive keeps its own name in errors about its arrays.
    let place = SourceLocation::file(bundle.member_place(member).to_string());
    Bundle::from_zip(place, bytes, *bundle.limits())
}

fn read_arrays(
    mut arrays: Arrays<'_>,
    file_name: String,
    options: &ReadOptions,
) -> Result<LoadedData> {
    let place = arrays.place().clone();
    let edges::Edges { node_count, pairs, direction } = edges::read(&mut arrays)?;
    let (graph, folded) = arcs::build(&place, node_count, direction, pairs, options)?;
    let name = node_data::name(&mut arrays)?.unwrap_or(file_name);
    let ids = node_data::ids(&mut arrays, node_count)?;
    let mut dataset = Dataset::new(name, graph, ids).map_err(|error| error.at(&place))?;
    if let Some(features) = node_data::features(&mut arrays, node_count)? {
        dataset = dataset.with_features(features).map_err(|error| error.at(&place))?;
    }
    if let Some(labels) = node_data::labels(&mut arrays, node_count)? {
        dataset = dataset.with_labels(labels).map_err(|error| error.at(&place))?;
    }
    if let Some(split) = node_data::split(&mut arrays, node_count)? {
        dataset = dataset.with_split(split).map_err(|error| error.at(&place))?;
    }
    if let Some(array) = arrays.optional(FACTS)? {
        dataset = with_fact_lines(dataset, &array.texts()?, &place.field(FACTS))?;
    }
    let notices = arrays.into_notices().into_iter().map(|text| Notice::new(&place, text));
    Ok(LoadedData::Nodes(dataset.with_notices(folded).with_notices(notices)))
}

#[cfg(test)]
mod tests;
