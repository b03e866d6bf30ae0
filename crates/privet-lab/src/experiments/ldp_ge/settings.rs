//! Every setting of an experiment by name, as it is typed and shown.

use privet::settings::listed;

use super::{LdpGeTrial, answers};

/// Every setting of an experiment, named as the options of `privet run ldp-ge`, where it is one.
pub fn settings(trial: &LdpGeTrial<'_>) -> Vec<(String, String)> {
    let (system, mut list) = (&trial.system, Vec::new());
    if trial.private.labels {
        list.push(("label-epsilon".to_owned(), system.protection.label_epsilon.to_string()));
    }
    if trial.private.edges {
        list.extend(listed(&system.protection.edges));
    }
    match trial.volunteers {
        Some(share) => {
            list.push(("volunteers".to_owned(), share.to_string()));
            list.push(("mechanism".to_owned(), "answer-rr".to_owned()));
            list.extend(listed(&answers(system)));
        }
        None => {
            list.extend(listed(&system.protection.features));
            list.extend(listed(&system.embedding));
            list.extend(system.labels.iter().flat_map(listed));
            list.extend(listed(&system.learner));
        }
    }
    list
}
