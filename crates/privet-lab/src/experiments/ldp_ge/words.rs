//! What is told of LDP-GE beside its scores: who is protected, and whether features added anything.

use privet::ldp_ge::{People, Task};
use privet::learn::metrics::PairedComparison;
use privet::privacy::features::FeatureMechanism;
use serde_json::{Map, Value, json};

use super::{LdpGeTrial, READ_FEATURES, settings};
use crate::experiments::baselines::worth;
use crate::experiments::trial::verdict::{interval, points};
use crate::experiments::trial::{Column, Comparison, TEST, TrialText, Variant, data};
use crate::report::ThreatModel;
use crate::report::summary::{counted, plain};

/// Features that add less than this are said to add nothing that matters: one point.
const NEGLIGIBLE: f64 = 0.01;

/// What people must know before they read scores.
const SIMULATED: &str = "The scores come from simulations: each run collects every user's reports anew \
    with noise from a seed, and compares predictions with the truth. They say what a collection would \
    achieve; they are not protected themselves.";

pub(super) fn words(trial: &LdpGeTrial<'_>, comparison: &Comparison) -> TrialText {
    let (what, name) = (what(trial.task), trial.data.dataset.name());
    let metric = trial.task.metric();
    let unread = comparison.row(Variant::Private).is_some_and(|row| {
        let read = row.values(READ_FEATURES);
        !read.is_empty() && read.iter().all(|read| *read == 0.0)
    });
    let verdict = match (comparison.over(Variant::Control), comparison.over(Variant::GraphFree)) {
        _ if trial.private.features && !trial.asks_for_features() => {
            "Features were not asked for.".to_owned()
        }
        _ if unread && trial.private.features => format!(
            "At epsilon {} labels and edges said more than noisy features in every run: the classifier \
             that validation labels chose reads no features.",
            plain(epsilon(trial))
        ),
        (Some(features), Some(graph)) => verdict(epsilon(trial), &features, &graph),
        _ if !trial.private.features => {
            format!(
                "Private {} at epsilon {}.",
                private(trial).join(" and "),
                plain(epsilon(trial))
            )
        }
        _ => "Nothing was compared.".into(),
    };
    let verdict = worth(comparison).map_or(verdict.clone(), |worth| format!("{verdict} {worth}"));
    let settings = settings(trial);
    let mechanism = settings.iter().find(|(name, _)| name == "mechanism");
    let mechanism = mechanism.map_or("", |(_, value)| value);
    let sent = match trial.private.features {
        true if !trial.asks_for_features() => {
            "features are not sent: no way to classes that was asked for reads them".to_owned()
        }
        true => format!("{mechanism}, epsilon {} for {}", plain(epsilon(trial)), sent(trial)),
        false => "features are public".to_owned(),
    };
    let facts = format!(
        "{what}, {} people, private {}\n{sent}",
        privet::words::count(trial.data.dataset.graph().node_count()),
        private(trial).join(", "),
    );
    TrialText {
        dataset: name.into(),
        title: format!("LDP-GE: {what} on {name}"),
        heading: format!("LDP-GE on {name}"),
        facts,
        simulated: SIMULATED,
        caption: format!("{metric}, mean ± deviation and the mean's 95 % interval over seeds"),
        columns: vec![Column::interval(metric, metric, TEST)],
        gain: comparison
            .over(Variant::Control)
            .map(|paired| ("what features added, seed by seed", paired)),
        verdict,
        epsilon: Some(epsilon(trial)),
        threat_model: threat_model(trial),
        metric: trial.task.metric(),
        classes: class_names(trial),
        data_facts: data_facts(trial),
        settings,
        ..TrialText::default()
    }
}

fn class_names(trial: &LdpGeTrial<'_>) -> Vec<String> {
    match trial.task {
        Task::Nodes => data::class_names(trial.data.dataset.labels()),
        Task::Links => Vec::new(),
    }
}

/// What is done, in words.
fn what(task: Task) -> &'static str {
    match task {
        Task::Nodes => "node classification",
        Task::Links => "link prediction",
    }
}

fn epsilon(trial: &LdpGeTrial<'_>) -> f64 {
    trial.system.protection.features.epsilon
}

/// Which parts only their owners know.
fn private(trial: &LdpGeTrial<'_>) -> Vec<&'static str> {
    let private = trial.private;
    let parts =
        [("features", private.features), ("labels", private.labels), ("edges", private.edges)];
    parts.into_iter().filter(|part| part.1).map(|part| part.0).collect()
}

/// How many columns each person reports, out of how many.
fn sampling(trial: &LdpGeTrial<'_>) -> Option<(usize, usize)> {
    let people = People::new(trial.data.dataset, trial.private).ok()?;
    let features = &trial.system.protection.features;
    let (name, epsilon) = (&features.mechanism, features.epsilon);
    let built = FeatureMechanism::build(name, epsilon, people.scale, &features.settings).ok()?;
    Some((built.k(), trial.data.dataset.features()?.columns()))
}

fn sent(trial: &LdpGeTrial<'_>) -> String {
    match (trial.volunteers, sampling(trial)) {
        (Some(share), _) => {
            let share = plain(100.0 * share);
            format!("the answer of a model of {share} % volunteers, who are not protected")
        }
        (None, Some((k, columns))) => format!("{k} of {columns} columns each"),
        (None, None) => "a row each".into(),
    }
}

fn data_facts(trial: &LdpGeTrial<'_>) -> Map<String, Value> {
    let mut facts = Map::new();
    let mut add = |name: &str, value: Value| facts.insert(name.into(), value);
    add("nodes", json!(trial.data.dataset.graph().node_count()));
    add("private", json!(private(trial)));
    match (trial.volunteers, sampling(trial)) {
        (Some(volunteers), _) => {
            add("volunteers", json!(volunteers));
        }
        (None, Some((k, columns))) if trial.private.features => {
            add("k", json!(k));
            add("columns", json!(columns));
        }
        (None, _) => {}
    }
    add("task", json!(trial.task));
    add("epsilon", json!(epsilon(trial)));
    facts
}

fn threat_model(trial: &LdpGeTrial<'_>) -> ThreatModel {
    let private = trial.private;
    let mut model = ThreatModel::default();
    if let Some(share) = trial.volunteers {
        let share = plain(100.0 * share);
        model.public.push(format!("the features of {share} % of the people, who volunteer"));
    }
    let parts = [
        (private.features, "every user's features"),
        (private.labels, "every user's label"),
        (private.edges, "every user's list of neighbours"),
    ];
    for (secret, part) in parts {
        if secret { &mut model.secret } else { &mut model.public }.push(part.into());
    }
    let public = ["the columns and their declared range", "the list of classes", "who takes part"];
    model.public.extend(public.map(String::from));
    model.not_protected.push("the scores in this report: they compare with the truth".into());
    model
}

/// Whether features added anything over the graph alone.
fn verdict(epsilon: f64, features: &PairedComparison, graph: &PairedComparison) -> String {
    let (epsilon, difference) = (plain(epsilon), features.difference);
    let [mean, deviation] = [difference.mean, difference.deviation].map(points);
    if difference.runs < 2 {
        return format!(
            "At epsilon {epsilon}, in a single run, private features scored {mean} points over the \
             noise-only control: one run cannot tell that from chance."
        );
    }
    let runs = counted(difference.runs as u64, "run");
    if difference.deviation == 0.0 {
        return format!(
            "At epsilon {epsilon} private features scored exactly {mean} points over the noise-only \
             control in all {runs}: scores that do not vary say nothing about chance."
        );
    }
    let verdict = match () {
        () if difference.low > 0.0 => "they did contribute".into(),
        () if difference.high < 0.0 => "noise alone did better".into(),
        () if difference.high > NEGLIGIBLE => {
            format!("{runs} cannot tell whether they contribute at all")
        }
        () if graph.difference.low > 0.0 => "the graph carries the result".into(),
        () => "they contribute next to nothing, and neither does the graph for sure".to_owned(),
    };
    format!(
        "At epsilon {epsilon} the features added {mean} ± {deviation} points over the noise-only \
         control {}: {verdict}.",
        interval(features)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(private: &[f64], control: &[f64], graph_free: &[f64]) -> String {
        let minus = |other| PairedComparison::of(private, other).unwrap();
        verdict(1.0, &minus(control), &minus(graph_free))
    }

    /// Differences 0.2, -0.3, 0.1, 0.0 points: mean 0, deviation 0.216, t(0.975, 3) = 3.182.
    #[test]
    fn a_narrow_interval_about_zero_leaves_the_graph() {
        assert_eq!(
            told(&[0.802, 0.797, 0.801, 0.8], &[0.8; 4], &[0.3; 4]),
            "At epsilon 1 the features added 0.0 ± 0.2 points over the noise-only control (95 % \
             interval −0.3 to 0.3, p = 1.00): the graph carries the result."
        );
    }

    #[test]
    fn nothing_is_claimed_that_the_interval_does_not_say() {
        let wide = told(&[0.9, 0.7, 0.85], &[0.8; 3], &[0.3; 3]);
        assert!(wide.ends_with("3 runs cannot tell whether they contribute at all."), "{wide}");
        let better = told(&[0.9, 0.91, 0.905], &[0.8; 3], &[0.3; 3]);
        assert!(better.ends_with("they did contribute."), "{better}");
        let worse = told(&[0.8; 3], &[0.9, 0.91, 0.905], &[0.3; 3]);
        assert!(worse.ends_with("noise alone did better."), "{worse}");
        let once = told(&[0.9], &[0.1], &[0.1]);
        assert!(once.ends_with("one run cannot tell that from chance."), "{once}");
        // Where nothing is learned at all, nothing carries the result.
        let nothing = told(&[0.25, 0.251, 0.249], &[0.25; 3], &[0.25, 0.249, 0.252]);
        assert!(nothing.ends_with("neither does the graph for sure."), "{nothing}");
        let stuck = told(&[0.25; 3], &[0.25; 3], &[0.25; 3]);
        assert!(stuck.ends_with("say nothing about chance."), "{stuck}");
    }
}
