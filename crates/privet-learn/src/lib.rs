//! Turns released data into embeddings and models: propagation over a graph, small neural networks
//! with hand-derived gradients, training, and metrics.
//!
//! It is not a general deep-learning framework: the models that private graph learning uses are few
//! and small, and need sparse aggregation and per-example gradient norms, which are written out here.
//!
//! Map: [`kernels`] holds the matrix products everything else is made of; [`propagate`] spreads features
//! over a graph; [`layers`] and [`losses`] are gradients, [`parameters`] how optimizers see a model,
//! [`models`] the models, [`train`] the loop that fits them, [`metrics`] how good they are.

pub mod error;
#[cfg(test)]
mod finite_differences;
pub mod kernels;
pub mod layers;
pub mod losses;
pub mod metrics;
pub mod models;
pub mod parameters;
pub mod propagate;
pub mod spectral;
mod tensor_file;
pub mod train;

pub use error::{Error, Result};
