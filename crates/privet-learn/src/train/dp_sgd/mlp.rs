//! DP-SGD for an MLP on rows that are independent of one another.

use privet_graph::{FeatureMatrix, Features};
use privet_privacy::sgd::{Factors, RowTerms};
use privet_privacy::{FirstParty, PublicShape};

use super::{PrivateNetwork, SecretRows, by_cross_entropy, factors};
use crate::models::Mlp;
use crate::{Error, Result};

/// Rows and their classes: what is secret.
#[derive(Debug, Clone)]
pub struct LabelledRows {
    rows: Features,
    classes: Vec<u32>,
}

impl LabelledRows {
    /// One class per row.
    ///
    /// # Errors
    /// If there is not one class per row.
    pub fn new(rows: Features, classes: Vec<u32>) -> Result<Self> {
        if rows.rows() != classes.len() {
            return Err(Error::invalid(
                "classes",
                classes.len(),
                format!("{} (rows)", rows.rows()),
            ));
        }
        Ok(Self { rows, classes })
    }

    /// Some of the rows.
    pub(super) fn rows(&self, rows: &[u32]) -> FeatureMatrix {
        self.rows.select(rows).into_matrix()
    }

    /// The class of a row.
    pub(super) fn class(&self, row: u32) -> u32 {
        self.classes[row as usize]
    }
}

/// An MLP classifier to be trained by [`privet_privacy::sgd::DpSgd`].
///
/// ```
/// use privet_graph::{DenseMatrix, Features};
/// use privet_learn::models::{MlpConfig, Network};
/// use privet_learn::train::{LabelledRows, OptimizerConfig, PrivateMlp};
/// use privet_privacy::event::BatchSampling;
/// use privet_privacy::noise::NoiseRng;
/// use privet_privacy::sgd::{DpSgd, RowShare, SgdSettings};
/// use privet_privacy::unit::Record;
/// use privet_privacy::{Ledger, Loss, Secret};
///
/// let rows = DenseMatrix::new(400, 1, (0..400).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect())?;
/// let data = LabelledRows::new(Features::dense(rows.clone()), (0..400).map(|i| i % 2).collect())?;
/// let config = MlpConfig { dropout: 0.0, hidden: vec![8], ..MlpConfig::new(1, 2) };
/// let learner = PrivateMlp::new(config, OptimizerConfig::default(), 0.05)?;
/// let settings = SgdSettings {
///     steps: 40,
///     rows: 400,
///     batch: BatchSampling::Poisson { rate: 0.2 },
///     share: RowShare::Alone,
///     clip_norm: 1.0,
///     noise_multiplier: 2.0,
/// };
/// let training = DpSgd::<_, Record>::new(settings, learner)?;
/// let mut ledger = Ledger::in_memory(Loss::new(8.0, 1e-5)?, NoiseRng::from_operating_system()?)?;
/// let trained = ledger.release(&Secret::new(data), &training)?.into_inner()?;
/// assert_eq!(trained.model().predict((&rows).into(), &[0, 1]), [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type PrivateMlp = PrivateNetwork<LabelledRows>;

impl PublicShape for LabelledRows {
    type Shape = usize;

    fn shape(&self) -> usize {
        self.classes.len()
    }
}

impl FirstParty for LabelledRows {}

impl SecretRows for LabelledRows {
    fn factors(&self, model: &Mlp, rows: &[u32]) -> Vec<Factors> {
        factors(model, self.rows(rows), &RowTerms::OneEach, |scores| {
            by_cross_entropy(scores, rows.iter().map(|&row| self.class(row)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{Classification, MlpConfig};
    use crate::train::{OptimizerConfig, Trainable};
    use privet_graph::{Labels, SparseBuilder};
    use privet_privacy::sgd::Learner;

    fn data() -> LabelledRows {
        let mut rows = SparseBuilder::new(6);
        for row in 0..9u32 {
            rows.push_row(&mut [(row % 6, 1.0 + row as f32 / 4.0), ((row + 3) % 6, -0.5)]).unwrap();
        }
        let classes = (0..9).map(|row| row % 3).collect();
        LabelledRows::new(Features::sparse(rows.finish()), classes).unwrap()
    }

    fn config() -> MlpConfig {
        MlpConfig { hidden: vec![5, 4], dropout: 0.0, seed: 3, ..MlpConfig::new(6, 3) }
    }

    /// Summed over rows, the outer products are the gradient that ordinary training computes.
    #[test]
    fn factors_multiply_to_the_gradient() {
        let (data, all) = (data(), (0..9u32).collect::<Vec<_>>());
        let learner = PrivateMlp::new(config(), OptimizerConfig::default(), 0.1).unwrap();
        let factors = learner.factors(&learner.initial(), &data, &all);

        let mut model = Mlp::new(config()).unwrap();
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let labels =
            Labels::single(data.classes.iter().map(|&c| Some(c)).collect(), names).unwrap();
        let rows = data.rows.matrix().into();
        Classification::new(&mut model, rows, &labels, &all, &[]).unwrap().train(&all, 0).unwrap();
        for (layer, factor) in model.layers().iter().zip(&factors) {
            let gradient = &layer.weight.gradient;
            for input in 0..layer.inputs() {
                for output in 0..layer.outputs() {
                    let entry = |row: usize| match &factor.inputs {
                        FeatureMatrix::Dense(x) => x.row(row)[input],
                        FeatureMatrix::Sparse(x) => {
                            let (columns, values) = x.row(row);
                            let at = columns.binary_search(&(input as u32));
                            at.map_or(0.0, |at| values[at])
                        }
                    };
                    let sum: f32 = (0..9)
                        .map(|row| entry(row) * factor.output_gradients.row(row)[output])
                        .sum();
                    // Training takes the mean.
                    assert!((sum / 9.0 - gradient.row(input)[output]).abs() < 1e-6);
                }
            }
        }
    }

    /// A row's factors do not change with the rest of the batch.
    #[test]
    fn rows_do_not_know_of_each_other() {
        let data = data();
        let learner = PrivateMlp::new(config(), OptimizerConfig::default(), 0.1).unwrap();
        let start = learner.initial();
        let together = learner.factors(&start, &data, &[1, 4, 7]);
        let apart = learner.factors(&start, &data, &[4, 0]);
        for (one, other) in together.iter().zip(&apart) {
            let (a, b) = (one.output_gradients.row(1), other.output_gradients.row(0));
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6));
        }
    }

    /// A row without a class that the network knows counts as absent.
    #[test]
    fn a_row_of_no_class_counts_nothing() {
        let mut data = data();
        data.classes[4] = u32::MAX;
        let learner = PrivateMlp::new(config(), OptimizerConfig::default(), 0.1).unwrap();
        let factors = learner.factors(&learner.initial(), &data, &[4, 5]);
        for factor in &factors {
            assert!(factor.output_gradients.row(0).iter().all(|&g| g == 0.0));
            assert!(factor.output_gradients.row(1).iter().any(|&g| g != 0.0));
        }
    }

    #[test]
    fn what_breaks_the_guarantee_is_refused() {
        let optimizer = OptimizerConfig::default();
        assert!(PrivateMlp::new(MlpConfig { dropout: 0.5, ..config() }, optimizer, 0.1).is_err());
        assert!(PrivateMlp::new(config(), optimizer, f64::NAN).is_err());
        let rows = data().rows;
        assert!(LabelledRows::new(rows, vec![0]).is_err());
    }
}
