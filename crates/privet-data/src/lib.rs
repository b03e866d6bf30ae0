//! Files of graphs: in and out of every format they are published in, the benchmarks, and graphs made up.
//!
//! What is read is raw data about people ([`privet_graph::Dataset`]); nothing here protects it. Errors are
//! those of `privet-graph`: they say where, and withhold what the data holds unless it is asked for.
//!
//! ```
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("friends.csv");
//! std::fs::write(&path, "from,to\nann,bob\nbob,cy\n")?;
//! let friends = privet_data::read(&path)?.into_nodes()?;
//! assert_eq!(friends.graph().edge_count(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to find | look in |
//! |---|---|
//! | reading and writing | [`formats`] |
//! | tables of people and connections, by a declared schema | [`declared`] |
//! | the public benchmarks | [`catalog`] |
//! | graphs made up on the spot | [`synthetic`] |

pub mod catalog;
pub mod declared;
pub mod formats;
pub mod scratch;
pub mod synthetic;

use std::path::Path;

pub use formats::ReadOptions;
// What the readers are made of; `crate::Dataset` is `privet_graph::Dataset`.
use privet_graph::{
    Bounds, BoundsOrigin, BuildReport, Dataset, DenseMatrix, Direction, Error, Fact, FactOrigin,
    FeatureMatrix, Features, FoundValue, Graph, GraphBuilder, GraphSet, Id, IdIndex, IdInterner,
    Labels, LimitExceeded, LoadedData, NodeId, NodeIds, Notice, Result, SelfLoops, SharedSlice,
    SimRng, SliceOwner, SourceLocation, SparseBuilder, SparseMatrix, Split,
};

/// Reads whatever is at `path`: a file, a folder or an archive, in any format known here.
/// [`formats::read`] takes options.
///
/// # Errors
/// If it cannot be read, is in no known format, or is damaged; the message says where.
pub fn read(path: impl AsRef<Path>) -> Result<LoadedData> {
    formats::read(path, &ReadOptions::default())
}
