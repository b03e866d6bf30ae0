//! [`Item`]: a figure or table of a paper as data: what it is called, and with which settings it is measured.

mod list;

use privet::graph::Error;
use privet::privacy::features::Decoding;

use super::dpar::{DparFigure, pictures};
use super::dprr::DprrFigure;
use super::heterorr::HeteroRrFigure;
use super::ldp_ge::LdpGeFigure;

pub use list::ITEMS;

/// A figure or table of a paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Item {
    /// The name on the command line, in stores and in reports: `PAPER/ITEM`.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// About how long it takes on two cores.
    pub cost: &'static str,
    /// How it is measured.
    pub figure: Figure,
    /// The paper's settings, as far as its data is in the catalog.
    whole: Scope,
    /// A first look: minutes instead of hours.
    quick: Scope,
}

/// How an item is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Features randomised by their owners, spread over the graph.
    LdpGe(LdpGeFigure),
    /// Neighbour lists randomised by their owners, graphs told apart.
    Dprr(DprrFigure),
    /// One graph made private once, with public and private edges.
    HeteroRr(HeteroRrFigure),
    /// A classifier trained on a curator's graph that hides whole people.
    Dpar(DparFigure),
    /// Pictures of what such a classifier makes of people.
    Pictures,
}

/// Settings as they stand in the list of items.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scope {
    datasets: &'static [&'static str],
    mechanisms: &'static [&'static str],
    epsilons: &'static [f64],
    points: &'static [f64],
    runs: u64,
    size: usize,
}

/// What to measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Names of benchmarks or files.
    pub datasets: Vec<String>,
    /// Mechanisms, methods or curves, by name.
    pub mechanisms: Vec<String>,
    /// Budgets. The ceiling, an epsilon without end, is always measured.
    pub epsilons: Vec<f64>,
    /// Places of an axis that is not epsilon.
    pub points: Vec<f64>,
    /// Seeds 0, 1, ... up to so many.
    pub runs: u64,
    /// Draws per variance, or generated graphs, where an item has them.
    pub size: usize,
    /// How reports of features are read, as the preset of the dataset says if not given.
    pub decoding: Option<Decoding>,
}

impl Item {
    /// The item of a name.
    ///
    /// # Errors
    /// If there is none, with the nearest that there is.
    pub fn find(name: &str) -> Result<&'static Self, Error> {
        let known = || ITEMS.iter().map(|item| item.name);
        let found = ITEMS.iter().find(|item| item.name == name);
        found.ok_or_else(|| Error::unknown_name("item", name, known()))
    }

    /// The paper's settings, or those of a first look.
    pub fn wanted(&self, quick: bool) -> Wanted {
        let scope = if quick { &self.quick } else { &self.whole };
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Wanted {
            datasets: names(scope.datasets),
            mechanisms: names(scope.mechanisms),
            epsilons: scope.epsilons.to_vec(),
            points: scope.points.to_vec(),
            runs: scope.runs,
            size: scope.size,
            decoding: None,
        }
    }

    /// How many cells that are.
    pub fn cells(&self, wanted: &Wanted) -> u64 {
        match self.figure {
            Figure::LdpGe(figure) => figure.cells(wanted),
            Figure::Dprr(figure) => figure.cells(wanted),
            Figure::HeteroRr(figure) => figure.cells(wanted),
            Figure::Dpar(figure) => figure.cells(wanted),
            Figure::Pictures => pictures::count(wanted),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_found_and_misspellings_noticed() {
        for item in ITEMS {
            assert_eq!(Item::find(item.name).unwrap(), item);
        }
        assert_eq!(ITEMS.iter().map(|item| item.name).collect::<BTreeSet<_>>().len(), 30);
        let error = Item::find("ldp-ge/fig5").unwrap_err();
        assert!(
            matches!(&error, Error::UnknownName { suggestion: Some(near), .. } if near.starts_with("ldp-ge/fig"))
        );
    }

    fn cells(name: &str, quick: bool) -> u64 {
        let item = Item::find(name).unwrap();
        item.cells(&item.wanted(quick))
    }

    #[test]
    fn cells_are_counted() {
        // 4 mechanisms x 6 epsilons, private and control, and a ceiling; 5 datasets, 10 runs.
        assert_eq!(cells("ldp-ge/fig2", false), (2 * 24 + 1) * 5 * 10);
        assert_eq!(cells("ldp-ge/fig4", false), (2 * 21 + 1) * 5 * 10);
        assert_eq!(cells("ldp-ge/fig1", true), 5 * 3);
        // Three noisy methods and a control at 4 lambdas, one without noise at 3, a ceiling; 10 runs;
        // all of it in two readings.
        assert_eq!(cells("dprr/fig4", false), 2 * (4 * 4 + 3 + 1) * 10);
        assert_eq!(cells("dprr/fig10", false), (12 * 6 + 3) * 10);
        assert_eq!(cells("dprr/fig9", false), 2 * 3 * 4);
        // Four lines as printed, eight by theorem and five among strangers at two epsilons, and two ceilings; three
        // datasets, ten runs.
        assert_eq!(cells("dpar/table1", false), 36 * 3 * 10);
        assert_eq!(cells("dpar/fig8", true), (3 * 5 + 1) * 2);
    }

    #[test]
    fn a_first_look_is_a_part_of_the_whole() {
        for item in ITEMS {
            let (quick, whole) = (item.wanted(true), item.wanted(false));
            assert!(item.cells(&quick) <= item.cells(&whole), "{}", item.name);
            assert!(quick.epsilons.iter().all(|epsilon| whole.epsilons.contains(epsilon)));
            assert_eq!(quick.mechanisms, whole.mechanisms, "{}", item.name);
            if matches!(item.figure, Figure::LdpGe(_)) {
                assert!(quick.points.iter().all(|point| whole.points.contains(point)));
            }
        }
    }
}
