//! [`Columns`]: how the feature budget is shared among columns: from what was declared, and from a public sample.

use crate::graph::{Dataset, DenseMatrix, FeatureMatrix, Features};
use crate::hetero_rr::{FeatureProtection, scores};
use crate::labels::one_each;
use crate::privacy::fault::{self, Fault};
use crate::privacy::features::{FeatureSettings, Theta};
use crate::privacy::public::Public;
use crate::{Error, Result};

/// Epochs of the linear model that says which columns matter.
const EPOCHS: usize = 100;

/// What is known about columns without looking at any row.
#[derive(Debug, Clone)]
pub struct Columns {
    /// Columns that get less of the budget, by name, or by number from 0.
    pub sensitive: Vec<String>,
    /// Public dataset with the same columns and labels, from which the importance of columns is
    /// computed.
    pub sample: Option<Dataset>,
    /// Weight of importance against sensitivity, from 0 to 1 (gamma).
    pub gamma: f64,
}

impl Columns {
    /// How the rows of a dataset are protected, with the shares of its columns.
    ///
    /// # Errors
    /// If there are no rows, or the mechanism treats all columns alike; those of [`Columns::shares`].
    pub fn shared(&self, how: FeatureProtection, dataset: &Dataset) -> Result<FeatureProtection> {
        let features = dataset.features().ok_or_else(|| Error::Missing {
            dataset: dataset.name().to_owned(),
            what: "features",
            remedy: "they are what is to be protected",
        })?;
        let shared = match (self.sensitive.is_empty(), &self.sample) {
            (false, _) => Some(("sensitive-columns", self.sensitive.join(","))),
            (true, Some(sample)) => Some(("public-sample", sample.name().to_owned())),
            (true, None) => None,
        };
        if let Some((name, given)) = shared.filter(|_| how.mechanism != "feature-rr") {
            let found = format!("{given} with mechanism {}", how.mechanism);
            let expected = "mechanism feature-rr: the others treat all columns alike";
            return Err(Error::Setting { name, found, expected });
        }
        let settings = FeatureSettings { theta: self.shares(features)?, ..how.settings };
        Ok(FeatureProtection { settings, ..how })
    }

    /// The shares of the columns of `features` under FeatureRR; `None` for equal ones.
    ///
    /// # Errors
    /// If there is no such column, or the sample does not fit.
    pub fn shares(&self, features: &Features) -> Result<Option<Public<Theta>>> {
        let sensitive = self
            .sensitive
            .iter()
            .map(|column| find(column, features))
            .collect::<Result<Vec<_>>>()?;
        if sensitive.is_empty() && self.sample.is_none() {
            return Ok(None);
        }
        let columns = features.columns();
        let Some(sample) = &self.sample else {
            // Nothing may follow from the rows themselves: shares are a parameter, and parameters are not charged.
            let equal = Public::declared(match fault::on(Fault::SharesFromPrivateColumns) {
                true => column_sums(features),
                false => vec![1.0 / columns as f64; columns],
            });
            let sensitivity = scores::declared_sensitivity(columns, &sensitive)?;
            return Ok(Some(scores::shares(&equal, &sensitivity, self.gamma)?));
        };
        let rows = sample.features().filter(|features| features.columns() == columns).map(dense);
        let (Some(rows), Some(labels)) = (rows, sample.labels()) else {
            let expected = format!("{columns} feature columns, as the graph has, and labels");
            return Err(Error::invalid("public sample", "one without them", expected));
        };
        one_each(Some(labels), sample.name(), "they tell which columns matter")?;
        let rows = Public::from_public_data(rows);
        let labels = Public::from_public_data(labels.clone());
        let weights = scores::linear_model(&rows, &labels, EPOCHS)?;
        let importance = scores::linear_importance(&rows, &weights)?;
        let sensitivity = scores::sensitivity(&rows, &sensitive, <[f32]>::to_vec)?;
        Ok(Some(scores::shares(&importance, &sensitivity, self.gamma)?))
    }
}

/// For a fault alone: sums over private rows, as shares.
fn column_sums(features: &Features) -> Vec<f64> {
    let mut sums = vec![1.0; features.columns()];
    for row in 0..features.rows() {
        for (column, value) in features.nonzero_entries(row) {
            sums[column as usize] += f64::from(value.abs());
        }
    }
    let total: f64 = sums.iter().sum();
    sums.iter().map(|sum| sum / total).collect()
}

/// A column by its name, or by its number.
fn find(column: &str, features: &Features) -> Result<usize> {
    let named = features.names().and_then(|names| names.iter().position(|name| name == column));
    let numbered = || column.parse().ok().filter(|&at: &usize| at < features.columns());
    named.or_else(numbered).ok_or_else(|| {
        let expected = format!("a name, or a number from 0 to {}", features.columns() - 1);
        Error::invalid("column", format!("'{column}'"), expected)
    })
}

fn dense(features: &Features) -> DenseMatrix {
    if let FeatureMatrix::Dense(matrix) = features.matrix() {
        return matrix.clone();
    }
    let mut rows = DenseMatrix::zeros(features.rows(), features.columns());
    for row in 0..features.rows() {
        for (column, value) in features.nonzero_entries(row) {
            rows.row_mut(row)[column as usize] = value;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::StochasticBlocks;

    /// Two worlds that differ in every private row have the same shares, from declarations and from a public sample.
    #[test]
    fn b9_shares_follow_from_declarations_alone() {
        let world = |seed| {
            let blocks =
                StochasticBlocks { nodes: 200, classes: 2, features: 5, ..Default::default() };
            blocks.generate(seed).unwrap()
        };
        let [one, other, sample] = [1, 2, 3].map(world);
        assert_ne!(one.features(), other.features());
        for sample in [None, Some(sample)] {
            let columns = Columns { sensitive: vec!["1".into()], sample, gamma: 0.5 };
            let shares = |data: &Dataset| {
                let shares = columns.shares(data.features().unwrap()).unwrap();
                format!("{shares:?}")
            };
            assert!(shares(&one).starts_with("Some"), "{}", shares(&one));
            assert_eq!(shares(&one), shares(&other));
        }
    }
}
