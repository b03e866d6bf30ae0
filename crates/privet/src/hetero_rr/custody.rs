//! [`Custody`]: what a custodian holds, and which of it is secret. The `Secret` fields *are* the threat
//! model.

use rand::seq::SliceRandom;

use crate::graph::{
    Dataset, Direction, FeatureMatrix, Features, Graph, GraphBuilder, NodeId, SimRng,
};
use crate::privacy::Secret;
use crate::privacy::edges::comparison::hrg::{PrivateNodes, PublicGraph};
use crate::privacy::features::Scale;
use crate::privacy::public::Public;
use crate::{Error, Result};

/// Which edges of a graph are private.
#[derive(Debug, Clone, PartialEq)]
pub enum PrivateEdges {
    /// All of them.
    All,
    /// These.
    Listed(Vec<(NodeId, NodeId)>),
    /// A share of them, drawn with a seed: for experiments on graphs that do not say.
    Share {
        /// From 0 to 1.
        share: f64,
        /// The seed of the draw.
        seed: u64,
    },
}

impl PrivateEdges {
    /// The public and the private edges of a graph; directions and self-loops are dropped.
    ///
    /// # Errors
    /// If a listed edge is not in the graph, or the share is not from 0 to 1.
    pub fn split(&self, graph: &Graph) -> Result<(Graph, Graph)> {
        let mut edges: Vec<(NodeId, NodeId)> =
            simple(graph)?.edges().map(|(u, v)| (u.min(v), u.max(v))).collect();
        let private = match self {
            Self::All => std::mem::take(&mut edges),
            Self::Share { share, seed } => {
                if !(0.0..=1.0).contains(share) {
                    return Err(Error::invalid("share of private edges", share, "0 to 1"));
                }
                edges.shuffle(&mut SimRng::stream(*seed, 7));
                edges.split_off(edges.len() - (share * edges.len() as f64).round() as usize)
            }
            Self::Listed(listed) => {
                let mut wanted: Vec<_> =
                    listed.iter().map(|&(u, v)| (u.min(v), u.max(v))).collect();
                wanted.sort_unstable();
                wanted.dedup();
                edges.sort_unstable();
                let missing = wanted.iter().find(|pair| edges.binary_search(pair).is_err());
                // Which one is between the custodian and the file; messages contain no ids.
                if missing.is_some() {
                    let found = "one that the graph does not have";
                    return Err(Error::invalid("private edge", found, "an edge of the graph"));
                }
                edges.retain(|pair| wanted.binary_search(pair).is_err());
                wanted
            }
        };
        let build = |edges: Vec<(NodeId, NodeId)>| -> Result<Graph> {
            Ok(GraphBuilder::new(graph.node_count(), Direction::Undirected).edges(edges).build()?.0)
        };
        Ok((build(edges)?, build(private)?))
    }
}

/// The graph without directions and self-loops.
///
/// # Errors
/// Never in practice: the nodes are already in a graph.
pub fn simple(graph: &Graph) -> Result<Graph> {
    if graph.direction() == Direction::Undirected && graph.self_loop_count() == 0 {
        return Ok(graph.clone());
    }
    let builder = GraphBuilder::new(graph.node_count(), Direction::Undirected);
    Ok(builder.edges(graph.edges()).build()?.0)
}

/// What a custodian holds.
pub struct Custody {
    /// The data's name.
    pub name: String,
    /// Public edges, and between whom private ones may be.
    pub ground: PublicGraph,
    /// The private edges.
    pub private: Secret<Graph>,
    /// One row of numbers per node, if there are features to protect.
    pub features: Option<Secret<Features>>,
    /// Columns and their declared ranges; protecting features needs them.
    pub scale: Option<Scale>,
    /// One row per node that is no secret, if there is any: a tree can grow from them.
    pub attributes: Option<Public<FeatureMatrix>>,
}

impl Custody {
    /// Wraps a dataset at once, before anything else can look at it. `declared` says between whom private
    /// edges may be: a setting, not a fact found in the data.
    ///
    /// # Errors
    /// If the split makes no sense, or a private edge lies outside `declared`.
    pub fn new(dataset: &Dataset, edges: &PrivateEdges, declared: PrivateNodes) -> Result<Self> {
        let (public, private) = edges.split(dataset.graph())?;
        Self::of(dataset, public, private, declared)
    }

    /// The same with edges that were split before.
    ///
    /// # Errors
    /// As [`Custody::new`].
    pub fn of(
        dataset: &Dataset,
        public: Graph,
        private: Graph,
        declared: PrivateNodes,
    ) -> Result<Self> {
        let ground = PublicGraph::new(public, declared)?;
        if private.edges().any(|(u, v)| !ground.is_candidate(u, v)) {
            let expected = "all between nodes that were declared to be able to have one";
            return Err(Error::invalid("private edge", "one elsewhere", expected));
        }
        let features = dataset.features();
        Ok(Self {
            name: dataset.name().to_owned(),
            ground,
            private: Secret::new(private),
            // Features without a declared range can be held; a release that protects them refuses.
            scale: features.and_then(|f| Scale::new(f.columns(), f.bounds()).ok()),
            features: features.cloned().map(Secret::new),
            attributes: None,
        })
    }

    /// The same with rows that are declared to be no secret.
    #[must_use]
    pub fn with_public_attributes(mut self, rows: FeatureMatrix) -> Self {
        self.attributes = Some(Public::from_public_data(rows));
        self
    }

    /// The same without features: they are public, or there are none.
    #[must_use]
    pub fn without_features(mut self) -> Self {
        self.features = None;
        self.scale = None;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::karate_club;

    #[test]
    fn edges_are_split_without_loss() {
        let club = karate_club().unwrap();
        let graph = club.graph();
        for (edges, count) in [
            (PrivateEdges::All, 78),
            (PrivateEdges::Share { share: 0.25, seed: 1 }, 20),
            (PrivateEdges::Listed(vec![(1, 0), (0, 1), (33, 32)]), 2),
        ] {
            let (public, private) = edges.split(graph).unwrap();
            assert_eq!((public.edge_count(), private.edge_count()), (78 - count, count));
            assert!(graph.edges().all(|(u, v)| public.has_edge(u, v) != private.has_edge(u, v)));
        }
        assert!(PrivateEdges::Listed(vec![(0, 33)]).split(graph).is_err());
        assert!(PrivateEdges::Share { share: 1.5, seed: 1 }.split(graph).is_err());
    }

    /// A range is required to protect features, not to hold them.
    #[test]
    fn features_without_a_range_can_be_held() {
        let club = karate_club().unwrap();
        let ones = crate::graph::DenseMatrix::new(34, 1, vec![1.0; 34]).unwrap();
        let club = club.with_features(Features::dense(ones)).unwrap();
        let custody = Custody::new(&club, &PrivateEdges::All, PrivateNodes::All).unwrap();
        assert!(custody.features.is_some() && custody.scale.is_none());
    }

    #[test]
    fn private_edges_must_be_declared() {
        let club = karate_club().unwrap();
        let edges = PrivateEdges::Listed(vec![(0, 1)]);
        assert!(Custody::new(&club, &edges, PrivateNodes::Only(vec![0, 2])).is_err());
        assert!(Custody::new(&club, &edges, PrivateNodes::Only(vec![0, 1])).is_ok());
    }
}
