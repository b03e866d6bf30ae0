//! What was measured as a report: a table and a plot per dataset, prices beside accuracies.

use std::collections::BTreeMap;

use privet::learn::metrics::Summary;

use super::item::{Item, Wanted};
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
            let Some(measured) = measured(&grid.scores(system, scores)) else {
                cells.push(Cell::missing("not measured"));
                continue;
            };
            let plan = grid.plan(at, place)?;
            let mut text = measured.short();
            if plan.printed.is_some() {
                text.push_str(&format!(" [true {}]", fixed(plan.loss.epsilon.get(), 1)));
            }
            if let Some(theirs) =
                paper::table1(grid.name, system.method, system.target.epsilon.get())
                && item == Item::Table1
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

fn majority(grid: &Grid<'_>, scores: &BTreeMap<Key, Score>) -> f64 {
    let Some(system) = grid.lines.first().and_then(|line| line.places.first()) else { return 0.0 };
    let of = grid.scores(system, scores);
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
            line.places.iter().map(|system| measured(&grid.scores(system, scores))).collect();
        if let Some(values) = values {
            plot = plot.with(Series::measured(line.name.clone(), Style::Line, &values));
        }
    }
    plot
}
