//! A uniformly random graph with a given number of edges.

use privet_graph::memory;
use rand::RngExt;
use rustc_hash::FxHashSet;

use super::{BYTES_PER_DRAW, BYTES_PER_EDGE, bare, check_nodes};
use crate::{Dataset, Direction, Error, GraphBuilder, NodeId, Result, SimRng};

/// The Erdős–Rényi model G(n, M): every graph with `edges` edges is equally likely.
///
/// ```
/// use privet_data::synthetic::ErdosRenyi;
/// assert_eq!(ErdosRenyi { nodes: 50, edges: 200 }.generate(1)?.graph().edge_count(), 200);
/// # Ok::<(), privet_graph::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct ErdosRenyi {
    /// Number of nodes.
    #[cfg_attr(feature = "clap", arg(long))]
    pub nodes: usize,
    /// Number of edges.
    #[cfg_attr(feature = "clap", arg(long))]
    pub edges: usize,
}

impl Default for ErdosRenyi {
    fn default() -> Self {
        Self { nodes: 1000, edges: 5000 }
    }
}

impl ErdosRenyi {
    /// Draws a graph.
    ///
    /// # Errors
    /// If there are more edges than pairs of nodes.
    pub fn generate(&self, seed: u64) -> Result<Dataset> {
        check_nodes(self.nodes, 1)?;
        let all = self.nodes as u64 * (self.nodes as u64 - 1) / 2;
        let wanted = self.edges as u64;
        if wanted > all {
            return Err(Error::invalid("edges", wanted, format!("at most {all} (all pairs)")));
        }
        memory::ask("nodes", self.nodes as u64, 16, 0)?;
        let per_edge = BYTES_PER_EDGE + BYTES_PER_DRAW;
        memory::ask("edges", wanted, per_edge, 16 * self.nodes as u64)?;
        // Drawing without replacement by rejection is quick while fewer than half are drawn;
        // beyond that, draw the pairs to leave out.
        let leave_out = wanted > all / 2;
        let mut rng = SimRng::new(seed);
        let mut drawn = FxHashSet::default();
        let draws = if leave_out { all - wanted } else { wanted };
        let mut pairs = Vec::with_capacity(self.edges);
        while (drawn.len() as u64) < draws {
            let index = rng.random_range(0..all);
            if drawn.insert(index) && !leave_out {
                pairs.push(pair_at(index));
            }
        }
        if leave_out {
            pairs.extend((0..all).filter(|index| !drawn.contains(index)).map(pair_at));
        }
        let (graph, _) =
            GraphBuilder::from_pairs(self.nodes, Direction::Undirected, pairs).build()?;
        bare("erdos-renyi", graph)
    }
}

/// The pair at `index` in the order (1,0), (2,0), (2,1), (3,0), ...: row u starts at u(u-1)/2.
fn pair_at(index: u64) -> [NodeId; 2] {
    let mut row = ((1.0 + (8.0 * index as f64 + 1.0).sqrt()) / 2.0) as u64;
    // The root is good to a unit or so in f64; settle it in integers.
    while row * (row - 1) / 2 > index {
        row -= 1;
    }
    while (row + 1) * row / 2 <= index {
        row += 1;
    }
    [row as NodeId, (index - row * (row - 1) / 2) as NodeId]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_name_every_pair_once() {
        let pairs: Vec<_> = (0..6).map(pair_at).collect();
        assert_eq!(pairs, [[1, 0], [2, 0], [2, 1], [3, 0], [3, 1], [3, 2]]);
        let n = 4_000_000_000u64;
        assert_eq!(pair_at(n * (n - 1) / 2 - 1), [(n - 1) as NodeId, (n - 2) as NodeId]);
    }

    #[test]
    fn exact_edge_counts_sparse_dense_and_full() {
        for edges in [0, 10, 40, 45] {
            let dataset = ErdosRenyi { nodes: 10, edges }.generate(5).unwrap();
            assert_eq!(dataset.graph().edge_count(), edges);
        }
        assert!(ErdosRenyi { nodes: 10, edges: 46 }.generate(5).is_err());
        assert!(ErdosRenyi { nodes: 0, edges: 0 }.generate(5).is_err());
    }
}
