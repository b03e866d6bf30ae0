//! [`DparFigure`]: which figure of the paper: along epsilon, or along a setting.

use super::lines::SystemLine;
use crate::experiments::reproduce::Wanted;

/// A figure or table of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DparFigure {
    /// Accuracy of all methods at epsilon 1 and 8.
    Table1,
    /// Accuracy against epsilon.
    Fig1,
    /// How epsilon is shared between structure and training: figures 2 to 6, on different data.
    Share,
    /// What scores are clipped to.
    Clip,
    /// K.
    Keep,
    /// The size of batches.
    Batch,
    /// What gradients are clipped to.
    ClipNorm,
    /// M.
    Sources,
}

impl DparFigure {
    /// What the axis is, and its places.
    pub fn axis(self, wanted: &Wanted) -> (&'static str, Vec<f64>) {
        match self {
            Self::Table1 | Self::Fig1 => ("epsilon", wanted.epsilons.clone()),
            Self::Share => ("share of the structure", vec![0.1, 0.3, 0.5, 0.7, 0.9]),
            Self::Clip => ("clip", vec![1e-4, 1e-3, 1e-2, 1e-1]),
            Self::Keep => ("K", vec![2.0, 4.0, 8.0, 16.0, 32.0]),
            Self::Batch => ("batch", vec![15.0, 30.0, 60.0, 120.0]),
            Self::ClipNorm => ("clip norm", vec![0.01, 0.1, 1.0, 10.0]),
            Self::Sources => ("M", vec![10.0, 30.0, 70.0, 150.0]),
        }
    }

    /// How many runs the settings ask for.
    pub fn cells(self, wanted: &Wanted) -> u64 {
        // A system that stands at several places is one cell.
        let distinct =
            |line: &SystemLine| 1 + line.places.windows(2).filter(|w| w[0] != w[1]).count();
        let per_dataset: usize =
            self.lines(wanted, "").map_or(0, |lines| lines.iter().map(distinct).sum());
        per_dataset as u64 * wanted.datasets.len() as u64 * wanted.runs
    }
}
