//! More than features is private: everything together, and the settings of two other papers.
//!
//! | item | private | axis | beside |
//! |---|---|---|---|
//! | `ldp-ge/local` | features, labels, edges | epsilon of each | the same budget divided otherwise |
//! | `ldp-ge/lpgnn` | features at 1, labels | epsilon of a label | LPGNN's figures |
//! | `ldp-ge/blink` | edges | epsilon of a list | Blink's figures |

use privet::ldp_ge::{
    FeatureProtection, LabelSpread, LdpGe, ListProtection, Private, Protection, Protocol, Shares,
    Way,
};
use privet::learn::metrics::PairedComparison;
use privet::privacy::features::FeatureSettings;

use super::super::item::Figure;
use super::super::panel::{
    Line, Measures, Metric, Panel, PanelBlock, PanelFigure, TableRows, Told, Verdict,
};
use super::super::{Inputs, Item, Wanted, Work};
use super::has_published_k;
use super::paper::{BLINK, LPGNN, printed_at};
use crate::experiments::ldp_ge::reports::preset;
use crate::experiments::ldp_ge::{LdpGeTrial, Task};
use crate::experiments::trial::{Data, TEST, Variant};
use crate::report::{Block, Measured, Table, ThreatModel};

/// All parts.
const ALL: Private = Private { features: true, labels: true, edges: true };
/// What a row of features costs in LPGNN's setting.
const LPGNN_FEATURES: f64 = 1.0;

/// Whose setting is measured; nobody else's where everything is private.
type Setting = Option<Protocol>;

/// The items, with what they have in common with the paper's own.
pub(super) const fn items(base: Item) -> [Item; 3] {
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
    setting: Setting,
    item: &Item,
    wanted: &'a Wanted,
    inputs: &'a Inputs,
) -> privet::Result<Work<'a>> {
    let panels = inputs.people().map(|data| panel(setting, wanted, data));
    let told = Told {
        title: format!("LDP-GE: {}", item.title),
        summary: Verdict::Measured(summary(setting).into()),
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

fn trial<'a>(wanted: &Wanted, data: Data<'a>, mechanism: &str, prices: Prices) -> LdpGeTrial<'a> {
    let preset = wanted.settings.clone().unwrap_or_else(|| preset(Task::Nodes, data.name));
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
        true => Way::fitting(prices.private, preset.ways),
        false => vec![Way::Propagation],
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
    setting: Setting,
    wanted: &Wanted,
    data: Data<'a>,
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
    let table = PanelBlock::Table { caption, head: "", metric, rows: TableRows::Each(None) };
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
    wanted: &Wanted,
    trial: impl Fn(f64) -> LdpGeTrial<'a>,
) -> Line<LdpGeTrial<'a>> {
    let points = wanted.epsilons.iter().map(|&epsilon| Some((trial(epsilon), Variant::Private)));
    Line::new(name, points.collect())
}

/// The same epsilon for each part; what features would cost moved to the label; and the sum of all, divided by theory.
fn everything<'a>(wanted: &Wanted, data: Data<'a>) -> Vec<Line<LdpGeTrial<'a>>> {
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
        Line { controlled: true, ..alike },
        line("nothing for features, twice for the label", wanted, |e| of(e, 2.0 * e, e, false)),
        line("the sum of all, divided between label and list", wanted, divided),
    ]
}

fn lpgnn<'a>(wanted: &Wanted, data: Data<'a>) -> Line<LdpGeTrial<'a>> {
    let setting = Protocol::Lpgnn;
    let (private, features) = (setting.private(), LPGNN_FEATURES);
    let of = |labels| {
        let prices = Prices { private, features, labels, edges: 1.0, sent: true };
        trial(wanted, data, setting.mechanism().unwrap_or_default(), prices)
    };
    let printed = wanted.epsilons.iter().map(|&e| printed_at(LPGNN, data.name, e)).collect();
    Line { controlled: true, printed, ..line("ours (paper: LPGNN)", wanted, of) }
}

fn blink<'a>(wanted: &Wanted, data: Data<'a>) -> Line<LdpGeTrial<'a>> {
    let private = Protocol::Blink.private();
    let of = |edges| {
        let prices = Prices { private, features: 1.0, labels: 1.0, edges, sent: true };
        trial(wanted, data, "hds", prices)
    };
    let printed = wanted.epsilons.iter().map(|&e| printed_at(BLINK, data.name, e)).collect();
    Line { printed, ..line("ours (paper: Blink)", wanted, of) }
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
            Some(Measured::percent(&paired.difference))
        };
        table.push(panel.row(line.name.clone(), gain));
    }
    Block::Table(table)
}

fn summary(setting: Setting) -> &'static str {
    match setting {
        None => {
            "What a collector learns if nobody shows anything: beside it other divisions of the same sum."
        }
        Some(Protocol::Lpgnn) => {
            "LPGNN's setting with our collector, beside what its authors measured."
        }
        Some(Protocol::Blink) => {
            "Blink's setting with our collector, beside what its authors measured."
        }
    }
}

fn reading(setting: Setting) -> &'static str {
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

fn threat_model(setting: Setting) -> ThreatModel {
    let private = setting.map_or(ALL, Protocol::private);
    let mut model = ThreatModel::default();
    let parts = [
        (private.features, "everybody's features"),
        (private.labels, "everybody's label"),
        (private.edges, "everybody's list of neighbours"),
    ];
    for (secret, part) in parts {
        if secret { &mut model.secret } else { &mut model.public }.push(part.into());
    }
    model.not_protected.push("who takes part".into());
    model
}
