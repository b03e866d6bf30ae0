//! The trusted base: the only crate that opens a secret or draws privacy noise.

pub mod accountant;
pub mod error;
pub mod event;
pub mod loss;
mod special;
