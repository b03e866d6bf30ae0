//! Answers of people whose rows are alike, drawn together: noise on weights is not alike in rows, what is known of
//! classes is.
//!
//! A linear model from noisy sums ([`class_sums`](super::class_sums)) gives visitor v the score `x_v · (D + n)`. Before anything is
//! known, sums of rows vary as rows do, `D ~ N(0, c XᵀX)`, and n has the same variance in every direction. The best
//! guess of `X D` after `H = X (D + n)` was seen is then
//!
//! `K (K + τ)⁻¹ H`, with `K = X Xᵀ` among the visitors and τ the variance of the noise over c.
//!
//! Rows and scores are taken from their mean among the visitors first. What the model says of that mean shifts all
//! answers. It is little but noise if the visitors are people like those trained on, and most of what there is to know if
//! all of them are of a few classes, so it is shrunk as James and Stein do: by how its length compares with what noise alone
//! would make it. What was drawn out of the other scores tells how large noise is.
//!
//! It needs no label and reads nothing of the people trained on: what the visitors show of themselves when they ask.

use crate::graph::{DenseMatrix, Features};
use crate::learn::spectral::product;

/// Steps of conjugate gradients, and how small what is left of a score may be before they end.
const STEPS: usize = 60;
const SMALL: f64 = 1e-6;
/// How many times its expected length noise on the mean may have.
const CAUTION: f64 = 2.0;

/// The scores, drawn together with this τ per visitor; 0 leaves them as they are.
pub fn drawn_together(rows: &Features, mut scores: DenseMatrix, per_visitor: f64) -> DenseMatrix {
    let (visitors, classes) = (scores.rows(), scores.columns());
    let tau = per_visitor * visitors as f64;
    if !(tau > 0.0 && tau.is_finite()) {
        return scores;
    }
    let (mut means, mut removed) = (Vec::with_capacity(classes), 0.0);
    for class in 0..classes {
        let mut own: Vec<f64> =
            (0..visitors).map(|row| f64::from(scores.row(row)[class])).collect();
        means.push(centre(&mut own));
        let mut noise = solve(rows, &own, tau);
        noise.iter_mut().for_each(|value| *value *= tau);
        removed += product(&noise, &noise);
        for (row, (own, noise)) in own.iter().zip(&noise).enumerate() {
            // K (K + τ)⁻¹ h = h - τ (K + τ)⁻¹ h.
            scores.row_mut(row)[class] = (own - noise) as f32;
        }
    }
    let [about_mean, of_mean] = lengths(rows);
    let noise = if about_mean > 0.0 { CAUTION * removed / about_mean * of_mean } else { 0.0 };
    let kept = (1.0 - noise / product(&means, &means)).max(0.0);
    for row in 0..visitors {
        let row = scores.row_mut(row).iter_mut().zip(&means);
        row.for_each(|(score, mean)| *score += (kept * mean) as f32);
    }
    scores
}

/// The squared lengths of all rows from their mean, together, and that of the mean.
fn lengths(rows: &Features) -> [f64; 2] {
    let (mut sums, mut squares) = (vec![0.0; rows.columns()], 0.0);
    for row in 0..rows.rows() {
        for (column, value) in rows.nonzero_entries(row) {
            sums[column as usize] += f64::from(value);
            squares += f64::from(value).powi(2);
        }
    }
    let count = rows.rows().max(1) as f64;
    let of_mean = product(&sums, &sums) / (count * count);
    [squares - count * of_mean, of_mean]
}

/// `(K + τ)⁻¹ right` by conjugate gradients: K is never written down.
pub(super) fn solve(rows: &Features, right: &[f64], tau: f64) -> Vec<f64> {
    let mut solution = vec![0.0; right.len()];
    let (mut left, mut direction) = (right.to_vec(), right.to_vec());
    let mut squared = product(&left, &left);
    let enough = SMALL * SMALL * squared;
    for _ in 0..STEPS {
        if squared <= enough {
            break;
        }
        let mut through = alike(rows, &direction);
        through.iter_mut().zip(&direction).for_each(|(value, part)| *value += tau * part);
        let step = squared / product(&direction, &through);
        add(&mut solution, step, &direction);
        add(&mut left, -step, &through);
        let next = product(&left, &left);
        direction
            .iter_mut()
            .zip(&left)
            .for_each(|(part, left)| *part = left + next / squared * *part);
        squared = next;
    }
    solution
}

/// `K v`, on rows taken from their mean; v sums to 0.
fn alike(rows: &Features, values: &[f64]) -> Vec<f64> {
    let mut columns = vec![0.0; rows.columns()];
    for (row, value) in values.iter().enumerate() {
        for (column, entry) in rows.nonzero_entries(row) {
            columns[column as usize] += f64::from(entry) * value;
        }
    }
    let inner = |row: usize| -> f64 {
        let entries = rows.nonzero_entries(row);
        entries.map(|(column, entry)| f64::from(entry) * columns[column as usize]).sum()
    };
    let mut result: Vec<f64> = (0..values.len()).map(inner).collect();
    centre(&mut result);
    result
}

/// Takes the mean off, and says what it was.
fn centre(values: &mut [f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter_mut().for_each(|value| *value -= mean);
    mean
}

fn add(to: &mut [f64], times: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += times * what);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: usize, values: &[f32]) -> DenseMatrix {
        DenseMatrix::new(rows, values.len() / rows, values.to_vec()).unwrap()
    }

    /// Two by two, by hand: rows ±e, so that K of the centred rows is [[1, -1], [-1, 1]].
    #[test]
    fn two_people_by_hand() {
        let rows = Features::dense(matrix(2, &[1.0, -1.0]));
        let drawn = drawn_together(&rows, matrix(2, &[3.0, 1.0]), 0.5);
        // τ = 1; scores (1, -1) after the mean lie along the eigenvector of value 2: 2 / (2 + 1). The mean of the rows is
        // 0, where no noise is, so the mean of the scores stays.
        let expected = [2.0 / 3.0 + 2.0, -2.0 / 3.0 + 2.0];
        for (found, expected) in drawn.values().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
        }
    }

    /// A visitor who comes alone keeps their answer, and so do all where there is no smoothing.
    #[test]
    fn alone_nothing_changes() {
        let scores = matrix(1, &[0.5, -2.0]);
        let row = Features::dense(matrix(1, &[0.6, 0.8]));
        assert_eq!(drawn_together(&row, scores.clone(), 3.0), scores);
        let rows = Features::dense(matrix(2, &[1.0, 0.0, 0.0, 1.0]));
        let scores = matrix(2, &[1.0, 2.0, 3.0, 5.0]);
        for off in [0.0, f64::NAN, f64::INFINITY] {
            assert_eq!(drawn_together(&rows, scores.clone(), off), scores);
        }
    }

    /// Visitors who are all of one class keep what is said of all of them; a mean no longer than noise makes it goes.
    #[test]
    fn what_all_have_in_common_stays_if_it_is_more_than_noise() {
        let people = 50;
        let mut rows = DenseMatrix::zeros(people, 1 + people);
        for row in 0..people {
            rows.row_mut(row)[0] = 0.6;
            rows.row_mut(row)[1 + row] = 0.8;
        }
        let rows = Features::dense(rows);
        let drawn = |mean: f32| -> f32 {
            let noisy = |row: usize| mean + if row.is_multiple_of(2) { 1.0 } else { -1.0 };
            let scores = (0..people).flat_map(|row| [noisy(row), -noisy(row)]).collect();
            let scores = DenseMatrix::new(people, 2, scores).unwrap();
            let drawn = drawn_together(&rows, scores, 1.0);
            (0..people).map(|row| drawn.row(row)[0]).sum::<f32>() / people as f32
        };
        assert!((drawn(20.0) - 20.0).abs() < 0.2, "{}", drawn(20.0));
        assert!(drawn(0.5).abs() < 1e-6, "{}", drawn(0.5));
    }

    /// Noise on weights of columns that no other person has goes away; what the rows of a group share stays.
    #[test]
    fn groups_keep_what_they_share() {
        let people = 40;
        let mut rows = DenseMatrix::zeros(people, 2 + people);
        let mut scores = DenseMatrix::zeros(people, 1);
        for row in 0..people {
            rows.row_mut(row)[row % 2] = 0.8;
            rows.row_mut(row)[2 + row] = 0.6;
            let noise = if row % 4 < 2 { 3.0 } else { -3.0 };
            scores.row_mut(row)[0] = if row % 2 == 0 { 1.0 } else { -1.0 } + noise;
        }
        let drawn = drawn_together(&Features::dense(rows), scores, 0.1);
        for row in 0..people {
            let group = if row % 2 == 0 { 1.0 } else { -1.0 };
            assert!(drawn.row(row)[0] * group > 0.0, "{row}: {}", drawn.row(row)[0]);
        }
    }
}
