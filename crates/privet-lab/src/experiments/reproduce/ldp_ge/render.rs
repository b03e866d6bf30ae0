//! What was measured as a report: a plot and a table per dataset, and a sentence that claims no more
//! than the intervals do.

use privet::learn::metrics::Paired;

use super::LdpGeFigure;
use super::utility::{LdpGePanel, has_published_k, printed};
use crate::experiments::ldp_ge::Task;
use crate::experiments::reproduce::panel::{Look, Measures, measured, simulation};
use crate::experiments::reproduce::{Item, Wanted};
use crate::experiments::trial::{Scores, TEST};
use crate::report::summary::{counted, plain};
use crate::report::{
    self, Block, Cell, Measured, Plot, Reference, Report, Section, Table, Timing, Unit,
};

/// The report of an item.
pub fn report(
    item: &Item,
    kind: LdpGeFigure,
    wanted: &Wanted,
    figures: &[LdpGePanel<'_>],
    measured: &[Measures],
) -> Report {
    let title = format!("LDP-GE, {}: {}", short_name(kind), item.title);
    let mut report = Report::new(title, summary(measured));
    report.threat_model.secret.push("the features of every person".into());
    report.threat_model.public.extend(["the graph".into(), "the labels".into()]);
    report.threat_model.not_protected.extend([
        "edges".into(),
        "labels".into(),
        "who takes part".into(),
    ]);
    report.sections.push(Section::new("How to read this", [reading(kind), simulation()]));
    for (figure, measures) in figures.iter().zip(measured) {
        let blocks = [
            Block::Plot(plot(figure, measures)),
            Block::Table(table(kind, figure, measures)),
            Block::Text(sampling(figure)),
        ];
        report.sections.push(Section::new(figure.data.name, blocks));
        report.timings.extend(timings(figure, measures));
    }
    let decoding = match wanted.decoding {
        Some(decoding) => format!("{decoding:?}").to_lowercase(),
        None => "as the preset of each dataset says".into(),
    };
    report.settings = vec![("runs".into(), wanted.runs.to_string()), ("decoding".into(), decoding)];
    report
}

fn short_name(kind: LdpGeFigure) -> &'static str {
    match kind {
        LdpGeFigure::Fig1 => "figure 1",
        LdpGeFigure::Fig2 => "figure 2",
        LdpGeFigure::Table3 => "table III",
        LdpGeFigure::Fig3 => "figure 3",
        LdpGeFigure::Fig4 => "figure 4",
    }
}

/// How many private figures are above their control, and how many would be by chance.
fn summary(measured: &[Measures]) -> String {
    let gains: Vec<Paired> = measured.iter().flat_map(Measures::gains).collect();
    if gains.iter().any(|gain| gain.difference.runs < 2) {
        return "One run says nothing about chance: use at least two.".into();
    }
    // A difference that is the same in each of a few runs has no spread, and so no interval to speak of.
    let spread = || gains.iter().map(|gain| gain.difference).filter(|d| d.deviation > 0.0);
    let above = spread().filter(|difference| difference.low > 0.0).count();
    let below = spread().filter(|difference| difference.high < 0.0).count();
    // Either end of a 95 % interval misses by chance once in 40.
    let by_chance = plain((gains.len() as f64 / 40.0 * 10.0).round() / 10.0);
    format!(
        "In {above} of {} private figures people's features added something over the graph alone \
         (the 95 % interval of private minus noise-only control lies above 0); in {below} it lies \
         below. By chance alone about {by_chance} would lie on either side.",
        gains.len()
    )
}

fn reading(kind: LdpGeFigure) -> Block {
    let mut text =
        "Every private figure has beside it what the same learner reaches if all people \
                    hold the same row (noise only), and what features in the clear reach, with settings \
                    of their own where such were searched (ceiling). \
                    `features added` is private minus noise only, run by run."
            .to_owned();
    match kind {
        LdpGeFigure::Fig2 => {
            text +=
                " The paper prints this as a figure: only what its text states stands beside ours."
        }
        LdpGeFigure::Table3 => text += " The paper's numbers are those of its table III.",
        _ => text += " The paper prints this as a figure without numbers.",
    }
    Block::Text(text)
}

/// Which k was used.
fn sampling(figure: &LdpGePanel<'_>) -> String {
    let own_rule = "Each mechanism follows its own rule for k, the number of columns a person \
                    reports, which depends on epsilon; laplace reports all.";
    if figure.panel.axis == "k" {
        return "k is the number of columns each person reports.".into();
    }
    match has_published_k(figure.data.name) {
        true => format!(
            "{own_rule} Except hds: its k is {}, the published choice for this dataset.",
            figure.settings.k
        ),
        false => own_rule.into(),
    }
}

fn plot(figure: &LdpGePanel<'_>, measures: &Measures) -> Plot {
    let (panel, measure) = (&figure.panel, measure_name(figure.task));
    let x = match panel.axis {
        "epsilon" => report::Axis::epsilons(&panel.places),
        _ => panel.axis(),
    };
    let (title, label) = (format!("{}: {measure}", panel.name), format!("test {measure}"));
    let look = Look { score: TEST, label: &label, unit: Unit::Percent };
    let plot = panel.plot_below_ceiling(measures, title, x, look);
    match pooled_control(figure, measures) {
        Some((name, control)) => {
            let name = format!("control: noise only ({name})");
            plot.with_line(Reference::measured(name, &control))
        }
        None => plot,
    }
}

/// The control of the paper's own mechanism (or else the first), averaged over the columns run by run.
fn pooled_control<'f>(
    figure: &'f LdpGePanel<'_>,
    measures: &Measures,
) -> Option<(&'f str, Measured)> {
    let lines = &figure.panel.lines;
    let at = lines.iter().position(|line| line.name == "hds").unwrap_or(0);
    let places: Vec<&[Scores]> =
        measures.lines.get(at)?.iter().flatten().map(|runs| runs.control.as_slice()).collect();
    let mean = |run: usize| {
        let sum: f64 = places.iter().filter_map(|runs| runs.get(run)).map(Scores::test).sum();
        Scores::new([(TEST, sum / places.len() as f64)])
    };
    let means: Vec<Scores> = (0..places.first()?.len()).map(mean).collect();
    Some((&lines.get(at)?.name, measured(&means, TEST, Unit::Percent)?))
}

/// Three rows a line: private (beside the paper's), noise only, and their difference.
fn table(kind: LdpGeFigure, figure: &LdpGePanel<'_>, measures: &Measures) -> Table {
    let panel = &figure.panel;
    let caption = format!("Test {} on {}", measure_name(figure.task), panel.name);
    let mut table = panel.table(caption, "");
    table.columns.push("ceiling: no noise".into());
    let percent = |scores: &[Scores]| measured(scores, TEST, Unit::Percent);
    for (line, runs) in panel.lines.iter().zip(&measures.lines) {
        let mut private = vec![Cell::from(line.name.as_str())];
        let mut control = vec![Cell::from(format!("{}, noise only", line.name))];
        let mut added = vec![Cell::from(format!("{}, features added", line.name))];
        for (runs, &theirs) in runs.iter().flatten().zip(&line.printed) {
            private.push(beside(percent(&runs.own), theirs));
            control.push(beside(percent(&runs.control), None));
            let gain = runs.gain().map(|gain| Measured::percent(&gain.difference));
            added.push(beside(gain, None));
        }
        let theirs = printed(kind, figure.data.name, &line.name, f64::INFINITY);
        private.push(beside(percent(measures.ceiling()), theirs));
        [private, control, added].into_iter().for_each(|row| table.push(row));
    }
    table
}

/// The mean time of a run, by line; and of the ceiling.
fn timings(figure: &LdpGePanel<'_>, measures: &Measures) -> Vec<Timing> {
    let timing = |name: &str, scores: Vec<&Scores>| {
        let runs = scores.len().max(1);
        let seconds = scores.iter().map(|scores| scores.seconds()).sum::<f64>() / runs as f64;
        let what = format!("{}, {name}: one of {}", figure.data.name, counted(runs as u64, "run"));
        Timing { what, seconds, processor_seconds: None, peak_bytes: None }
    };
    let lines = figure.panel.lines.iter().zip(&measures.lines).map(|(line, runs)| {
        let all = runs.iter().flatten();
        timing(&line.name, all.flat_map(|runs| runs.own.iter().chain(&runs.control)).collect())
    });
    lines.chain([timing("ceiling", measures.ceiling().iter().collect())]).collect()
}

fn measure_name(task: Task) -> &'static str {
    match task {
        Task::Nodes => "accuracy",
        Task::Links => "AUC",
    }
}

fn beside(ours: Option<Measured>, theirs: Option<f64>) -> Cell {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => Cell::Beside { ours, theirs },
        (Some(ours), None) => Cell::Measured(ours),
        (None, _) => Cell::missing("not measured"),
    }
}
