//! The figures of the HeteroRR paper and its supplement, on public graphs (its images are not public).
//!
//! | file | what it does |
//! |---|---|
//! | [`curve`] | what stands at a place, and measuring it |

pub mod curve;

use super::item::Figure;
use super::panel::{Bound, Line, Metric, Panel, PanelBlock, PanelFigure, TableRows, Told, Verdict};
use super::{Inputs, Item, Places, Reads, Wanted, Work};
use curve::{Curve, Measure};
use privet_lab::attacks::largest_auc;
use privet_lab::experiments::trial::{Data, Variant};
use privet_lab::report::{ThreatModel, Unit};

/// Curves along epsilon, or along the share of private edges.
#[derive(Debug, PartialEq)]
pub struct HeteroRrFigure {
    /// What is measured at a place.
    measure: Measure,
    /// What stands beside every curve, whatever epsilon is.
    references: &'static [&'static str],
    unit: Unit,
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
/// The last two are drawn if somebody asks.
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
    unit: Unit::Percent,
};
const FIGURE_7: HeteroRrFigure = HeteroRrFigure {
    measure: Measure::EdgeAccuracy,
    references: &["ceiling", "public-only", "control"],
    ..FIGURE_6
};
const FIGURE_10: HeteroRrFigure =
    HeteroRrFigure { measure: Measure::ExpectedError, references: &[], unit: Unit::Plain };
const FIGURE_11: HeteroRrFigure = HeteroRrFigure {
    measure: Measure::WalkDistance,
    references: &["public-only", "control"],
    unit: Unit::Plain,
};
const LINK_TELLER: HeteroRrFigure = HeteroRrFigure {
    measure: Measure::LinkTeller,
    references: &["ceiling", "public-only", "control"],
    unit: Unit::Plain,
};

const SHARES: &[f64] = &[0.05, 0.1, 0.2, 0.5, 1.0];

const BASE: Item = Item {
    name: "heterorr/fig7",
    title: "accuracy of a GCN on redrawn private edges",
    cost: "an hour; --quick: minutes",
    reads: Reads::People,
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
        reads: Reads::Nothing("needs no data"),
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
        reads: Reads::Structure,
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
        wanted: &'a Wanted,
        inputs: &'a Inputs,
    ) -> privet::Result<Work<'a>> {
        let runs = wanted.runs;
        let summary = match runs {
            1 => format!("The {}; one run each, seed 0.", item.title),
            _ => format!("The {}; {runs} runs each, seeds 0 to {}.", item.title, runs - 1),
        };
        let secret = match self.measure.is_about_features() {
            true => "features",
            false => "a seeded share of the edges",
        };
        let told = Told {
            title: format!("HeteroRR, {}", item.name),
            summary: Verdict::Measured(summary),
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
    fn panels<'a>(&self, wanted: &Wanted, inputs: &'a Inputs) -> Vec<Panel<Curve<'a>>> {
        let sources: Vec<Option<Data<'a>>> = match self.measure {
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

    fn panel<'a>(&self, wanted: &Wanted, data: Option<Data<'a>>, row: f64) -> Panel<Curve<'a>> {
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
            Line::new(name, places.iter().map(at).collect())
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
            let bound: Option<Bound> =
                bounded.then_some(("largest by the card's epsilon", largest_auc));
            let (caption, rows) = (title.clone(), TableRows::Each(bound));
            [
                PanelBlock::Plot { title, metric, control: None },
                PanelBlock::Table { caption, head: "curve", metric, rows },
            ]
        });
        blocks.collect()
    }
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
                PanelBlock::Table { rows: TableRows::Each(bound), .. } => Some(bound.is_some()),
                _ => None,
            })
            .collect();
        assert_eq!(bounded, [false, true]);
        assert_eq!(FIGURE_11.blocks("cora").len(), 2 * 4, "a plot and a table for each hop");
    }

    #[test]
    fn every_curve_of_edges_has_a_method() {
        for name in KNOWN_EDGE_CURVES.iter().chain(FIGURE_7.references) {
            assert!(curve::edge_method(name).is_some(), "{name}");
        }
        assert!(curve::edge_method("hds").is_none());
        assert!(EDGE_CURVES.iter().all(|name| KNOWN_EDGE_CURVES.contains(name)));
    }
}
