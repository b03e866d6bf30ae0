//! npz: a zip of numpy arrays with a CSR adjacency, features, labels and names.
//!
//! Three ways to state the edges are read: `adj_data`, `adj_indices`, `adj_indptr`, `adj_shape`; the
//! same as `adj_matrix.data` and so on; and `edge_index`, two rows of nodes. Rows need not be sorted.
//! The graph is undirected unless a member `directed` is true. Members that are not needed are left
//! alone and named in a notice; object arrays are pickles and are never opened.
//!
//! [`write()`] keeps everything a [`Dataset`] has, and [`read`] gives it back.

mod arrays;
mod edges;
mod node_data;
mod write;

use std::path::Path;

pub(crate) use arrays::Arrays;
pub(crate) use node_data::{FeatureKeys, LABELS, dense_matrix, feature_matrix, labels_of};
pub use write::write;

use super::parts::{Candidate, choose, file_part};
use super::{Bundle, ReadOptions, arcs};
use crate::{Dataset, Loaded, Notice, Place, Result};

/// How a bundle holds arrays.
enum Holding {
    /// The bundle's own members are `.npy`: an npz under another name, or a folder of arrays.
    Itself,
    /// Members that are `.npz`.
    Archives(Vec<Candidate>),
}

pub(crate) fn recognises(bundle: &Bundle) -> bool {
    match holding(bundle) {
        Holding::Itself => Arrays::new(bundle).has_edges(),
        Holding::Archives(found) if is_single_file(bundle) => !found.is_empty(),
        // In a folder, arrays may accompany another format: only one with edges is a graph.
        Holding::Archives(found) => found.iter().any(|candidate| {
            let inner = open(bundle, &candidate.prefix);
            inner.is_ok_and(|inner| Arrays::new(&inner).has_edges())
        }),
    }
}

/// Reads a bundle of this format.
///
/// # Errors
/// If the members are not what the format says they are.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<Loaded> {
    match holding(bundle) {
        Holding::Itself => {
            let path = Path::new(bundle.place().file_name());
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            read_arrays(Arrays::new(bundle), name, options)
        }
        Holding::Archives(found) => {
            let chosen = choose(bundle, options, found)?;
            let inner = open(bundle, &chosen.prefix)?;
            read_arrays(Arrays::new(&inner), chosen.name, options)
        }
    }
}

/// The arrays of the `.npz` file that a bundle is or has.
pub(crate) fn open(bundle: &Bundle, member: &str) -> Result<Bundle> {
    let bytes = bundle.open(member)?.into_bytes()?;
    // An npz inside an archive keeps its own name in errors about its arrays.
    let place = Place::file(bundle.member_place(member).to_string());
    Bundle::from_zip(place, bytes, *bundle.limits())
}

/// Whether the bundle is one file, and its other members only that file's neighbours.
fn is_single_file(bundle: &Bundle) -> bool {
    bundle.members().first().is_some_and(|first| bundle.member_place(first) == *bundle.place())
}

fn holding(bundle: &Bundle) -> Holding {
    let candidate = |member: &String| {
        let (name, ending) = file_part(member)?.rsplit_once('.')?;
        let archive = ending.eq_ignore_ascii_case("npz");
        archive.then(|| Candidate { name: name.into(), prefix: member.clone() })
    };
    let single = is_single_file(bundle);
    let members = if single { &bundle.members()[..1] } else { bundle.members() };
    let archives: Vec<Candidate> = members.iter().filter_map(candidate).collect();
    let has_arrays = !single && bundle.members().iter().any(|name| name.ends_with(".npy"));
    if archives.is_empty() && has_arrays { Holding::Itself } else { Holding::Archives(archives) }
}

fn read_arrays(mut arrays: Arrays<'_>, file_name: String, options: &ReadOptions) -> Result<Loaded> {
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
    let notices = arrays.into_notices().into_iter().map(|text| Notice::new(&place, text));
    Ok(Loaded::Nodes(dataset.with_notices(folded).with_notices(notices)))
}

#[cfg(test)]
mod tests;
