//! Blocks of columns that are finished: kept in a folder until all are, so that an interrupted run goes on there.
//!
//! A file is written whole or not at all, says which job and which block it is for, and ends in a checksum: one that was
//! cut, changed or made for something else is not taken.

use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::rounds::ColumnBlock;
use crate::graph::files::temporary;
use crate::graph::{DenseMatrix, FeatureMatrix, Graph};
use crate::learn::propagate::RowNorms;
use crate::{Error, Result};

const MAGIC: &[u8; 16] = b"privet block v1\n";
const HEADER: usize = 16 + 32 + 6 * 8;

/// What a job is: finished blocks of another are of no use.
pub(super) type JobHash = [u8; 32];

/// Rows that are read at a time.
const ROWS: usize = 1 << 12;

/// The hash of everything that decides the numbers: settings, graph and features, read once from front to back.
pub(super) fn job_hash(settings: &str, graph: &Graph, x: &FeatureMatrix) -> JobHash {
    let mut hash = Sha256::new();
    hash.update(settings.as_bytes());
    let mut words = |bytes: &[u8]| {
        // The length goes first: two lists cannot be mistaken for a differently cut pair.
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    words(bytemuck::cast_slice(graph.offsets()));
    // In stretches, so that no more than a few rows of a mapped graph are in memory.
    for start in (0..graph.node_count()).step_by(ROWS) {
        let rows = start..(start + ROWS).min(graph.node_count());
        let arcs = graph.offsets()[rows.start]..graph.offsets()[rows.end];
        words(bytemuck::cast_slice(&graph.targets()[arcs]));
        graph.release(rows.clone());
        match x {
            FeatureMatrix::Dense(x) => {
                let cells = rows.start * x.columns()..rows.end * x.columns();
                words(bytemuck::cast_slice(&x.values()[cells]));
                x.release(rows);
            }
            FeatureMatrix::Sparse(x) => {
                let entries = x.offsets()[rows.start]..x.offsets()[rows.end];
                words(bytemuck::cast_slice(&x.offsets()[rows.clone()]));
                words(bytemuck::cast_slice(&x.indices()[entries.clone()]));
                words(bytemuck::cast_slice(&x.values()[entries]));
                x.release(rows);
            }
        }
    }
    hash.finalize().into()
}

/// A folder of finished blocks.
pub(super) struct FinishedBlocks {
    folder: PathBuf,
    job: JobHash,
}

impl FinishedBlocks {
    /// Makes the folder, if it is not there.
    pub fn new(folder: &Path, job: JobHash) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|error| Error::file(folder, error))?;
        Ok(Self { folder: folder.to_owned(), job })
    }

    fn path(&self, block: usize) -> PathBuf {
        self.folder.join(format!("block-{block:05}"))
    }

    /// Keeps a block.
    pub fn keep(&self, number: usize, block: &ColumnBlock) -> Result<()> {
        let path = self.path(number);
        let wrong = |error| Error::file(&path, error);
        // A file that is complete or absent: written beside, then renamed.
        let unfinished = temporary(&path).unwrap_or_else(|| path.with_extension("tmp"));
        let written = self.write(number, block, &unfinished);
        let kept = written.and_then(|()| fs::rename(&unfinished, &path));
        kept.map_err(|error| {
            let _ = fs::remove_file(&unfinished);
            wrong(error)
        })
    }

    fn write(&self, number: usize, block: &ColumnBlock, path: &Path) -> std::io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 18, File::create(path)?);
        let mut hash = Sha256::new();
        let mut put = |bytes: &[u8]| {
            hash.update(bytes);
            out.write_all(bytes)
        };
        put(MAGIC)?;
        put(&self.job)?;
        let shape = [number, block.done, block.sum.rows(), block.sum.columns()];
        shape.iter().try_for_each(|&word| put(&(word as u64).to_le_bytes()))?;
        put(&block.measured.largest.to_le_bytes())?;
        put(&block.measured.total.to_le_bytes())?;
        for matrix in [&block.sum, &block.term] {
            let mut pieces = matrix.values().chunks(1 << 18);
            pieces.try_for_each(|piece| put(bytemuck::cast_slice(piece)))?;
        }
        let sum = hash.finalize();
        out.write_all(&sum)?;
        out.flush()?;
        // On disk before it is renamed: a crash leaves the old state or the new one.
        out.get_ref().sync_all()
    }

    /// A block that was kept, if it is there, whole, and of this job.
    pub fn load(&self, number: usize, (rows, columns): (usize, usize)) -> Option<ColumnBlock> {
        let mut file = File::open(self.path(number)).ok()?;
        let mut hash = Sha256::new();
        let mut header = [0; HEADER];
        let mut take = |bytes: &mut [u8]| {
            file.read_exact(bytes).ok()?;
            hash.update(&*bytes);
            Some(())
        };
        take(&mut header)?;
        let word = |at: usize| {
            // Words begin after the magic and the hash of the job.
            let bytes = header[48 + at * 8..56 + at * 8].try_into().ok()?;
            Some(u64::from_le_bytes(bytes))
        };
        let shape = [word(0)?, word(2)?, word(3)?];
        let expected = [number as u64, rows as u64, columns as u64];
        // Of another job, another block, or another shape: computed anew.
        if &header[..16] != MAGIC || header[16..48] != self.job || shape != expected {
            return None;
        }
        let (mut sum, mut term) =
            (DenseMatrix::zeros(rows, columns), DenseMatrix::zeros(rows, columns));
        for matrix in [&mut sum, &mut term] {
            let mut pieces = matrix.values_mut().chunks_mut(1 << 18);
            pieces.try_for_each(|piece| take(bytemuck::cast_slice_mut(piece)))?;
        }
        let mut checksum = [0; 32];
        file.read_exact(&mut checksum).ok()?;
        // Nothing may follow the checksum either.
        if hash.finalize()[..] != checksum || file.read(&mut [0]).ok()? != 0 {
            return None;
        }
        let measured =
            RowNorms { largest: f64::from_bits(word(4)?), total: f64::from_bits(word(5)?) };
        Some(ColumnBlock { term, sum, done: word(1)? as usize, measured })
    }

    /// Everything is done: nothing has to be kept any more. A folder with other things in it stays.
    pub fn remove(self, blocks: usize) {
        (0..blocks).for_each(|block| drop(fs::remove_file(self.path(block))));
        let _ = fs::remove_dir(&self.folder);
    }
}
