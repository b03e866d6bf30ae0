//! [`Item`]: what can be reproduced; [`Wanted`]: with which settings.

use privet::dprr::{GraphLearner, Method};
use privet::graph::Error;

/// A figure of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// Accuracy and AUC against the share of users who publish.
    Fig4,
    /// Accuracy and AUC against epsilon.
    Fig5,
    /// The split of the budget.
    Fig6,
    /// True and reported degrees.
    Fig7,
    /// Seconds against the share of users sampled.
    Fig8,
    /// Seconds against the number of users.
    Fig9,
    /// Accuracy against the share of malicious users.
    Fig10,
}

/// What to measure. The defaults are the paper's, as far as its data is in the catalog.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Names of sets of graphs.
    pub datasets: Vec<String>,
    /// What users send.
    pub methods: Vec<Method>,
    /// Budgets; figures 4, 6, 7 and 10 use the first.
    pub epsilons: Vec<f64>,
    /// Shares of users who publish, for figure 4.
    pub lambdas: Vec<f64>,
    /// Shares of the bits, for figure 6.
    pub alphas: Vec<f64>,
    /// Shares of malicious users, for figure 10.
    pub betas: Vec<f64>,
    /// Shares of users sampled, for figure 8.
    pub gammas: Vec<f64>,
    /// Users of generated graphs, for figure 9.
    pub sizes: Vec<usize>,
    /// Generated graphs, for figure 9.
    pub graphs: usize,
    /// Seeds 0, 1, ... up to so many.
    pub runs: u64,
    /// How the collector learns.
    pub learner: GraphLearner,
}

impl Item {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Fig4, Self::Fig5, Self::Fig6, Self::Fig7, Self::Fig8, Self::Fig9, Self::Fig10];

    /// The name on the command line, in stores and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fig4 => "dprr/fig4",
            Self::Fig5 => "dprr/fig5",
            Self::Fig6 => "dprr/fig6",
            Self::Fig7 => "dprr/fig7",
            Self::Fig8 => "dprr/fig8",
            Self::Fig9 => "dprr/fig9",
            Self::Fig10 => "dprr/fig10",
        }
    }

    /// What it shows.
    pub fn title(self) -> &'static str {
        match self {
            Self::Fig4 => "Graph classification against the share who publish",
            Self::Fig5 => "Graph classification against epsilon",
            Self::Fig6 => "Graph classification against the budget split",
            Self::Fig7 => "True and reported degrees",
            Self::Fig8 => "Seconds against the share of users sampled",
            Self::Fig9 => "Seconds against the number of users",
            Self::Fig10 => "Graph classification under poisoning",
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

    /// Whether it makes its own graphs.
    pub fn needs_data(self) -> bool {
        self != Self::Fig9
    }

    /// How many cells there are. Reports are read in two ways; figures of DPRR have a control each.
    pub fn cells(self, wanted: &Wanted) -> u64 {
        let noisy = |method: &&Method| !matches!(method, Method::NonPrivPart | Method::NonPrivFull);
        let (noisy, all) = (wanted.methods.iter().filter(noisy).count(), wanted.methods.len());
        let controlled = noisy + usize::from(wanted.methods.contains(&Method::Dprr));
        let per_run = match self {
            // Where nobody publishes there is no graph of those who do.
            Self::Fig4 => {
                let some = wanted.lambdas.iter().filter(|lambda| **lambda > 0.0).count();
                2 * (controlled * wanted.lambdas.len() + (all - noisy) * some + 1)
            }
            Self::Fig5 => 2 * (controlled * wanted.epsilons.len() + 1),
            Self::Fig6 => 3 * 2 * wanted.alphas.len() + 2,
            Self::Fig10 => 2 * 2 * 3 * wanted.betas.len() + 3,
            Self::Fig7 => return wanted.datasets.len() as u64,
            Self::Fig8 => {
                return (noisy * wanted.gammas.len() * wanted.datasets.len()) as u64 * wanted.runs;
            }
            Self::Fig9 => return (2 * noisy * wanted.sizes.len()) as u64 * wanted.runs,
        };
        per_run as u64 * wanted.datasets.len() as u64 * wanted.runs
    }
}

impl Wanted {
    /// The same with other points along the figure's axis.
    #[must_use]
    pub fn with_points(mut self, item: Item, points: &[f64]) -> Self {
        let axis = match item {
            Item::Fig4 => &mut self.lambdas,
            Item::Fig5 | Item::Fig7 => &mut self.epsilons,
            Item::Fig6 => &mut self.alphas,
            Item::Fig8 => &mut self.gammas,
            Item::Fig10 => &mut self.betas,
            Item::Fig9 => {
                self.sizes = points.iter().map(|&size| size as usize).collect();
                return self;
            }
        };
        *axis = points.to_vec();
        self
    }

    /// The paper's settings.
    pub fn of(item: Item) -> Self {
        use Method::{Dprr, LocalLap, NonPrivPart, Rr};
        let methods = match item {
            Item::Fig4 => vec![Dprr, Rr, LocalLap, NonPrivPart],
            Item::Fig6 | Item::Fig10 => vec![Dprr],
            _ => vec![Dprr, Rr, LocalLap],
        };
        let epsilons = match item {
            Item::Fig5 => vec![0.2, 0.5, 1.0, 2.0],
            Item::Fig6 => vec![0.2],
            _ => vec![1.0],
        };
        let datasets = if item.needs_data() { vec!["reddit_binary".to_owned()] } else { vec![] };
        Self {
            datasets,
            methods,
            epsilons,
            lambdas: vec![0.0, 0.1, 0.2, 0.5],
            alphas: vec![0.5, 0.6, 0.7, 0.8, 0.9],
            betas: vec![0.0, 0.1, 0.2, 0.3, 0.4, 0.5],
            gammas: vec![0.2, 0.4, 0.6, 0.8, 1.0],
            sizes: vec![1000, 2000, 3000, 4000],
            graphs: 40,
            runs: if matches!(item, Item::Fig8 | Item::Fig9) { 1 } else { 10 },
            learner: GraphLearner::default(),
        }
    }

    /// Minutes instead of hours: few points, two runs, made-up threads.
    pub fn quick(item: Item) -> Self {
        let whole = Self::of(item);
        let datasets = if item.needs_data() { vec!["synthetic".to_owned()] } else { vec![] };
        Self {
            datasets,
            epsilons: if item == Item::Fig5 { vec![0.5, 2.0] } else { whole.epsilons },
            lambdas: vec![0.0, 0.2, 0.5],
            alphas: vec![0.5, 0.9],
            betas: vec![0.0, 0.3],
            gammas: vec![0.5, 1.0],
            sizes: vec![100, 200, 400],
            graphs: 10,
            runs: whole.runs.min(2),
            ..whole
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_cells_counted() {
        for item in Item::ALL {
            assert_eq!(Item::find(item.name()).unwrap(), item);
        }
        assert!(Item::find("dprr/fig3").is_err());
        // Three noisy methods and a control at 4 lambdas, one without noise at 3, a ceiling; 10 runs;
        // all of it in two readings.
        assert_eq!(Item::Fig4.cells(&Wanted::of(Item::Fig4)), 2 * (4 * 4 + 3 + 1) * 10);
        assert_eq!(Item::Fig10.cells(&Wanted::of(Item::Fig10)), (12 * 6 + 3) * 10);
        assert_eq!(Item::Fig9.cells(&Wanted::of(Item::Fig9)), 2 * 3 * 4);
    }
}
