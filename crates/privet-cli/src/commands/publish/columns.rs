//! How the feature budget is shared among columns: from what was declared, and from a public sample.

use privet::graph::{Dataset, DenseMatrix, FeatureMatrix, Features};
use privet::hetero_rr::scores;
use privet::privacy::features::Theta;
use privet::privacy::public::Public;

use crate::args::FeatureOptions;
use crate::failure::{Failure, Result};

/// Epochs of the linear model that says which columns matter.
const EPOCHS: usize = 100;

/// The shares; `None` for equal ones.
pub(super) fn shares(
    typed: &FeatureOptions,
    features: &Features,
    sample: Option<&Dataset>,
) -> Result<Option<Public<Theta>>> {
    let sensitive = typed
        .sensitive_columns
        .iter()
        .map(|column| find(column, features))
        .collect::<Result<Vec<_>>>()?;
    if sensitive.is_empty() && sample.is_none() {
        return Ok(None);
    }
    if typed.mechanism != "feature-rr" {
        let message = "shares of the budget are for feature-rr: other mechanisms treat all alike";
        return Err(
            Failure::usage(message).hint("leave out --sensitive-columns and --public-sample")
        );
    }
    let columns = features.columns();
    let Some(sample) = sample else {
        let equal = Public::declared(vec![1.0 / columns as f64; columns]);
        let sensitivity = scores::declared_sensitivity(columns, &sensitive)?;
        return Ok(Some(scores::shares(&equal, &sensitivity, typed.gamma)?));
    };
    let rows = sample.features().filter(|features| features.columns() == columns).map(dense);
    let (Some(rows), Some(labels)) = (rows, sample.labels()) else {
        let message = format!(
            "the public sample needs {columns} feature columns, as the graph has, and labels"
        );
        return Err(Failure::usage(message));
    };
    let rows = Public::from_public_data(rows);
    let labels = Public::from_public_data(labels.clone());
    let weights = scores::linear_model(&rows, &labels, EPOCHS)?;
    let importance = scores::linear_importance(&rows, &weights)?;
    let sensitivity = scores::sensitivity(&rows, &sensitive, <[f32]>::to_vec)?;
    Ok(Some(scores::shares(&importance, &sensitivity, typed.gamma)?))
}

/// A column by its name, or by its number.
fn find(column: &str, features: &Features) -> Result<usize> {
    let named = features.names().and_then(|names| names.iter().position(|name| name == column));
    let numbered = || column.parse().ok().filter(|&at: &usize| at < features.columns());
    named.or_else(numbered).ok_or_else(|| {
        let message = format!("there is no column '{column}'");
        let hint = format!("columns have numbers from 0 to {}", features.columns() - 1);
        Failure::usage(message).hint(hint)
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
