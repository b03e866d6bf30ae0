//! Products of some rows of a sparse matrix with a dense one: the first layer of a model that is
//! trained on batches of sparse features, without copying them.

use privet_graph::{DenseMatrix, SparseMatrix};
use pulp::Arch;
use rayon::prelude::*;

/// Multiplications that are worth a thread's while.
const BLOCK_WORK: usize = 1 << 21;
/// Output rows are cut into as many ranges, at most.
const RANGES: usize = 16;

/// `out += X[rows] w`.
///
/// # Panics
/// If the shapes do not fit, or a row is out of range.
pub fn gathered_product(
    matrix: &SparseMatrix,
    rows: &[u32],
    w: &DenseMatrix,
    out: &mut DenseMatrix,
) {
    assert_eq!((rows.len(), w.columns()), (out.rows(), out.columns()), "shape of a product");
    assert_eq!(matrix.columns(), w.rows(), "inner dimension of a product");
    let columns = out.columns();
    if columns == 0 {
        return;
    }
    let add_row = |(row, out): (&u32, &mut [f32])| {
        let (entries, values) = matrix.row(*row as usize);
        // Inside `dispatch` the loop is compiled once for each instruction set and vectorised.
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for (&column, &value) in entries.iter().zip(values) {
                    add_scaled(out, value, w.row(column as usize));
                }
            },
        );
    };
    // Rows of the output are independent: threads share them without a lock.
    if work(matrix, rows, columns) < 2 * BLOCK_WORK {
        rows.iter().zip(out.values_mut().chunks_exact_mut(columns)).for_each(add_row);
    } else {
        let out = out.values_mut().par_chunks_exact_mut(columns);
        rows.par_iter().zip(out).with_min_len(64).for_each(add_row);
    }
}

/// `out += X[rows]' g`: the gradient of the weights. Every output row adds up its terms in the order of
/// `rows`, on any number of threads.
///
/// # Panics
/// If the shapes do not fit, or a row is out of range.
pub fn gathered_product_transposed(
    matrix: &SparseMatrix,
    rows: &[u32],
    g: &DenseMatrix,
    out: &mut DenseMatrix,
) {
    assert_eq!((matrix.columns(), g.columns()), (out.rows(), out.columns()), "shape of a product");
    assert_eq!(rows.len(), g.rows(), "inner dimension of a product");
    let columns = out.columns();
    if columns == 0 || out.rows() == 0 {
        return;
    }
    // Here all rows add to all outputs, so threads share columns of the sparse matrix, which are
    // rows of the output.
    let ranges = (work(matrix, rows, columns) / BLOCK_WORK).clamp(1, RANGES);
    let height = out.rows().div_ceil(ranges);
    let add_range = |(index, out): (usize, &mut [f32])| {
        let (from, to) = (index * height, index * height + out.len() / columns);
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for (at, &row) in rows.iter().enumerate() {
                    let (entries, values) = matrix.row(row as usize);
                    // Columns of a sparse row are sorted: the range's part is found by bisection.
                    let start = entries.partition_point(|&column| (column as usize) < from);
                    let of_range = entries[start..].iter().zip(&values[start..]);
                    for (&column, &value) in of_range.take_while(|(c, _)| (**c as usize) < to) {
                        // The offset within this range's part of the output.
                        let at_out = (column as usize - from) * columns;
                        add_scaled(&mut out[at_out..at_out + columns], value, g.row(at));
                    }
                }
            },
        );
    };
    match ranges {
        1 => add_range((0, out.values_mut())),
        _ => out.values_mut().par_chunks_mut(height * columns).enumerate().for_each(add_range),
    }
}

fn work(matrix: &SparseMatrix, rows: &[u32], columns: usize) -> usize {
    rows.iter().map(|&row| matrix.row(row as usize).0.len()).sum::<usize>() * columns
}

#[inline(always)]
fn add_scaled(out: &mut [f32], factor: f32, row: &[f32]) {
    out.iter_mut().zip(row).for_each(|(out, value)| *out += factor * value);
}

#[cfg(test)]
mod tests {
    use privet_graph::SparseBuilder;
    use proptest::prelude::*;

    use super::*;
    use crate::finite_differences::filled;
    use crate::kernels::{Write, product, product_left_transposed};

    fn both(rows: usize, columns: usize, seed: u64) -> (SparseMatrix, DenseMatrix) {
        let mut dense = filled(rows, columns, seed);
        let mut builder = SparseBuilder::new(columns);
        // Multiples of 1/8, so that every order of summation gives the same number.
        dense.values_mut().iter_mut().for_each(|v| *v = (*v * 8.0).trunc() / 8.0);
        dense.values_mut().iter_mut().filter(|v| v.abs() < 0.6).for_each(|v| *v = 0.0);
        for row in 0..rows {
            let mut entries: Vec<_> = (0..).zip(dense.row(row).iter().copied()).collect();
            builder.push_row(&mut entries).unwrap();
        }
        (builder.finish(), dense)
    }

    fn gathered(dense: &DenseMatrix, rows: &[u32]) -> DenseMatrix {
        let values = rows.iter().flat_map(|&row| dense.row(row as usize)).copied().collect();
        DenseMatrix::new(rows.len(), dense.columns(), values).unwrap()
    }

    fn check(rows: usize, columns: usize, outputs: usize, picked: &[u32]) {
        let (sparse, dense) = both(rows, columns, 1);
        let (_, w) = both(columns, outputs, 2);
        let (_, g) = both(picked.len(), outputs, 3);
        let dense = gathered(&dense, picked);
        let mut expected = DenseMatrix::zeros(picked.len(), outputs);
        product(&dense, &w, Write::Replace, &mut expected);
        let mut expected_transposed = DenseMatrix::zeros(columns, outputs);
        product_left_transposed(&dense, &g, Write::Replace, &mut expected_transposed);
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut out = DenseMatrix::zeros(picked.len(), outputs);
            pool.install(|| gathered_product(&sparse, picked, &w, &mut out));
            assert_eq!(out, expected);
            let mut out = DenseMatrix::zeros(columns, outputs);
            pool.install(|| gathered_product_transposed(&sparse, picked, &g, &mut out));
            assert_eq!(out, expected_transposed);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn small_products_match_dense_ones(
            columns in 1usize..9, outputs in 1usize..9, picked in prop::collection::vec(0u32..7, 0..9),
        ) {
            check(7, columns, outputs, &picked);
        }
    }

    #[test]
    fn large_products_match_dense_ones() {
        let picked: Vec<u32> = (0..1200).map(|at| at * 7 % 900).collect();
        check(900, 300, 40, &picked);
    }
}
