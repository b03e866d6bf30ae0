//! [`Item`]: a figure or table of a paper as data: what it is called, what is in it, and with which settings it is
//! measured.

use std::num::NonZeroUsize;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use privet::data::synthetic::StochasticBlocks;
use privet::graph::{Bounds, BoundsOrigin, Dataset, Error as GraphError, GraphSet};
use privet::ldp_ge::Preset;
use privet::privacy::features::Decoding;
use privet_lab::error::Error;
use privet_lab::experiments::cells::{Key, Sweep};
use privet_lab::experiments::dprr::made_up::threads;
use privet_lab::experiments::trial::{NamedData, Subject};
use privet_lab::report::Report;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::battery;
use crate::dpar::{self, DparFigure};
use crate::dprr::{self, DprrFigure};
use crate::hetero_rr::{self, HeteroRrFigure};
use crate::ldp_ge::{self, LdpGeFigure};
use crate::leaderboard;
use crate::panel::PanelFigure;
use crate::trust_order;

/// A figure or table of a paper.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    /// The name on the command line, in stores and in reports: `PAPER/ITEM`.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// About how long it takes on two cores.
    pub cost: &'static str,
    /// What it is measured on.
    pub reads: ItemData,
    /// The mechanisms, methods or curves that can be asked for; none if all are measured anyway.
    pub known: &'static [&'static str],
    /// Which places can be asked for along an axis, beside epsilon.
    pub places: Option<Places>,
    /// Whether it can be chosen how reports of features are read.
    pub decodes: bool,
    /// Whether it is measured with the first seed alone.
    pub once: bool,
    /// What is in it.
    pub(super) figure: Figure,
    /// Names of benchmarks, as far as they are in the catalog.
    pub(super) datasets: Both<&'static [&'static str]>,
    /// Mechanisms, methods or curves.
    pub(super) mechanisms: &'static [&'static str],
    /// Budgets.
    pub(super) epsilons: Both<&'static [f64]>,
    /// Places of an axis that is not epsilon.
    pub(super) points: Both<&'static [f64]>,
    /// Seeds.
    pub(super) runs: Both<u64>,
    /// Draws, or generated graphs.
    pub(super) size: Both<usize>,
}

/// The paper's setting; and that of a first look, which takes minutes instead of hours. The cells of a first look are
/// among those of the whole, so a whole sweep in the same folder continues from them.
pub(super) type Both<T> = (T, T);

/// What is in an item.
#[derive(Debug, Clone, Copy)]
pub(super) enum Figure {
    LdpGe(&'static LdpGeFigure),
    Dprr(&'static DprrFigure),
    HeteroRr(&'static HeteroRrFigure),
    Dpar(&'static DparFigure),
    /// Something that is no line along an axis.
    Special(for<'a> fn(&Item, &'a MeasureRequest, &'a Inputs) -> privet::Result<Work<'a>>),
}

/// What is to be measured of an item.
pub struct Work<'a> {
    cells: Box<dyn Fn() -> u64 + 'a>,
    measure: MeasureFn<'a>,
}

type MeasureFn<'a> = Box<dyn Fn(&mut Sweep<'_>) -> Result<Report, Error> + 'a>;

impl<'a> Work<'a> {
    /// Lines along an axis.
    pub(super) fn panels<T: Subject + 'a>(figure: PanelFigure<T>) -> Self {
        let figure = Rc::new(figure);
        let counted = Rc::clone(&figure);
        Self {
            cells: Box::new(move || counted.cells()),
            measure: Box::new(move |sweep| figure.measure(sweep)),
        }
    }

    /// Anything else: a list of jobs, what each follows from, doing one, and all of them as a report.
    pub(super) fn jobs<J: Sync + 'a, V: Serialize + DeserializeOwned + Send>(
        jobs: Vec<J>,
        key: impl Fn(&J) -> Key + 'a,
        work: impl Fn(&J, &AtomicBool) -> privet::Result<V> + Sync + 'a,
        report: impl Fn(&[J], &[V]) -> Report + 'a,
    ) -> Self {
        let cells = jobs.len() as u64;
        let measure = move |sweep: &mut Sweep<'_>| {
            let interrupt = sweep.interrupt;
            let found: Vec<V> = sweep.measure(&jobs, &key, |job| work(job, interrupt))?;
            Ok(report(&jobs, &found))
        };
        Self { cells: Box::new(move || cells), measure: Box::new(measure) }
    }

    /// The same without anything beside it, where time is what is measured.
    pub(super) fn one_at_a_time(self) -> Self {
        let measure = move |sweep: &mut Sweep<'_>| {
            sweep.threads = NonZeroUsize::MIN;
            (self.measure)(sweep)
        };
        Self { cells: self.cells, measure: Box::new(measure) }
    }

    /// How many cells that are.
    pub fn cells(&self) -> u64 {
        (self.cells)()
    }

    /// Measures what is missing, and writes all of it up.
    ///
    /// # Errors
    /// Those of [`Sweep::measure`].
    pub fn measure(&self, sweep: &mut Sweep<'_>) -> Result<Report, Error> {
        (self.measure)(sweep)
    }
}

/// What an item is measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemData {
    /// No data of others, for this reason.
    Nothing(&'static str),
    /// Graphs of people.
    People,
    /// The same, with a range for their features.
    PeopleWithRange,
    /// Graphs of people; of a set of graphs the largest, where structure is all that matters.
    Structure,
    /// Sets of graphs.
    Sets,
}

/// What places an axis may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// Budgets: they are the item's epsilons.
    Epsilons,
    /// Shares of one.
    Shares,
    /// Numbers of users.
    Users,
}

impl Places {
    /// Whether a number is such a place.
    pub fn contains(self, place: f64) -> bool {
        match self {
            Self::Epsilons => place > 0.0 && place.is_finite(),
            Self::Shares => (0.0..=1.0).contains(&place),
            Self::Users => (10.0..=1e7).contains(&place),
        }
    }
}

/// Data by name, of the kind that an item [`ItemData`].
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// Graphs of people.
    pub people: Vec<(String, Dataset)>,
    /// Sets of graphs.
    pub sets: Vec<(String, GraphSet)>,
}

impl Inputs {
    /// All graphs of people.
    pub fn people(&self) -> impl Iterator<Item = NamedData<'_>> {
        self.people.iter().map(|(name, dataset)| NamedData::new(name, dataset))
    }

    /// Small data that were generated, under the names that are wanted: enough to count what would be measured.
    ///
    /// # Errors
    /// Never in practice.
    pub fn made_up(wanted: &MeasureRequest) -> privet::Result<Self> {
        let (nodes, classes, features, mean_degree) = (24, 2, 64, 1.0);
        let blocks =
            StochasticBlocks { nodes, classes, features, mean_degree, ..Default::default() };
        let made = blocks.generate(0)?;
        let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?;
        let made = match made.features().cloned() {
            Some(features) => made.with_features(features.with_bounds(bounds)?)?,
            None => made,
        };
        let set = threads(4, 3..6, 0)?;
        let named = || wanted.datasets.iter().cloned();
        Ok(Self {
            people: named().map(|name| (name, made.clone())).collect(),
            sets: named().map(|name| (name, set.clone())).collect(),
        })
    }
}

/// What to measure.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasureRequest {
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
    /// In place of the published settings.
    pub settings: Option<Preset>,
    /// Settings for the ceiling.
    pub ceiling: Option<Preset>,
}

impl MeasureRequest {
    /// The first of the budgets, for items whose axis is another.
    pub fn epsilon(&self) -> f64 {
        self.epsilons.first().copied().unwrap_or(1.0)
    }
}

impl Item {
    /// All items of all papers, in the order of lists.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        let papers = [ldp_ge::ITEMS, dprr::ITEMS, hetero_rr::ITEMS, dpar::ITEMS];
        let ours = [battery::ITEMS, leaderboard::ITEMS, trust_order::ITEMS];
        papers.into_iter().chain(ours).flatten()
    }

    /// The item of a name.
    ///
    /// # Errors
    /// If there is none, with the nearest that there is.
    pub fn find(name: &str) -> Result<&'static Self, GraphError> {
        let known = || Self::all().map(|item| item.name);
        let found = Self::all().find(|item| item.name == name);
        found.ok_or_else(|| GraphError::unknown_name("item", name, known()))
    }

    /// The paper's settings, or those of a first look.
    pub fn wanted(&self, quick: bool) -> MeasureRequest {
        fn one<T>((whole, first_look): Both<T>, quick: bool) -> T {
            if quick { first_look } else { whole }
        }
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        MeasureRequest {
            datasets: names(one(self.datasets, quick)),
            mechanisms: names(self.mechanisms),
            epsilons: one(self.epsilons, quick).to_vec(),
            points: one(self.points, quick).to_vec(),
            runs: one(self.runs, quick),
            size: one(self.size, quick),
            decoding: None,
            settings: None,
            ceiling: None,
        }
    }

    /// What is to be measured on some data.
    ///
    /// # Errors
    /// If the data lacks something, or a mechanism refuses a place: better now than after an hour.
    pub fn work<'a>(
        &self,
        wanted: &'a MeasureRequest,
        inputs: &'a Inputs,
    ) -> privet::Result<Work<'a>> {
        match self.figure {
            Figure::LdpGe(figure) => figure.work(self, wanted, inputs),
            Figure::Dprr(figure) => figure.work(self, wanted, inputs),
            Figure::HeteroRr(figure) => figure.work(self, wanted, inputs),
            Figure::Dpar(figure) => figure.work(self, wanted, inputs),
            Figure::Special(work) => work(self, wanted, inputs),
        }
    }

    /// How many cells that are, on data that is not read for it.
    ///
    /// # Errors
    /// If a mechanism refuses a place.
    pub fn cells(&self, wanted: &MeasureRequest) -> privet::Result<u64> {
        Ok(self.work(wanted, &Inputs::made_up(wanted)?)?.cells())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use privet::data::catalog;

    use super::*;

    #[test]
    fn names_are_found_and_misspellings_noticed() {
        for item in Item::all() {
            assert_eq!(Item::find(item.name).unwrap().title, item.title);
        }
        assert_eq!(Item::all().map(|item| item.name).collect::<BTreeSet<_>>().len(), 38);
        let error = Item::find("ldp-ge/fig5").unwrap_err();
        assert!(
            matches!(&error, GraphError::UnknownName { suggestion: Some(near), .. } if near.starts_with("ldp-ge/fig"))
        );
    }

    fn cells(name: &str, quick: bool) -> u64 {
        let item = Item::find(name).unwrap();
        item.cells(&item.wanted(quick)).unwrap()
    }

    #[test]
    fn cells_are_counted_once_each() {
        // 4 mechanisms x 6 epsilons, private and control, and a ceiling; 5 datasets, 10 runs.
        assert_eq!(cells("ldp-ge/fig2", false), (2 * 24 + 1) * 5 * 10);
        assert_eq!(cells("ldp-ge/fig4", false), (2 * 21 + 1) * 5 * 10);
        // The square wave is drawn twice: as printed and without bias.
        assert_eq!(cells("ldp-ge/fig1", true), 5 * 3);
        // Three noisy methods and a control at 4 lambdas, one without noise at 3, a ceiling; all of it in two
        // readings; and the largest class. 10 runs.
        assert_eq!(cells("dprr/fig4", false), (2 * (4 * 4 + 3 + 1) + 1) * 10);
        // Three noisy methods, each with its control.
        assert_eq!(cells("dprr/fig5", false), (2 * (2 * 3 * 4 + 1) + 1) * 10);
        // Without attackers (one of 6 shares) it does not matter which attack there is not.
        assert_eq!(cells("dprr/fig10", false), (12 * 5 + 6 + 4) * 10);
        assert_eq!(cells("dprr/adaptive", false), (15 * 3 + 3 + 4) * 10);
        assert_eq!(cells("dprr/fig7", false), 1);
        assert_eq!(cells("dprr/fig8", false), 3 * 5);
        assert_eq!(cells("dprr/fig9", false), 2 * 3 * 4);
        // Five mechanisms at 5 epsilons, and two references that have no noise; two datasets, ten runs.
        assert_eq!(cells("heterorr/fig6", false), (5 * 5 + 2) * 2 * 10);
        // Seven and a control at 3 epsilons and 5 shares, two references at 5 shares.
        assert_eq!(cells("heterorr/fig7", false), (8 * 3 * 5 + 2 * 5) * 2 * 10);
        assert_eq!(cells("heterorr/fig10", true), 10 * 3);
        // Four lines as printed, eleven by theorem and five among strangers at two epsilons, two ceilings and the
        // largest class; three datasets, ten runs.
        assert_eq!(cells("dpar/table1", false), 43 * 3 * 10);
        assert_eq!(cells("dpar/fig8", true), (3 * 5 + 1 + 1) * 2);
        assert_eq!(cells("dpar/fig9", false), 3 * 2 + 1);
    }

    #[test]
    fn a_first_look_is_a_part_of_the_whole() {
        for item in Item::all() {
            let (quick, whole) = (item.wanted(true), item.wanted(false));
            assert!(item.cells(&quick).unwrap() <= item.cells(&whole).unwrap(), "{}", item.name);
            assert!(quick.epsilons.iter().all(|epsilon| whole.epsilons.contains(epsilon)));
            assert_eq!(quick.mechanisms, whole.mechanisms, "{}", item.name);
            // The graphs of figure 9 are smaller, and a first look at DPRR has an axis of its own.
            if !item.name.starts_with("dprr/fig") {
                assert!(quick.points.iter().all(|point| whole.points.contains(point)));
            }
        }
    }

    /// What is declared can be asked for: the same checks that users' options go through.
    #[test]
    fn declarations_pass_their_own_checks() {
        for item in Item::all() {
            for wanted in [item.wanted(false), item.wanted(true)] {
                let known = item.known;
                let is_known = |name: &String| known.contains(&name.as_str());
                assert!(wanted.mechanisms.iter().all(is_known), "{}", item.name);
                match item.places {
                    Some(Places::Epsilons) => assert!(wanted.points.is_empty(), "{}", item.name),
                    Some(places) => {
                        let fits = |&point: &f64| places.contains(point);
                        assert!(!wanted.points.is_empty() && wanted.points.iter().all(fits));
                    }
                    None => {}
                }
                let nothing = matches!(item.reads, ItemData::Nothing(_));
                assert_eq!(nothing, wanted.datasets.is_empty(), "{}", item.name);
                assert!(!wanted.epsilons.is_empty() && wanted.runs > 0, "{}", item.name);
                assert!(!item.once || wanted.runs == 1, "{}", item.name);
            }
        }
    }

    /// Data is named as the catalog names it, but for threads that are made up.
    #[test]
    fn every_dataset_is_in_the_catalog() {
        for item in Item::all() {
            for name in item.wanted(false).datasets.into_iter().chain(item.wanted(true).datasets) {
                let known = name == "synthetic" || catalog::select(&name).is_ok();
                assert!(known, "{} is measured on {name}", item.name);
            }
        }
    }

    #[test]
    fn places_are_what_they_are_called() {
        assert!(Places::Shares.contains(0.0) && Places::Shares.contains(1.0));
        assert!(!Places::Shares.contains(1.01) && !Places::Shares.contains(f64::NAN));
        assert!(Places::Epsilons.contains(1e-3) && !Places::Epsilons.contains(0.0));
        assert!(!Places::Epsilons.contains(f64::INFINITY) && !Places::Users.contains(9.0));
    }
}
