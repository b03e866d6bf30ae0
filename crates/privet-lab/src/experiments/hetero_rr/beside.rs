//! What stands beside HeteroRR: the best with nothing private, and the best with everything in the clear.

use std::sync::atomic::AtomicBool;

use privet::graph::{DenseMatrix, Split};
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
    let mut learners: Vec<NamedLearner<'_>> = Vec::new();
    match (features.is_some(), ceiling, trial.edges_as) {
        (false, ..) => {}
        (true, true, EdgeUse::Votes) => learners.extend(with_votes(trial, &split, &run)?),
        (true, ..) => {
            let variant = if ceiling { Variant::Clear } else { Variant::PublicOnly };
            let own = move || Ok(trial.run(variant, seed, interrupt)?.scores);
            learners.push(("the system itself", Box::new(own)));
        }
    }
    let known = LearnerInputs { graph, features, labels, split: &split };
    learners.extend(nodes::learners(known, false, &run));
    best_of(learners)
}

/// The model that reads every edge, votes of every edge, and both together. Neither is better on all graphs: votes know how
/// classes are connected, models know whose rows are alike.
fn with_votes<'a>(
    trial: &'a HeteroRrTrial<'_>,
    split: &'a Split,
    run: &Run<'_>,
) -> Result<[NamedLearner<'a>; 3]> {
    let model = trial.in_the_clear(split, run)?.says;
    let votes = trial.counted_exactly(split, run)?.probabilities;
    let both = together(&model, &votes);
    let scored = |says: DenseMatrix| move || trial.scored(split, &says);
    Ok([
        ("the system itself", Box::new(scored(model))),
        ("votes of all edges, counted exactly", Box::new(scored(votes))),
        ("both together", Box::new(scored(both))),
    ])
}

/// The mean of two models' probabilities.
fn together(one: &DenseMatrix, other: &DenseMatrix) -> DenseMatrix {
    let mut both = one.clone();
    both.values_mut()
        .iter_mut()
        .zip(other.values())
        .for_each(|(to, from)| *to = 0.5 * (*to + from));
    both
}
