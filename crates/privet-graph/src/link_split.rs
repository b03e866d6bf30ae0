//! [`LinkSplit`]: which edges a link predictor may see, which it must find, and pairs that are no
//! edges to tell them from.

use rand::RngExt;
use rand::seq::SliceRandom;
use rustc_hash::FxHashSet;

use crate::{Direction, Error, Graph, GraphBuilder, NodeId, Result, SimRng};

/// Edges and as many non-edges, each pair written with the smaller node first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkPairs {
    /// Pairs that are edges.
    pub edges: Vec<(NodeId, NodeId)>,
    /// As many pairs that are not, neither in the training graph nor held out.
    pub non_edges: Vec<(NodeId, NodeId)>,
}

/// A graph with some of its edges held out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkSplit {
    /// The graph that remains: all nodes, training edges only.
    pub graph: Graph,
    /// The edges of that graph, and non-edges to train against.
    pub train: LinkPairs,
    /// Held out to choose settings on.
    pub validation: LinkPairs,
    /// Held out to report on, once.
    pub test: LinkPairs,
}

impl LinkSplit {
    /// Holds out the given shares of the edges of an undirected graph (its self-loops are dropped).
    ///
    /// ```
    /// use privet_data::synthetic::karate_club;
    /// use privet_graph::LinkSplit;
    /// let split = LinkSplit::random(karate_club()?.graph(), 0.05, 0.10, 7)?;
    /// assert_eq!((split.graph.edge_count(), split.test.edges.len()), (66, 8));
    /// assert_eq!(split.test.edges.len(), split.test.non_edges.len());
    /// # Ok::<(), privet_graph::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the graph is directed, a share is out of range, or there are too few non-edges.
    pub fn random(graph: &Graph, validation: f64, test: f64, seed: u64) -> Result<Self> {
        if graph.direction() == Direction::Directed {
            return Err(Error::invalid("graph to hold edges out of", "directed", "undirected"));
        }
        if !(validation >= 0.0 && test >= 0.0 && validation + test < 1.0) {
            let found = format!("{validation} and {test}");
            return Err(Error::invalid("shares of held-out edges", found, "less than 1 in all"));
        }
        let mut edges: Vec<(NodeId, NodeId)> =
            graph.edges().filter(|(u, v)| u != v).map(|(u, v)| (u.min(v), u.max(v))).collect();
        edges.shuffle(&mut SimRng::stream(seed, 0));
        let share = |share: f64| (share * edges.len() as f64).round() as usize;
        // Drawn against the whole graph: a held-out edge is never taken for a non-edge.
        let mut non_edges = non_edges(graph, edges.len(), &mut SimRng::stream(seed, 1))?;
        let mut take = |edges: &mut Vec<(NodeId, NodeId)>, count: usize| LinkPairs {
            edges: edges.split_off(edges.len() - count),
            non_edges: non_edges.split_off(non_edges.len() - count),
        };
        let (test, validation) = (share(test), share(validation));
        let (test, validation) = (take(&mut edges, test), take(&mut edges, validation));
        let (remaining, _) = GraphBuilder::new(graph.node_count(), Direction::Undirected)
            .edges(edges.iter().copied())
            .build()?;
        Ok(Self { graph: remaining, train: LinkPairs { edges, non_edges }, validation, test })
    }
}

/// Distinct unordered pairs of different nodes that are not joined, uniformly.
fn non_edges(graph: &Graph, count: usize, rng: &mut SimRng) -> Result<Vec<(NodeId, NodeId)>> {
    let nodes = graph.node_count() as u64;
    let joined = (graph.edge_count() - graph.self_loop_count()) as u64;
    let free = (nodes * nodes.saturating_sub(1) / 2).saturating_sub(joined);
    // Rejection needs some room: with half of the free pairs left it takes two draws each.
    if (count as u64) > free / 2 {
        let expected = format!("at most half of the {free} pairs that are no edges");
        return Err(Error::invalid("number of non-edges to draw", count, expected));
    }
    let mut seen = FxHashSet::default();
    let mut pairs = Vec::with_capacity(count);
    while pairs.len() < count {
        let u = rng.random_range(0..nodes as NodeId);
        let v = rng.random_range(0..nodes as NodeId);
        let pair = (u.min(v), u.max(v));
        if u != v && !graph.has_edge(u, v) && seen.insert(pair) {
            pairs.push(pair);
        }
    }
    Ok(pairs)
}
