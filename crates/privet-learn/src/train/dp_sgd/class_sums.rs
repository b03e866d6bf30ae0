//! Sums of rows, class by class: what one full-batch step of DP-SGD can release, and enough for a linear model.
//!
//! # Equation
//! A person with row x and class y adds `√(1 - β²) x` to column y of a matrix, and β to the count of class y. As a
//! gradient it has two layers, each an outer product with the indicator of y, and norm at most 1 if x has. Divided
//! again by those factors, the noisy sums are `S_y = Σ x` and `n_y = Σ 1`, with noise of deviation `σ/√(1 - β²)` and `σ/β`.
//!
//! # Why not train
//! Where noise is large and weights are many, steps of an optimizer spread their noise over all of them again and again;
//! here every number gets noise once.

use privet_graph::{DenseMatrix, FeatureMatrix};
use privet_privacy::FirstParty;
use privet_privacy::sgd::{Bias, Factors, Layer, Learner, NoisyGradient};

use super::LabelledRows;
use crate::{Error, Result};

/// β: how much of a person's part goes into the counts. A count is one number and a sum is many, so little is enough.
const COUNTED: f32 = 0.15;

/// What [`PrivateSums`] releases.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassSums {
    /// For every class the sum of its rows: a row for every column of the data, a column for every class.
    pub sums: DenseMatrix,
    /// How many people each class has; may be below 0, as noise is.
    pub counts: Vec<f64>,
}

/// Sums and counts of so many labelled rows, to be released by a single step of
/// [`DpSgd`](privet_privacy::sgd::DpSgd) on all people, with gradients clipped to 1.
#[derive(Debug, Clone, Copy)]
pub struct PrivateSums {
    people: usize,
    columns: usize,
    classes: usize,
}

impl PrivateSums {
    /// Sums over so many people.
    ///
    /// # Errors
    /// If there are no columns or no classes.
    pub fn new(people: usize, columns: usize, classes: usize) -> Result<Self> {
        for (what, count) in [("columns", columns), ("classes", classes)] {
            if count == 0 {
                return Err(Error::invalid(what, count, "at least 1"));
            }
        }
        Ok(Self { people, columns, classes })
    }

    /// How the noise on a sum compares with the noise of the step.
    pub fn deviation_of_sums(noise_multiplier: f64) -> f64 {
        noise_multiplier / f64::from(of_row())
    }

    /// The same of a count.
    pub fn deviation_of_counts(noise_multiplier: f64) -> f64 {
        noise_multiplier / f64::from(COUNTED)
    }
}

/// √(1 - β²).
fn of_row() -> f32 {
    // A row of norm 1 and its count together have norm 1: (1 - c²) + c².
    (1.0 - COUNTED * COUNTED).sqrt()
}

impl FirstParty for PrivateSums {}

impl Learner for PrivateSums {
    type Data = LabelledRows;
    type Parameters = ClassSums;

    /// Rows are handed on as they are.
    const ROW_BY_ROW: bool = true;

    fn row_count(&self, rows: &usize) -> usize {
        *rows
    }

    fn layers(&self) -> Vec<Layer> {
        let layer = |inputs| Layer { inputs, outputs: self.classes, bias: Bias::Absent };
        vec![layer(self.columns), layer(1)]
    }

    fn initial(&self) -> ClassSums {
        let sums = DenseMatrix::zeros(self.columns, self.classes);
        ClassSums { sums, counts: vec![0.0; self.classes] }
    }

    fn factors(&self, _: &ClassSums, data: &LabelledRows, rows: &[u32]) -> Vec<Factors> {
        let indicators = |value: f32| {
            let mut matrix = DenseMatrix::zeros(rows.len(), self.classes);
            for (at, &row) in rows.iter().enumerate() {
                // Who has no class is not there.
                if let Some(of_class) = matrix.row_mut(at).get_mut(data.class(row) as usize) {
                    *of_class = value;
                }
            }
            matrix
        };
        let mut ones = DenseMatrix::zeros(rows.len(), 1);
        ones.values_mut().fill(1.0);
        vec![
            Factors::rank_one(data.rows(rows), indicators(of_row())),
            Factors::rank_one(FeatureMatrix::Dense(ones), indicators(COUNTED)),
        ]
    }

    fn step(&self, parameters: &mut ClassSums, gradient: &NoisyGradient) {
        let people = self.people as f32;
        let sums = parameters.sums.values_mut().iter_mut().zip(gradient.weights(0));
        sums.for_each(|(sum, &mean)| *sum += mean * people / of_row());
        let counts = parameters.counts.iter_mut().zip(gradient.weights(1));
        counts.for_each(|(count, &mean)| *count += f64::from(mean * people / COUNTED));
    }
}

#[cfg(test)]
mod tests {
    use privet_graph::Features;
    use privet_privacy::event::BatchSampling;
    use privet_privacy::noise::NoiseRng;
    use privet_privacy::sgd::{DpSgd, RowShare, SgdSettings};
    use privet_privacy::unit::Record;
    use privet_privacy::{Ledger, Loss, Secret};

    use super::*;

    fn released(classes: Vec<u32>, noise_multiplier: f64) -> ClassSums {
        let people = classes.len();
        let rows = (0..people).flat_map(|row| [0.6, if row % 2 == 0 { 0.8 } else { -0.8 }]);
        let rows = Features::dense(DenseMatrix::new(people, 2, rows.collect()).unwrap());
        let data = LabelledRows::new(rows, classes).unwrap();
        let settings = SgdSettings {
            steps: 1,
            rows: people as u64,
            batch: BatchSampling::Poisson { rate: 1.0 },
            share: RowShare::Alone,
            clip_norm: 1.0,
            noise_multiplier,
        };
        let learner = PrivateSums::new(people, 2, 2).unwrap();
        let mechanism = DpSgd::<_, Record>::new(settings, learner).unwrap();
        let limit = Loss::new(f64::INFINITY, 0.5).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
        ledger.release(&Secret::new(data), &mechanism).unwrap().into_inner().unwrap()
    }

    /// Nearly without noise: sums and counts by hand, and who has no class counts nowhere.
    #[test]
    fn sums_are_those_of_the_rows() {
        let ClassSums { sums, counts } = released(vec![0, 1, 0, 1, 1, 9], 0.01);
        let by_hand = [[1.2, 1.8], [1.6, -0.8]];
        for (row, expected) in by_hand.iter().enumerate() {
            for (found, expected) in sums.row(row).iter().zip(expected) {
                assert!((found - expected).abs() < 0.05, "{found} for {expected}");
            }
        }
        assert!((counts[0] - 2.0).abs() < 0.4 && (counts[1] - 3.0).abs() < 0.4, "{counts:?}");
    }

    /// Noise is as large as stated, on sums and on counts.
    #[test]
    fn noise_has_the_deviation_that_is_told() {
        let of_sums = PrivateSums::deviation_of_sums(100.0);
        assert!((of_sums - 100.0 / 0.9775f64.sqrt()).abs() < 1e-4);
        let ClassSums { sums, counts } = released(vec![9; 4], 100.0);
        assert!(sums.values().iter().all(|sum| f64::from(sum.abs()) < 5.0 * of_sums));
        assert!(counts.iter().all(|count| count.abs() < 5.0 * 100.0 / 0.15));
        assert!(sums.values().iter().chain(&[counts[0] as f32]).any(|value| value.abs() > 10.0));
    }

    /// No person's part is longer than 1, so clipping changes nothing for rows of norm 1, and shortens longer ones.
    #[test]
    fn a_person_has_norm_one() {
        let rows = Features::dense(DenseMatrix::new(1, 2, vec![0.6, 0.8]).unwrap());
        let data = LabelledRows::new(rows, vec![1]).unwrap();
        let learner = PrivateSums::new(1, 2, 3).unwrap();
        let factors = learner.factors(&learner.initial(), &data, &[0]);
        let squares = |factor: &Factors| -> f32 {
            let FeatureMatrix::Dense(inputs) = &factor.inputs else { return f32::NAN };
            let squared = |values: &[f32]| values.iter().map(|value| value * value).sum::<f32>();
            squared(inputs.values()) * squared(factor.output_gradients.values())
        };
        assert!((factors.iter().map(squares).sum::<f32>() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn nothing_to_sum_is_refused() {
        assert!(PrivateSums::new(5, 0, 2).is_err() && PrivateSums::new(5, 2, 0).is_err());
    }
}
