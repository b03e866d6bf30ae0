use super::*;
use crate::experiments::trial::{TEST, TrialScores};

const EXTRA: &str = "extra";

/// Two variants over two seeds; the control has no extra score, and it was not timed.
fn comparison() -> Comparison {
    let row = |variant: Variant, scores| VariantRow {
        variant,
        name: variant.name().into(),
        about: format!("about {}", variant.name()),
        scores,
    };
    let private =
        [0.8, 0.9].map(|test| TrialScores::new([(TEST, test), (EXTRA, 0.5), (SECONDS, 2.0)]));
    let control = [0.7, 0.7].map(|test| TrialScores::new([(TEST, test)]));
    Comparison {
        rows: vec![row(Variant::Private, private.into()), row(Variant::Control, control.into())],
        seeds: vec![3, 4],
        card: Card::new("a comparison"),
    }
}

fn words() -> TrialText {
    let told = ["told of private", "told of control"].map(String::from).into();
    TrialText {
        title: "A title".into(),
        simulated: "All of it is simulated.",
        caption: "scores".into(),
        columns: vec![
            Column::interval("test accuracy", "accuracy", TEST),
            Column::score("extra", EXTRA),
            Column::words("what is told", "told", told),
        ],
        gain: comparison().over(Variant::Control).map(|paired| ("what it added", paired)),
        verdict: "It did better.".into(),
        ..TrialText::default()
    }
}

fn text(cell: &Cell) -> String {
    match cell {
        Cell::Text { text } => text.clone(),
        Cell::Measured(measured) => measured.short(),
        Cell::Missing { reason } => format!("none: {reason}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_table_has_a_row_per_variant_and_the_difference_last() {
    let table = table(&words(), &comparison());
    assert_eq!(table.columns, ["variant", "what it is", "test accuracy", "extra", "what is told"]);
    let rows: Vec<Vec<String>> =
        table.rows.iter().map(|row| row.iter().map(text).collect()).collect();
    let private = ["private", "about private", "85.0 ± 7.1 %", "50.00 ± 0.00 %", "told of private"];
    assert_eq!(rows[0], private);
    assert_eq!(rows[1][3..], ["none: not taken", "told of control"]);
    assert_eq!(rows[2][0], "private − control");
    assert!(rows[2][1].starts_with("what it added (p = "), "{rows:?}");
    assert_eq!(rows[2][2..], ["15.0 ± 7.1 %", "none: not taken", "none: not taken"]);
}

/// Names first, what they are last; a score with an interval takes two columns.
#[test]
fn the_short_form_is_as_wide_in_every_row() {
    let brief = Brief::new(&words(), &comparison());
    let heads: Vec<&str> = brief.heads.iter().map(|(head, _)| head.as_str()).collect();
    assert_eq!(heads, ["", "accuracy", "", "extra", "told", ""]);
    assert!(brief.rows.iter().all(|row| row.len() == heads.len()), "{brief:?}");
    assert_eq!(
        brief.rows[1][1..],
        ["70.00 ± 0.00 %", "95 %: 70.00 to 70.00; 2 runs", "", "told of control", "about control"]
    );
    assert_eq!(brief.rows[2][0], "difference");
    assert!(brief.rows[2][5].starts_with("private − control, p = "), "{brief:?}");
    let without = Brief::new(&TrialText { gain: None, ..words() }, &comparison());
    assert_eq!(without.rows.len(), 2);
}

#[test]
fn a_report_draws_scores_and_differences_run_by_run() {
    let report = report(&words(), &comparison(), Circumstances::default());
    let plots = report.plots();
    assert_eq!(plots.len(), 2);
    let bars: Vec<f64> = plots[0].1.series[0].points.iter().map(|point| point.y).collect();
    assert!((bars[0] - 0.85).abs() < 1e-12 && bars.len() == 2, "{bars:?}");
    let points = &plots[1].1.series[0].points;
    assert_eq!((points[0].x, points[1].x), (1.0, 2.0));
    assert!((points[0].y - 0.1).abs() < 1e-12 && (points[1].y - 0.2).abs() < 1e-12);
    let alone = TrialText { gain: None, ..words() };
    let report = super::report(&alone, &comparison(), Circumstances::default());
    assert_eq!(report.plots().len(), 1, "nothing to take the difference of");
}

/// Scores are computed from raw data, so the receiver of a release must not get the report.
#[test]
fn beside_a_release_the_report_is_to_be_kept() {
    let released = Circumstances {
        release: Some(Card::new("what was released")),
        command: "privet run".into(),
        seconds: 9.0,
    };
    let warned = |report: &Report| {
        let blocks = report.sections.iter().flat_map(|section| &section.blocks);
        blocks.into_iter().any(|block| *block == Block::Warning(KEEP.into()))
    };
    let with = report(&words(), &comparison(), released);
    assert!(warned(&with));
    assert_eq!((with.cards[0].subject.as_str(), with.cards.len()), ("what was released", 1));
    let without = report(&words(), &comparison(), Circumstances::default());
    assert!(!warned(&without));
    assert_eq!(without.cards[0].subject, "a comparison");
}

#[test]
fn times_are_told_of_what_was_timed() {
    let timings = timings(&comparison(), 9.0);
    assert_eq!(timings.len(), 2, "{timings:?}");
    assert_eq!(timings[0].what, "a run of private, from reports to predictions");
    assert_eq!(timings[0].seconds, 2.0);
    assert!(timings[1].what.starts_with("all 4 runs, up to ") && timings[1].seconds == 9.0);
}

/// At one epsilon, the picture shows what was reached there between its control and its ceiling.
#[test]
fn the_picture_is_accuracy_against_epsilon() {
    let at = TrialText { epsilon: Some(1.0), ..words() };
    let plot = picture(&at, &comparison());
    assert_eq!(plot.title, "test accuracy against epsilon");
    assert_eq!((plot.series.len(), plot.lines.len()), (1, 1));
    assert_eq!(plot.series[0].points[0].x, 1.0);
    assert!(plot.lines[0].name.starts_with("control"), "{:?}", plot.lines);
    // Two runs of 80 and 90 % have an interval that a formula puts far above 100 %.
    assert_eq!(plot.series[0].points[0].high, Some(1.0));
    let brief = Brief::new(&words(), &comparison());
    assert_eq!(brief.rows[0][2], "95 %: 21.5 to 100.0; 2 runs");
}

#[test]
fn one_run_has_no_interval() {
    let once = Summary::of(&[0.5]).unwrap();
    let measured = MeasuredValue::share(&once);
    assert_eq!((measured.mean, measured.runs), (0.5, 1));
    assert!(measured.low95.is_nan() && measured.deviation.is_nan());
    let twice = MeasuredValue::over(&Summary::of(&[0.4, 0.6]).unwrap(), NumberUnit::Plain);
    assert!(twice.low95 < 0.5 && twice.high95 > 0.5 && twice.runs == 2);
}
