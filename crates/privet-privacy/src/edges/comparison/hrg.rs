//! Hierarchical random graphs: a binary tree over the nodes says how densely groups are connected.
//!
//! # Idea
//! Every internal node of a [`Dendrogram`] stands for the pairs whose lowest common ancestor it is. One
//! number per internal node, how many of its pairs are edges, describes a graph; a graph drawn from
//! those numbers has the communities of the first without any of its edges.
//!
//! ```text
//! public edges  --PublicFit-->       Dendrogram            free: nothing private was read
//! private edges --counts + noise-->  NoisyHrg              `EdgeRr`, in `edges::comparison::edge_rr`
//! NoisyHrg      --graph()-->         public edges and as many others as the noisy counts say
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | [`dendrogram`] | the tree, immutable and checked; where each leaf stands |
//! | [`likelihood`] | how well a tree explains a graph; how far one edge moves that |
//! | [`public_graph`] | what is public: public edges, and between which nodes private ones may be |
//! | `order` | a list that knows which of two entries comes first |
//! | [`chain`] | the tree in motion: exact counts, proposals that touch the smallest of three parts |
//! | [`fit`] | a tree from public edges, with a look at convergence |
//! | [`blocks`] | which pairs share one count |
//! | [`noisy`] | noisy counts made consistent, and a graph drawn from them |
//! | [`wiring`] | which pairs of a block become its edges |

use privet_graph::SimRng;
use rand_core::Rng;

use crate::noise::RandomWords;

pub mod blocks;
pub mod chain;
pub mod dendrogram;
pub mod fit;
pub mod likelihood;
pub mod noisy;
mod order;
pub mod public_graph;
mod ties;
pub mod wiring;

pub use blocks::{Lumping, PairBlocks};
pub use chain::{DendrogramChain, Proposal};
pub use dendrogram::Dendrogram;
pub use fit::{FittedTree, PublicFit};
pub use noisy::{NoisyHrg, Repair};
pub use public_graph::{PrivateNodes, PublicGraph};
pub use ties::TieCounts;
pub use wiring::Wiring;

/// Seeded words. Nothing private may depend on how they fall.
pub(crate) struct Unpaid(SimRng);

impl Unpaid {
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        Self(SimRng::stream(seed, stream))
    }

    /// Uniform on [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * 2f64.powi(-53)
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let at = self.below(last as u64 + 1) as usize;
            items.swap(at, last);
        }
    }
}

impl RandomWords for Unpaid {
    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All of [0, 1), evenly, and to the last of 53 digits.
    #[test]
    fn units_fill_the_unit_interval() {
        let mut rng = Unpaid::new(1, 0);
        let drawn: Vec<f64> = (0..4000).map(|_| rng.unit()).collect();
        let mean = drawn.iter().sum::<f64>() / 4000.0;
        assert!((mean - 0.5).abs() < 0.03 && drawn.iter().all(|unit| (0.0..1.0).contains(unit)));
        assert!(drawn.iter().any(|unit| (unit * 2f64.powi(53)) % 2.0 == 1.0));
    }
}
