//! What was measured as a report: a table and a plot per dataset, prices beside accuracies.

use std::collections::BTreeMap;

use privet::dpar::{Method, Mode};
use privet::learn::metrics::{Paired, Summary};

use super::item::{Item, Wanted};
use super::lines::{Line, World};
use super::paper;
use super::sweep::{Grid, Score};
use crate::experiments::cells::Key;
use crate::report::summary::{fixed, plain};
use crate::report::{Axis, Block, Cell, Measured, Plot, Report, Section, Series, Style, Table};

const MEANING: &str = "\"As printed\" adds the noise of the paper; the epsilon on the axis is what the paper says it \
    costs, and the true epsilon, by theorem, is in brackets. \"Rigorous\" adds the noise that the epsilon on the axis \
    needs. Everybody's ids are public, and what is hidden is whether a person is there (node-absent).";

/// Writes it up.
pub(super) fn report(
    item: Item,
    wanted: &Wanted,
    grids: &[Grid<'_>],
    scores: &BTreeMap<Key, Score>,
) -> privet::Result<Report> {
    let runs = wanted.runs;
    let summary = format!("{}, {runs} runs each (seeds 0 to {}).", item.title(), runs - 1);
    let mut report = Report::new(format!("DPAR: {}", item.title()), summary);
    for grid in grids {
        let mut blocks = vec![Block::Text(MEANING.into())];
        blocks.push(Block::Table(table(item, wanted, grid, scores)?));
        if item == Item::Table1 {
            blocks.push(Block::Text(winners(wanted, grid, scores)));
        }
        blocks.push(Block::Plot(plot(item, wanted, grid, scores)));
        report.sections.push(Section::new(grid.name, blocks));
    }
    report.settings = vec![
        ("datasets".into(), wanted.datasets.join(",")),
        (
            "epsilons".into(),
            wanted.epsilons.iter().map(f64::to_string).collect::<Vec<_>>().join(","),
        ),
        ("runs".into(), runs.to_string()),
    ];
    Ok(report)
}

fn measured(scores: &[Score]) -> Option<Measured> {
    let accuracies: Vec<f64> = scores.iter().map(|score| score.accuracy).collect();
    Summary::of(&accuracies).map(|summary| Measured::percent(&summary))
}

fn table(
    item: Item,
    wanted: &Wanted,
    grid: &Grid<'_>,
    scores: &BTreeMap<Key, Score>,
) -> privet::Result<Table> {
    let (axis, places) = item.axis(wanted);
    let caption =
        format!("Accuracy on {}, mean ± deviation; true epsilon; the paper's number", grid.name);
    let heads = std::iter::once("method".to_owned())
        .chain(places.iter().map(|place| format!("{axis} {}", plain(*place))));
    let mut table = Table::new(caption, heads);
    for (at, line) in grid.lines.iter().enumerate() {
        let mut cells: Vec<Cell> = vec![line.name.clone().into()];
        for (place, system) in line.places.iter().enumerate() {
            let Some(measured) = measured(&grid.scores(line, place, scores)) else {
                cells.push(Cell::missing("not measured"));
                continue;
            };
            let plan = grid.plan(at, place)?;
            let mut text = measured.short();
            if plan.printed.is_some() {
                text.push_str(&format!(" [true {}]", fixed(plan.loss.epsilon.get(), 1)));
            }
            if let Some(on) = &plan.condition {
                text.push_str(&format!(" [if {on}]"));
            }
            if let Some(theirs) =
                paper::table1(grid.name, system.method, system.target.epsilon.get())
                && item == Item::Table1
                && line.world == World::True
            {
                text.push_str(&format!(" (paper {})", fixed(100.0 * theirs, 1)));
            }
            cells.push(text.into());
        }
        table.push(cells);
    }
    let majority = majority(grid, scores);
    let cells = std::iter::once(Cell::from("majority class"))
        .chain(places.iter().map(|_| Cell::percent(majority)));
    table.push(cells.collect::<Vec<_>>());
    Ok(table)
}

/// Which rigorous method with a guarantee of its own scores best at each epsilon, and by how much over features alone, seed by seed.
fn winners(wanted: &Wanted, grid: &Grid<'_>, scores: &BTreeMap<Key, Score>) -> String {
    let accuracies = |line: &Line, at: usize| -> Vec<f64> {
        grid.scores(line, at, scores).iter().map(|score| score.accuracy).collect()
    };
    let rigorous = |line: &&Line| {
        line.world == World::True
            && line
                .places
                .first()
                .is_some_and(|system| system.mode == Mode::Rigorous && system.method.guaranteed())
    };
    let features =
        grid.lines.iter().filter(rigorous).find(|line| {
            line.places.first().is_some_and(|system| system.method == Method::Features)
        });
    let told = wanted.epsilons.iter().enumerate().filter_map(|(at, epsilon)| {
        let mean = |line: &&Line| Summary::of(&accuracies(line, at)).map_or(0.0, |s| s.mean);
        let best = grid.lines.iter().filter(rigorous).max_by(|a, b| mean(a).total_cmp(&mean(b)))?;
        let over = Paired::of(&accuracies(best, at), &accuracies(features?, at))?.difference;
        let points = |share: f64| fixed(100.0 * share, 1);
        Some(format!(
            "At true epsilon {} {} wins, {} points over features alone (95 %: {} to {}).",
            plain(*epsilon),
            best.name,
            points(over.mean),
            points(over.low),
            points(over.high)
        ))
    });
    told.collect::<Vec<_>>().join(" ")
}

fn majority(grid: &Grid<'_>, scores: &BTreeMap<Key, Score>) -> f64 {
    let Some(line) = grid.lines.first() else { return 0.0 };
    let of = grid.scores(line, 0, scores);
    of.iter().map(|score| score.majority).sum::<f64>() / of.len().max(1) as f64
}

fn plot(item: Item, wanted: &Wanted, grid: &Grid<'_>, scores: &BTreeMap<Key, Score>) -> Plot {
    let (axis, places) = item.axis(wanted);
    let names = places.iter().map(|place| plain(*place));
    let mut plot = Plot::new(
        format!("{} on {}", item.title(), grid.name),
        Axis::categories(axis, names),
        Axis::percent("accuracy"),
    );
    for line in &grid.lines {
        let values: Option<Vec<Measured>> =
            (0..line.places.len()).map(|at| measured(&grid.scores(line, at, scores))).collect();
        if let Some(values) = values {
            plot = plot.with(Series::measured(line.name.clone(), Style::Line, &values));
        }
    }
    plot
}
