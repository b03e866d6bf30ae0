//! What was measured of figures 4, 5, 6 and 10 as a report.

use privet::dprr::GraphLearner;
use privet::learn::metrics::Paired;

use super::grid::{DprrPanel, THETA, USUAL_DEGREE};
use crate::experiments::dprr::{AUC, COLLECTING, HONEST_FLAGGED, LEARNING, MALICIOUS_FLAGGED};
use crate::experiments::reproduce::panel::{Look, Measures, measured, minus, simulation, values};
use crate::experiments::reproduce::{Item, Wanted};
use crate::experiments::trial::{Scores, TEST};
use crate::report::{Block, Measured, Report, Section, Table, Timing, Unit};

const ACCURACY: Look<'_> = Look { score: TEST, label: "test accuracy", unit: Unit::Percent };
const AREA: Look<'_> = Look { score: AUC, label: "AUC", unit: Unit::Percent };

/// The report of an item.
pub(super) fn report(
    item: &Item,
    wanted: &Wanted,
    panels: &[DprrPanel<'_>],
    measured: &[Measures],
) -> Report {
    let number = item.name.trim_start_matches("dprr/fig");
    let title = format!("DPRR, figure {number}: {}", item.title);
    let mut report = Report::new(title, summary(measured));
    report.threat_model = crate::experiments::dprr::threat_model();
    report.threat_model.not_protected = vec!["the classes of graphs".into()];
    report.sections.push(Section::new("How to read this", [reading(number), simulation()]));
    for (panel, measures) in panels.iter().zip(measured) {
        let plot = |look: Look<'_>| {
            let title = format!("{}: {}", panel.name, look.label);
            Block::Plot(panel.plot_below_ceiling(measures, title, panel.axis(), look))
        };
        let mut blocks = vec![
            plot(ACCURACY),
            Block::Table(table(panel, measures, "Test accuracy", TEST)),
            Block::Table(differences(panel, measures)),
        ];
        match number {
            "10" => blocks.push(Block::Table(flagged(panel, measures))),
            _ => blocks.extend([plot(AREA), Block::Table(table(panel, measures, "AUC", AUC))]),
        }
        report.sections.push(Section::new(panel.name.clone(), blocks));
        report.timings.extend(timings(panel, measures));
    }
    report.settings = vec![
        ("runs".into(), wanted.runs.to_string()),
        ("learner".into(), format!("{:?}", GraphLearner::default())),
    ];
    report
}

fn summary(measured: &[Measures]) -> String {
    let gains: Vec<Paired> = measured.iter().flat_map(Measures::gains).collect();
    if gains.is_empty() {
        return "Scores stand beside the ceiling, the noise-only control and the largest class."
            .into();
    }
    if gains.iter().any(|gain| gain.difference.runs < 2) {
        return "One run says nothing about chance: use at least two.".into();
    }
    let above = gains.iter().filter(|gain| gain.difference.low > 0.0).count();
    format!(
        "In {above} of {} private figures the lists of private users added something over the \
         noise-only control (the 95 % interval of the difference lies above 0).",
        gains.len()
    )
}

fn reading(number: &str) -> Block {
    let text = match number {
        "6" => {
            "The corrected split stays within epsilon. The printed one costs more where its first \
             branch is taken; it is here to compare with the paper, and its true total is what a card \
             of it states. The fixed split gives the degree (1 - alpha) epsilon."
                .to_owned()
        }
        "10" => format!(
            "Malicious users change their reports in training graphs only. Defences run on all graphs. \
             `threshold` is the paper's Defense({THETA}); `handshake` flags degrees above what a \
             user of degree {USUAL_DEGREE} sends where other users' degrees cannot match them. Below: \
             shares of honest and of malicious users flagged."
        ),
        _ => "Figures of DPRR have beside them what the same learner reaches if private lists are \
              empty (noise only: sizes of graphs, and what is published, remain), and all what it reaches if \
              everybody publishes (ceiling), and the largest class. Reports are read in two ways: \
              `plain` is the paper's, with its split of epsilon; `believed` takes them as evidence. \
              The paper compares plain readings; `nonpriv-part, believed` is what users who publish \
              say about everybody."
            .to_owned(),
    };
    Block::Text(format!("{text} The paper prints curves without numbers."))
}

/// A row per line, one below for its control, and what stands beside.
fn table(panel: &DprrPanel<'_>, measures: &Measures, what: &str, score: &str) -> Table {
    let mut table = panel.table(format!("{what} on {}", panel.name), "");
    let percent = |scores: &[Scores]| measured(scores, score, Unit::Percent);
    for (number, line) in panel.lines.iter().enumerate() {
        let at = |place| measures.at(number, place);
        table.push(panel.row(line.name.clone(), |place| percent(&at(place)?.own)));
        if line.controlled {
            let name = format!("{}, noise only", line.name);
            table.push(panel.row(name, |place| percent(&at(place)?.control)));
        }
    }
    for ((name, _, _), scores) in panel.beside.iter().zip(&measures.beside) {
        // The largest class has no ranking.
        if !values(scores, score).is_empty() {
            table.push(panel.row(name.clone(), |_| percent(scores)));
        }
    }
    table
}

/// Paired differences: private minus control, and the first line minus every other.
fn differences(panel: &DprrPanel<'_>, measures: &Measures) -> Table {
    let caption = "Differences of test accuracy, seed by seed: mean ± deviation and 95 % interval";
    let mut table = panel.table(caption, "");
    let percent = |paired: Paired| Measured::percent(&paired.difference);
    for (number, line) in panel.lines.iter().enumerate().filter(|(_, line)| line.controlled) {
        let name = format!("{} − noise only", line.name);
        table.push(panel.row(name, |place| measures.at(number, place)?.gain().map(percent)));
    }
    let Some(first) = panel.lines.first() else { return table };
    let own = |line, place| measures.at(line, place).map(|runs| runs.own.as_slice());
    for (number, line) in panel.lines.iter().enumerate().skip(1) {
        let name = format!("{} − {}", first.name, line.name);
        let minus = |place| minus(own(0, place)?, own(number, place)?).map(percent);
        table.push(panel.row(name, minus));
    }
    let name = format!("{} − ceiling", first.name);
    table.push(panel.row(name, |place| minus(own(0, place)?, measures.ceiling()).map(percent)));
    table
}

/// Figure 10: who was flagged.
fn flagged(panel: &DprrPanel<'_>, measures: &Measures) -> Table {
    let mut table = panel.table("Share of users flagged", "");
    for (number, line) in panel.lines.iter().enumerate() {
        for (kind, score) in [("honest", HONEST_FLAGGED), ("malicious", MALICIOUS_FLAGGED)] {
            let of = |place| measured(&measures.at(number, place)?.own, score, Unit::Percent);
            table.push(panel.row(format!("{}: {kind}", line.name), of));
        }
    }
    table
}

/// The mean time of a run, by line.
fn timings(panel: &DprrPanel<'_>, measures: &Measures) -> Vec<Timing> {
    let seconds = |scores: &Scores| {
        scores.get(COLLECTING).unwrap_or(0.0) + scores.get(LEARNING).unwrap_or(0.0)
    };
    let timing = |name: &str, scores: Vec<&Scores>| {
        let runs = scores.len().max(1) as f64;
        let what = format!("{}, {name}: a run, several at a time", panel.name);
        let seconds = scores.into_iter().map(seconds).sum::<f64>() / runs;
        Timing { what, seconds, processor_seconds: None, peak_bytes: None }
    };
    let lines = panel.lines.iter().zip(&measures.lines).map(|(line, runs)| {
        timing(&line.name, runs.iter().flatten().flat_map(|runs| &runs.own).collect())
    });
    lines.chain([timing("ceiling", measures.ceiling().iter().collect())]).collect()
}
