//! Rows of this process, cut into panels of a few columns.
//!
//! A round reads rows of other processes. If whole rows travelled, a process would need room for all rows that it
//! reads, which can be the whole matrix. Columns never meet in a round, so panels take turns: beside its own rows a
//! process needs room for one panel of what it reads.

use std::ops::Range;

use privet::graph::DenseMatrix;

use crate::checkpoint::CheckpointState;

/// Own rows, panel after panel.
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    rows: usize,
    columns: usize,
    width: usize,
    panels: Vec<DenseMatrix>,
}

impl Panels {
    /// Zeros.
    pub fn zeros(rows: usize, columns: usize, width: usize) -> Self {
        let width = width.max(1);
        let panel = |start: usize| DenseMatrix::zeros(rows, width.min(columns - start));
        let panels = (0..columns).step_by(width).map(panel).collect();
        Self { rows, columns, width, panels }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Columns of all panels but the last.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The panels.
    pub fn panels(&self) -> &[DenseMatrix] {
        &self.panels
    }

    /// The panels, to write to.
    pub fn panels_mut(&mut self) -> &mut [DenseMatrix] {
        &mut self.panels
    }

    /// Writes a row.
    ///
    /// # Panics
    /// If there is no such row, or it has another length.
    pub fn set_row(&mut self, row: usize, values: &[f32]) {
        assert_eq!(values.len(), self.columns, "length of a row");
        for (panel, values) in self.panels.iter_mut().zip(values.chunks(self.width)) {
            panel.row_mut(row).copy_from_slice(values);
        }
    }

    /// Some rows, whole, one after the other.
    ///
    /// # Panics
    /// If there are no such rows.
    pub fn whole_rows(&self, rows: Range<usize>) -> Vec<f32> {
        let mut whole = Vec::with_capacity(rows.len() * self.columns);
        for row in rows {
            self.panels.iter().for_each(|panel| whole.extend_from_slice(panel.row(row)));
        }
        whole
    }
}

impl CheckpointState for Panels {
    fn parts(&self) -> Vec<&[u8]> {
        self.panels.iter().map(|panel| bytemuck::cast_slice(panel.values())).collect()
    }

    fn parts_mut(&mut self) -> Vec<&mut [u8]> {
        let panels = self.panels.iter_mut();
        panels.map(|panel| bytemuck::cast_slice_mut(panel.values_mut())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_whole() {
        for columns in [0, 1, 15, 16, 17, 40] {
            let mut panels = Panels::zeros(3, columns, 16);
            let row = |row: usize| -> Vec<f32> {
                (0..columns).map(|column| (row * 100 + column) as f32).collect()
            };
            (0..3).for_each(|at| panels.set_row(at, &row(at)));
            assert_eq!(panels.panels().len(), columns.div_ceil(16));
            assert_eq!(panels.whole_rows(1..3), [row(1), row(2)].concat());
        }
    }
}
