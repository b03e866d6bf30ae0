//! [`Panel`]: a figure or table as data: lines along an axis, what stands beside them, printed values, and what of
//! it is shown.
//!
//! A paper says which subjects stand where. Measuring them, out of a store of finished cells, and the plots
//! and tables made of what was measured are the same for all papers.

use std::collections::BTreeSet;

use privet::learn::metrics::{PairedComparison, Summary};
use privet_lab::error::Error;
use privet_lab::experiments::cells::{Key, Sweep};
use privet_lab::experiments::trial::compare::{Arm, measure as measure_arms, run_key};
use privet_lab::experiments::trial::{Subject, TEST, TrialScores, Variant, values};
use privet_lab::report::{Block, MeasuredValue, NumberUnit, Report, ThreatModel};

use crate::render;

/// A figure made of panels, on data.
#[derive(Debug)]
pub struct PanelFigure<T> {
    /// What is told beside the panels.
    pub told: FigureNotes,
    /// The panels.
    pub panels: Vec<Panel<T>>,
    /// Seeds 0, 1, ... up to so many.
    pub runs: u64,
}

/// What is told of a figure beside its panels.
#[derive(Debug, Clone)]
pub struct FigureNotes {
    /// The title of the report.
    pub title: String,
    /// The result in a sentence.
    pub summary: FigureVerdict,
    /// How to read it, if that must be said first.
    pub reading: Option<String>,
    /// Who is protected.
    pub threat_model: ThreatModel,
    /// What it was measured with.
    pub settings: Vec<(&'static str, String)>,
}

/// The result of a figure in a sentence.
#[derive(Debug, Clone)]
pub enum FigureVerdict {
    /// What was measured; the numbers speak for themselves.
    Measured(String),
    /// What all differences between private figures and their controls come to.
    Gains(fn(&[PairedComparison]) -> String),
}

impl<T: Subject> PanelFigure<T> {
    /// How many cells it takes; what stands at several places is one.
    pub fn cells(&self) -> u64 {
        let arms = self.panels.iter().flat_map(Panel::arms);
        // Points of different lines may be the same run, which is measured once.
        let keys: BTreeSet<Key> =
            arms.map(|(subject, variant)| run_key(subject, variant, 0)).collect();
        keys.len() as u64 * self.runs
    }

    /// Measures what is missing, and writes all of it up.
    ///
    /// # Errors
    /// Those of [`Sweep::measure`].
    pub fn measure(&self, sweep: &mut Sweep<'_>) -> Result<Report, Error> {
        let measured = measure(&self.panels, self.runs, sweep)?;
        render::report(self, &measured)
    }
}

/// Lines along an axis.
#[derive(Debug, Clone)]
pub struct Panel<T> {
    /// The dataset, or whatever the panel is about.
    pub name: String,
    /// What the places of the axis differ in.
    pub axis: &'static str,
    /// The places of the axis.
    pub places: Vec<f64>,
    /// The lines.
    pub lines: Vec<PanelLine<T>>,
    /// What the axis does not change, by name; the ceiling first, where there is one.
    pub beside: Vec<(String, T, Variant)>,
    /// What is shown of it, in this order.
    pub blocks: Vec<PanelBlock<T>>,
}

/// What is shown of a panel.
#[derive(Debug, Clone)]
pub enum PanelBlock<T> {
    /// A paragraph.
    Text(String),
    /// All lines, and the ceiling.
    Plot {
        /// What it shows.
        title: String,
        /// Which score.
        metric: Metric,
        /// The line whose noise-only control is drawn as well, or else the first.
        control: Option<&'static str>,
    },
    /// A table with a column for every place.
    Table {
        /// What it shows.
        caption: String,
        /// The head of the first column.
        head: &'static str,
        /// Which score.
        metric: Metric,
        /// Which rows.
        rows: PanelRows<T>,
    },
    /// Something of this figure alone.
    Made(fn(&Panel<T>, &Measures) -> Block),
}

/// What theory allows at a place, under a name.
pub type TheoryBound = (&'static str, fn(f64) -> f64);

/// Which rows a table of scores has.
#[derive(Debug, Clone)]
pub enum PanelRows<T> {
    /// A row per line, one below for its control, what stands beside, and what theory allows at each place.
    Each(Option<TheoryBound>),
    /// Three rows per line: private beside the paper's, noise only, and their difference under this name. The
    /// ceiling is the last column.
    Controlled(&'static str),
    /// A row per line in words: the score, what is to be known of its point, and the paper's number.
    Noted(fn(&T, Variant) -> privet::Result<String>),
}

/// A score, and how it is shown.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// Which score.
    pub score: &'static str,
    /// What plots call it.
    pub label: &'static str,
    /// How it is shown.
    pub unit: NumberUnit,
}

impl Metric {
    /// A share on test data.
    pub const fn test(label: &'static str) -> Self {
        Self { score: TEST, label, unit: NumberUnit::Percent }
    }

    /// The score over runs.
    pub fn of(&self, scores: &[TrialScores]) -> Option<MeasuredValue> {
        measured(scores, self.score, self.unit)
    }
}

/// One line: a subject at every place where there is one.
#[derive(Debug, Clone)]
pub struct PanelLine<T> {
    /// What it is called.
    pub name: String,
    /// What is measured, place by place.
    pub points: Vec<Option<(T, Variant)>>,
    /// Whether the noise-only control of every point is measured too.
    pub controlled: bool,
    /// What the paper prints, place by place, where it does.
    pub printed: Vec<Option<f64>>,
    /// What it prints for the same without noise.
    pub printed_ceiling: Option<f64>,
}

/// What was measured of a panel.
#[derive(Debug, Clone)]
pub struct Measures {
    /// By line, then by place.
    pub lines: Vec<Vec<Option<PointRuns>>>,
    /// In the order of what stands beside.
    pub beside: Vec<Vec<TrialScores>>,
}

/// The runs of a point, and those of its control.
#[derive(Debug, Clone)]
pub struct PointRuns {
    /// Of the point itself.
    pub own: Vec<TrialScores>,
    /// Of its control; none if it has none.
    pub control: Vec<TrialScores>,
}

impl<T> PanelLine<T> {
    /// A line without controls and printed values.
    pub fn new(name: impl Into<String>, points: Vec<Option<(T, Variant)>>) -> Self {
        let printed = vec![None; points.len()];
        Self { name: name.into(), points, controlled: false, printed, printed_ceiling: None }
    }
}

impl<T: Subject> Panel<T> {
    /// What stands beside first, then line by line and place by place: the point, then its control.
    fn arms(&self) -> Vec<Arm<'_, T>> {
        let mut all: Vec<Arm<'_, T>> =
            self.beside.iter().map(|(_, subject, variant)| (subject, *variant)).collect();
        for line in &self.lines {
            for (subject, variant) in line.points.iter().flatten() {
                all.push((subject, *variant));
                if line.controlled {
                    // A control for each point: the same setting on empty data.
                    all.push((subject, Variant::Control));
                }
            }
        }
        all
    }

    /// Puts scores, in the order of the points, where they belong.
    fn sort(&self, scores: &mut impl Iterator<Item = Vec<TrialScores>>) -> Measures {
        // In the order in which `arms` listed them.
        let mut next = || scores.next().unwrap_or_default();
        let beside = self.beside.iter().map(|_| next()).collect();
        let mut runs = |line: &PanelLine<T>| PointRuns {
            own: next(),
            control: if line.controlled { next() } else { Vec::new() },
        };
        let mut lines = Vec::new();
        for line in &self.lines {
            let places = line.points.iter();
            lines.push(places.map(|point| point.as_ref().map(|_| runs(line))).collect());
        }
        Measures { lines, beside }
    }
}

impl<T> Panel<T> {
    /// What is reached without noise, if that stands beside.
    pub fn ceiling<'m>(&self, measures: &'m Measures) -> &'m [TrialScores] {
        let mut beside = self.beside.iter().zip(&measures.beside);
        let found = beside.find(|((_, _, variant), _)| *variant == Variant::Clear);
        found.map_or(&[], |(_, scores)| scores)
    }
}

/// Measures what is missing of all panels, with seeds 0, 1, ... up to so many.
///
/// # Errors
/// Those of [`Sweep::measure`].
pub fn measure<T: Subject>(
    panels: &[Panel<T>],
    runs: u64,
    sweep: &mut Sweep<'_>,
) -> Result<Vec<Measures>, Error> {
    let seeds: Vec<u64> = (0..runs).collect();
    // All panels in one sweep: what they share is measured once.
    let arms: Vec<Arm<'_, T>> = panels.iter().flat_map(Panel::arms).collect();
    let mut scores = measure_arms(&arms, &seeds, sweep)?.into_iter();
    Ok(panels.iter().map(|panel| panel.sort(&mut scores)).collect())
}

impl Measures {
    /// The runs of a point.
    pub fn at(&self, line: usize, place: usize) -> Option<&PointRuns> {
        self.lines.get(line)?.get(place)?.as_ref()
    }

    /// All points that have a control, as differences.
    pub fn gains(&self) -> impl Iterator<Item = PairedComparison> + '_ {
        self.lines.iter().flatten().flatten().filter_map(PointRuns::gain)
    }
}

impl PointRuns {
    /// The point minus its control, seed by seed.
    pub fn gain(&self) -> Option<PairedComparison> {
        minus(&self.own, &self.control)
    }
}

/// One list of runs minus another on test data, seed by seed.
pub fn minus(one: &[TrialScores], other: &[TrialScores]) -> Option<PairedComparison> {
    PairedComparison::of(&values(one, TEST), &values(other, TEST))
}

/// A score over runs, in a unit.
pub fn measured(scores: &[TrialScores], name: &str, unit: NumberUnit) -> Option<MeasuredValue> {
    let summary = Summary::of(&values(scores, name))?;
    Some(match unit {
        NumberUnit::Percent => MeasuredValue::share(&summary),
        NumberUnit::Plain => MeasuredValue::over(&summary, unit),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::AtomicBool;

    use privet_lab::experiments::cells::{Cells, Key};
    use privet_lab::experiments::trial::Outcome;

    use super::*;

    /// Scores its own number, a tenth more with each seed; noise alone scores half of it.
    #[derive(Debug, Clone)]
    pub struct Number(pub f64);

    impl Subject for Number {
        fn key(&self, _: Variant) -> Key {
            Key::new().with("number", self.0)
        }

        fn run(&self, variant: Variant, seed: u64, _: &AtomicBool) -> privet::Result<Outcome> {
            let own = if variant == Variant::Control { self.0 / 2.0 } else { self.0 };
            Ok(Outcome { scores: TrialScores::new([(TEST, own + 0.1 * seed as f64)]), card: None })
        }
    }

    pub fn panel() -> Panel<Number> {
        let private = |number| Some((Number(number), Variant::Private));
        let controlled = PanelLine {
            controlled: true,
            ..PanelLine::new("controlled", vec![private(0.2), private(0.4)])
        };
        let gap = PanelLine::new("with a gap", vec![None, private(0.4)]);
        Panel {
            name: "numbers".into(),
            axis: "place",
            places: vec![1.0, 2.5],
            lines: vec![controlled, gap],
            beside: vec![("ceiling".into(), Number(0.9), Variant::Clear)],
            blocks: Vec::new(),
        }
    }

    pub fn measured_panel(cells: &mut Cells) -> Measures {
        let (threads, interrupt) = (NonZeroUsize::new(2).unwrap(), &AtomicBool::new(false));
        let mut sweep = Sweep { cells, threads, interrupt, progress: &|_, _| {} };
        measure(&[panel()], 2, &mut sweep).unwrap().remove(0)
    }

    #[test]
    fn scores_come_to_where_they_belong() {
        let mut cells = Cells::in_memory();
        let measures = measured_panel(&mut cells);
        // A ceiling, two points with controls, and one that is measured already; two seeds each.
        assert_eq!(cells.len(), 2 * (1 + 2 * 2));
        assert_eq!(values(&measures.at(0, 1).unwrap().own, TEST), [0.4, 0.5]);
        assert_eq!(values(&measures.at(0, 1).unwrap().control, TEST), [0.2, 0.2 + 0.1]);
        assert!(measures.at(1, 0).is_none() && measures.at(2, 0).is_none());
        assert_eq!(values(panel().ceiling(&measures), TEST), [0.9, 1.0]);
        let gains: Vec<f64> = measures.gains().map(|gain| gain.difference.mean).collect();
        assert_eq!(gains.len(), 2, "a line without controls has none");
        assert!((gains[0] - 0.1).abs() < 1e-12 && (gains[1] - 0.2).abs() < 1e-12);
    }
}
