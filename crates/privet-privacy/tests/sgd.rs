//! DP-SGD end to end: a logistic regression outside the trusted base, trained through a ledger.

use privet_graph::{DenseMatrix, FeatureMatrix, SimRng};
use privet_privacy::event::BatchSampling;
use privet_privacy::noise::NoiseRng;
use privet_privacy::sgd::{
    Bias, DpSgd, Factors, Layer, Learner, NoisyGradient, RowShare, SgdSettings,
};
use privet_privacy::unit::Record;
use privet_privacy::{
    Card, Delta, Ledger, Loss, PublicShape, Secret, UnauditedMechanism, accountant,
};

/// Rows of two features, and whether each belongs to the class.
struct Table {
    features: DenseMatrix,
    classes: Vec<bool>,
}

struct Logistic {
    rate: f32,
}

/// Two weights and a bias.
type Weights = [f32; 3];

fn score(weights: &Weights, row: &[f32]) -> f32 {
    weights[0] * row[0] + weights[1] * row[1] + weights[2]
}

impl PublicShape for Table {
    type Shape = usize;

    fn shape(&self) -> usize {
        self.classes.len()
    }
}

impl UnauditedMechanism for Logistic {}

impl Learner for Logistic {
    type Data = Table;
    type Parameters = Weights;

    fn row_count(&self, rows: &usize) -> usize {
        *rows
    }

    fn layers(&self) -> Vec<Layer> {
        vec![Layer { inputs: 2, outputs: 1, bias: Bias::Trained }]
    }

    fn initial(&self) -> Weights {
        [0.0; 3]
    }

    /// The gradient of the logistic loss at the output is `p - y`.
    fn factors(&self, weights: &Weights, data: &Table, rows: &[u32]) -> Vec<Factors> {
        let mut inputs = DenseMatrix::zeros(rows.len(), 2);
        let mut output_gradients = DenseMatrix::zeros(rows.len(), 1);
        for (at, &row) in rows.iter().enumerate() {
            let features = data.features.row(row as usize);
            let class = f32::from(u8::from(data.classes[row as usize]));
            inputs.row_mut(at).copy_from_slice(features);
            output_gradients.row_mut(at)[0] =
                1.0 / (1.0 + (-score(weights, features)).exp()) - class;
        }
        vec![Factors::rank_one(FeatureMatrix::Dense(inputs), output_gradients)]
    }

    fn step(&self, weights: &mut Weights, gradient: &NoisyGradient) {
        let all = gradient.weights(0).iter().chain(gradient.bias(0));
        weights.iter_mut().zip(all).for_each(|(weight, slope)| *weight -= self.rate * slope);
    }
}

/// The class lies above the line `x + 2 y = 0.5`, with a margin.
fn table(rows: usize) -> Table {
    let mut rng = SimRng::stream(3, 0);
    let mut unit = || {
        let Ok(word) = rand_core::TryRng::try_next_u64(&mut rng);
        (word >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let mut data = Table { features: DenseMatrix::zeros(rows, 2), classes: Vec::new() };
    while data.classes.len() < rows {
        let point = [unit(), unit()];
        let side = point[0] + 2.0 * point[1] - 0.5;
        if side.abs() > 0.1 {
            data.features.row_mut(data.classes.len()).copy_from_slice(&point);
            data.classes.push(side > 0.0);
        }
    }
    data
}

#[test]
fn a_private_logistic_regression_learns_and_its_card_says_what_it_cost() {
    let rows = 2000;
    let settings = SgdSettings {
        steps: 300,
        rows: rows as u64,
        batch: BatchSampling::Poisson { rate: 0.05 },
        share: RowShare::Alone,
        clip_norm: 1.0,
        noise_multiplier: 1.5,
    };
    let training = DpSgd::<_, Record>::new(settings, Logistic { rate: 2.0 }).unwrap();
    let delta = Delta::new(1e-5).unwrap();
    let mut ledger = Ledger::in_memory(Loss::new(5.0, 1e-5).unwrap(), NoiseRng::replay(5)).unwrap();
    let weights = ledger.release(&Secret::new(table(rows)), &training).unwrap();
    let weights = weights.into_inner().unwrap();
    let test = table(500);
    let right = (0..500)
        .filter(|&row| (score(&weights, test.features.row(row)) > 0.0) == test.classes[row])
        .count();
    assert!(right > 460, "{right} of 500 right with {weights:?}");

    // What `account` says for the same numbers, to the last digit.
    let step = privet_privacy::Event::Gaussian { noise_multiplier: 1.5 }.poisson_sampled(0.05);
    let expected = accountant::best(&step.repeated(300), delta).unwrap();
    assert_eq!(ledger.spent().unwrap()[0].loss.epsilon, expected.value);
    let card = Card::new("a model").with_ledger(&ledger).unwrap();
    let text = serde_json::to_string(&card).unwrap();
    assert!(text.contains(r#""record-absent""#) && text.contains("dp-sgd"), "{text}");
    assert!(card.explain().contains("person's record"), "{}", card.explain());
    assert!(text.contains("idealized"));
}
