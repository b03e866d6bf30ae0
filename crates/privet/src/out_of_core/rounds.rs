//! Rounds on a block of columns, over a graph that is walked through a stretch of rows at a time.

use std::ops::Range;

use crate::Result;
use crate::graph::{DenseMatrix, FeatureMatrix, Graph, SparseBuilder, SparseMatrix};
use crate::learn::propagate::{NodeScales, Propagation, PropagationPart, RowNorms};

/// Arcs of a stretch: enough for all threads, little beside a column.
const STRETCH_ARCS: usize = 1 << 20;

/// A graph with what propagation needs to know of it.
pub(super) struct WalkGraph<'a> {
    graph: &'a Graph,
    pub scales: NodeScales,
    stretches: Vec<Range<usize>>,
}

/// A block of columns on its way.
pub(super) struct ColumnBlock {
    pub term: DenseMatrix,
    pub sum: DenseMatrix,
    pub done: usize,
    pub measured: RowNorms,
}

impl<'a> WalkGraph<'a> {
    pub fn new(propagation: &Propagation, graph: &'a Graph) -> Result<Self> {
        let scales = NodeScales::of(propagation, graph)?;
        Ok(Self { graph, scales, stretches: stretches(graph) })
    }

    /// The columns as they are and measure, no round done; or after the first hop, if they make it sparse.
    pub fn begin(&self, columns: ColumnSource, measured: RowNorms, sparse: bool) -> ColumnBlock {
        match columns {
            ColumnSource::Sparse(x) if sparse => self.first_hop(&x),
            columns => {
                let term = match columns {
                    ColumnSource::Dense(x) => x,
                    ColumnSource::Sparse(x) => x.to_dense(),
                };
                let mut sum = term.clone();
                // What is kept of the first term does not depend on arcs.
                let no_arcs = PropagationPart::new(self.scales.alpha(), &[0], (&[], &[]), None);
                no_arcs.start(sum.values_mut());
                ColumnBlock { term, sum, done: 0, measured }
            }
        }
    }

    /// The size of columns before any round.
    pub fn measure(&self, columns: &ColumnSource) -> RowNorms {
        self.each_part(|part, rows| match columns {
            ColumnSource::Dense(x) => part.measure(values(x, &rows), x.columns()),
            ColumnSource::Sparse(x) => part.measure_sparse(x, rows.start),
        })
    }

    fn first_hop(&self, x: &SparseMatrix) -> ColumnBlock {
        let zeros = || DenseMatrix::zeros(x.rows(), x.columns());
        let (mut term, mut sum) = (zeros(), zeros());
        let width = x.columns();
        let measured = self.each_part(|part, rows| {
            let place = rows.start * width..rows.end * width;
            let term = &mut term.values_mut()[place.clone()];
            part.first_hop(x, rows.start, term, &mut sum.values_mut()[place]);
            part.measure(term, width)
        });
        ColumnBlock { term, sum, done: 1, measured }
    }

    /// One more round; `next` is memory to work in.
    pub fn round(&self, block: &mut ColumnBlock, next: &mut DenseMatrix) {
        let width = block.term.columns();
        if next.rows() != block.term.rows() || next.columns() != width {
            *next = DenseMatrix::zeros(block.term.rows(), width);
        }
        let (term, sum) = (&block.term, &mut block.sum);
        let measured = self.each_part(|part, rows| {
            let place = rows.start * width..rows.end * width;
            let next = &mut next.values_mut()[place.clone()];
            part.round(term.values(), width, next, &mut sum.values_mut()[place])
        });
        std::mem::swap(&mut block.term, next);
        block.done += 1;
        block.measured = measured;
    }

    /// Goes through all rows, and gives each stretch back when it is done.
    fn each_part(
        &self,
        mut each: impl FnMut(PropagationPart<'_>, Range<usize>) -> RowNorms,
    ) -> RowNorms {
        let (mut from_zero, mut weights) = (Vec::new(), Vec::new());
        let mut all = RowNorms::default();
        for rows in &self.stretches {
            let offsets = &self.graph.offsets()[rows.start..=rows.end];
            let targets = &self.graph.targets()[offsets[0]..offsets[rows.len()]];
            self.scales.weigh(offsets, targets, &mut weights);
            from_zero.clear();
            // Each stretch is a graph of its own, whose arcs count from 0.
            from_zero.extend(offsets.iter().map(|at| at - offsets[0]));
            let errors = self.scales.errors(rows.clone());
            let part =
                PropagationPart::new(self.scales.alpha(), &from_zero, (targets, &weights), errors);
            all = all.and(each(part, rows.clone()));
            // Read arcs go back to the system: memory holds one stretch at a time.
            self.graph.release(rows.clone());
        }
        all
    }
}

fn values<'m>(matrix: &'m DenseMatrix, rows: &Range<usize>) -> &'m [f32] {
    &matrix.values()[rows.start * matrix.columns()..rows.end * matrix.columns()]
}

fn stretches(graph: &Graph) -> Vec<Range<usize>> {
    let (offsets, mut start) = (graph.offsets(), 0);
    let mut stretches = Vec::new();
    for row in 0..graph.node_count() {
        let last = row + 1 == graph.node_count();
        // Rows count too, so that a stretch of isolated nodes ends.
        if last || offsets[row + 1] - offsets[start] + (row - start) >= STRETCH_ARCS {
            stretches.push(start..row + 1);
            start = row + 1;
        }
    }
    stretches
}

/// Some columns of a feature matrix.
pub(super) enum ColumnSource {
    Dense(DenseMatrix),
    Sparse(SparseMatrix),
}

/// Rows between two releases.
const STRETCH_ROWS: usize = 1 << 12;

impl ColumnSource {
    /// Copies them out, giving back what has been read.
    pub fn of(x: &FeatureMatrix, columns: Range<usize>) -> Result<Self> {
        match x {
            FeatureMatrix::Dense(x) => {
                let mut block = DenseMatrix::zeros(x.rows(), columns.len());
                for row in 0..x.rows() {
                    block.row_mut(row).copy_from_slice(&x.row(row)[columns.clone()]);
                    // Pages that were read are given back.
                    if row % STRETCH_ROWS == STRETCH_ROWS - 1 {
                        x.release(row + 1 - STRETCH_ROWS..row + 1);
                    }
                }
                Ok(Self::Dense(block))
            }
            FeatureMatrix::Sparse(x) => {
                let mut block = SparseBuilder::new(columns.len());
                let mut entries = Vec::new();
                for row in 0..x.rows() {
                    let (indices, values) = x.row(row);
                    // Indices are sorted: the block's columns are one run of them.
                    let at = |column: usize| indices.partition_point(|&i| (i as usize) < column);
                    let (from, to) = (at(columns.start), at(columns.end));
                    entries.clear();
                    let moved = indices[from..to].iter().map(|&i| i - columns.start as u32);
                    entries.extend(moved.zip(values[from..to].iter().copied()));
                    block.push_row(&mut entries)?;
                    if row % STRETCH_ROWS == STRETCH_ROWS - 1 {
                        x.release(row + 1 - STRETCH_ROWS..row + 1);
                    }
                }
                Ok(Self::Sparse(block.finish()))
            }
        }
    }
}
