//! What stands beside HeteroRR: the best with nothing private, and the best with everything in the clear.

use std::sync::atomic::AtomicBool;

use privet::hetero_rr::{EdgeUse, custody};
use privet::plain::LearnerInputs;
use privet::{Result, Run};

use super::HeteroRrTrial;
use crate::experiments::baselines::{NamedLearner, best_of, nodes};
use crate::experiments::trial::{Subject, TrialScores, Variant};

/// The scores of a ceiling, or of public data alone. What the system itself learns from public data is among the learners
/// where it reads nothing private, so that no default is above its ceiling by a learner of its own.
pub(super) fn scores(
    trial: &HeteroRrTrial<'_>,
    variant: Variant,
    seed: u64,
    interrupt: &AtomicBool,
) -> Result<TrialScores> {
    let (ceiling, run) = (variant == Variant::Ceiling, Run::simulation(seed).watched_by(interrupt));
    let truth = custody::simple(trial.data.dataset.graph())?;
    let public = trial.private.edges(seed).split(&truth)?.0;
    let (split, labels) = (trial.split(seed)?, trial.labels()?);
    let features = trial.data.dataset.features().map(|features| features.matrix());
    let features = features.filter(|_| ceiling || trial.features.is_none());
    let graph = Some(if ceiling { &truth } else { &public });
    let gcn = if ceiling { Variant::Clear } else { Variant::PublicOnly };
    let own = || Ok(trial.run(gcn, seed, interrupt)?.scores);
    let mut learners: Vec<NamedLearner<'_>> = Vec::new();
    if features.is_some() {
        let name = if trial.edges_as == EdgeUse::Votes { "the system itself" } else { "a GCN" };
        learners.push((name, Box::new(own)));
    }
    let known = LearnerInputs { graph, features, labels, split: &split };
    learners.extend(nodes::learners(known, false, &run));
    best_of(learners)
}
