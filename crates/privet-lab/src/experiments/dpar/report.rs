//! A comparison as a [`Report`]: who is protected, what was measured, what it costs in truth.

use privet::dpar::{Mode, Settings};
use privet::privacy::Card;

use super::{Comparison, Experiment, Scored};
use crate::experiments::ldp_ge::compare::probability;
use crate::report::summary::{fixed, plain};
use crate::report::{
    Axis, Block, Cell, Measured, Plot, Report, Section, Series, Style, Table, ThreatModel, Timing,
};

const SIMULATED: &str = "The scores come from simulations: each run trains anew with noise from a seed, on \
    another split, and compares with the truth. They are not protected themselves.";

const INFERENCE: &str = "Those who are classified later show their features \
    and connections to whoever sees a neighbour's answer; none of them is connected to anybody in training.";

/// What a report needs beside the numbers.
#[derive(Debug, Clone, Default)]
pub struct Circumstances {
    /// The command that repeats it.
    pub command: String,
    /// The card of a release that was made beside the simulations.
    pub release: Option<Card>,
    /// Seconds on the clock for all runs together.
    pub seconds: f64,
}

/// What the private method achieved against features alone, in a sentence that claims no more than its
/// interval does.
pub fn verdict(experiment: &Experiment<'_>, comparison: &Comparison) -> String {
    let private = &comparison.variants[0];
    let price = match (private.epsilon, private.printed) {
        (Some(epsilon), Some(printed)) => {
            format!("At a true epsilon of {} (printed: {})", plain(epsilon), plain(printed))
        }
        (Some(epsilon), None) => match &private.condition {
            None => format!("At epsilon {}", plain(epsilon)),
            Some(on) => format!("At epsilon {} if {on} (and no guarantee if not)", plain(epsilon)),
        },
        (None, _) => "Without a guarantee".into(),
    };
    let gain = &comparison.over_features;
    let points = |share: f64| fixed(100.0 * share, 1);
    let difference = &gain.difference;
    let told = format!(
        "{price}, {} scored {} points over features alone (95 % interval {} to {}, {})",
        experiment.system.method.name(),
        points(difference.mean),
        points(difference.low),
        points(difference.high),
        probability(gain.p_value)
    );
    match difference.runs {
        1 => format!("{told}: one run cannot tell that from chance."),
        _ if difference.low > 0.0 => format!("{told}: it does better."),
        _ if difference.high < 0.0 => format!("{told}: features alone do better."),
        _ => format!("{told}: these runs cannot tell them apart."),
    }
}

/// Writes up a comparison.
pub fn report(
    experiment: &Experiment<'_>,
    comparison: &Comparison,
    circumstances: Circumstances,
) -> Report {
    let name = experiment.dataset.name();
    let told = verdict(experiment, comparison);
    let title = format!("DPAR on {name}: {}", experiment.system.method.name());
    let mut report = Report::new(title, told.clone());
    report.command = circumstances.command;
    let (protected, open) = experiment.hidden.meaning();
    report.threat_model = ThreatModel {
        secret: vec![format!("the training graph: {protected}")],
        public: vec!["the ids of the people in it".into(), "all settings".into()],
        not_protected: vec![
            "those who are classified later".into(),
            "the scores in this report: they compare with the truth".into(),
        ],
    };
    report.threat_model.not_protected.extend(open.map(String::from));
    let mut blocks = vec![Block::Text(SIMULATED.into()), Block::Text(INFERENCE.into())];
    if experiment.system.mode == Mode::Paper {
        let warning = "Noise as printed: the guarantee that the paper claims for it does not hold. The true \
                       epsilon stands beside the printed one.";
        blocks.push(Block::Warning(warning.into()));
    }
    blocks.extend([
        Block::Table(scores(comparison)),
        Block::Text(told),
        Block::Plot(bars(comparison)),
    ]);
    report.sections.push(Section::new("Results", blocks));
    report.cards.push(circumstances.release.unwrap_or_else(|| comparison.card.clone()));
    report.settings = settings(experiment);
    report.timings = comparison
        .variants
        .iter()
        .filter(|row| row.seconds.mean > 0.0)
        .map(|row| timing(row.variant.name(), row.seconds.mean))
        .chain([timing("all runs", circumstances.seconds)])
        .collect();
    report
}

fn timing(what: &str, seconds: f64) -> Timing {
    Timing { what: what.into(), seconds, processor_seconds: None, peak_bytes: None }
}

/// True epsilon of a row, as text, with what it depends on.
pub fn price(row: &Scored) -> String {
    match row.epsilon {
        None => "none".into(),
        Some(epsilon) => {
            let epsilon = plain((epsilon * 1e3).ceil() / 1e3);
            row.condition.as_ref().map_or(epsilon.clone(), |on| format!("{epsilon} if {on}"))
        }
    }
}

/// Every variant's scores, with what each truly costs.
pub fn scores(comparison: &Comparison) -> Table {
    let caption =
        "Accuracy on those held out, mean ± deviation over seeds, and what it costs in truth";
    let mut table = Table::new(
        caption,
        ["variant", "what it is", "accuracy", "true epsilon", "printed epsilon"],
    );
    for row in &comparison.variants {
        let printed = row.printed.map_or_else(|| "".to_owned(), plain);
        let cells: [Cell; 5] = [
            row.variant.name().into(),
            row.about.into(),
            Measured::percent(&row.accuracy).into(),
            price(row).into(),
            printed.into(),
        ];
        table.push(cells);
    }
    table
}

fn bars(comparison: &Comparison) -> Plot {
    let names = comparison.variants.iter().map(|row| row.variant.name());
    let values: Vec<Measured> =
        comparison.variants.iter().map(|row| Measured::percent(&row.accuracy)).collect();
    Plot::new(
        "What each variant scored",
        Axis::categories("variant", names),
        Axis::percent("accuracy"),
    )
    .with(Series::measured("accuracy", Style::Bars, &values))
}

/// Every setting, named as on the command line.
pub fn settings(experiment: &Experiment<'_>) -> Vec<(String, String)> {
    let system = &experiment.system;
    let Settings { model, structure, inference, projection, sample } = &system.settings;
    let hidden: Vec<String> = model.hidden.iter().map(usize::to_string).collect();
    let mode = match system.mode {
        Mode::Rigorous => "rigorous",
        Mode::Paper => "paper",
    };
    let list = [
        ("method", system.method.name().to_owned()),
        ("mode", mode.to_owned()),
        ("epsilon", system.target.epsilon.to_string()),
        ("delta", system.target.delta.to_string()),
        ("hidden", if hidden.is_empty() { "none".into() } else { hidden.join(",") }),
        ("learning-rate", model.learning_rate.to_string()),
        ("clip-norm", model.clip_norm.to_string()),
        ("batch", model.batch.to_string()),
        ("steps", model.steps.to_string()),
        ("sources", structure.sources.to_string()),
        ("top-k", structure.keep.to_string()),
        ("score-clip", structure.clip.to_string()),
        ("cap", structure.cap.to_string()),
        ("share", structure.share.to_string()),
        ("max-degree", structure.max_degree.to_string()),
        ("hops", structure.hops.to_string()),
        ("rounds", inference.rounds.to_string()),
        ("alpha", inference.alpha.to_string()),
        ("projection", projection.to_string()),
        ("sample", sample.to_string()),
    ];
    list.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use privet::data::synthetic::StochasticBlocks;
    use privet::dpar::{Dpar, Held, Method};
    use privet::privacy::Loss;

    use super::super::Hidden;
    use super::*;

    #[test]
    fn a_report_has_the_price_beside_every_score() {
        let blocks =
            StochasticBlocks { nodes: 200, classes: 2, features: 16, ..Default::default() };
        let dataset = blocks.generate(1).unwrap();
        for mode in [Mode::Rigorous, Mode::Paper] {
            let mut settings = Settings::of(mode);
            (settings.model.batch, settings.structure.sources) = (40.0, 10);
            settings.model.steps = if mode == Mode::Paper { 2 } else { 8 };
            settings.sample = 1.0;
            let target = Loss::new(2.0, 1e-3).unwrap();
            let system = Dpar { method: Method::Em0, mode, target, settings };
            let (hidden, held) = (Hidden::NodeAbsent, Held::Test);
            let experiment = Experiment { dataset: &dataset, system, hidden, held };
            let never = AtomicBool::new(false);
            let comparison = experiment.compare(&[0, 1], &never, |_, _| {}).unwrap();
            let text = report(&experiment, &comparison, Circumstances::default()).markdown();
            for part in ["majority", "features", "control", "true epsilon", "classified later"] {
                assert!(text.contains(part), "{part}: {text}");
            }
            assert_eq!(text.contains("printed: 2"), mode == Mode::Paper, "{text}");
        }
    }
}
