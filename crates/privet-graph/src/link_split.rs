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
    /// use privet_graph::{LinkSplit, synthetic::karate_club};
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{BarabasiAlbert, karate_club};

    #[test]
    fn nothing_held_out_can_be_seen() {
        let dataset = BarabasiAlbert { nodes: 300, edges_per_node: 4 }.generate(5).unwrap();
        let whole = dataset.graph();
        let split = LinkSplit::random(whole, 0.05, 0.10, 3).unwrap();
        let groups = [&split.train, &split.validation, &split.test];
        let mut edges: Vec<_> = groups.iter().flat_map(|g| g.edges.clone()).collect();
        let mut non_edges: Vec<_> = groups.iter().flat_map(|g| g.non_edges.clone()).collect();
        assert_eq!(edges.len(), whole.edge_count());
        assert_eq!(edges.len(), non_edges.len());
        edges.sort_unstable();
        non_edges.sort_unstable();
        assert!(edges.windows(2).all(|w| w[0] != w[1]));
        assert!(non_edges.windows(2).all(|w| w[0] != w[1]));
        assert!(edges.iter().all(|&(u, v)| whole.has_edge(u, v)));
        assert!(non_edges.iter().all(|&(u, v)| u < v && !whole.has_edge(u, v)));
        assert_eq!(split.graph.edge_count(), split.train.edges.len());
        assert!(split.train.edges.iter().all(|&(u, v)| split.graph.has_edge(u, v)));
        assert!(split.test.edges.iter().all(|&(u, v)| !split.graph.has_edge(u, v)));
        assert_eq!(split, LinkSplit::random(whole, 0.05, 0.10, 3).unwrap());
        assert_ne!(split, LinkSplit::random(whole, 0.05, 0.10, 4).unwrap());
    }

    #[test]
    fn impossible_requests_are_refused() {
        let club = karate_club().unwrap();
        assert!(LinkSplit::random(club.graph(), 0.5, 0.5, 1).is_err());
        assert!(LinkSplit::random(&club.graph().clone().to_directed(), 0.1, 0.1, 1).is_err());
        let clique = (0..5).flat_map(|u| (0..u).map(move |v| (u, v)));
        let (clique, _) =
            GraphBuilder::new(5, Direction::Undirected).edges(clique).build().unwrap();
        let error = LinkSplit::random(&clique, 0.1, 0.1, 1).unwrap_err().with_values();
        assert!(error.contains("non-edges"), "{error}");
    }
}
