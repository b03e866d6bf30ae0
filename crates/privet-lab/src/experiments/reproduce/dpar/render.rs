//! What was measured as a report: a table and a plot per dataset, prices beside accuracies.

use privet::dpar::{DparMethod, Mode};
use privet::learn::metrics::{Paired, Summary};

use super::DparFigure;
use crate::error::Error;
use crate::experiments::cells::Sweep;
use crate::experiments::dpar::DparTrial;
use crate::experiments::reproduce::panel::{
    Line, Look, Measures, Panel, measure, measured, values,
};
use crate::experiments::reproduce::{Figure, Item, Wanted};
use crate::experiments::trial::{TEST, Variant};
use crate::report::summary::{fixed, plain};
use crate::report::{Block, Cell, Plot, Report, Section, Table, Unit};

type DparPanel<'a> = Panel<DparTrial<'a>>;

const MEANING: &str = "\"As printed\" adds the noise of the paper; the epsilon on the axis is what the paper says it \
    costs, and the true epsilon, by theorem, is in brackets. \"Rigorous\" adds the noise that the epsilon on the axis \
    needs. Everybody's ids are public, and what is hidden is whether a person is there (node-absent).";

/// Measures what is missing, and writes all of it up.
///
/// # Errors
/// Those of [`Sweep::measure`], or that no noise keeps a target.
pub fn reproduce(
    item: &Item,
    wanted: &Wanted,
    panels: &[DparPanel<'_>],
    sweep: &mut Sweep<'_>,
) -> Result<Report, Error> {
    let all = measure(panels, wanted.runs, sweep)?;
    let runs = wanted.runs;
    let summary = format!("{}, {runs} runs each (seeds 0 to {}).", item.title, runs - 1);
    let mut report = Report::new(format!("DPAR: {}", item.title), summary);
    for (panel, measures) in panels.iter().zip(&all) {
        let mut blocks = vec![Block::Text(MEANING.into())];
        blocks.push(Block::Table(table(panel, measures)?));
        if item.figure == Figure::Dpar(DparFigure::Table1) {
            blocks.push(Block::Text(winners(panel, measures)));
        }
        blocks.push(Block::Plot(plot(item, panel, measures)));
        report.sections.push(Section::new(panel.name.clone(), blocks));
    }
    let epsilons: Vec<String> = wanted.epsilons.iter().map(f64::to_string).collect();
    report.settings = vec![
        ("datasets".into(), wanted.datasets.join(",")),
        ("epsilons".into(), epsilons.join(",")),
        ("runs".into(), runs.to_string()),
    ];
    Ok(report)
}

fn table(panel: &DparPanel<'_>, measures: &Measures) -> privet::Result<Table> {
    let caption =
        format!("Accuracy on {}, mean ± deviation; true epsilon; the paper's number", panel.name);
    let mut table = panel.table(caption, "method");
    for (number, line) in panel.lines.iter().enumerate() {
        let mut cells: Vec<Cell> = vec![line.name.clone().into()];
        for (place, point) in line.points.iter().enumerate() {
            let runs = measures.at(number, place).map_or(&[][..], |runs| &runs.own);
            let (Some(measured), Some((trial, variant))) =
                (measured(runs, TEST, Unit::Percent), point)
            else {
                cells.push(Cell::missing("not measured"));
                continue;
            };
            let plan = trial.plan(*variant)?;
            let mut text = measured.short();
            if plan.printed.is_some() {
                text.push_str(&format!(" [true {}]", fixed(plan.loss.epsilon.get(), 1)));
            }
            if let Some(on) = &plan.condition {
                text.push_str(&format!(" [if {on}]"));
            }
            if let Some(theirs) = line.printed[place] {
                text.push_str(&format!(" (paper {})", fixed(100.0 * theirs, 1)));
            }
            cells.push(text.into());
        }
        table.push(cells);
    }
    for ((name, _, _), scores) in panel.beside.iter().zip(&measures.beside) {
        let mean = Summary::of(&values(scores, TEST)).map_or(0.0, |summary| summary.mean);
        let cells = panel.places.iter().map(|_| Cell::percent(mean));
        table.push([Cell::from(name.clone())].into_iter().chain(cells));
    }
    Ok(table)
}

/// Which rigorous method with a guarantee of its own scores best at each epsilon, and by how much over
/// features alone, seed by seed.
fn winners(panel: &DparPanel<'_>, measures: &Measures) -> String {
    let system = |line: &Line<DparTrial<'_>>| {
        let (trial, variant) = line.points.first()?.as_ref()?;
        let system = &trial.system;
        let guaranteed = system.mode == Mode::Rigorous && system.method.guaranteed();
        (*variant == Variant::Private && guaranteed).then_some(system.method)
    };
    let rigorous: Vec<(usize, DparMethod)> =
        panel.lines.iter().enumerate().filter_map(|(at, line)| Some((at, system(line)?))).collect();
    let features = rigorous.iter().find(|(_, method)| *method == DparMethod::Features);
    let told = panel.places.iter().enumerate().filter_map(|(place, epsilon)| {
        let accuracies = |line: usize| {
            measures.at(line, place).map_or_else(Vec::new, |runs| values(&runs.own, TEST))
        };
        let mean = |line: usize| Summary::of(&accuracies(line)).map_or(0.0, |s| s.mean);
        let &(best, _) = rigorous.iter().max_by(|a, b| mean(a.0).total_cmp(&mean(b.0)))?;
        let over = Paired::of(&accuracies(best), &accuracies(features?.0))?.difference;
        let points = |share: f64| fixed(100.0 * share, 1);
        Some(format!(
            "At true epsilon {} {} wins, {} points over features alone (95 %: {} to {}).",
            plain(*epsilon),
            panel.lines[best].name,
            points(over.mean),
            points(over.low),
            points(over.high)
        ))
    });
    told.collect::<Vec<_>>().join(" ")
}

fn plot(item: &Item, panel: &DparPanel<'_>, measures: &Measures) -> Plot {
    let title = format!("{} on {}", item.title, panel.name);
    let look = Look { score: TEST, label: "accuracy", unit: Unit::Percent };
    panel.plot(measures, title, panel.axis(), look)
}
