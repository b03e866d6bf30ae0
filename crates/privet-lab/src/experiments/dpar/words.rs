//! What is told of DPAR beside its scores: who is protected, what it costs in truth, and whether it beats
//! features alone.

use privet::Facts;
use privet::Method;
use privet::dpar::{Dpar, Mode, Plan};
use privet::learn::metrics::PairedComparison;
use privet::privacy::unit::Relation;
use privet::settings::{listed, name};
use serde_json::{Map, Value, json};

use super::{DparTrial, MOST_SHARED, meaning};
use crate::experiments::baselines::worth;
use crate::experiments::trial::data::class_names;
use crate::experiments::trial::verdict::{interval, judge, points};
use crate::experiments::trial::{Column, Comparison, TEST, TrialText, Variant};
use crate::report::summary::plain;
use crate::report::{Block, ThreatModel};

const SIMULATED: &str = "The scores come from simulations: each run trains anew with noise from a seed, on \
    another split, and compares with the truth. They are not protected themselves.";

const INFERENCE: &str = "Those who are classified later show their features \
    and connections to observers of their neighbours' answers; none of them is connected to a person in training.";

const VOTES: &str = "Those who are classified later are not protected: their features and their connections among \
    each other are read as they are. Whom they know among the people trained on is protected on the side of those people. \
    One release classifies one batch of people; another batch costs the same again.";

const LIMITED_BY_NOISE: &str = "What limits these answers, as far as public facts tell, is the noise: more people or a larger \
    epsilon help, a larger model does not.";

const LIMITED_BY_MODEL: &str = "What limits these answers, as far as public facts tell, is the linear model: noise is small for \
    so many people, and a hidden layer (`--method hidden-layer`) may do better.";

const LIMITED_BY_DATA: &str = "Noise is small for so many people: what limits these answers, as far as public facts tell, \
    is what records say, the width of the hidden layer and its number of steps.";

const PRINTED: &str = "Noise as printed: the guarantee that the paper claims for it does not hold. The true \
    epsilon stands beside the printed one.";

const CAPTION: &str =
    "Accuracy on those held out, mean ± deviation over seeds, and what it costs in truth";

/// What a variant truly costs.
struct VariantPrice {
    /// None for what has no guarantee, 0 for what reads nothing.
    epsilon: Option<f64>,
    /// What must be true of the data for that; whether it is cannot be asked.
    condition: Option<String>,
    /// What the paper says it costs.
    printed: Option<f64>,
}

pub(super) fn words(trial: &DparTrial<'_>, comparison: &Comparison) -> TrialText {
    let (name, method) = (trial.data.dataset.name(), trial.system.method.name());
    let prices: Vec<VariantPrice> =
        comparison.rows.iter().map(|row| VariantPrice::of(trial, row.variant)).collect();
    let inference = if trial.system.method == Method::NeighbourVotes { VOTES } else { INFERENCE };
    let mut notes = vec![Block::Text(inference.into())];
    notes.extend(limit(trial).map(|limit| Block::Text(limit.into())));
    if trial.system.mode == Mode::Paper {
        notes.push(Block::Warning(PRINTED.into()));
    }
    let over = comparison.over(Variant::Features);
    let (protected, open) = meaning(trial.hidden);
    let still_open = open.map_or_else(String::new, |open| format!("{open}; "));
    TrialText {
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
             later, towards observers of their neighbours' answers"
        )),
        simulated: SIMULATED,
        notes,
        caption: CAPTION.into(),
        columns: columns(&prices),
        verdict: {
            let told = match (&over, prices.first()) {
                (Some(over), Some(price)) => verdict(method, price, over),
                (None, Some(price)) => alone(method, price, comparison),
                _ => "Nothing was compared.".into(),
            };
            worth(comparison).map_or(told.clone(), |worth| format!("{told} {worth}"))
        },
        // As printed, every variant has another true epsilon.
        epsilon: prices.first().and_then(|price| price.epsilon.filter(|_| price.printed.is_none())),
        threat_model: threat_model(trial.hidden),
        settings: settings(trial),
        metric: "test accuracy",
        classes: class_names(trial.data.dataset.labels()),
        data_facts: data_facts(trial),
        of_variants: of_variants(comparison, &prices),
        ..TrialText::default()
    }
}

/// What limits the answers of people's own rows, as far as public facts tell.
fn limit(trial: &DparTrial<'_>) -> Option<&'static str> {
    let Dpar { method, target, .. } = trial.system;
    if !method.reads_centred_rows() {
        return None;
    }
    let Facts { columns, classes, .. } = Facts::of(trial.data.dataset);
    let fitting = Method::for_people(target, trial.people, columns, classes).ok()?;
    Some(match (method, fitting) {
        (Method::GradientDescent, Method::HiddenLayer) => LIMITED_BY_MODEL,
        (Method::HiddenLayer, fitting) if fitting != Method::HiddenLayer => LIMITED_BY_NOISE,
        (Method::GradientDescent, _) => LIMITED_BY_NOISE,
        _ => LIMITED_BY_DATA,
    })
}

/// Scores and what they cost; what was printed only where something was.
fn columns(prices: &[VariantPrice]) -> Vec<Column> {
    let costs = prices.iter().map(VariantPrice::in_words).collect();
    let mut columns =
        vec![Column::score("accuracy", TEST), Column::words("true epsilon", "true epsilon", costs)];
    if prices.iter().any(|price| price.printed.is_some()) {
        let printed = prices.iter().map(|price| price.printed.map_or_else(String::new, plain));
        columns.push(Column::words("printed epsilon", "printed", printed.collect()));
    }
    columns
}

impl VariantPrice {
    fn of(trial: &DparTrial<'_>, variant: Variant) -> Self {
        // What was run has a plan, but for the majority and for what reads everything in the clear.
        let plan: Option<&Plan> = trial.plan(variant).ok();
        if variant == Variant::Ceiling {
            return Self { epsilon: None, condition: None, printed: None };
        }
        let free = trial.hidden == Relation::EdgeDp && variant == Variant::Features;
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

fn threat_model(hidden: Relation) -> ThreatModel {
    let (protected, open) = meaning(hidden);
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

fn data_facts(trial: &DparTrial<'_>) -> Map<String, Value> {
    let noise = trial.plan(Variant::Private).map_or(0.0, |plan| plan.training.noise_multiplier);
    let facts = [
        ("relation", json!(trial.hidden)),
        ("people", json!(trial.people)),
        ("noise_multiplier", json!(noise)),
    ];
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// What each variant truly costs, and how many rows read one node.
fn of_variants(comparison: &Comparison, prices: &[VariantPrice]) -> Vec<Map<String, Value>> {
    let rows = comparison.rows.iter().zip(prices).map(|(row, price)| {
        let shared = row.values(MOST_SHARED).into_iter().fold(0.0, f64::max);
        let facts = [
            ("epsilon", json!(price.epsilon)),
            ("condition", json!(price.condition)),
            ("printed", json!(price.printed)),
            ("most_rows_of_one_node", json!(shared as u32)),
        ];
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    });
    rows.collect()
}

/// At which price, as a sentence begins.
fn at(price: &VariantPrice) -> String {
    match (price.epsilon, price.printed) {
        (Some(epsilon), Some(printed)) => {
            format!("At a true epsilon of {} (printed: {})", plain(epsilon), plain(printed))
        }
        (Some(epsilon), None) => match &price.condition {
            None => format!("At epsilon {}", plain(epsilon)),
            Some(on) => format!("At epsilon {} if {on} (and no guarantee if not)", plain(epsilon)),
        },
        (None, _) => "Without a guarantee".into(),
    }
}

/// What features alone achieved: there is nothing simpler to compare them with.
fn alone(method: &str, price: &VariantPrice, comparison: &Comparison) -> String {
    let row = comparison.row(Variant::Private).and_then(|row| row.summary(TEST));
    let Some(scored) = row else { return "Nothing was compared.".into() };
    format!("{}, {method} scored {} %.", at(price), points(scored.mean))
}

/// What the private method achieved against features alone.
fn verdict(method: &str, price: &VariantPrice, over: &PairedComparison) -> String {
    let price = at(price);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn price(epsilon: Option<f64>, printed: Option<f64>) -> VariantPrice {
        VariantPrice { epsilon, condition: None, printed }
    }

    fn told(price: &VariantPrice, private: &[f64], features: &[f64]) -> String {
        verdict("em0", price, &PairedComparison::of(private, features).unwrap())
    }

    #[test]
    fn a_verdict_names_the_true_price() {
        let (better, worse) = ([0.80, 0.81, 0.805], [0.7, 0.7, 0.7]);
        let honest = told(&price(Some(2.0), None), &better, &worse);
        assert!(honest.starts_with("At epsilon 2, em0 scored 10.5 points over"), "{honest}");
        assert!(honest.ends_with("it does better."), "{honest}");
        let printed = told(&price(Some(9.4), Some(1.0)), &worse, &better);
        assert!(printed.starts_with("At a true epsilon of 9.4 (printed: 1), em0"), "{printed}");
        assert!(printed.ends_with("features alone do better."), "{printed}");
        let none = told(&price(None, None), &[0.9, 0.5, 0.7], &worse);
        assert!(none.starts_with("Without a guarantee, em0"), "{none}");
        assert!(none.ends_with("these runs cannot tell them apart."), "{none}");
        let once = told(&price(Some(1.0), None), &[0.9], &[0.7]);
        assert!(once.ends_with("one run cannot tell that from chance."), "{once}");
        let on = Some("degrees are below 5".to_owned());
        let conditional = VariantPrice { condition: on, ..price(Some(1.0), None) };
        let told = told(&conditional, &better, &worse);
        assert!(told.starts_with("At epsilon 1 if degrees are below 5 (and no guarantee if not)"));
    }

    /// Prices are rounded up: a table promises no more than the card.
    #[test]
    fn prices_are_rounded_up() {
        assert_eq!(price(Some(1.0001), None).in_words(), "1.001");
        assert_eq!(price(Some(0.0), None).in_words(), "0");
        assert_eq!(price(None, Some(1.0)).in_words(), "none");
        let on = Some("no person has more than 3 friends".to_owned());
        let conditional = VariantPrice { condition: on, ..price(Some(2.0), None) };
        assert_eq!(conditional.in_words(), "2 if no person has more than 3 friends");
    }

    /// Where connections alone are hidden, everything else about people is named as open.
    #[test]
    fn what_is_open_is_said_to_be() {
        let edges = threat_model(Relation::EdgeDp);
        assert!(edges.secret[0].contains("each connection"), "{edges:?}");
        assert!(edges.not_protected.iter().any(|what| what.contains("features and classes")));
        let people = threat_model(Relation::NodeAbsent);
        assert_eq!(people.not_protected.len() + 1, edges.not_protected.len());
        assert_eq!(people, threat_model(Relation::NodeReplace));
    }
}
