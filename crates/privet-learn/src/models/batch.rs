//! [`ItemRows`]: the features to learn from, dense or sparse; [`ModelBatch`]: some of them, in a row.

use privet_graph::{DenseMatrix, FeatureMatrix, SparseMatrix};

use crate::kernels::{
    Write, gathered_product, gathered_product_transposed, product, product_left_transposed,
};
use crate::layers::Linear;

/// One row of features per item, borrowed.
#[derive(Debug, Clone, Copy)]
pub enum ItemRows<'a> {
    /// Every value is stored.
    Dense(&'a DenseMatrix),
    /// Values other than zero are stored.
    Sparse(&'a SparseMatrix),
}

impl ItemRows<'_> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.rows(),
            Self::Sparse(matrix) => matrix.rows(),
        }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.columns(),
            Self::Sparse(matrix) => matrix.columns(),
        }
    }
}

impl<'a> From<&'a FeatureMatrix> for ItemRows<'a> {
    fn from(matrix: &'a FeatureMatrix) -> Self {
        match matrix {
            FeatureMatrix::Dense(matrix) => Self::Dense(matrix),
            FeatureMatrix::Sparse(matrix) => Self::Sparse(matrix),
        }
    }
}

impl<'a> From<&'a DenseMatrix> for ItemRows<'a> {
    fn from(matrix: &'a DenseMatrix) -> Self {
        Self::Dense(matrix)
    }
}

impl<'a> From<&'a SparseMatrix> for ItemRows<'a> {
    fn from(matrix: &'a SparseMatrix) -> Self {
        Self::Sparse(matrix)
    }
}

/// The rows of one step.
#[derive(Debug, Clone, Copy)]
pub enum ModelBatch<'a> {
    /// All rows of a dense matrix.
    Dense(&'a DenseMatrix),
    /// Some rows of a sparse matrix, which need no copy.
    Sparse {
        /// Where they are.
        matrix: &'a SparseMatrix,
        /// Which they are.
        rows: &'a [u32],
    },
}

impl ModelBatch<'_> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.rows(),
            Self::Sparse { rows, .. } => rows.len(),
        }
    }

    /// Copies the rows, written out.
    pub(super) fn write_dense(&self, out: &mut DenseMatrix) {
        match self {
            Self::Dense(matrix) => {
                out.reshape(matrix.rows(), matrix.columns());
                out.values_mut().copy_from_slice(matrix.values());
            }
            Self::Sparse { matrix, rows } => {
                out.reshape(rows.len(), matrix.columns());
                out.values_mut().fill(0.0);
                for (at, &row) in rows.iter().enumerate() {
                    let (columns, values) = matrix.row(row as usize);
                    let out = out.row_mut(at);
                    // Buffers are reused between batches, so absent entries had to be cleared
                    // above.
                    columns.iter().zip(values).for_each(|(&column, &v)| out[column as usize] = v);
                }
            }
        }
    }

    /// `output = batch W + b`.
    pub(super) fn forward(&self, layer: &Linear, output: &mut DenseMatrix) {
        layer.start(self.rows(), output);
        match self {
            Self::Dense(input) => product(input, &layer.weight.value, Write::Add, output),
            Self::Sparse { matrix, rows } => {
                gathered_product(matrix, rows, &layer.weight.value, output);
            }
        }
    }

    /// Adds to the gradients of the layer that took this batch.
    pub(super) fn backward(&self, layer: &mut Linear, output_gradient: &DenseMatrix) {
        let gradient = &mut layer.weight.gradient;
        match self {
            Self::Dense(input) => {
                product_left_transposed(input, output_gradient, Write::Add, gradient);
            }
            Self::Sparse { matrix, rows } => {
                gathered_product_transposed(matrix, rows, output_gradient, gradient);
            }
        }
        layer.backward_bias(output_gradient);
    }
}

/// Memory for the rows of a dense batch. It serves one matrix: if the same rows are asked for again, as
/// in training on all rows at once, they are there already.
#[derive(Debug, Clone)]
pub struct GatherBuffer {
    picked: Vec<u32>,
    values: DenseMatrix,
}

impl Default for GatherBuffer {
    fn default() -> Self {
        Self { picked: Vec::new(), values: DenseMatrix::zeros(0, 0) }
    }
}

impl GatherBuffer {
    /// Some rows of `rows`, which must be the same matrix every time.
    ///
    /// # Panics
    /// If a row is out of range.
    pub fn batch<'b>(&'b mut self, rows: ItemRows<'b>, picked: &'b [u32]) -> ModelBatch<'b> {
        let matrix = match rows {
            ItemRows::Sparse(matrix) => return ModelBatch::Sparse { matrix, rows: picked },
            ItemRows::Dense(matrix) => matrix,
        };
        // All rows in order need no copy.
        let all = picked.len() == matrix.rows() && picked.iter().zip(0..).all(|(&p, row)| p == row);
        if all {
            return ModelBatch::Dense(matrix);
        }
        // Full-batch validation asks for the same rows every epoch.
        if self.picked != picked {
            self.values.reshape(picked.len(), matrix.columns());
            for (at, &row) in picked.iter().enumerate() {
                self.values.row_mut(at).copy_from_slice(matrix.row(row as usize));
            }
            self.picked.clear();
            self.picked.extend_from_slice(picked);
        }
        ModelBatch::Dense(&self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finite_differences::filled;

    #[test]
    fn dense_rows_are_gathered_only_when_they_change() {
        let matrix = filled(5, 3, 1);
        let mut gathered = GatherBuffer::default();
        let mut first_entry = |picked: &[u32]| match gathered.batch((&matrix).into(), picked) {
            ModelBatch::Dense(batch) => {
                (batch.rows(), batch.values()[0], std::ptr::eq(batch, &matrix))
            }
            ModelBatch::Sparse { .. } => unreachable!(),
        };
        assert_eq!(first_entry(&[3, 1]), (2, matrix.row(3)[0], false));
        assert_eq!(first_entry(&[3, 1]), (2, matrix.row(3)[0], false));
        assert_eq!(first_entry(&[4]), (1, matrix.row(4)[0], false));
        assert_eq!(first_entry(&[0, 1, 2, 3, 4]), (5, matrix.row(0)[0], true));
    }
}
