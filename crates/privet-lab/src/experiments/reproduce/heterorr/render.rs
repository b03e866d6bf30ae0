//! What was measured as a report.

use std::collections::BTreeMap;

use privet::learn::metrics::Summary;

use super::cell::Case;
use super::item::{Item, Wanted};
use crate::attacks::largest_auc;
use crate::report::{
    Axis, Block, Cell, Measured, Plot, Report, Section, Series, Style, Table, Unit,
};

/// Values of all runs by (dataset, share, curve, epsilon).
type Found<'a> = BTreeMap<(&'a str, String, String, String), Vec<&'a Vec<f64>>>;

pub(super) fn report(
    item: Item,
    wanted: &Wanted,
    cases: &[Case<'_>],
    values: &[Vec<f64>],
) -> Report {
    let mut found: Found<'_> = BTreeMap::new();
    for (case, value) in cases.iter().zip(values) {
        let dataset = case.data.map_or("", |data| data.name);
        let (share, epsilon) = (case.share.to_string(), case.epsilon.to_string());
        found.entry((dataset, share, case.curve.clone(), epsilon)).or_default().push(value);
    }
    let mut datasets: Vec<&str> = found.keys().map(|key| key.0).collect();
    datasets.dedup();
    let runs = wanted.runs;
    let summary = match runs {
        1 => format!("The {}; one run each, seed 0.", item.title()),
        _ => format!("The {}; {runs} runs each, seeds 0 to {}.", item.title(), runs - 1),
    };
    let mut report = Report::new(format!("HeteroRR, {}", item.name()), summary);
    let rows: &[f64] = if item.over_shares() { &[wanted.epsilons[0]] } else { &wanted.shares };
    for dataset in datasets {
        for &row in rows {
            report.sections.push(section(item, wanted, dataset, row, &found));
        }
    }
    report.settings = vec![("runs".into(), wanted.runs.to_string())];
    report.threat_model.secret = match item {
        Item::Fig6 | Item::Fig10 => vec!["features".into()],
        _ => vec!["a seeded share of the edges".into()],
    };
    report.threat_model.not_protected = vec!["labels, node ids, public edges".into()];
    report
}

fn section(item: Item, wanted: &Wanted, dataset: &str, row: f64, found: &Found<'_>) -> Section {
    let places = if item.over_shares() { &wanted.shares } else { &wanted.epsilons };
    let title = match item {
        Item::Fig10 => "one number of [0, 1]".to_owned(),
        Item::Fig6 => dataset.to_owned(),
        Item::Fig11 => format!("{dataset}, epsilon {row}"),
        _ => format!("{dataset}, {} % of the edges private", 100.0 * row),
    };
    let names = wanted.curves.iter().map(String::as_str).chain(item.references().iter().copied());
    let names: Vec<&str> = names.collect();
    let unit = match item {
        Item::Fig6 | Item::Fig7 => Unit::Percent,
        _ => Unit::Plain,
    };
    let mut blocks = Vec::new();
    for (at, metric) in item.metrics().iter().enumerate() {
        let x_label = if item.over_shares() { "share of private edges" } else { "epsilon" };
        let axis = Axis::categories(x_label, places.iter().map(f64::to_string));
        let y = if unit == Unit::Percent { Axis::percent(*metric) } else { Axis::linear(*metric) };
        let mut plot = Plot::new(format!("{title}: {metric}"), axis, y);
        let columns = ["curve".to_owned()].into_iter();
        let columns = columns.chain(places.iter().map(|place| format!("{x_label} {place}")));
        let mut table = Table::new(format!("{title}: {metric}"), columns);
        for name in &names {
            let measured: Vec<Measured> = places
                .iter()
                .filter_map(|&place| {
                    let (share, epsilon) =
                        if item.over_shares() { (place, row) } else { (row, place) };
                    let key = (dataset, share.to_string(), (*name).to_owned(), epsilon.to_string());
                    let values: Vec<f64> = found.get(&key)?.iter().map(|value| value[at]).collect();
                    Some(measured(&Summary::of(&values)?, unit))
                })
                .collect();
            plot = plot.with(Series::measured(*name, Style::Line, &measured));
            let cells = measured.into_iter().map(Cell::from);
            table.push([Cell::from(*name)].into_iter().chain(cells));
        }
        // What is public is on both sides of matched pairs: only there does the card bound the attacker.
        if item == Item::LinkTeller && at == 1 {
            let ceiling = places.iter().map(|&epsilon| Cell::number(largest_auc(epsilon)));
            table.push([Cell::from("largest by the card's epsilon")].into_iter().chain(ceiling));
        }
        blocks.push(Block::Plot(plot));
        blocks.push(Block::Table(table));
    }
    Section::new(title, blocks)
}

fn measured(summary: &Summary, unit: Unit) -> Measured {
    if summary.runs < 2 {
        return Measured::once(summary.mean, unit);
    }
    Measured {
        mean: summary.mean,
        deviation: summary.deviation,
        low95: summary.low,
        high95: summary.high,
        runs: summary.runs as u64,
        unit,
    }
}
