//! Decoding: from reports to a feature matrix. Post-processing, so it is free and may use floats.
//!
//! | decoding | scale | a column that was not sampled | |
//! |---|---|---|---|
//! | [`Decoding::Paper`] | the paper's: [-1, 1] (FeatureRR: [0, 1]) | 0, the middle of the range | as printed; HDS shrinks by `C` |
//! | [`Decoding::Unbiased`] | the original | 0 | the mean of every entry is its true value |
//!
//! The unbiased decoder multiplies a sampled column by `d/k` *on the original scale* (Horvitz and
//! Thompson), so that a matrix of mostly zeros stays sparse and a true zero gets the least variance.

use privet_graph::{DenseMatrix, FeatureMatrix, SparseBuilder};

use super::FeatureReport;
use super::scaling::Scale;
use crate::error::{Error, Result};

/// What to make of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decoding {
    /// As the mechanism's paper does, on the paper's scale.
    Paper,
    /// An unbiased estimate on the original scale.
    Unbiased,
}

/// A mechanism whose reports stand for feature rows.
pub trait DecodeRows {
    /// Columns, ranges and lattice.
    fn scale(&self) -> &Scale;

    /// The value a level of a column stands for.
    fn value(&self, column: u32, level: i64, decoding: Decoding) -> f64;

    /// What the decoding has in place of a value that a user published.
    fn disclosed(&self, column: u32, value: f32, decoding: Decoding) -> f64 {
        match decoding {
            Decoding::Paper => self.scale().normalized(column, value),
            Decoding::Unbiased => f64::from(value),
        }
    }

    /// The matrix of one release in which all users ran this mechanism (or published).
    ///
    /// # Errors
    /// If a report is not one of this mechanism.
    fn decode(&self, reports: &[FeatureReport], decoding: Decoding) -> Result<FeatureMatrix>
    where
        Self: Sized,
    {
        decode_chosen(reports, |_| self, decoding)
    }
}

/// The matrix of a release in which user `u` ran `mechanism(u)`; for users who published, any
/// mechanism with the same scale will do.
///
/// # Errors
/// If there are no reports, or a report is not one of its mechanism.
pub fn decode_chosen<'m, D: DecodeRows + 'm>(
    reports: &[FeatureReport],
    mechanism: impl Fn(usize) -> &'m D,
    decoding: Decoding,
) -> Result<FeatureMatrix> {
    if reports.is_empty() {
        return Err(Error::range("number of reports", 0, "at least 1"));
    }
    let columns = mechanism(0).scale().columns();
    // One report of all columns makes the matrix dense; reports of k columns each stay k numbers a row.
    let dense = reports.iter().any(|report| matches!(report, FeatureReport::All(_)));
    let (mut values, mut rows) = (Vec::new(), SparseBuilder::new(columns));
    let mut row = Vec::new();
    for (user, report) in reports.iter().enumerate() {
        row.clear();
        decode_row(mechanism(user), report, decoding, &mut row)?;
        if dense {
            let start = values.len();
            values.resize(start + columns, 0.0f32);
            row.iter().for_each(|&(column, value)| values[start + column as usize] = value);
        } else {
            rows.push_row(&mut row).map_err(refused)?;
        }
    }
    if dense {
        DenseMatrix::new(reports.len(), columns, values).map(FeatureMatrix::Dense).map_err(refused)
    } else {
        Ok(FeatureMatrix::Sparse(rows.finish()))
    }
}

/// Fills `row` with the columns and values of one report; every column is below the scale's.
fn decode_row(
    mechanism: &impl DecodeRows,
    report: &FeatureReport,
    decoding: Decoding,
    row: &mut Vec<(u32, f32)>,
) -> Result<()> {
    let columns = mechanism.scale().columns();
    let value = |column, level| mechanism.value(column, level, decoding) as f32;
    match report {
        FeatureReport::Sampled(entries) => {
            check(columns, entries.iter().map(|&(column, _)| column))?;
            row.extend(entries.iter().map(|&(column, level)| (column, value(column, level))));
        }
        FeatureReport::All(levels) if levels.len() == columns => {
            row.extend((0..).zip(levels).map(|(column, &level)| (column, value(column, level))));
        }
        FeatureReport::All(levels) => {
            return Err(Error::range("levels in a report", levels.len(), "one per column"));
        }
        FeatureReport::Disclosed(entries) => {
            check(columns, entries.iter().map(|&(column, _)| column))?;
            disclosed_row(mechanism, entries, decoding, row);
        }
    }
    Ok(())
}

/// A published row. On the paper's scale a zero need not be zero, so every column is written.
fn disclosed_row(
    mechanism: &impl DecodeRows,
    entries: &[(u32, f32)],
    decoding: Decoding,
    row: &mut Vec<(u32, f32)>,
) {
    let decoded = |column, value| mechanism.disclosed(column, value, decoding) as f32;
    match decoding {
        Decoding::Unbiased => row.extend_from_slice(entries),
        Decoding::Paper => {
            // On the paper's scale a stored 0 is not 0: columns that a sparse row leaves out are decoded, too.
            let mut rest = entries.iter().copied().peekable();
            row.extend((0..mechanism.scale().columns() as u32).map(|column| {
                let stored = rest.next_if(|&(at, _)| at == column);
                (column, decoded(column, stored.map_or(0.0, |(_, value)| value)))
            }));
        }
    }
}

/// Columns must ascend and stay below the number of columns: reports may come from a file.
fn check(columns: usize, entries: impl Iterator<Item = u32>) -> Result<()> {
    // Reports come from outside. Sparse rows and binary searches rely on ascending columns.
    let mut next = 0u64;
    for column in entries {
        if u64::from(column) < next || column as usize >= columns {
            let expected = "ascending and below the number of columns";
            return Err(Error::range("column in a report", column, expected));
        }
        next = u64::from(column) + 1;
    }
    Ok(())
}

fn refused(error: privet_graph::Error) -> Error {
    Error::range("a decoded row", error, "a row of finite numbers")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports may come from a file: columns ascend, none twice, and all of them exist.
    #[test]
    fn columns_are_checked() {
        for good in [&[][..], &[0], &[0, 1, 4], &[4]] {
            assert!(check(5, good.iter().copied()).is_ok(), "{good:?}");
        }
        for bad in [&[5][..], &[0, 5], &[1, 0], &[2, 2], &[0, 3, 1]] {
            assert!(check(5, bad.iter().copied()).is_err(), "{bad:?}");
        }
    }

    /// One report of all columns makes the whole matrix dense, whatever the others published.
    #[test]
    fn all_columns_are_decoded_like_single_ones() {
        use crate::features::Gaussian;
        use crate::features::testing::scale;
        let mechanism = Gaussian::new(1.0, 1e-5, scale(2)).unwrap();
        let published = FeatureReport::Disclosed(vec![(1, 0.5)]);
        let all = FeatureReport::All(vec![0, 0]);
        let decoded =
            |reports: &[FeatureReport]| mechanism.decode(reports, Decoding::Unbiased).unwrap();
        let FeatureMatrix::Dense(mixed) = decoded(&[all, published.clone()]) else {
            panic!("a row of all columns is dense")
        };
        assert_eq!(mixed.values(), [0.0, 0.0, 0.0, 0.5]);
        assert!(matches!(decoded(&[published]), FeatureMatrix::Sparse(_)));
    }
}
