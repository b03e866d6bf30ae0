//! Connected components (weak ones, if the graph is directed), by union-find: O(nodes + arcs).

use crate::{Graph, NodeId};

/// The components of a graph, the largest first; ties by their smallest node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    of_node: Vec<u32>,
    sizes: Vec<usize>,
}

impl Components {
    /// How many components there are.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// Nodes in each component, descending.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The component of `node`.
    ///
    /// # Panics
    /// If `node` is out of range.
    pub fn component_of(&self, node: NodeId) -> u32 {
        self.of_node[node as usize]
    }

    /// The nodes of the largest component, ascending; for [`crate::Dataset::induced`].
    pub fn largest(&self) -> Vec<NodeId> {
        let nodes = 0..self.of_node.len() as NodeId;
        nodes.filter(|&node| self.component_of(node) == 0).collect()
    }
}

/// Finds the connected components.
///
/// ```
/// use privet_graph::{Direction, GraphBuilder, components};
/// let (graph, _) =
///     GraphBuilder::new(5, Direction::Directed).edges([(3, 2), (2, 4)]).build()?;
/// let components = components::connected_components(&graph);
/// assert_eq!(components.sizes(), [3, 1, 1]);
/// assert_eq!(components.largest(), [2, 3, 4]);
/// # Ok::<(), privet_graph::Error>(())
/// ```
pub fn connected_components(graph: &Graph) -> Components {
    let mut parent: Vec<NodeId> = graph.nodes().collect();
    for (u, v) in graph.arcs() {
        let (a, b) = (root(&mut parent, u), root(&mut parent, v));
        // The smaller node becomes the root, so a root is its component's smallest node.
        parent[a.max(b) as usize] = a.min(b);
    }
    let mut size_of_root = vec![0usize; parent.len()];
    for node in graph.nodes() {
        size_of_root[root(&mut parent, node) as usize] += 1;
    }
    let mut roots: Vec<NodeId> = graph.nodes().filter(|&u| size_of_root[u as usize] > 0).collect();
    // A stable sort: components of one size keep the order of their smallest nodes.
    roots.sort_by_key(|&r| std::cmp::Reverse(size_of_root[r as usize]));
    let mut rank = vec![0u32; parent.len()];
    roots.iter().zip(0..).for_each(|(&r, at)| rank[r as usize] = at);
    let of_node = graph.nodes().map(|u| rank[root(&mut parent, u) as usize]).collect();
    Components { of_node, sizes: roots.iter().map(|&r| size_of_root[r as usize]).collect() }
}

/// The root of a node, halving its path on the way.
fn root(parent: &mut [NodeId], mut node: NodeId) -> NodeId {
    while parent[node as usize] != node {
        // Path halving: later searches take half as long.
        parent[node as usize] = parent[parent[node as usize] as usize];
        node = parent[node as usize];
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Direction, GraphBuilder};
    use proptest::prelude::*;

    proptest! {
        /// Two nodes share a component exactly when a path joins them (Warshall's closure).
        #[test]
        fn agrees_with_reachability(pairs in proptest::collection::vec((0u32..12, 0u32..12), 0..14)) {
            let (graph, _) =
                GraphBuilder::new(12, Direction::Directed).edges(pairs).build().unwrap();
            let mut reach = [[false; 12]; 12];
            for (u, row) in reach.iter_mut().enumerate() {
                row[u] = true;
            }
            graph.arcs().for_each(|(u, v)| {
                reach[u as usize][v as usize] = true;
                reach[v as usize][u as usize] = true;
            });
            for middle in 0..12 {
                for u in 0..12 {
                    for v in 0..12 {
                        reach[u][v] |= reach[u][middle] && reach[middle][v];
                    }
                }
            }
            let components = connected_components(&graph);
            for u in 0..12 {
                for v in 0..12 {
                    let same = components.component_of(u) == components.component_of(v);
                    prop_assert_eq!(same, reach[u as usize][v as usize]);
                }
            }
            prop_assert!(components.sizes().windows(2).all(|w| w[0] >= w[1]));
            prop_assert_eq!(components.sizes().iter().sum::<usize>(), 12);
            prop_assert_eq!(components.largest().len(), components.sizes()[0]);
        }
    }
}
