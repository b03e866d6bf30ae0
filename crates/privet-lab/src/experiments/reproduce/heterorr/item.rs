//! [`HeteroRrFigure`]: which figure of the paper, and what stands in it.

use super::cell::Curve;
use crate::experiments::reproduce::Wanted;
use crate::experiments::reproduce::panel::{Line, Panel};
use crate::experiments::trial::{Data, Variant};

/// A figure that can be measured again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeteroRrFigure {
    /// Accuracy under feature protection.
    Fig6,
    /// Accuracy under edge protection.
    Fig7,
    /// Expected error of mechanisms for one number.
    Fig10,
    /// Distance of random walks.
    Fig11,
    /// LinkTeller against models on published graphs.
    LinkTeller,
}

impl HeteroRrFigure {
    /// Mechanisms for features.
    pub(in crate::experiments::reproduce) const FEATURE_CURVES: &[&str] = &[
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

    /// Curves that can be asked for.
    pub fn known_curves(self) -> &'static [&'static str] {
        match self {
            Self::Fig6 | Self::Fig10 => Self::FEATURE_CURVES,
            _ => &[
                "public-tree",
                "closing",
                "closing-only",
                "attribute-tree",
                "private-tree",
                "paper",
                "priv-hrg",
                "edge-rand",
                "lap-graph",
            ],
        }
    }

    /// What stands beside every curve, whatever epsilon is.
    pub(super) fn references(self) -> &'static [&'static str] {
        match self {
            Self::Fig6 => &["ceiling", "no-features"],
            Self::Fig7 | Self::LinkTeller => &["ceiling", "public-only", "control"],
            Self::Fig11 => &["public-only", "control"],
            Self::Fig10 => &[],
        }
    }

    /// What its cells measure; the first is drawn.
    pub(super) fn metrics(self) -> &'static [&'static str] {
        match self {
            Self::Fig6 | Self::Fig7 => &["test accuracy"],
            Self::Fig10 => &["mean absolute error", "the same, reports clamped to the range"],
            Self::Fig11 => &["1 hop", "2 hops", "3 hops", "4 hops"],
            Self::LinkTeller => &["AUC", "AUC, pairs with equally many public friends in common"],
        }
    }

    /// Whether places on the x-axis are shares of private edges, at one epsilon.
    pub(super) fn over_shares(self) -> bool {
        self == Self::Fig11
    }

    /// The panels: for every dataset one per share of private edges, or one over all of them.
    pub fn panels<'a>(self, wanted: &Wanted, data: &[Data<'a>]) -> Vec<Panel<Curve<'a>>> {
        let sources: Vec<Option<Data<'a>>> = match self {
            Self::Fig10 => vec![None],
            _ => data.iter().copied().map(Some).collect(),
        };
        let (axis, rows, places) = match self.over_shares() {
            true => ("share of private edges", &wanted.epsilons[..1], &wanted.points),
            false => ("epsilon", &wanted.points[..], &wanted.epsilons),
        };
        let names = || {
            wanted.mechanisms.iter().map(String::as_str).chain(self.references().iter().copied())
        };
        let pairs = sources.iter().flat_map(|&data| rows.iter().map(move |&row| (data, row)));
        let panel = |(data, row): (Option<Data<'a>>, f64)| {
            let at = |name: &str, place: f64| {
                let (share, epsilon) = if self.over_shares() { (place, row) } else { (row, place) };
                let curve = Curve { figure: self, data, name: name.into(), share, epsilon };
                Some((curve, Variant::Private))
            };
            let line =
                |name| Line::new(name, places.iter().map(|&place| at(name, place)).collect());
            Panel {
                name: self.panel_name(data.map_or("", |data| data.name), row),
                axis,
                places: places.clone(),
                lines: names().map(line).collect(),
                beside: Vec::new(),
            }
        };
        pairs.map(panel).collect()
    }

    fn panel_name(self, dataset: &str, row: f64) -> String {
        match self {
            Self::Fig10 => "one number of [0, 1]".to_owned(),
            Self::Fig6 => dataset.to_owned(),
            Self::Fig11 => format!("{dataset}, epsilon {row}"),
            _ => format!("{dataset}, {} % of the edges private", 100.0 * row),
        }
    }

    /// How many cells that are.
    pub fn cells(self, wanted: &Wanted) -> u64 {
        let datasets = if self == Self::Fig10 { 1 } else { wanted.datasets.len() };
        let curves = wanted.mechanisms.len() + self.references().len();
        (datasets * curves * wanted.points.len() * wanted.epsilons.len()) as u64 * wanted.runs
    }
}
