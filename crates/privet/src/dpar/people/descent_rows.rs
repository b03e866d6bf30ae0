//! The rows that gradient descent reads: a person's declared columns around the middle of their ranges, beside a constant.
//!
//! # Equation
//! `z = (x - m) / (b - a)` column by column, for ranges `[a, b]` with middles `m` that are declared in public, then
//! `(z, 1) / |(z, 1)|`. Rows without declared ranges, and sparse ones, in which most columns are 0 and stay so, are
//! `(u, c) / |(u, c)|` with u of norm 1.
//!
//! # Guarantee
//! A row is a function of that person's record and of public ranges. Nothing is measured on other records: a mean or a
//! deviation of a column would move every row with one person.

use super::to_unit;
use crate::graph::{DenseMatrix, FeatureMatrix, Features, SparseBuilder};
use crate::privacy::fault::{self, Fault};
use crate::{Error, Result};

/// c: the constant beside a row of norm 1, about what 1 is beside a record of 16 words.
const BESIDE_UNIT_ROW: f32 = 0.25;

/// Rows around the middles of their ranges, with the constant: for dense rows whose ranges are declared.
///
/// # Errors
/// If the ranges are not public.
pub(crate) fn centred(features: &Features) -> Result<Option<Features>> {
    let (FeatureMatrix::Dense(rows), Some(bounds)) = (features.matrix(), features.bounds()) else {
        return Ok(None);
    };
    if !bounds.is_public() {
        return Err(Error::invalid(
            "ranges of columns",
            "measured on the records",
            "declared ones",
        ));
    }
    let columns = rows.columns();
    let mut middles: Vec<(f32, f32)> = (0..columns)
        .map(|column| {
            let (low, high) = bounds.column(column);
            (low + (high - low) / 2.0, high - low)
        })
        .collect();
    if fault::on(Fault::RowsCentredByRecords) {
        let mean = |column: usize| {
            let values = (0..rows.rows()).map(|row| rows.row(row)[column]);
            values.sum::<f32>() / rows.rows().max(1) as f32
        };
        middles.iter_mut().enumerate().for_each(|(at, (middle, _))| *middle = mean(at));
    }
    let mut made = DenseMatrix::zeros(rows.rows(), columns + 1);
    for row in 0..rows.rows() {
        let out = made.row_mut(row);
        let values = rows.row(row).iter().zip(&middles);
        for (out, (value, (middle, width))) in out.iter_mut().zip(values) {
            *out = (value - middle) / width;
        }
        out[columns] = 1.0;
        to_unit(out);
    }
    Ok(Some(Features::dense(made)))
}

/// Rows of norm 1 with the constant.
///
/// # Errors
/// Never in practice.
pub(super) fn beside_constant(rows: &Features) -> Result<Features> {
    let norm = (1.0 + BESIDE_UNIT_ROW * BESIDE_UNIT_ROW).sqrt();
    let columns = rows.columns();
    Ok(match rows.matrix() {
        FeatureMatrix::Dense(rows) => {
            let mut made = DenseMatrix::zeros(rows.rows(), columns + 1);
            for row in 0..rows.rows() {
                let out = made.row_mut(row);
                out[..columns].copy_from_slice(rows.row(row));
                out[columns] = BESIDE_UNIT_ROW;
                out.iter_mut().for_each(|value| *value /= norm);
            }
            Features::dense(made)
        }
        FeatureMatrix::Sparse(rows) => {
            let mut made = SparseBuilder::new(columns + 1);
            for row in 0..rows.rows() {
                let (at, values) = rows.row(row);
                let own = at.iter().copied().zip(values.iter().map(|value| value / norm));
                let constant = (columns as u32, BESIDE_UNIT_ROW / norm);
                made.push_row(&mut own.chain([constant]).collect::<Vec<_>>())?;
            }
            Features::sparse(made.finish())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Bounds, BoundsOrigin};

    fn rows(values: &[f32], origin: BoundsOrigin) -> Features {
        let rows = DenseMatrix::new(values.len() / 2, 2, values.to_vec()).unwrap();
        let bounds = Bounds::per_column(vec![(0.0, 1.0), (-10.0, 10.0)], origin).unwrap();
        Features::dense(rows).with_bounds(bounds).unwrap()
    }

    fn row(features: &Features, at: usize) -> Vec<f32> {
        let FeatureMatrix::Dense(rows) = features.matrix() else { return Vec::new() };
        rows.row(at).to_vec()
    }

    #[test]
    fn columns_stand_around_the_middle_of_their_range() {
        let made = centred(&rows(&[1.0, -10.0], BoundsOrigin::Declared)).unwrap().unwrap();
        let norm = 1.5f32.sqrt();
        for (found, wanted) in row(&made, 0).into_iter().zip([0.5, -0.5, 1.0]) {
            assert!((found - wanted / norm).abs() < 1e-6, "{found}");
        }
    }

    /// A person's row says nothing of others: it is the same for any other rows in the table.
    #[test]
    fn a_row_does_not_depend_on_other_records() {
        let of = |values: &[f32]| {
            let made = centred(&rows(values, BoundsOrigin::Declared)).unwrap().unwrap();
            row(&made, 0)
        };
        assert_eq!(of(&[0.2, 3.0, 0.4, 1.0]), of(&[0.2, 3.0, 1.0, -10.0]));
        assert_eq!(of(&[0.2, 3.0, 0.4, 1.0]), of(&[0.2, 3.0]));
    }

    #[test]
    fn measured_ranges_are_refused() {
        assert!(centred(&rows(&[0.2, 3.0], BoundsOrigin::MeasuredFromData)).is_err());
    }

    /// Norm 1 with the constant, in dense and sparse rows alike, and never more.
    #[test]
    fn rows_without_ranges_keep_their_direction() {
        let dense = DenseMatrix::new(2, 2, vec![0.6, 0.8, 0.0, 0.0]).unwrap();
        let mut sparse = SparseBuilder::new(2);
        sparse.push_row(&mut [(0, 0.6), (1, 0.8)]).unwrap();
        sparse.push_row(&mut []).unwrap();
        let dense = beside_constant(&Features::dense(dense)).unwrap();
        let sparse = beside_constant(&Features::sparse(sparse.finish())).unwrap();
        for at in 0..2 {
            let entries: Vec<(u32, f32)> = sparse.nonzero_entries(at).collect();
            assert_eq!(entries, dense.nonzero_entries(at).collect::<Vec<_>>());
            let square: f32 = entries.iter().map(|(_, value)| value * value).sum();
            assert!(square <= 1.0 + 1e-6, "{square}");
        }
    }
}
