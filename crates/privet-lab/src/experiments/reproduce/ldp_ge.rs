//! The figures and tables of the LDP-GE paper.
//!
//! | file | what it does |
//! |---|---|
//! | [`variance`] | figure 1: variances in closed form, checked by drawing |
//! | [`paper`] | the numbers the paper prints, and those of papers beside it |
//! | `local` | labels and edges private, too |
//!
//! No private figure stands alone: beside it are the ceiling (the same learner on features in the
//! clear) and the control (people who all hold the same row, randomised alike).

mod local;
pub mod paper;
pub mod variance;

use privet::ldp_ge::Preset;
use privet::learn::metrics::PairedComparison;
use privet::privacy::features::FeatureMechanism;

use super::item::Figure;
use super::panel::{Line, Metric, Panel, PanelBlock, PanelFigure, TableRows, Told, Verdict};
use super::{Inputs, Item, Reads, Wanted, Work};
use crate::experiments::ldp_ge::reports::{Reports, ceiling_preset, preset};
use crate::experiments::ldp_ge::{LdpGeTrial, Task};
use crate::experiments::trial::{Data, Variant};
use crate::report::ThreatModel;
use crate::report::summary::plain;

/// What features add, along epsilon or along k.
#[derive(Debug)]
pub struct LdpGeFigure {
    /// What the paper calls it.
    number: &'static str,
    /// What is predicted.
    task: Task,
    /// Whether the axis is k, at every epsilon, in place of epsilon.
    along_k: bool,
    /// What the paper prints for a dataset and mechanism; an infinite epsilon is a ceiling.
    printed: fn(&str, &str, f64) -> Option<f64>,
    /// Where printed numbers come from.
    source: &'static str,
}

/// LastFM's features are not in the catalog, so it is not among them.
const DATASETS: &[&str] =
    &["cora", "citeseer", "pubmed", "facebook_page_page", "wikipedia_crocodile"];
const CURVES: &str = "The paper prints this as a figure without numbers.";

const FIGURE_2: LdpGeFigure = LdpGeFigure {
    number: "figure 2",
    task: Task::Nodes,
    along_k: false,
    printed: paper::figure_2,
    source: "The paper prints this as a figure: only what its text states stands beside ours.",
};
const TABLE_3: LdpGeFigure = LdpGeFigure {
    number: "table III",
    task: Task::Links,
    along_k: false,
    printed: paper::table_3,
    source: "The paper's numbers are those of its table III.",
};
const FIGURE_3: LdpGeFigure = LdpGeFigure {
    number: "figure 3",
    along_k: true,
    printed: |_, _, _| None,
    source: CURVES,
    ..FIGURE_2
};
const FIGURE_4: LdpGeFigure = LdpGeFigure { number: "figure 4", task: Task::Links, ..FIGURE_3 };

const BASE: Item = Item {
    name: "ldp-ge/fig2",
    title: "Node classification: accuracy against epsilon",
    cost: "hours; --quick: minutes",
    reads: Reads::PeopleWithRange,
    known: FeatureMechanism::NAMES,
    places: None,
    decodes: true,
    once: false,
    figure: Figure::LdpGe(&FIGURE_2),
    datasets: (DATASETS, &["cora"]),
    mechanisms: &["laplace", "piecewise", "multi-bit", "hds"],
    epsilons: (&[0.01, 0.1, 1.0, 2.0, 3.0, 5.0], &[0.01, 1.0, 5.0]),
    points: (&[], &[]),
    runs: (10, 2),
    size: (100_000, 10_000),
};
const ALONG_K: Item = Item {
    mechanisms: &["hds"],
    epsilons: (&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]),
    points: (&[1.0, 3.0, 5.0, 10.0, 20.0, 30.0, 50.0], &[1.0, 10.0, 50.0]),
    ..BASE
};

/// The items of the paper.
pub(super) const ITEMS: &[Item] = &[
    Item {
        name: "ldp-ge/fig1",
        title: "Worst-case variance of one-dimensional mechanisms",
        cost: "seconds",
        reads: Reads::Nothing("needs no data"),
        figure: Figure::Special(variance::work),
        datasets: (&[], &[]),
        mechanisms: &["laplace", "piecewise", "multi-bit", "square-wave"],
        epsilons: (
            &[0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0],
            &[0.1, 1.0, 5.0],
        ),
        ..BASE
    },
    BASE,
    Item {
        name: "ldp-ge/table3",
        title: "Link prediction: AUC against epsilon",
        figure: Figure::LdpGe(&TABLE_3),
        epsilons: (&[1.0, 2.0, 3.0, 5.0], &[1.0, 3.0, 5.0]),
        ..BASE
    },
    Item {
        name: "ldp-ge/fig3",
        title: "Node classification: the effect of k",
        figure: Figure::LdpGe(&FIGURE_3),
        ..ALONG_K
    },
    Item {
        name: "ldp-ge/fig4",
        title: "Link prediction: the effect of k",
        figure: Figure::LdpGe(&FIGURE_4),
        ..ALONG_K
    },
    LOCAL[0],
    LOCAL[1],
    LOCAL[2],
];
const LOCAL: [Item; 3] = local::items(BASE);

impl LdpGeFigure {
    pub(super) fn work<'a>(
        &self,
        item: &Item,
        wanted: &'a Wanted,
        inputs: &'a Inputs,
    ) -> privet::Result<Work<'a>> {
        let panels = inputs.people().map(|data| self.panel(wanted, data));
        let (told, runs) = (self.told(item, wanted), wanted.runs);
        Ok(Work::panels(PanelFigure { told, panels: panels.collect::<privet::Result<_>>()?, runs }))
    }

    fn told(&self, item: &Item, wanted: &Wanted) -> Told {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let decoding = match wanted.decoding {
            Some(decoding) => format!("{decoding:?}").to_lowercase(),
            None => "as the preset of each dataset says".into(),
        };
        Told {
            title: format!("LDP-GE, {}: {}", self.number, item.title),
            summary: Verdict::Gains(features_added),
            reading: Some(format!(
                "Every private figure has beside it what the same learner reaches if all people \
                 hold the same row (noise only), and what features in the clear reach, with settings \
                 of their own where such were searched (ceiling). \
                 `features added` is private minus noise only, run by run. {}",
                self.source
            )),
            threat_model: ThreatModel {
                secret: words(&["the features of every person"]),
                public: words(&["the graph", "the labels"]),
                not_protected: words(&["edges", "labels", "who takes part"]),
            },
            settings: vec![("runs", wanted.runs.to_string()), ("decoding", decoding)],
        }
    }

    /// The panel of a dataset, with its published settings unless others are given, for the system and for the
    /// ceiling, which has no noise to average away. A k beyond the number of columns is left out.
    fn panel<'a>(&self, wanted: &Wanted, data: Data<'a>) -> privet::Result<Panel<LdpGeTrial<'a>>> {
        let (task, name) = (self.task, data.name);
        if task == Task::Nodes && data.dataset.labels().is_none() {
            let (dataset, what) = (name.to_owned(), "labels");
            let remedy = "this experiment needs them";
            return Err(privet::Error::Missing { dataset, what, remedy });
        }
        let settings = wanted.settings.clone().unwrap_or_else(|| preset(task, name));
        let clear = wanted.ceiling.clone().or_else(|| wanted.settings.clone());
        let clear = clear.unwrap_or_else(|| ceiling_preset(task, name));
        let (places, reports) = self.reports(wanted, data, &settings);
        let any = reports.iter().flat_map(|(_, reports)| reports).next();
        let ceiling = any.map(|any| any.trial(data, task, &clear));
        let lines =
            reports.into_iter().map(|(line, reports)| self.line(line, &reports, data, &settings));
        Ok(Panel {
            name: name.into(),
            axis: if self.along_k { "k" } else { "epsilon" },
            places,
            lines: lines.collect::<privet::Result<_>>()?,
            beside: ceiling
                .map(|trial| ("ceiling".to_owned(), trial, Variant::Clear))
                .into_iter()
                .collect(),
            blocks: self.blocks(name, &settings),
        })
    }

    fn line<'a>(
        &self,
        name: String,
        reports: &[Reports],
        data: Data<'a>,
        settings: &Preset,
    ) -> privet::Result<Line<LdpGeTrial<'a>>> {
        let trial = |reports: &Reports| {
            let trial = reports.trial(data, self.task, settings);
            trial.check().map(|_| Some((trial, Variant::Private)))
        };
        let printed = |epsilon| (self.printed)(data.name, &name, epsilon);
        Ok(Line {
            points: reports.iter().map(trial).collect::<privet::Result<_>>()?,
            controlled: true,
            printed: reports.iter().map(|at| printed(at.epsilon)).collect(),
            printed_ceiling: printed(f64::INFINITY),
            name,
        })
    }

    fn blocks<'a>(&self, dataset: &str, settings: &Preset) -> Vec<PanelBlock<LdpGeTrial<'a>>> {
        let measure = match self.task {
            Task::Nodes => "accuracy",
            Task::Links => "AUC",
        };
        let (title, caption) =
            (format!("{dataset}: {measure}"), format!("Test {measure} on {dataset}"));
        let metric = Metric::test(self.task.metric());
        let rows = TableRows::Controlled("features added");
        vec![
            PanelBlock::Plot { title, metric, control: Some("hds") },
            PanelBlock::Table { caption, head: "", metric, rows },
            PanelBlock::Text(self.sampling(dataset, settings)),
        ]
    }

    /// The places of the axis, and what users send at each, line by line.
    fn reports(
        &self,
        wanted: &Wanted,
        data: Data<'_>,
        settings: &Preset,
    ) -> (Vec<f64>, Vec<(String, Vec<Reports>)>) {
        let columns = data.dataset.features().map_or(0, |features| features.columns());
        let decoding = wanted.decoding.unwrap_or(settings.decoding);
        let reports = |mechanism: &String, epsilon, k| {
            let mechanism = mechanism.clone();
            Reports { mechanism, epsilon, k, decoding }
        };
        if !self.along_k {
            let line = |mechanism: &String| {
                // The paper tuned k for HDS, by dataset; everything else has a rule of its own.
                let tuned = mechanism == "hds" && has_published_k(data.name);
                let k = tuned.then(|| settings.k.min(columns));
                let at = |&epsilon: &f64| reports(mechanism, epsilon, k);
                (mechanism.clone(), wanted.epsilons.iter().map(at).collect())
            };
            return (wanted.epsilons.clone(), wanted.mechanisms.iter().map(line).collect());
        }
        let known = |k: &f64| *k <= columns as f64;
        let places: Vec<f64> = wanted.points.iter().copied().filter(known).collect();
        let pairs = wanted.mechanisms.iter();
        let pairs =
            pairs.flat_map(|mechanism| wanted.epsilons.iter().map(move |&e| (mechanism, e)));
        let lines = pairs.map(|(mechanism, epsilon)| {
            let at = |&k: &f64| reports(mechanism, epsilon, Some(k as usize));
            let name = format!("{mechanism}, epsilon {}", plain(epsilon));
            (name, places.iter().map(at).collect())
        });
        let lines = lines.collect();
        (places, lines)
    }

    /// Which k was used.
    fn sampling(&self, dataset: &str, settings: &Preset) -> String {
        let own_rule = "Each mechanism follows its own rule for k, the number of columns a person \
                        reports, which depends on epsilon; laplace reports all.";
        match (self.along_k, has_published_k(dataset)) {
            (true, _) => "k is the number of columns each person reports.".into(),
            (false, true) => format!(
                "{own_rule} Except hds: its k is {}, the published choice for this dataset.",
                settings.k
            ),
            (false, false) => own_rule.into(),
        }
    }
}

/// Whether the paper chose a k for the dataset.
fn has_published_k(dataset: &str) -> bool {
    let name = dataset.split('/').next().unwrap_or(dataset);
    Preset::datasets().any(|known| known == name)
}

/// How many private figures are above their control, and how many would be by chance.
fn features_added(gains: &[PairedComparison]) -> String {
    // A difference that is the same in each of a few runs has no spread, and so no interval to speak of.
    let spread = || gains.iter().map(|gain| gain.difference).filter(|d| d.deviation > 0.0);
    let above = spread().filter(|difference| difference.low > 0.0).count();
    let below = spread().filter(|difference| difference.high < 0.0).count();
    // Either end of a 95 % interval misses by chance once in 40.
    let by_chance = plain((gains.len() as f64 / 40.0 * 10.0).round() / 10.0);
    format!(
        "In {above} of {} private figures people's features added something over the graph alone \
         (the 95 % interval of private minus noise-only control lies above 0); in {below} it lies \
         below. By chance alone about {by_chance} would lie on either side.",
        gains.len()
    )
}

#[cfg(test)]
mod tests;
