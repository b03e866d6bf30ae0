//! What was measured of figures 4, 5, 6 and 10 as a report.

use privet::learn::metrics::{Paired, Summary};

use super::grid::{Grid, Measures, Pair, THETA, USUAL_DEGREE};
use super::item::{Item, Wanted};
use crate::experiments::dprr::Score;
use crate::report::summary::plain;
use crate::report::{
    Axis, Block, Cell, Measured, Plot, Point, Reference, Report, Section, Series, Style, Table,
    Timing,
};

type Of = fn(&Score) -> f64;

/// The report of an item.
pub(super) fn report(item: Item, wanted: &Wanted, measured: &[(&Grid<'_>, Measures)]) -> Report {
    let number = item.name().trim_start_matches("dprr/fig");
    let title = format!("DPRR, figure {number}: {}", item.title());
    let mut report = Report::new(title, summary(measured));
    report.threat_model.secret.push("the neighbour list of every private user".into());
    report.threat_model.public.extend(
        ["who is in which graph", "the class of each graph", "the lists of users who publish"]
            .map(String::from),
    );
    report.threat_model.not_protected.push("the classes of graphs".into());
    report.sections.push(Section::new("How to read this", [reading(item), simulation()]));
    for (grid, measures) in measured {
        let mut blocks = vec![
            Block::Plot(plot(grid, measures, "test accuracy", |score| score.test)),
            Block::Table(table(grid, measures, "Test accuracy", |score| score.test)),
            Block::Table(differences(grid, measures)),
        ];
        match item {
            Item::Fig10 => blocks.push(Block::Table(flagged(grid, measures))),
            _ => blocks.extend([
                Block::Plot(plot(grid, measures, "AUC", |score| score.auc)),
                Block::Table(table(grid, measures, "AUC", |score| score.auc)),
            ]),
        }
        report.sections.push(Section::new(grid.dataset, blocks));
        report.timings.extend(timings(grid, measures));
    }
    report.settings = vec![
        ("runs".into(), wanted.runs.to_string()),
        ("learner".into(), format!("{:?}", wanted.learner)),
    ];
    report
}

fn summary(measured: &[(&Grid<'_>, Measures)]) -> String {
    let pairs: Vec<&Pair> =
        measured.iter().flat_map(|(_, m)| m.lines.iter().flatten().flatten()).collect();
    let gains: Vec<Paired> = pairs.iter().filter_map(|pair| gain(pair)).collect();
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

fn reading(item: Item) -> Block {
    let text = match item {
        Item::Fig6 => {
            "The corrected split stays within epsilon. The printed one costs more where its first \
             branch is taken; it is here to compare with the paper, and its true total is what a card \
             of it states. The fixed split gives the degree (1 - alpha) epsilon."
                .to_owned()
        }
        Item::Fig10 => format!(
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

fn simulation() -> Block {
    Block::Warning(
        "A simulation: noise was replayed from seeds, and results were scored against the truth. \
         Nobody was protected by it."
            .into(),
    )
}

fn plot(grid: &Grid<'_>, measures: &Measures, what: &str, of: Of) -> Plot {
    let x = Axis::categories(grid.axis, grid.columns.iter().map(|&value| plain(value)));
    let mut plot = Plot::new(format!("{}: {what}", grid.dataset), x, Axis::percent(what));
    for (line, pairs) in grid.lines.iter().zip(&measures.lines) {
        let points = pairs.iter().enumerate().filter_map(|(at, pair)| {
            let value = measured(&pair.as_ref()?.private, of)?;
            Some(Point::measured(at as f64, &value))
        });
        let (name, points) = (line.name.clone(), points.collect());
        plot = plot.with(Series { name, points, style: Style::Line });
    }
    if let Some(ceiling) = measured(measures.ceiling(), of) {
        plot = plot.with_line(Reference::ceiling(&ceiling));
    }
    plot
}

/// A row per line, one below for its control, and what lists added.
fn table(grid: &Grid<'_>, measures: &Measures, what: &str, of: Of) -> Table {
    let columns = grid.columns.iter().map(|&value| format!("{} {}", grid.axis, plain(value)));
    let columns = ["".to_owned()].into_iter().chain(columns);
    let mut table = Table::new(format!("{what} on {}", grid.dataset), columns);
    for (line, pairs) in grid.lines.iter().zip(&measures.lines) {
        let row = |name: String, of_pair: &dyn Fn(&Pair) -> Option<Measured>| {
            let cell = |pair: &Option<Pair>| cell(pair.as_ref().and_then(of_pair));
            [Cell::from(name)].into_iter().chain(pairs.iter().map(cell)).collect::<Vec<_>>()
        };
        table.push(row(line.name.clone(), &|pair| measured(&pair.private, of)));
        if line.controlled {
            table.push(row(format!("{}, noise only", line.name), &|pair| {
                measured(&pair.control, of)
            }));
        }
    }
    let everywhere = |name: &str, value: Option<Measured>| {
        let cells = grid.columns.iter().map(|_| cell(value));
        [Cell::from(name)].into_iter().chain(cells).collect::<Vec<_>>()
    };
    for ((name, _), scores) in grid.beside.iter().zip(&measures.beside) {
        table.push(everywhere(name, measured(scores, of)));
    }
    if what != "AUC" {
        let majority = Summary::of(&measures.majority);
        table
            .push(everywhere("largest class", majority.map(|summary| Measured::percent(&summary))));
    }
    table
}

/// Paired differences: private minus control, and the first line minus every other.
fn differences(grid: &Grid<'_>, measures: &Measures) -> Table {
    let columns = grid.columns.iter().map(|&value| format!("{} {}", grid.axis, plain(value)));
    let columns = ["".to_owned()].into_iter().chain(columns);
    let caption = "Differences of test accuracy, seed by seed: mean ± deviation and 95 % interval";
    let mut table = Table::new(caption, columns);
    let mut row = |name: String, of_column: &dyn Fn(usize) -> Option<Paired>| {
        let cells = (0..grid.columns.len())
            .map(|at| cell(of_column(at).map(|paired| Measured::percent(&paired.difference))));
        table.push([Cell::from(name)].into_iter().chain(cells));
    };
    let private = |line: usize, at: usize| -> Option<&Vec<Score>> {
        Some(&measures.lines.get(line)?.get(at)?.as_ref()?.private)
    };
    for (number, line) in grid.lines.iter().enumerate() {
        if line.controlled {
            let name = format!("{} − noise only", line.name);
            row(name, &|at| gain(measures.lines[number].get(at)?.as_ref()?));
        }
    }
    let Some(first) = grid.lines.first() else { return table };
    for (number, line) in grid.lines.iter().enumerate().skip(1) {
        let name = format!("{} − {}", first.name, line.name);
        row(name, &|at| minus(private(0, at)?, private(number, at)?));
    }
    let name = format!("{} − ceiling", first.name);
    row(name, &|at| minus(private(0, at)?, measures.ceiling()));
    table
}

/// Figure 10: who was flagged.
fn flagged(grid: &Grid<'_>, measures: &Measures) -> Table {
    let columns = grid.columns.iter().map(|&value| format!("{} {}", grid.axis, plain(value)));
    let columns = ["".to_owned()].into_iter().chain(columns);
    let mut table = Table::new("Share of users flagged", columns);
    for (line, pairs) in grid.lines.iter().zip(&measures.lines) {
        let kinds: [(&str, Of); 2] =
            [("honest", |s| s.honest_flagged), ("malicious", |s| s.malicious_flagged)];
        for (kind, of) in kinds {
            let cells = pairs
                .iter()
                .map(|pair| cell(pair.as_ref().and_then(|pair| measured(&pair.private, of))));
            table.push([Cell::from(format!("{}: {kind}", line.name))].into_iter().chain(cells));
        }
    }
    table
}

/// The mean time of a run, by line.
fn timings(grid: &Grid<'_>, measures: &Measures) -> Vec<Timing> {
    let timing = |name: &str, scores: &[&Score]| {
        let runs = scores.len().max(1) as f64;
        let seconds = scores.iter().map(|s| s.collecting + s.learning).sum::<f64>() / runs;
        let what = format!("{}, {name}: a run, several at a time", grid.dataset);
        Timing { what, seconds, processor_seconds: None, peak_bytes: None }
    };
    let lines = grid.lines.iter().zip(&measures.lines).map(|(line, pairs)| {
        let scores: Vec<&Score> = pairs.iter().flatten().flat_map(|pair| &pair.private).collect();
        timing(&line.name, &scores)
    });
    lines.chain([timing("ceiling", &measures.ceiling().iter().collect::<Vec<_>>())]).collect()
}

fn cell(value: Option<Measured>) -> Cell {
    value.map_or_else(|| Cell::missing("not there"), Cell::Measured)
}

fn gain(pair: &Pair) -> Option<Paired> {
    (!pair.control.is_empty()).then(|| minus(&pair.private, &pair.control)).flatten()
}

fn minus(one: &[Score], other: &[Score]) -> Option<Paired> {
    Paired::of(&values(one, |score| score.test), &values(other, |score| score.test))
}

fn values(scores: &[Score], of: Of) -> Vec<f64> {
    scores.iter().map(of).collect()
}

fn measured(scores: &[Score], of: Of) -> Option<Measured> {
    Summary::of(&values(scores, of)).map(|summary| Measured::percent(&summary))
}
