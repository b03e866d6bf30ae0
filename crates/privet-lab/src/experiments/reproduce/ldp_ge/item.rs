//! [`LdpGeFigure`]: which figure of the paper.

use crate::experiments::ldp_ge::Task;
use crate::experiments::reproduce::Wanted;

/// A figure or table of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LdpGeFigure {
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

impl LdpGeFigure {
    /// What is predicted, if anything.
    pub fn task(self) -> Option<Task> {
        match self {
            Self::Fig1 => None,
            Self::Fig2 | Self::Fig3 => Some(Task::Nodes),
            Self::Table3 | Self::Fig4 => Some(Task::Links),
        }
    }

    /// How many runs are asked for: private and control for each point, and the ceilings.
    pub fn cells(self, wanted: &Wanted) -> u64 {
        let lines = wanted.mechanisms.len() * wanted.epsilons.len();
        let points = match self {
            // The square wave is drawn twice: as printed and without bias.
            Self::Fig1 => {
                let twice = wanted.mechanisms.iter().filter(|name| *name == "square-wave").count();
                return (lines + twice * wanted.epsilons.len()) as u64;
            }
            Self::Fig2 | Self::Table3 => lines,
            Self::Fig3 | Self::Fig4 => lines * wanted.points.len(),
        };
        (2 * points as u64 + 1) * wanted.datasets.len() as u64 * wanted.runs
    }
}
