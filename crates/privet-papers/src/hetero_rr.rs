//! The figures of the HeteroRR paper and its supplement, on public graphs (its images are not public).
//!
//! | file | what it does |
//! |---|---|

use std::sync::atomic::AtomicBool;

use privet::graph::{Bounds, BoundsOrigin, DenseMatrix, FeatureMatrix, Features};
use privet::hetero_rr::{EdgeMethod, EdgeProtection, FeatureProtection, GcnLearner, Start};
use privet::privacy::edges::comparison::hrg::Wiring;
use privet::privacy::features::{DecodeRows, Decoding, FeatureMechanism, FeatureSettings, Scale};
use privet::privacy::noise::NoiseRng;
use privet::privacy::{Ledger, Loss, Secret};
use privet::{Error, Result};
use privet_lab::attacks::largest_auc;
use privet_lab::attacks::linkteller::LinkTeller;
use privet_lab::experiments::cells::Key;
use privet_lab::experiments::hetero_rr::HeteroRrTrial;
use privet_lab::experiments::structure::walks;
use privet_lab::experiments::trial::{NamedData, Outcome, Subject, Variant};
use privet_lab::report::{NumberUnit, ThreatModel};

use crate::item::Figure;
use crate::panel::{
    FigureNotes, FigureVerdict, Metric, Panel, PanelBlock, PanelFigure, PanelLine, PanelRows,
    TheoryBound,
};
use crate::{Inputs, Item, ItemData, MeasureRequest, Places, Work};

/// Curves along epsilon, or along the share of private edges.
#[derive(Debug, PartialEq)]
pub struct HeteroRrFigure {
    /// What is measured at a place.
    measure: Measure,
    /// What stands beside every curve, whatever epsilon is.
    references: &'static [&'static str],
    unit: NumberUnit,
}

const FEATURE_CURVES: &[&str] = &[
    "feature-rr",
    "laplace",
    "duchi",
    "piecewise",
    "hybrid",
    "three-outputs",
    "pm-sub",
    "multi-bit",
    "square-wave",
    "hds",
];
const EDGE_CURVES: &[&str] = &[
    "public-tree",
    "closing",
    "closing-only",
    "attribute-tree",
    "priv-hrg",
    "edge-rand",
    "lap-graph",
];
/// The last two are drawn on request.
const KNOWN_EDGE_CURVES: &[&str] = &[
    "public-tree",
    "closing",
    "closing-only",
    "attribute-tree",
    "priv-hrg",
    "edge-rand",
    "lap-graph",
    "private-tree",
    "paper",
];

const FIGURE_6: HeteroRrFigure = HeteroRrFigure {
    measure: Measure::FeatureAccuracy,
    references: &["ceiling", "no-features"],
    unit: NumberUnit::Percent,
};
const FIGURE_7: HeteroRrFigure = HeteroRrFigure {
    measure: Measure::EdgeAccuracy,
    references: &["ceiling", "public-only", "control"],
    ..FIGURE_6
};
const FIGURE_10: HeteroRrFigure =
    HeteroRrFigure { measure: Measure::ExpectedError, references: &[], unit: NumberUnit::Plain };
const FIGURE_11: HeteroRrFigure = HeteroRrFigure {
    measure: Measure::WalkDistance,
    references: &["public-only", "control"],
    unit: NumberUnit::Plain,
};
const LINK_TELLER: HeteroRrFigure = HeteroRrFigure {
    measure: Measure::LinkTeller,
    references: &["ceiling", "public-only", "control"],
    unit: NumberUnit::Plain,
};

const SHARES: &[f64] = &[0.05, 0.1, 0.2, 0.5, 1.0];

const BASE: Item = Item {
    name: "heterorr/fig7",
    title: "accuracy of a GCN on redrawn private edges",
    cost: "an hour; --quick: minutes",
    reads: ItemData::People,
    known: KNOWN_EDGE_CURVES,
    places: Some(Places::Shares),
    decodes: false,
    once: false,
    figure: Figure::HeteroRr(&FIGURE_7),
    datasets: (&["cora", "citeseer"], &["cora"]),
    mechanisms: EDGE_CURVES,
    epsilons: (&[0.5, 1.0, 2.0], &[0.5, 1.0, 2.0]),
    points: (SHARES, &[0.2, 1.0]),
    runs: (10, 2),
    size: (0, 0),
};

/// The items of the paper.
pub(super) const ITEMS: &[Item] = &[
    Item {
        name: "heterorr/fig6",
        title: "accuracy of a GCN on randomised features",
        figure: Figure::HeteroRr(&FIGURE_6),
        known: FEATURE_CURVES,
        places: None,
        mechanisms: &["feature-rr", "piecewise", "three-outputs", "multi-bit", "hds"],
        epsilons: (&[1.0, 3.0, 9.0, 100.0, 1000.0], &[1.0, 3.0, 9.0]),
        points: (&[0.0], &[0.0]),
        ..BASE
    },
    BASE,
    Item {
        name: "heterorr/fig10",
        title: "expected error of mechanisms for one number",
        cost: "seconds",
        reads: ItemData::Nothing("needs no data"),
        figure: Figure::HeteroRr(&FIGURE_10),
        known: FEATURE_CURVES,
        places: None,
        datasets: (&[], &[]),
        mechanisms: FEATURE_CURVES,
        epsilons: (&[0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 9.0], &[0.1, 0.5, 1.0]),
        points: (&[0.0], &[0.0]),
        runs: (1, 1),
        ..BASE
    },
    Item {
        name: "heterorr/fig11",
        title: "distance of random walks between true and published graph",
        reads: ItemData::Structure,
        figure: Figure::HeteroRr(&FIGURE_11),
        datasets: (&["cora"], &["cora"]),
        epsilons: (&[1.0], &[1.0]),
        points: (SHARES, SHARES),
        runs: (5, 2),
        ..BASE
    },
    Item {
        name: "heterorr/linkteller",
        title: "LinkTeller's AUC against models on published graphs",
        figure: Figure::HeteroRr(&LINK_TELLER),
        epsilons: (&[0.1, 0.5, 1.0], &[0.1, 0.5, 1.0]),
        points: (&[0.2], &[0.2]),
        ..BASE
    },
];

impl HeteroRrFigure {
    pub(super) fn work<'a>(
        &self,
        item: &Item,
        wanted: &'a MeasureRequest,
        inputs: &'a Inputs,
    ) -> Result<Work<'a>> {
        let runs = wanted.runs;
        let summary = match runs {
            1 => format!("The {}; one run each, seed 0.", item.title),
            _ => format!("The {}; {runs} runs each, seeds 0 to {}.", item.title, runs - 1),
        };
        let secret = match self.measure.is_about_features() {
            true => "features",
            false => "a seeded share of the edges",
        };
        let told = FigureNotes {
            title: format!("HeteroRR, {}", item.name),
            summary: FigureVerdict::Measured(summary),
            reading: None,
            threat_model: ThreatModel {
                secret: vec![secret.into()],
                not_protected: vec!["labels, node ids, public edges".into()],
                ..ThreatModel::default()
            },
            settings: vec![("runs", runs.to_string())],
        };
        Ok(Work::panels(PanelFigure { told, panels: self.panels(wanted, inputs), runs }))
    }

    /// For every dataset a panel per share of private edges, or one over all of them.
    fn panels<'a>(&self, wanted: &MeasureRequest, inputs: &'a Inputs) -> Vec<Panel<Curve<'a>>> {
        let sources: Vec<Option<NamedData<'a>>> = match self.measure {
            Measure::ExpectedError => vec![None],
            _ => inputs.people().map(Some).collect(),
        };
        let rows: &[f64] = match self.over_shares() {
            true => &[wanted.epsilon()],
            false => &wanted.points,
        };
        let pairs = sources.iter().flat_map(|&data| rows.iter().map(move |&row| (data, row)));
        pairs.map(|(data, row)| self.panel(wanted, data, row)).collect()
    }

    /// Whether places are shares of private edges, at one epsilon.
    fn over_shares(&self) -> bool {
        self.measure == Measure::WalkDistance
    }

    fn panel<'a>(
        &self,
        wanted: &MeasureRequest,
        data: Option<NamedData<'a>>,
        row: f64,
    ) -> Panel<Curve<'a>> {
        let (axis, places) = match self.over_shares() {
            true => ("share of private edges", &wanted.points),
            false => ("epsilon", &wanted.epsilons),
        };
        let names = wanted.mechanisms.iter().map(String::as_str);
        let lines = names.chain(self.references.iter().copied()).map(|name| {
            let at = |&place: &f64| {
                let (share, epsilon) = if self.over_shares() { (place, row) } else { (row, place) };
                let (measure, name) = (self.measure, name.into());
                Some((Curve { measure, data, name, share, epsilon }, Variant::Private))
            };
            PanelLine::new(name, places.iter().map(at).collect())
        });
        let dataset = data.map_or("", |data| data.name);
        let name = match self.measure {
            Measure::ExpectedError => "one number of [0, 1]".to_owned(),
            Measure::FeatureAccuracy => dataset.to_owned(),
            Measure::WalkDistance => format!("{dataset}, epsilon {row}"),
            _ => format!("{dataset}, {} % of the edges private", 100.0 * row),
        };
        Panel {
            blocks: self.blocks(&name),
            name,
            axis,
            places: places.clone(),
            lines: lines.collect(),
            beside: Vec::new(),
        }
    }

    /// A plot and a table for each metric.
    fn blocks<'a>(&self, name: &str) -> Vec<PanelBlock<Curve<'a>>> {
        let blocks = self.measure.scores().iter().enumerate().flat_map(|(at, &score)| {
            let metric = Metric { score, label: score, unit: self.unit };
            let title = format!("{name}: {score}");
            // What is public is on both sides of matched pairs: only there does the card bound the attacker.
            let bounded = self.measure == Measure::LinkTeller && at == 1;
            let bound: Option<TheoryBound> =
                bounded.then_some(("largest by the card's epsilon", largest_auc));
            let (caption, rows) = (title.clone(), PanelRows::Each(bound));
            [
                PanelBlock::Plot { title, metric, control: None },
                PanelBlock::Table { caption, head: "curve", metric, rows },
            ]
        });
        blocks.collect()
    }
}

// `Curve`: what stands at a place of a figure, and how it is measured.

/// Values drawn for an expected error.
const DRAWS: usize = 20_000;

/// What is measured at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Accuracy under feature protection.
    FeatureAccuracy,
    /// Accuracy under edge protection.
    EdgeAccuracy,
    /// Expected error of mechanisms for one number.
    ExpectedError,
    /// Distance of random walks.
    WalkDistance,
    /// LinkTeller against models on published graphs.
    LinkTeller,
}

impl Measure {
    /// Whether features are what is protected, and else edges.
    pub fn is_about_features(self) -> bool {
        matches!(self, Self::FeatureAccuracy | Self::ExpectedError)
    }

    /// What its numbers are called.
    pub fn scores(self) -> &'static [&'static str] {
        match self {
            Self::FeatureAccuracy | Self::EdgeAccuracy => &["test accuracy"],
            Self::ExpectedError => {
                &["mean absolute error", "the same, reports clamped to the range"]
            }
            Self::WalkDistance => &["1 hop", "2 hops", "3 hops", "4 hops"],
            Self::LinkTeller => &["AUC", "AUC, pairs with equally many public friends in common"],
        }
    }
}

/// What stands at a place.
#[derive(Debug, Clone)]
pub struct Curve<'a> {
    /// What is measured.
    pub measure: Measure,
    /// On which data, if the figure needs any.
    pub data: Option<NamedData<'a>>,
    /// A mechanism, a method for edges, or something to compare with.
    pub name: String,
    /// The share of private edges.
    pub share: f64,
    /// The budget.
    pub epsilon: f64,
}

/// A method for edges by its name.
pub fn edge_method(name: &str) -> Option<EdgeMethod> {
    Some(match name {
        "public-tree" | "closing" | "closing-only" | "attribute-tree" => EdgeMethod::PublicTree,
        "public-only" | "control" | "ceiling" => EdgeMethod::PublicTree,
        "private-tree" => EdgeMethod::PrivateTree,
        "paper" => EdgeMethod::Paper,
        "priv-hrg" => EdgeMethod::PrivHrg,
        "edge-rand" => EdgeMethod::EdgeRand,
        "lap-graph" => EdgeMethod::LapGraph,
        _ => return None,
    })
}

impl Subject for Curve<'_> {
    /// Epsilon has no part in what has no noise.
    fn key(&self, _: Variant) -> Key {
        let noiseless = matches!(self.name.as_str(), "ceiling" | "public-only" | "no-features");
        let epsilon = if noiseless { f64::INFINITY } else { self.epsilon };
        let key = Key::new().with("curve", &self.name).with("epsilon", epsilon);
        let key = key.with("share", self.share);
        match &self.data {
            Some(data) => {
                let learner = serde_json::to_string(&GcnLearner::default()).unwrap_or_default();
                key.and(Key::of(&data.key())).with("learner", learner)
            }
            None => key.with("draws", DRAWS),
        }
    }

    fn run(&self, _: Variant, seed: u64, interrupt: &AtomicBool) -> Result<Outcome> {
        let numbers = self.numbers(seed, interrupt)?;
        let names = self.measure.scores().iter().copied();
        Ok(Outcome { scores: names.zip(numbers).collect(), card: None })
    }
}

impl Curve<'_> {
    /// One number per metric of the figure.
    fn numbers(&self, seed: u64, interrupt: &AtomicBool) -> Result<Vec<f64>> {
        match (self.measure, &self.data) {
            (Measure::ExpectedError, _) => expected_error(&self.name, self.epsilon, seed),
            (Measure::FeatureAccuracy, Some(data)) => self.features(data, seed, interrupt),
            (Measure::EdgeAccuracy, Some(data)) => {
                let trial = self.edges(data)?;
                Ok(vec![trial.run(self.variant(), seed, interrupt)?.scores.test()])
            }
            (Measure::WalkDistance, Some(data)) => {
                let world = self.edges(data)?.world(self.variant(), seed)?;
                Ok(walks::distance(&world.truth, &world.graph, 4, 3000, seed))
            }
            (Measure::LinkTeller, Some(data)) => {
                let attack = LinkTeller::default();
                let found = attack.on(&self.edges(data)?, self.variant(), seed, interrupt)?;
                Ok(vec![found.any.unwrap_or(0.5), found.matched.unwrap_or(0.5)])
            }
            (_, None) => Err(Error::invalid("data", "none", "a dataset")),
        }
    }

    fn variant(&self) -> Variant {
        match self.name.as_str() {
            "ceiling" => Variant::Clear,
            "public-only" => Variant::PublicOnly,
            "control" => Variant::Control,
            _ => Variant::Private,
        }
    }

    fn edges<'d>(&self, data: &NamedData<'d>) -> Result<HeteroRrTrial<'d>> {
        let method = edge_method(&self.name)
            .ok_or_else(|| Error::invalid("method", &self.name, "a method for edges"))?;
        let mut edges = EdgeProtection { method, delta: 1e-6, ..EdgeProtection::new(self.epsilon) };
        match self.name.as_str() {
            "closing" => edges.wiring = Wiring::Closing,
            "closing-only" => edges.wiring = Wiring::ClosingOnly,
            "attribute-tree" => {
                (edges.wiring, edges.tree.start) = (Wiring::Uniform, Start::Features);
            }
            _ => edges.wiring = Wiring::Uniform,
        }
        Ok(HeteroRrTrial { edges, ..HeteroRrTrial::new(*data, self.share) })
    }

    /// All edges are public; features are randomised, in the clear, or all alike.
    fn features(
        &self,
        data: &NamedData<'_>,
        seed: u64,
        interrupt: &AtomicBool,
    ) -> Result<Vec<f64>> {
        let mut trial = HeteroRrTrial::new(*data, 0.0);
        // No private edge: no tree is needed.
        (trial.edges.method, trial.edges.epsilon) = (EdgeMethod::EdgeRand, 30.0);
        let blank = HeteroRrTrial::without_features(data.dataset)?;
        let variant = match self.name.as_str() {
            "ceiling" => Variant::Clear,
            "no-features" => {
                trial.data = NamedData::new(data.name, &blank);
                Variant::Clear
            }
            mechanism => {
                let mechanism = mechanism.to_owned();
                let how = FeatureProtection::new(self.epsilon);
                trial.features = Some(FeatureProtection { mechanism, ..how });
                Variant::PublicOnly
            }
        };
        Ok(vec![trial.run(variant, seed, interrupt)?.scores.test()])
    }
}

/// `E|z - z~|` for a number of [0, 1], averaged over its places, of reports as each paper reads them, and
/// with all reports clamped to the range, which costs nothing.
fn expected_error(mechanism: &str, epsilon: f64, seed: u64) -> Result<Vec<f64>> {
    let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?;
    let scale = Scale::new(1, Some(&bounds))?;
    let built = FeatureMechanism::build(mechanism, epsilon, scale, &FeatureSettings::default())?;
    let truth: Vec<f32> = (0..DRAWS).map(|at| (at as f32 + 0.5) / DRAWS as f32).collect();
    let people = Features::dense(DenseMatrix::new(DRAWS, 1, truth.clone())?).with_bounds(bounds)?;
    let mut ledger = Ledger::in_memory(Loss::new(epsilon, 0.0)?, NoiseRng::replay(seed))?;
    let reports = ledger.release_each(&Secret::new(people), &built)?;
    // FeatureRR's own values u/k lie in [0, 1]; the others are unbiased estimates.
    let decoding = if mechanism == "feature-rr" { Decoding::Paper } else { Decoding::Unbiased };
    let decoded = match built.decode(reports.get(), decoding)? {
        FeatureMatrix::Dense(rows) => rows.into_values(),
        FeatureMatrix::Sparse(rows) => {
            (0..DRAWS).map(|row| rows.row(row).1.first().copied().unwrap_or(0.0)).collect()
        }
    };
    let mean = |read: &dyn Fn(f32) -> f32| {
        let errors = decoded.iter().zip(&truth).map(|(&z, &x)| f64::from((read(z) - x).abs()));
        errors.sum::<f64>() / DRAWS as f64
    };
    Ok(vec![mean(&|z| z), mean(&|z| z.clamp(0.0, 1.0))])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panels(item: &str, figure: &HeteroRrFigure) -> Vec<(String, Vec<String>, usize)> {
        let wanted = Item::find(item).unwrap().wanted(false);
        let inputs = Inputs::made_up(&wanted).unwrap();
        let shape = |panel: &Panel<Curve<'_>>| {
            assert!(panel.lines.iter().all(|line| line.points.len() == panel.places.len()));
            let names = panel.lines.iter().map(|line| line.name.clone()).collect();
            (panel.name.clone(), names, panel.places.len())
        };
        figure.panels(&wanted, &inputs).iter().map(shape).collect()
    }

    /// A panel for each dataset and share of private edges; the references are lines among the others.
    #[test]
    fn edges_have_a_panel_per_share() {
        let found = panels("heterorr/fig7", &FIGURE_7);
        assert_eq!(found.len(), 2 * SHARES.len());
        assert_eq!(found[0].0, "cora, 5 % of the edges private");
        assert_eq!(found[0].1.len(), EDGE_CURVES.len() + 3);
        assert_eq!(found[0].1[EDGE_CURVES.len()..], ["ceiling", "public-only", "control"]);
    }

    #[test]
    fn walks_are_measured_along_shares_and_numbers_without_data() {
        let walks = panels("heterorr/fig11", &FIGURE_11);
        assert_eq!((walks.len(), walks[0].2), (1, SHARES.len()));
        assert_eq!(walks[0].0, "cora, epsilon 1");
        let numbers = panels("heterorr/fig10", &FIGURE_10);
        assert_eq!((numbers.len(), numbers[0].0.as_str()), (1, "one number of [0, 1]"));
        assert_eq!((numbers[0].1.len(), numbers[0].2), (FEATURE_CURVES.len(), 8));
    }

    /// Only pairs that are alike in public are bounded by the card: the second table alone has that row.
    #[test]
    fn the_ceiling_stands_below_matched_pairs_alone() {
        let bounded: Vec<bool> = LINK_TELLER
            .blocks("cora")
            .iter()
            .filter_map(|block| match block {
                PanelBlock::Table { rows: PanelRows::Each(bound), .. } => Some(bound.is_some()),
                _ => None,
            })
            .collect();
        assert_eq!(bounded, [false, true]);
        assert_eq!(FIGURE_11.blocks("cora").len(), 2 * 4, "a plot and a table for each hop");
    }

    #[test]
    fn every_curve_of_edges_has_a_method() {
        for name in KNOWN_EDGE_CURVES.iter().chain(FIGURE_7.references) {
            assert!(edge_method(name).is_some(), "{name}");
        }
        assert!(edge_method("hds").is_none());
        assert!(EDGE_CURVES.iter().all(|name| KNOWN_EDGE_CURVES.contains(name)));
    }

    /// Without information the best guess of a uniform number is off by 1/4; FeatureRR tends to a
    /// uniform guess, which is off by 1/3.
    #[test]
    fn errors_have_the_right_size() {
        let low = expected_error("feature-rr", 0.01, 1).unwrap();
        assert!((low[0] - 1.0 / 3.0).abs() < 0.02, "{low:?}");
        let high = expected_error("feature-rr", 9.0, 1).unwrap();
        assert!(high[0] < 0.2 && high[0] == high[1], "{high:?}");
        let laplace = expected_error("laplace", 1.0, 1).unwrap();
        assert!((laplace[0] - 1.0).abs() < 0.05 && laplace[1] < 0.5, "{laplace:?}");
    }
}
