//! The figures and tables of the LDP-GE paper.
//!
//! | file | what it does |
//! |---|---|
//! | [`variance`] | figure 1: variances in closed form, checked by drawing |
//!
//! No private figure stands alone: beside it are the ceiling (the same learner on features in the
//! clear) and the control (people who all hold the same row, randomised alike).

pub mod variance;

use privet::ldp_ge::{
    ClassifierKind, FeatureProtection, LabelSpread, LdpGe, ListProtection, Preset, Private,
    Protection, Protocol, Shares, Task,
};
use privet::learn::metrics::PairedComparison;
use privet::privacy::features::{FeatureMechanism, FeatureSettings};
use privet_lab::experiments::ldp_ge::LdpGeTrial;
use privet_lab::experiments::ldp_ge::reports::Reports;
use privet_lab::experiments::trial::{NamedData, TEST, Variant};
use privet_lab::report::summary::plain;
use privet_lab::report::{Block, MeasuredValue, Table, ThreatModel};

use crate::item::Figure;
use crate::panel::{
    FigureNotes, FigureVerdict, Measures, Metric, Panel, PanelBlock, PanelFigure, PanelLine,
    PanelRows,
};
use crate::{Inputs, Item, ItemData, MeasureRequest, Work};

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
    printed: figure_2,
    source: "The paper prints this as a figure: only what its text states stands beside ours.",
};
const TABLE_3: LdpGeFigure = LdpGeFigure {
    number: "table III",
    task: Task::Links,
    along_k: false,
    printed: table_3,
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
    reads: ItemData::PeopleWithRange,
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
        reads: ItemData::Nothing("needs no data"),
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
const LOCAL: [Item; 3] = items(BASE);

impl LdpGeFigure {
    pub(super) fn work<'a>(
        &self,
        item: &Item,
        wanted: &'a MeasureRequest,
        inputs: &'a Inputs,
    ) -> privet::Result<Work<'a>> {
        let panels = inputs.people().map(|data| self.panel(wanted, data));
        let (told, runs) = (self.told(item, wanted), wanted.runs);
        Ok(Work::panels(PanelFigure { told, panels: panels.collect::<privet::Result<_>>()?, runs }))
    }

    fn told(&self, item: &Item, wanted: &MeasureRequest) -> FigureNotes {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let decoding = match wanted.decoding {
            Some(decoding) => format!("{decoding:?}").to_lowercase(),
            None => "as the preset of each dataset says".into(),
        };
        FigureNotes {
            title: format!("LDP-GE, {}: {}", self.number, item.title),
            summary: FigureVerdict::Gains(features_added),
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
    fn panel<'a>(
        &self,
        wanted: &MeasureRequest,
        data: NamedData<'a>,
    ) -> privet::Result<Panel<LdpGeTrial<'a>>> {
        let (task, name) = (self.task, data.name);
        if task == Task::Nodes && data.dataset.labels().is_none() {
            let (dataset, what) = (name.to_owned(), "labels");
            let remedy = "this experiment needs them";
            return Err(privet::Error::Missing { dataset, what, remedy });
        }
        let settings = wanted.settings.clone().unwrap_or_else(|| Preset::of(task, name));
        let clear = wanted.ceiling.clone().or_else(|| wanted.settings.clone());
        let clear = clear.unwrap_or_else(|| Preset::ceiling(task, name));
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
        data: NamedData<'a>,
        settings: &Preset,
    ) -> privet::Result<PanelLine<LdpGeTrial<'a>>> {
        let trial = |reports: &Reports| {
            let trial = reports.trial(data, self.task, settings);
            trial.check().map(|_| Some((trial, Variant::Private)))
        };
        let printed = |epsilon| (self.printed)(data.name, &name, epsilon);
        Ok(PanelLine {
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
        let rows = PanelRows::Controlled("features added");
        vec![
            PanelBlock::Plot { title, metric, control: Some("hds") },
            PanelBlock::Table { caption, head: "", metric, rows },
            PanelBlock::Text(self.sampling(dataset, settings)),
        ]
    }

    /// The places of the axis, and what users send at each, line by line.
    fn reports(
        &self,
        wanted: &MeasureRequest,
        data: NamedData<'_>,
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

// Numbers the paper prints. Figures are not tables: of figures 2 to 4 only what the text states is here.

/// Columns of table III: epsilons; the last is without noise.
const EPSILONS: [f64; 5] = [1.0, 2.0, 3.0, 5.0, f64::INFINITY];

/// Table III: mean AUC in percent.
const PRINTED_TABLE_3: &[(&str, &str, [f64; 5])] = &[
    ("cora", "laplace", [75.22, 76.00, 74.95, 75.20, 93.07]),
    ("cora", "piecewise", [73.20, 78.17, 77.78, 75.20, 93.07]),
    ("cora", "multi-bit", [75.92, 78.46, 78.52, 76.61, 93.07]),
    ("cora", "hds", [82.43, 82.66, 82.50, 82.25, 93.07]),
    ("citeseer", "laplace", [71.59, 70.19, 70.82, 68.27, 94.95]),
    ("citeseer", "piecewise", [76.51, 76.28, 76.13, 74.48, 94.95]),
    ("citeseer", "multi-bit", [75.27, 73.86, 74.72, 75.22, 94.95]),
    ("citeseer", "hds", [77.65, 77.64, 77.28, 77.71, 94.95]),
    ("pubmed", "laplace", [62.84, 63.24, 64.34, 64.42, 97.46]),
    ("pubmed", "piecewise", [79.04, 77.03, 76.74, 74.93, 97.46]),
    ("pubmed", "multi-bit", [79.35, 77.85, 78.39, 77.24, 97.46]),
    ("pubmed", "hds", [79.50, 79.64, 80.11, 79.60, 97.46]),
    ("lastfm_asia", "laplace", [74.41, 75.41, 77.01, 73.77, 95.93]),
    ("lastfm_asia", "piecewise", [67.90, 71.70, 71.96, 80.07, 95.93]),
    ("lastfm_asia", "multi-bit", [75.69, 78.18, 78.89, 77.96, 95.93]),
    ("lastfm_asia", "hds", [91.73, 92.03, 92.01, 91.98, 95.93]),
    ("facebook_page_page", "laplace", [81.92, 84.66, 85.63, 86.00, 95.60]),
    ("facebook_page_page", "piecewise", [92.05, 93.20, 93.25, 89.86, 95.60]),
    ("facebook_page_page", "multi-bit", [92.62, 92.80, 93.10, 87.70, 95.60]),
    ("facebook_page_page", "hds", [96.70, 96.65, 96.64, 96.58, 95.60]),
    ("wikipedia_crocodile", "laplace", [72.16, 74.78, 76.11, 75.69, 98.49]),
    ("wikipedia_crocodile", "piecewise", [76.94, 76.55, 76.77, 77.86, 98.49]),
    ("wikipedia_crocodile", "multi-bit", [76.62, 77.20, 78.20, 78.37, 98.49]),
    ("wikipedia_crocodile", "hds", [99.12, 99.14, 99.09, 99.11, 98.49]),
];

/// Figure 2, as far as section IV-C states it: mean accuracy of HDS in percent. The ceilings are sums
/// of what it states ("84.2 %, 4.3 % lower than the non-private method").
const PRINTED_FIGURE_2: &[(&str, f64, f64)] = &[
    ("cora", 0.01, 84.2),
    ("cora", f64::INFINITY, 88.5),
    ("lastfm_asia", 0.01, 89.0),
    ("lastfm_asia", f64::INFINITY, 90.6),
];

/// What other papers print by dataset and epsilon 1, 2, ...: mean accuracy in percent.
pub type PrintedCurves = &'static [(&'static str, &'static [f64])];

/// LPGNN with KProp and Drop at epsilon 1 for features, by the epsilon of labels: the table "Effect of label denoising" of
/// the results.ipynb in the authors' repository.
pub const LPGNN: PrintedCurves =
    &[("cora", &[69.3, 78.4]), ("pubmed", &[74.9, 81.0]), ("facebook_page_page", &[84.9, 90.7])];

/// Blink: at each epsilon the best of three variants with three networks, from scripts/output/results.json in the authors'
/// repository.
pub const BLINK: PrintedCurves = &[
    ("cora", &[71.2, 71.3, 74.8, 81.0, 85.7, 86.4, 86.7, 87.1]),
    ("citeseer", &[73.9, 73.8, 74.6, 75.8, 78.3, 79.2, 79.4, 79.5]),
    ("facebook_page_page", &[76.4, 76.5, 78.6, 82.1, 85.8, 89.9, 91.7, 92.1]),
];

/// What is printed at an epsilon, as a share of one.
pub fn printed_at(printed: PrintedCurves, dataset: &str, epsilon: f64) -> Option<f64> {
    let line = printed.iter().find(|line| line.0 == dataset)?;
    let at = (1..).zip(line.1).find(|(at, _)| f64::from(*at) == epsilon)?;
    Some(at.1 / 100.0)
}

/// The published AUC of link prediction, as a share of one. A ceiling has an infinite epsilon.
pub fn table_3(dataset: &str, mechanism: &str, epsilon: f64) -> Option<f64> {
    let column = EPSILONS.iter().position(|&other| other == epsilon)?;
    let line = PRINTED_TABLE_3.iter().find(|line| line.0 == dataset && line.1 == mechanism)?;
    Some(line.2[column] / 100.0)
}

/// The published accuracy of node classification, where the text states it.
pub fn figure_2(dataset: &str, mechanism: &str, epsilon: f64) -> Option<f64> {
    if mechanism != "hds" {
        return None;
    }
    let stated = PRINTED_FIGURE_2.iter().find(|line| line.0 == dataset && line.1 == epsilon)?;
    Some(stated.2 / 100.0)
}

// More than features is private: everything together, and the settings of two other papers.
//
// | item | private | axis | beside |
// |---|---|---|---|
// | `ldp-ge/local` | features, labels, edges | epsilon of each | the same budget divided otherwise |
// | `ldp-ge/lpgnn` | features at 1, labels | epsilon of a label | LPGNN's figures |
// | `ldp-ge/blink` | edges | epsilon of a list | Blink's figures |

/// All parts.
const ALL: Private = Private { features: true, labels: true, edges: true };
/// What a row of features costs in LPGNN's setting.
const LPGNN_FEATURES: f64 = 1.0;

/// Whose setting is measured; none else where everything is private.
type SecretSetting = Option<Protocol>;

/// The items, with what they have in common with the paper's own.
const fn items(base: Item) -> [Item; 3] {
    const DATASETS: &[&str] = &["cora", "facebook_page_page"];
    let base = Item { known: &[], mechanisms: &[], decodes: false, ..base };
    [
        Item {
            name: "ldp-ge/local",
            title: "Features, labels and edges private together",
            figure: Figure::Special(|item, wanted, inputs| work(None, item, wanted, inputs)),
            datasets: (DATASETS, &["cora"]),
            epsilons: (&[1.0, 2.0, 3.0], &[3.0]),
            ..base
        },
        Item {
            name: "ldp-ge/lpgnn",
            title: "LPGNN's setting: features and labels private",
            figure: Figure::Special(|item, wanted, inputs| {
                work(Some(Protocol::Lpgnn), item, wanted, inputs)
            }),
            datasets: (&["cora", "pubmed", "facebook_page_page"], &["cora"]),
            epsilons: (&[1.0, 2.0, 3.0], &[1.0, 2.0]),
            ..base
        },
        Item {
            name: "ldp-ge/blink",
            title: "Blink's setting: edges private",
            figure: Figure::Special(|item, wanted, inputs| {
                work(Some(Protocol::Blink), item, wanted, inputs)
            }),
            datasets: (&["cora", "citeseer", "facebook_page_page"], &["cora"]),
            epsilons: (&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], &[3.0, 5.0]),
            ..base
        },
    ]
}

fn work<'a>(
    setting: SecretSetting,
    item: &Item,
    wanted: &'a MeasureRequest,
    inputs: &'a Inputs,
) -> privet::Result<Work<'a>> {
    let panels = inputs.people().map(|data| panel(setting, wanted, data));
    let told = FigureNotes {
        title: format!("LDP-GE: {}", item.title),
        summary: FigureVerdict::Measured(summary(setting).into()),
        reading: Some(reading(setting).into()),
        threat_model: threat_model(setting),
        settings: vec![("runs", wanted.runs.to_string())],
    };
    let panels = panels.collect::<privet::Result<_>>()?;
    Ok(Work::panels(PanelFigure { told, panels, runs: wanted.runs }))
}

/// What is private, at which prices.
#[derive(Clone, Copy)]
struct Prices {
    private: Private,
    features: f64,
    labels: f64,
    edges: f64,
    /// Whether features are sent at all.
    sent: bool,
}

fn trial<'a>(
    wanted: &MeasureRequest,
    data: NamedData<'a>,
    mechanism: &str,
    prices: Prices,
) -> LdpGeTrial<'a> {
    let preset = wanted.settings.clone().unwrap_or_else(|| Preset::of(Task::Nodes, data.name));
    let k = (mechanism == "hds" && has_published_k(data.name)).then_some(preset.k);
    let features = FeatureProtection {
        mechanism: mechanism.into(),
        epsilon: prices.features,
        settings: FeatureSettings { k, ..FeatureSettings::default() },
        decoding: preset.decoding,
    };
    let people = data.dataset.graph().node_count();
    let edges = ListProtection::recommended(prices.edges, people);
    let ways = match prices.sent {
        true => ClassifierKind::fitting(prices.private, preset.ways),
        false => vec![ClassifierKind::Propagation],
    };
    let system = LdpGe {
        protection: Protection { features, label_epsilon: prices.labels, edges },
        embedding: preset.embedding,
        labels: LabelSpread::default(),
        ways,
        learner: preset.learner,
    };
    let (task, private) = (Task::Nodes, prices.private);
    LdpGeTrial { data, task, system, private, volunteers: None, spill: None }
}

fn panel<'a>(
    setting: SecretSetting,
    wanted: &MeasureRequest,
    data: NamedData<'a>,
) -> privet::Result<Panel<LdpGeTrial<'a>>> {
    let lines = match setting {
        None => everything(wanted, data),
        Some(Protocol::Lpgnn) => vec![lpgnn(wanted, data)],
        Some(Protocol::Blink) => vec![blink(wanted, data)],
    };
    let any = lines.first().and_then(|line| line.points.first().cloned().flatten());
    let beside = any.map(|(trial, _)| {
        [("ceiling", Variant::Ceiling), ("no private data", Variant::NoPrivateData)]
            .map(|(name, variant)| (name.to_owned(), trial.clone(), variant))
    });
    let metric = Metric::test(Task::Nodes.metric());
    let (title, caption) =
        (format!("{}: accuracy", data.name), format!("Test accuracy on {}", data.name));
    let table = PanelBlock::Table { caption, head: "", metric, rows: PanelRows::Each(None) };
    let gains = setting.is_none().then_some(PanelBlock::Made(gains));
    Ok(Panel {
        name: data.name.into(),
        axis: "epsilon",
        places: wanted.epsilons.clone(),
        lines,
        beside: beside.into_iter().flatten().collect(),
        blocks: [PanelBlock::Plot { title, metric, control: None }, table]
            .into_iter()
            .chain(gains)
            .collect(),
    })
}

fn line<'a>(
    name: &str,
    wanted: &MeasureRequest,
    trial: impl Fn(f64) -> LdpGeTrial<'a>,
) -> PanelLine<LdpGeTrial<'a>> {
    let points = wanted.epsilons.iter().map(|&epsilon| Some((trial(epsilon), Variant::Private)));
    PanelLine::new(name, points.collect())
}

/// The same epsilon for each part; what features would cost moved to the label; and the sum of all, divided by theory.
fn everything<'a>(wanted: &MeasureRequest, data: NamedData<'a>) -> Vec<PanelLine<LdpGeTrial<'a>>> {
    let people = data.dataset.graph().node_count();
    let classes = data.dataset.labels().map_or(0, |labels| labels.class_count());
    let of = |features, labels, edges, sent| {
        trial(wanted, data, "hds", Prices { private: ALL, features, labels, edges, sent })
    };
    let alike = line("each the same", wanted, |e| of(e, e, e, true));
    let divided = |e: f64| {
        let Shares { labels, edges } = Shares::of(3.0 * e, people, classes);
        of(e, labels, edges, false)
    };
    vec![
        PanelLine { controlled: true, ..alike },
        line("nothing for features, twice for the label", wanted, |e| of(e, 2.0 * e, e, false)),
        line("the sum of all, divided between label and list", wanted, divided),
    ]
}

fn lpgnn<'a>(wanted: &MeasureRequest, data: NamedData<'a>) -> PanelLine<LdpGeTrial<'a>> {
    let setting = Protocol::Lpgnn;
    let (private, features) = (setting.private(), LPGNN_FEATURES);
    let of = |labels| {
        let prices = Prices { private, features, labels, edges: 1.0, sent: true };
        trial(wanted, data, setting.mechanism().unwrap_or_default(), prices)
    };
    let printed = wanted.epsilons.iter().map(|&e| printed_at(LPGNN, data.name, e)).collect();
    PanelLine { controlled: true, printed, ..line("ours (paper: LPGNN)", wanted, of) }
}

fn blink<'a>(wanted: &MeasureRequest, data: NamedData<'a>) -> PanelLine<LdpGeTrial<'a>> {
    let private = Protocol::Blink.private();
    let of = |edges| {
        let prices = Prices { private, features: 1.0, labels: 1.0, edges, sent: true };
        trial(wanted, data, "hds", prices)
    };
    let printed = wanted.epsilons.iter().map(|&e| printed_at(BLINK, data.name, e)).collect();
    PanelLine { printed, ..line("ours (paper: Blink)", wanted, of) }
}

/// What every other line is above the first, seed by seed.
fn gains(panel: &Panel<LdpGeTrial<'_>>, measures: &Measures) -> Block {
    let mut table: Table = panel.table("Points above the first line, seed by seed", "");
    for (number, line) in panel.lines.iter().enumerate().skip(1) {
        let gain = |place: usize| {
            let scores = |number| -> Option<Vec<f64>> {
                let runs = &measures.at(number, place)?.own;
                Some(runs.iter().filter_map(|scores| scores.get(TEST)).collect())
            };
            let paired = PairedComparison::of(&scores(number)?, &scores(0)?)?;
            Some(MeasuredValue::percent(&paired.difference))
        };
        table.push(panel.row(line.name.clone(), gain));
    }
    Block::Table(table)
}

fn summary(setting: SecretSetting) -> &'static str {
    match setting {
        None => {
            "What a collector learns if no user publishes anything: beside it other divisions of the same sum."
        }
        Some(Protocol::Lpgnn) => {
            "LPGNN's setting with our collector, beside what its authors measured."
        }
        Some(Protocol::Blink) => {
            "Blink's setting with our collector, beside what its authors measured."
        }
    }
}

fn reading(setting: SecretSetting) -> &'static str {
    match setting {
        None => {
            "Epsilon is what each of three parts costs: a row of features (HDS), a label (randomised response) and a list of \
             neighbours (randomised response of both ends). The second line spends what features cost on the label: \
             the card's total for features and label is the same. The third divides three epsilon between label and list: a \
             label then costs less than in the second, and a list more than in the first; an edge, which both ends \
             tell, twice that. `no private data` is the largest class."
        }
        Some(Protocol::Lpgnn) => {
            "Epsilon is that of a label; a row of features costs 1 (multi-bit). Splits are LPGNN's: 50/25/25 at random, and \
             as there the reports of validation people are propagated, too. In brackets: GraphSAGE with KProp and Drop, as \
             printed by the results.ipynb of the authors' repository (sisaman/LPGNN)."
        }
        Some(Protocol::Blink) => {
            "Epsilon is that of a list; both ends of a pair report it. Blink spends a part of it on a noisy degree, ours none. \
             In brackets: the best of Blink's nine combinations of three variants and three networks at each epsilon, as \
             stored in scripts/output/results.json of the authors' repository (zhxchd/Blink_GNN), on one fixed split of \
             50/25/25; ours draws a split for every seed. `no private data` reads features and labels alone."
        }
    }
}

fn threat_model(setting: SecretSetting) -> ThreatModel {
    let private = setting.map_or(ALL, Protocol::private);
    let mut model = ThreatModel::default();
    let parts = [
        (private.features, "every user's features"),
        (private.labels, "every user's label"),
        (private.edges, "every user's list of neighbours"),
    ];
    for (secret, part) in parts {
        if secret { &mut model.secret } else { &mut model.public }.push(part.into());
    }
    model.not_protected.push("who takes part".into());
    model
}

#[cfg(test)]
mod tests;
