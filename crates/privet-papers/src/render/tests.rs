use super::*;
use crate::panel::tests::{Number, measured_panel, panel};
use crate::panel::{Line, Told};
use privet_lab::experiments::cells::Cells;
use privet_lab::experiments::trial::TEST;
use privet_lab::report::ThreatModel;

const METRIC: Metric = Metric::test("score");

fn shown(block: &PanelBlock<Number>) -> Block {
    panel().block(block, &measured_panel(&mut Cells::in_memory())).unwrap()
}

fn table(rows: TableRows<Number>) -> Table {
    let (caption, head, metric) = ("numbers".to_owned(), "line", METRIC);
    match shown(&PanelBlock::Table { caption, head, metric, rows }) {
        Block::Table(table) => table,
        other => panic!("{other:?}"),
    }
}

/// What stands in a cell, without intervals.
fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Text { text } => text.clone(),
        Cell::Number { value, .. } => format!("number {value:.2}"),
        Cell::Measured(measured) => measured.short(),
        Cell::Beside { ours, theirs } => format!("{} (theirs {theirs})", ours.short()),
        Cell::Missing { reason } => reason.clone(),
    }
}

fn rows(table: &Table) -> Vec<Vec<String>> {
    table.rows.iter().map(|row| row.iter().map(cell).collect()).collect()
}

#[test]
fn a_gap_stays_a_gap_in_plots_and_tables() {
    let plot = PanelBlock::Plot { title: "numbers".into(), metric: METRIC, control: None };
    let Block::Plot(plot) = shown(&plot) else { panic!("no plot") };
    assert_eq!((plot.series[0].points.len(), plot.series[1].points.len()), (2, 1));
    assert_eq!((plot.series[1].points[0].x, plot.lines.len()), (1.0, 1));
    assert_eq!(plot.lines[0].y, 0.95, "the ceiling, 0.9 and 1.0");
    let table = table(TableRows::Each(None));
    assert_eq!(table.columns, ["line", "place 1", "place 2.5"]);
    assert_eq!(rows(&table)[2], ["with a gap", "not there", "45.0 ± 7.1 %"]);
}

#[test]
fn controls_stand_below_and_what_the_axis_does_not_change_last() {
    let twice: fn(f64) -> f64 = |place| 2.0 * place;
    let rows = rows(&table(TableRows::Each(Some(("twice the place", twice)))));
    let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    let expected =
        ["controlled", "controlled, noise only", "with a gap", "ceiling", "twice the place"];
    assert_eq!(names, expected);
    assert_eq!(rows[1][1..], ["15.0 ± 7.1 %", "25.0 ± 7.1 %"]);
    assert_eq!(rows[3][1..], ["95.0 ± 7.1 %", "95.0 ± 7.1 %"], "the same at every place");
    assert_eq!(rows[4][1..], ["number 2.00", "number 5.00"]);
}

/// Ours beside theirs, place by place; the ceiling and its printed value come last.
#[test]
fn printed_values_stand_beside_ours() {
    let mut panel = panel();
    panel.lines.truncate(1);
    panel.lines[0] = Line {
        printed: vec![Some(0.3), None],
        printed_ceiling: Some(0.99),
        ..panel.lines[0].clone()
    };
    let measures = measured_panel(&mut Cells::in_memory());
    let mut table = panel.table("numbers", "");
    panel.controlled(&mut table, &measures, &METRIC, "added");
    assert_eq!(table.columns.last().unwrap(), "ceiling: no noise");
    let rows = rows(&table);
    let private =
        ["controlled", "25.0 ± 7.1 % (theirs 0.3)", "45.0 ± 7.1 %", "95.0 ± 7.1 % (theirs 0.99)"];
    assert_eq!(rows[0], private);
    assert!(rows[2][1].starts_with("10.00") && rows[2][2].starts_with("20.00"), "{rows:?}");
    assert_eq!(rows.len(), 3);
}

#[test]
fn notes_stand_behind_scores_in_words() {
    let note: fn(&Number, Variant) -> privet::Result<String> =
        |number, _| Ok(format!(" [it is {}]", number.0));
    let rows = rows(&table(TableRows::Noted(note)));
    assert_eq!(rows[0][1], "25.0 ± 7.1 % [it is 0.2]");
    assert_eq!(rows[1][1..], ["not there", "45.0 ± 7.1 % [it is 0.4]"]);
    assert_eq!(rows[2], ["ceiling", "number 0.95", "number 0.95"]);
}

/// 0.1 and 0.2 with the first seed, 0.2 and 0.3 with the second: 0.15 and 0.25 on average over places.
#[test]
fn a_control_is_pooled_over_places_run_by_run() {
    let (panel, measures) = (panel(), measured_panel(&mut Cells::in_memory()));
    let (name, control) = panel.pooled_control(&measures, &METRIC, "unheard of").unwrap();
    assert_eq!((name, control.runs), ("controlled", 2));
    assert!((control.mean - 0.2).abs() < 1e-12, "{control:?}");
    assert!((control.deviation - 0.1 / 2f64.sqrt()).abs() < 1e-12, "{control:?}");
}

fn figure(summary: Verdict) -> PanelFigure<Number> {
    let (title, reading) = ("Numbers".to_owned(), Some("With care.".to_owned()));
    let settings = vec![("runs", "2".to_owned())];
    let told = Told { title, summary, reading, threat_model: ThreatModel::default(), settings };
    PanelFigure { told, panels: vec![panel()], runs: 2 }
}

#[test]
fn a_report_says_how_to_read_it_and_that_nobody_was_protected() {
    let measures = [measured_panel(&mut Cells::in_memory())];
    let said = report(&figure(Verdict::Measured("Numbers, twice.".into())), &measures).unwrap();
    assert_eq!((said.title.as_str(), said.summary.as_str()), ("Numbers", "Numbers, twice."));
    assert_eq!(said.sections[0].title, "How to read this");
    assert_eq!(said.sections[0].blocks[1], Block::simulation());
    assert_eq!(said.sections[1].title, "numbers");
    assert_eq!(said.settings, [("runs".to_owned(), "2".to_owned())]);
    assert!(said.timings.is_empty(), "nobody looked at the clock");
}

#[test]
fn a_verdict_is_about_all_gains_and_one_run_has_none() {
    let count = Verdict::Gains(|gains| format!("{} gains", gains.len()));
    let mut measures = measured_panel(&mut Cells::in_memory());
    assert_eq!(count.over(std::slice::from_ref(&measures)), "2 gains");
    for runs in measures.lines.iter_mut().flatten().flatten() {
        runs.own.truncate(1);
        runs.control.truncate(1);
    }
    assert!(count.over(&[measures]).starts_with("One run says nothing about chance"));
}

#[test]
fn times_are_means_over_private_runs_and_controls() {
    let (panel, mut measures) = (panel(), measured_panel(&mut Cells::in_memory()));
    let scores = |seconds| Scores::new([(TEST, 0.5), (SECONDS, seconds)]);
    for runs in measures.lines[0].iter_mut().flatten() {
        (runs.own, runs.control) = (vec![scores(3.0); 2], vec![scores(1.0); 2]);
    }
    let timings = panel.timings(&measures);
    assert_eq!(timings.len(), 1, "the others were not timed");
    assert_eq!(timings[0].what, "numbers, controlled: one of 8 runs");
    assert_eq!(timings[0].seconds, 2.0);
}
