//! Matrices and graphs that are made row by row on disk, and read there: what a program makes when it does not fit into
//! memory. They lie in files without names, which the system removes when they are closed.

use std::fs::File;
use std::io::{BufWriter, Write};

use bytemuck::Pod;

use crate::formats::Spill;
use crate::formats::external_sort::ArcSorter;
use crate::formats::mapped::Mapped;
use crate::{
    BuildReport, DenseMatrix, Direction, Error, FeatureMatrix, Graph, NodeId, Result, SelfLoops,
    SharedSlice, SourceLocation, SparseMatrix,
};

/// An array that is being written.
struct ArrayFile {
    place: SourceLocation,
    out: BufWriter<File>,
    length: usize,
}

impl ArrayFile {
    fn new(spill: &Spill) -> Result<Self> {
        let place = SourceLocation::file(spill.folder.display().to_string());
        let file = spill.file().map_err(|error| place.io(error))?;
        Ok(Self { place, out: BufWriter::with_capacity(1 << 18, file), length: 0 })
    }

    fn push<T: Pod>(&mut self, numbers: &[T]) -> Result<()> {
        self.length += numbers.len();
        self.out.write_all(bytemuck::cast_slice(numbers)).map_err(|error| self.place.io(error))
    }

    fn finish<T: Pod + Send + Sync>(mut self) -> Result<SharedSlice<T>> {
        self.out.flush().map_err(|error| self.place.io(error))?;
        let mapped = Mapped::new(self.out.get_ref()).map_err(|error| self.place.io(error))?;
        Ok(mapped)
    }
}

/// A dense matrix, row by row.
///
/// ```
/// use privet_data::{formats::Spill, scratch::DenseScratch};
/// let mut rows = DenseScratch::new(&Spill::within(1 << 20), 2)?;
/// rows.push(&[1.0, 2.0])?;
/// rows.push(&[3.0, 4.0, 5.0, 6.0])?;
/// let matrix = rows.finish()?;
/// assert_eq!((matrix.rows(), matrix.row(2)), (3, &[5.0, 6.0][..]));
/// # Ok::<(), privet_graph::Error>(())
/// ```
pub struct DenseScratch {
    columns: usize,
    values: ArrayFile,
}

impl DenseScratch {
    /// A matrix without rows yet.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn new(spill: &Spill, columns: usize) -> Result<Self> {
        Ok(Self { columns, values: ArrayFile::new(spill)? })
    }

    /// Adds rows, one after the other.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn push(&mut self, rows: &[f32]) -> Result<()> {
        self.values.push(rows)
    }

    /// The matrix.
    ///
    /// # Errors
    /// If the last row is not complete, a value is not finite, or the disk refuses.
    pub fn finish(self) -> Result<DenseMatrix> {
        let rows = self.values.length / self.columns.max(1);
        DenseMatrix::shared(rows, self.columns, self.values.finish()?)
    }
}

/// A sparse matrix, row by row.
pub struct SparseScratch {
    columns: usize,
    offsets: ArrayFile,
    indices: ArrayFile,
    values: ArrayFile,
}

impl SparseScratch {
    /// A matrix without rows yet.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn new(spill: &Spill, columns: usize) -> Result<Self> {
        let mut offsets = ArrayFile::new(spill)?;
        offsets.push(&[0u64])?;
        Ok(Self {
            columns,
            offsets,
            indices: ArrayFile::new(spill)?,
            values: ArrayFile::new(spill)?,
        })
    }

    /// Adds the rows of a matrix.
    ///
    /// # Errors
    /// If it has other columns, or the disk refuses.
    pub fn push(&mut self, rows: &SparseMatrix) -> Result<()> {
        if rows.columns() != self.columns {
            return Err(Error::invalid("columns", rows.columns(), self.columns.to_string()));
        }
        let before = self.indices.length as u64;
        // Offsets of a block begin at 0; in the file they go on from where the last block ended.
        let ends = rows.offsets()[1..].iter().map(|&end| before + end as u64);
        self.offsets.push(&ends.collect::<Vec<_>>())?;
        self.indices.push(rows.indices())?;
        self.values.push(rows.values())
    }

    /// The matrix.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn finish(self) -> Result<SparseMatrix> {
        let (offsets, indices) = (self.offsets.finish()?, self.indices.finish()?);
        SparseMatrix::held(self.columns, offsets, indices, self.values.finish()?)
    }
}

/// Rows that are dense or sparse, as the first of them are.
pub struct FeatureScratch<'s> {
    spill: &'s Spill,
    rows: Option<ScratchRows>,
}

enum ScratchRows {
    Dense(DenseScratch),
    Sparse(SparseScratch),
}

impl<'s> FeatureScratch<'s> {
    /// A matrix without rows yet.
    pub fn new(spill: &'s Spill) -> Self {
        Self { spill, rows: None }
    }

    /// Adds the rows of a matrix.
    ///
    /// # Errors
    /// If it has other columns than the first, is dense where that was sparse, or the disk refuses.
    pub fn push(&mut self, rows: &FeatureMatrix) -> Result<()> {
        if self.rows.is_none() {
            self.rows = Some(match rows {
                FeatureMatrix::Dense(m) => {
                    ScratchRows::Dense(DenseScratch::new(self.spill, m.columns())?)
                }
                FeatureMatrix::Sparse(m) => {
                    ScratchRows::Sparse(SparseScratch::new(self.spill, m.columns())?)
                }
            });
        }
        match (&mut self.rows, rows) {
            (Some(ScratchRows::Dense(all)), FeatureMatrix::Dense(rows)) => all.push(rows.values()),
            (Some(ScratchRows::Sparse(all)), FeatureMatrix::Sparse(rows)) => all.push(rows),
            _ => Err(Error::invalid("rows", "dense and sparse ones", "one kind")),
        }
    }

    /// The matrix.
    ///
    /// # Errors
    /// If there are no rows, or the disk refuses.
    pub fn finish(self) -> Result<FeatureMatrix> {
        match self.rows {
            None => Err(Error::invalid("rows", "none", "at least one")),
            Some(ScratchRows::Dense(rows)) => Ok(FeatureMatrix::Dense(rows.finish()?)),
            Some(ScratchRows::Sparse(rows)) => Ok(FeatureMatrix::Sparse(rows.finish()?)),
        }
    }
}

/// A graph, pair by pair, in any order.
///
/// ```
/// use privet_data::{formats::Spill, scratch::GraphScratch};
/// use privet_graph::{Direction, SelfLoops};
/// let spill = Spill::within(1 << 20);
/// let mut pairs = GraphScratch::new(&spill, 3, Direction::Undirected, SelfLoops::Drop)?;
/// for pair in [[2, 0], [0, 2], [1, 1]] {
///     pairs.push(pair)?;
/// }
/// let (graph, report) = pairs.finish()?;
/// assert_eq!((graph.neighbors(0), report.duplicates, report.self_loops), (&[2][..], 1, 1));
/// # Ok::<(), privet_graph::Error>(())
/// ```
pub struct GraphScratch(ArcSorter);

impl GraphScratch {
    /// A graph without edges yet.
    ///
    /// # Errors
    /// If there are more nodes than 32 bits count.
    pub fn new(
        spill: &Spill,
        node_count: usize,
        direction: Direction,
        self_loops: SelfLoops,
    ) -> Result<Self> {
        Ok(Self(ArcSorter::new(spill.clone(), node_count, direction, self_loops)?))
    }

    /// Adds a pair.
    ///
    /// # Errors
    /// If it names a node that is not there, or the disk refuses.
    #[inline]
    pub fn push(&mut self, pair: [NodeId; 2]) -> Result<()> {
        self.0.push(pair)
    }

    /// The graph.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn finish(self) -> Result<(Graph, BuildReport)> {
        self.0.finish()
    }
}

/// The graph with an edge from every node to itself.
///
/// # Errors
/// If the disk refuses.
pub fn graph_with_loops(graph: &Graph, spill: &Spill) -> Result<Graph> {
    let (nodes, direction) = (graph.node_count(), graph.direction());
    let mut pairs = GraphScratch::new(spill, nodes, direction, SelfLoops::Keep)?;
    for (row, node) in graph.nodes().enumerate() {
        pairs.push([node, node])?;
        let targets = graph.neighbors(node).iter();
        // An undirected edge stands in both rows and is pushed once; loops are added above for all nodes alike.
        let once = targets.filter(|&&v| direction == Direction::Directed || node < v);
        once.into_iter().try_for_each(|&v| pairs.push([node, v]))?;
        if row % 4096 == 4095 {
            graph.release(row + 1 - 4096..row + 1);
        }
    }
    Ok(pairs.finish()?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GraphBuilder, SparseBuilder};

    #[test]
    fn rows_and_loops_come_back() {
        let spill = Spill::within(1 << 20);
        let mut rows = SparseBuilder::new(4);
        rows.push_row(&mut [(0, 1.0), (3, 2.0)]).unwrap();
        rows.push_row(&mut []).unwrap();
        let part = FeatureMatrix::Sparse(rows.finish());
        let mut all = FeatureScratch::new(&spill);
        all.push(&part).unwrap();
        all.push(&part).unwrap();
        let dense = FeatureMatrix::Dense(DenseMatrix::zeros(1, 4));
        assert!(all.push(&dense).is_err());
        let FeatureMatrix::Sparse(found) = all.finish().unwrap() else { panic!("dense") };
        assert_eq!(
            (found.rows(), found.row(2), found.row(3).0.len()),
            (4, (&[0, 3][..], &[1.0, 2.0][..]), 0)
        );
        assert!(FeatureScratch::new(&spill).finish().is_err());

        for direction in [Direction::Directed, Direction::Undirected] {
            let edges = [(0, 1), (1, 2), (2, 2)];
            let builder = GraphBuilder::new(4, direction).self_loops(SelfLoops::Keep).edges(edges);
            let (graph, _) = builder.clone().build().unwrap();
            let (expected, _) = builder.edges((0..4).map(|u| (u, u))).build().unwrap();
            assert_eq!(graph_with_loops(&graph, &spill).unwrap(), expected);
        }
    }
}
