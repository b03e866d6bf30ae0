//! Propagation of matrices larger than memory, a block of columns at a time.
//!
//! Columns do not influence each other, so a block of them can be read, propagated and written while
//! the rest stays on disk. In the file each block lies in one piece, row after row, so that reading
//! or writing it is one sequential transfer; plain reads and writes do as well there as a mapped file
//! would, and need no `unsafe`. Memory: three blocks and the graph.
//!
//! With [`Rounds::Exactly`](super::Rounds) the result has the same bytes as in memory. With
//! [`Rounds::Residual`](super::Rounds) every block stops by itself: each keeps the error bound, and
//! none runs longer than it needs.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use privet_graph::{DenseMatrix, FeatureMatrix};

use super::operator::Operator;
use super::power::{Power, Round};
use crate::{Error, Result};

/// A dense matrix of 32-bit floats in a scratch file, in this machine's byte order.
#[derive(Debug)]
pub struct ColumnBlocks {
    file: File,
    path: PathBuf,
    rows: usize,
    columns: usize,
    width: usize,
}

impl ColumnBlocks {
    /// A new file of zeros.
    ///
    /// # Errors
    /// If the width is 0, the file exists already or the disk refuses.
    pub fn create(path: &Path, rows: usize, columns: usize, width: usize) -> Result<Self> {
        let mut options = OpenOptions::new();
        let blocks = Self::with(options.create_new(true), path, (rows, columns), width)?;
        blocks.file.set_len(blocks.bytes()?).map_err(|error| blocks.failed(error))?;
        Ok(blocks)
    }

    /// A file made earlier, of the same shape and width.
    ///
    /// # Errors
    /// If it cannot be opened or has another length.
    pub fn open(path: &Path, rows: usize, columns: usize, width: usize) -> Result<Self> {
        let blocks = Self::with(&mut OpenOptions::new(), path, (rows, columns), width)?;
        let found = blocks.file.metadata().map_err(|error| blocks.failed(error))?.len();
        let expected = blocks.bytes()?;
        if found != expected {
            let expected = format!("{expected}, for {rows} x {columns} floats");
            return Err(Error::invalid("bytes of a block file", found, expected));
        }
        Ok(blocks)
    }

    fn with(
        options: &mut OpenOptions,
        path: &Path,
        (rows, columns): (usize, usize),
        width: usize,
    ) -> Result<Self> {
        if width == 0 {
            return Err(Error::invalid("width of a block", width, "at least 1"));
        }
        let opened = options.read(true).write(true).open(path);
        let file =
            opened.map_err(|source| Error::Io { path: path.display().to_string(), source })?;
        Ok(Self { file, path: path.into(), rows, columns, width })
    }

    /// How many blocks there are.
    pub fn count(&self) -> usize {
        self.columns.div_ceil(self.width)
    }

    /// Reads a block.
    ///
    /// # Errors
    /// If there is no such block, the disk refuses, or a value is not finite.
    pub fn read(&self, block: usize) -> Result<DenseMatrix> {
        let width = self.seek(block, 0)?;
        let mut values = vec![0f32; self.rows * width];
        let bytes = bytemuck::cast_slice_mut(&mut values);
        (&self.file).read_exact(bytes).map_err(|error| self.failed(error))?;
        Ok(DenseMatrix::new(self.rows, width, values)?)
    }

    /// Writes a block.
    ///
    /// # Errors
    /// If there is no such block, the shape is another, or the disk refuses.
    pub fn write(&self, block: usize, matrix: &DenseMatrix) -> Result<()> {
        let width = self.seek(block, 0)?;
        if (matrix.rows(), matrix.columns()) != (self.rows, width) {
            let found = format!("{} x {}", matrix.rows(), matrix.columns());
            return Err(Error::invalid("a block", found, format!("{} x {width}", self.rows)));
        }
        self.put(matrix.values())
    }

    /// Writes some whole rows, from `first` on: how a matrix that is made row by row gets here.
    ///
    /// # Errors
    /// If they do not fit, or the disk refuses.
    pub fn write_rows(&self, first: usize, rows: &DenseMatrix) -> Result<()> {
        let end = first.checked_add(rows.rows()).filter(|&end| end <= self.rows);
        if end.is_none() || rows.columns() != self.columns {
            let found = format!("{} x {} at row {first}", rows.rows(), rows.columns());
            let expected = format!("rows within {} x {}", self.rows, self.columns);
            return Err(Error::invalid("rows of a block file", found, expected));
        }
        let mut piece = Vec::new();
        for block in 0..self.count() {
            let width = self.seek(block, first)?;
            piece.clear();
            let start = block * self.width;
            (0..rows.rows())
                .for_each(|row| piece.extend_from_slice(&rows.row(row)[start..start + width]));
            self.put(&piece)?;
        }
        Ok(())
    }

    /// Goes to a row of a block, and tells how wide the block is.
    fn seek(&self, block: usize, row: usize) -> Result<usize> {
        if block >= self.count() {
            return Err(Error::invalid("block", block, format!("below {}", self.count())));
        }
        let start = block * self.width;
        let width = self.width.min(self.columns - start);
        // The whole size was checked when the file was opened, so nothing overflows here.
        let at = 4 * (self.rows as u64 * start as u64 + row as u64 * width as u64);
        (&self.file).seek(SeekFrom::Start(at)).map_err(|error| self.failed(error))?;
        Ok(width)
    }

    fn put(&self, values: &[f32]) -> Result<()> {
        let bytes = bytemuck::cast_slice(values);
        (&self.file).write_all(bytes).map_err(|error| self.failed(error))
    }

    fn bytes(&self) -> Result<u64> {
        let cells = (self.rows as u64).checked_mul(self.columns as u64);
        let bytes = cells.and_then(|cells| cells.checked_mul(4));
        let found = format!("{} x {}", self.rows, self.columns);
        bytes.ok_or_else(|| Error::invalid("size of a block file", found, "less than 2^64 bytes"))
    }

    fn failed(&self, source: std::io::Error) -> Error {
        Error::Io { path: self.path.display().to_string(), source }
    }
}

impl Power {
    /// Like [`Power::run`], from one file to another; tells the most rounds that any block took, and
    /// the largest error of any.
    ///
    /// # Errors
    /// Those of [`Power::run`], if the files differ in shape, or if a disk refuses.
    pub fn run_streamed(
        &self,
        operator: &Operator<'_>,
        x: &ColumnBlocks,
        z: &ColumnBlocks,
    ) -> Result<Round> {
        let shape = |blocks: &ColumnBlocks| (blocks.rows, blocks.columns, blocks.width);
        if shape(x) != shape(z) {
            let (found, expected) = (format!("{:?}", shape(z)), format!("{:?}", shape(x)));
            return Err(Error::invalid("rows, columns and width of the output", found, expected));
        }
        let mut worst = Round { done: 0, error_bound: 0.0 };
        for block in 0..x.count() {
            let found = self.run(operator, FeatureMatrix::Dense(x.read(block)?))?;
            z.write(block, &found.embedding)?;
            worst.done = worst.done.max(found.rounds);
            worst.error_bound = worst.error_bound.max(found.error_bound);
        }
        Ok(worst)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Propagation, Rounds, oracle};
    use super::*;

    fn wide(rows: usize, columns: usize) -> DenseMatrix {
        let value = |at: usize| ((at * 7919) % 101) as f32 / 50.0 - 1.0;
        DenseMatrix::new(rows, columns, (0..rows * columns).map(value).collect()).unwrap()
    }

    #[test]
    fn streamed_is_what_memory_gives() {
        let folder = tempfile::tempdir().unwrap();
        let graph = oracle::cases().pop().unwrap().graph.to_undirected().unwrap();
        let operator = Propagation::default().on(&graph).unwrap();
        let x = wide(graph.node_count(), 21);
        for (name, width) in [("1", 1), ("4", 4), ("7", 7), ("64", 64)] {
            let file = |what: &str| folder.path().join(format!("{what}{name}"));
            let from = ColumnBlocks::create(&file("x"), x.rows(), 21, width).unwrap();
            for row in 0..x.rows() {
                let one = DenseMatrix::new(1, 21, x.row(row).to_vec()).unwrap();
                from.write_rows(row, &one).unwrap();
            }
            let to = ColumnBlocks::create(&file("z"), x.rows(), 21, width).unwrap();
            for rounds in [Rounds::Exactly(9), Rounds::Residual(1e-5)] {
                let power = Power { rounds, ..Default::default() };
                let whole = power.run(&operator, FeatureMatrix::Dense(x.clone())).unwrap();
                let streamed = power.run_streamed(&operator, &from, &to).unwrap();
                let near = if rounds == Rounds::Exactly(9) { 0.0 } else { 1e-4 };
                assert_eq!(streamed.done, whole.rounds);
                for block in 0..to.count() {
                    let found = to.read(block).unwrap();
                    for row in 0..x.rows() {
                        let expected = &whole.embedding.row(row)[block * width..];
                        for (a, b) in found.row(row).iter().zip(expected) {
                            assert!((a - b).abs() <= near, "{a} {b}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn files_of_another_size_and_blocks_that_are_not_there_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let blocks = ColumnBlocks::create(&path, 3, 5, 2).unwrap();
        assert_eq!(blocks.count(), 3);
        assert!(ColumnBlocks::create(&path, 3, 5, 2).is_err());
        assert!(ColumnBlocks::open(&path, 3, 6, 2).is_err());
        assert!(ColumnBlocks::open(&path, 3, 5, 0).is_err());
        assert!(ColumnBlocks::open(&path, usize::MAX, usize::MAX, 1).is_err());
        let again = ColumnBlocks::open(&path, 3, 5, 2).unwrap();
        assert!(again.read(3).is_err());
        assert!(again.write(0, &wide(3, 3)).is_err());
        assert!(again.write_rows(2, &wide(2, 5)).is_err());
        again.write(2, &wide(3, 1)).unwrap();
        assert_eq!(again.read(2).unwrap(), wide(3, 1));
        assert_eq!(again.read(1).unwrap(), DenseMatrix::zeros(3, 2));
    }
}
