//! Compressed sparse rows as Python's scipy keeps them (`indptr`, `indices`, `data`), checked before
//! anybody walks them.

use super::npy::Array;
use crate::{FoundValue, NodeId, Result, SourceLocation, SparseMatrix};

/// Rows whose lengths fit together and whose columns are in range, in the order of the file.
#[derive(Debug)]
pub(crate) struct CsrArrays {
    place: SourceLocation,
    columns: usize,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    /// `None` if the file has no values, which makes them all 1.
    values: Option<Vec<f32>>,
}

impl CsrArrays {
    /// Checks the arrays of a matrix found at `place`.
    pub fn new(
        place: &SourceLocation,
        shape: [usize; 2],
        indptr: &Array,
        indices: &Array,
        data: Option<&Array>,
    ) -> Result<Self> {
        let [rows, columns] = shape;
        if columns > u32::MAX as usize {
            return Err(place
                .malformed(FoundValue::words(format!("{columns} columns")), "at most 4294967295"));
        }
        let offsets: Vec<usize> = indptr.integers("an offset, not negative")?;
        check_offsets(indptr, &offsets, rows, indices.len())?;
        let expected = format!("a column below {columns}");
        let found: Vec<u32> = indices.integers(&expected)?;
        if let Some(at) = found.iter().position(|&column| column as usize >= columns) {
            return Err(indices.bad_value(found[at], at, expected));
        }
        let values = data.map(Array::floats).transpose()?;
        if let (Some(values), Some(data)) = (&values, data)
            && values.len() != found.len()
        {
            let expected = format!("{} (one per column index)", found.len());
            return Err(data
                .place()
                .malformed(FoundValue::words(format!("{} values", values.len())), expected));
        }
        Ok(Self { place: place.clone(), columns, offsets, indices: found, values })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The entries of one row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, f32)> + '_ {
        let value = |at: usize| self.values.as_ref().map_or(1.0, |values| values[at]);
        (self.offsets[row]..self.offsets[row + 1]).map(move |at| (self.indices[at], value(at)))
    }

    /// Whether all values are 1.
    pub fn all_ones(&self) -> bool {
        self.values.iter().flatten().all(|&value| value == 1.0)
    }

    /// Every entry that is not zero as an arc from its row to its column.
    pub fn arcs(&self) -> Vec<[NodeId; 2]> {
        let row = |u: usize| self.row(u).map(move |(v, value)| ([u as NodeId, v], value));
        let present = (0..self.rows()).flat_map(row).filter(|&(_, value)| value != 0.0);
        present.map(|(arc, _)| arc).collect()
    }

    /// The matrix.
    pub fn into_matrix(self) -> Result<SparseMatrix> {
        let values = self.values.unwrap_or_else(|| vec![1.0; self.indices.len()]);
        SparseMatrix::new(self.columns, self.offsets, self.indices, values)
            .map_err(|error| error.at(&self.place))
    }
}

fn check_offsets(indptr: &Array, offsets: &[usize], rows: usize, entries: usize) -> Result<()> {
    if rows.checked_add(1) != Some(offsets.len()) {
        let expected = format!("one more than the {rows} rows of the shape");
        return Err(indptr
            .place()
            .malformed(FoundValue::words(format!("{} offsets", offsets.len())), expected));
    }
    if offsets[0] != 0 {
        return Err(indptr.bad_value(offsets[0], 0, "0"));
    }
    if let Some(at) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
        let expected = format!("at least {}, the one before it", offsets[at]);
        return Err(indptr.bad_value(offsets[at + 1], at + 1, expected));
    }
    if offsets[rows] != entries {
        let expected = format!("{entries}, the number of column indices");
        return Err(indptr.bad_value(offsets[rows], rows, expected));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::npy::Order;

    fn array(values: &[i32]) -> Array {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let place = SourceLocation::file("m.npz").member("a.npy");
        Array::from_parts(vec![values.len()], "<i4", Order::C, bytes, &place).unwrap()
    }

    fn csr(shape: [usize; 2], indptr: &[i32], indices: &[i32]) -> Result<CsrArrays> {
        CsrArrays::new(&SourceLocation::file("m.npz"), shape, &array(indptr), &array(indices), None)
    }

    #[test]
    fn rows_may_be_unsorted_but_must_fit() {
        let good = csr([2, 3], &[0, 2, 3], &[2, 0, 1]).unwrap();
        assert_eq!(good.arcs(), [[0, 2], [0, 0], [1, 1]]);
        assert_eq!(good.into_matrix().unwrap().row(0).0, [0, 2]);
        let told = |shape, indptr: &[i32], indices: &[i32]| {
            csr(shape, indptr, indices).unwrap_err().with_values()
        };
        let at = "m.npz, member a.npy: found the value";
        assert_eq!(
            told([2, 3], &[0, 2, 1], &[0]),
            format!("{at} 1 at position 2; expected at least 2, the one before it")
        );
        assert!(told([2, 3], &[0, 1, 2], &[0, 3]).starts_with(&format!("{at} 3 at position 1")));
        assert!(told([2, 3], &[0, 1, 2], &[0, -1]).starts_with(&format!("{at} -1 at position 1")));
        assert!(told([2, 3], &[0, -1, 2], &[0, 1]).starts_with(&format!("{at} -1 at position 1")));
        assert!(told([2, 3], &[1, 1, 2], &[0, 1]).contains("expected 0"));
        assert!(told([2, 3], &[0, 1, 1], &[0, 1]).contains("2, the number of column indices"));
        assert!(told([3, 3], &[0, 1, 2], &[0, 1]).contains("3 offsets"));
        assert!(told([usize::MAX, 3], &[0, 1, 2], &[0, 1]).contains("3 offsets"));
        assert!(told([0, 3], &[], &[]).contains("0 offsets"));
        assert!(told([0, usize::MAX], &[0], &[]).contains("columns"));
    }

    #[test]
    fn values_are_as_many_as_indices_and_zeros_are_no_arcs() {
        let place = SourceLocation::file("m.npz");
        let (indptr, indices) = (array(&[0, 2]), array(&[0, 1]));
        let new =
            |data: &[i32]| CsrArrays::new(&place, [1, 2], &indptr, &indices, Some(&array(data)));
        assert_eq!(new(&[0, 7]).unwrap().arcs(), [[0, 1]]);
        assert!(!new(&[0, 7]).unwrap().all_ones());
        assert!(new(&[1]).unwrap_err().with_values().contains("1 values"));
    }

    #[test]
    fn a_repeated_column_is_an_error_in_a_matrix() {
        let twice = csr([1, 3], &[0, 2], &[1, 1]).unwrap();
        assert!(twice.into_matrix().unwrap_err().with_values().contains("column 1 twice"));
    }
}
