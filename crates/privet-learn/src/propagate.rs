//! Propagation: every node's features become a weighted sum over the nodes around it.
//!
//! Everything here is post-processing: applied to released features it costs no privacy, applied to
//! raw features it protects nothing.
//!
//! | to find | look in |
//! |---|---|
//! | which matrix is applied | [`operator`] |
//! | all features at once, to any accuracy | [`power`] |

pub mod operator;
pub mod power;

#[cfg(test)]
mod oracle;

pub use operator::{AddedLoops, ErrorNorm, Operator, Orientation, Propagation};
pub use power::{Power, Propagated, Round, Rounds};
