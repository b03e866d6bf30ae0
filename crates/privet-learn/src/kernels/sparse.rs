//! Sums over neighbours: a sparse matrix of arcs times dense row-major features.
//!
//! The product is bound by memory, so it is arranged around it. The sum of a narrow row stays in vector
//! registers while its neighbours' rows stream past (`narrow.rs`); for a wide row, several neighbours' rows
//! stream side by side (`wide.rs`). Whatever else is to be done with a finished row (scale, add, measure) is
//! done at once by a [`Finish`], while the row is still at hand. Rows are cut into blocks of about equal work,
//! which threads take in any order; every row is summed in the order of its arcs, so the result depends
//! neither on them nor on which of the two loops ran.

mod narrow;
mod wide;

use std::ops::Range;

use narrow::BlockProduct;
use privet_graph::{DenseMatrix, Graph};
use pulp::Arch;
use rayon::prelude::*;

use super::Write;

/// Arcs and rows per block: enough to pay for handing it to a thread, little enough to share out.
const BLOCK_WORK: usize = 8192;
/// What each arc of a graph counts.
#[derive(Debug, Clone, Copy)]
pub enum ArcWeights<'a> {
    /// One.
    Ones,
    /// A weight for every arc, in the order of [`Graph::targets`].
    PerArc(&'a [f32]),
}

/// `out = W x`: row `u` of the output is the weighted sum of the rows of u's neighbours.
///
/// ```
/// use privet_graph::{DenseMatrix, Direction, GraphBuilder};
/// use privet_learn::kernels::{ArcWeights, aggregate};
/// let (path, _) = GraphBuilder::new(3, Direction::Undirected).edges([(0, 1), (1, 2)]).build()?;
/// let x = DenseMatrix::new(3, 1, vec![1.0, 10.0, 100.0])?;
/// let mut out = DenseMatrix::zeros(3, 1);
/// aggregate(&path, ArcWeights::Ones, &x, &mut out);
/// assert_eq!(out.values(), [10.0, 101.0, 10.0]);
/// # Ok::<(), privet_graph::Error>(())
/// ```
///
/// # Panics
/// If the shapes do not fit.
pub fn aggregate(graph: &Graph, weights: ArcWeights<'_>, x: &DenseMatrix, out: &mut DenseMatrix) {
    let rows = CompressedRows::of_graph(graph, weights);
    assert_eq!((x.columns(), graph.node_count()), (out.columns(), out.rows()), "shape of a sum");
    aggregate_rows(
        rows,
        (x.values(), x.columns()),
        Write::Replace,
        out.values_mut(),
        None,
        &KeepSum,
    );
}

/// `out = a base + b W x` in one pass over memory: one round of personalised PageRank, or a layer
/// with a skip connection.
///
/// # Panics
/// If the shapes do not fit.
pub fn aggregate_and_add(
    graph: &Graph,
    weights: ArcWeights<'_>,
    (b, x): (f32, &DenseMatrix),
    (a, base): (f32, &DenseMatrix),
    out: &mut DenseMatrix,
) {
    assert_eq!((base.rows(), base.columns()), (out.rows(), out.columns()), "shape of the base");
    let finish = ScaleAndAdd { b, a, base };
    let rows = CompressedRows::of_graph(graph, weights);
    assert_eq!(x.columns(), out.columns(), "shape of a sum");
    aggregate_rows(
        rows,
        (x.values(), x.columns()),
        Write::Replace,
        out.values_mut(),
        None,
        &finish,
    );
}

/// Compressed sparse rows, borrowed from a graph or from a sparse matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompressedRows<'a> {
    pub offsets: &'a [usize],
    pub indices: &'a [u32],
    pub weights: Option<&'a [f32]>,
}

impl<'a> CompressedRows<'a> {
    pub fn of_graph(graph: &'a Graph, weights: ArcWeights<'a>) -> Self {
        let weights = match weights {
            ArcWeights::Ones => None,
            ArcWeights::PerArc(weights) => Some(weights),
        };
        Self { offsets: graph.offsets(), indices: graph.targets(), weights }
    }

    fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    fn blocks(&self) -> Vec<Range<usize>> {
        let (mut blocks, mut start) = (Vec::new(), 0);
        for row in 0..self.count() {
            let work = self.offsets[row + 1] - self.offsets[start] + (row + 1 - start);
            // Blocks of equal work, not of equal rows: a hub's row may be a block of its own. They depend on the
            // graph alone, so that the number of threads changes no byte.
            if work >= BLOCK_WORK || row + 1 == self.count() {
                blocks.push(start..row + 1);
                start = row + 1;
            }
        }
        blocks
    }
}

/// The kernel: `out = W x` or `out += W x`, and `finish` on every row.
///
/// # Panics
/// If the shapes do not fit.
pub(crate) fn aggregate_rows<F: Finish>(
    rows: CompressedRows<'_>,
    (x, columns): (&[f32], usize),
    write: Write,
    out: &mut [f32],
    second: Option<&mut [f32]>,
    finish: &F,
) -> RowNorms {
    assert_eq!(rows.count() * columns, out.len(), "shape of a sparse product");
    assert!(rows.weights.is_none_or(|w| w.len() == rows.indices.len()), "a weight for every arc");
    assert!(second.as_ref().is_none_or(|m| m.len() == out.len()), "shape of the second output");
    let mut blocks = split(&rows.blocks(), columns, out, second.unwrap_or_default());
    let arch = Arch::new();
    let sum = |block: &mut RowBlock<'_>| {
        let RowBlock { rows: range, out, second, measured } = block;
        let range = range.clone();
        // Instructions are chosen once for a whole block, not for every row.
        *measured =
            arch.dispatch(BlockProduct { rows, range, columns, x, write, out, second, finish });
    };
    // A single block is not worth waking another thread.
    match &mut blocks[..] {
        [block] => sum(block),
        blocks => blocks.par_iter_mut().for_each(sum),
    }
    blocks.iter().fold(RowNorms::default(), |all, block| all.and(block.measured))
}

struct RowBlock<'a> {
    rows: Range<usize>,
    out: &'a mut [f32],
    second: &'a mut [f32],
    measured: RowNorms,
}

fn split<'a>(
    ranges: &[Range<usize>],
    columns: usize,
    mut out: &'a mut [f32],
    mut second: &'a mut [f32],
) -> Vec<RowBlock<'a>> {
    let mut blocks = Vec::with_capacity(ranges.len());
    for rows in ranges {
        let length = rows.len() * columns;
        // Every block owns its rows of the output: no two threads write to one row, and no lock is needed.
        let (head, tail) = out.split_at_mut(length);
        let (second_head, second_tail) = second.split_at_mut(length.min(second.len()));
        (out, second) = (tail, second_tail);
        let measured = RowNorms::default();
        blocks.push(RowBlock { rows: rows.clone(), out: head, second: second_head, measured });
    }
    blocks
}

// What is done with a row as soon as its sum is complete, while it is at hand.

/// What to do with a row once its sum is complete.
pub(crate) trait Finish: Sync {
    /// Gets the sum, and the same row of the second output if there is one; returns a measurement, and
    /// the kernel returns the measurements of all rows.
    fn finish(&self, row: usize, sum: &mut [f32], second: &mut [f32]) -> RowNorms;
}

/// The size of some rows of a matrix: what is needed to bound its norm.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RowNorms {
    /// The largest absolute value, weighted by degree if errors are.
    pub largest: f64,
    /// The sum of absolute values, where the norm needs it.
    pub total: f64,
}

impl RowNorms {
    /// The size of both together.
    #[inline(always)]
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { largest: self.largest.max(other.largest), total: self.total + other.total }
    }
}

/// Nothing: the sum is the result.
pub(crate) struct KeepSum;

impl Finish for KeepSum {
    #[inline(always)]
    fn finish(&self, _: usize, _: &mut [f32], _: &mut [f32]) -> RowNorms {
        RowNorms::default()
    }
}

/// `a base + b sum`.
struct ScaleAndAdd<'a> {
    pub b: f32,
    pub a: f32,
    pub base: &'a DenseMatrix,
}

impl Finish for ScaleAndAdd<'_> {
    #[inline(always)]
    fn finish(&self, row: usize, sum: &mut [f32], _: &mut [f32]) -> RowNorms {
        sum.iter_mut()
            .zip(self.base.row(row))
            .for_each(|(sum, base)| *sum = self.a * base + self.b * *sum);
        RowNorms::default()
    }
}

/// `max |v|`, written so that the compiler keeps eight running maxima in a register.
#[inline(always)]
pub(crate) fn max_abs(values: &[f32]) -> f32 {
    // Eight independent maxima, which the compiler keeps in one register: a single one would be a
    // chain of dependent steps.
    let mut running = [0f32; 8];
    let (eights, rest) = values.as_chunks::<8>();
    for eight in eights {
        for (max, v) in running.iter_mut().zip(eight) {
            *max = if v.abs() > *max { v.abs() } else { *max };
        }
    }
    running.iter().chain(rest).fold(0.0, |max, v| max.max(v.abs()))
}

#[cfg(test)]
mod tests {
    use privet_graph::{Direction, GraphBuilder};
    use proptest::prelude::*;

    use super::*;

    /// Multiples of 1/8: every order of summation gives the same number.
    fn filled(rows: usize, columns: usize, seed: usize) -> DenseMatrix {
        let value = |at: usize| ((at * 7919 + seed * 104_729) % 31) as f32 / 8.0 - 2.0;
        DenseMatrix::new(rows, columns, (0..rows * columns).map(value).collect()).unwrap()
    }

    fn naive(graph: &Graph, weights: Option<&[f32]>, x: &DenseMatrix) -> DenseMatrix {
        let mut out = DenseMatrix::zeros(x.rows(), x.columns());
        for (at, (u, v)) in graph.arcs().enumerate() {
            for column in 0..x.columns() {
                let weight = weights.map_or(1.0, |w| w[at]);
                out.row_mut(u as usize)[column] += weight * x.row(v as usize)[column];
            }
        }
        out
    }

    proptest! {
        #[test]
        fn sums_match_the_textbook(
            edges in prop::collection::vec((0u32..30, 0u32..30), 0..120),
            columns in 0usize..150,
            seed in 0usize..99,
        ) {
            let (graph, _) =
                GraphBuilder::new(30, Direction::Directed).edges(edges).build().unwrap();
            let x = filled(30, columns, seed);
            let weights: Vec<f32> = (0..graph.arc_count()).map(|i| (i % 9) as f32 / 4.0).collect();
            let mut out = filled(30, columns, 3);
            aggregate(&graph, ArcWeights::Ones, &x, &mut out);
            prop_assert_eq!(&out, &naive(&graph, None, &x));
            aggregate(&graph, ArcWeights::PerArc(&weights), &x, &mut out);
            let sums = naive(&graph, Some(&weights), &x);
            prop_assert_eq!(&out, &sums);
            let base = filled(30, columns, seed + 1);
            let (weights, x) = (ArcWeights::PerArc(&weights), (0.5, &x));
            aggregate_and_add(&graph, weights, x, (2.0, &base), &mut out);
            for (at, value) in out.values().iter().enumerate() {
                prop_assert_eq!(*value, 2.0 * base.values()[at] + 0.5 * sums.values()[at]);
            }
        }
    }

    /// More neighbours than are read side by side, in rows that fit the registers and in wider ones.
    #[test]
    fn hubs_match_the_textbook() {
        let edges = (1..43u32).map(|leaf| (0, leaf));
        let (graph, _) = GraphBuilder::new(43, Direction::Undirected).edges(edges).build().unwrap();
        for columns in [1, 8, 63, 64, 65, 100, 128, 131] {
            let (x, mut out) = (filled(43, columns, 1), filled(43, columns, 2));
            aggregate(&graph, ArcWeights::Ones, &x, &mut out);
            assert_eq!(out, naive(&graph, None, &x));
        }
    }

    #[test]
    fn blocks_cover_all_rows_once_and_share_the_work() {
        let edges = (0..20_000u32).flat_map(|u| (1..4).map(move |k| (u, (u + k) % 20_000)));
        let (graph, _) =
            GraphBuilder::new(20_000, Direction::Directed).edges(edges).build().unwrap();
        let blocks = CompressedRows::of_graph(&graph, ArcWeights::Ones).blocks();
        assert_eq!(blocks.len(), 80_000usize.div_ceil(BLOCK_WORK));
        assert_eq!(blocks.iter().map(Range::len).sum::<usize>(), 20_000);
        assert!(blocks.windows(2).all(|pair| pair[0].end == pair[1].start));
    }

    #[test]
    fn same_bytes_for_any_number_of_threads() {
        let edges = (0..9_000u32).flat_map(|u| (1..4).map(move |k| (u, (u * k + 7) % 9_000)));
        let (graph, _) =
            GraphBuilder::new(9_000, Direction::Directed).edges(edges).build().unwrap();
        let x = filled(9_000, 70, 1);
        let weights: Vec<f32> = (0..graph.arc_count()).map(|i| 1.0 / (3 + i % 7) as f32).collect();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut out = DenseMatrix::zeros(9_000, 70);
            pool.install(|| aggregate(&graph, ArcWeights::PerArc(&weights), &x, &mut out));
            out
        };
        let one = on(1);
        assert_eq!(one, on(2));
        assert_eq!(one, on(3));
    }

    #[test]
    fn the_largest_magnitude_is_found_wherever_it_is() {
        for length in 0..40 {
            for at in 0..length {
                let mut values = vec![0.5f32; length];
                values[at] = -3.0;
                assert_eq!(max_abs(&values), 3.0);
            }
        }
        assert_eq!(max_abs(&[]), 0.0);
    }
}
