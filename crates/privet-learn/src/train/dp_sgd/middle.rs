//! The middle of rows, released by the first steps of a training, and rows around it.
//!
//! # Why
//! Declared ranges are wide: most records lie in a corner of them, and rows point in nearly one direction. What tells classes
//! apart is then a small part of a row of norm 1, and noise is in proportion to the whole. Around their own middle, rows are
//! all difference. On skewed columns this is worth as much as three times the epsilon.
//!
//! # Equation
//! A step that releases the middle adds `a x` of every row x of norm 1 to one column of the first layer's gradient, with a
//! so that its norm is what gradients are clipped to. After k steps the sum is the mean m of all rows, with noise of deviation τ a
//! coordinate. All but the last coordinate (the constant) are shrunk by `1 - (d - 2) τ² / |m|²` (James and Stein). Later
//! steps read `(x - m) / s`, with `s² = 1 - |m|²`: the mean square of `x - m`, for rows of norm 1.
//!
//! # Guarantee
//! That of `dp-sgd`: m is part of the parameters, computed from noisy gradients, and a row's factors are computed from that row
//! and the parameters.

use privet_graph::{DenseMatrix, FeatureMatrix};
use privet_privacy::fault::{self, Fault};
use privet_privacy::sgd::NoisyGradient;

/// The least s²: rows that hardly differ are not blown up without bound.
const LEAST_SPREAD: f64 = 0.02;

/// How the middle is released; public.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MiddleSettings {
    /// k: how many steps are for it. 0: none, and rows stay as they are.
    pub steps: u64,
    /// τ: the deviation of the noise on a coordinate of the mean.
    pub deviation: f64,
}

impl MiddleSettings {
    /// Rows as they are.
    pub const NONE: Self = Self { steps: 0, deviation: 0.0 };
}

/// The middle so far.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RowMiddle {
    settings: MiddleSettings,
    taken: u64,
    /// m once all steps are taken, the sum of noisy means before.
    middle: Vec<f32>,
    /// s.
    spread: f32,
}

impl RowMiddle {
    pub fn new(settings: MiddleSettings, columns: usize) -> Self {
        Self { settings, taken: 0, middle: vec![0.0; columns], spread: 1.0 }
    }

    /// Whether rows are taken from it at all.
    pub fn is_used(&self) -> bool {
        self.settings.steps > 0
    }

    /// Whether the next step is for the middle.
    pub fn is_open(&self) -> bool {
        self.taken < self.settings.steps
    }

    /// Adds what a step released: `weight` (a) times the mean row, in the first column of a layer of so many outputs.
    pub fn take(&mut self, gradient: &NoisyGradient, outputs: usize, weight: f32) {
        // While the middle is open, rows stand in the first output of the layer alone: every so many-th number is
        // one of it.
        let released = gradient.weights(0).iter().step_by(outputs);
        self.middle.iter_mut().zip(released).for_each(|(sum, &mean)| *sum += mean / weight);
        self.taken += 1;
        if !self.is_open() {
            self.finish();
        }
    }

    fn finish(&mut self) {
        self.middle.iter_mut().for_each(|value| *value /= self.taken as f32);
        let columns = self.middle.len().saturating_sub(1);
        let square = |values: &[f32]| values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>();
        // James and Stein: of the squared length, about (d - 2) σ² is noise. The mean is shrunk by that share.
        let noise = columns.saturating_sub(2) as f64 * self.settings.deviation.powi(2);
        let kept = (1.0 - noise / square(&self.middle[..columns]).max(1e-12)).max(0.0);
        self.middle[..columns].iter_mut().for_each(|value| *value *= kept as f32);
        // E|x - m|² = E|x|² - |m|², and rows have norm 1 at most.
        self.spread = (1.0 - square(&self.middle)).max(LEAST_SPREAD).sqrt() as f32;
    }

    /// Rows around it, each on its own; as they are where no step is for a middle.
    pub fn around(&self, rows: FeatureMatrix) -> FeatureMatrix {
        if self.settings.steps == 0 {
            return rows;
        }
        let mut rows = match rows {
            FeatureMatrix::Dense(rows) => rows,
            FeatureMatrix::Sparse(rows) => rows.to_dense(),
        };
        let mut middle = self.middle.clone();
        if fault::on(Fault::RowsAroundTheBatch) {
            middle.fill(0.0);
            for row in 0..rows.rows() {
                let part = rows.row(row).iter().map(|value| value / rows.rows() as f32);
                middle.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            }
        }
        for row in 0..rows.rows() {
            let values = rows.row_mut(row).iter_mut().zip(&middle);
            values.for_each(|(value, middle)| *value = (*value - middle) / self.spread);
        }
        FeatureMatrix::Dense(rows)
    }

    /// Weights and biases of a layer that reads rows as they are, of one that reads rows around the middle.
    pub fn unfold(&self, weights: &mut DenseMatrix, biases: &mut DenseMatrix) {
        if self.settings.steps == 0 {
            return;
        }
        // w (x - m)/s + b = (w/s) x + (b - (w/s) m): the same model on rows as they are.
        weights.values_mut().iter_mut().for_each(|weight| *weight /= self.spread);
        for (column, &middle) in self.middle.iter().enumerate() {
            let shift = biases.row_mut(0).iter_mut().zip(weights.row(column));
            shift.for_each(|(bias, weight)| *bias -= middle * weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn middle() -> RowMiddle {
        let settings = MiddleSettings { steps: 2, deviation: 0.1 };
        // The sum of two noisy means.
        let mut middle = RowMiddle { taken: 2, ..RowMiddle::new(settings, 3) };
        middle.middle = vec![0.8, 0.4, 1.2];
        middle.finish();
        middle
    }

    fn rows() -> DenseMatrix {
        DenseMatrix::new(2, 3, vec![0.6, 0.0, 0.8, 0.0, 0.6, 0.8]).unwrap()
    }

    /// The factors of a row may depend on that row and on parameters.
    #[test]
    fn a_row_around_the_middle_knows_no_other() {
        let FeatureMatrix::Dense(all) = middle().around(FeatureMatrix::Dense(rows())) else {
            return;
        };
        for row in 0..2 {
            let one = DenseMatrix::new(1, 3, rows().row(row).to_vec()).unwrap();
            let FeatureMatrix::Dense(alone) = middle().around(FeatureMatrix::Dense(one)) else {
                return;
            };
            assert_eq!(alone.row(0), all.row(row));
        }
    }

    /// What a layer says of rows around the middle, the unfolded one says of rows as they are.
    #[test]
    fn layers_are_unfolded() {
        let middle = middle();
        let (mut weights, mut biases) = (
            DenseMatrix::new(3, 2, vec![1.0, -2.0, 0.5, 3.0, -1.0, 0.25]).unwrap(),
            DenseMatrix::new(1, 2, vec![0.1, -0.2]).unwrap(),
        );
        let said = |rows: &DenseMatrix, weights: &DenseMatrix, biases: &DenseMatrix| -> Vec<f32> {
            let dot = |row: usize, class: usize| {
                let terms = rows.row(row).iter().enumerate();
                let dot: f32 = terms.map(|(at, value)| value * weights.row(at)[class]).sum();
                dot + biases.row(0)[class]
            };
            (0..4).map(|at| dot(at / 2, at % 2)).collect()
        };
        let FeatureMatrix::Dense(around) = middle.around(FeatureMatrix::Dense(rows())) else {
            return;
        };
        let wanted = said(&around, &weights, &biases);
        middle.unfold(&mut weights, &mut biases);
        for (found, wanted) in said(&rows(), &weights, &biases).iter().zip(&wanted) {
            assert!((found - wanted).abs() < 1e-4, "{found} {wanted}");
        }
    }
}
