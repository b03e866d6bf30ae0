//! From the arcs a file lists to a simple graph, and a word on what was folded away.

use super::ReadOptions;
use crate::{Direction, Graph, GraphBuilder, NodeId, Notice, Place, Result};

/// Builds the graph of `pairs` as the options say; `direction` is what the file says itself.
pub(crate) fn build(
    place: &Place,
    node_count: usize,
    direction: Direction,
    pairs: Vec<[NodeId; 2]>,
    options: &ReadOptions,
) -> Result<(Graph, Vec<Notice>)> {
    let listed = pairs.len();
    let direction = options.direction.unwrap_or(direction);
    let builder = GraphBuilder::from_pairs(node_count, direction, pairs);
    let built = builder.self_loops(options.self_loops).build();
    let (graph, report) = built.map_err(|error| error.at(place))?;
    let mut notices = Vec::new();
    if report.self_loops > 0 {
        notices.push(Notice::new(place, format!("{} self-loops dropped", report.self_loops)));
    }
    let others = listed - report.self_loops;
    // A file that lists every undirected edge both ways says nothing twice.
    let both_ways = direction == Direction::Undirected && others == graph.arc_count();
    if report.duplicates > 0 && !both_ways {
        let kind = match direction {
            Direction::Undirected => "undirected edges",
            Direction::Directed => "distinct arcs",
        };
        let text = format!("{others} listed arcs are {} {kind}", graph.edge_count());
        notices.push(Notice::new(place, text));
    }
    Ok((graph, notices))
}
