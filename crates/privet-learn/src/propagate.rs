//! Propagation: every node's features become a weighted sum over the nodes around it.
//!
//! Everything here is post-processing: applied to released features it costs no privacy, applied to
//! raw features it protects nothing.
//!
//! | to find | look in |
//! |---|---|
//! | which matrix is applied | [`operator`] |
//! | all features at once, to any accuracy | [`power`] |
//! | some rows of a round: a stretch of a file, one of several machines | [`part`] |
//! | all features, moving only what is large (LDP-GE) | [`push`] |
//! | scores around one source; the K best of many sources (DPAR) | [`ista`] |
//! | K steps of plain aggregation | [`hops`] |

pub mod hops;
pub mod ista;
pub mod operator;
pub mod part;
pub mod power;
pub mod push;

#[cfg(test)]
mod oracle;

pub use hops::{Aggregation, Hops};
pub use ista::Ista;
pub use ista::top_k;
pub use ista::{ProximityScores, ScoreWorkspace};
pub use operator::{AddedLoops, ErrorNorm, Operator, Orientation, Propagation};
pub use part::{NodeScales, PropagationPart, RowNorms};
pub use power::{IterationProgress, Power, PropagatedRows, Rounds};
pub use push::{BackwardPush, PushedRows};
