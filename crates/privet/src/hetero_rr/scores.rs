//! Which columns deserve how much budget (HeteroRR section III-A): importance by Shapley values of a model,
//! sensitivity by masking declared columns, both on public data.
//!
//! # Why the types
//! If scores were computed from the records they steer the noise of, the guarantee would be void. Every
//! function here takes a [`Public`] sample, and private features are a [`Secret`](crate::privacy::Secret)
//! that nothing outside the trusted base can open, so they cannot be passed by accident.
//!
//! # Equations
//! * Linear model `f(z) = w·z`: the Shapley value of column i is `w_i (z_i - E z_i)`, exactly.
//! * Any model: the average, over random orders of the columns and random background rows, of what
//!   column i adds when it is switched from the background to the row (sampling Shapley).
//! * `alpha_i = E|SHAP_i| / sum_j E|SHAP_j|`, `beta_i = E|z_i - z^_i| / sum_j E|z_j - z^_j|` where `z^` is the
//!   embedding of the input with its sensitive columns masked (eq. 5, 6, averaged over the sample).

use rand::RngExt;
use rand::seq::SliceRandom;

use crate::graph::{DenseMatrix, Labels, SimRng};
use crate::learn::models::{Classification, Mlp, MlpConfig};
use crate::learn::parameters::Parameters;
use crate::learn::train::{Fit, FitConfig};
use crate::privacy::features::Theta;
use crate::privacy::public::Public;
use crate::{Error, Result};

/// Scores of columns, from public data: at least 0, of sum 1 (or all 0).
pub type Scores = Public<Vec<f64>>;

/// Importance under a linear model with one column of `weights` per output, exactly.
///
/// ```
/// use privet::graph::DenseMatrix;
/// use privet::hetero_rr::scores::linear_importance;
/// use privet::privacy::public::Public;
/// let sample = Public::from_public_data(DenseMatrix::new(2, 2, vec![0.0, 0.0, 1.0, 1.0])?);
/// let weights = DenseMatrix::new(2, 1, vec![3.0, -1.0])?;
/// assert_eq!(linear_importance(&sample, &weights)?.get(), &[0.75, 0.25]);
/// # Ok::<(), privet::Error>(())
/// ```
///
/// # Errors
/// If there is not one weight per column, or no row.
pub fn linear_importance(sample: &Public<DenseMatrix>, weights: &DenseMatrix) -> Result<Scores> {
    let rows = checked(sample)?;
    if weights.rows() != rows.columns() {
        let expected = format!("{} (one per column)", rows.columns());
        return Err(Error::invalid("number of weights", weights.rows(), expected));
    }
    let means = means(rows);
    let mut total = vec![0.0; rows.columns()];
    for row in 0..rows.rows() {
        for (column, total) in total.iter_mut().enumerate() {
            let away = f64::from(rows.row(row)[column]) - means[column];
            let of = weights.row(column).iter();
            *total += of.map(|&weight| (f64::from(weight) * away).abs()).sum::<f64>();
        }
    }
    Ok(sample.clone().map(|_| normalised(total)))
}

/// How many rows and orders sampling Shapley looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// Rows of the sample whose values are explained.
    pub rows: usize,
    /// Random orders (each with a background row of its own) per row.
    pub orders: usize,
    /// The seed; it gives no protection.
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { rows: 64, orders: 16, seed: 1 }
    }
}

/// Importance under any model, by sampling Shapley. `model` gives one number or several per row.
///
/// # Errors
/// If there is no row.
pub fn sampled_importance(
    sample: &Public<DenseMatrix>,
    model: impl Fn(&[f32]) -> Vec<f64>,
    sampling: Sampling,
) -> Result<Scores> {
    let rows = checked(sample)?;
    let mut rng = SimRng::stream(sampling.seed, 11);
    let columns = rows.columns();
    let mut order: Vec<usize> = (0..columns).collect();
    let mut total = vec![0.0; columns];
    for _ in 0..sampling.rows {
        let row = rows.row(rng.random_range(0..rows.rows()));
        let mut shapley: Vec<Vec<f64>> = Vec::new();
        for _ in 0..sampling.orders {
            let mut mixed = rows.row(rng.random_range(0..rows.rows())).to_vec();
            order.shuffle(&mut rng);
            let mut before = model(&mixed);
            shapley.resize(columns, vec![0.0; before.len()]);
            for &column in &order {
                // A column that does not change cannot change the answer.
                if mixed[column].to_bits() == row[column].to_bits() {
                    continue;
                }
                mixed[column] = row[column];
                let after = model(&mixed);
                let gains = after.iter().zip(&before).map(|(after, before)| after - before);
                shapley[column].iter_mut().zip(gains).for_each(|(sum, gain)| *sum += gain);
                before = after;
            }
        }
        for (total, values) in total.iter_mut().zip(&shapley) {
            *total += values.iter().map(|value| value.abs()).sum::<f64>();
        }
    }
    Ok(sample.clone().map(|_| normalised(total)))
}

/// Sensitivity: how much each embedding column changes when the sensitive input columns are masked by 0.
/// `extract` is the public extractor; for raw inputs it copies the row.
///
/// # Errors
/// If a sensitive column does not exist, or there is no row.
pub fn sensitivity(
    sample: &Public<DenseMatrix>,
    sensitive: &[usize],
    extract: impl Fn(&[f32]) -> Vec<f32>,
) -> Result<Scores> {
    let rows = checked(sample)?;
    if let Some(column) = sensitive.iter().find(|&&column| column >= rows.columns()) {
        let expected = format!("a column below {}", rows.columns());
        return Err(Error::invalid("sensitive column", column, expected));
    }
    let mut total: Vec<f64> = Vec::new();
    for row in 0..rows.rows() {
        let mut masked = rows.row(row).to_vec();
        sensitive.iter().for_each(|&column| masked[column] = 0.0);
        let (plain, masked) = (extract(rows.row(row)), extract(&masked));
        total.resize(plain.len().max(total.len()), 0.0);
        for (total, (a, b)) in total.iter_mut().zip(plain.iter().zip(&masked)) {
            *total += f64::from((a - b).abs());
        }
    }
    Ok(sample.clone().map(|_| normalised(total)))
}

/// Sensitivity of raw inputs where no public sample is known: the same for all declared columns.
///
/// # Errors
/// If a sensitive column does not exist.
pub fn declared_sensitivity(columns: usize, sensitive: &[usize]) -> Result<Scores> {
    let mut scores = vec![0.0; columns];
    for &column in sensitive {
        match scores.get_mut(column) {
            Some(score) => *score = 1.0,
            None => {
                let expected = format!("a column below {columns}");
                return Err(Error::invalid("sensitive column", column, expected));
            }
        }
    }
    Ok(Public::declared(normalised(scores)))
}

/// Shares of the budget from importance and sensitivity (eq. 7): `gamma` of the one, the rest of the other.
///
/// # Errors
/// If the two speak of different numbers of columns, or gamma is not from 0 to 1.
pub fn shares(importance: &Scores, sensitivity: &Scores, gamma: f64) -> Result<Public<Theta>> {
    let theta = Theta::from_scores(importance.get(), sensitivity.get(), gamma)?;
    // Both are public; the card names where the sensitivity came from.
    Ok(sensitivity.clone().map(|_| theta))
}

/// The weights of a linear classifier trained on public rows and labels: one row per column, one column
/// per class.
///
/// # Errors
/// If there is not one label per row, or training fails.
pub fn linear_model(
    sample: &Public<DenseMatrix>,
    labels: &Public<Labels>,
    epochs: usize,
) -> Result<DenseMatrix> {
    let (rows, labels) = (checked(sample)?, labels.get());
    let labelled: Vec<u32> =
        (0..rows.rows() as u32).filter(|&row| labels.class(row).is_some()).collect();
    let config = MlpConfig {
        inputs: rows.columns(),
        hidden: Vec::new(),
        outputs: labels.class_count(),
        dropout: 0.0,
        seed: 1,
    };
    let mut model = Mlp::new(config)?;
    let mut task = Classification::new(&mut model, rows.into(), labels, &labelled, &[])?;
    // Steps large enough that little of the random start remains.
    Fit::new(FitConfig { epochs, learning_rate: 0.1, ..FitConfig::default() }).run(&mut task)?;
    let mut weights = None;
    model.visit(&mut |parameter| {
        if parameter.value.rows() == rows.columns() && weights.is_none() {
            weights = Some(parameter.value.clone());
        }
    });
    let mut weights: DenseMatrix =
        weights.ok_or_else(|| Error::invalid("linear model", "no weights", "one per column"))?;
    // What all classes share decides nothing: softmax does not see it.
    for column in 0..weights.rows() {
        let row = weights.row_mut(column);
        let mean = row.iter().sum::<f32>() / row.len().max(1) as f32;
        row.iter_mut().for_each(|weight| *weight -= mean);
    }
    Ok(weights)
}

fn checked(sample: &Public<DenseMatrix>) -> Result<&DenseMatrix> {
    match sample.get().rows() {
        0 => Err(Error::invalid("public sample", "no rows", "at least one")),
        _ => Ok(sample.get()),
    }
}

fn means(rows: &DenseMatrix) -> Vec<f64> {
    let mut means = vec![0.0; rows.columns()];
    for row in 0..rows.rows() {
        means.iter_mut().zip(rows.row(row)).for_each(|(mean, &x)| *mean += f64::from(x));
    }
    means.iter().map(|sum| sum / rows.rows() as f64).collect()
}

fn normalised(scores: Vec<f64>) -> Vec<f64> {
    let sum: f64 = scores.iter().sum();
    if sum > 0.0 { scores.iter().map(|score| score / sum).collect() } else { scores }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Public<DenseMatrix> {
        let values = (0..40).map(|at| ((at * 37 % 11) as f32) / 11.0).collect();
        Public::from_public_data(DenseMatrix::new(10, 4, values).unwrap())
    }

    /// On a linear model the two ways agree as sampling goes on.
    #[test]
    fn sampling_agrees_with_the_exact_values() {
        let weights =
            DenseMatrix::new(4, 2, vec![1.0, 0.0, -2.0, 0.5, 0.0, 0.0, 0.3, 3.0]).unwrap();
        let exact = linear_importance(&sample(), &weights).unwrap();
        let model = |row: &[f32]| -> Vec<f64> {
            (0..2)
                .map(|out| (0..4).map(|i| f64::from(row[i] * weights.row(i)[out])).sum())
                .collect()
        };
        let sampling = Sampling { rows: 400, orders: 200, seed: 3 };
        let sampled = sampled_importance(&sample(), model, sampling).unwrap();
        for (a, b) in exact.get().iter().zip(sampled.get()) {
            assert!((a - b).abs() < 0.02, "{exact:?} {sampled:?}");
        }
        assert_eq!(sampled.get()[2], 0.0);
    }

    #[test]
    fn masking_finds_the_sensitive_columns() {
        let raw = sensitivity(&sample(), &[1, 3], <[f32]>::to_vec).unwrap();
        assert!(raw.get()[0] == 0.0 && raw.get()[2] == 0.0);
        assert!((raw.get().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // An extractor spreads what is sensitive over its outputs.
        let mixed =
            sensitivity(&sample(), &[1], |row| vec![row[0] + row[1], 3.0 * row[1]]).unwrap();
        assert!((mixed.get()[0] - 0.25).abs() < 1e-6 && (mixed.get()[1] - 0.75).abs() < 1e-6);
        assert!(sensitivity(&sample(), &[4], <[f32]>::to_vec).is_err());
        assert_eq!(declared_sensitivity(3, &[0, 2]).unwrap().get(), &[0.5, 0.0, 0.5]);
        assert!(declared_sensitivity(3, &[3]).is_err());
    }

    #[test]
    fn important_and_harmless_columns_get_more() {
        let importance = Public::from_public_data(vec![0.1, 0.9]);
        let sensitive = declared_sensitivity(2, &[0]).unwrap();
        let theta = shares(&importance, &sensitive, 0.5).unwrap();
        assert!(theta.get().shares()[1] > 0.9);
        assert!(shares(&importance, &declared_sensitivity(3, &[]).unwrap(), 0.5).is_err());
    }

    /// A model trained on public rows finds the column that matters.
    #[test]
    fn a_trained_linear_model_knows_its_columns() {
        let mut rng = SimRng::new(4);
        let values = (0..360).map(|_| rng.random_range(-1.0..1.0f32)).collect();
        let sample = Public::from_public_data(DenseMatrix::new(120, 3, values).unwrap());
        let class = |row: usize| Some(i64::from(sample.get().row(row)[1] > 0.0));
        let labels = Labels::from_integers(&(0..120).map(class).collect::<Vec<_>>()).unwrap();
        let weights = linear_model(&sample, &Public::from_public_data(labels), 60).unwrap();
        let importance = linear_importance(&sample, &weights).unwrap();
        assert!(importance.get()[1] > 0.5, "{importance:?}");
    }
}
