//! [`SparseMatrix`]: rows of 32-bit floats of which most are zero, and the builder that checks them.

use super::{DenseMatrix, not_finite};
use crate::shared_array::{SharedArray, SharedSlice};
use crate::{Error, NodeId, Result};

/// Rows between two releases.
const STRETCH_ROWS: usize = 1 << 12;

/// Sparse rows: only values other than zero are stored, by ascending column.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseMatrix {
    columns: usize,
    offsets: SharedArray<usize>,
    indices: SharedArray<u32>,
    values: SharedArray<f32>,
}

impl SparseMatrix {
    /// A matrix from compressed sparse rows, brought into canonical form: columns sorted, stored
    /// zeros dropped.
    ///
    /// # Errors
    /// If the arrays do not fit together, a column repeats within a row, or a value is not finite.
    pub fn new(
        columns: usize,
        offsets: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f32>,
    ) -> Result<Self> {
        // All that the row accessors rely on.
        let fits = offsets.first() == Some(&0)
            && offsets.windows(2).all(|w| w[0] <= w[1])
            && offsets.last() == Some(&indices.len())
            && indices.len() == values.len();
        if !fits {
            let found = format!("{} indices, {} values", indices.len(), values.len());
            return Err(Error::invalid("sparse rows", found, "as many as the last offset says"));
        }
        let mut builder = SparseBuilder::new(columns);
        let mut row = Vec::new();
        for range in offsets.windows(2) {
            row.clear();
            let entries = range[0]..range[1];
            row.extend(
                indices[entries.clone()].iter().copied().zip(values[entries].iter().copied()),
            );
            builder.push_row(&mut row)?;
        }
        Ok(builder.finish())
    }

    /// A matrix over rows that another object holds, in canonical form already.
    ///
    /// # Errors
    /// If the arrays do not fit together, a row does not ascend, a column is out of range, or a value is zero or not
    /// finite.
    pub fn held(
        columns: usize,
        offsets: SharedSlice<usize>,
        indices: SharedSlice<u32>,
        values: SharedSlice<f32>,
    ) -> Result<Self> {
        let (offsets, indices) = (SharedArray::Held(offsets), SharedArray::Held(indices));
        let matrix = Self { columns, offsets, indices, values: SharedArray::Held(values) };
        let Self { offsets, indices, values, .. } = &matrix;
        // The arrays are held by another object, and cannot be sorted or filtered here: they must
        // be in order.
        let fits = offsets.first() == Some(&0)
            && offsets.windows(2).all(|pair| pair[0] <= pair[1])
            && offsets.last() == Some(&indices.len())
            && indices.len() == values.len();
        if !fits {
            let found = format!("{} indices, {} values", indices.len(), values.len());
            return Err(Error::invalid("sparse rows", found, "as many as the last offset says"));
        }
        for row in 0..matrix.rows() {
            let (indices, values) = matrix.row(row);
            let ascends = indices.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascends || indices.last().is_some_and(|&last| last as usize >= columns) {
                let expected = format!("columns below {columns}, ascending");
                return Err(Error::invalid_data(format!("feature row {row}"), "others", expected));
            }
            if values.iter().any(|value| *value == 0.0 || !value.is_finite()) {
                let expected = "finite numbers other than zero";
                return Err(Error::invalid_data(format!("feature row {row}"), "others", expected));
            }
            // Checked rows of a mapped file are given back.
            if row % STRETCH_ROWS == STRETCH_ROWS - 1 {
                matrix.release(row + 1 - STRETCH_ROWS..row + 1);
            }
        }
        Ok(matrix)
    }

    /// These rows will not be looked at for a while: if they lie in a file, they need not stay in memory.
    pub fn release(&self, rows: std::ops::Range<usize>) {
        let entries = self.offsets[rows.start]..self.offsets[rows.end];
        self.indices.release(entries.clone());
        self.values.release(entries);
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of values other than zero.
    pub fn nonzeros(&self) -> usize {
        self.values.len()
    }

    /// The columns and values stored in one row.
    ///
    /// # Panics
    /// If `row` is out of range.
    pub fn row(&self, row: usize) -> (&[u32], &[f32]) {
        let range = self.offsets[row]..self.offsets[row + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// Where each row starts, and one end.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The columns of all stored values.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// All stored values.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The same with all its zeros.
    ///
    /// # Panics
    /// If the size overflows the address space.
    pub fn to_dense(&self) -> DenseMatrix {
        let mut dense = DenseMatrix::zeros(self.rows(), self.columns);
        for row in 0..self.rows() {
            let ((columns, values), dense) = (self.row(row), dense.row_mut(row));
            columns.iter().zip(values).for_each(|(&column, &value)| dense[column as usize] = value);
        }
        dense
    }

    pub(super) fn select(&self, nodes: &[NodeId]) -> Self {
        let mut picked = SparseBuilder::new(self.columns);
        for &node in nodes {
            let (columns, values) = self.row(node as usize);
            picked.indices.extend_from_slice(columns);
            picked.values.extend_from_slice(values);
            picked.offsets.push(picked.indices.len());
        }
        picked.finish()
    }
}

/// Makes a [`SparseMatrix`] row by row.
#[derive(Debug)]
pub struct SparseBuilder {
    columns: usize,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f32>,
}

impl SparseBuilder {
    /// A builder for a matrix with no rows yet.
    pub fn new(columns: usize) -> Self {
        Self { columns, offsets: vec![0], indices: Vec::new(), values: Vec::new() }
    }

    /// Appends a row of `(column, value)` entries in any order; `entries` is sorted on the way.
    ///
    /// # Errors
    /// If a column is out of range or repeats, or a value is not finite.
    pub fn push_row(&mut self, entries: &mut [(u32, f32)]) -> Result<()> {
        let row = self.offsets.len() - 1;
        // Sorted first, so that equal columns stand side by side.
        entries.sort_unstable_by_key(|&(column, _)| column);
        if let Some(pair) = entries.windows(2).find(|w| w[0].0 == w[1].0) {
            let what = format!("feature row {row}");
            return Err(Error::invalid_data(
                what,
                format!("column {} twice", pair[0].0),
                "it once",
            ));
        }
        for &(column, value) in entries.iter() {
            if column as usize >= self.columns {
                let expected = format!("below {}", self.columns);
                return Err(Error::invalid_data(format!("column of row {row}"), column, expected));
            }
            if !value.is_finite() {
                return Err(not_finite(row, column as usize, value));
            }
            // Zeros are not stored: their number is what a sparse matrix saves.
            if value != 0.0 {
                self.indices.push(column);
                self.values.push(value);
            }
        }
        self.offsets.push(self.indices.len());
        Ok(())
    }

    /// The matrix.
    pub fn finish(self) -> SparseMatrix {
        let Self { columns, offsets, indices, values } = self;
        let (offsets, indices, values) = (offsets.into(), indices.into(), values.into());
        SparseMatrix { columns, offsets, indices, values }
    }
}
