//! The battery as a report: a row per graph and system, and which rows break a promise.

use privet::learn::metrics::{PairedComparison, Summary};

use super::graphs::Place;
use super::{DPAR, Job};
use crate::experiments::trial::verdict::points;
use crate::experiments::trial::{Scores, Variant};
use crate::report::summary::plain;
use crate::report::{Block, Cell, Measured, Report, Section, Table, ThreatModel};

/// The default may be so much below public data alone.
const SLACK: f64 = 0.02;

/// A row: the tests of each variant, seed by seed.
struct Line<'a> {
    place: &'a Place<'a>,
    system: &'static str,
    tests: Vec<(Variant, Vec<f64>)>,
}

impl Line<'_> {
    fn of(&self, variant: Variant) -> &[f64] {
        let found = self.tests.iter().find(|(known, _)| *known == variant);
        found.map_or(&[], |(_, tests)| tests)
    }

    fn minus(&self, other: Variant) -> Option<PairedComparison> {
        PairedComparison::of(self.of(Variant::Private), self.of(other))
    }

    /// More than two points below public data, on average.
    fn behind(&self) -> bool {
        self.minus(Variant::NoPrivateData).is_some_and(|over| over.difference.mean < -SLACK)
    }

    /// Above its ceiling by more than chance: the interval says so; of one run, more than two points.
    fn above_ceiling(&self) -> bool {
        self.minus(Variant::Ceiling).is_some_and(|over| match over.difference.runs {
            0 | 1 => over.difference.mean > SLACK,
            _ => over.difference.low > 0.0 && over.difference.deviation > 0.0,
        })
    }
}

pub(super) fn report(places: &[Place<'_>], jobs: &[Job], found: &[Scores], epsilon: f64) -> Report {
    let lines = lines(places, jobs, found);
    let behind = lines.iter().filter(|line| line.behind()).count();
    let above = lines.iter().filter(|line| line.above_ceiling()).count();
    let summary = format!(
        "{} rows on {} graphs that no preset names: in {behind} of them the default is more than {} points \
         below what needs no private data, in {above} the ceiling is below private by more than chance.",
        lines.len(),
        places.len(),
        points(SLACK)
    );
    let mut report = Report::new("Battery: defaults on graphs that nobody tuned for", summary);
    report.sections.push(Section::new("Rows", [
        Block::Text(format!(
            "LDP-GE at epsilon {0} for a row of features, labels and edges public; HeteroRR at epsilon {0} for an \
             edge, half of the edges private, features and labels public; DPAR at epsilon {1} for a person. Every setting is the default: nothing was chosen by test scores.",
            plain(epsilon),
            plain(4.0 * epsilon)
        )),
        Block::Table(table(&lines)),
    ]));
    report.threat_model = ThreatModel {
        secret: vec!["features (ldp-ge), edges (hetero-rr), whole people (dpar)".into()],
        public: vec!["labels and edges (ldp-ge), features and labels (hetero-rr)".into()],
        not_protected: vec!["the scores in this report: they compare with the truth".into()],
    };
    report
}

fn lines<'a>(places: &'a [Place<'a>], jobs: &[Job], found: &[Scores]) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'a>> = Vec::new();
    for (job, scores) in jobs.iter().zip(found) {
        let place = &places[job.place];
        let same = |line: &Line<'_>| std::ptr::eq(line.place, place) && line.system == job.system;
        if !lines.last().is_some_and(same) {
            lines.push(Line { place, system: job.system, tests: Vec::new() });
        }
        let Some(line) = lines.last_mut() else { continue };
        match line.tests.iter_mut().find(|(variant, _)| *variant == job.variant) {
            Some((_, tests)) => tests.push(scores.test()),
            None => line.tests.push((job.variant, vec![scores.test()])),
        }
    }
    lines
}

fn table(lines: &[Line<'_>]) -> Table {
    let columns = [
        "graph",
        "system",
        "private",
        "control",
        "no private data",
        "ceiling",
        "private − no private data",
        "keeps",
    ];
    let mut table = Table::new("Test accuracy, mean ± deviation over seeds", columns);
    for line in lines {
        let measured = |variant| match Summary::of(line.of(variant)) {
            Some(summary) => Measured::percent(&summary).into(),
            None if line.system == DPAR => {
                Cell::missing("reads no connections of those trained on")
            }
            None => Cell::missing("not run"),
        };
        let over = line.minus(Variant::NoPrivateData);
        let over = over.map_or_else(
            || Cell::missing("not run"),
            |over| Cell::from(points(over.difference.mean)),
        );
        let keeps = match (line.behind(), line.above_ceiling()) {
            (false, false) => "yes",
            (true, _) => "NO: behind public data",
            (false, true) => "NO: above its ceiling",
        };
        let numbers =
            [Variant::Private, Variant::Control, Variant::NoPrivateData, Variant::Ceiling];
        table.push(
            [Cell::from(line.place.facts()), Cell::from(line.system)]
                .into_iter()
                .chain(numbers.map(measured))
                .chain([over, Cell::from(keeps)]),
        );
    }
    table
}
