//! [`PublicGraph`]: what is public before anything private is read.
//!
//! Which nodes can have private edges is *declared*. If it were "the nodes that have one", the first
//! private edge of a person would move that person from "copied" to "random", and one look at the
//! output would tell (epsilon infinite; in a witness on three nodes delta is at least 0.678).

use privet_graph::{Direction, Graph, NodeId};

use crate::error::{Error, Result};
use crate::population::GraphShape;

/// Between whom private edges may be. A setting, never a fact found in the data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PrivateNodes {
    /// Every node.
    #[default]
    All,
    /// These nodes only.
    Only(Vec<NodeId>),
}

/// Public edges, and between whom private ones may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicGraph {
    public: Graph,
    is_private: Vec<bool>,
    declared: PrivateNodes,
}

impl PublicGraph {
    /// Public edges on all nodes, and where private edges may be.
    ///
    /// # Errors
    /// If the graph is directed or has self-loops, or a declared node is not in it.
    pub fn new(public: Graph, declared: PrivateNodes) -> Result<Self> {
        let count = public.node_count();
        undirected(&public)?;
        let is_private = match &declared {
            PrivateNodes::All => vec![true; count],
            PrivateNodes::Only(nodes) => {
                let mut is_private = vec![false; count];
                for &node in nodes {
                    match is_private.get_mut(node as usize) {
                        Some(flag) => *flag = true,
                        None => return Err(Error::range("private node", node, "in the graph")),
                    }
                }
                is_private
            }
        };
        Ok(Self { public, is_private, declared })
    }

    /// Nothing is public but the nodes: every edge is private.
    ///
    /// # Errors
    /// If there are too many nodes.
    pub fn all_private(nodes: usize) -> Result<Self> {
        let empty = Graph::empty(nodes, Direction::Undirected);
        let empty = empty.map_err(|_| Error::range("number of nodes", nodes, "below 2^32"))?;
        Self::new(empty, PrivateNodes::All)
    }

    /// The public edges.
    pub fn public(&self) -> &Graph {
        &self.public
    }

    /// Where private edges may be, as declared.
    pub fn declared(&self) -> &PrivateNodes {
        &self.declared
    }

    /// How many nodes there are in all.
    pub fn node_count(&self) -> usize {
        self.is_private.len()
    }

    /// Whether a node may have private edges.
    pub fn is_private(&self, node: NodeId) -> bool {
        self.is_private[node as usize]
    }

    /// How many nodes may have private edges.
    pub fn private_count(&self) -> usize {
        self.is_private.iter().filter(|&&private| private).count()
    }

    /// Whether a pair may be a private edge: both may have one, and the pair is no public edge.
    pub fn is_candidate(&self, u: NodeId, v: NodeId) -> bool {
        u != v && self.is_private(u) && self.is_private(v) && !self.public.has_edge(u, v)
    }

    /// Whether private edges of this shape fit on this ground.
    ///
    /// # Errors
    /// If they are on other nodes, or directed.
    pub(crate) fn check(&self, private: &GraphShape) -> Result<()> {
        let (found, expected) = (private.nodes, self.node_count());
        if found != expected {
            return Err(Error::shape("nodes", found, "edge-rr", expected));
        }
        match private.direction {
            Direction::Undirected => Ok(()),
            Direction::Directed => Err(Error::range("direction", "directed", "undirected")),
        }
    }
}

fn undirected(graph: &Graph) -> Result<()> {
    if graph.direction() == Direction::Directed {
        return Err(Error::range("direction", "directed", "undirected"));
    }
    match graph.self_loop_count() {
        0 => Ok(()),
        loops => Err(Error::range("self-loops", loops, "none")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_graph::GraphBuilder;

    fn graph(edges: &[(NodeId, NodeId)]) -> Graph {
        let builder = GraphBuilder::new(4, Direction::Undirected).edges(edges.iter().copied());
        builder.build().unwrap().0
    }

    #[test]
    fn private_edges_may_be_where_declared() {
        let ground = PublicGraph::new(graph(&[(0, 1)]), PrivateNodes::Only(vec![0, 1, 2])).unwrap();
        assert_eq!((ground.private_count(), ground.node_count()), (3, 4));
        assert!(ground.is_candidate(0, 2) && ground.is_candidate(2, 1));
        assert!(!ground.is_candidate(2, 3) && !ground.is_candidate(0, 1));
        let shape = |nodes, direction| GraphShape { nodes, direction };
        assert!(ground.check(&shape(4, Direction::Undirected)).is_ok());
        assert!(ground.check(&shape(4, Direction::Directed)).is_err());
        assert!(ground.check(&shape(3, Direction::Undirected)).is_err());
    }

    #[test]
    fn the_ground_itself_is_checked() {
        assert!(PublicGraph::new(graph(&[]), PrivateNodes::Only(vec![4])).is_err());
        assert!(PublicGraph::new(graph(&[(0, 1)]).to_directed(), PrivateNodes::All).is_err());
        assert_eq!(PublicGraph::all_private(3).unwrap().private_count(), 3);
    }
}
