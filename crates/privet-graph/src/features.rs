//! [`Features`]: one row of numbers per node, dense or sparse, with declared public bounds.

mod dense;
mod sparse;

pub use dense::DenseMatrix;
pub use sparse::{SparseBuilder, SparseMatrix};

use crate::{Bounds, BoundsOrigin, Error, FactOrigin, NodeId, Result};

/// Dense or sparse rows.
#[derive(Debug, Clone, PartialEq)]
pub enum FeatureMatrix {
    /// Every value is stored.
    Dense(DenseMatrix),
    /// Values other than zero are stored.
    Sparse(SparseMatrix),
}

/// A feature matrix with the public range of its columns, if one was declared.
///
/// ```
/// use privet_graph::{Bounds, BoundsOrigin, DenseMatrix, Features};
/// let features = Features::dense(DenseMatrix::new(2, 2, vec![0.0, 1.0, 0.5, 0.0])?);
/// assert!(features.bounds().is_none());            // none were declared
/// let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?;
/// let features = features.with_bounds(bounds)?;
/// assert_eq!(features.nonzeros(), 2);
/// # Ok::<(), privet_graph::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    matrix: FeatureMatrix,
    bounds: Option<Bounds>,
    names: Option<Vec<String>>,
    columns_origin: FactOrigin,
}

impl Features {
    /// Features without declared bounds.
    pub fn new(matrix: FeatureMatrix) -> Self {
        Self { matrix, bounds: None, names: None, columns_origin: FactOrigin::Stated }
    }

    /// Dense features without declared bounds.
    pub fn dense(matrix: DenseMatrix) -> Self {
        Self::new(FeatureMatrix::Dense(matrix))
    }

    /// Sparse features without declared bounds.
    pub fn sparse(matrix: SparseMatrix) -> Self {
        Self::new(FeatureMatrix::Sparse(matrix))
    }

    /// The same features with these bounds in place of any earlier ones. Values may lie outside:
    /// a mechanism clamps them, because checking would already be a look at the data.
    ///
    /// # Errors
    /// If the bounds are for another number of columns.
    pub fn with_bounds(mut self, bounds: Bounds) -> Result<Self> {
        if let Some(count) = bounds.column_count().filter(|&c| c != self.columns()) {
            let expected = format!("{} (the number of feature columns)", self.columns());
            return Err(Error::invalid("number of column bounds", count, expected));
        }
        self.bounds = Some(bounds);
        Ok(self)
    }

    /// The same features with named columns.
    ///
    /// # Errors
    /// If there is not one name per column.
    pub fn with_names(mut self, names: Vec<String>) -> Result<Self> {
        if names.len() != self.columns() {
            let expected = format!("{} (one per column)", self.columns());
            return Err(Error::invalid("number of feature names", names.len(), expected));
        }
        self.names = Some(names);
        Ok(self)
    }

    /// Who says which columns there are.
    pub fn columns_origin(&self) -> FactOrigin {
        self.columns_origin
    }

    /// The same features, the list of columns being of another origin.
    #[must_use]
    pub fn with_columns_origin(mut self, origin: FactOrigin) -> Self {
        self.columns_origin = origin;
        self
    }

    /// The rows.
    pub fn matrix(&self) -> &FeatureMatrix {
        &self.matrix
    }

    /// The rows alone, without bounds and names.
    pub fn into_matrix(self) -> FeatureMatrix {
        self.matrix
    }

    /// The declared range of the columns.
    pub fn bounds(&self) -> Option<&Bounds> {
        self.bounds.as_ref()
    }

    /// The names of the columns, if the file had any.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match &self.matrix {
            FeatureMatrix::Dense(m) => m.rows(),
            FeatureMatrix::Sparse(m) => m.rows(),
        }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        match &self.matrix {
            FeatureMatrix::Dense(m) => m.columns(),
            FeatureMatrix::Sparse(m) => m.columns(),
        }
    }

    /// Number of values other than zero.
    pub fn nonzeros(&self) -> usize {
        match &self.matrix {
            FeatureMatrix::Dense(m) => m.values().iter().filter(|&&v| v != 0.0).count(),
            FeatureMatrix::Sparse(m) => m.nonzeros(),
        }
    }

    /// The columns and values of one row that are not zero, by ascending column.
    ///
    /// # Panics
    /// If `row` is out of range.
    pub fn nonzero_entries(&self, row: usize) -> Box<dyn Iterator<Item = (u32, f32)> + '_> {
        match &self.matrix {
            FeatureMatrix::Dense(m) => {
                Box::new((0..).zip(m.row(row).iter().copied()).filter(|&(_, v)| v != 0.0))
            }
            FeatureMatrix::Sparse(m) => {
                let (columns, values) = m.row(row);
                Box::new(columns.iter().copied().zip(values.iter().copied()))
            }
        }
    }

    /// The smallest and largest value anywhere, zeros included; `None` if there is no value.
    /// A fact about the records: fit for a report to their owner, not for a mechanism.
    pub fn measured_range(&self) -> Option<(f32, f32)> {
        let (stored, has_zeros) = match &self.matrix {
            FeatureMatrix::Dense(m) => (m.values(), false),
            FeatureMatrix::Sparse(m) => (m.values(), m.nonzeros() < m.rows() * m.columns()),
        };
        let implicit = has_zeros.then_some(0.0);
        stored.iter().copied().chain(implicit).fold(None, |range, v| match range {
            None => Some((v, v)),
            Some((low, high)) => Some((v.min(low), v.max(high))),
        })
    }

    /// One range for all columns, measured from the records and marked as such.
    ///
    /// # Errors
    /// If all values are equal, or there are none.
    pub fn measured_bounds(&self) -> Result<Bounds> {
        let (low, high) = self.measured_range().unwrap_or_default();
        Bounds::uniform(low, high, BoundsOrigin::MeasuredFromData)
    }

    /// The rows of some nodes, in the order given; bounds and names stay.
    ///
    /// # Panics
    /// If a node is out of range.
    pub fn select(&self, nodes: &[NodeId]) -> Self {
        let matrix = match &self.matrix {
            FeatureMatrix::Dense(m) => FeatureMatrix::Dense(m.select(nodes)),
            FeatureMatrix::Sparse(m) => FeatureMatrix::Sparse(m.select(nodes)),
        };
        let (bounds, names) = (self.bounds.clone(), self.names.clone());
        Self { matrix, bounds, names, columns_origin: self.columns_origin }
    }

    /// Whether both hold the same numbers, however they are stored.
    pub fn same_values(&self, other: &Self) -> bool {
        self.rows() == other.rows()
            && self.columns() == other.columns()
            && (0..self.rows()).all(|r| self.nonzero_entries(r).eq(other.nonzero_entries(r)))
    }
}

fn not_finite(row: usize, column: usize, value: f32) -> Error {
    let what = format!("feature value in row {row}, column {column}");
    Error::invalid_data(what, value, "a finite number")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse() -> Features {
        let offsets = vec![0, 2, 2, 4];
        let matrix = SparseMatrix::new(3, offsets, vec![2, 0, 1, 2], vec![2.0, 1.0, 0.0, -3.0]);
        Features::sparse(matrix.unwrap())
    }

    #[test]
    fn sparse_rows_are_sorted_and_without_zeros() {
        let features = sparse();
        assert_eq!(features.nonzeros(), 3);
        assert_eq!(features.nonzero_entries(0).collect::<Vec<_>>(), [(0, 1.0), (2, 2.0)]);
        assert_eq!(features.nonzero_entries(1).count(), 0);
        assert_eq!(features.measured_range(), Some((-3.0, 2.0)));
    }

    #[test]
    fn dense_and_sparse_compare_by_value() {
        let values = vec![1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, -3.0];
        let dense = Features::dense(DenseMatrix::new(3, 3, values).unwrap());
        assert!(dense.same_values(&sparse()));
        assert!(dense.select(&[2, 0]).same_values(&sparse().select(&[2, 0])));
        assert!(!dense.select(&[2, 0]).same_values(&sparse().select(&[0, 2])));
    }

    #[test]
    fn bad_rows_are_refused() {
        assert!(DenseMatrix::new(1, 2, vec![1.0]).is_err());
        let error = DenseMatrix::new(1, 2, vec![0.0, f32::NAN]).unwrap_err().with_values();
        assert_eq!(error, "feature value in row 0, column 1 is NaN; expected a finite number");
        assert!(SparseMatrix::new(2, vec![0, 2], vec![1, 1], vec![1.0, 2.0]).is_err());
        assert!(SparseMatrix::new(2, vec![0, 1], vec![2], vec![1.0]).is_err());
        assert!(SparseMatrix::new(2, vec![0, 2], vec![1], vec![1.0]).is_err());
        assert!(SparseMatrix::new(2, vec![], vec![], vec![]).is_err());
    }

    #[test]
    fn bounds_must_fit_the_columns() {
        let bounds = Bounds::per_column(vec![(0.0, 1.0); 2], BoundsOrigin::Declared).unwrap();
        assert!(sparse().with_bounds(bounds).is_err());
        assert!(!sparse().measured_bounds().unwrap().is_public());
    }
}
