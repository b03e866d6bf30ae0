//! Figures 2 to 4 and table III: which cells there are, and measuring them.

use privet::ldp_ge::Preset;

use super::item::{Item, Wanted};
use super::render;
use crate::error::Error;
use crate::experiments::cells::{Key, Progress};
use crate::experiments::ldp_ge::{Score, Task, Variant};
use crate::experiments::measure::{Data, Measurement, Reports, Sweep, ceiling_preset, preset};
use crate::experiments::reproduce::each_grid;
use crate::report::Report;
use crate::report::summary::plain;

/// Everything an item wants of one dataset.
#[derive(Debug, Clone)]
pub struct Grid<'a> {
    pub(super) data: Data<'a>,
    pub(super) task: Task,
    pub(super) settings: Preset,
    /// Those of the ceiling, which has no noise to average away.
    ceiling: Preset,
    /// What the columns differ in.
    pub(super) axis: Axis,
    /// What the columns stand for.
    pub(super) columns: Vec<f64>,
    pub(super) lines: Vec<Line>,
    runs: u64,
}

/// What is varied along a line of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Epsilon,
    K,
}

/// A line of a figure, or a row of a table: one place per column.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub name: String,
    pub places: Vec<Reports>,
}

/// What was measured of a grid, by run.
#[derive(Debug, Clone)]
pub(super) struct Measures {
    /// Without noise.
    pub ceiling: Vec<Score>,
    /// By line, then by column.
    pub lines: Vec<Vec<Pair>>,
}

/// A private figure and its control.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub private: Vec<Score>,
    pub control: Vec<Score>,
}

impl<'a> Grid<'a> {
    /// The grid of an item that has cells (figure 1 has none), with the published settings of the
    /// dataset unless others are given. A k beyond the number of columns is left out.
    pub fn new(
        item: Item,
        wanted: &Wanted,
        data: Data<'a>,
        settings: Option<Preset>,
    ) -> Option<Self> {
        let task = item.task()?;
        let ceiling = settings.clone().unwrap_or_else(|| ceiling_preset(task, data.name));
        let settings = settings.unwrap_or_else(|| preset(task, data.name));
        let columns = data.dataset.features().map_or(0, |features| features.columns());
        let reports = |mechanism: &String, epsilon, k| Reports {
            mechanism: mechanism.clone(),
            epsilon,
            k,
            decoding: wanted.decoding.unwrap_or(settings.decoding),
        };
        let (axis, places, lines) = match item {
            Item::Fig3 | Item::Fig4 => {
                let ks: Vec<usize> = wanted.ks.iter().copied().filter(|&k| k <= columns).collect();
                let line = |mechanism: &String, epsilon: f64| Line {
                    name: format!("{mechanism}, epsilon {}", plain(epsilon)),
                    places: ks.iter().map(|&k| reports(mechanism, epsilon, Some(k))).collect(),
                };
                let lines = wanted.mechanisms.iter();
                let lines = lines.flat_map(|m| wanted.epsilons.iter().map(move |&e| line(m, e)));
                (Axis::K, ks.iter().map(|&k| k as f64).collect(), lines.collect())
            }
            _ => {
                // The paper tuned k for HDS, by dataset; everything else has a rule of its own.
                let k = |mechanism: &str| {
                    let tuned = mechanism == "hds" && has_published_k(data.name);
                    tuned.then(|| settings.k.min(columns))
                };
                let line = |mechanism: &String| Line {
                    name: mechanism.clone(),
                    places: wanted
                        .epsilons
                        .iter()
                        .map(|&e| reports(mechanism, e, k(mechanism)))
                        .collect(),
                };
                let lines = wanted.mechanisms.iter().map(line).collect();
                (Axis::Epsilon, wanted.epsilons.clone(), lines)
            }
        };
        let (columns, runs) = (places, wanted.runs);
        Some(Self { data, task, settings, ceiling, axis, columns, lines, runs })
    }

    /// The same grid with other settings for its ceiling.
    #[must_use]
    pub fn with_ceiling(self, ceiling: Preset) -> Self {
        Self { ceiling, ..self }
    }

    /// Finds out whether all of it can run, before an hour is spent on the first half.
    ///
    /// # Errors
    /// If the data lacks something, or a mechanism refuses a place.
    pub fn check(&self) -> privet::Result<()> {
        let missing = |what| privet::Error::Missing {
            dataset: self.data.name.to_owned(),
            what,
            remedy: "this experiment needs them",
        };
        if self.task == Task::Nodes && self.data.dataset.labels().is_none() {
            return Err(missing("labels"));
        }
        for reports in self.lines.iter().flat_map(|line| &line.places) {
            self.measurement(reports, Variant::Private, 0).check()?;
        }
        Ok(())
    }

    /// The keys of its cells.
    pub fn keys(&self) -> Vec<Key> {
        self.measurements().iter().map(Measurement::key).collect()
    }

    fn measurement(&self, reports: &Reports, variant: Variant, seed: u64) -> Measurement<'a> {
        Measurement {
            data: self.data,
            task: self.task,
            reports: reports.clone(),
            settings: match variant {
                Variant::Ceiling => self.ceiling.clone(),
                _ => self.settings.clone(),
            },
            variant,
            seed,
        }
    }

    /// Ceilings first, then line by line and column by column: private, then control.
    fn measurements(&self) -> Vec<Measurement<'a>> {
        let mut all = Vec::new();
        let mut add = |reports: &Reports, variant| {
            all.extend((0..self.runs).map(|seed| self.measurement(reports, variant, seed)));
        };
        let places = || self.lines.iter().flat_map(|line| &line.places);
        if let Some(any) = places().next() {
            add(any, Variant::Ceiling);
        }
        for reports in places() {
            add(reports, Variant::Private);
            add(reports, Variant::Control);
        }
        all
    }

    /// Measures what is missing.
    fn measure(
        &self,
        sweep: &mut Sweep<'_>,
        progress: impl Fn(Progress<'_>) + Sync,
    ) -> Result<Measures, Error> {
        let scores = sweep.measure(&self.measurements(), progress, |outcome| outcome)?;
        let mut chunks = scores.chunks(self.runs.max(1) as usize).map(<[Score]>::to_vec);
        let mut next = || chunks.next().unwrap_or_default();
        let ceiling = next();
        let pairs = |line: &Line| {
            line.places.iter().map(|_| Pair { private: next(), control: next() }).collect()
        };
        Ok(Measures { ceiling, lines: self.lines.iter().map(pairs).collect() })
    }
}

/// Whether the paper chose a k for the dataset.
pub(super) fn has_published_k(dataset: &str) -> bool {
    let name = dataset.split('/').next().unwrap_or(dataset);
    Preset::datasets().any(|known| known == name)
}

/// Measures what is missing, dataset by dataset, and makes the report.
///
/// # Errors
/// Those of [`Sweep::measure`].
pub fn reproduce(
    item: Item,
    wanted: &Wanted,
    grids: &[Grid<'_>],
    sweep: &mut Sweep<'_>,
    progress: impl Fn(Progress<'_>) + Sync,
) -> Result<Report, Error> {
    let cells = |grid: &Grid<'_>| grid.measurements().len();
    let measured =
        each_grid(grids, sweep, progress, cells, |grid, sweep, tell| grid.measure(sweep, tell))?;
    Ok(render::report(item, wanted, &measured))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::experiments::cells::Cells;
    use crate::experiments::measure::tests::{fast, people};

    fn wanted() -> Wanted {
        let mechanisms = vec!["laplace".to_owned(), "hds".to_owned()];
        Wanted {
            mechanisms,
            epsilons: vec![0.01, 5.0],
            ks: vec![1, 12, 50],
            ..Wanted::quick(Item::Fig2)
        }
    }

    fn run(item: Item, path: &std::path::Path, stop_after: usize) -> Result<Report, Error> {
        let dataset = people();
        let data = Data { name: "people", dataset: &dataset };
        let grid = Grid::new(item, &wanted(), data, Some(fast())).unwrap();
        grid.check().unwrap();
        let mut cells = Cells::open(path, item.name())?;
        let stop = AtomicBool::new(false);
        let threads = NonZeroUsize::new(2).unwrap();
        let mut sweep = Sweep { cells: &mut cells, threads, interrupt: &stop };
        let progress = |progress: Progress<'_>| {
            stop.fetch_or(progress.done >= stop_after, Ordering::Relaxed);
        };
        reproduce(item, &wanted(), &[grid], &mut sweep, progress)
    }

    /// Everything but the times it took.
    fn results(report: &Report) -> String {
        format!("{}\n{:?}", report.summary, report.sections)
    }

    #[test]
    fn an_interrupted_sweep_ends_as_an_uninterrupted_one() {
        let folder = tempfile::tempdir().unwrap();
        let whole = run(Item::Fig2, &folder.path().join("whole"), usize::MAX).unwrap();
        let parts = folder.path().join("parts");
        let error = run(Item::Fig2, &parts, 3).unwrap_err();
        // A ceiling, and private and control for 2 x 2 places; 2 runs each.
        assert!(matches!(error, Error::Interrupted { total: 18, .. }), "{error}");
        let continued = run(Item::Fig2, &parts, usize::MAX).unwrap();
        assert_eq!(results(&continued), results(&whole));
        let rendered = run(Item::Fig2, &parts, 0).unwrap();
        assert_eq!(rendered, continued);
    }

    #[test]
    fn links_and_k_are_measured_and_shown() {
        let folder = tempfile::tempdir().unwrap();
        for item in [Item::Table3, Item::Fig3] {
            let path = folder.path().join(item.name().replace('/', "-"));
            let report = run(item, &path, usize::MAX).unwrap();
            let text = report.markdown();
            assert!(text.contains("noise only") && text.contains("ceiling"), "{text}");
            // 50 is more than the data's 12 columns.
            assert_eq!(item == Item::Fig3, text.contains("k 12"), "{text}");
            assert!(!text.contains("k 50"), "{text}");
        }
    }

    /// Small epsilons over many columns mean enormous noise: nothing may overflow.
    #[test]
    fn enormous_noise_stays_finite() {
        let dataset = people();
        let data = Data { name: "people", dataset: &dataset };
        let tiny = Wanted { epsilons: vec![1e-5], ..wanted() };
        let grid = Grid::new(Item::Fig2, &tiny, data, Some(fast())).unwrap();
        grid.check().unwrap();
        let stop = AtomicBool::new(false);
        for measurement in grid.measurements() {
            let score = measurement.run(&stop).unwrap();
            assert!((0.0..=1.0).contains(&score.test), "{}: {score:?}", measurement.key());
        }
    }
}
