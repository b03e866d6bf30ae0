//! [`Panel`]: a figure or table as data: lines along an axis, what stands beside them, printed values.
//!
//! A paper says which subjects stand where. Measuring them, out of a store of finished cells, and the plots
//! and tables made of what was measured are the same for all papers.

use privet::learn::metrics::{Paired, Summary};

use super::super::cells::Sweep;
use super::super::trial::compare::{Point, measure as measure_points};
use super::super::trial::{Scores, Subject, TEST, Variant};
use crate::error::Error;
use crate::report::summary::plain;
use crate::report::{self, Axis, Cell, Measured, Plot, Reference, Series, Style, Table, Unit};

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
    pub lines: Vec<Line<T>>,
    /// What the axis does not change, by name; the ceiling first, where there is one.
    pub beside: Vec<(String, T, Variant)>,
}

/// One line: a subject at every place where there is one.
#[derive(Debug, Clone)]
pub struct Line<T> {
    /// What it is called.
    pub name: String,
    /// What is measured, place by place.
    pub points: Vec<Option<(T, Variant)>>,
    /// Whether the noise-only control of every point is measured too.
    pub controlled: bool,
    /// What the paper prints, place by place, where it does.
    pub printed: Vec<Option<f64>>,
}

/// What was measured of a panel.
#[derive(Debug, Clone)]
pub struct Measures {
    /// By line, then by place.
    pub lines: Vec<Vec<Option<Runs>>>,
    /// In the order of what stands beside.
    pub beside: Vec<Vec<Scores>>,
}

/// The runs of a point, and those of its control.
#[derive(Debug, Clone)]
pub struct Runs {
    /// Of the point itself.
    pub own: Vec<Scores>,
    /// Of its control; none if it has none.
    pub control: Vec<Scores>,
}

impl<T> Line<T> {
    /// A line without controls and printed values.
    pub fn new(name: impl Into<String>, points: Vec<Option<(T, Variant)>>) -> Self {
        let printed = vec![None; points.len()];
        Self { name: name.into(), points, controlled: false, printed }
    }
}

impl<T: Subject> Panel<T> {
    /// What stands beside first, then line by line and place by place: the point, then its control.
    fn points(&self) -> Vec<Point<'_, T>> {
        let mut all: Vec<Point<'_, T>> =
            self.beside.iter().map(|(_, subject, variant)| (subject, *variant)).collect();
        for line in &self.lines {
            for (subject, variant) in line.points.iter().flatten() {
                all.push((subject, *variant));
                if line.controlled {
                    all.push((subject, Variant::Control));
                }
            }
        }
        all
    }

    /// Puts scores, in the order of the points, where they belong.
    fn sort(&self, scores: &mut impl Iterator<Item = Vec<Scores>>) -> Measures {
        let mut next = || scores.next().unwrap_or_default();
        let beside = self.beside.iter().map(|_| next()).collect();
        let mut runs = |line: &Line<T>| Runs {
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
    let points: Vec<Point<'_, T>> = panels.iter().flat_map(Panel::points).collect();
    let mut scores = measure_points(&points, &seeds, sweep)?.into_iter();
    Ok(panels.iter().map(|panel| panel.sort(&mut scores)).collect())
}

impl Measures {
    /// What is reached without noise: the first of what stands beside.
    pub fn ceiling(&self) -> &[Scores] {
        self.beside.first().map_or(&[], Vec::as_slice)
    }

    /// The runs of a point.
    pub fn at(&self, line: usize, place: usize) -> Option<&Runs> {
        self.lines.get(line)?.get(place)?.as_ref()
    }

    /// All points that have a control, as differences.
    pub fn gains(&self) -> impl Iterator<Item = Paired> + '_ {
        self.lines.iter().flatten().flatten().filter_map(Runs::gain)
    }
}

impl Runs {
    /// The point minus its control, seed by seed.
    pub fn gain(&self) -> Option<Paired> {
        minus(&self.own, &self.control)
    }
}

/// One list of runs minus another on test data, seed by seed.
pub fn minus(one: &[Scores], other: &[Scores]) -> Option<Paired> {
    Paired::of(&values(one, TEST), &values(other, TEST))
}

/// A score, run by run.
pub fn values(scores: &[Scores], name: &str) -> Vec<f64> {
    scores.iter().filter_map(|scores| scores.get(name)).collect()
}

/// A score over runs, in a unit.
pub fn measured(scores: &[Scores], name: &str, unit: Unit) -> Option<Measured> {
    Summary::of(&values(scores, name)).map(|summary| Measured::over(&summary, unit))
}

/// What one score of a panel looks like.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// Which score.
    pub score: &'a str,
    /// What plots call it.
    pub label: &'a str,
    /// How it is shown.
    pub unit: Unit,
}

impl Look<'_> {
    fn of(&self, scores: &[Scores]) -> Option<Measured> {
        measured(scores, self.score, self.unit)
    }

    fn axis(&self) -> Axis {
        match self.unit {
            Unit::Percent => Axis::percent(self.label),
            Unit::Plain => Axis::linear(self.label),
        }
    }
}

impl<T> Panel<T> {
    /// The places of the axis as they are written.
    pub fn axis(&self) -> Axis {
        Axis::categories(self.axis, self.places.iter().map(|&place| plain(place)))
    }

    /// All lines as a plot; a place that was not measured leaves a gap.
    pub fn plot(&self, measures: &Measures, title: String, x: Axis, look: Look<'_>) -> Plot {
        let mut plot = Plot::new(title, x, look.axis());
        for (line, runs) in self.lines.iter().zip(&measures.lines) {
            let points = runs.iter().enumerate().filter_map(|(at, runs)| {
                let value = look.of(&runs.as_ref()?.own)?;
                Some(report::Point::measured(at as f64, &value))
            });
            let (name, points) = (line.name.clone(), points.collect());
            plot = plot.with(Series { name, points, style: Style::Line });
        }
        plot
    }

    /// The same with a line for what everything in the clear reaches.
    pub fn plot_below_ceiling(
        &self,
        measures: &Measures,
        title: String,
        x: Axis,
        look: Look<'_>,
    ) -> Plot {
        let plot = self.plot(measures, title, x, look);
        match look.of(measures.ceiling()) {
            Some(ceiling) => plot.with_line(Reference::ceiling(&ceiling)),
            None => plot,
        }
    }

    /// A table with a column for every place.
    pub fn table(&self, caption: impl Into<String>, first: &str) -> Table {
        let places = self.places.iter().map(|&place| format!("{} {}", self.axis, plain(place)));
        Table::new(caption, [first.to_owned()].into_iter().chain(places))
    }

    /// A row with a cell for every place.
    pub fn row(
        &self,
        name: impl Into<String>,
        cell: impl FnMut(usize) -> Option<Measured>,
    ) -> Vec<Cell> {
        let name: String = name.into();
        let cells = (0..self.places.len()).map(cell).map(or_missing);
        [Cell::from(name)].into_iter().chain(cells).collect()
    }
}

/// A measurement, or that there is none.
pub fn or_missing(value: Option<Measured>) -> Cell {
    value.map_or_else(|| Cell::missing("not there"), Cell::Measured)
}

/// What any figure says first: nobody was protected by it.
pub fn simulation() -> report::Block {
    report::Block::Warning(
        "A simulation: noise was replayed from seeds, and results were scored against the truth. \
         Nobody was protected by it."
            .into(),
    )
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::experiments::cells::{Cells, Key};
    use crate::experiments::trial::Outcome;

    /// Scores its own number, a tenth more with each seed; noise alone scores half of it.
    #[derive(Debug, Clone)]
    struct Number(f64);

    impl Subject for Number {
        fn key(&self, _: Variant) -> Key {
            Key::new().with("number", self.0)
        }

        fn run(&self, variant: Variant, seed: u64, _: &AtomicBool) -> privet::Result<Outcome> {
            let own = if variant == Variant::Control { self.0 / 2.0 } else { self.0 };
            Ok(Outcome { scores: Scores::new([(TEST, own + 0.1 * seed as f64)]), card: None })
        }
    }

    fn panel() -> Panel<Number> {
        let private = |number| Some((Number(number), Variant::Private));
        let controlled =
            Line { controlled: true, ..Line::new("controlled", vec![private(0.2), private(0.4)]) };
        let gap = Line::new("with a gap", vec![None, private(0.4)]);
        Panel {
            name: "numbers".into(),
            axis: "place",
            places: vec![1.0, 2.5],
            lines: vec![controlled, gap],
            beside: vec![("ceiling".into(), Number(0.9), Variant::Ceiling)],
        }
    }

    fn measured_panel(cells: &mut Cells) -> Measures {
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
        assert_eq!(values(measures.ceiling(), TEST), [0.9, 1.0]);
        let gains: Vec<f64> = measures.gains().map(|gain| gain.difference.mean).collect();
        assert_eq!(gains.len(), 2, "a line without controls has none");
        assert!((gains[0] - 0.1).abs() < 1e-12 && (gains[1] - 0.2).abs() < 1e-12);
    }

    #[test]
    fn a_gap_stays_a_gap_in_plots_and_tables() {
        let (panel, measures) = (panel(), measured_panel(&mut Cells::in_memory()));
        let look = Look { score: TEST, label: "score", unit: Unit::Percent };
        let plot = panel.plot_below_ceiling(&measures, "numbers".into(), panel.axis(), look);
        assert_eq!((plot.series[0].points.len(), plot.series[1].points.len()), (2, 1));
        assert_eq!((plot.series[1].points[0].x, plot.lines.len()), (1.0, 1));
        let table = panel.table("numbers", "");
        assert_eq!(table.columns, ["", "place 1", "place 2.5"]);
        let own = |place| measured(&measures.at(1, place)?.own, TEST, Unit::Percent);
        let row = panel.row("with a gap", own);
        assert_eq!((row.len(), &row[1]), (3, &Cell::missing("not there")));
        assert!(matches!(row[2], Cell::Measured(_)), "{row:?}");
    }
}
