//! Softmax regression by gradient descent on all rows: few large steps, each released once with noise.
//!
//! # Equation
//! With rows x of norm 1 (a constant among their columns stands for the bias) and class y, the gradient of a row is
//! `x ⊗ (softmax(Wᵀx) - y)`, an outer product of norm at most √2. Steps have momentum, `v ← μ v + g`, `W ← W - η v`; what
//! is kept is the mean of W over the second half of the steps, in which most of the noise of single steps averages out.
//!
//! The first steps may be for the middle of the rows (`middle.rs`): descent then reads rows around it,
//! `((x - m) / s, 1/2)` over its norm, and what comes of it is a linear model of x all the same.
//!
//! # Clipping
//! [`PrivateSoftmax::clip_norm`] is `√(1 - 1/C)` for C classes: the norm of each person's gradient where descent begins, at W = 0.
//! Rows that are classified well have shorter ones; those that stay wrong count no more than at the beginning.
//!
//! # Guarantee
//! That of `dp-sgd` with batches of all rows: T Gaussians. A row's factors are computed from that row alone, in the
//! same order whichever rows are asked for beside it, so training is exact.

use privet_graph::{DenseMatrix, FeatureMatrix};
use privet_privacy::FirstParty;
use privet_privacy::sgd::{Bias, Factors, Layer, Learner, NoisyGradient};
use rayon::prelude::*;

use super::LabelledRows;
use super::middle::{MiddleSettings, RowMiddle};
use crate::{Error, Result};

/// μ: what a step keeps of the one before.
const MOMENTUM: f32 = 0.9;
/// The constant beside a row around the middle, whose norm is 1 on average.
const BESIDE_ROW: f32 = 0.5;
/// Rows that one thread takes at a time.
const ROWS: usize = 1024;

/// How gradient descent proceeds; public.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DescentSettings {
    /// T: how many steps, beside those for the middle.
    pub steps: u64,
    /// η: how long they are.
    pub rate: f64,
    /// How the middle of the rows is released before.
    pub middle: MiddleSettings,
}

/// The weights so far, all of them released.
#[derive(Debug, Clone, PartialEq)]
pub struct Descent {
    /// What rows are taken from.
    middle: RowMiddle,
    /// W: a row for every column of the data, a column for every class.
    weights: DenseMatrix,
    /// v.
    velocity: DenseMatrix,
    /// The sum of W over the steps that count.
    sum: DenseMatrix,
    /// How many steps were taken.
    taken: u64,
    /// How many of them count.
    counted: u64,
}

impl Descent {
    /// The mean of the weights over the second half of the steps, and the biases that belong to it: a linear model of rows as
    /// they are.
    pub fn into_model(self) -> (DenseMatrix, DenseMatrix) {
        // Polyak's average: the mean over the second half of the steps carries less noise than the last of them.
        let (mut mean, count) = (self.sum, self.counted.max(1) as f32);
        mean.values_mut().iter_mut().for_each(|value| *value /= count);
        let mut biases = DenseMatrix::zeros(1, mean.columns());
        if !self.middle.is_used() {
            return (mean, biases);
        }
        // Rows were divided by their norm, which is this on average.
        let norm = (1.0 + BESIDE_ROW * BESIDE_ROW).sqrt();
        let (columns, classes) = (mean.rows() - 1, mean.columns());
        let constant = mean.row(columns).iter().map(|weight| BESIDE_ROW * weight / norm);
        biases.row_mut(0).iter_mut().zip(constant).for_each(|(bias, constant)| *bias = constant);
        let mut weights = DenseMatrix::zeros(columns, classes);
        let kept = weights.values_mut().iter_mut().zip(mean.values());
        kept.for_each(|(weight, mean)| *weight = mean / norm);
        self.middle.unfold(&mut weights, &mut biases);
        (weights, biases)
    }
}

/// A linear classifier to be trained by [`DpSgd`](privet_privacy::sgd::DpSgd) on all rows at once.
#[derive(Debug, Clone, Copy)]
pub struct PrivateSoftmax {
    columns: usize,
    classes: usize,
    settings: DescentSettings,
}

impl PrivateSoftmax {
    /// A classifier of rows with so many columns.
    ///
    /// # Errors
    /// If there are no columns or no classes, no steps, or a rate that is not above 0.
    pub fn new(columns: usize, classes: usize, settings: DescentSettings) -> Result<Self> {
        for (what, count) in [("columns", columns), ("classes", classes)] {
            if count == 0 {
                return Err(Error::invalid(what, count, "at least 1"));
            }
        }
        if settings.steps == 0 {
            return Err(Error::invalid("steps", settings.steps, "at least 1"));
        }
        if !(settings.rate > 0.0 && settings.rate.is_finite()) {
            return Err(Error::invalid("learning rate", settings.rate, "above 0"));
        }
        Ok(Self { columns, classes, settings })
    }

    /// What gradients are clipped to: their norm at the first step.
    pub fn clip_norm(classes: usize) -> f64 {
        // One class alone has no gradient; any bound does.
        // At the first step p = 1/C: |p - e_c|² = (1 - 1/C)² + (C - 1)/C² = 1 - 1/C.
        (1.0 - 1.0 / classes.max(2) as f64).sqrt()
    }

    /// How many numbers a row has that descent reads.
    fn width(&self) -> usize {
        self.columns + usize::from(self.settings.middle.steps > 0)
    }

    /// Rows as descent reads them.
    fn centre(&self, descent: &Descent, rows: FeatureMatrix) -> FeatureMatrix {
        if !descent.middle.is_used() {
            return rows;
        }
        let open = descent.middle.is_open();
        let rows = match open {
            true => rows,
            false => descent.middle.around(rows),
        };
        let rows = match rows {
            FeatureMatrix::Dense(rows) => rows,
            FeatureMatrix::Sparse(rows) => rows.to_dense(),
        };
        let mut wider = DenseMatrix::zeros(rows.rows(), self.width());
        for row in 0..rows.rows() {
            let out = wider.row_mut(row);
            out[..self.columns].copy_from_slice(rows.row(row));
            if !open {
                // A constant column in place of a bias, then norm 1: one clip bound holds for weights and bias
                // together.
                out[self.columns] = BESIDE_ROW;
                let norm = out.iter().map(|value| value * value).sum::<f32>().sqrt();
                out.iter_mut().for_each(|value| *value /= norm);
            }
        }
        FeatureMatrix::Dense(wider)
    }

    /// `softmax(Wᵀx) - y` for one row: a function of that row and the weights.
    fn by_scores(&self, weights: &DenseMatrix, row: InputRow<'_>, class: u32, out: &mut [f32]) {
        out.fill(0.0);
        // Who has no class is not there.
        if class as usize >= self.classes {
            return;
        }
        row.for_each(|column, value| {
            let terms = out.iter_mut().zip(weights.row(column));
            terms.for_each(|(score, weight)| *score += value * weight);
        });
        // Softmax without overflow; less the truth it is the gradient of the log loss by the scores.
        let most = out.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        out.iter_mut().for_each(|score| *score = (*score - most).exp());
        let total: f32 = out.iter().sum();
        out.iter_mut().for_each(|p| *p /= total);
        out[class as usize] -= 1.0;
    }
}

/// One row, dense or sparse.
enum InputRow<'a> {
    Dense(&'a [f32]),
    Sparse(&'a [u32], &'a [f32]),
}

impl InputRow<'_> {
    fn of(rows: &FeatureMatrix, at: usize) -> InputRow<'_> {
        match rows {
            FeatureMatrix::Dense(rows) => InputRow::Dense(rows.row(at)),
            FeatureMatrix::Sparse(rows) => {
                let (columns, values) = rows.row(at);
                InputRow::Sparse(columns, values)
            }
        }
    }

    fn for_each(&self, mut visit: impl FnMut(usize, f32)) {
        match self {
            Self::Dense(values) => {
                values.iter().enumerate().for_each(|(column, &value)| visit(column, value));
            }
            Self::Sparse(columns, values) => {
                let entries = columns.iter().zip(*values);
                entries.for_each(|(&column, &value)| visit(column as usize, value));
            }
        }
    }
}

impl FirstParty for PrivateSoftmax {}

impl Learner for PrivateSoftmax {
    type Data = LabelledRows;
    type Parameters = Descent;

    /// Scores are added up column by column within a row.
    const ROW_BY_ROW: bool = true;

    fn row_count(&self, rows: &usize) -> usize {
        *rows
    }

    fn layers(&self) -> Vec<Layer> {
        vec![Layer { inputs: self.width(), outputs: self.classes, bias: Bias::Absent }]
    }

    fn initial(&self) -> Descent {
        let zeros = DenseMatrix::zeros(self.width(), self.classes);
        Descent {
            middle: RowMiddle::new(self.settings.middle, self.columns),
            weights: zeros.clone(),
            velocity: zeros.clone(),
            sum: zeros,
            taken: 0,
            counted: 0,
        }
    }

    fn factors(&self, descent: &Descent, data: &LabelledRows, rows: &[u32]) -> Vec<Factors> {
        let inputs = self.centre(descent, data.rows(rows));
        let open = descent.middle.is_open();
        let mut gradients = DenseMatrix::zeros(rows.len(), self.classes);
        let parts = gradients.values_mut().par_chunks_mut(self.classes * ROWS).enumerate();
        parts.for_each(|(part, gradients)| {
            for (within, out) in gradients.chunks_exact_mut(self.classes).enumerate() {
                let at = part * ROWS + within;
                let class = data.class(rows[at]);
                if open {
                    // Who has no class is not there.
                    let counts = (class as usize) < self.classes;
                    out[0] = if counts { Self::clip_norm(self.classes) as f32 } else { 0.0 };
                    continue;
                }
                self.by_scores(&descent.weights, InputRow::of(&inputs, at), class, out);
            }
        });
        vec![Factors::rank_one(inputs, gradients)]
    }

    fn step(&self, descent: &mut Descent, gradient: &NoisyGradient) {
        if descent.middle.is_open() {
            let weight = Self::clip_norm(self.classes) as f32;
            descent.middle.take(gradient, self.classes, weight);
            return;
        }
        let rate = self.settings.rate as f32;
        let counts = 2 * descent.taken >= self.settings.steps;
        let weights = descent.weights.values_mut().iter_mut();
        let moved = weights.zip(descent.velocity.values_mut()).zip(gradient.weights(0));
        for (((weight, velocity), gradient), sum) in moved.zip(descent.sum.values_mut()) {
            // Heavy-ball momentum, computed from released gradients: post-processing.
            *velocity = MOMENTUM * *velocity + gradient;
            *weight -= rate * *velocity;
            *sum += if counts { *weight } else { 0.0 };
        }
        descent.taken += 1;
        descent.counted += u64::from(counts);
    }
}

#[cfg(test)]
mod tests {
    use privet_graph::{Features, SparseBuilder};
    use privet_privacy::event::BatchSampling;
    use privet_privacy::noise::{NoiseRng, Numerics};
    use privet_privacy::sgd::{DpSgd, RowShare, SgdSettings};
    use privet_privacy::unit::Record;
    use privet_privacy::{Ledger, Loss, Mechanism, Secret};

    use super::*;

    const SETTINGS: DescentSettings =
        DescentSettings { steps: 20, rate: 4.0, middle: MiddleSettings::NONE };

    /// Two classes on either side of a plane, and one row without a class on the wrong side.
    fn data() -> LabelledRows {
        let angles = (0..40).map(|at| 0.05 + 0.03 * at as f32);
        let rows = angles.flat_map(|angle| {
            let (sine, cosine) = angle.sin_cos();
            [cosine, sine]
        });
        let rows = Features::dense(DenseMatrix::new(40, 2, rows.collect()).unwrap());
        let class = |at: u32| if at == 0 { u32::MAX } else { u32::from(at >= 20) };
        LabelledRows::new(rows, (0..40).map(class).collect()).unwrap()
    }

    fn mechanism(noise_multiplier: f64) -> DpSgd<PrivateSoftmax, Record> {
        let settings = SgdSettings {
            steps: SETTINGS.steps,
            rows: 40,
            batch: BatchSampling::Poisson { rate: 1.0 },
            share: RowShare::Alone,
            clip_norm: PrivateSoftmax::clip_norm(2),
            noise_multiplier,
        };
        DpSgd::new(settings, PrivateSoftmax::new(2, 2, SETTINGS).unwrap()).unwrap()
    }

    fn trained(noise_multiplier: f64) -> DenseMatrix {
        let limit = Loss::new(f64::INFINITY, 0.5).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
        let released = ledger.release(&Secret::new(data()), &mechanism(noise_multiplier)).unwrap();
        released.into_inner().unwrap().into_model().0
    }

    #[test]
    fn it_learns_to_tell_classes_apart() {
        let weights = trained(0.01);
        let lean = |row: &[f32]| row[1] - row[0];
        // The plane is at 0.65 of a right angle or so: class 1 leans to the second column.
        assert!(lean(weights.row(1)) > 1.0 && lean(weights.row(0)) < -0.5, "{weights:?}");
    }

    /// Noise has a part in what is released: with much of it nothing is learned.
    #[test]
    fn noise_reaches_the_weights() {
        let (much, little) = (trained(1e4), trained(0.01));
        let norm = |matrix: &DenseMatrix| matrix.values().iter().map(|v| v * v).sum::<f32>();
        assert!(norm(&much) > 100.0 * norm(&little));
    }

    /// Each person's first gradient is as long as the clip: nothing is lost to it, and no noise is wasted.
    #[test]
    fn the_clip_is_the_norm_at_the_start() {
        for classes in [2usize, 3, 10] {
            let learner = PrivateSoftmax::new(2, classes, SETTINGS).unwrap();
            let factors = learner.factors(&learner.initial(), &data(), &[5]);
            let square: f32 = factors[0].output_gradients.row(0).iter().map(|g| g * g).sum();
            let clip = PrivateSoftmax::clip_norm(classes);
            assert!((f64::from(square).sqrt() - clip).abs() < 1e-6, "{classes}");
        }
    }

    /// Whichever rows are asked for with a row, its factors are the same to the last bit: what the numerics on a card say.
    #[test]
    fn rows_do_not_know_of_each_other() {
        let (data, learner) = (data(), PrivateSoftmax::new(2, 2, SETTINGS).unwrap());
        let mut descent = learner.initial();
        let values = [0.3, -1.7, 0.11, 2.9];
        descent.weights.values_mut().copy_from_slice(&values);
        let all: Vec<u32> = (0..40).collect();
        let together = learner.factors(&descent, &data, &all);
        for row in all {
            let alone = learner.factors(&descent, &data, &[row]);
            let (one, other) = (&together[0].output_gradients, &alone[0].output_gradients);
            assert_eq!(one.row(row as usize), other.row(0));
        }
        assert_eq!(mechanism(1.0).numerics(), Numerics::Exact);
    }

    #[test]
    fn who_has_no_class_counts_nothing() {
        let (data, learner) = (data(), PrivateSoftmax::new(2, 2, SETTINGS).unwrap());
        let factors = learner.factors(&learner.initial(), &data, &[0, 1]);
        assert_eq!(factors[0].output_gradients.row(0), [0.0, 0.0]);
        assert_ne!(factors[0].output_gradients.row(1), [0.0, 0.0]);
    }

    #[test]
    fn sparse_rows_are_read_as_dense_ones() {
        let mut rows = SparseBuilder::new(3);
        rows.push_row(&mut [(0, 0.6), (2, 0.8)]).unwrap();
        let sparse = LabelledRows::new(Features::sparse(rows.finish()), vec![1]).unwrap();
        let dense = DenseMatrix::new(1, 3, vec![0.6, 0.0, 0.8]).unwrap();
        let dense = LabelledRows::new(Features::dense(dense), vec![1]).unwrap();
        let learner = PrivateSoftmax::new(3, 2, SETTINGS).unwrap();
        let mut descent = learner.initial();
        descent.weights.values_mut().copy_from_slice(&[1.0, -1.0, 5.0, 5.0, 0.5, 0.25]);
        let of = |data| learner.factors(&descent, data, &[0]).remove(0).output_gradients;
        assert_eq!(of(&sparse), of(&dense));
    }

    #[test]
    fn the_second_half_counts() {
        let learner = PrivateSoftmax::new(2, 2, DescentSettings { steps: 5, ..SETTINGS }).unwrap();
        assert_eq!((0..5u64).filter(|taken| 2 * taken >= learner.settings.steps).count(), 2);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(PrivateSoftmax::new(0, 2, SETTINGS).is_err());
        assert!(PrivateSoftmax::new(2, 0, SETTINGS).is_err());
        for (steps, rate) in [(0, 1.0), (5, 0.0), (5, f64::NAN)] {
            assert!(
                PrivateSoftmax::new(2, 2, DescentSettings { steps, rate, ..SETTINGS }).is_err()
            );
        }
    }
}
