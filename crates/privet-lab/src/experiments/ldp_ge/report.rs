//! A comparison of LDP-GE's variants as a [`Report`]: who is protected, what was measured, what it cost.

use privet::learn::metrics::Summary;
use privet::privacy::Card;

use super::compare::probability;
pub use super::settings::settings;
use super::{Comparison, Experiment, Task};
use crate::report::summary::plain;
use crate::report::{
    Axis, Block, Cell, Measured, Plot, Report, Section, Series, Style, Table, ThreatModel, Timing,
    Unit,
};

/// What people must know before they read scores.
const SIMULATED: &str = "The scores come from simulations: each run collects everybody's reports anew \
    with noise from a seed, and compares predictions with the truth. They say what a collection would \
    achieve; they are not protected themselves.";

/// What a release does not cover.
const KEEP: &str = "The card covers the embedding and the model, not this report: its scores were \
    computed from the raw data. Publish the former, keep the latter.";

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

impl Measured {
    /// A summary of shares, shown as percent; one run has no spread.
    pub fn percent(summary: &Summary) -> Self {
        match summary.runs {
            1 => Self::once(summary.mean, Unit::Percent),
            runs => Self {
                mean: summary.mean,
                deviation: summary.deviation,
                low95: summary.low,
                high95: summary.high,
                runs: runs as u64,
                unit: Unit::Percent,
            },
        }
    }
}

/// Writes up a comparison.
pub fn report(
    experiment: &Experiment<'_>,
    comparison: &Comparison,
    circumstances: Circumstances,
) -> Report {
    let name = experiment.dataset.name();
    let what = match experiment.task {
        Task::Nodes => "node classification",
        Task::Links => "link prediction",
    };
    let mut report = Report::new(format!("LDP-GE: {what} on {name}"), comparison.verdict());
    report.command = circumstances.command;
    report.threat_model = threat_model(experiment);
    let mut results = vec![Block::Text(SIMULATED.into())];
    if circumstances.release.is_some() {
        results.push(Block::Warning(KEEP.into()));
    }
    results.extend([
        Block::Table(scores(comparison)),
        Block::Text(comparison.verdict()),
        Block::Plot(bars(comparison)),
        Block::Plot(differences(comparison)),
    ]);
    report.sections.push(Section::new("Results", results));
    report.cards.push(circumstances.release.unwrap_or_else(|| comparison.card.clone()));
    report.settings = settings(experiment);
    report.timings = timings(comparison, circumstances.seconds);
    report
        .versions
        .push(("system".into(), format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)));
    report
}

fn threat_model(experiment: &Experiment<'_>) -> ThreatModel {
    let private = experiment.private;
    let mut model = ThreatModel::default();
    if let Some(share) = experiment.volunteers {
        let share = plain(100.0 * share);
        model.public.push(format!("the features of {share} % of the people, who volunteer"));
    }
    let parts = [
        (private.features, "everybody's features"),
        (private.labels, "everybody's label"),
        (private.edges, "everybody's list of neighbours"),
    ];
    for (secret, part) in parts {
        if secret { &mut model.secret } else { &mut model.public }.push(part.into());
    }
    let public = ["the columns and their declared range", "the list of classes", "who takes part"];
    model.public.extend(public.map(String::from));
    model.not_protected.push("the scores in this report: they compare with the truth".into());
    model
}

/// Every variant's scores, and the paired difference, as a table.
pub fn scores(comparison: &Comparison) -> Table {
    let metric = comparison.task.metric();
    let caption = format!("{metric}, mean ± deviation and the mean's 95 % interval over seeds");
    let mut table = Table::new(caption, ["variant", "what it is", metric]);
    for row in &comparison.variants {
        let cells: [Cell; 3] = [
            row.variant.name().into(),
            row.variant.about().into(),
            Measured::percent(&row.test).into(),
        ];
        table.push(cells);
    }
    let added = &comparison.features_added;
    let words = format!("what features added, seed by seed ({})", probability(added.p_value));
    let difference: Cell = Measured::percent(&added.difference).into();
    table.push([Cell::from("private − control"), words.into(), difference]);
    table
}

fn bars(comparison: &Comparison) -> Plot {
    let metric = comparison.task.metric();
    let names = comparison.variants.iter().map(|row| row.variant.name());
    let values: Vec<Measured> =
        comparison.variants.iter().map(|row| Measured::percent(&row.test)).collect();
    Plot::new("What each variant scored", Axis::categories("variant", names), Axis::percent(metric))
        .with(Series::measured(metric, Style::Bars, &values))
}

fn differences(comparison: &Comparison) -> Plot {
    let tests = |at: usize| comparison.variants.get(at).into_iter().flat_map(|row| &row.scores);
    let pairs = tests(0).zip(tests(1)).map(|(private, control)| private.test - control.test);
    let points = pairs.zip(1u32..).map(|(difference, run)| (f64::from(run), difference));
    let y = Axis::percent("private − control").reaching(0.0);
    Plot::new("What features added, run by run", Axis::linear("run"), y).with(Series::new(
        "one seed",
        Style::Scatter,
        points,
    ))
}

fn timings(comparison: &Comparison, seconds: f64) -> Vec<Timing> {
    let timing = |what: String, seconds, peak_bytes| Timing {
        what,
        seconds,
        processor_seconds: None,
        peak_bytes,
    };
    let runs: usize = comparison.variants.iter().map(|row| row.scores.len()).sum();
    let each = comparison.variants.iter().map(|row| {
        let what = format!("a run of {}, from reports to predictions", row.variant.name());
        timing(what, row.seconds.mean, None)
    });
    let all = format!("all {runs} runs, up to {} at a time", rayon::current_num_threads());
    each.chain([timing(all, seconds, peak_bytes())]).collect()
}

/// The most memory this process ever held, where the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use privet::data::synthetic::StochasticBlocks;
    use privet::ldp_ge::{
        EdgeProtection, Embedding, FeatureProtection, LdpGe, Learner, Private, Protection,
    };
    use privet::privacy::features::{Decoding, Settings};

    use super::*;

    fn system() -> LdpGe {
        let features = FeatureProtection {
            mechanism: "hds".into(),
            epsilon: 1.0,
            settings: Settings { k: Some(2), ..Settings::default() },
            decoding: Decoding::Unbiased,
        };
        LdpGe {
            protection: Protection {
                features,
                label_epsilon: 1.0,
                edges: EdgeProtection::recommended(1.0, 200),
            },
            embedding: Embedding::default(),
            labels: None,
            learner: Learner { hidden: vec![8], epochs: 2, ..Learner::default() },
        }
    }

    #[test]
    fn a_report_says_who_is_protected_and_what_was_measured() {
        let blocks =
            StochasticBlocks { nodes: 200, classes: 2, features: 16, ..Default::default() };
        let dataset = blocks.generate(1).unwrap();
        let system = system();
        for task in [Task::Nodes, Task::Links] {
            let private = Private::FEATURES;
            let experiment =
                Experiment { dataset: &dataset, task, system: &system, private, volunteers: None };
            let stop = AtomicBool::new(false);
            let comparison = experiment.compare(&[0, 1], &stop, |_, _| {}).unwrap();
            let again = experiment.compare(&[0, 1], &stop, |_, _| {}).unwrap();
            assert_eq!(comparison.features_added, again.features_added);
            let report = report(&experiment, &comparison, Circumstances::default());
            assert!(report.is_simulation() && report.plots().len() == 2);
            let text = report.markdown();
            for part in ["private − control", "everybody's features", "simulations", task.metric()]
            {
                assert!(text.contains(part), "{part}: {text}");
            }
        }
    }

    #[test]
    fn settings_are_named_as_on_the_command_line() {
        let dataset = StochasticBlocks::default().generate(1).unwrap();
        let (task, private) = (Task::Nodes, Private::FEATURES);
        let system = system();
        let experiment =
            Experiment { dataset: &dataset, task, system: &system, private, volunteers: None };
        let told = settings(&experiment);
        let line: Vec<String> =
            told.iter().map(|(name, value)| format!("--{name} {value}")).collect();
        assert_eq!(
            line.join(" "),
            "--epsilon 1 --mechanism hds --decoding unbiased --k 2 --alpha 0.1 --r 0.1 --method power \
             --sketch 0 --scaling columns --hidden 8 --dropout 0.7 --weight-decay 0.0005 \
             --learning-rate 0.01 --batch 64 --epochs 2 --patience 15"
        );
    }
}
