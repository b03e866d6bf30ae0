//! The same work by several processes: personalised PageRank, hops, reports, training and evaluation on parts of a
//! graph, with the bytes that one process gives.
//!
//! | to find | look in |
//! |---|---|
//! | who holds which nodes | [`partition`], [`halo`] |
//! | messages between processes | [`engine`]; [`gather`] puts rows together |
//! | processes that meet, work and are lost | [`hosts`], [`connect`], [`team`]; [`launch`] on one machine |
//! | whether all have read the same data | [`data_check`] |
//! | what they do | [`jobs`]; [`session`] is all of a job, from the first message to the last |
//! | state on disk | [`checkpoint`] |
//!
//! ```
//! use privet::data::synthetic::karate_club;
//! use privet::graph::{DenseMatrix, FeatureMatrix};
//! use privet::learn::propagate::{Power, Propagation};
//! use privet_cluster::{Team, jobs::pagerank::PageRank};
//! use std::ops::ControlFlow;
//! let club = karate_club()?;
//! let x = FeatureMatrix::Dense(DenseMatrix::new(34, 1, vec![1.0; 34])?);
//! // Alone here; `Team::meet` is for several.
//! let found = Team::alone().run(move |exchange| {
//!     let job = PageRank::new(Propagation::default(), Power::default());
//!     job.run((club.graph(), &x), exchange, None, |_| ControlFlow::Continue(()))
//! })?;
//! assert_eq!(found.rows.rows(), 34);
//! # Ok::<(), privet_cluster::Error>(())
//! ```
//!
//! Nothing that travels is encrypted, and no process proves its identity: see [`connect`].

pub mod checkpoint;
pub mod connect;
pub mod data_check;
pub mod engine;
pub mod error;
pub mod gather;
pub mod halo;
mod heart;
pub mod hosts;
pub mod jobs;
pub mod launch;
mod packet;
pub mod partition;
mod reduce;
pub mod session;
pub mod team;

pub use engine::Exchange;
pub use error::{Error, Result};
pub use hosts::Hosts;
pub use partition::Partition;
pub use session::{JobSession, JobStart};
pub use team::Team;
