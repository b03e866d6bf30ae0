//! [`Item`]: what can be reproduced; [`Wanted`]: with which settings.

use privet::graph::Error;
use privet::privacy::features::Decoding;
use serde::Serialize;

use crate::experiments::ldp_ge::Task;

/// A figure or table of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// Variance of four mechanisms in one dimension.
    Fig1,
    /// Accuracy of node classification against epsilon.
    Fig2,
    /// AUC of link prediction against epsilon.
    Table3,
    /// The effect of k on node classification.
    Fig3,
    /// The effect of k on link prediction.
    Fig4,
}

/// What to measure. The defaults are the paper's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Wanted {
    /// Names of benchmarks; not used by figure 1.
    pub datasets: Vec<String>,
    /// Names of mechanisms.
    pub mechanisms: Vec<String>,
    /// Budgets of a row. The ceiling, an epsilon without end, is always measured.
    pub epsilons: Vec<f64>,
    /// How many columns each user reports, for figures 3 and 4.
    pub ks: Vec<usize>,
    /// Seeds 0, 1, ... up to so many; not used by figure 1.
    pub runs: u64,
    /// How reports are read, as the preset of the dataset says if not given; not used by figure 1.
    pub decoding: Option<Decoding>,
    /// Draws per variance, for figure 1.
    pub draws: usize,
}

impl Item {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Fig1, Self::Fig2, Self::Table3, Self::Fig3, Self::Fig4];

    /// The name on the command line, in stores and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fig1 => "ldp-ge/fig1",
            Self::Fig2 => "ldp-ge/fig2",
            Self::Table3 => "ldp-ge/table3",
            Self::Fig3 => "ldp-ge/fig3",
            Self::Fig4 => "ldp-ge/fig4",
        }
    }

    /// What it shows.
    pub fn title(self) -> &'static str {
        match self {
            Self::Fig1 => "Worst-case variance of one-dimensional mechanisms",
            Self::Fig2 => "Node classification: accuracy against epsilon",
            Self::Table3 => "Link prediction: AUC against epsilon",
            Self::Fig3 => "Node classification: the effect of k",
            Self::Fig4 => "Link prediction: the effect of k",
        }
    }

    /// What is predicted, if anything.
    pub fn task(self) -> Option<Task> {
        match self {
            Self::Fig1 => None,
            Self::Fig2 | Self::Fig3 => Some(Task::Nodes),
            Self::Table3 | Self::Fig4 => Some(Task::Links),
        }
    }

    /// The item of a name.
    ///
    /// # Errors
    /// If there is none, with the nearest that there is.
    pub fn find(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|item| item.name() == name);
        found
            .ok_or_else(|| Error::unknown_name("item", name, Self::ALL.into_iter().map(Self::name)))
    }

    /// How many runs the defaults ask for: private and control for each point, and the ceilings.
    pub fn cells(self, wanted: &Wanted) -> u64 {
        let points = match self {
            Self::Fig1 => return (variance_series(wanted) * wanted.epsilons.len()) as u64,
            Self::Fig2 | Self::Table3 => wanted.mechanisms.len() * wanted.epsilons.len(),
            Self::Fig3 | Self::Fig4 => {
                wanted.mechanisms.len() * wanted.epsilons.len() * wanted.ks.len()
            }
        };
        (2 * points as u64 + 1) * wanted.datasets.len() as u64 * wanted.runs
    }
}

/// The square wave is drawn twice: as printed and without bias.
fn variance_series(wanted: &Wanted) -> usize {
    let twice = wanted.mechanisms.iter().filter(|name| *name == "square-wave").count();
    wanted.mechanisms.len() + twice
}

impl Wanted {
    /// The paper's settings. LastFM's features are not in the catalog, so it is not among them.
    pub fn of(item: Item) -> Self {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let (mechanisms, epsilons): (&[&str], &[f64]) = match item {
            Item::Fig1 => (
                &["laplace", "piecewise", "multi-bit", "square-wave"],
                &[0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0],
            ),
            Item::Fig2 => {
                (&["laplace", "piecewise", "multi-bit", "hds"], &[0.01, 0.1, 1.0, 2.0, 3.0, 5.0])
            }
            Item::Table3 => (&["laplace", "piecewise", "multi-bit", "hds"], &[1.0, 2.0, 3.0, 5.0]),
            Item::Fig3 | Item::Fig4 => (&["hds"], &[1.0, 2.0, 3.0]),
        };
        let datasets = match item {
            Item::Fig1 => Vec::new(),
            _ => {
                names(&["cora", "citeseer", "pubmed", "facebook_page_page", "wikipedia_crocodile"])
            }
        };
        Self {
            datasets,
            mechanisms: names(mechanisms),
            epsilons: epsilons.to_vec(),
            ks: vec![1, 3, 5, 10, 20, 30, 50],
            runs: 10,
            decoding: None,
            draws: 100_000,
        }
    }

    /// Minutes instead of hours: Cora, two runs, three epsilons. Its cells are among those of the
    /// whole, so a whole sweep in the same folder continues from them.
    pub fn quick(item: Item) -> Self {
        let whole = Self::of(item);
        let epsilons: &[f64] = match item {
            Item::Fig1 => &[0.1, 1.0, 5.0],
            Item::Fig2 => &[0.01, 1.0, 5.0],
            Item::Table3 => &[1.0, 3.0, 5.0],
            Item::Fig3 | Item::Fig4 => &[1.0, 2.0, 3.0],
        };
        Self {
            datasets: whole.datasets.into_iter().take(1).collect(),
            epsilons: epsilons.to_vec(),
            ks: vec![1, 10, 50],
            runs: 2,
            draws: 10_000,
            ..whole
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_misspellings_noticed() {
        for item in Item::ALL {
            assert_eq!(Item::find(item.name()).unwrap(), item);
        }
        let error = Item::find("ldp-ge/fig5").unwrap_err();
        assert!(
            matches!(&error, Error::UnknownName { suggestion: Some(near), .. } if near.starts_with("ldp-ge/fig"))
        );
    }

    #[test]
    fn cells_are_counted() {
        // 4 mechanisms x 6 epsilons, private and control, and a ceiling; 5 datasets, 10 runs.
        assert_eq!(Item::Fig2.cells(&Wanted::of(Item::Fig2)), (2 * 24 + 1) * 5 * 10);
        assert_eq!(Item::Fig4.cells(&Wanted::of(Item::Fig4)), (2 * 21 + 1) * 5 * 10);
        assert_eq!(Item::Fig1.cells(&Wanted::quick(Item::Fig1)), 5 * 3);
    }

    #[test]
    fn quick_cells_are_among_all_cells() {
        for item in [Item::Fig2, Item::Table3, Item::Fig3, Item::Fig4] {
            let (quick, whole) = (Wanted::quick(item), Wanted::of(item));
            assert!(quick.epsilons.iter().all(|epsilon| whole.epsilons.contains(epsilon)));
            assert!(quick.ks.iter().all(|k| whole.ks.contains(k)) && quick.runs <= whole.runs);
        }
    }
}
