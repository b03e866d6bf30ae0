//! DP-SGD for a network on rows around their own middle, which the first steps release (`middle.rs`).

use privet_graph::{DenseMatrix, FeatureMatrix};
use privet_privacy::FirstParty;
use privet_privacy::sgd::{Factors, Layer, Learner, NoisyGradient, RowTerms};

use super::middle::{MiddleSettings, RowMiddle};
use super::{LabelledRows, PrivatelyTrained, TrainingStart, by_cross_entropy, factors};
use crate::Result;
use crate::models::{Mlp, MlpConfig};
use crate::parameters::Parameters;
use crate::train::OptimizerConfig;

/// What a step for the middle weighs a row of norm 1 with: beside the bias, whose gradient is as long, the whole has norm 1.
const WEIGHT: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// The weights so far, and the middle that rows are taken from: all of it is released.
pub struct CentredTraining {
    middle: RowMiddle,
    trained: PrivatelyTrained,
}

impl CentredTraining {
    /// The model, of rows as they are.
    pub fn into_model(self) -> Mlp {
        let Self { middle, trained } = self;
        let mut model = trained.into_model();
        // The centring is folded into the first layer: the model that is saved reads rows as they are.
        let first = &model.layers()[0];
        let (mut weights, mut biases) = (first.weight.value.clone(), first.bias.value.clone());
        middle.unfold(&mut weights, &mut biases);
        // Weights before biases, the first layer first.
        let mut unfolded = [weights, biases].into_iter();
        model.visit_mut(&mut |parameter| {
            if let Some(value) = unfolded.next() {
                parameter.value = value;
            }
        });
        model
    }
}

/// A network to be trained by [`DpSgd`](privet_privacy::sgd::DpSgd), with gradients clipped to 1; the first steps are for the
/// middle of the rows.
#[derive(Debug, Clone)]
pub struct PrivateCentredNetwork {
    start: TrainingStart,
    middle: MiddleSettings,
}

impl PrivateCentredNetwork {
    /// A network with random weights from the seed of its configuration.
    ///
    /// # Errors
    /// If it has dropout, or another setting makes no sense.
    pub fn new(
        config: MlpConfig,
        optimizer: OptimizerConfig,
        learning_rate: f64,
        middle: MiddleSettings,
    ) -> Result<Self> {
        Ok(Self { start: TrainingStart::new(config, optimizer, learning_rate)?, middle })
    }

    /// The deviation of the noise on the middle after so many steps, of batches of so many rows.
    pub fn deviation(noise_multiplier: f64, batch: f64, steps: u64) -> f64 {
        // A sum of WEIGHT times rows over `steps` batches, each with noise of one clip norm: the mean's noise falls
        // with the
        // root of the steps.
        noise_multiplier / (f64::from(WEIGHT) * batch * (steps as f64).sqrt())
    }

    /// The rows themselves as gradients of the first layer, and nothing for the others.
    fn factors_of_middle(&self, data: &LabelledRows, rows: &[u32]) -> Vec<Factors> {
        let layers = self.start.model.layers();
        let factors = |(at, layer): (usize, &crate::layers::Linear)| {
            let mut gradients = DenseMatrix::zeros(rows.len(), layer.outputs());
            if at > 0 {
                let nothing = DenseMatrix::zeros(rows.len(), layer.inputs());
                return Factors::rank_one(FeatureMatrix::Dense(nothing), gradients);
            }
            let classes = layers[layers.len() - 1].outputs();
            for (place, &row) in rows.iter().enumerate() {
                // Who has no class is not there.
                if (data.class(row) as usize) < classes {
                    gradients.row_mut(place)[0] = WEIGHT;
                }
            }
            Factors::rank_one(data.rows(rows), gradients)
        };
        layers.iter().enumerate().map(factors).collect()
    }
}

impl FirstParty for PrivateCentredNetwork {}

impl Learner for PrivateCentredNetwork {
    type Data = LabelledRows;
    type Parameters = CentredTraining;

    fn row_count(&self, rows: &usize) -> usize {
        *rows
    }

    fn layers(&self) -> Vec<Layer> {
        self.start.layers()
    }

    fn initial(&self) -> CentredTraining {
        let trained = self.start.initial();
        let columns = trained.model().config().inputs;
        CentredTraining { middle: RowMiddle::new(self.middle, columns), trained }
    }

    fn factors(
        &self,
        training: &CentredTraining,
        data: &LabelledRows,
        rows: &[u32],
    ) -> Vec<Factors> {
        if training.middle.is_open() {
            return self.factors_of_middle(data, rows);
        }
        let inputs = training.middle.around(data.rows(rows));
        factors(training.trained.model(), inputs, &RowTerms::OneEach, |scores| {
            by_cross_entropy(scores, rows.iter().map(|&row| data.class(row)))
        })
    }

    fn step(&self, training: &mut CentredTraining, gradient: &NoisyGradient) {
        if training.middle.is_open() {
            let outputs = self.start.model.layers()[0].outputs();
            training.middle.take(gradient, outputs, WEIGHT);
            return;
        }
        self.start.step(&mut training.trained, gradient);
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
    use crate::models::Network;

    /// Rows of norm 1 in one corner: an angle tells the class, inside of a pair of planes or outside.
    fn data() -> LabelledRows {
        let angle = |at: usize| 0.3 + 0.2 * (at as f32 / 400.0);
        let rows = (0..400).flat_map(|at| [angle(at).sin(), angle(at).cos()]).collect();
        let class = |at: usize| u32::from((130..270).contains(&at));
        let rows = Features::dense(DenseMatrix::new(400, 2, rows).unwrap());
        LabelledRows::new(rows, (0..400).map(class).collect()).unwrap()
    }

    fn learner(steps: u64) -> PrivateCentredNetwork {
        let config = MlpConfig { dropout: 0.0, hidden: vec![16], ..MlpConfig::new(2, 2) };
        let middle = MiddleSettings { steps, deviation: 0.0 };
        PrivateCentredNetwork::new(config, OptimizerConfig::default(), 0.02, middle).unwrap()
    }

    fn trained(middle: u64) -> CentredTraining {
        let settings = SgdSettings {
            steps: 300 + middle,
            rows: 400,
            batch: BatchSampling::Poisson { rate: 0.5 },
            share: RowShare::Alone,
            clip_norm: 1.0,
            noise_multiplier: 0.05,
        };
        let mechanism = DpSgd::<_, Record>::new(settings, learner(middle)).unwrap();
        let limit = Loss::new(f64::INFINITY, 0.5).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
        ledger.release(&Secret::new(data()), &mechanism).unwrap().into_inner().unwrap()
    }

    fn right(model: &Mlp) -> f64 {
        let data = data();
        let all: Vec<u32> = (0..400).collect();
        let rows = data.rows(&all);
        let said = model.predict((&rows).into(), &all);
        let right = said.iter().zip(&all).filter(|(said, row)| **said == data.class(**row));
        right.count() as f64 / 400.0
    }

    /// Rows that hardly differ are told apart around their middle; the model reads them as they are.
    #[test]
    fn rows_in_a_corner_are_told_apart_around_their_middle() {
        let [without, with] = [0, 10].map(|middle| right(&trained(middle).into_model()));
        assert!(with > 0.9 && with > without + 0.1, "{with} {without}");
    }

    /// A person's part of a step for the middle has norm 1, whatever the class; none has none.
    #[test]
    fn a_row_counts_once_for_the_middle_and_who_has_no_class_not_at_all() {
        let rows = Features::dense(DenseMatrix::new(2, 2, vec![0.6, 0.8, 1.0, 0.0]).unwrap());
        let data = LabelledRows::new(rows, vec![1, u32::MAX]).unwrap();
        let learner = learner(3);
        let factors = learner.factors(&learner.initial(), &data, &[0, 1]);
        let square = |matrix: &DenseMatrix, row| matrix.row(row).iter().map(|v| v * v).sum::<f32>();
        // With the bias, whose gradient is the same, twice the square.
        assert!((2.0 * square(&factors[0].output_gradients, 0) - 1.0).abs() < 1e-6);
        assert_eq!(square(&factors[0].output_gradients, 1), 0.0);
        assert_eq!(square(&factors[1].output_gradients, 0), 0.0);
    }
}
