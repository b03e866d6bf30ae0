//! Many graphs from their lists of pairs, in parallel, with an account of what was folded away.

use rayon::prelude::*;

use super::ReadOptions;
use crate::{
    BuildReport, Direction, Graph, GraphBuilder, NodeId, Notice, Result, SelfLoops, SourceLocation,
};

/// How a format lists an undirected edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    /// Once, in either order.
    Once,
    /// As an arc from each end.
    BothEnds,
}

/// One graph as a file lists it.
#[derive(Debug, Default)]
pub(crate) struct PairList {
    pub node_count: usize,
    pub pairs: Vec<[NodeId; 2]>,
}

/// A graph, and what making it simple took.
pub(crate) struct Built {
    pub graph: Graph,
    pub report: BuildReport,
    /// Arcs of an undirected graph whose other end does not list them.
    pub one_sided: Vec<(NodeId, NodeId)>,
}

/// Builds every graph; the order stays.
pub(crate) fn build_all(
    lists: Vec<PairList>,
    listing: Listing,
    options: &ReadOptions,
) -> Result<Vec<Built>> {
    let direction = options.direction.unwrap_or(Direction::Undirected);
    let build_one = |list| build(list, listing, direction, options.self_loops);
    // Collected before errors are looked at, so that the first error does not depend on threads.
    let built: Vec<Result<Built>> = lists.into_par_iter().map(build_one).collect();
    built.into_iter().collect()
}

fn build(
    list: PairList,
    listing: Listing,
    direction: Direction,
    self_loops: SelfLoops,
) -> Result<Built> {
    let PairList { node_count, pairs } = list;
    let listed_arcs = listing == Listing::BothEnds && direction == Direction::Undirected;
    let first = if listed_arcs { Direction::Directed } else { direction };
    let (graph, report) =
        GraphBuilder::from_pairs(node_count, first, pairs).self_loops(self_loops).build()?;
    if !listed_arcs {
        return Ok(Built { graph, report, one_sided: Vec::new() });
    }
    if graph == graph.transposed() {
        // Half of the arcs say it all, and cost half as much to sort into rows again.
        let edges = graph.arcs().filter(|&(u, v)| u <= v);
        let builder = GraphBuilder::new(node_count, direction).self_loops(SelfLoops::Keep);
        let (graph, _) = builder.edges(edges).build()?;
        return Ok(Built { graph, report, one_sided: Vec::new() });
    }
    let one_sided = graph.arcs().filter(|&(u, v)| !graph.has_edge(v, u)).collect();
    Ok(Built { graph: graph.to_undirected()?, report, one_sided })
}

/// The graphs alone, and one notice for each kind of thing folded away in all of them together.
pub(crate) fn with_notices(built: Vec<Built>, place: &SourceLocation) -> (Vec<Graph>, Vec<Notice>) {
    let (mut total, mut one_sided) = (BuildReport::default(), 0);
    let mut graphs = Vec::with_capacity(built.len());
    for Built { graph, report, one_sided: arcs } in built {
        total.duplicates += report.duplicates;
        total.self_loops += report.self_loops;
        one_sided += arcs.len();
        graphs.push(graph);
    }
    let mut notices = folded(&total, place);
    if one_sided > 0 {
        let text = format!("{one_sided} edges are listed at one end only; read as undirected");
        notices.push(Notice::new(place, text));
    }
    (graphs, notices)
}

/// A notice for each kind of pair that did not become an edge.
pub(crate) fn folded(report: &BuildReport, place: &SourceLocation) -> Vec<Notice> {
    let mut notices = Vec::new();
    if report.self_loops > 0 {
        notices.push(Notice::new(place, format!("{} self-loops dropped", report.self_loops)));
    }
    if report.duplicates > 0 {
        let text = format!("{} pairs that repeat an earlier one folded away", report.duplicates);
        notices.push(Notice::new(place, text));
    }
    notices
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build_one(pairs: &[[NodeId; 2]], listing: Listing, options: &ReadOptions) -> Built {
        let list = PairList { node_count: 4, pairs: pairs.to_vec() };
        build_all(vec![list], listing, options).unwrap().remove(0)
    }

    #[test]
    fn arcs_from_both_ends_are_one_edge_and_no_repeat() {
        let built = build_one(
            &[[0, 1], [1, 0], [1, 0], [2, 2]],
            Listing::BothEnds,
            &ReadOptions::default(),
        );
        assert_eq!(built.graph.edges().collect::<Vec<_>>(), [(0, 1)]);
        assert_eq!(built.report, BuildReport { duplicates: 1, self_loops: 1 });
        assert!(built.one_sided.is_empty());
    }

    #[test]
    fn an_arc_from_one_end_is_found_even_if_a_repeat_makes_the_count_even() {
        let pairs = [[0, 1], [1, 0], [3, 2], [3, 2]];
        let built = build_one(&pairs, Listing::BothEnds, &ReadOptions::default());
        assert_eq!(built.one_sided, [(3, 2)]);
        assert_eq!(built.graph.edge_count(), 2);
    }

    #[test]
    fn options_decide_on_direction_and_self_loops() {
        let options = ReadOptions {
            direction: Some(Direction::Directed),
            self_loops: SelfLoops::Keep,
            ..ReadOptions::default()
        };
        let built = build_one(&[[1, 0], [2, 2]], Listing::BothEnds, &options);
        assert_eq!(built.graph.arcs().collect::<Vec<_>>(), [(1, 0), (2, 2)]);
        let undirected = ReadOptions { direction: None, ..options };
        let built = build_one(&[[1, 0], [0, 1], [2, 2]], Listing::BothEnds, &undirected);
        assert_eq!(built.graph.edges().collect::<Vec<_>>(), [(0, 1), (2, 2)]);
    }
}
