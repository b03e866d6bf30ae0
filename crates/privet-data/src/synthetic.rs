//! Graphs made up on the spot: seeded, in time and memory O(nodes + edges).
//!
//! Each model is a struct of parameters with a default and a `generate(seed)`; the same parameters
//! and seed give the same dataset on every machine.

mod barabasi_albert;
mod erdos_renyi;
mod karate;
mod power_law;
mod stochastic_blocks;

pub use barabasi_albert::BarabasiAlbert;
pub use erdos_renyi::ErdosRenyi;
pub use karate::karate_club;
pub use power_law::{PowerLaw, configuration_model};
pub use stochastic_blocks::StochasticBlocks;

use crate::{Dataset, Error, Graph, NodeId, NodeIds, Result};

/// What an edge takes on its way into a graph: a pair, and an entry in both rows, twice while they are sorted.
const BYTES_PER_EDGE: u64 = 24;
/// What it takes to remember that a pair was drawn, in a table that is half empty at worst.
const BYTES_PER_DRAW: u64 = 36;

/// A dataset of a bare graph whose nodes are called 0, 1, 2, ...
fn bare(name: &str, graph: Graph) -> Result<Dataset> {
    let ids = NodeIds::sequential(graph.node_count());
    Dataset::new(name, graph, ids)
}

fn check_nodes(nodes: usize, at_least: usize) -> Result<()> {
    if (at_least..NodeId::MAX as usize).contains(&nodes) {
        return Ok(());
    }
    Err(Error::invalid("nodes", nodes, format!("{at_least} to {}", NodeId::MAX - 1)))
}
