//! What does not fit into memory: columns in blocks, rows in stretches, results in files.
//!
//! Personalised PageRank treats every column of the features alike and apart from all others, and every row of a round
//! needs the last round alone. So a machine with little memory takes as many columns at a time as fit, and walks through a
//! graph that lies on disk ([`Graph::held`](crate::graph::Graph::held)) a stretch of rows at a time, giving each back to
//! the system before it takes the next. What comes out has the same bytes as if all had fitted.
//!
//! | to find | look in |
//! |---|---|
//! | how many columns fit | [`columns_that_fit`] |
//! | propagation in blocks, to be resumed if it was interrupted | [`propagate`] |
//! | blocks that were finished, kept until all are | `finished.rs` |
//!
//! ```
//! use privet::data::formats::Spill;
//! use privet::graph::{DenseMatrix, FeatureMatrix};
//! use privet::learn::propagate::{Power, Propagation};
//! use privet::out_of_core::{MemoryBudget, propagate};
//! let club = privet::data::synthetic::karate_club()?;
//! let x = FeatureMatrix::Dense(DenseMatrix::new(34, 2, (0..68).map(|at| at as f32).collect())?);
//! let spill = Spill::within(64 << 20);
//! let bounded = MemoryBudget { spill: &spill, checkpoint: None };
//! let found = propagate(&bounded, &Propagation::default(), &Power::default(), club.graph(), &x, |_| true)?;
//! let operator = Propagation::default().on(club.graph())?;
//! assert_eq!(found.embedding, Power::default().run(&operator, x)?.embedding);
//! # Ok::<(), privet::Error>(())
//! ```

mod finished;
mod propagate;
mod rounds;

pub use propagate::{BlockProgress, MemoryBudget, columns_that_fit, propagate};
