//! What stands beside LDP-GE: the best with nothing private, and the best with everything in the clear.

use privet::graph::{FeatureMatrix, SparseBuilder};
use privet::labels::one_each;
use privet::ldp_ge::{ClassifierKind, MixedPeople};
use privet::plain::LearnerInputs;
use privet::release::link_split;
use privet::{Result, Run};

use super::{LdpGeTrial, Task};
use crate::experiments::baselines::{NamedLearner, best_of, links, nodes};
use crate::experiments::trial::{TrialScores, Variant};

/// The scores of a ceiling, or of public data alone.
pub(super) fn scores(
    trial: &LdpGeTrial<'_>,
    variant: Variant,
    run: &Run<'_>,
) -> Result<TrialScores> {
    let ceiling = variant == Variant::Ceiling;
    // Ways that read labels alone are in the set below.
    let mut own = trial.clone();
    own.system.ways.retain(|way| way.reads_features());
    if own.system.ways.is_empty() {
        own.system.ways.push(ClassifierKind::Features);
    }
    let own = || Ok(own.run_as(Variant::Clear, run)?.0);
    let own: Option<NamedLearner<'_>> =
        ceiling.then(|| ("the system itself", Box::new(own) as Box<_>));
    match trial.task {
        Task::Links => {
            let split = link_split(trial.data.dataset, run.seed)?;
            let features = trial.data.dataset.features().map(|features| features.matrix());
            let features = features.filter(|_| ceiling || !trial.private.features);
            best_of(own.into_iter().chain(links::learners(&split, features, run)).collect())
        }
        Task::Nodes => {
            let (dataset, private) = (trial.data.dataset, trial.private);
            let remedy = "they are what is to be predicted";
            let labels = one_each(dataset.labels(), dataset.name(), remedy)?;
            let split = trial.split(run.seed)?;
            let volunteered = trial.volunteers.filter(|_| !ceiling);
            let rows = volunteered.map(|share| published(trial, share, run.seed)).transpose()?;
            let clear = dataset.features().filter(|_| ceiling || !private.features);
            let known = LearnerInputs {
                graph: Some(dataset.graph()).filter(|_| ceiling || !private.edges),
                features: rows.as_ref().or(clear.map(|features| features.matrix())),
                labels,
                split: &split,
            };
            let hidden = private.labels && !ceiling;
            best_of(own.into_iter().chain(nodes::learners(known, hidden, run)).collect())
        }
    }
}

/// The rows of those who volunteer, and nothing of others.
fn published(trial: &LdpGeTrial<'_>, share: f64, seed: u64) -> Result<FeatureMatrix> {
    let people = MixedPeople::new(trial.data.dataset, share, seed)?;
    let (volunteers, rows) = people.published();
    let mut at = 0;
    let mut all = SparseBuilder::new(rows.columns());
    for node in trial.data.dataset.graph().nodes() {
        let mut entries = Vec::new();
        if volunteers.get(at) == Some(&node) {
            entries.extend(rows.nonzero_entries(at));
            at += 1;
        }
        all.push_row(&mut entries)?;
    }
    Ok(FeatureMatrix::Sparse(all.finish()))
}
