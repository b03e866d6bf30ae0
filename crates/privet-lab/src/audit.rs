//! Audits: try to break every claim, and show that a broken one would have been caught.
//!
//! | file | what it does |
//! |---|---|
//! | [`law`] | whole laws, exact or in floats, and their worst log ratio |
//! | `enumerated` | the price of a claim, and the worst pair of laws of the code that ships, walked through exactly |
//! | `trials`, [`seeds`] | releases through a ledger, with noise that is fresh for every seed |
//! | [`repeat`] | the same audits again and again: false alarms counted |
//! | [`clopper_pearson`] | lower bounds on epsilon from samples |
//! | [`support`] | outputs that give their input away with certainty |
//! | `canary` | one record with the largest gradient, against none: trials of DP-SGD |
//! | `hub` | one node that several rows read, there or not: trials of DPAR's training |
//! | [`trainer`] | the whole of DPAR with and without a hub: thousands of trainings |
//! | [`neighbourhood`] | one person whom several others know, there or not: trials of SAGE |
//! | [`toy_dprr`] | an oracle for neighbour lists on a few nodes |
//! | `toy_graphs` | stars with and without their hub, for names of near nodes and noisy sums |
//! | [`toy_hrg`] | an oracle for trees of groups on a few nodes |
//! | [`mechanisms`] | the audits of the mechanisms that ship |
//! | [`finding`] | claimed, measured, verdict |
//!
//! That the audits would notice a mistake is shown by switching mistakes on in the code they audit:
//! [`privet::privacy::fault`].
//!
//! Passing is not a proof; the proof stands beside each mechanism. Failing is one, of the opposite.

mod canary;
pub mod clopper_pearson;
mod enumerated;
pub mod finding;
mod hub;
pub mod law;
pub mod mechanisms;
pub mod neighbourhood;
pub mod repeat;
pub mod seeds;
pub mod support;
pub mod toy_dprr;
mod toy_graphs;
pub mod toy_hrg;
pub mod trainer;
mod trials;

pub use finding::{AuditMethod, Finding};

/// An audit's own toy data was refused: a mistake in the audit.
fn refused(error: impl std::fmt::Display) -> privet::privacy::Error {
    let (field, expected) = ("an audit's own data", "what the mechanism takes");
    privet::privacy::Error::OutOfRange { field, found: error.to_string(), expected }
}
