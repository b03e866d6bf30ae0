//! What was measured as a report: a plot and a table per dataset, and a sentence that claims no more
//! than the intervals do.

use privet::learn::metrics::{Paired, Summary};

use super::item::{Item, Wanted};
use super::paper;
use super::utility::{Axis, Grid, Line, Measures, Pair, has_published_k};
use crate::experiments::ldp_ge::{Score, Task};
use crate::report::summary::{counted, plain};
use crate::report::{
    self, Block, Cell, Measured, Plot, Reference, Report, Section, Series, Style, Table, Timing,
    Unit,
};

/// The report of an item.
pub fn report(item: Item, wanted: &Wanted, measured: &[(&Grid<'_>, Measures)]) -> Report {
    let title = format!("LDP-GE, {}: {}", short_name(item), item.title());
    let mut report = Report::new(title, summary(measured));
    report.threat_model.secret.push("the features of every person".into());
    report.threat_model.public.extend(["the graph".into(), "the labels".into()]);
    report.threat_model.not_protected.extend([
        "edges".into(),
        "labels".into(),
        "who takes part".into(),
    ]);
    report.sections.push(Section::new("How to read this", [reading(item), simulation()]));
    for (grid, measures) in measured {
        let blocks = [
            Block::Plot(plot(grid, measures)),
            Block::Table(table(item, grid, measures)),
            Block::Text(sampling(grid)),
        ];
        report.sections.push(Section::new(grid.data.name, blocks));
        report.timings.extend(timings(grid, measures));
    }
    let decoding = match wanted.decoding {
        Some(decoding) => format!("{decoding:?}").to_lowercase(),
        None => "as the preset of each dataset says".into(),
    };
    report.settings = vec![("runs".into(), wanted.runs.to_string()), ("decoding".into(), decoding)];
    report
}

fn short_name(item: Item) -> &'static str {
    match item {
        Item::Fig1 => "figure 1",
        Item::Fig2 => "figure 2",
        Item::Table3 => "table III",
        Item::Fig3 => "figure 3",
        Item::Fig4 => "figure 4",
    }
}

/// How many private figures are above their control, and how many would be by chance.
fn summary(measured: &[(&Grid<'_>, Measures)]) -> String {
    let pairs: Vec<&Pair> =
        measured.iter().flat_map(|(_, measures)| measures.lines.iter().flatten()).collect();
    let gains: Vec<Paired> = pairs.iter().filter_map(|pair| pair.gain()).collect();
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

fn reading(item: Item) -> Block {
    let mut text =
        "Every private figure has beside it what the same learner reaches if all people \
                    hold the same row (noise only), and what features in the clear reach, with settings \
                    of their own where such were searched (ceiling). \
                    `features added` is private minus noise only, run by run."
            .to_owned();
    match item {
        Item::Fig2 => {
            text +=
                " The paper prints this as a figure: only what its text states stands beside ours."
        }
        Item::Table3 => text += " The paper's numbers are those of its table III.",
        _ => text += " The paper prints this as a figure without numbers.",
    }
    Block::Text(text)
}

fn simulation() -> Block {
    Block::Warning(
        "A simulation: noise was replayed from seeds, and results were scored against the truth. \
         Nobody was protected by it."
            .into(),
    )
}

/// Which k was used.
fn sampling(grid: &Grid<'_>) -> String {
    let own_rule = "Each mechanism follows its own rule for k, the number of columns a person \
                    reports, which depends on epsilon; laplace reports all.";
    match grid.axis {
        Axis::K => "k is the number of columns each person reports.".into(),
        Axis::Epsilon if has_published_k(grid.data.name) => format!(
            "{own_rule} Except hds: its k is {}, the published choice for this dataset.",
            grid.settings.k
        ),
        Axis::Epsilon => own_rule.into(),
    }
}

fn plot(grid: &Grid<'_>, measures: &Measures) -> Plot {
    let measure = measure_name(grid.task);
    let x = match grid.axis {
        Axis::Epsilon => report::Axis::epsilons(&grid.columns),
        Axis::K => report::Axis::categories("k", grid.columns.iter().map(|&k| plain(k))),
    };
    let title = format!("{}: {measure}", grid.data.name);
    let mut plot = Plot::new(title, x, report::Axis::percent(format!("test {measure}")));
    for (line, pairs) in grid.lines.iter().zip(&measures.lines) {
        let values: Vec<Measured> = pairs.iter().filter_map(|p| measured(&p.private)).collect();
        plot = plot.with(Series::measured(&line.name, Style::Line, &values));
    }
    if let Some(ceiling) = measured(&measures.ceiling) {
        plot = plot.with_line(Reference::ceiling(&ceiling));
    }
    if let Some((name, control)) = pooled_control(&grid.lines, measures) {
        let name = format!("control: noise only ({name})");
        plot = plot.with_line(Reference::measured(name, &control));
    }
    plot
}

/// The control of the paper's own mechanism (or else the first), averaged over the columns run by run.
fn pooled_control<'a>(lines: &'a [Line], measures: &Measures) -> Option<(&'a str, Measured)> {
    let at = lines.iter().position(|line| line.name == "hds").unwrap_or(0);
    let pairs = measures.lines.get(at)?;
    let runs = pairs.first()?.control.len();
    let mean = |run: usize| {
        let sum: f64 = pairs.iter().filter_map(|p| p.control.get(run)).map(|s| s.test).sum();
        sum / pairs.len() as f64
    };
    let values: Vec<f64> = (0..runs).map(mean).collect();
    Some((&lines.get(at)?.name, of_values(&values)?))
}

/// Three rows a line: private (beside the paper's), noise only, and their difference.
fn table(item: Item, grid: &Grid<'_>, measures: &Measures) -> Table {
    let heading = |value: &f64| match grid.axis {
        Axis::Epsilon => format!("epsilon {}", plain(*value)),
        Axis::K => format!("k {}", plain(*value)),
    };
    let columns = ["".to_owned()].into_iter().chain(grid.columns.iter().map(heading));
    let columns = columns.chain(["ceiling: no noise".to_owned()]);
    let caption = format!("Test {} on {}", measure_name(grid.task), grid.data.name);
    let mut table = Table::new(caption, columns);
    for (line, pairs) in grid.lines.iter().zip(&measures.lines) {
        let theirs = |epsilon: f64| published(item, grid.data.name, &line.name, epsilon);
        let mut private = vec![Cell::from(line.name.as_str())];
        let mut control = vec![Cell::from(format!("{}, noise only", line.name))];
        let mut added = vec![Cell::from(format!("{}, features added", line.name))];
        for (pair, reports) in pairs.iter().zip(&line.places) {
            private.push(beside(measured(&pair.private), theirs(reports.epsilon)));
            control.push(beside(measured(&pair.control), None));
            let gain = pair.gain().map(|gain| in_percent(&gain.difference));
            added.push(beside(gain, None));
        }
        private.push(beside(measured(&measures.ceiling), theirs(f64::INFINITY)));
        [private, control, added].into_iter().for_each(|row| table.push(row));
    }
    table
}

fn published(item: Item, dataset: &str, mechanism: &str, epsilon: f64) -> Option<f64> {
    match item {
        Item::Fig2 => paper::figure_2(dataset, mechanism, epsilon),
        Item::Table3 => paper::table_3(dataset, mechanism, epsilon),
        Item::Fig1 | Item::Fig3 | Item::Fig4 => None,
    }
}

/// The mean time of a run, by line; and of the ceiling.
fn timings(grid: &Grid<'_>, measures: &Measures) -> Vec<Timing> {
    let timing = |name: &str, scores: Vec<&Score>| {
        let runs = scores.len().max(1);
        let seconds = scores.iter().map(|score| score.seconds).sum::<f64>() / runs as f64;
        let what = format!("{}, {name}: one of {}", grid.data.name, counted(runs as u64, "run"));
        Timing { what, seconds, processor_seconds: None, peak_bytes: None }
    };
    let lines = grid.lines.iter().zip(&measures.lines).map(|(line, pairs)| {
        let scores = pairs.iter().flat_map(|pair| pair.private.iter().chain(&pair.control));
        timing(&line.name, scores.collect())
    });
    lines.chain([timing("ceiling", measures.ceiling.iter().collect())]).collect()
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

impl Pair {
    /// Private minus control, run by run.
    fn gain(&self) -> Option<Paired> {
        let tests = |scores: &[Score]| scores.iter().map(|score| score.test).collect::<Vec<_>>();
        Paired::of(&tests(&self.private), &tests(&self.control))
    }
}

fn measured(scores: &[Score]) -> Option<Measured> {
    of_values(&scores.iter().map(|score| score.test).collect::<Vec<_>>())
}

fn of_values(values: &[f64]) -> Option<Measured> {
    Summary::of(values).map(|summary| in_percent(&summary))
}

/// A share of one over several runs, shown as percent.
pub(crate) fn in_percent(summary: &Summary) -> Measured {
    if summary.runs < 2 {
        return Measured::once(summary.mean, Unit::Percent);
    }
    Measured {
        mean: summary.mean,
        deviation: summary.deviation,
        low95: summary.low,
        high95: summary.high,
        runs: summary.runs as u64,
        unit: Unit::Percent,
    }
}
