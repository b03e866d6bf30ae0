//! The trusted base: the only crate that opens a secret or draws privacy noise.

pub mod budget;
pub mod error;
pub mod noise;

pub use budget::Budget;
pub use error::{Error, Result};
