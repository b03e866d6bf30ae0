//! [`ArcSorter`]: from pairs in any order to a graph on disk, in bounded memory.
//!
//! An external merge sort. Arcs are collected as 64-bit numbers (source above target) until memory is full, then sorted,
//! freed of repeats and written as a *run*; at the end all runs are merged into rows. Merging takes from every run what is
//! not above the least of the runs' last loaded numbers, puts it into one piece and sorts that: the library's stable sort
//! finds the sorted stretches and merges them, which is several times faster than a heap.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use rayon::slice::ParallelSliceMut;

use super::Spill;
use super::mapped::Mapped;
use crate::{BuildReport, Direction, Error, Graph, NodeId, Result, SelfLoops, SourceLocation};

/// Bytes of an arc.
const ARC: usize = size_of::<u64>();

/// Collects arcs, then makes a graph that is read from disk.
pub(crate) struct ArcSorter {
    spill: Spill,
    node_count: usize,
    direction: Direction,
    policy: SelfLoops,
    buffer: Vec<u64>,
    room: usize,
    runs: Vec<Run>,
    given: usize,
    dropped: usize,
}

/// Where rows begin, and what they hold.
type Arrays = (Arc<Mapped<usize>>, Arc<Mapped<u32>>);

/// Ascending numbers in a file.
struct Run {
    file: File,
    count: usize,
    taken: usize,
    loaded: Vec<u64>,
    /// How many of the loaded numbers have been used.
    used: usize,
}

impl ArcSorter {
    /// A sorter for a graph on so many nodes.
    ///
    /// # Errors
    /// If there are more nodes than 32 bits count.
    pub fn new(
        spill: Spill,
        node_count: usize,
        direction: Direction,
        policy: SelfLoops,
    ) -> Result<Self> {
        if node_count >= NodeId::MAX as usize {
            let expected = format!("fewer than {}", NodeId::MAX);
            return Err(Error::invalid("node count", node_count, expected));
        }
        let room = spill.room(ARC);
        let (buffer, runs) = (Vec::new(), Vec::new());
        let (given, dropped) = (0, 0);
        Ok(Self { spill, node_count, direction, policy, buffer, room, runs, given, dropped })
    }

    /// Adds a pair.
    ///
    /// # Errors
    /// If it names a node that is not there, or the disk refuses.
    #[inline]
    pub fn push(&mut self, [from, to]: [NodeId; 2]) -> Result<()> {
        if from.max(to) as usize >= self.node_count {
            let expected = format!("nodes below {}", self.node_count);
            return Err(Error::invalid_data("edge", format!("{from} - {to}"), expected));
        }
        if from == to && self.policy == SelfLoops::Drop {
            self.dropped += 1;
            return Ok(());
        }
        self.given += 1;
        self.buffer.push(arc(from, to));
        if self.direction == Direction::Undirected && from != to {
            self.buffer.push(arc(to, from));
        }
        if self.buffer.len() + 2 > self.room {
            self.write_run().map_err(|error| self.refused(error))?;
        }
        Ok(())
    }

    fn refused(&self, error: io::Error) -> Error {
        SourceLocation::file(self.spill.folder.display().to_string()).io(error)
    }

    fn write_run(&mut self) -> io::Result<()> {
        self.buffer.par_sort_unstable();
        self.buffer.dedup();
        let file = self.spill.file()?;
        file.write_all_at(bytemuck::cast_slice(&self.buffer), 0)?;
        let count = self.buffer.len();
        self.runs.push(Run { file, count, taken: 0, loaded: Vec::new(), used: 0 });
        self.buffer.clear();
        Ok(())
    }

    /// Merges the runs into rows.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn finish(mut self) -> Result<(Graph, BuildReport)> {
        let (offsets, targets) = self.merge().map_err(|error| self.refused(error))?;
        let graph = Graph::held(self.direction, offsets, targets)?;
        let duplicates = self.given - graph.edge_count();
        Ok((graph, BuildReport { duplicates, self_loops: self.dropped }))
    }

    fn merge(&mut self) -> io::Result<Arrays> {
        self.write_run()?;
        self.buffer = Vec::new();
        let mut rows = RowWriter::new(&self.spill)?;
        // Half for what the runs have loaded, half for the piece that is made of it (and a half of that for sorting).
        let load = (self.room / 4 / self.runs.len().max(1)).max(1 << 12);
        let mut piece = Vec::new();
        loop {
            for run in &mut self.runs {
                run.refill(load)?;
            }
            // What is loaded of every run reaches at least to here.
            let unfinished = self.runs.iter().filter(|run| run.taken < run.count);
            let bound = unfinished.filter_map(|run| run.loaded.last()).min().copied();
            piece.clear();
            self.runs.iter_mut().for_each(|run| run.take_up_to(bound, &mut piece));
            if piece.is_empty() {
                break;
            }
            piece.sort();
            piece.dedup();
            rows.push(&piece)?;
        }
        rows.finish(self.node_count)
    }
}

#[inline]
fn arc(from: NodeId, to: NodeId) -> u64 {
    u64::from(from) << 32 | u64::from(to)
}

impl Run {
    /// Loads the next numbers, if all of the last ones were used.
    fn refill(&mut self, load: usize) -> io::Result<()> {
        if self.used < self.loaded.len() || self.taken == self.count {
            return Ok(());
        }
        self.loaded.resize(load.min(self.count - self.taken), 0);
        let at = (self.taken * ARC) as u64;
        self.file.read_exact_at(bytemuck::cast_slice_mut(&mut self.loaded), at)?;
        self.taken += self.loaded.len();
        self.used = 0;
        Ok(())
    }

    fn take_up_to(&mut self, bound: Option<u64>, piece: &mut Vec<u64>) {
        let left = &self.loaded[self.used..];
        let count = bound.map_or(left.len(), |bound| left.partition_point(|&arc| arc <= bound));
        piece.extend_from_slice(&left[..count]);
        self.used += count;
    }
}

/// Writes rows as they come: targets, and where each row ends.
struct RowWriter {
    offsets: BufWriter<File>,
    targets: BufWriter<File>,
    /// Rows whose beginning is written.
    begun: usize,
    arcs: u64,
}

impl RowWriter {
    fn new(spill: &Spill) -> io::Result<Self> {
        let out = || spill.file().map(|file| BufWriter::with_capacity(1 << 18, file));
        Ok(Self { offsets: out()?, targets: out()?, begun: 0, arcs: 0 })
    }

    /// Adds arcs, which are above all earlier ones.
    fn push(&mut self, arcs: &[u64]) -> io::Result<()> {
        for &arc in arcs {
            self.begin_rows((arc >> 32) as usize + 1)?;
            self.targets.write_all(&(arc as NodeId).to_le_bytes())?;
            self.arcs += 1;
        }
        Ok(())
    }

    fn begin_rows(&mut self, count: usize) -> io::Result<()> {
        while self.begun < count {
            self.offsets.write_all(&self.arcs.to_le_bytes())?;
            self.begun += 1;
        }
        Ok(())
    }

    fn finish(mut self, node_count: usize) -> io::Result<Arrays> {
        self.begin_rows(node_count + 1)?;
        self.offsets.flush()?;
        self.targets.flush()?;
        Ok((Mapped::new(self.offsets.get_ref())?, Mapped::new(self.targets.get_ref())?))
    }
}
