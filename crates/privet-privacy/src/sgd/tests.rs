use privet_graph::{DenseMatrix, FeatureMatrix};

use super::*;
use crate::loss::Delta;
use crate::noise::NoiseRng;
use crate::noise::testing::assert_fits;
use crate::{Ledger, Loss, Secret, accountant};

/// Data are single numbers; the gradient of row i is its number, whatever the parameters. The
/// parameters are all gradients that were handed out.
struct Recorder {
    width: usize,
}

impl crate::FirstParty for Recorder {}

impl Learner for Recorder {
    type Data = Vec<f32>;
    type Parameters = Vec<f32>;

    fn row_count(&self, rows: &usize) -> usize {
        *rows
    }

    fn layers(&self) -> Vec<Layer> {
        vec![Layer { inputs: 1, outputs: self.width, bias: Bias::Absent }]
    }

    fn initial(&self) -> Vec<f32> {
        Vec::new()
    }

    fn factors(&self, _: &Vec<f32>, data: &Vec<f32>, rows: &[u32]) -> Vec<Factors> {
        let mut gradients = DenseMatrix::zeros(rows.len(), self.width);
        for (at, &row) in rows.iter().enumerate() {
            gradients.row_mut(at)[0] = data[row as usize];
        }
        let inputs = DenseMatrix::new(rows.len(), 1, vec![1.0; rows.len()]).unwrap();
        vec![Factors::rank_one(FeatureMatrix::Dense(inputs), gradients)]
    }

    fn step(&self, parameters: &mut Vec<f32>, gradient: &NoisyGradient) {
        assert_eq!(gradient.weights(0), gradient.values());
        assert!(gradient.bias(0).is_empty());
        parameters.extend(gradient.values());
    }
}

fn settings() -> SgdSettings {
    SgdSettings {
        steps: 1,
        rows: 4,
        batch: BatchSampling::Poisson { rate: 1.0 },
        share: RowShare::Alone,
        clip_norm: 3.0,
        noise_multiplier: 2.0,
    }
}

fn run<U: TrainingUnit>(settings: SgdSettings, width: usize, data: Vec<f32>) -> Vec<f32> {
    let mechanism = DpSgd::<_, U>::new(settings, Recorder { width }).unwrap();
    let limit = Loss::new(f64::INFINITY, 1e-5).unwrap();
    let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(7)).unwrap();
    let released = ledger.release(&Secret::new(data), &mechanism).unwrap();
    released.into_inner().unwrap()
}

/// Noise of deviation sigma C / B on every coordinate, and the mean of the clipped gradients.
#[test]
fn the_noise_has_its_deviation() {
    let width = 100_000;
    let values = run::<Record>(settings(), width, vec![100.0, -1.0, f32::NAN, 2.0]);
    let deviation = 2.0 * 3.0 / 4.0;
    let square = values[1..].iter().map(|&v| f64::from(v).powi(2)).sum::<f64>() / width as f64;
    assert!((square.sqrt() / deviation - 1.0).abs() < 0.01, "{square}");
    // Over many steps the mean of the first coordinate shows the clipped sum: 3 - 1 + 0 + 2.
    let steps = 20_000;
    let many =
        run::<Record>(SgdSettings { steps, ..settings() }, 1, vec![100.0, -1.0, f32::NAN, 2.0]);
    let mean = many.iter().map(|&v| f64::from(v)).sum::<f64>() / steps as f64;
    assert!((mean - 1.0).abs() < 5.0 * deviation / (steps as f64).sqrt(), "{mean}");
}

#[test]
fn batches_are_drawn_as_accounted() {
    let drawn = |settings: SgdSettings, count: usize| -> Vec<Vec<u32>> {
        let mechanism = DpSgd::<_, ReplacedRecord>::new(settings, Recorder { width: 1 }).unwrap();
        let mut rng = NoiseRng::replay(8);
        (0..count).map(|_| mechanism.draw_batch(rng.next_release()).unwrap()).collect()
    };
    let poisson =
        SgdSettings { rows: 100, batch: BatchSampling::Poisson { rate: 0.3 }, ..settings() };
    let batches = drawn(poisson, 5_000);
    let mut counts = [0u64; 100];
    batches.iter().flatten().for_each(|&row| counts[row as usize] += 1);
    assert_fits(&counts, &[0.01; 100]);
    let (total, pairs) = (counts.iter().sum::<u64>(), 5_000.0 * 100.0);
    assert!((total as f64 / pairs - 0.3).abs() < 0.004);
    // Two rows are in a batch independently of each other.
    let both = batches.iter().filter(|b| b.contains(&3) && b.contains(&64)).count();
    assert!((both as f64 / 5_000.0 - 0.09).abs() < 0.02);
    let fixed = BatchSampling::FixedSize { size: 7, population: 100 };
    let batches = drawn(SgdSettings { rows: 100, batch: fixed, ..settings() }, 500);
    assert!(batches.iter().all(|b| b.len() == 7 && b.windows(2).all(|w| w[0] < w[1])));
}

/// A learner that keeps the batches it was handed, and takes so many steps at most; its gradients are 1 everywhere.
struct Onlooker(std::sync::Mutex<Vec<Vec<u32>>>, u64);

impl crate::FirstParty for Onlooker {}

impl Learner for Onlooker {
    type Data = Vec<f32>;
    type Parameters = Vec<f32>;

    fn row_count(&self, rows: &usize) -> usize {
        *rows
    }

    fn layers(&self) -> Vec<Layer> {
        Recorder { width: 1 }.layers()
    }

    fn initial(&self) -> Vec<f32> {
        Vec::new()
    }

    fn factors(&self, before: &Vec<f32>, data: &Vec<f32>, rows: &[u32]) -> Vec<Factors> {
        self.0.lock().unwrap().push(rows.to_vec());
        Recorder { width: 1 }.factors(before, data, rows)
    }

    fn step(&self, parameters: &mut Vec<f32>, gradient: &NoisyGradient) {
        parameters.extend(gradient.values());
    }

    fn goes_on(&self, taken: u64, _of: u64) -> bool {
        taken < self.1
    }
}

/// A stopped run releases nothing, and all steps stay charged.
#[test]
fn a_run_that_is_stopped_releases_nothing_and_stays_charged() {
    let settings = SgdSettings { steps: 400, ..settings() };
    let learner = Onlooker(Default::default(), 3);
    let mechanism = DpSgd::<_, Record>::new(settings, learner).unwrap();
    let limit = Loss::new(f64::INFINITY, 1e-5).unwrap();
    let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(9)).unwrap();
    let outcome = ledger.release(&Secret::new(vec![1.0; 4]), &mechanism).unwrap().into_inner();
    assert_eq!(outcome, Err(Error::Interrupted));
    assert_eq!(mechanism.learner().0.lock().unwrap().len(), 3);
    assert_eq!(ledger.entries().len(), 1);
}

/// The batches of a whole training run, and the gradient of each step.
fn watched(settings: SgdSettings) -> (Vec<Vec<u32>>, Vec<f32>) {
    let learner = Onlooker(Default::default(), u64::MAX);
    let mechanism = DpSgd::<_, Record>::new(settings, learner).unwrap();
    let limit = Loss::new(f64::INFINITY, 1e-5).unwrap();
    let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(9)).unwrap();
    let data = Secret::new(vec![1.0; settings.rows as usize]);
    let outcome = ledger.release(&data, &mechanism).unwrap().into_inner().unwrap();
    (mechanism.learner().0.lock().unwrap().clone(), outcome)
}

/// Batches of a run are drawn anew: as many of 64 rows are in both of two neighbouring batches as chance
/// puts there, and no batch comes again.
#[test]
fn a_batch_says_nothing_about_the_next() {
    let batch = BatchSampling::Poisson { rate: 0.5 };
    let (mut batches, _) = watched(SgdSettings { steps: 400, rows: 64, batch, ..settings() });
    let both = |pair: &[Vec<u32>]| pair[0].iter().filter(|row| pair[1].contains(row)).count();
    let both: usize = batches.windows(2).map(both).sum();
    let share = both as f64 / (399.0 * 64.0);
    assert!((share - 0.25).abs() < 0.02, "{share}");
    batches.sort_unstable();
    batches.dedup();
    assert_eq!(batches.len(), 400);
}

#[test]
fn every_step_has_noise_of_its_own() {
    let (_, outcome) = watched(SgdSettings { steps: 2000, ..settings() });
    let mean = outcome.iter().sum::<f32>() / 2000.0;
    let square = outcome.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / 2000.0;
    // Noise of deviation 2 · 3 over a batch of 4.
    assert!((square.sqrt() / 1.5 - 1.0).abs() < 0.1, "{square}");
}

/// The size of a batch is as secret as its rows: sums are divided by the size to expect.
#[test]
fn the_size_of_a_batch_is_not_divided_out() {
    let (noise_multiplier, batch) = (1e-6, BatchSampling::Poisson { rate: 0.5 });
    let settings = SgdSettings { steps: 50, rows: 8, batch, noise_multiplier, ..settings() };
    let (batches, outcome) = watched(settings);
    for (batch, outcome) in batches.iter().zip(outcome) {
        assert!((outcome - batch.len() as f32 / 4.0).abs() < 1e-4, "{outcome} of {batch:?}");
    }
}

#[test]
fn the_event_follows_from_unit_batch_and_share() {
    let event = |neighbours, batch, share| {
        SgdSettings { rows: 50, batch, share, ..settings() }.step_event(neighbours)
    };
    let poisson = BatchSampling::Poisson { rate: 0.1 };
    let fixed = BatchSampling::FixedSize { size: 5, population: 50 };
    let gaussian = |noise_multiplier| Event::Gaussian { noise_multiplier };
    use Neighbours::{Replaced, ThereOrNot};
    assert_eq!(
        event(ThereOrNot, poisson, RowShare::Alone).unwrap(),
        gaussian(2.0).poisson_sampled(0.1)
    );
    assert_eq!(
        event(ThereOrNot, poisson, RowShare::UpTo(3)).unwrap(),
        Event::MixtureOfGaussians { noise_multiplier: 2.0, max_rows: 3, rate: 0.1 }
    );
    assert!(event(ThereOrNot, fixed, RowShare::Alone).is_err());
    assert_eq!(
        event(Replaced, fixed, RowShare::Alone).unwrap(),
        Event::FixedSizeSampled { size: 5, population: 50, event: Box::new(gaussian(1.0)) }
    );
    for batch in [poisson, fixed] {
        assert_eq!(
            event(Replaced, batch, RowShare::UpTo(3)).unwrap(),
            Event::ReplacedRows { noise_multiplier: 2.0, max_rows: 3, batch }
        );
    }
    // Rows that read secret lists of up to three neighbours change; they do not vanish.
    for (neighbours, max_rows) in [(ThereOrNot, 4), (Replaced, 7)] {
        let batch = poisson;
        let expected = Event::ReplacedRows { noise_multiplier: 2.0, max_rows, batch };
        assert_eq!(event(neighbours, batch, RowShare::Neighbours(3)).unwrap(), expected);
    }
    assert!(event(ThereOrNot, fixed, RowShare::Neighbours(3)).is_err());
    // Full batches of replaced rows are Gaussian noise of sensitivity 2C, however they are written.
    let cost = |batch| {
        let event = event(Replaced, batch, RowShare::Alone).unwrap();
        accountant::best(&event, Delta::new(1e-5).unwrap()).unwrap().value.get()
    };
    let all = cost(BatchSampling::FixedSize { size: 50, population: 50 });
    assert!((cost(BatchSampling::Poisson { rate: 1.0 }) / all - 1.0).abs() < 1e-9);
    let half = accountant::best(&gaussian(1.0), Delta::new(1e-5).unwrap()).unwrap().value.get();
    assert!((all / half - 1.0).abs() < 1e-9);
}

#[test]
fn bad_settings_and_data_are_refused() {
    let refused = |settings| DpSgd::<_, Record>::new(settings, Recorder { width: 1 }).is_err();
    assert!(!refused(settings()));
    assert!(refused(SgdSettings { steps: 0, ..settings() }));
    assert!(refused(SgdSettings { rows: 0, ..settings() }));
    assert!(refused(SgdSettings { batch: BatchSampling::Poisson { rate: 0.0 }, ..settings() }));
    assert!(refused(SgdSettings { batch: BatchSampling::Poisson { rate: 1.5 }, ..settings() }));
    assert!(refused(SgdSettings { share: RowShare::UpTo(0), ..settings() }));
    for clip_norm in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refused(SgdSettings { clip_norm, ..settings() }));
    }
    assert!(refused(SgdSettings { noise_multiplier: 0.0, ..settings() }));
    assert!(refused(SgdSettings { rows: 1 << 32, ..settings() }));
    for (smallest, outside) in [(1e-30, 0.9e-30), (1e30, 1.1e30)] {
        assert!(!refused(SgdSettings { clip_norm: smallest, ..settings() }));
        assert!(refused(SgdSettings { clip_norm: outside, ..settings() }));
    }
    let other = BatchSampling::FixedSize { size: 2, population: 5 };
    let settings_of_five = SgdSettings { batch: other, ..settings() };
    assert!(DpSgd::<_, ReplacedRecord>::new(settings_of_five, Recorder { width: 1 }).is_err());

    let mechanism = DpSgd::<_, Record>::new(settings(), Recorder { width: 1 }).unwrap();
    let mut ledger = Ledger::in_memory(Loss::new(9.0, 1e-5).unwrap(), NoiseRng::replay(1)).unwrap();
    let error = ledger.release(&Secret::new(vec![0.0; 3]), &mechanism).unwrap_err().to_string();
    assert_eq!(error, "the data has 3 training rows, but dp-sgd was made for 4");
    assert!(ledger.entries().is_empty());
}

/// Rows are drawn 64 at a time: no row behind the last whole group is missed, none beyond the end is drawn.
#[test]
fn a_full_batch_has_every_row() {
    for rows in [1u32, 63, 64, 65, 129] {
        let settings = SgdSettings { rows: rows.into(), ..settings() };
        let mechanism = DpSgd::<_, Record>::new(settings, Recorder { width: 1 }).unwrap();
        let batch = mechanism.draw_batch(NoiseRng::replay(9).next_release()).unwrap();
        assert_eq!(batch, (0..rows).collect::<Vec<_>>());
    }
}

/// A card repeats the settings, and who is taken to read whom.
#[test]
fn a_run_says_what_it_is_and_what_it_takes_for_granted() {
    use crate::mechanism::Mechanism;
    use crate::unit::Node;
    let shared = |share| {
        let settings = SgdSettings { share, ..settings() };
        DpSgd::<_, Node>::new(settings, Recorder { width: 1 }).unwrap()
    };
    let read = shared(RowShare::UpTo(5)).assumes_public();
    assert!(read.iter().any(|fact| fact.contains("at most 5 from any one")), "{read:?}");
    let near = shared(RowShare::Neighbours(7)).assumes_public();
    assert!(near.iter().any(|fact| fact.contains("more than 7 neighbours")), "{near:?}");
    assert_eq!(shared(RowShare::Alone).assumes_public().len(), 3);
    let written = format!("{:?}", shared(RowShare::UpTo(5)).parameters());
    for (name, value) in [("clip", "3"), ("noise", "2"), ("step", "1")] {
        assert!(written.contains(name) && written.contains(value), "{written}");
    }
}

/// Noise that is rounded to nothing is none; and noise beyond all lattices is refused, too.
#[test]
fn noise_that_no_lattice_can_hold_is_refused() {
    let refused = |noise_multiplier, clip_norm| {
        let settings = SgdSettings { noise_multiplier, clip_norm, ..settings() };
        DpSgd::<_, Record>::new(settings, Recorder { width: 1 }).is_err()
    };
    for (multiplier, clip_norm) in [(1.1e-15, 1e-20), (1e15, 1e20), (1.0, 1e-30), (1.0, 1e30)] {
        assert!(!refused(multiplier, clip_norm), "{multiplier} {clip_norm}");
    }
    for (multiplier, clip_norm) in [(1e-15, 1e-25), (1e-19, 1.0), (1e19, 1.0), (1e17, 1e25)] {
        assert!(refused(multiplier, clip_norm), "{multiplier} {clip_norm}");
    }
}

/// A learner whose gradients have another shape than it announced.
struct Crooked;

impl crate::FirstParty for Crooked {}

impl Learner for Crooked {
    type Data = Vec<f32>;
    type Parameters = Vec<f32>;

    fn row_count(&self, rows: &usize) -> usize {
        *rows
    }

    fn layers(&self) -> Vec<Layer> {
        Recorder { width: 2 }.layers()
    }

    fn initial(&self) -> Vec<f32> {
        Vec::new()
    }

    fn factors(&self, before: &Vec<f32>, data: &Vec<f32>, rows: &[u32]) -> Vec<Factors> {
        Recorder { width: 3 }.factors(before, data, rows)
    }

    fn step(&self, _: &mut Vec<f32>, _: &NoisyGradient) {}
}

/// It was paid for by then; but nothing that was not clipped comes out.
#[test]
fn gradients_of_another_shape_are_an_error() {
    let mechanism = DpSgd::<_, Record>::new(settings(), Crooked).unwrap();
    let limit = Loss::new(f64::INFINITY, 1e-5).unwrap();
    let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(7)).unwrap();
    let released = ledger.release(&Secret::new(vec![1.0; 4]), &mechanism).unwrap();
    let outcome = released.into_inner().unwrap_err().to_string();
    assert!(outcome.contains("3 output gradients"), "{outcome}");
}

/// Weights before biases, layer after layer.
#[test]
fn every_layer_finds_its_own_gradient() {
    let layers = vec![
        Layer { inputs: 2, outputs: 1, bias: Bias::Trained },
        Layer { inputs: 1, outputs: 2, bias: Bias::Absent },
        Layer { inputs: 1, outputs: 1, bias: Bias::Trained },
    ];
    let gradient = NoisyGradient { layers, values: (0..7).map(|value| value as f32).collect() };
    assert_eq!((gradient.weights(0), gradient.bias(0)), (&[0.0, 1.0][..], &[2.0][..]));
    assert_eq!((gradient.weights(1), gradient.bias(1)), (&[3.0, 4.0][..], &[][..]));
    assert_eq!((gradient.weights(2), gradient.bias(2)), (&[5.0][..], &[6.0][..]));
}
