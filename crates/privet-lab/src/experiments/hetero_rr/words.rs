//! What is told of HeteroRR beside its scores: who is protected, and whether private edges added anything.

use privet::hetero_rr::EdgeUse;
use privet::learn::metrics::PairedComparison;
use privet::release::PrivateChoice;
use privet::settings::listed;

use super::{HeteroRrTrial, called};
use crate::experiments::baselines::worth;
use crate::experiments::trial::data::class_names;
use crate::experiments::trial::verdict::{interval, judge, points};
use crate::experiments::trial::{Column, Comparison, TEST, TrialText, Variant};
use crate::report::summary::plain;
use crate::report::{Block, ThreatModel};

const SIMULATED: &str = "The scores come from simulations: each run publishes anew (and calls other edges private, where a share of \
    them is) with noise from a seed, and compares a model's predictions with the truth. They are not protected \
    themselves.";

const BUDGET: &str = "what does not beat public-only has not used its budget";

pub(super) fn words(trial: &HeteroRrTrial<'_>, comparison: &Comparison) -> TrialText {
    let name = trial.data.dataset.name();
    let epsilon = trial.edges.epsilon;
    let private = called::in_words(&trial.private);
    let features = match &trial.features {
        Some(how) => format!("features at epsilon {}", how.epsilon),
        None => "features public".into(),
    };
    let facts = format!("{private} private at epsilon {epsilon}, {features}");
    let over = comparison.over(Variant::PublicOnly);
    let verdict = match &over {
        Some(over) => verdict(trial.edges_as, epsilon, over),
        None => "Nothing was compared.".into(),
    };
    let verdict = worth(comparison).map_or(verdict.clone(), |worth| format!("{verdict} {worth}"));
    let title = format!("HeteroRR on {name}: {facts}");
    TrialText {
        dataset: name.into(),
        metric: "test accuracy",
        classes: class_names(trial.data.dataset.labels()),
        title,
        heading: format!("HeteroRR on {name}"),
        facts,
        foot: Some(format!("not protected: {}\n{BUDGET}", unprotected(trial))),
        simulated: SIMULATED,
        notes: vec![Block::Text(format!("Mind: {BUDGET}."))],
        caption: "test accuracy, mean ± deviation and the mean's 95 % interval over seeds".into(),
        columns: vec![Column::interval("test accuracy", "test accuracy", TEST)],
        gain: comparison
            .over(Variant::Control)
            .map(|paired| ("what lies behind the noise added, seed by seed", paired)),
        verdict,
        epsilon: Some(epsilon),
        threat_model: threat_model(trial),
        settings: settings(trial),
        ..TrialText::default()
    }
}

fn unprotected(trial: &HeteroRrTrial<'_>) -> &'static str {
    match trial.features {
        Some(_) => "labels, node ids, public edges",
        None => "labels, node ids, public edges, features",
    }
}

fn threat_model(trial: &HeteroRrTrial<'_>) -> ThreatModel {
    let mut model = ThreatModel::default();
    let edges = match trial.private {
        PrivateChoice::Share(_) => "a seeded share of the edges",
        PrivateChoice::Listed(_) => "the edges of a list",
    };
    model.secret.push(edges.into());
    match trial.features {
        Some(_) => &mut model.secret,
        None => &mut model.public,
    }
    .push("every person's features".into());
    model.public.extend(["the other edges", "the labels", "who is a node"].map(String::from));
    model.not_protected.push("the scores in this report: they compare with the truth".into());
    model
}

/// Whether private edges added anything over public ones, in a sentence that claims no more than the
/// interval does.
fn verdict(edges_as: EdgeUse, epsilon: f64, over: &PairedComparison) -> String {
    let (epsilon, mean) = (plain(epsilon), points(over.difference.mean));
    let (what, instead) = match edges_as {
        EdgeUse::Votes => ("votes of private edges", ""),
        EdgeUse::Graph => ("the published graph", " or let them vote (--edges-as votes)"),
    };
    let mut told =
        format!("At epsilon {epsilon} {what} scored {mean} points over public edges alone");
    let (difference, runs) = (&over.difference, over.difference.runs);
    // Votes that say nothing are left out, and then there is no difference at all.
    let harm = difference.high < 0.0 || (runs < 2 && difference.mean < 0.0);
    if harm || (difference.mean == 0.0 && difference.high == 0.0) {
        told = format!(
            "Leave the private edges out to train a classifier, and pay nothing{instead}. {told}"
        );
    }
    if over.difference.runs < 2 {
        return format!("{told} in a single run: one run cannot tell that from chance.");
    }
    let unclear = "these runs cannot tell whether private edges contribute at all";
    let worse = "public edges alone do better";
    let verdict = judge(over, "private edges did contribute", worse, unclear);
    format!("{told} {}: {verdict}.", interval(over))
}

/// Every setting, named as on the command line.
fn settings(trial: &HeteroRrTrial<'_>) -> Vec<(String, String)> {
    let mut list = vec![called::setting(&trial.private)];
    match trial.edges_as {
        EdgeUse::Votes => list.extend([
            ("edges-as".to_owned(), "votes".to_owned()),
            ("epsilon-edges".to_owned(), trial.edges.epsilon.to_string()),
        ]),
        EdgeUse::Graph => {
            list.push(("edges-as".to_owned(), "graph".to_owned()));
            list.extend(listed(&trial.edges));
        }
    }
    list.extend(trial.features.iter().flat_map(listed).map(|(name, value)| match &*name {
        "epsilon" => ("epsilon-features".to_owned(), value),
        _ => (name, value),
    }));
    list.extend(listed(&trial.learner));
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_edges_contribute_only_if_the_interval_says_so() {
        let told = |published: &[f64], public: &[f64]| {
            verdict(EdgeUse::Graph, 0.5, &PairedComparison::of(published, public).unwrap())
        };
        let better = told(&[0.80, 0.81, 0.805], &[0.7; 3]);
        assert!(better.starts_with("At epsilon 0.5 the published graph scored 10.5"), "{better}");
        assert!(better.ends_with("private edges did contribute."), "{better}");
        let worse = told(&[0.7; 3], &[0.80, 0.81, 0.805]);
        assert!(worse.starts_with("Leave the private edges out"), "{worse}");
        assert!(worse.ends_with("public edges alone do better."), "{worse}");
        assert!(told(&[0.9, 0.5, 0.7], &[0.7; 3]).ends_with("contribute at all."));
        assert!(told(&[0.9], &[0.7]).ends_with("one run cannot tell that from chance."));
        let unused = PairedComparison::of(&[0.8, 0.7, 0.9], &[0.8, 0.7, 0.9]).unwrap();
        let unused = verdict(EdgeUse::Votes, 0.1, &unused);
        assert!(unused.starts_with("Leave the private edges out"), "{unused}");
    }
}
