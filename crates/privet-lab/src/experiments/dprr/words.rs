//! What is told of DPRR beside its scores: who is protected, and whether private lists added anything.

use privet::dprr::Setting;
use privet::graph::GraphSet;
use privet::learn::metrics::PairedComparison;
use privet::settings::listed;
use serde_json::{Map, Value, json};

use super::DprrTrial;
use crate::experiments::baselines::worth;
use crate::experiments::trial::data::class_names;
use crate::experiments::trial::verdict::{interval, judge, points};
use crate::experiments::trial::{AUC, Column, Comparison, TEST, TrialText, Variant};
use crate::report::ThreatModel;

const SIMULATED: &str = "The scores come from simulations: each run collects every user's reports anew with \
    noise from a seed, and compares predictions with the truth.";

pub(super) fn words(trial: &DprrTrial<'_>, comparison: &Comparison) -> TrialText {
    let (name, set) = (trial.data.name, trial.data.dataset);
    let method = trial.protection.method.name();
    let gain = comparison.over(Variant::Control);
    let verdict = gain.as_ref().map_or_else(|| "Nothing was compared.".into(), verdict);
    let settings = settings(trial);
    let setting = |wanted: &str| {
        settings.iter().find(|(name, _)| name == wanted).map_or("", |(_, value)| value)
    };
    let facts = format!(
        "graph classification, {} graphs, {} users\n{method}, epsilon {} for a list, lambda {}",
        privet::words::count(set.len()),
        privet::words::count(set.node_count()),
        setting("epsilon"),
        setting("lambda"),
    );
    TrialText {
        dataset: name.into(),
        title: format!("DPRR: graph classification on {name} with {method}"),
        heading: format!("DPRR on {name}"),
        facts,
        simulated: SIMULATED,
        caption: "Mean ± deviation and the mean's 95 % interval over seeds".into(),
        columns: vec![
            Column::interval("test accuracy", "accuracy", TEST),
            Column::score("AUC", AUC),
        ],
        verdict: match worth(comparison) {
            Some(worth) => format!("{verdict} {worth}"),
            None => verdict,
        },
        epsilon: setting("epsilon").parse().ok(),
        gain: gain.map(|paired| ("what private lists added", paired)),
        threat_model: threat_model(),
        metric: "test accuracy",
        classes: class_names(set.labels()),
        data_facts: data_facts(set),
        settings,
        ..TrialText::default()
    }
}

/// What is secret about lists, and what is not.
pub fn threat_model() -> ThreatModel {
    let public =
        ["who is in which graph", "the class of each graph", "the lists of users who publish"];
    ThreatModel {
        secret: vec!["the neighbour list of every private user".into()],
        public: public.map(String::from).into(),
        not_protected: vec!["the scores in this report: they compare with the truth".into()],
    }
}

fn data_facts(set: &GraphSet) -> Map<String, Value> {
    let facts = [("graphs", json!(set.len())), ("users", json!(set.node_count()))];
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Whether private lists added anything.
fn verdict(lists: &PairedComparison) -> String {
    let mean = points(lists.difference.mean);
    if lists.difference.runs < 2 {
        return format!(
            "In a single run private lists scored {mean} points over the noise-only control: one \
             run cannot tell that from chance."
        );
    }
    let unclear = "the runs cannot tell whether private lists contribute at all";
    let verdict = judge(lists, "private lists did contribute", "noise alone did better", unclear);
    let interval = interval(lists);
    format!("Private lists added {mean} points over the noise-only control {interval}: {verdict}.")
}

/// The settings of a trial, named as on the command line.
pub fn settings(trial: &DprrTrial<'_>) -> Vec<(String, String)> {
    let mut list = listed(&trial.protection);
    if let Some((name, value)) = list.iter_mut().find(|(name, _)| name == "per-user") {
        (*name, *value) = ("user-epsilons".into(), "each user's own".into());
    }
    if let Setting::Common { .. } = trial.protection.setting {
        list.push(("lambda".into(), "0".into()));
    }
    list.push(("reading".into(), trial.reading.name().into()));
    list.extend(listed(&trial.learner));
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_contribute_only_if_the_interval_says_so() {
        let told = |private: &[f64], control: &[f64]| {
            verdict(&PairedComparison::of(private, control).unwrap())
        };
        let better = told(&[0.80, 0.81, 0.805], &[0.7; 3]);
        assert!(better.starts_with("Private lists added 10.5 points"), "{better}");
        assert!(better.ends_with("private lists did contribute."), "{better}");
        assert!(told(&[0.7; 3], &[0.80, 0.81, 0.805]).ends_with("noise alone did better."));
        assert!(told(&[0.9, 0.5, 0.7], &[0.7; 3]).ends_with("contribute at all."));
        assert!(told(&[0.9], &[0.7]).ends_with("one run cannot tell that from chance."));
    }
}
