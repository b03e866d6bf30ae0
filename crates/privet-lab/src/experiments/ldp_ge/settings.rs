//! Every setting of an experiment by name, as it is typed and shown.

use privet::ldp_ge::{LdpGe, Learner, Method, Private, Protection, Scaling};
use privet::privacy::features::Decoding;

use super::{LdpGeTrial, answers};

/// Every setting of an experiment, named and written as the options of `privet run ldp-ge`.
pub fn settings(trial: &LdpGeTrial<'_>) -> Vec<(String, String)> {
    let system = &trial.system;
    let mut list = prices(&system.protection, trial.private);
    match trial.volunteers {
        Some(share) => list.extend(answering(share, system)),
        None => list.extend(reporting(system)),
    }
    list.extend(learning(&system.learner));
    list.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// What private labels and edges cost, and how edges are reported.
fn prices(protection: &Protection, private: Private) -> Vec<(&'static str, String)> {
    let Protection { label_epsilon, edges, .. } = protection;
    let mut list = Vec::new();
    if private.labels {
        list.push(("label-epsilon", label_epsilon.to_string()));
    }
    if private.edges {
        let merge = serde_json::to_string(&edges.merge).unwrap_or_default();
        list.extend([
            ("edge-epsilon", edges.epsilon.to_string()),
            ("edge-mechanism", edges.mechanism.name().into()),
            ("merge", merge.trim_matches('"').into()),
        ]);
    }
    list
}

/// What people answer, and how answers are spread; the last three are not options.
fn answering(share: f64, system: &LdpGe) -> Vec<(&'static str, String)> {
    let answers = answers(system);
    let radii: Vec<String> = answers.radii.iter().map(f64::to_string).collect();
    vec![
        ("volunteers", share.to_string()),
        ("epsilon", answers.epsilon.to_string()),
        ("mechanism", "answer-rr".into()),
        ("radii", radii.join(",")),
        ("columns of noise", answers.structure.to_string()),
    ]
}

fn learning(learner: &Learner) -> Vec<(&'static str, String)> {
    let hidden: Vec<String> = learner.hidden.iter().map(usize::to_string).collect();
    let hidden = if hidden.is_empty() { "none".into() } else { hidden.join(",") };
    vec![
        ("hidden", hidden),
        ("dropout", learner.dropout.to_string()),
        ("weight-decay", learner.weight_decay.to_string()),
        ("learning-rate", learner.learning_rate.to_string()),
        ("batch", learner.batch.to_string()),
        ("epochs", learner.epochs.to_string()),
        ("patience", learner.patience.to_string()),
    ]
}

/// What people report, and how reports are spread.
fn reporting(system: &LdpGe) -> Vec<(&'static str, String)> {
    let (features, embedding) = (&system.protection.features, &system.embedding);
    let decoding = match features.decoding {
        Decoding::Paper => "paper",
        Decoding::Unbiased => "unbiased",
    };
    let mut list = vec![
        ("epsilon", features.epsilon.to_string()),
        ("mechanism", features.mechanism.clone()),
        ("decoding", decoding.into()),
    ];
    list.extend(features.settings.k.map(|k| ("k", k.to_string())));
    list.extend(features.settings.delta.map(|delta| ("delta", delta.to_string())));
    list.extend(features.settings.bins.map(|bins| ("bins", bins.to_string())));
    list.extend([("alpha", embedding.alpha.to_string()), ("r", embedding.exponent.to_string())]);
    match embedding.method {
        Method::Power(_) => list.push(("method", "power".into())),
        Method::None => list.push(("method", "none".into())),
        Method::Push(rmax) => {
            list.extend([("method", "push".into()), ("rmax", rmax.to_string())]);
        }
    }
    let scaling = match embedding.scaling {
        Scaling::Whole => "whole",
        Scaling::Columns => "columns",
        Scaling::Rows => "rows",
    };
    list.extend([
        ("sketch", embedding.sketch.unwrap_or(0).to_string()),
        ("scaling", scaling.into()),
    ]);
    if let Some(spread) = &system.labels {
        let radii: Vec<String> = spread.radii.iter().map(f64::to_string).collect();
        let homophily = spread.homophily.unwrap_or(0.0).to_string();
        list.extend([("label-radii", radii.join(",")), ("homophily", homophily)]);
    }
    list
}
