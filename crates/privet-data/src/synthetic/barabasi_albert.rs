//! Preferential attachment: newcomers befriend the popular.

use rand::RngExt;

use privet_graph::memory;

use super::{BYTES_PER_EDGE, bare, check_nodes};
use crate::{Dataset, Direction, Error, GraphBuilder, NodeId, Result, SimRng};

/// The Barabási–Albert model: a star of `edges_per_node + 1` nodes, then each newcomer joins
/// `edges_per_node` distinct nodes, each chosen with probability proportional to its degree.
///
/// ```
/// use privet_data::synthetic::BarabasiAlbert;
/// let dataset = BarabasiAlbert { nodes: 100, edges_per_node: 3 }.generate(1)?;
/// assert_eq!(dataset.graph().edge_count(), 3 * (100 - 3));
/// # Ok::<(), privet_graph::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct BarabasiAlbert {
    /// Number of nodes.
    #[cfg_attr(feature = "clap", arg(long))]
    pub nodes: usize,
    /// Edges that each new node brings.
    #[cfg_attr(feature = "clap", arg(long))]
    pub edges_per_node: usize,
}

impl Default for BarabasiAlbert {
    fn default() -> Self {
        Self { nodes: 1000, edges_per_node: 3 }
    }
}

impl BarabasiAlbert {
    /// Draws a graph.
    ///
    /// # Errors
    /// Unless `1 <= edges_per_node < nodes`.
    pub fn generate(&self, seed: u64) -> Result<Dataset> {
        let Self { nodes, edges_per_node } = *self;
        if edges_per_node == 0 {
            return Err(Error::invalid("edges per node", 0, "at least 1"));
        }
        check_nodes(nodes, edges_per_node.saturating_add(1))?;
        let per_node = 16 + BYTES_PER_EDGE.saturating_mul(edges_per_node as u64);
        memory::ask("nodes", nodes as u64, per_node, 0)?;
        let mut rng = SimRng::new(seed);
        // The pairs drawn so far are also the urn: each node stands in it once per edge it has, so
        // a uniform entry is a node drawn by degree, and no second list is needed.
        let mut pairs: Vec<[NodeId; 2]> =
            Vec::with_capacity(edges_per_node * (nodes - edges_per_node));
        pairs.extend((1..=edges_per_node as NodeId).map(|leaf| [0, leaf]));
        for newcomer in edges_per_node + 1..nodes {
            let urn = pairs.len();
            while pairs.len() < urn + edges_per_node {
                let entry = rng.random_range(0..2 * urn);
                let friend = pairs[entry / 2][entry % 2];
                if pairs[urn..].iter().all(|pair| pair[1] != friend) {
                    pairs.push([newcomer as NodeId, friend]);
                }
            }
        }
        let (graph, _) = GraphBuilder::from_pairs(nodes, Direction::Undirected, pairs).build()?;
        bare("barabasi-albert", graph)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_graph::components::connected_components;

    #[test]
    fn connected_with_hubs_and_no_repeats() {
        let dataset = BarabasiAlbert { nodes: 2000, edges_per_node: 5 }.generate(3).unwrap();
        let graph = dataset.graph();
        assert_eq!(graph.edge_count(), 5 * (2000 - 5));
        assert_eq!(connected_components(graph).count(), 1);
        // Degrees of the first nodes grow as sqrt(n / i): a hub far above the mean of 10.
        assert!(graph.nodes().map(|u| graph.degree(u)).max() > Some(80));
        assert!(graph.nodes().all(|u| graph.degree(u) >= 1));
    }

    #[test]
    fn the_seed_decides_and_bad_sizes_are_refused() {
        let model = BarabasiAlbert::default();
        assert_eq!(model.generate(1).unwrap(), model.generate(1).unwrap());
        assert_ne!(model.generate(1).unwrap(), model.generate(2).unwrap());
        assert!(BarabasiAlbert { nodes: 3, edges_per_node: 3 }.generate(0).is_err());
        assert!(BarabasiAlbert { nodes: 3, edges_per_node: 0 }.generate(0).is_err());
        assert!(BarabasiAlbert { nodes: 3, edges_per_node: usize::MAX }.generate(0).is_err());
    }
}
