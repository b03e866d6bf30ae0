//! Graphs about people, compact in memory.
//!
//! Pure data. Nothing here draws privacy noise or learns; a [`Dataset`] is the raw
//! records. The trusted base wraps it in a secret before anything else touches it. Files, benchmarks and
//! generators are the crate `privet-data`: the trusted base links no parser.
//!
//! ```
//! use privet_graph::{Direction, GraphBuilder};
//! let (triangle, _) =
//!     GraphBuilder::new(3, Direction::Undirected).edges([(0, 1), (1, 2), (2, 0)]).build()?;
//! assert_eq!(triangle.degree(1), 2);
//! # Ok::<(), privet_graph::Error>(())
//! ```
//!
//! | to find | look in |
//! |---|---|
//! | the graph itself | [`csr`], [`subgraph`], [`subgraph_counts`], [`components`], [`degree`], [`normalize`], [`homophily`] |
//! | users' own ids | [`ids`] |
//! | features, their public bounds, labels, splits | [`features`], [`bounds`], [`labels`], [`split`], [`link_split`] |
//! | a graph with all of these; many graphs | [`dataset`] |
//! | whether something fits into memory; files of text | [`memory`], [`files`] |
//! | seeded randomness that is not privacy noise | [`sim`] |

pub mod bounds;
mod buffer;
pub mod components;
pub mod csr;
pub mod dataset;
pub mod declare;
pub mod degree;
pub mod error;
pub mod facts;
pub mod features;
pub mod files;
pub mod homophily;
pub mod ids;
pub mod labels;
pub mod link_split;
pub mod memory;
pub mod normalize;
mod shared_array;
pub mod sim;
pub mod split;
pub mod subgraph;
pub mod subgraph_counts;

pub use bounds::{Bounds, BoundsOrigin};
pub use csr::{BuildReport, Direction, Graph, GraphBuilder, NodeId, SelfLoops};
pub use dataset::{Dataset, GraphSet, LoadedData, Notice};
pub use declare::DeclaredColumns;
pub use error::{Error, FoundValue, LimitExceeded, Result, SourceLocation};
pub use facts::{Fact, FactOrigin};
pub use features::{DenseMatrix, FeatureMatrix, Features, SparseBuilder, SparseMatrix};
pub use ids::{Id, IdIndex, IdInterner, NodeIds};
pub use labels::Labels;
pub use link_split::{LinkPairs, LinkSplit};
pub use shared_array::{SharedSlice, SliceOwner};
pub use sim::SimRng;
pub use split::{Split, SplitShares};
