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

pub mod blocks;
pub mod chain;
pub mod dendrogram;
pub mod fit;
pub mod likelihood;
pub mod noisy;
mod order;
pub mod public_graph;
mod ties;
mod unpaid;
pub mod wiring;

pub use blocks::{Lumping, PairBlocks};
pub use chain::{DendrogramChain, Proposal};
pub use dendrogram::Dendrogram;
pub use fit::{FittedTree, PublicFit};
pub use noisy::{NoisyHrg, Repair};
pub use public_graph::{PrivateNodes, PublicGraph};
pub use ties::TieCounts;
pub use wiring::Wiring;
