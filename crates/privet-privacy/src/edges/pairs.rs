//! The pairs of a curator's graph, row by row: row `u` are the pairs `(u, v)` with `v < u`.

use std::borrow::Cow;

use privet_graph::{Direction, Graph, NodeId};

/// The graph without directions: of an arc only its pair is kept, so one arc is at most one edge.
pub(super) fn undirected(graph: &Graph) -> Cow<'_, Graph> {
    match graph.direction() {
        Direction::Undirected => Cow::Borrowed(graph),
        // Fails for too many nodes only, and these nodes are already in a graph.
        Direction::Directed => {
            graph.to_undirected().map_or_else(|_| Cow::Borrowed(graph), Cow::Owned)
        }
    }
}

/// The neighbours of `node` below it, ascending.
pub(super) fn below(graph: &Graph, node: NodeId) -> &[NodeId] {
    let row = graph.neighbors(node);
    &row[..row.partition_point(|&other| other < node)]
}

/// How many pairs `count` nodes have.
pub(super) fn pair_count(count: usize) -> u64 {
    let count = count as u64;
    count * count.saturating_sub(1) / 2
}
