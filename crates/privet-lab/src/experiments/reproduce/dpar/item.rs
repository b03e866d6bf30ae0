//! [`Item`]: what can be reproduced; [`Wanted`]: with which data, epsilons and seeds.

use privet::graph::Error;
use serde::Serialize;

use super::lines::Line;

/// A figure or table of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// Accuracy of all methods at epsilon 1 and 8.
    Table1,
    /// Accuracy against epsilon.
    Fig1,
    /// How epsilon is shared between structure and training, on Cora-ML.
    Fig2,
    /// The same on the CS data.
    Fig3,
    /// The same on MS Academic, which is the CS data by another name.
    Fig4,
    /// The same on Reddit.
    Fig5,
    /// The same on Physics.
    Fig6,
    /// What scores are clipped to.
    Fig7,
    /// K.
    Fig8,
    /// The size of batches.
    Fig10,
    /// What gradients are clipped to.
    Fig11,
    /// M.
    Fig12,
}

/// What to measure. The defaults are the paper's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Wanted {
    /// Names of benchmarks.
    pub datasets: Vec<String>,
    /// Budgets.
    pub epsilons: Vec<f64>,
    /// Seeds 0, 1, ... up to so many.
    pub runs: u64,
}

impl Item {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Table1,
        Self::Fig1,
        Self::Fig2,
        Self::Fig3,
        Self::Fig4,
        Self::Fig5,
        Self::Fig6,
        Self::Fig7,
        Self::Fig8,
        Self::Fig10,
        Self::Fig11,
        Self::Fig12,
    ];

    /// The name on the command line, in stores and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table1 => "dpar/table1",
            Self::Fig1 => "dpar/fig1",
            Self::Fig2 => "dpar/fig2",
            Self::Fig3 => "dpar/fig3",
            Self::Fig4 => "dpar/fig4",
            Self::Fig5 => "dpar/fig5",
            Self::Fig6 => "dpar/fig6",
            Self::Fig7 => "dpar/fig7",
            Self::Fig8 => "dpar/fig8",
            Self::Fig10 => "dpar/fig10",
            Self::Fig11 => "dpar/fig11",
            Self::Fig12 => "dpar/fig12",
        }
    }

    /// What it shows.
    pub fn title(self) -> &'static str {
        match self {
            Self::Table1 => "Accuracy of all methods, printed and honest",
            Self::Fig1 => "Accuracy against epsilon",
            Self::Fig2 => "The share of epsilon for the structure, Cora-ML",
            Self::Fig3 => "The share of epsilon for the structure, CS",
            Self::Fig4 => "The share of epsilon for the structure, MS Academic",
            Self::Fig5 => "The share of epsilon for the structure, Reddit",
            Self::Fig6 => "The share of epsilon for the structure, Physics",
            Self::Fig7 => "What scores are clipped to",
            Self::Fig8 => "How many nodes a row names",
            Self::Fig10 => "The size of batches",
            Self::Fig11 => "What gradients are clipped to",
            Self::Fig12 => "How many rows of PageRank are released",
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

    /// What the axis is, and its places.
    pub fn axis(self, wanted: &Wanted) -> (&'static str, Vec<f64>) {
        match self {
            Self::Table1 | Self::Fig1 => ("epsilon", wanted.epsilons.clone()),
            Self::Fig2 | Self::Fig3 | Self::Fig4 | Self::Fig5 | Self::Fig6 => {
                ("share of the structure", vec![0.1, 0.3, 0.5, 0.7, 0.9])
            }
            Self::Fig7 => ("clip", vec![1e-4, 1e-3, 1e-2, 1e-1]),
            Self::Fig8 => ("K", vec![2.0, 4.0, 8.0, 16.0, 32.0]),
            Self::Fig10 => ("batch", vec![15.0, 30.0, 60.0, 120.0]),
            Self::Fig11 => ("clip norm", vec![0.01, 0.1, 1.0, 10.0]),
            Self::Fig12 => ("M", vec![10.0, 30.0, 70.0, 150.0]),
        }
    }

    /// How many runs the settings ask for.
    pub fn cells(self, wanted: &Wanted) -> u64 {
        // A system that stands at several places is one cell.
        let distinct = |line: &Line| 1 + line.places.windows(2).filter(|w| w[0] != w[1]).count();
        let per_dataset: usize =
            self.lines(wanted, "").map_or(0, |lines| lines.iter().map(distinct).sum());
        per_dataset as u64 * wanted.datasets.len() as u64 * wanted.runs
    }
}

impl Wanted {
    /// The paper's settings, on the data that the catalog has.
    pub fn of(item: Item) -> Self {
        let names: &[&str] = match item {
            Item::Table1 => &["cora_ml", "ms_academic_cs", "ms_academic_phy"],
            Item::Fig3 | Item::Fig4 => &["ms_academic_cs"],
            Item::Fig5 => &["reddit"],
            Item::Fig6 => &["ms_academic_phy"],
            _ => &["cora_ml"],
        };
        let epsilons: &[f64] = match item {
            Item::Fig1 => &[1.0, 2.0, 4.0, 8.0],
            Item::Fig7 | Item::Fig8 | Item::Fig10 | Item::Fig11 => &[8.0],
            _ => &[1.0, 8.0],
        };
        let datasets = names.iter().map(|&name| name.to_owned()).collect();
        Self { datasets, epsilons: epsilons.to_vec(), runs: 10 }
    }

    /// Minutes: Cora-ML, two runs.
    pub fn quick(item: Item) -> Self {
        let whole = Self::of(item);
        Self { datasets: whole.datasets.into_iter().take(1).collect(), runs: 2, ..whole }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_cells_are_counted() {
        for item in Item::ALL {
            assert_eq!(Item::find(item.name()).unwrap(), item);
        }
        // Four lines as printed, eight by theorem and five among strangers at two epsilons, and two ceilings; three
        // datasets, ten runs.
        assert_eq!(Item::Table1.cells(&Wanted::of(Item::Table1)), 36 * 3 * 10);
        assert_eq!(Item::Fig8.cells(&Wanted::quick(Item::Fig8)), (3 * 5 + 1) * 2);
    }
}
