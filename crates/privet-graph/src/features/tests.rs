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
