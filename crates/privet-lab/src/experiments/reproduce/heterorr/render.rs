//! What was measured as a report.

use super::HeteroRrFigure;
use super::cell::Curve;
use crate::attacks::largest_auc;
use crate::experiments::reproduce::panel::{Look, Measures, Panel, measured};
use crate::experiments::reproduce::{Item, Wanted};
use crate::report::{Axis, Block, Cell, Report, Section, Table, Unit};

pub(super) fn report(
    item: &Item,
    figure: HeteroRrFigure,
    wanted: &Wanted,
    panels: &[Panel<Curve<'_>>],
    measured: &[Measures],
) -> Report {
    let runs = wanted.runs;
    let summary = match runs {
        1 => format!("The {}; one run each, seed 0.", item.title),
        _ => format!("The {}; {runs} runs each, seeds 0 to {}.", item.title, runs - 1),
    };
    let mut report = Report::new(format!("HeteroRR, {}", item.name), summary);
    for (panel, measures) in panels.iter().zip(measured) {
        report.sections.push(section(figure, panel, measures));
    }
    report.settings = vec![("runs".into(), wanted.runs.to_string())];
    report.threat_model.secret = match figure {
        HeteroRrFigure::Fig6 | HeteroRrFigure::Fig10 => vec!["features".into()],
        _ => vec!["a seeded share of the edges".into()],
    };
    report.threat_model.not_protected = vec!["labels, node ids, public edges".into()];
    report
}

fn section(figure: HeteroRrFigure, panel: &Panel<Curve<'_>>, measures: &Measures) -> Section {
    let unit = match figure {
        HeteroRrFigure::Fig6 | HeteroRrFigure::Fig7 => Unit::Percent,
        _ => Unit::Plain,
    };
    let mut blocks = Vec::new();
    for (at, metric) in figure.metrics().iter().enumerate() {
        let title = format!("{}: {metric}", panel.name);
        let x = Axis::categories(panel.axis, panel.places.iter().map(f64::to_string));
        let look = Look { score: metric, label: metric, unit };
        blocks.push(Block::Plot(panel.plot(measures, title.clone(), x, look)));
        let columns = panel.places.iter().map(|place| format!("{} {place}", panel.axis));
        let mut table = Table::new(title, ["curve".to_owned()].into_iter().chain(columns));
        for (number, line) in panel.lines.iter().enumerate() {
            let of = |place| measured(&measures.at(number, place)?.own, metric, unit);
            table.push(panel.row(line.name.clone(), of));
        }
        // What is public is on both sides of matched pairs: only there does the card bound the attacker.
        if figure == HeteroRrFigure::LinkTeller && at == 1 {
            let ceiling = panel.places.iter().map(|&epsilon| Cell::number(largest_auc(epsilon)));
            table.push([Cell::from("largest by the card's epsilon")].into_iter().chain(ceiling));
        }
        blocks.push(Block::Table(table));
    }
    Section::new(panel.name.clone(), blocks)
}
