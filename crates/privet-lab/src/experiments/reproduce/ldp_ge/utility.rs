//! Figures 2 to 4 and table III as panels.

use privet::ldp_ge::Preset;

use super::{LdpGeFigure, paper, render};
use crate::error::Error;
use crate::experiments::cells::Sweep;
use crate::experiments::ldp_ge::reports::{Reports, ceiling_preset, preset};
use crate::experiments::ldp_ge::{LdpGeTrial, Task};
use crate::experiments::reproduce::panel::{Line, Panel, measure};
use crate::experiments::reproduce::{Item, Wanted};
use crate::experiments::trial::{Data, Variant};
use crate::report::Report;
use crate::report::summary::plain;

/// Everything an item wants of one dataset.
#[derive(Debug, Clone)]
pub struct LdpGePanel<'a> {
    pub(super) data: Data<'a>,
    pub(super) task: Task,
    /// The collector's.
    pub(super) settings: Preset,
    pub(super) panel: Panel<LdpGeTrial<'a>>,
}

impl<'a> LdpGePanel<'a> {
    /// The panel of an item that has one (figure 1 has none), with the published settings of the
    /// dataset unless others are given, for the system and for the ceiling, which has no noise to average
    /// away. A k beyond the number of columns is left out.
    pub fn new(
        figure: LdpGeFigure,
        wanted: &Wanted,
        data: Data<'a>,
        settings: Option<Preset>,
        ceiling: Option<Preset>,
    ) -> Option<Self> {
        let task = figure.task()?;
        let ceiling = ceiling.or_else(|| settings.clone());
        let ceiling = ceiling.unwrap_or_else(|| ceiling_preset(task, data.name));
        let settings = settings.unwrap_or_else(|| preset(task, data.name));
        let of = |reports: &Reports| (reports.trial(data, task, &settings), Variant::Private);
        let lines = lines(figure, wanted, data, &settings);
        let places = match figure {
            LdpGeFigure::Fig3 | LdpGeFigure::Fig4 => {
                known_ks(wanted, data).map(|k| k as f64).collect()
            }
            _ => wanted.epsilons.clone(),
        };
        let any = lines.iter().flat_map(|(_, reports)| reports).next();
        let ceiling = any.map(|any| any.trial(data, task, &ceiling));
        let beside = ceiling.map(|trial| ("ceiling".to_owned(), trial, Variant::Ceiling));
        let line = |(name, reports): (String, Vec<Reports>)| Line {
            printed: reports
                .iter()
                .map(|at| printed(figure, data.name, &name, at.epsilon))
                .collect(),
            points: reports.iter().map(|reports| Some(of(reports))).collect(),
            controlled: true,
            name,
        };
        let panel = Panel {
            name: data.name.into(),
            axis: if matches!(figure, LdpGeFigure::Fig3 | LdpGeFigure::Fig4) {
                "k"
            } else {
                "epsilon"
            },
            places,
            lines: lines.into_iter().map(line).collect(),
            beside: beside.into_iter().collect(),
        };
        Some(Self { data, task, settings, panel })
    }

    /// Finds out whether all of it can run, before an hour is spent on the first half.
    ///
    /// # Errors
    /// If the data lacks something, or a mechanism refuses a place.
    pub fn check(&self) -> privet::Result<()> {
        if self.task == Task::Nodes && self.data.dataset.labels().is_none() {
            let (dataset, what) = (self.data.name.to_owned(), "labels");
            let remedy = "this experiment needs them";
            return Err(privet::Error::Missing { dataset, what, remedy });
        }
        let mut points = self.panel.lines.iter().flat_map(|line| line.points.iter().flatten());
        points.try_for_each(|(trial, _)| trial.check().map(|_| ()))
    }
}

/// What the paper prints; an infinite epsilon is a ceiling.
pub(super) fn printed(
    figure: LdpGeFigure,
    dataset: &str,
    mechanism: &str,
    epsilon: f64,
) -> Option<f64> {
    match figure {
        LdpGeFigure::Fig2 => paper::figure_2(dataset, mechanism, epsilon),
        LdpGeFigure::Table3 => paper::table_3(dataset, mechanism, epsilon),
        LdpGeFigure::Fig1 | LdpGeFigure::Fig3 | LdpGeFigure::Fig4 => None,
    }
}

fn columns(data: Data<'_>) -> usize {
    data.dataset.features().map_or(0, |features| features.columns())
}

fn known_ks<'w>(wanted: &'w Wanted, data: Data<'_>) -> impl Iterator<Item = usize> + 'w {
    let columns = columns(data);
    wanted.points.iter().map(|&k| k as usize).filter(move |&k| k <= columns)
}

/// What users send, line by line and place by place.
fn lines(
    figure: LdpGeFigure,
    wanted: &Wanted,
    data: Data<'_>,
    settings: &Preset,
) -> Vec<(String, Vec<Reports>)> {
    let decoding = wanted.decoding.unwrap_or(settings.decoding);
    let reports = |mechanism: &String, epsilon, k| {
        let mechanism = mechanism.clone();
        Reports { mechanism, epsilon, k, decoding }
    };
    let along_k = |mechanism: &String, epsilon: f64| {
        let name = format!("{mechanism}, epsilon {}", plain(epsilon));
        let at = |k| reports(mechanism, epsilon, Some(k));
        (name, known_ks(wanted, data).map(at).collect())
    };
    let along_epsilon = |mechanism: &String| {
        // The paper tuned k for HDS, by dataset; everything else has a rule of its own.
        let tuned = mechanism == "hds" && has_published_k(data.name);
        let k = tuned.then(|| settings.k.min(columns(data)));
        let at = |&epsilon: &f64| reports(mechanism, epsilon, k);
        (mechanism.clone(), wanted.epsilons.iter().map(at).collect())
    };
    let mechanisms = wanted.mechanisms.iter();
    match figure {
        LdpGeFigure::Fig3 | LdpGeFigure::Fig4 => mechanisms
            .flat_map(|mechanism| wanted.epsilons.iter().map(move |&e| (mechanism, e)))
            .map(|(mechanism, epsilon)| along_k(mechanism, epsilon))
            .collect(),
        _ => mechanisms.map(along_epsilon).collect(),
    }
}

/// Whether the paper chose a k for the dataset.
pub(super) fn has_published_k(dataset: &str) -> bool {
    let name = dataset.split('/').next().unwrap_or(dataset);
    Preset::datasets().any(|known| known == name)
}

/// Measures what is missing, and makes the report.
///
/// # Errors
/// Those of [`Sweep::measure`].
pub fn reproduce(
    item: &Item,
    figure: LdpGeFigure,
    wanted: &Wanted,
    panels: &[LdpGePanel<'_>],
    sweep: &mut Sweep<'_>,
) -> Result<Report, Error> {
    let all: Vec<Panel<LdpGeTrial<'_>>> = panels.iter().map(|panel| panel.panel.clone()).collect();
    let measured = measure(&all, wanted.runs, sweep)?;
    Ok(render::report(item, figure, wanted, panels, &measured))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::experiments::cells::Cells;
    use crate::experiments::ldp_ge::reports::tests::{fast, people};
    use crate::experiments::reproduce::Figure;
    use crate::experiments::trial::Subject;

    fn wanted() -> Wanted {
        let mechanisms = vec!["laplace".to_owned(), "hds".to_owned()];
        Wanted {
            mechanisms,
            epsilons: vec![0.01, 5.0],
            points: vec![1.0, 12.0, 50.0],
            ..Item::find("ldp-ge/fig2").unwrap().wanted(true)
        }
    }

    fn run(item: &str, path: &std::path::Path, stop_after: usize) -> Result<Report, Error> {
        let dataset = people();
        let data = Data::new("people", &dataset);
        let item = Item::find(item).unwrap();
        let Figure::LdpGe(kind) = item.figure else { panic!("{}", item.name) };
        let figure = LdpGePanel::new(kind, &wanted(), data, Some(fast()), None).unwrap();
        figure.check().unwrap();
        let mut cells = Cells::open(path, item.name)?;
        let stop = AtomicBool::new(false);
        let threads = NonZeroUsize::new(2).unwrap();
        let progress = |done, _| {
            stop.fetch_or(done >= stop_after, Ordering::Relaxed);
        };
        let mut sweep = Sweep { cells: &mut cells, threads, interrupt: &stop, progress: &progress };
        reproduce(item, kind, &wanted(), &[figure], &mut sweep)
    }

    /// Everything but the times it took.
    fn results(report: &Report) -> String {
        format!("{}\n{:?}", report.summary, report.sections)
    }

    #[test]
    fn an_interrupted_sweep_ends_as_an_uninterrupted_one() {
        let folder = tempfile::tempdir().unwrap();
        let whole = run("ldp-ge/fig2", &folder.path().join("whole"), usize::MAX).unwrap();
        let parts = folder.path().join("parts");
        let error = run("ldp-ge/fig2", &parts, 3).unwrap_err();
        // A ceiling, and private and control for 2 x 2 places; 2 runs each.
        assert!(matches!(error, Error::Interrupted { total: 18, .. }), "{error}");
        let continued = run("ldp-ge/fig2", &parts, usize::MAX).unwrap();
        assert_eq!(results(&continued), results(&whole));
        let rendered = run("ldp-ge/fig2", &parts, usize::MAX).unwrap();
        assert_eq!(rendered, continued);
    }

    #[test]
    fn links_and_k_are_measured_and_shown() {
        let folder = tempfile::tempdir().unwrap();
        for item in ["ldp-ge/table3", "ldp-ge/fig3"] {
            let path = folder.path().join(item.replace('/', "-"));
            let report = run(item, &path, usize::MAX).unwrap();
            let text = report.markdown();
            assert!(text.contains("noise only") && text.contains("ceiling"), "{text}");
            // 50 is more than the data's 12 columns.
            assert_eq!(item == "ldp-ge/fig3", text.contains("k 12"), "{text}");
            assert!(!text.contains("k 50"), "{text}");
        }
    }

    /// Small epsilons over many columns mean enormous noise: nothing may overflow.
    #[test]
    fn enormous_noise_stays_finite() {
        let dataset = people();
        let data = Data::new("people", &dataset);
        let tiny = Wanted { epsilons: vec![1e-5], ..wanted() };
        let figure = LdpGePanel::new(LdpGeFigure::Fig2, &tiny, data, Some(fast()), None).unwrap();
        figure.check().unwrap();
        let stop = AtomicBool::new(false);
        for (trial, variant) in
            figure.panel.lines.iter().flat_map(|line| line.points.iter().flatten())
        {
            let score = trial.run(*variant, 0, &stop).unwrap().scores;
            assert!((0.0..=1.0).contains(&score.test()), "{}: {score:?}", trial.key(*variant));
        }
    }
}
