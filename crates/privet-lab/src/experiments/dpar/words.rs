//! What is told of DPAR beside its scores: who is protected, what it costs in truth, and whether it beats
//! features alone.

use privet::dpar::{Dpar, Mode, Plan};
use privet::learn::metrics::Paired;
use privet::settings::{listed, name};
use serde_json::{Map, Value, json};

use super::{DparTrial, Hidden, MOST_SHARED};
use crate::experiments::trial::verdict::{interval, judge, points};
use crate::experiments::trial::{Column, Comparison, SECONDS, TEST, Variant, Words};
use crate::report::summary::plain;
use crate::report::{Block, ThreatModel};

const SIMULATED: &str = "The scores come from simulations: each run trains anew with noise from a seed, on \
    another split, and compares with the truth. They are not protected themselves.";

const INFERENCE: &str = "Those who are classified later show their features \
    and connections to whoever sees a neighbour's answer; none of them is connected to anybody in training.";

const PRINTED: &str = "Noise as printed: the guarantee that the paper claims for it does not hold. The true \
    epsilon stands beside the printed one.";

const CAPTION: &str =
    "Accuracy on those held out, mean ± deviation over seeds, and what it costs in truth";

/// What a variant truly costs.
struct Price {
    /// None for what has no guarantee, 0 for what reads nothing.
    epsilon: Option<f64>,
    /// What must be true of the data for that; whether it is cannot be asked.
    condition: Option<String>,
    /// What the paper says it costs.
    printed: Option<f64>,
}

pub(super) fn words(trial: &DparTrial<'_>, comparison: &Comparison) -> Words {
    let (name, method) = (trial.data.dataset.name(), trial.system.method.name());
    let prices: Vec<Price> =
        comparison.rows.iter().map(|row| Price::of(trial, row.variant)).collect();
    let mut notes = vec![Block::Text(INFERENCE.into())];
    if trial.system.mode == Mode::Paper {
        notes.push(Block::Warning(PRINTED.into()));
    }
    let over = comparison.over(Variant::Features);
    let (protected, open) = trial.hidden.meaning();
    let still_open = open.map_or_else(String::new, |open| format!("{open}; "));
    Words {
        dataset: name.into(),
        title: format!("DPAR on {name}: {method}"),
        heading: format!("DPAR on {name}"),
        facts: format!(
            "{method}, {} people trained on, delta {}",
            privet::words::count(trial.people),
            trial.system.target.delta
        ),
        foot: Some(format!(
            "protected: {protected}. NOT protected: {still_open}those who are classified\n\
             later, towards whoever sees their neighbours' answers"
        )),
        simulated: SIMULATED,
        notes,
        caption: CAPTION.into(),
        columns: vec![
            Column::score("accuracy", TEST),
            Column::words(
                "true epsilon",
                "true epsilon",
                prices.iter().map(Price::in_words).collect(),
            ),
            Column::words(
                "printed epsilon",
                "printed",
                prices.iter().map(|price| price.printed.map_or_else(String::new, plain)).collect(),
            ),
        ],
        verdict: match (&over, prices.first()) {
            (Some(over), Some(price)) => verdict(method, price, over),
            _ => "Nothing was compared.".into(),
        },
        threat_model: threat_model(trial.hidden),
        settings: settings(trial),
        json: facts_as_json(trial, comparison, &prices),
        ..Words::default()
    }
}

impl Price {
    fn of(trial: &DparTrial<'_>, variant: Variant) -> Self {
        // What was run has a plan, but for the majority.
        let plan: Option<&Plan> = trial.plan(variant).ok();
        let free = trial.hidden == Hidden::EdgeDp && variant == Variant::Features;
        Self {
            epsilon: match plan {
                // No connection is read.
                Some(plan) if !free => {
                    Some(plan.loss.epsilon.get()).filter(|epsilon| epsilon.is_finite())
                }
                _ => Some(0.0),
            },
            condition: plan.and_then(|plan| plan.condition.clone()),
            printed: plan.and_then(|plan| Some(plan.printed.as_ref()?.total.get())),
        }
    }

    fn in_words(&self) -> String {
        let Some(epsilon) = self.epsilon else { return "none".into() };
        let epsilon = plain((epsilon * 1e3).ceil() / 1e3);
        match &self.condition {
            None => epsilon,
            Some(on) => format!("{epsilon} if {on}"),
        }
    }
}

fn threat_model(hidden: Hidden) -> ThreatModel {
    let (protected, open) = hidden.meaning();
    let mut model = ThreatModel {
        secret: vec![format!("the training graph: {protected}")],
        public: vec!["the ids of the people in it".into(), "all settings".into()],
        not_protected: vec![
            "those who are classified later".into(),
            "the scores in this report: they compare with the truth".into(),
        ],
    };
    model.not_protected.extend(open.map(String::from));
    model
}

fn facts_as_json(
    trial: &DparTrial<'_>,
    comparison: &Comparison,
    prices: &[Price],
) -> Map<String, Value> {
    let rows = comparison.rows.iter().zip(prices).map(|(row, price)| {
        let shared = row.values(MOST_SHARED).into_iter().fold(0.0, f64::max);
        json!({
            "variant": row.variant,
            "about": row.about,
            "accuracy": row.summary(TEST),
            "accuracies": row.values(TEST),
            "epsilon": price.epsilon,
            "condition": price.condition,
            "printed": price.printed,
            "seconds": row.summary(SECONDS),
            "most_shared": shared as u32,
        })
    });
    let noise = trial.plan(Variant::Private).map_or(0.0, |plan| plan.training.noise_multiplier);
    let facts = [
        ("relation", json!(trial.hidden)),
        ("variants", rows.collect()),
        ("over_features", json!(comparison.over(Variant::Features))),
        ("over_control", json!(comparison.over(Variant::Control))),
        ("people", json!(trial.people)),
        ("noise_multiplier", json!(noise)),
    ];
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// What the private method achieved against features alone.
fn verdict(method: &str, price: &Price, over: &Paired) -> String {
    let price = match (price.epsilon, price.printed) {
        (Some(epsilon), Some(printed)) => {
            format!("At a true epsilon of {} (printed: {})", plain(epsilon), plain(printed))
        }
        (Some(epsilon), None) => match &price.condition {
            None => format!("At epsilon {}", plain(epsilon)),
            Some(on) => format!("At epsilon {} if {on} (and no guarantee if not)", plain(epsilon)),
        },
        (None, _) => "Without a guarantee".into(),
    };
    let verdict = match over.difference.runs {
        1 => "one run cannot tell that from chance",
        _ => judge(
            over,
            "it does better",
            "features alone do better",
            "these runs cannot tell them apart",
        ),
    };
    format!(
        "{price}, {method} scored {} points over features alone {}: {verdict}.",
        points(over.difference.mean),
        interval(over)
    )
}

/// Every setting, named as on the command line.
fn settings(trial: &DparTrial<'_>) -> Vec<(String, String)> {
    let Dpar { method, mode, target, settings } = &trial.system;
    let promise = [
        ("method", method.name().to_owned()),
        ("mode", name(mode)),
        ("epsilon", target.epsilon.to_string()),
        ("delta", target.delta.to_string()),
    ];
    let promise = promise.into_iter().map(|(name, value)| (name.to_owned(), value));
    promise.chain(listed(settings)).collect()
}
