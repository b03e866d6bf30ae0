//! A short row for each person, by a projection that knows nothing of the people trained on.
//!
//! Noise is added to every weight, so fewer weights drown less. Visitors' features are public here in any case
//! (see [`infer`](super::infer)), so the directions in which *they* vary most may be used for free: the leading
//! right singular vectors of their feature matrix, by subspace iteration. No label of a visitor is looked at.
//! A model of short rows is the same as one of whole rows whose first weights are the directions times its own
//! ([`Projection::unfold`]), so that is what is released.

use rand::RngExt as _;

use super::Visitors;
use crate::graph::{DenseMatrix, Features, SimRng};
use crate::learn::models::{Mlp, MlpConfig};
use crate::learn::parameters::Parameters;
use crate::learn::spectral;
use crate::{Error, Result};

/// Rounds of subspace iteration: more than the eigenvalues of word counts need.
const ROUNDS: usize = 8;

/// A matrix with a column for every feature of a projected row, one after the other.
#[derive(Debug, Clone)]
pub struct Projection {
    inputs: usize,
    /// Each of length `inputs`, orthonormal up to a common factor that gives visitors' rows a norm of about 1.
    directions: Vec<Vec<f64>>,
}

impl Projection {
    /// The leading directions of the visitors' rows; fewer if the rows have not as many.
    pub fn of(visitors: &Visitors, width: usize, seed: u64) -> Self {
        let (rows, inputs) = (&visitors.features, visitors.features.columns());
        let width = width.min(inputs).min(rows.rows()).max(1);
        let mut rng = SimRng::stream(seed, 3);
        let start = (0..width)
            .map(|_| (0..inputs).map(|_| rng.random_range(-1.0..1.0)).collect())
            .collect();
        let directions = spectral::iterate(start, ROUNDS, |direction| through(rows, direction));
        let unscaled = Self { inputs, directions };
        let short = unscaled.apply(rows);
        let norm = |row| -> f64 {
            let squares = short.nonzero_entries(row).map(|(_, value)| f64::from(value).powi(2));
            squares.sum::<f64>().sqrt()
        };
        let mean = (0..rows.rows()).map(norm).sum::<f64>() / rows.rows().max(1) as f64;
        let scale = if mean > 0.0 { 1.0 / mean } else { 1.0 };
        let scaled = |direction: Vec<f64>| direction.into_iter().map(|v| v * scale).collect();
        Self { directions: unscaled.directions.into_iter().map(scaled).collect(), ..unscaled }
    }

    /// Every row, projected.
    pub fn apply(&self, rows: &Features) -> Features {
        let mut short = DenseMatrix::zeros(rows.rows(), self.directions.len());
        for row in 0..rows.rows() {
            let entries: Vec<(u32, f32)> = rows.nonzero_entries(row).collect();
            let inner = |direction: &Vec<f64>| -> f64 {
                let parts = entries.iter().filter(|(column, _)| (*column as usize) < self.inputs);
                parts.map(|&(column, value)| f64::from(value) * direction[column as usize]).sum()
            };
            let values: Vec<f64> = self.directions.iter().map(inner).collect();
            for (short, value) in short.row_mut(row).iter_mut().zip(values) {
                *short = value as f32;
            }
        }
        Features::dense(short)
    }
}

impl Projection {
    /// How long short rows are.
    pub fn width(&self) -> usize {
        self.directions.len()
    }

    /// The model of whole rows that says what `model` says of short ones.
    ///
    /// # Errors
    /// If the model does not take short rows.
    pub fn unfold(&self, model: &Mlp) -> Result<Mlp> {
        if model.config().inputs != self.width() {
            return Err(Error::invalid("inputs of the model", model.config().inputs, self.width()));
        }
        let mut tensors: Vec<DenseMatrix> = Vec::new();
        model.visit(&mut |parameter| tensors.push(parameter.value.clone()));
        if let Some(first) = tensors.first_mut() {
            let mut whole = DenseMatrix::zeros(self.inputs, first.columns());
            for input in 0..self.inputs {
                for (direction, weights) in self.directions.iter().zip(0..first.rows()) {
                    let part = direction[input] as f32;
                    let pairs = whole.row_mut(input).iter_mut().zip(first.row(weights));
                    pairs.for_each(|(whole, weight)| *whole += part * weight);
                }
            }
            *first = whole;
        }
        let mut unfolded = Mlp::new(MlpConfig { inputs: self.inputs, ..model.config().clone() })?;
        let mut left = tensors.into_iter();
        unfolded.visit_mut(&mut |parameter| {
            if let Some(value) = left.next() {
                parameter.value = value;
            }
        });
        Ok(unfolded)
    }
}

/// `Xᵀ X v`.
fn through(rows: &Features, direction: &[f64]) -> Vec<f64> {
    let mut result = vec![0.0; direction.len()];
    for row in 0..rows.rows() {
        let inner: f64 = rows
            .nonzero_entries(row)
            .map(|(column, value)| f64::from(value) * direction[column as usize])
            .sum();
        for (column, value) in rows.nonzero_entries(row) {
            result[column as usize] += inner * f64::from(value);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Direction, Graph};
    use crate::learn::models::Network;

    #[test]
    fn directions_are_those_in_which_visitors_vary() {
        // Rows lie in the plane of the first two of five axes.
        let mut rows = DenseMatrix::zeros(6, 5);
        for row in 0..6 {
            rows.row_mut(row)[row % 2] = 1.0 + row as f32;
        }
        let graph = Graph::empty(6, Direction::Undirected).unwrap();
        let features = Features::dense(rows);
        let visitors =
            Visitors { graph, features: features.clone(), centred: None, classes: vec![0; 6] };
        let projection = Projection::of(&visitors, 2, 1);
        let short = projection.apply(&features);
        // The plane keeps all of a row: norms are the old ones times one factor.
        let norm = |rows: &Features, row| -> f64 {
            let squares = rows.nonzero_entries(row).map(|(_, value)| f64::from(value).powi(2));
            squares.sum::<f64>().sqrt()
        };
        let factor = norm(&short, 0) / norm(&features, 0);
        for row in 1..6 {
            assert!((norm(&short, row) / norm(&features, row) - factor).abs() < 1e-4);
        }
        // What lies outside the plane is not seen.
        let mut outside = DenseMatrix::zeros(1, 5);
        outside.row_mut(0)[4] = 1.0;
        let outside = projection.apply(&Features::dense(outside));
        assert!(norm(&outside, 0) < 1e-4, "{}", norm(&outside, 0));
        // A model of short rows, unfolded, says the same of whole ones.
        let config = MlpConfig { hidden: vec![3], dropout: 0.0, ..MlpConfig::new(2, 4) };
        let model = Mlp::new(config).unwrap();
        let all: Vec<u32> = (0..6).collect();
        let one = model.scores(short.matrix().into(), &all);
        let other = projection.unfold(&model).unwrap().scores(features.matrix().into(), &all);
        let pairs = one.values().iter().zip(other.values());
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-4));
    }
}
