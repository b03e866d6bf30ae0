//! Every setting of an experiment by name, as it is typed and shown.

use privet::ldp_ge::ClassifierKind;
use privet::settings::listed;

use super::LdpGeTrial;

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
            list.extend(listed(&trial.release().answers()));
        }
        None => {
            if trial.private.features {
                list.extend(listed(&system.protection.features));
            }
            list.extend(listed(&system.embedding));
            list.push(("ways".to_owned(), ways(&system.ways)));
            if system.ways.iter().any(|way| way.reads_labels()) {
                list.extend(listed(&system.labels));
            }
            list.extend(listed(&system.learner));
        }
    }
    list
}

/// As they are typed.
fn ways(list: &[ClassifierKind]) -> String {
    list.iter().map(|way| way.name()).collect::<Vec<_>>().join(",")
}
