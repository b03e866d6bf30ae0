//! Work on every entry of a matrix: one pass, vectorised for the machine it runs on, in parallel only
//! where the matrix is large enough to pay for it.

use privet_graph::DenseMatrix;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// Entries per block: what one thread takes at a time. It fixes the order of sums, so it does not
/// depend on the number of threads.
const BLOCK_ENTRIES: usize = 1 << 16;
/// Entries from which waking other threads pays.
const PARALLEL_ENTRIES: usize = 1 << 18;

/// How many rows of `columns` entries make a block.
pub fn block_of_rows(columns: usize) -> usize {
    (BLOCK_ENTRIES / columns.max(1)).max(1)
}

/// Runs `work` compiled for the widest vectors the machine has. It and all it calls in inner loops should
/// be `#[inline(always)]`: what is not inlined here stays compiled for the narrowest.
#[inline(always)]
pub(crate) fn vectorized<R>(work: impl FnMut() -> R) -> R {
    Arch::new().dispatch(Vectorized(work))
}

struct Vectorized<F>(F);

impl<R, F: FnMut() -> R> WithSimd for Vectorized<F> {
    type Output = R;

    // Passed to `dispatch` directly, a closure would be called through a shim that the compiler does
    // not always inline, however the closure itself is marked.
    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> R {
        (self.0)()
    }
}

/// Calls `work` with the number of the first row and the values of each block of rows, compiled for
/// the widest vectors the machine has.
///
/// ```
/// use privet_graph::DenseMatrix;
/// use privet_learn::kernels::each_block;
/// let mut matrix = DenseMatrix::new(1, 2, vec![1.0, 2.0])?;
/// each_block(&mut matrix, |_, values| values.iter_mut().for_each(|v| *v *= 2.0));
/// assert_eq!(matrix.values(), [2.0, 4.0]);
/// # Ok::<(), privet_graph::Error>(())
/// ```
pub fn each_block(matrix: &mut DenseMatrix, work: impl Fn(usize, &mut [f32]) + Sync) {
    let columns = matrix.columns();
    if columns == 0 || matrix.rows() == 0 {
        return;
    }
    let rows = block_of_rows(columns);
    let run = |(block, values): (usize, &mut [f32])| {
        vectorized(
            #[inline(always)]
            || work(block * rows, values),
        );
    };
    let values = matrix.values_mut();
    match values.len() < PARALLEL_ENTRIES {
        true => values.chunks_mut(rows * columns).enumerate().for_each(run),
        false => values.par_chunks_mut(rows * columns).enumerate().for_each(run),
    }
}

/// Like [`each_block`], for work that gives a number: their sum, taken in the order of the blocks.
pub fn sum_over_blocks(
    matrix: &mut DenseMatrix,
    work: impl Fn(usize, &mut [f32]) -> f64 + Sync,
) -> f64 {
    let (rows, columns) = (block_of_rows(matrix.columns()), matrix.columns());
    if columns == 0 || matrix.rows() == 0 {
        return 0.0;
    }
    let values = matrix.values_mut();
    let run = |(block, values): (usize, &mut [f32])| work(block * rows, values);
    if values.len() < PARALLEL_ENTRIES {
        return values.chunks_mut(rows * columns).enumerate().map(run).sum();
    }
    let blocks = values.par_chunks_mut(rows * columns).enumerate();
    let sums: Vec<f64> = blocks.map(run).collect();
    sums.iter().sum()
}

/// The sum of every column of `term(row, values)`, where `term` adds one row's contribution to its
/// second argument. Blocks are summed in single precision, their sums in double, in order.
pub fn column_sums(
    rows: usize,
    columns: usize,
    sums: &mut Vec<f64>,
    term: impl Fn(usize, &mut [f32]) + Sync,
) {
    sums.clear();
    sums.resize(columns, 0.0);
    let height = block_of_rows(columns);
    let of_block =
        |block: usize| block_sum(block * height..((block + 1) * height).min(rows), columns, &term);
    let count = rows.div_ceil(height);
    let blocks: Vec<Vec<f32>> = match rows * columns < PARALLEL_ENTRIES {
        true => (0..count).map(of_block).collect(),
        false => (0..count).into_par_iter().map(of_block).collect(),
    };
    for block in &blocks {
        sums.iter_mut().zip(block).for_each(|(sum, &part)| *sum += f64::from(part));
    }
}

fn block_sum(
    rows: std::ops::Range<usize>,
    columns: usize,
    term: &(impl Fn(usize, &mut [f32]) + Sync),
) -> Vec<f32> {
    let mut sum = vec![0.0; columns];
    vectorized(
        #[inline(always)]
        || rows.clone().for_each(|row| term(row, &mut sum)),
    );
    sum
}

/// Clears the upper halves of the vector registers, which the products of `faer` leave in use: scalar
/// code behind them runs at half its speed otherwise.
#[inline]
pub fn settle() {
    // The compiler ends every function that used wide registers by clearing them, so it is enough to
    // run one that does.
    let ones = std::hint::black_box([1.0_f32; 32]);
    let mut doubled = [0.0_f32; 32];
    vectorized(
        #[inline(always)]
        || doubled.iter_mut().zip(&ones).for_each(|(out, one)| *out = one + one),
    );
    std::hint::black_box(doubled);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_every_row_once_on_any_number_of_threads() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut matrix = DenseMatrix::zeros(3 * BLOCK_ENTRIES / 7, 7);
            pool.install(|| {
                each_block(&mut matrix, |first, values| {
                    for (row, values) in values.chunks_mut(7).enumerate() {
                        values.iter_mut().for_each(|v| *v += (first + row) as f32);
                    }
                });
            });
            for row in 0..matrix.rows() {
                assert!(matrix.row(row).iter().all(|&v| v == row as f32));
            }
        }
    }

    #[test]
    fn sums_have_the_same_bytes_on_any_number_of_threads() {
        let value = |row: usize| 1.0 / (row + 1) as f32;
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut sums = Vec::new();
            pool.install(|| column_sums(200_000, 2, &mut sums, |row, out| out[1] += value(row)));
            sums
        };
        let expected: f64 = (0..200_000).map(|row| f64::from(value(row))).sum();
        assert_eq!(on(1), on(3));
        assert_eq!(on(1)[0], 0.0);
        assert!((on(2)[1] - expected).abs() < 1e-4);
    }
}
