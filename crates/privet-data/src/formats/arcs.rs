//! From the arcs a file lists to a simple graph, and a word on what was folded away.

use super::ReadOptions;
use super::pair_store::PairStore;
use crate::{Direction, Graph, Notice, Result, SourceLocation};

/// Builds the graph of `pairs` as the options say; `direction` is what the file says itself.
pub(crate) fn build(
    place: &SourceLocation,
    node_count: usize,
    direction: Direction,
    pairs: impl Into<PairStore>,
    options: &ReadOptions,
) -> Result<(Graph, Vec<Notice>)> {
    let pairs = pairs.into();
    let listed = pairs.len();
    let direction = options.direction.unwrap_or(direction);
    let (graph, report) = pairs.build(place, node_count, direction, options)?;
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
