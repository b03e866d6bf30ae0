//! Products of dense row-major matrices.
//!
//! `faer` has the fastest single-threaded product; it does not split the inner dimension, and its own
//! threads would make sums depend on their number. So rows are cut into blocks of a fixed height here:
//! blocks run in parallel, and what has to be added up over blocks is added in order.

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
use privet_graph::DenseMatrix;
use rayon::prelude::*;

use super::settle;

/// Most rows per block: high enough that a product amortises its packing, low enough to feed many
/// threads.
const BLOCK: usize = 2048;
/// Fewest rows per block, below which packing the other matrix again would show.
const SMALLEST_BLOCK: usize = 256;
/// Multiplications that make a block worth a thread's while: some hundred microseconds.
const BLOCK_WORK: usize = 1 << 25;
/// Multiplications below which a product is not worth waking another thread.
const PARALLEL_WORK: usize = 1 << 22;
/// A left transposed product with as many output rows is cut along them, and needs no partial sums.
const MANY_OUTPUT_ROWS: usize = 512;

/// Whether a product overwrites its output or adds to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    /// `out = ...`
    Replace,
    /// `out += ...`
    Add,
}

impl From<Write> for Accum {
    fn from(write: Write) -> Self {
        match write {
            Write::Replace => Self::Replace,
            Write::Add => Self::Add,
        }
    }
}

/// `out = a b`, or `out += a b`.
///
/// ```
/// use privet_graph::DenseMatrix;
/// use privet_learn::kernels::{Write, product};
/// let a = DenseMatrix::new(1, 2, vec![1.0, 2.0])?;
/// let b = DenseMatrix::new(2, 1, vec![3.0, 4.0])?;
/// let mut out = DenseMatrix::zeros(1, 1);
/// product(&a, &b, Write::Replace, &mut out);
/// assert_eq!(out.values(), [11.0]);
/// # Ok::<(), privet_graph::Error>(())
/// ```
///
/// # Panics
/// If the shapes do not fit.
pub fn product(a: &DenseMatrix, b: &DenseMatrix, write: Write, out: &mut DenseMatrix) {
    assert_eq!((a.rows(), b.columns()), (out.rows(), out.columns()), "shape of a product");
    assert_eq!(a.columns(), b.rows(), "inner dimension of a product");
    by_row_blocks(a, out, |block, out_block| {
        matmul(out_block, write.into(), block, view(b), 1.0, Par::Seq);
    });
}

/// `out = a b'`, or `out += a b'`.
///
/// # Panics
/// If the shapes do not fit.
pub fn product_right_transposed(
    a: &DenseMatrix,
    b: &DenseMatrix,
    write: Write,
    out: &mut DenseMatrix,
) {
    assert_eq!((a.rows(), b.rows()), (out.rows(), out.columns()), "shape of a product");
    assert_eq!(a.columns(), b.columns(), "inner dimension of a product");
    by_row_blocks(a, out, |block, out_block| {
        matmul(out_block, write.into(), block, view(b).transpose(), 1.0, Par::Seq);
    });
}

/// `out = a' b`, or `out += a' b`: the gradient of a layer's weights, where both inputs are tall.
///
/// # Panics
/// If the shapes do not fit.
pub fn product_left_transposed(
    a: &DenseMatrix,
    b: &DenseMatrix,
    write: Write,
    out: &mut DenseMatrix,
) {
    assert_eq!((a.columns(), b.columns()), (out.rows(), out.columns()), "shape of a product");
    assert_eq!(a.rows(), b.rows(), "inner dimension of a product");
    let work = a.rows() * a.columns() * b.columns();
    // A sum over rows in one go, in one thread: the order of additions is fixed.
    // Small enough for one call: splitting would cost more than it saves.
    if a.rows() <= BLOCK && work < 2 * BLOCK_WORK {
        matmul(view_mut(out), write.into(), view(a).transpose(), view(b), 1.0, Par::Seq);
        return settle();
    }
    // With many output rows, threads share those instead of the sum: no partial sums to add.
    if a.columns() >= MANY_OUTPUT_ROWS {
        return by_output_rows(a, b, write, out);
    }
    // Blocks below are added to the output, so what it held must go first if it is to be replaced.
    if write == Write::Replace {
        out.values_mut().fill(0.0);
    }
    let blocks: Vec<(&[f32], &[f32])> = row_blocks(a).zip(row_blocks(b)).collect();
    // As many partial sums at a time as there are threads: memory stays small, and the order of the
    // final additions is that of the blocks, whichever thread computed them.
    for group in blocks.chunks(rayon::current_num_threads().max(1)) {
        let partial: Vec<DenseMatrix> = group
            .par_iter()
            .map(|(a_block, b_block)| {
                let mut sum = DenseMatrix::zeros(out.rows(), out.columns());
                let (a, b) = (slice_view(a_block, a.columns()), slice_view(b_block, b.columns()));
                matmul(view_mut(&mut sum), Accum::Replace, a.transpose(), b, 1.0, Par::Seq);
                settle();
                sum
            })
            .collect();
        // In the order of the blocks: floating-point addition is not associative.
        for sum in &partial {
            out.values_mut().iter_mut().zip(sum.values()).for_each(|(total, part)| *total += part);
        }
    }
}

/// `out = a b` for a block of rows that is at hand: one thread, no packing of the rest.
pub(crate) fn block_product(a: &[f32], b: &DenseMatrix, out: &mut [f32]) {
    let (a, out) = (slice_view(a, b.rows()), slice_view_mut(out, b.columns()));
    matmul(out, Accum::Replace, a, view(b), 1.0, Par::Seq);
    settle();
}

/// `out = a b'` for a block of rows.
pub(crate) fn block_product_right_transposed(a: &[f32], b: &DenseMatrix, out: &mut [f32]) {
    let (a, out) = (slice_view(a, b.columns()), slice_view_mut(out, b.rows()));
    matmul(out, Accum::Replace, a, view(b).transpose(), 1.0, Par::Seq);
    settle();
}

/// `out += a' b` for a block of rows, where `out` has `columns` columns.
pub(crate) fn block_product_left_transposed(a: &[f32], b: &[f32], columns: usize, out: &mut [f32]) {
    // `columns` may be 0 for an empty layer; dividing by at least 1 gives 0 rows and not a panic.
    let rows = b.len() / columns.max(1);
    let a = MatRef::from_row_major_slice(a, rows, a.len() / rows.max(1));
    let (b, out) = (slice_view(b, columns), slice_view_mut(out, columns));
    matmul(out, Accum::Add, a.transpose(), b, 1.0, Par::Seq);
    settle();
}

fn by_row_blocks(
    a: &DenseMatrix,
    out: &mut DenseMatrix,
    work: impl Fn(MatRef<'_, f32>, MatMut<'_, f32>) + Sync,
) {
    let (inner, columns) = (a.columns(), out.columns());
    if columns == 0 {
        return;
    }
    // Block heights depend on the shapes alone, never on the number of threads, so that results are the same bytes on
    // every machine.
    let height = block_height(inner, columns);
    let run = |(index, out_block): (usize, &mut [f32])| {
        let rows = out_block.len() / columns;
        let start = index * height * inner;
        let block = &a.values()[start..start + rows * inner];
        work(
            MatRef::from_row_major_slice(block, rows, inner),
            MatMut::from_row_major_slice_mut(out_block, rows, columns),
        );
        settle();
    };
    // A product smaller than a thread's wake-up is computed where it is.
    let parallel = a.rows() > height && a.rows() * inner * columns >= PARALLEL_WORK;
    match parallel {
        true => {
            out.values_mut().par_chunks_mut(height * columns).enumerate().for_each(run);
        }
        false => out.values_mut().chunks_mut(height * columns).enumerate().for_each(run),
    }
}

/// Rows per block for rows that cost `inner * columns` multiplications each. It depends on shapes
/// alone, so that the blocks, and with them the rounding, are the same on any number of threads.
fn block_height(inner: usize, columns: usize) -> usize {
    (BLOCK_WORK / (inner * columns).max(1)).clamp(SMALLEST_BLOCK, BLOCK)
}

/// `a' b` by blocks of rows of the output, that is of columns of `a`.
fn by_output_rows(a: &DenseMatrix, b: &DenseMatrix, write: Write, out: &mut DenseMatrix) {
    let columns = out.columns();
    let height = block_height(a.rows(), columns);
    out.values_mut().par_chunks_mut((height * columns).max(1)).enumerate().for_each(
        |(index, out_block)| {
            let rows = out_block.len() / columns;
            // Columns of `a` are rows of the product: each block reads its own columns and all of
            // `b`.
            let block = view(a).subcols(index * height, rows).transpose();
            let out_block = MatMut::from_row_major_slice_mut(out_block, rows, columns);
            matmul(out_block, write.into(), block, view(b), 1.0, Par::Seq);
            settle();
        },
    );
}

fn row_blocks(matrix: &DenseMatrix) -> impl Iterator<Item = &[f32]> {
    matrix.values().chunks((BLOCK * matrix.columns()).max(1))
}

fn slice_view(values: &[f32], columns: usize) -> MatRef<'_, f32> {
    MatRef::from_row_major_slice(values, values.len() / columns.max(1), columns)
}

fn slice_view_mut(values: &mut [f32], columns: usize) -> MatMut<'_, f32> {
    let rows = values.len() / columns.max(1);
    MatMut::from_row_major_slice_mut(values, rows, columns)
}

fn view(matrix: &DenseMatrix) -> MatRef<'_, f32> {
    MatRef::from_row_major_slice(matrix.values(), matrix.rows(), matrix.columns())
}

fn view_mut(matrix: &mut DenseMatrix) -> MatMut<'_, f32> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    MatMut::from_row_major_slice_mut(matrix.values_mut(), rows, columns)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(rows: usize, columns: usize, seed: usize) -> DenseMatrix {
        let value = |at: usize| ((at * 7919 + seed * 104_729) % 31) as f32 / 8.0 - 2.0;
        DenseMatrix::new(rows, columns, (0..rows * columns).map(value).collect()).unwrap()
    }

    fn transposed(a: &DenseMatrix) -> DenseMatrix {
        let mut out = DenseMatrix::zeros(a.columns(), a.rows());
        for row in 0..a.rows() {
            for column in 0..a.columns() {
                out.row_mut(column)[row] = a.row(row)[column];
            }
        }
        out
    }

    fn naive(a: &DenseMatrix, b: &DenseMatrix, out: &mut DenseMatrix) {
        for row in 0..a.rows() {
            for column in 0..b.columns() {
                let sum: f32 = (0..a.columns()).map(|k| a.row(row)[k] * b.row(k)[column]).sum();
                out.row_mut(row)[column] += sum;
            }
        }
    }

    proptest! {
        /// Values are multiples of 1/8, so every order of summation gives the same number.
        #[test]
        fn products_match_the_textbook(n in 0usize..40, k in 0usize..9, m in 0usize..9, seed in 0usize..99) {
            let (a, b) = (filled(n, k, seed), filled(k, m, seed + 1));
            for write in [Write::Replace, Write::Add] {
                let start = if write == Write::Add { filled(n, m, 5) } else { DenseMatrix::zeros(n, m) };
                let mut expected = start.clone();
                naive(&a, &b, &mut expected);
                let mut out = start.clone();
                product(&a, &b, write, &mut out);
                prop_assert_eq!(&out, &expected);
                let mut out = start.clone();
                product_right_transposed(&a, &transposed(&b), write, &mut out);
                prop_assert_eq!(&out, &expected);
                let mut out = start;
                product_left_transposed(&transposed(&a), &b, write, &mut out);
                prop_assert_eq!(&out, &expected);
            }
        }
    }

    /// Shapes that are cut along the output, along the inner dimension, and not at all.
    #[test]
    fn large_products_match_the_textbook_for_any_number_of_threads() {
        for (n, k, m) in [(900, 1200, 40), (5000, 20, 30), (3000, 700, 24)] {
            let (a, g) = (filled(n, k, 1), filled(n, m, 2));
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let (mut left, mut right) = (DenseMatrix::zeros(k, m), DenseMatrix::zeros(n, k));
                let mut plain = DenseMatrix::zeros(n, m);
                pool.install(|| {
                    product_left_transposed(&a, &g, Write::Replace, &mut left);
                    product_right_transposed(&g, &left, Write::Replace, &mut right);
                    product(&a, &left, Write::Replace, &mut plain);
                });
                (left, right, plain)
            };
            let mut expected = DenseMatrix::zeros(k, m);
            naive(&transposed(&a), &g, &mut expected);
            assert_eq!(on(1).0, expected);
            assert_eq!(on(1), on(2));
            assert_eq!(on(1), on(3));
        }
    }

    #[test]
    fn many_blocks_give_the_same_bytes_for_any_number_of_threads() {
        let (a, b) = (filled(3 * BLOCK + 17, 5, 1), filled(3 * BLOCK + 17, 4, 2));
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut out = DenseMatrix::zeros(5, 4);
            pool.install(|| product_left_transposed(&a, &b, Write::Replace, &mut out));
            out
        };
        let mut expected = DenseMatrix::zeros(5, 4);
        naive(&transposed(&a), &b, &mut expected);
        assert_eq!(on(1), expected);
        assert_eq!(on(3), expected);
    }
}
