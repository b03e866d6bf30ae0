//! Mechanisms for edges: who knows whom.
//!
//! | mechanism | who perturbs | what comes out |
//! |---|---|---|
//! | [`local::Rr`] | each user, every bit | dense rows: about `n / (1 + e^eps)` ones |
//! | [`local::Dprr`] | each user: a noisy degree, then bits thinned to it | about as many ones as the user has neighbours |
//! | [`local::NoisyDegree`] | each user: a noisy degree | no edges |
//! | [`local::LocalLap`] | each user: a noisy degree and noisy cells | the server keeps the largest cells |
//! | [`comparison::EdgeRand`] | a curator, every pair | a graph with about `n^2 / (2 (1 + e^eps))` false edges |
//! | [`comparison::LapGraph`] | a curator: a noisy edge count and noisy cells | the largest cells |
//! | [`comparison::EdgeRr`] | a curator: noisy counts over a tree of groups | public edges as they are, private ones redrawn |
//! | [`central::EdgeVotes`] | a curator: every edge tells one end the class of the other, or counts in a pair of classes | noisy counts of classes, no edge |
//!
//! Reports are lists, one per user, ascending. An edge between two users stands in two lists, so how
//! reports become a graph is a choice ([`Merge`]); what the pair of them gives away follows from what was
//! sent, and the ledger knows it ([`relationship`](crate::ledger::relationship)).
//!
//! ```
//! use privet_data::synthetic::BarabasiAlbert;
//! use privet_privacy::edges::{Merge, local::Dprr};
//! use privet_privacy::{Card, Ledger, Loss, Secret, noise::NoiseRng};
//! let graph = BarabasiAlbert { nodes: 200, edges_per_node: 3 }.generate(1)?.graph().clone();
//! let friends = Secret::new(graph);
//! let mut ledger = Ledger::in_memory(Loss::new(2.0, 0.0)?, NoiseRng::from_operating_system()?)?;
//!
//! let dprr = Dprr::new(2.0, friends.user_count())?;
//! let reports = ledger.release_each(&friends, &dprr)?;
//! let noisy = reports.try_map(|rows| Merge::Directed.graph(rows))?;
//! assert_eq!(noisy.get().node_count(), 200);
//!
//! // Both users of a pair report it: the card says by itself what that means for an edge.
//! let card = Card::new("a noisy graph").with_ledger(&ledger)?;
//! assert!(card.explain().contains("As relationship-dp: (epsilon 4"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Cow;

use privet_graph::{Direction, Graph, NodeId};

pub mod merge;

/// Each user perturbs their own neighbour list; no other party sees it.
pub mod local {
    pub mod dprr;
    pub mod each_graph;
    mod list;
    pub mod local_lap;
    pub mod lower_half;
    pub mod noisy_degree;
    pub mod one_sided;
    pub mod rr;
    pub mod silent;

    pub use dprr::{BudgetSplit, DegreeReport, Dprr, DprrWithDegree};
    pub use each_graph::EachGraph;
    pub use local_lap::{LapReport, LocalLap};
    pub use lower_half::{ListMechanism, LowerHalf};
    pub use noisy_degree::NoisyDegree;
    pub use one_sided::OneSided;
    pub use rr::{BitRow, PackedRr, Rr};
    pub use silent::Silent;
}

/// A trusted curator holds the graph. Results come as rows, row `u` with the neighbours below `u`:
/// [`Merge::OneSided`] makes them a graph.
pub mod central {
    pub mod edge_votes;

    pub use edge_votes::{EdgeVotes, VoteCounts, VoteRules};
}

/// What comparisons with the papers use: HeteroRR's published graph ([`EdgeRr`](comparison::EdgeRr) over a [tree of
/// groups](comparison::hrg)) and a curator's two baselines. No default of a system does, so a reviewer of the trusted base can
/// read it last. Results are rows as in [`central`].
pub mod comparison {
    pub mod edge_rand;
    pub mod edge_rr;
    pub mod hrg;
    pub mod lap_graph;

    pub use edge_rand::EdgeRand;
    pub use edge_rr::{EdgeRr, PrintedSensitivity};
    pub use lap_graph::LapGraph;
}

pub use merge::{ListCost, Merge};

// The pairs of a curator's graph, row by row: row `u` are the pairs `(u, v)` with `v < u`.

/// The graph without directions: of an arc only its pair is kept, so one arc is at most one edge.
fn undirected(graph: &Graph) -> Cow<'_, Graph> {
    match graph.direction() {
        Direction::Undirected => Cow::Borrowed(graph),
        // Fails for too many nodes only, and these nodes are already in a graph.
        Direction::Directed => {
            graph.to_undirected().map_or_else(|_| Cow::Borrowed(graph), Cow::Owned)
        }
    }
}

/// The neighbours of `node` below it, ascending.
fn below(graph: &Graph, node: NodeId) -> &[NodeId] {
    let row = graph.neighbors(node);
    &row[..row.partition_point(|&other| other < node)]
}

/// How many pairs `count` nodes have.
fn pair_count(count: usize) -> u64 {
    let count = count as u64;
    count * count.saturating_sub(1) / 2
}
