//! The edges of an npz: a CSR adjacency, or a list of node pairs.

use super::Arrays;
use crate::formats::limits::many_nodes;
use crate::{Direction, FoundValue, NodeId, Result};

pub(super) struct Edges {
    pub node_count: usize,
    pub pairs: Vec<[NodeId; 2]>,
    pub direction: Direction,
}

/// Arrays with one row per node, which tell how many nodes there are if nothing else does.
const PER_NODE: [&str; 5] = ["x", "features", "attr_matrix", "labels", "y"];

pub(super) fn read(arrays: &mut Arrays<'_>) -> Result<Edges> {
    let direction = match arrays.get("directed")? {
        Some(array) if array.integers::<u8>("0 or 1")?.contains(&1) => Direction::Directed,
        _ => Direction::Undirected,
    };
    let (node_count, pairs) = match arrays.adjacency_prefix() {
        Some(prefix) => read_csr(arrays, prefix)?,
        None if arrays.has("edge_index") => read_edge_index(arrays)?,
        None => {
            let expected = "adj_data, adj_indices, adj_indptr and adj_shape (or adj_matrix.data \
                            and so on), or edge_index";
            return Err(arrays
                .place()
                .malformed(FoundValue::words(format!("the arrays {}", arrays.keys())), expected));
        }
    };
    Ok(Edges { node_count, pairs, direction })
}

fn read_csr(arrays: &mut Arrays<'_>, prefix: &str) -> Result<(usize, Vec<[NodeId; 2]>)> {
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
fn read_edge_index(arrays: &mut Arrays<'_>) -> Result<(usize, Vec<[NodeId; 2]>)> {
    let array = arrays.required("edge_index")?;
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
fn count_nodes(arrays: &mut Arrays<'_>, named: usize) -> Result<usize> {
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
