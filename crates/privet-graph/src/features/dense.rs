//! [`DenseMatrix`]: rows of 32-bit floats, all written out.

use super::not_finite;
use crate::buffer::Buffer;
use crate::shared_array::{STRETCH, SharedSlice};
use crate::{Error, NodeId, Result};

/// Dense rows, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseMatrix {
    rows: usize,
    columns: usize,
    values: Buffer,
}

impl DenseMatrix {
    /// A matrix from its rows, concatenated.
    ///
    /// # Errors
    /// If the length is not `rows * columns`, or a value is not finite.
    pub fn new(rows: usize, columns: usize, values: Vec<f32>) -> Result<Self> {
        Self::of(rows, columns, Buffer::Plain(values))
    }

    /// A matrix over rows that another object holds. Clones share them, too; the first write makes a copy.
    ///
    /// ```
    /// use privet_graph::DenseMatrix;
    /// let held = std::sync::Arc::new(vec![1.0, 2.0, 3.0, 4.0]);
    /// let mut matrix = DenseMatrix::shared(2, 2, held.clone())?;
    /// matrix.row_mut(0)[1] = 5.0;
    /// assert_eq!((matrix.row(0), held[1]), (&[1.0, 5.0][..], 2.0));
    /// # Ok::<(), privet_graph::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the length is not `rows * columns`, or a value is not finite.
    pub fn shared(rows: usize, columns: usize, values: SharedSlice<f32>) -> Result<Self> {
        Self::of(rows, columns, Buffer::Shared(values))
    }

    fn of(rows: usize, columns: usize, values: Buffer) -> Result<Self> {
        let all = values.as_slice();
        // The product may overflow: shapes come from files.
        if rows.checked_mul(columns) != Some(all.len()) {
            let expected = format!("{rows} x {columns}");
            return Err(Error::invalid("number of feature values", all.len(), expected));
        }
        for (start, stretch) in (0..).step_by(STRETCH).zip(all.chunks(STRETCH)) {
            if let Some(at) = stretch.iter().position(|v| !v.is_finite()) {
                let at = start + at;
                return Err(not_finite(at / columns, at % columns, all[at]));
            }
            // Read once in stretches; a mapped file need not stay in memory.
            values.release(start..start + stretch.len());
        }
        Ok(Self { rows, columns, values })
    }

    /// A matrix of zeros.
    ///
    /// # Panics
    /// If the size overflows the address space.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, values: Buffer::zeros(rows * columns) }
    }

    /// Number of rows.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The values of one row.
    ///
    /// # Panics
    /// If `row` is out of range.
    #[inline]
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values()[row * self.columns..(row + 1) * self.columns]
    }

    /// These rows will not be looked at for a while: if they lie in a file, they need not stay in memory.
    pub fn release(&self, rows: std::ops::Range<usize>) {
        self.values.release(rows.start * self.columns..rows.end * self.columns);
    }

    /// Row after row, those that were passed being given back: for callers that need each of them once.
    pub fn passing_rows(&self) -> impl Iterator<Item = &[f32]> {
        const ROWS: usize = 1 << 12;
        (0..self.rows).map(|row| {
            // The rows before this one have been used.
            if row > 0 && row % ROWS == 0 {
                self.release(row - ROWS..row);
            }
            self.row(row)
        })
    }

    /// All values, row after row.
    #[inline]
    pub fn values(&self) -> &[f32] {
        self.values.as_slice()
    }

    /// One row, to write to.
    ///
    /// # Panics
    /// If `row` is out of range.
    #[inline]
    pub fn row_mut(&mut self, row: usize) -> &mut [f32] {
        let columns = self.columns;
        &mut self.values_mut()[row * columns..(row + 1) * columns]
    }

    /// All values, row after row, to write to.
    #[inline]
    pub fn values_mut(&mut self) -> &mut [f32] {
        self.values.as_mut_slice()
    }

    /// Changes the shape and keeps the memory, for a buffer that is filled again and again. What the
    /// entries hold afterwards is unspecified.
    ///
    /// # Panics
    /// If the size overflows the address space.
    pub fn reshape(&mut self, rows: usize, columns: usize) {
        self.values.reshape(rows * columns);
        (self.rows, self.columns) = (rows, columns);
    }

    /// The values alone, row after row.
    pub fn into_values(self) -> Vec<f32> {
        self.values.into_vec()
    }

    pub(super) fn select(&self, nodes: &[NodeId]) -> Self {
        let mut values = Vec::with_capacity(nodes.len() * self.columns);
        nodes.iter().for_each(|&node| values.extend_from_slice(self.row(node as usize)));
        Self { rows: nodes.len(), columns: self.columns, values: Buffer::Plain(values) }
    }
}
