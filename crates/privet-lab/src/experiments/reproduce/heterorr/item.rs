//! [`Item`]: a figure of the paper; [`Wanted`]: with which settings.

use privet::graph::Error;

use super::cell::Case;
use crate::experiments::measure::Data;

/// A figure that can be measured again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
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

/// Which cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Names of datasets.
    pub datasets: Vec<String>,
    /// Curves: mechanisms, or methods for edges.
    pub curves: Vec<String>,
    /// Budgets.
    pub epsilons: Vec<f64>,
    /// Shares of private edges.
    pub shares: Vec<f64>,
    /// Runs per figure, with seeds 0, 1, ...
    pub runs: u64,
}

impl Item {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Fig6, Self::Fig7, Self::Fig10, Self::Fig11, Self::LinkTeller];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fig6 => "heterorr/fig6",
            Self::Fig7 => "heterorr/fig7",
            Self::Fig10 => "heterorr/fig10",
            Self::Fig11 => "heterorr/fig11",
            Self::LinkTeller => "heterorr/linkteller",
        }
    }

    /// What it shows.
    pub fn title(self) -> &'static str {
        match self {
            Self::Fig6 => "accuracy of a GCN on randomised features",
            Self::Fig7 => "accuracy of a GCN on redrawn private edges",
            Self::Fig10 => "expected error of mechanisms for one number",
            Self::Fig11 => "distance of random walks between true and published graph",
            Self::LinkTeller => "LinkTeller's AUC against models on published graphs",
        }
    }

    /// An item by its name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(name: &str) -> Result<Self, Error> {
        let known = || Self::ALL.iter().map(|item| item.name());
        let found = Self::ALL.into_iter().find(|item| item.name() == name);
        found.ok_or_else(|| Error::unknown_name("item", name, known()))
    }

    /// Curves that can be asked for.
    pub fn known_curves(self) -> &'static [&'static str] {
        match self {
            Self::Fig6 | Self::Fig10 => &[
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
            ],
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

    /// All cells.
    pub fn cases<'a>(self, wanted: &Wanted, data: &[Data<'a>]) -> Vec<Case<'a>> {
        let mut cases = Vec::new();
        let sources: Vec<Option<Data<'a>>> = match self {
            Self::Fig10 => vec![None],
            _ => data.iter().copied().map(Some).collect(),
        };
        let curves = wanted.curves.iter().map(String::as_str);
        let curves: Vec<&str> = curves.chain(self.references().iter().copied()).collect();
        for data in sources {
            for curve in &curves {
                for &share in &wanted.shares {
                    for &epsilon in &wanted.epsilons {
                        for seed in 0..wanted.runs {
                            let curve = (*curve).to_owned();
                            cases.push(Case { item: self, data, curve, share, epsilon, seed });
                        }
                    }
                }
            }
        }
        cases
    }

    /// How many cells that are.
    pub fn cells(self, wanted: &Wanted) -> u64 {
        let datasets = if self == Self::Fig10 { 1 } else { wanted.datasets.len() };
        let curves = wanted.curves.len() + self.references().len();
        (datasets * curves * wanted.shares.len() * wanted.epsilons.len()) as u64 * wanted.runs
    }
}

impl Wanted {
    /// The whole figure.
    pub fn of(item: Item) -> Self {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let (epsilons, shares, runs) = match item {
            Item::Fig6 => (vec![1.0, 3.0, 9.0, 100.0, 1000.0], vec![0.0], 10),
            Item::Fig7 => (vec![0.5, 1.0, 2.0], vec![0.05, 0.1, 0.2, 0.5, 1.0], 10),
            Item::Fig10 => (vec![0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 9.0], vec![0.0], 1),
            Item::Fig11 => (vec![1.0], vec![0.05, 0.1, 0.2, 0.5, 1.0], 5),
            Item::LinkTeller => (vec![0.1, 0.5, 1.0], vec![0.2], 10),
        };
        let curves = match item {
            Item::Fig6 => names(&["feature-rr", "piecewise", "three-outputs", "multi-bit", "hds"]),
            Item::Fig10 => names(item.known_curves()),
            _ => names(&[
                "public-tree",
                "closing",
                "closing-only",
                "attribute-tree",
                "priv-hrg",
                "edge-rand",
                "lap-graph",
            ]),
        };
        let datasets = match item {
            Item::Fig10 => Vec::new(),
            Item::Fig11 => names(&["cora"]),
            _ => names(&["cora", "citeseer"]),
        };
        Self { datasets, curves, epsilons, shares, runs }
    }

    /// A first look.
    pub fn quick(item: Item) -> Self {
        let whole = Self::of(item);
        let first = |list: Vec<f64>| list.into_iter().take(3).collect();
        let datasets = whole.datasets.into_iter().take(1).collect();
        let shares = match item {
            Item::Fig7 => vec![0.2, 1.0],
            _ => whole.shares,
        };
        let epsilons = first(whole.epsilons);
        Self { datasets, epsilons, shares, runs: whole.runs.min(2), ..whole }
    }
}
