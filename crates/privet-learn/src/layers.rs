//! Layers with hand-derived gradients, each checked against finite differences.
//!
//! A layer changes buffers that the caller owns, so that training allocates no matrix per batch: forward
//! writes (or changes in place) the activations, backward *adds* to the gradients of its parameters and
//! turns the gradient by its output into the gradient by its input.
//!
//! ```
//! use privet_graph::{DenseMatrix, SimRng};
//! use privet_learn::layers::{Initialization, Linear, relu};
//! let mut layer = Linear::new("hidden", 3, 2, Initialization::FanIn, &mut SimRng::new(1));
//! let input = DenseMatrix::new(1, 3, vec![1.0, 2.0, 3.0])?;
//! let mut output = DenseMatrix::zeros(0, 0);
//! layer.forward(&input, &mut output);
//! relu::forward(&mut output);
//! let mut gradient = DenseMatrix::new(1, 2, vec![1.0, 1.0])?; // of the loss by the output
//! relu::backward(&output, &mut gradient);
//! layer.backward(&input, &gradient, None);
//! # Ok::<(), privet_graph::Error>(())
//! ```

mod dropout;
mod linear;
mod normalized;
pub mod relu;

pub use dropout::Dropout;
pub use linear::{Initialization, Linear};
pub use normalized::{NormalizedLinear, Repeats};
