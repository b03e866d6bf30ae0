//! Power iteration in blocks of columns.
//!
//! # Same bytes
//! The rounds of all columns end together: with a tolerance, when the error of *all* columns is small enough. A block
//! alone is finished earlier; it is kept with its last term, and goes on to the number of rounds that the slowest block
//! needed, so far as its own error tells (an error never grows, see
//! [`operator`](crate::learn::propagate::operator)). Where the norm is a maximum that is the end. On directed graphs it
//! is a sum over all columns, larger than that of any block: then all blocks go on, a round at a time, until the sum is
//! small enough.

use std::ops::Range;
use std::path::Path;

use super::finished::{FinishedBlocks, job_hash};
use super::rounds::{ColumnBlock, ColumnSource, WalkGraph};
use crate::data::formats::Spill;
use crate::data::scratch::{DenseScratch, graph_with_loops};
use crate::graph::{DenseMatrix, FeatureMatrix, Graph};
use crate::learn::propagate::{
    AddedLoops, IterationProgress, Power, PropagatedRows, Propagation, Rounds, RowNorms,
};
use crate::{Error, Result};

/// How much memory may be used, and where to keep what is finished.
#[derive(Debug, Clone, Copy)]
pub struct MemoryBudget<'a> {
    /// The most memory to use, and a folder for what does not fit.
    pub spill: &'a Spill,
    /// A folder for finished blocks: an interrupted run goes on there. It is removed in the end.
    pub checkpoint: Option<&'a Path>,
}

/// How far blocks of columns have come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockProgress {
    /// The block that is being worked on, from 0.
    pub block: usize,
    /// How many there are.
    pub blocks: usize,
    /// Rounds done on it, and its error.
    pub round: IterationProgress,
}

/// Bytes that a process needs before it holds anything.
const BASE: u64 = 24 << 20;
/// Bytes of all stretches of rows that are in memory at a time.
const STRETCHES: u64 = 12 << 20;
/// Bytes a node beside columns: two powers of its degree, and where its row begins.
const PER_NODE: u64 = 20;
/// Bytes a node and column: the term, the next term, the sum.
const PER_CELL: u64 = 12;

/// How many columns of so many nodes can be worked on at a time in so many bytes.
///
/// # Errors
/// If not even one: the message says how much that takes.
pub fn columns_that_fit(memory: u64, nodes: usize, columns: usize) -> Result<usize> {
    // What is needed whatever the width: the program, a stretch of the graph, and scales of the
    // nodes.
    let fixed = BASE + STRETCHES + PER_NODE * nodes as u64;
    let per_column = (PER_CELL * nodes as u64).max(1);
    let fit = (memory.saturating_sub(fixed) / per_column) as usize;
    if fit == 0 && columns > 0 {
        let least = (fixed + per_column).div_ceil(1 << 20);
        return Err(Error::invalid("memory", memory, format!("at least {least}M")));
    }
    let blocks = columns.div_ceil(fit.max(1)).max(1);
    // Even blocks: the last one is not a sliver that costs a whole pass over the graph.
    let even = columns.div_ceil(blocks);
    // Whole vector registers, where there is room for them.
    let whole = even.next_multiple_of(8);
    Ok(if whole <= fit { whole } else { even })
}

/// Propagates features in as much memory as is allowed. The embedding lies in a file without a name, which is gone when
/// no other process uses it any more. `watch` is told of every round, and answers whether to go on.
///
/// # Errors
/// If one column does not fit, the features do not fit the graph, a setting makes no sense, the iteration does not
/// converge or is interrupted, or the disk refuses.
pub fn propagate(
    bounded: &MemoryBudget<'_>,
    propagation: &Propagation,
    power: &Power,
    graph: &Graph,
    x: &FeatureMatrix,
    mut watch: impl FnMut(BlockProgress) -> bool,
) -> Result<PropagatedRows> {
    power.check()?;
    let looped;
    let (graph, propagation) = match propagation.self_loops {
        AddedLoops::None => (graph, *propagation),
        AddedLoops::All => {
            looped = graph_with_loops(graph, bounded.spill)?;
            (&looped, Propagation { self_loops: AddedLoops::None, ..*propagation })
        }
    };
    let (rows, columns) = shape(x);
    if rows != graph.node_count() {
        let expected = format!("{} (one per node)", graph.node_count());
        return Err(Error::invalid("rows of features", rows, expected));
    }
    let width = columns_that_fit(bounded.spill.memory, rows, columns)?;
    let walk = WalkGraph::new(&propagation, graph)?;
    // What the bytes of a block depend on; a checkpoint of other settings is not taken.
    let settings = format!("{propagation:?} {power:?} {width}");
    let finished = match bounded.checkpoint {
        Some(folder) => Some(FinishedBlocks::new(folder, job_hash(&settings, graph, x))?),
        None => None,
    };
    let blocks = BlockTable { walk, power, x, ranges: ranges(columns, width), finished };
    let done = blocks.all(bounded.spill, &mut watch)?;
    let norm = blocks.walk.scales.error_norm();
    let error_bound = blocks.walk.scales.bound(done.measured);
    let embedding = blocks.side_by_side(done.sums, bounded.spill)?;
    if let Some(finished) = blocks.finished {
        finished.remove(blocks.ranges.len());
    }
    Ok(PropagatedRows { embedding, rounds: done.rounds, error_bound, norm })
}

fn shape(x: &FeatureMatrix) -> (usize, usize) {
    match x {
        FeatureMatrix::Dense(x) => (x.rows(), x.columns()),
        FeatureMatrix::Sparse(x) => (x.rows(), x.columns()),
    }
}

fn ranges(columns: usize, width: usize) -> Vec<Range<usize>> {
    let width = width.max(1);
    (0..columns).step_by(width).map(|start| start..(start + width).min(columns)).collect()
}

struct BlockTable<'a> {
    walk: WalkGraph<'a>,
    power: &'a Power,
    x: &'a FeatureMatrix,
    ranges: Vec<Range<usize>>,
    finished: Option<FinishedBlocks>,
}

struct Done {
    sums: Vec<DenseMatrix>,
    rounds: usize,
    measured: RowNorms,
}

/// What is remembered of a block that lies on disk.
struct StoredBlock {
    sum: DenseMatrix,
    term: Option<DenseMatrix>,
    rounds: usize,
    measured: RowNorms,
}

impl BlockTable<'_> {
    fn all(&self, spill: &Spill, watch: &mut impl FnMut(BlockProgress) -> bool) -> Result<Done> {
        let mut stored = Vec::new();
        for number in 0..self.ranges.len() {
            let block = self.one(number, watch)?;
            stored.push(self.stored(block, spill)?);
        }
        // All columns end after the same number of rounds, as in memory.
        let mut rounds = stored.iter().map(|block| block.rounds).max().unwrap_or(0);
        let measured = loop {
            for (number, block) in stored.iter_mut().enumerate() {
                if block.rounds < rounds {
                    self.catch_up((number, rounds), block, spill, watch)?;
                }
            }
            // The error of all columns together, which may exceed that of each block.
            let all = stored.iter().fold(RowNorms::default(), |all, block| all.and(block.measured));
            let error_bound = self.walk.scales.bound(all);
            if stored.is_empty()
                || self.power.finished(IterationProgress { done: rounds, error_bound })?
            {
                break all;
            }
            rounds += 1;
        };
        Ok(Done { sums: stored.into_iter().map(|block| block.sum).collect(), rounds, measured })
    }

    /// One block, until it would be finished if it were alone.
    fn one(
        &self,
        number: usize,
        watch: &mut impl FnMut(BlockProgress) -> bool,
    ) -> Result<ColumnBlock> {
        let range = self.ranges[number].clone();
        let rows = self.walk.scales.node_count();
        let kept = self.finished.as_ref().and_then(|f| f.load(number, (rows, range.len())));
        if let Some(block) = kept {
            return Ok(block);
        }
        let sparse = match self.x {
            FeatureMatrix::Sparse(x) => self.power.keeps_sparse(x),
            FeatureMatrix::Dense(_) => false,
        };
        let columns = ColumnSource::of(self.x, range)?;
        // Sparse features make their first hop as they are, unless there is none to make.
        let first = self.walk.measure(&columns);
        let error_bound = self.walk.scales.bound(first);
        let stops = self.power.finished(IterationProgress { done: 0, error_bound })?;
        let mut block = self.walk.begin(columns, first, sparse && !stops);
        let mut next = DenseMatrix::zeros(0, 0);
        while !self.power.finished(self.state(&block))? {
            self.walk.round(&mut block, &mut next);
            self.tell(number, &block, watch)?;
        }
        if let Some(finished) = &self.finished {
            finished.keep(number, &block)?;
        }
        Ok(block)
    }

    fn state(&self, block: &ColumnBlock) -> IterationProgress {
        IterationProgress { done: block.done, error_bound: self.walk.scales.bound(block.measured) }
    }

    fn tell(
        &self,
        number: usize,
        block: &ColumnBlock,
        watch: &mut impl FnMut(BlockProgress) -> bool,
    ) -> Result<()> {
        let (blocks, round) = (self.ranges.len(), self.state(block));
        match watch(BlockProgress { block: number, blocks, round }) {
            true => Ok(()),
            false => Err(crate::learn::Error::Interrupted.into()),
        }
    }

    /// Puts a block on disk; its last term too, if it may have to go on.
    fn stored(&self, block: ColumnBlock, spill: &Spill) -> Result<StoredBlock> {
        let goes_on = matches!(self.power.rounds, Rounds::Residual(_)) && self.ranges.len() > 1;
        let ColumnBlock { term, sum, done: rounds, measured } = block;
        // The only block stays in memory.
        if self.ranges.len() == 1 {
            return Ok(StoredBlock { sum, term: None, rounds, measured });
        }
        // Without a last term a block cannot go on, and with a fixed number of rounds none has to.
        let term = if goes_on { Some(on_disk(&term, spill)?) } else { None };
        Ok(StoredBlock { sum: on_disk(&sum, spill)?, term, rounds, measured })
    }

    /// Goes on with a block that was finished before others were.
    fn catch_up(
        &self,
        (number, rounds): (usize, usize),
        stored: &mut StoredBlock,
        spill: &Spill,
        watch: &mut impl FnMut(BlockProgress) -> bool,
    ) -> Result<()> {
        let Some(term) = stored.term.take() else { return Ok(()) };
        // Out of the file: rounds write to it.
        let copy = |matrix: &DenseMatrix| {
            let mut own = DenseMatrix::zeros(matrix.rows(), matrix.columns());
            own.values_mut().copy_from_slice(matrix.values());
            matrix.release(0..matrix.rows());
            own
        };
        let (term, sum) = (copy(&term), copy(&stored.sum));
        let mut block = ColumnBlock { term, sum, done: stored.rounds, measured: stored.measured };
        let mut next = DenseMatrix::zeros(0, 0);
        while block.done < rounds {
            self.walk.round(&mut block, &mut next);
            self.tell(number, &block, watch)?;
        }
        stored.sum = on_disk(&block.sum, spill)?;
        stored.term = Some(on_disk(&block.term, spill)?);
        (stored.rounds, stored.measured) = (block.done, block.measured);
        Ok(())
    }

    /// The blocks as one matrix, row by row.
    fn side_by_side(&self, mut sums: Vec<DenseMatrix>, spill: &Spill) -> Result<DenseMatrix> {
        if sums.len() == 1 {
            return Ok(sums.remove(0));
        }
        let (rows, columns) = shape(self.x);
        let mut out = DenseScratch::new(spill, columns)?;
        let mut row = Vec::with_capacity(columns);
        for at in 0..rows {
            row.clear();
            // One pass over all blocks, row by row: the result is written in order.
            sums.iter().for_each(|sum| row.extend_from_slice(sum.row(at)));
            out.push(&row)?;
            if at % 4096 == 4095 {
                sums.iter().for_each(|sum| sum.release(at + 1 - 4096..at + 1));
            }
        }
        Ok(out.finish()?)
    }
}

fn on_disk(matrix: &DenseMatrix, spill: &Spill) -> Result<DenseMatrix> {
    let mut out = DenseScratch::new(spill, matrix.columns())?;
    out.push(matrix.values())?;
    Ok(out.finish()?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::{Direction, GraphBuilder, SparseBuilder};

    fn features(rows: usize, columns: usize, sparse: bool) -> FeatureMatrix {
        // Columns of very different sizes, so that blocks need different numbers of rounds.
        let value = |row: usize, column: usize| {
            ((row * 31 + column * 17) % 13) as f32 / 7.0 * 10f32.powi(-((column / 2) as i32))
        };
        if sparse {
            let mut builder = SparseBuilder::new(columns);
            for row in 0..rows {
                let mut entries = [(row % columns, 1), ((row * 3 + 1) % columns, 2)]
                    .map(|(column, k)| (column as u32, value(row, column) + k as f32 * 1e-3));
                let entries =
                    if entries[0].0 == entries[1].0 { &mut entries[..1] } else { &mut entries[..] };
                builder.push_row(entries).unwrap();
            }
            return FeatureMatrix::Sparse(builder.finish());
        }
        let values = (0..rows * columns).map(|at| value(at / columns, at % columns)).collect();
        FeatureMatrix::Dense(DenseMatrix::new(rows, columns, values).unwrap())
    }

    fn graph(directed: bool, seed: u32) -> Graph {
        let direction = if directed { Direction::Directed } else { Direction::Undirected };
        let edges = (0..60u32).flat_map(|u| (1..4).map(move |k| (u, (u * k + seed) % 60)));
        GraphBuilder::new(60, direction).edges(edges).build().unwrap().0
    }

    /// Little enough for this many columns at a time.
    fn memory_for(columns: u64) -> u64 {
        BASE + STRETCHES + 60 * (PER_NODE + PER_CELL * columns)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// However few columns fit: the bytes of all at once.
        #[test]
        fn blocks_are_the_whole(
            (directed, sparse, loops) in any::<(bool, bool, bool)>(),
            seed in 0u32..50,
            (at_a_time, columns) in (1u64..9, 1usize..20),
            rounds in prop::option::of(0usize..6),
        ) {
            let (graph, x) = (graph(directed, seed), features(60, columns, sparse));
            let self_loops = if loops { AddedLoops::All } else { AddedLoops::None };
            let propagation = Propagation { exponent: 0.3, self_loops, ..Propagation::default() };
            let rounds = rounds.map_or(Rounds::Residual(1e-4), Rounds::Exactly);
            let power = Power { rounds, ..Power::default() };
            let whole = power.run(&propagation.on(&graph).unwrap(), x.clone()).unwrap();
            let folder = tempfile::tempdir().unwrap();
            let spill = Spill { folder: folder.path().into(), memory: memory_for(at_a_time) };
            let bounded = MemoryBudget { spill: &spill, checkpoint: None };
            let found = propagate(&bounded, &propagation, &power, &graph, &x, |_| true).unwrap();
            prop_assert_eq!(&found.embedding, &whole.embedding);
            prop_assert_eq!(found.rounds, whole.rounds);
            prop_assert!((found.error_bound - whole.error_bound).abs() <= 1e-9 * whole.error_bound);
        }
    }

    /// On directed graphs the error of all columns together is larger than that of any block, and takes more rounds.
    #[test]
    fn directed_blocks_end_when_all_of_them_are_exact_enough() {
        let (graph, x) = (graph(true, 1), features(60, 16, false));
        let (propagation, power) = (Propagation::default(), Power::default());
        let rounds =
            |x: FeatureMatrix| power.run(&propagation.on(&graph).unwrap(), x).unwrap().rounds;
        let folder = tempfile::tempdir().unwrap();
        let spill = Spill { folder: folder.path().into(), memory: memory_for(1) };
        let bounded = MemoryBudget { spill: &spill, checkpoint: None };
        let found = propagate(&bounded, &propagation, &power, &graph, &x, |_| true).unwrap();
        let whole = power.run(&propagation.on(&graph).unwrap(), x.clone()).unwrap();
        assert_eq!((&found.embedding, found.rounds), (&whole.embedding, whole.rounds));
        let FeatureMatrix::Dense(x) = x else { unreachable!() };
        let column = |at: usize| (0..60).map(|row| x.row(row)[at]).collect();
        let alone = (0..16)
            .map(|at| rounds(FeatureMatrix::Dense(DenseMatrix::new(60, 1, column(at)).unwrap())));
        assert!(alone.max() < Some(whole.rounds), "no column alone takes so many");
    }

    /// Interrupted after every round in turn: a resumed run ends with the same bytes, and leaves nothing behind.
    #[test]
    fn interrupted_work_goes_on() {
        let (graph, x) = (graph(false, 7), features(60, 9, false));
        let (propagation, power) = (Propagation::default(), Power::default());
        let folder = tempfile::tempdir().unwrap();
        let spill = Spill { folder: folder.path().into(), memory: memory_for(2) };
        let plain = MemoryBudget { spill: &spill, checkpoint: None };
        let mut all = 0;
        let whole = propagate(&plain, &propagation, &power, &graph, &x, |_| {
            all += 1;
            true
        });
        let whole = whole.unwrap();
        for stop in (1..all).step_by(7) {
            let work = folder.path().join("work");
            let bounded = MemoryBudget { spill: &spill, checkpoint: Some(&work) };
            let mut left = stop;
            let ended = propagate(&bounded, &propagation, &power, &graph, &x, |_| {
                left -= 1;
                left > 0
            });
            assert!(ended.is_err());
            let mut again = 0;
            let found = propagate(&bounded, &propagation, &power, &graph, &x, |_| {
                again += 1;
                true
            });
            assert_eq!(found.unwrap(), whole);
            assert!(again <= all, "{stop}: {again} of {all}");
            // By then a block was finished, and is not made again.
            assert!(2 * stop < all || again < all, "{stop}: {again} of {all}");
            assert!(!work.exists());
        }
    }

    /// A finished block that was cut at any byte, or is of another job, is made again.
    #[test]
    fn damaged_blocks_are_made_again() {
        let (graph, x) = (graph(true, 3), features(60, 4, false));
        let power = Power { rounds: Rounds::Exactly(3), ..Power::default() };
        let folder = tempfile::tempdir().unwrap();
        let spill = Spill { folder: folder.path().into(), memory: memory_for(2) };
        let work = folder.path().join("work");
        let bounded = MemoryBudget { spill: &spill, checkpoint: Some(&work) };
        let propagation = Propagation::default();
        let run = |alpha: f64, last: usize| {
            let propagation = Propagation { alpha, ..propagation };
            let mut rounds = 0;
            let found = propagate(&bounded, &propagation, &power, &graph, &x, |_| {
                rounds += 1;
                rounds < last
            });
            (found, rounds)
        };
        let whole = run(0.15, usize::MAX).0.unwrap();
        assert!(run(0.15, 4).0.is_err());
        let block = work.join("block-00000");
        let bytes = std::fs::read(&block).unwrap();
        for length in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
            std::fs::write(&block, &bytes[..length]).unwrap();
            let (found, rounds) = run(0.15, usize::MAX);
            assert_eq!((found.unwrap(), rounds), (whole.clone(), 6), "cut at {length}");
            assert!(run(0.15, 4).0.is_err());
        }
        let mut changed = bytes.clone();
        changed[200] ^= 1;
        std::fs::write(&block, changed).unwrap();
        assert_eq!(run(0.15, usize::MAX).1, 6);
        assert!(run(0.15, 4).0.is_err());
        assert_eq!(run(0.2, usize::MAX).1, 6, "another alpha is another job");
        std::fs::create_dir_all(&work).unwrap();
        std::fs::write(&block, &bytes).unwrap();
        assert_eq!(run(0.15, usize::MAX).1, 3, "an undamaged block is not made again");
    }

    #[test]
    fn too_little_memory_is_said_with_how_much_it_takes() {
        let told = columns_that_fit(1 << 20, 1_000_000, 8).unwrap_err().to_string();
        assert!(told.contains("at least 67M"), "{told}");
        assert_eq!(columns_that_fit(1 << 40, 1000, 500).unwrap(), 504);
        assert_eq!(columns_that_fit(memory_for(7), 60, 20).unwrap(), 7);
        assert_eq!(columns_that_fit(memory_for(16), 60, 20).unwrap(), 16);
    }
}
