//! [`DprrFigure`]: which figure of the paper.

use privet::dprr::DprrMethod;

use crate::experiments::reproduce::Wanted;

/// A figure of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DprrFigure {
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

/// What users send, by the names that are wanted.
pub(super) fn methods(wanted: &Wanted) -> Vec<DprrMethod> {
    let named = |name: &String| DprrMethod::ALL.into_iter().find(|method| method.name() == name);
    wanted.mechanisms.iter().filter_map(named).collect()
}

pub(super) fn has_noise(method: DprrMethod) -> bool {
    !matches!(method, DprrMethod::NonPrivPart | DprrMethod::NonPrivFull)
}

impl DprrFigure {
    /// Whether its axis is epsilon; the others use the first one.
    pub fn over_epsilons(self) -> bool {
        matches!(self, Self::Fig5 | Self::Fig7)
    }

    /// How many cells there are. Reports are read in two ways; figures of DPRR have a control each.
    pub fn cells(self, wanted: &Wanted) -> u64 {
        let methods = methods(wanted);
        let noisy = methods.iter().filter(|method| has_noise(**method)).count();
        let controlled = noisy + usize::from(methods.contains(&DprrMethod::Dprr));
        let points = wanted.points.len();
        let per_run = match self {
            // Where nobody publishes there is no graph of those who do.
            Self::Fig4 => {
                let some = wanted.points.iter().filter(|lambda| **lambda > 0.0).count();
                2 * (controlled * points + (methods.len() - noisy) * some + 1)
            }
            Self::Fig5 => 2 * (controlled * wanted.epsilons.len() + 1),
            Self::Fig6 => 3 * 2 * points + 2,
            Self::Fig10 => 2 * 2 * 3 * points + 3,
            Self::Fig7 => return wanted.datasets.len() as u64,
            Self::Fig8 => return (noisy * points * wanted.datasets.len()) as u64 * wanted.runs,
            Self::Fig9 => return (2 * noisy * points) as u64 * wanted.runs,
        };
        per_run as u64 * wanted.datasets.len() as u64 * wanted.runs
    }
}
