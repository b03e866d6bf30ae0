//! Attacks: what somebody who wants to know gets out of a model or a release, and what the guarantee says
//! they can get at most.
//!
//! | file | the attacker has | and wants |
//! |---|---|---|
//! | [`linkteller`] | a served GCN and the features of nodes | private edges |
//! | [`reconstruct`] | reported features and public data like them | the features |
//!
//! # The ceiling
//! A pure `eps` bounds every test between a graph with a certain edge and the same graph without it: its
//! true-positive rate is at most `e^eps` times its false-positive rate, and likewise for the other two
//! rates. The largest area under such a curve is `e^eps / (1 + e^eps)` ([`largest_auc`]). An attack over
//! *different* pairs may score higher without any leak, because some pairs are likely edges from what is
//! public; so each attack also reports its score against a release with nothing private behind it.

pub mod linkteller;
pub mod reconstruct;

/// The largest area under the ROC curve of any test between two inputs that differ in one protected
/// unit, under a pure epsilon.
///
/// ```
/// assert_eq!(privet_lab::attacks::largest_auc(0.0), 0.5);
/// assert!((privet_lab::attacks::largest_auc(1.0) - 0.731059).abs() < 1e-6);
/// assert_eq!(privet_lab::attacks::largest_auc(f64::INFINITY), 1.0);
/// ```
pub fn largest_auc(epsilon: f64) -> f64 {
    1.0 / (1.0 + (-epsilon).exp())
}
