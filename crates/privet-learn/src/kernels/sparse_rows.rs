//! Products with sparse features: the first layer of a model on bags of words.
//!
//! The gradient of that layer needs the transposed features. Scattering rows into a shared output
//! would need locks or copies, so the transpose is made once and both directions are the same
//! gather, done by the kernel that sums over neighbours.

use privet_graph::{DenseMatrix, SparseMatrix};

use super::Write;
use super::sparse::{CompressedRows, KeepSum, aggregate_rows};

/// Sparse features, ready to be multiplied from either side.
///
/// ```
/// use privet_graph::{DenseMatrix, SparseMatrix};
/// use privet_learn::kernels::{SparseInput, Write};
/// // One node with a 2 in column 1 of 3.
/// let input = SparseInput::new(SparseMatrix::new(3, vec![0, 1], vec![1], vec![2.0])?);
/// let weights = DenseMatrix::new(3, 2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let mut out = DenseMatrix::zeros(1, 2);
/// input.product(&weights, Write::Replace, &mut out);
/// assert_eq!(out.values(), [6.0, 8.0]);
/// # Ok::<(), privet_graph::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SparseInput {
    rows: SparseMatrix,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f32>,
}

impl SparseInput {
    /// Takes the features and makes their transpose, which is as large again.
    pub fn new(rows: SparseMatrix) -> Self {
        let mut offsets = vec![0usize; rows.columns() + 1];
        rows.indices().iter().for_each(|&column| offsets[column as usize + 1] += 1);
        for column in 0..rows.columns() {
            offsets[column + 1] += offsets[column];
        }
        let mut next = offsets.clone();
        let (mut indices, mut values) = (vec![0; rows.nonzeros()], vec![0.0; rows.nonzeros()]);
        for row in 0..rows.rows() {
            let (columns, entries) = rows.row(row);
            for (&column, &value) in columns.iter().zip(entries) {
                let at = &mut next[column as usize];
                (indices[*at], values[*at]) = (row as u32, value);
                *at += 1;
            }
        }
        Self { rows, offsets, indices, values }
    }

    /// The features.
    pub fn matrix(&self) -> &SparseMatrix {
        &self.rows
    }

    /// The rows and values stored in one column.
    ///
    /// # Panics
    /// If `column` is out of range.
    pub fn column(&self, column: usize) -> (&[u32], &[f32]) {
        let range = self.offsets[column]..self.offsets[column + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// `out = X w`, or `out += X w`.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn product(&self, w: &DenseMatrix, write: Write, out: &mut DenseMatrix) {
        assert_eq!(self.rows.columns(), w.rows(), "inner dimension of a sparse product");
        let (offsets, indices) = (self.rows.offsets(), self.rows.indices());
        let rows = CompressedRows { offsets, indices, weights: Some(self.rows.values()) };
        assert_eq!(w.columns(), out.columns(), "shape of a sparse product");
        aggregate_rows(rows, (w.values(), w.columns()), write, out.values_mut(), None, &KeepSum);
    }

    /// `out = X' g`, or `out += X' g`: the gradient of the weights from that of the output.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn product_transposed(&self, g: &DenseMatrix, write: Write, out: &mut DenseMatrix) {
        assert_eq!(self.rows.rows(), g.rows(), "inner dimension of a sparse product");
        let (offsets, indices) = (&self.offsets[..], &self.indices[..]);
        let rows = CompressedRows { offsets, indices, weights: Some(&self.values) };
        assert_eq!(g.columns(), out.columns(), "shape of a sparse product");
        aggregate_rows(rows, (g.values(), g.columns()), write, out.values_mut(), None, &KeepSum);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernels::{product, product_left_transposed};

    fn filled(rows: usize, columns: usize, seed: usize) -> DenseMatrix {
        let value = |at: usize| ((at * 7919 + seed * 104_729) % 31) as f32 / 8.0 - 2.0;
        DenseMatrix::new(rows, columns, (0..rows * columns).map(value).collect()).unwrap()
    }

    proptest! {
        /// Values are multiples of 1/8, so every order of summation gives the same number.
        #[test]
        fn both_products_match_the_dense_ones(
            n in 0usize..30, d in 1usize..40, h in 0usize..90, seed in 0usize..99,
        ) {
            let mut dense = filled(n, d, seed);
            dense.values_mut().iter_mut().enumerate().filter(|(i, _)| i % 4 != seed % 4)
                .for_each(|(_, v)| *v = 0.0);
            let (mut offsets, mut indices, mut values) = (vec![0], vec![], vec![]);
            for row in 0..n {
                for (column, &value) in dense.row(row).iter().enumerate().filter(|(_, v)| **v != 0.0) {
                    indices.push(column as u32);
                    values.push(value);
                }
                offsets.push(indices.len());
            }
            let input = SparseInput::new(SparseMatrix::new(d, offsets, indices, values).unwrap());
            let (w, g) = (filled(d, h, 1), filled(n, h, 2));
            for write in [Write::Replace, Write::Add] {
                let (mut found, mut expected) = (filled(n, h, 3), filled(n, h, 3));
                input.product(&w, write, &mut found);
                product(&dense, &w, write, &mut expected);
                prop_assert_eq!(&found, &expected);
                let (mut found, mut expected) = (filled(d, h, 3), filled(d, h, 3));
                input.product_transposed(&g, write, &mut found);
                product_left_transposed(&dense, &g, write, &mut expected);
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}
