//! A comparison as a [`Report`], as a short table and as JSON.

use privet::learn::metrics::{PairedComparison, Summary};
use privet::privacy::Card;
use serde_json::{Map, Value};

use super::by_class::{ByClass, confusion};
use super::verdict::probability;
use super::{Comparison, SECONDS, Variant, VariantRow};
use crate::report::{
    Axis, Block, Cell, MeasuredValue, NumberUnit, Plot, PlotPoint, Reference, Report, Section,
    Series, Style, Table, ThreatModel, Timing,
};

/// What a release does not cover.
const KEEP: &str = "The card covers what was released, not this report: its scores were computed from the \
    raw data. Publish the former, keep the latter.";

/// What a trial says beside its numbers.
#[derive(Debug, Clone, Default)]
pub struct TrialText {
    /// The data.
    pub dataset: String,
    /// The title of the report.
    pub title: String,
    /// What the short form begins with.
    pub heading: String,
    /// What follows the heading.
    pub facts: String,
    /// The short form's last word, if there is one.
    pub foot: Option<String>,
    /// Where the scores come from.
    pub simulated: &'static str,
    /// What else must be known before scores are read.
    pub notes: Vec<Block>,
    /// The caption of the table of scores.
    pub caption: String,
    /// The columns of scores; the first is drawn.
    pub columns: Vec<Column>,
    /// How much privacy the private variant was run with, if one number tells.
    pub epsilon: Option<f64>,
    /// What the system added over its control, if that is a row of the table: in words, and seed by seed.
    pub gain: Option<(&'static str, PairedComparison)>,
    /// What it comes to.
    pub verdict: String,
    /// Who is protected.
    pub threat_model: ThreatModel,
    /// Every setting, named and written as on the command line.
    pub settings: Vec<(String, String)>,
    /// What test scores measure.
    pub metric: &'static str,
    /// What the classes are called, where classes are predicted.
    pub classes: Vec<String>,
    /// Public facts about the data and the run, for JSON.
    pub data_facts: Map<String, Value>,
    /// What else is known of each variant, in their order, for JSON.
    pub of_variants: Vec<Map<String, Value>>,
}

/// A column of a table of scores.
#[derive(Debug, Clone)]
pub struct Column {
    /// What a report calls it.
    pub head: String,
    /// What the short form calls it.
    pub short: String,
    /// What is in it.
    pub content: Content,
}

/// What is in a column.
#[derive(Debug, Clone)]
pub enum Content {
    /// A score over seeds; the short form shows its interval beside.
    Interval(&'static str),
    /// A score over seeds.
    Score(&'static str),
    /// Words, row by row.
    Words(Vec<String>),
}

impl Column {
    /// A column of scores, with intervals.
    pub fn interval(head: &str, short: &str, score: &'static str) -> Self {
        Self { head: head.into(), short: short.into(), content: Content::Interval(score) }
    }

    /// A column of scores.
    pub fn score(head: &str, score: &'static str) -> Self {
        Self { head: head.into(), short: head.into(), content: Content::Score(score) }
    }

    /// A column of words.
    pub fn words(head: &str, short: &str, words: Vec<String>) -> Self {
        Self { head: head.into(), short: short.into(), content: Content::Words(words) }
    }

    fn measured(&self, row: &VariantRow) -> Option<MeasuredValue> {
        match self.content {
            Content::Interval(score) | Content::Score(score) => {
                row.summary(score).map(|summary| MeasuredValue::share(&summary))
            }
            Content::Words(_) => None,
        }
    }
}

impl MeasuredValue {
    /// A summary of shares, shown as percent: no interval reaches below 0 or above 100. Cutting it
    /// there loses nothing, for no mean of shares lies beyond.
    pub fn share(summary: &Summary) -> Self {
        Self::over(summary, NumberUnit::Percent).within(0.0, 1.0)
    }

    /// The same with an interval that ends where values end.
    fn within(self, least: f64, most: f64) -> Self {
        let cut = |end: f64| if end.is_nan() { end } else { end.clamp(least, most) };
        Self { low95: cut(self.low95), high95: cut(self.high95), ..self }
    }

    /// A summary of differences of shares, shown as percent; one run has no spread.
    pub fn percent(summary: &Summary) -> Self {
        Self::over(summary, NumberUnit::Percent).within(-1.0, 1.0)
    }

    /// A summary in a unit; one run has no spread.
    pub fn over(summary: &Summary, unit: NumberUnit) -> Self {
        match summary.runs {
            0 | 1 => Self::once(summary.mean, unit),
            runs => Self {
                mean: summary.mean,
                deviation: summary.deviation,
                low95: summary.low,
                high95: summary.high,
                runs: runs as u64,
                unit,
            },
        }
    }
}

/// What a report needs beside a comparison.
#[derive(Debug, Clone, Default)]
pub struct Circumstances {
    /// The command that repeats it.
    pub command: String,
    /// The card of a release that was made beside the simulations.
    pub release: Option<Card>,
    /// Seconds on the clock for all runs together.
    pub seconds: f64,
}

/// Writes up a comparison.
pub fn report(words: &TrialText, comparison: &Comparison, circumstances: Circumstances) -> Report {
    let mut report = Report::new(words.title.clone(), words.verdict.clone());
    report.command = circumstances.command;
    report.threat_model = words.threat_model.clone();
    let mut blocks = vec![
        Block::Plot(picture(words, comparison)),
        Block::Table(table(words, comparison)),
        Block::Text(words.simulated.into()),
    ];
    if circumstances.release.is_some() {
        blocks.push(Block::Warning(KEEP.into()));
    }
    blocks.extend(words.notes.iter().cloned());
    report.sections.push(Section::new("Results", blocks));
    let by_class: Vec<Block> =
        [ByClass::new(comparison).map(|table| table.block()), confusion(words, comparison)]
            .into_iter()
            .flatten()
            .collect();
    if !by_class.is_empty() {
        report.sections.push(Section::new("By class", by_class));
    }
    if words.gain.is_some() && comparison.seeds.len() > 1 {
        let block = Block::Plot(differences(comparison));
        report.sections.push(Section::new("Run by run", [block]));
    }
    report.cards.push(circumstances.release.unwrap_or_else(|| comparison.card.clone()));
    report.settings = words.settings.clone();
    report.timings = timings(comparison, circumstances.seconds);
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    report.versions.push(("system".into(), system));
    report
}

/// Every variant's scores, and the paired difference.
fn table(words: &TrialText, comparison: &Comparison) -> Table {
    let heads = ["variant", "what it is"].map(String::from).into_iter();
    let heads = heads.chain(words.columns.iter().map(|column| column.head.clone()));
    let mut table = Table::new(words.caption.clone(), heads);
    for (at, row) in comparison.rows.iter().enumerate() {
        let cells = words.columns.iter().map(|column| match &column.content {
            Content::Words(all) => all.get(at).map_or("", String::as_str).into(),
            _ => column.measured(row).map_or_else(|| Cell::missing("not taken"), Cell::from),
        });
        table.push([row.name.as_str().into(), row.about.as_str().into()].into_iter().chain(cells));
    }
    if let Some((what, paired)) = &words.gain {
        let about = format!("{what} ({})", probability(paired.p_value));
        let others = words.columns.iter().skip(1).map(|_| Cell::missing("not taken"));
        let first = [
            "private − control".into(),
            about.into(),
            MeasuredValue::percent(&paired.difference).into(),
        ];
        table.push(first.into_iter().chain(others));
    }
    table
}

/// The picture that recurs: what was reached at this epsilon, between what noise alone reaches and
/// what is reached without privacy. Where one epsilon does not tell, a bar for every variant.
fn picture(words: &TrialText, comparison: &Comparison) -> Plot {
    let Some(epsilon) = words.epsilon.filter(|epsilon| epsilon.is_finite() && *epsilon > 0.0)
    else {
        return bars(words, comparison);
    };
    let (head, score) = first_score(words);
    let measured =
        |row: &VariantRow| row.summary(score).map(|summary| MeasuredValue::share(&summary));
    let mut plot = Plot::new(
        format!("{head} against epsilon"),
        Axis::epsilon().reaching(epsilon / 4.0).reaching(4.0 * epsilon),
        Axis::percent(head),
    );
    for row in &comparison.rows {
        let Some(value) = measured(row) else { continue };
        plot = match row.variant {
            Variant::Ceiling => plot.with_line(Reference::ceiling(&value)),
            Variant::Control => plot.with_line(Reference::control(&value)),
            Variant::PublicOnly | Variant::Published => {
                plot.with_line(Reference::measured(row.name.as_str(), &value))
            }
            // What needs no data is far below; it stands here where there is no control.
            Variant::Majority if comparison.row(Variant::Control).is_none() => {
                plot.with_line(Reference::measured(row.name.as_str(), &value))
            }
            // The table has them.
            Variant::GraphFree | Variant::Majority => plot,
            _ => {
                let points = vec![PlotPoint::measured(epsilon, &value)];
                plot.with(Series { name: row.name.clone(), points, style: Style::Line })
            }
        };
    }
    plot
}

/// What the first column of scores is called, and which score it has.
fn first_score(words: &TrialText) -> (&str, &'static str) {
    match words.columns.first() {
        Some(Column {
            head, content: Content::Interval(score) | Content::Score(score), ..
        }) => (head.as_str(), *score),
        _ => ("score", super::TEST),
    }
}

fn bars(words: &TrialText, comparison: &Comparison) -> Plot {
    let (head, score) = first_score(words);
    let rows = || comparison.rows.iter().filter_map(|row| Some((row, row.summary(score)?)));
    let values: Vec<MeasuredValue> =
        rows().map(|(_, summary)| MeasuredValue::share(&summary)).collect();
    let names = Axis::categories("variant", rows().map(|(row, _)| row.name.clone()));
    Plot::new("What each variant scored", names, Axis::percent(head)).with(Series::measured(
        head,
        Style::Bars,
        &values,
    ))
}

fn differences(comparison: &Comparison) -> Plot {
    let tests = |of| comparison.row(of).map_or_else(Vec::new, |row| row.values(super::TEST));
    let pairs = tests(Variant::Private).into_iter().zip(tests(Variant::Control));
    let points = pairs.zip(1u32..).map(|((one, other), run)| (f64::from(run), one - other));
    let y = Axis::points("private − control").reaching(0.0);
    Plot::new("Private minus control, run by run", Axis::linear("run"), y).with(Series::new(
        "one seed",
        Style::Scatter,
        points,
    ))
}

fn timings(comparison: &Comparison, seconds: f64) -> Vec<Timing> {
    let timing =
        |what, seconds, peak_bytes| Timing { what, seconds, processor_seconds: None, peak_bytes };
    let runs: usize = comparison.rows.iter().map(|row| row.scores.len()).sum();
    let each = comparison.rows.iter().filter_map(|row| {
        let mean = row.summary(SECONDS)?.mean;
        Some(timing(format!("a run of {}, from reports to predictions", row.name), mean, None))
    });
    let all = format!("all {runs} runs, up to {} at a time", rayon::current_num_threads());
    each.chain([timing(all, seconds, peak_bytes())]).collect()
}

/// The most memory this process ever held, where the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// A comparison as a short table: names first, what they are last, numbers between.
#[derive(Debug, Clone, PartialEq)]
pub struct Brief {
    /// What the columns are called, and whether they hold numbers.
    pub heads: Vec<(String, bool)>,
    /// Row by row.
    pub rows: Vec<Vec<String>>,
    /// What the same predictions score class by class, where classes were predicted.
    pub by_class: Option<ByClass>,
    /// The system's test items of all runs, by true class and predicted class.
    pub confusion: Option<Vec<Vec<u64>>>,
}

impl Brief {
    /// The short form of a comparison.
    pub fn new(words: &TrialText, comparison: &Comparison) -> Self {
        let mut heads = vec![(String::new(), false)];
        for column in &words.columns {
            heads.push((column.short.clone(), true));
            if matches!(column.content, Content::Interval(_)) {
                heads.push((String::new(), false));
            }
        }
        heads.push((String::new(), false));
        let mut rows: Vec<Vec<String>> = comparison
            .rows
            .iter()
            .enumerate()
            .map(|(at, row)| {
                let of = |column: &Column| brief_cells(column, at, row);
                let cells = words.columns.iter().flat_map(of);
                [row.name.clone()].into_iter().chain(cells).chain([row.about.clone()]).collect()
            })
            .collect();
        if let Some((_, paired)) = &words.gain {
            let measured = MeasuredValue::percent(&paired.difference);
            let mut row = vec!["difference".into(), measured.short(), measured.interval()];
            row.resize(heads.len() - 1, String::new());
            row.push(format!("private − control, {}", probability(paired.p_value)));
            rows.push(row);
        }
        let confusion = comparison.row(Variant::Private).and_then(VariantRow::confusion);
        Self { heads, rows, by_class: ByClass::new(comparison), confusion }
    }
}

fn brief_cells(column: &Column, at: usize, row: &VariantRow) -> Vec<String> {
    let measured = column.measured(row);
    let short = measured.map_or_else(String::new, |measured| measured.short());
    match &column.content {
        Content::Interval(_) => {
            vec![short, measured.map_or_else(String::new, |measured| measured.interval())]
        }
        Content::Score(_) => vec![short],
        Content::Words(all) => vec![all.get(at).cloned().unwrap_or_default()],
    }
}

#[cfg(test)]
mod tests {
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
            rows: vec![
                row(Variant::Private, private.into()),
                row(Variant::Control, control.into()),
            ],
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
        assert_eq!(
            table.columns,
            ["variant", "what it is", "test accuracy", "extra", "what is told"]
        );
        let rows: Vec<Vec<String>> =
            table.rows.iter().map(|row| row.iter().map(text).collect()).collect();
        let private =
            ["private", "about private", "85.0 ± 7.1 %", "50.00 ± 0.00 %", "told of private"];
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
            [
                "70.00 ± 0.00 %",
                "95 %: 70.00 to 70.00; 2 runs",
                "",
                "told of control",
                "about control"
            ]
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
}
