//! Feature reconstruction: a decoder trained on public data turns reported features back into raw ones.
//!
//! The decoder is a ridge regression from what is reported to what is behind it, trained on public rows
//! that went through the same mechanism: the best linear guess an attacker can make. Its score is the
//! share of the variance of private rows that it explains (1 is everything, 0 is the column means), and
//! the area under the ROC curve of telling which of a row's values are above their column's mean.

use privet::graph::{Bounds, BoundsOrigin, DenseMatrix, FeatureMatrix, Features, SimRng};
use privet::learn::metrics::roc_auc;
use privet::privacy::features::{DecodeRows, Decoding, FeatureMechanism, FeatureSettings, Scale};
use privet::privacy::noise::NoiseRng;
use privet::privacy::{Ledger, Loss, Secret};
use privet::{Error, Result};
use rand::RngExt;

/// What a decoder recovers.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RecoveryScores {
    /// Share of the variance explained.
    pub explained: f64,
    /// Area under the ROC curve of "above the mean", over all cells.
    pub auc: f64,
}

/// A linear decoder, one weight per reported column, and an offset, for every raw column.
#[derive(Debug, Clone)]
pub struct Decoder {
    /// Per raw column: weights, then the offset.
    weights: Vec<Vec<f64>>,
}

impl Decoder {
    /// Trains on public pairs of reported and raw rows. `ridge` is the penalty per row.
    ///
    /// # Errors
    /// If there is not one raw row per reported row.
    pub fn train(reported: &DenseMatrix, raw: &DenseMatrix, ridge: f64) -> Result<Self> {
        if reported.rows() != raw.rows() {
            return Err(Error::invalid("raw rows", raw.rows(), reported.rows()));
        }
        let width = reported.columns() + 1;
        let with_one = |row: usize| {
            // A column of ones takes the place of an intercept.
            reported.row(row).iter().map(|&x| f64::from(x)).chain([1.0]).collect::<Vec<f64>>()
        };
        // Normal equations: (Z'Z + ridge n I) W = Z'X.
        let mut square = vec![vec![0.0; width]; width];
        let mut right = vec![vec![0.0; raw.columns()]; width];
        for row in 0..raw.rows() {
            let z = with_one(row);
            for (&factor, (square, right)) in z.iter().zip(square.iter_mut().zip(&mut right)) {
                square.iter_mut().zip(&z).for_each(|(sum, &z)| *sum += factor * z);
                let x = raw.row(row).iter();
                right.iter_mut().zip(x).for_each(|(sum, &x)| *sum += factor * f64::from(x));
            }
        }
        let penalty = ridge * raw.rows() as f64;
        // The intercept is not penalised: it only moves the mean.
        (0..width - 1).for_each(|i| square[i][i] += penalty);
        // A hair of ridge keeps the system regular when all reports are 0.
        square[width - 1][width - 1] += 1e-9;
        solve(&mut square, &mut right);
        let column = |at: usize| right.iter().map(|row| row[at]).collect();
        Ok(Self { weights: (0..raw.columns()).map(column).collect() })
    }

    /// How well it recovers raw rows from reported ones.
    pub fn score(&self, reported: &DenseMatrix, raw: &DenseMatrix) -> RecoveryScores {
        let (mut missed, mut total) = (0.0, 0.0);
        let (mut guesses, mut above) = (Vec::new(), Vec::new());
        for (column, weights) in self.weights.iter().enumerate() {
            let truth = |row: usize| f64::from(raw.row(row)[column]);
            let mean = (0..raw.rows()).map(truth).sum::<f64>() / raw.rows().max(1) as f64;
            for row in 0..raw.rows() {
                let z = reported.row(row).iter().map(|&z| f64::from(z)).chain([1.0]);
                let guess: f64 = z.zip(weights).map(|(z, weight)| z * weight).sum();
                missed += (guess - truth(row)).powi(2);
                total += (truth(row) - mean).powi(2);
                guesses.push((guess - mean) as f32);
                // Guesses of all columns are compared on one scale: distances to the column's mean.
                above.push(truth(row) > mean);
            }
        }
        // Below 0 the decoder is worse than the mean, and explains nothing.
        let explained = if total > 0.0 { (1.0 - missed / total).max(0.0) } else { 0.0 };
        RecoveryScores { explained, auc: roc_auc(&guesses, &above).unwrap_or(0.5) }
    }
}

/// Gaussian elimination with pivots, for several right sides; the solution takes their place.
fn solve(square: &mut [Vec<f64>], right: &mut [Vec<f64>]) {
    let n = square.len();
    for at in 0..n {
        // Partial pivoting: the largest entry of the column keeps rounding small.
        let pivot = (at..n).max_by(|&a, &b| square[a][at].abs().total_cmp(&square[b][at].abs()));
        if let Some(pivot) = pivot {
            square.swap(at, pivot);
            right.swap(at, pivot);
        }
        let head = square[at][at];
        // A direction that no report has: its weight stays what it is, 0.
        if head == 0.0 {
            continue;
        }
        let (row, sides) = (square[at].clone(), right[at].clone());
        // Gauss-Jordan: eliminated above and below, so no back substitution follows.
        for other in (0..n).filter(|&other| other != at) {
            let factor = square[other][at] / head;
            if factor != 0.0 {
                square[other].iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
                right[other].iter_mut().zip(&sides).for_each(|(x, y)| *x -= factor * y);
            }
        }
    }
    for (row, sides) in
        square.iter().enumerate().zip(right.iter_mut()).map(|((at, r), s)| (r[at], s))
    {
        if row != 0.0 {
            sides.iter_mut().for_each(|x| *x /= row);
        }
    }
}

/// What a decoder recovers from three kinds of embeddings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reconstruction {
    /// From what FeatureRR reports.
    pub reported: RecoveryScores,
    /// From reports with nothing behind them.
    pub noise_alone: RecoveryScores,
    /// From embeddings in the clear.
    pub clear: RecoveryScores,
}

/// Raw rows go through a public extractor of so many columns and are reported at `epsilon`; the first half
/// of the rows is public and trains a decoder, the second half is attacked.
///
/// # Errors
/// If the mechanism refuses its settings.
pub fn against_feature_rr(
    raw: &DenseMatrix,
    epsilon: f64,
    width: usize,
    seed: u64,
) -> Result<Reconstruction> {
    let embedded = embed(raw, width, seed);
    // The first half is the attacker's public data, the second half is what it attacks.
    let half = raw.rows() / 2;
    let part = |rows: &DenseMatrix, from: usize, to: usize| {
        let values = rows.values()[from * rows.columns()..to * rows.columns()].to_vec();
        DenseMatrix::new(to - from, rows.columns(), values)
    };
    let (known, wanted) = (part(raw, 0, half)?, part(raw, half, raw.rows())?);
    let attack = |rows: &DenseMatrix| -> Result<RecoveryScores> {
        let decoder = Decoder::train(&part(rows, 0, half)?, &known, 1e-3)?;
        Ok(decoder.score(&part(rows, half, rows.rows())?, &wanted))
    };
    // The same noise on rows of zeros: what a decoder scores without any signal.
    let blank = DenseMatrix::zeros(embedded.rows(), embedded.columns());
    Ok(Reconstruction {
        reported: attack(&report(&embedded, epsilon, seed)?)?,
        noise_alone: attack(&report(&blank, epsilon, seed)?)?,
        clear: attack(&embedded)?,
    })
}

/// A public extractor: a fixed random projection, squeezed into [-1, 1].
fn embed(raw: &DenseMatrix, width: usize, seed: u64) -> DenseMatrix {
    let mut rng = SimRng::stream(seed, 41);
    // Random weights: an untrained layer is the encoder that gives away most of its input.
    let weights: Vec<f32> =
        (0..raw.columns() * width).map(|_| rng.random_range(-0.5..0.5)).collect();
    let mut out = DenseMatrix::zeros(raw.rows(), width);
    for row in 0..raw.rows() {
        let to = out.row_mut(row);
        for (column, &value) in raw.row(row).iter().enumerate().filter(|(_, value)| **value != 0.0)
        {
            let of = &weights[column * width..(column + 1) * width];
            to.iter_mut().zip(of).for_each(|(sum, weight)| *sum += value * weight);
        }
        // tanh brings every entry into the range that is declared to the mechanism.
        to.iter_mut().for_each(|x| *x = x.tanh());
    }
    out
}

/// What FeatureRR reports of rows on [-1, 1].
fn report(rows: &DenseMatrix, epsilon: f64, seed: u64) -> Result<DenseMatrix> {
    let bounds = Bounds::uniform(-1.0, 1.0, BoundsOrigin::Declared)?;
    let scale = Scale::new(rows.columns(), Some(&bounds))?;
    let mechanism =
        FeatureMechanism::build("feature-rr", epsilon, scale, &FeatureSettings::default())?;
    let people = Secret::new(Features::dense(rows.clone()).with_bounds(bounds)?);
    let mut ledger = Ledger::in_memory(Loss::new(epsilon, 0.0)?, NoiseRng::replay(seed))?;
    let reports = ledger.release_each(&people, &mechanism)?;
    match mechanism.decode(reports.get(), Decoding::Paper)? {
        FeatureMatrix::Dense(rows) => Ok(rows),
        FeatureMatrix::Sparse(_) => Err(Error::invalid("reports", "sparse rows", "dense rows")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(rows: usize, columns: usize, seed: u64) -> DenseMatrix {
        let mut rng = SimRng::new(seed);
        let values = (0..rows * columns).map(|_| rng.random_range(-1.0..1.0f32)).collect();
        DenseMatrix::new(rows, columns, values).unwrap()
    }

    /// Raw rows seen through an invertible mix are recovered; rows of noise tell nothing.
    #[test]
    fn a_mix_is_undone_and_noise_is_not() {
        let (public, private) = (random(200, 3, 1), random(100, 3, 2));
        let mix = |rows: &DenseMatrix| {
            let values = (0..rows.rows()).flat_map(|row| {
                let &[a, b, c] = rows.row(row) else { unreachable!() };
                [a + b, b - c, 0.5 * c + a + 0.3]
            });
            DenseMatrix::new(rows.rows(), 3, values.collect()).unwrap()
        };
        let decoder = Decoder::train(&mix(&public), &public, 1e-9).unwrap();
        let found = decoder.score(&mix(&private), &private);
        assert!(found.explained > 0.999 && found.auc > 0.99, "{found:?}");
        let blind = Decoder::train(&random(200, 3, 3), &public, 1e-3).unwrap();
        let found = blind.score(&random(100, 3, 4), &private);
        assert!(found.explained < 0.1 && (found.auc - 0.5).abs() < 0.12, "{found:?}");
    }

    /// x = 2 z + 3 is found, weight and offset, and undone exactly.
    #[test]
    fn a_known_decoder_is_found() {
        let z = DenseMatrix::new(4, 1, vec![0.0, 1.0, 2.0, 3.0]).unwrap();
        let x = DenseMatrix::new(4, 1, vec![3.0, 5.0, 7.0, 9.0]).unwrap();
        let decoder = Decoder::train(&z, &x, 0.0).unwrap();
        assert!((decoder.weights[0][0] - 2.0).abs() < 1e-6, "{decoder:?}");
        assert!((decoder.weights[0][1] - 3.0).abs() < 1e-6, "{decoder:?}");
        let found = decoder.score(&z, &x);
        assert!((found.explained - 1.0).abs() < 1e-9 && found.auc == 1.0, "{found:?}");
        // With a penalty beyond all measure only the mean is left, which explains nothing.
        let blunt = Decoder::train(&z, &x, 1e12).unwrap();
        assert!(blunt.weights[0][0].abs() < 1e-6 && (blunt.weights[0][1] - 6.0).abs() < 1e-4);
        let found = blunt.score(&z, &x);
        assert!(found.explained < 1e-4, "{found:?}");
        assert!(Decoder::train(&z, &DenseMatrix::zeros(3, 1), 0.0).is_err(), "a row too few");
    }

    /// 2x + y = 5, x + 3y = 10, for two right sides; pivots are needed where a diagonal is zero.
    #[test]
    fn equations_are_solved() {
        let mut square = vec![vec![2.0, 1.0], vec![1.0, 3.0]];
        let mut right = vec![vec![5.0, 2.0], vec![10.0, 1.0]];
        solve(&mut square, &mut right);
        let expected = [[1.0, 1.0], [3.0, 0.0]];
        for (found, expected) in right.iter().flatten().zip(expected.iter().flatten()) {
            assert!((found - expected).abs() < 1e-12, "{right:?}");
        }
        let mut square = vec![vec![0.0, 2.0], vec![4.0, 0.0]];
        let mut right = vec![vec![6.0], vec![8.0]];
        solve(&mut square, &mut right);
        assert_eq!(right, [[2.0], [3.0]]);
    }

    /// Much epsilon leaves little noise, and the decoder reads what it reads in the clear; little epsilon leaves
    /// no more than noise with nothing behind it.
    #[test]
    fn the_decoder_finds_what_epsilon_leaves() {
        let raw = random(400, 4, 5);
        let open = against_feature_rr(&raw, 400.0, 4, 1).unwrap();
        assert!(open.clear.auc > 0.95, "{open:?}");
        assert!(open.reported.auc > open.noise_alone.auc + 0.2, "{open:?}");
        let hidden = against_feature_rr(&raw, 0.01, 4, 1).unwrap();
        assert_eq!(hidden.clear, open.clear, "the embedding does not depend on epsilon");
        assert!((hidden.reported.auc - hidden.noise_alone.auc).abs() < 0.1, "{hidden:?}");
        assert!(hidden.reported.auc < 0.6, "{hidden:?}");
    }

    #[test]
    fn an_extractor_is_public_and_squeezes() {
        let raw = random(10, 3, 7);
        let embedded = embed(&raw, 5, 1);
        assert_eq!((embedded.rows(), embedded.columns()), (10, 5));
        assert!(embedded.values().iter().all(|value| value.abs() < 1.0));
        assert_eq!(embedded.values(), embed(&raw, 5, 1).values());
        assert_ne!(embedded.values(), embed(&raw, 5, 2).values());
        let blank = embed(&DenseMatrix::zeros(2, 3), 5, 1);
        assert!(blank.values().iter().all(|value| *value == 0.0));
    }
}
