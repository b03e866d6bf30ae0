//! [`ArcSorter`]: from pairs in any order to a graph on disk, in bounded memory.
//!
//! An external merge sort. Arcs are collected as 64-bit numbers (source above target) until memory is full, then sorted,
//! freed of repeats and written as a *run*; at the end all runs are merged into rows. Merging takes from every run what is
//! not above the least of the runs' last loaded numbers, puts it into one piece and sorts that: the library's stable sort
//! finds the sorted stretches and merges them, which is several times faster than a heap.

use std::fs::{File, OpenOptions};
use std::io;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::slice::ParallelSliceMut;

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
    runs: Vec<SortedRun>,
    given: usize,
    dropped: usize,
}

/// Where rows begin, and what they hold.
type MappedRows = (Arc<Mapped<usize>>, Arc<Mapped<u32>>);

/// Ascending numbers in a file.
struct SortedRun {
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
        // Source above target: ascending numbers are rows in order, each with its targets ascending.
        self.buffer.push(arc(from, to));
        if self.direction == Direction::Undirected && from != to {
            self.buffer.push(arc(to, from));
        }
        // Room for both directions of the next pair.
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
        // Repeats within a run leave here, those between runs when they are merged.
        self.buffer.dedup();
        let file = self.spill.file()?;
        file.write_all_at(bytemuck::cast_slice(&self.buffer), 0)?;
        let count = self.buffer.len();
        self.runs.push(SortedRun { file, count, taken: 0, loaded: Vec::new(), used: 0 });
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
        // Runs no longer know how many repeats they dropped: it follows from the counts.
        let duplicates = self.given - graph.edge_count();
        Ok((graph, BuildReport { duplicates, self_loops: self.dropped }))
    }

    fn merge(&mut self) -> io::Result<MappedRows> {
        self.write_run()?;
        self.buffer = Vec::new();
        // The memory of the buffer is free for the merge from here.
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
            // A run that is loaded to its end bounds nothing: all of it may be taken.
            let bound = unfinished.filter_map(|run| run.loaded.last()).min().copied();
            piece.clear();
            self.runs.iter_mut().for_each(|run| run.take_up_to(bound, &mut piece));
            if piece.is_empty() {
                break;
            }
            // Stable on purpose: it recognises the ascending stretches of the runs.
            piece.sort();
            piece.dedup();
            rows.push(&piece)?;
        }
        rows.finish(self.node_count)
    }
}

#[inline]
fn arc(from: NodeId, to: NodeId) -> u64 {
    // Compared as one number: by source, then by target.
    u64::from(from) << 32 | u64::from(to)
}

impl SortedRun {
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
            // Rows without arcs begin where the next one does.
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

    fn finish(mut self, node_count: usize) -> io::Result<MappedRows> {
        // One offset more than nodes: where the last row ends.
        self.begin_rows(node_count + 1)?;
        self.offsets.flush()?;
        self.targets.flush()?;
        Ok((Mapped::new(self.offsets.get_ref())?, Mapped::new(self.targets.get_ref())?))
    }
}

// `Spill`: where a reader may put what does not fit into memory.
//
// Files are opened and lose their names at once: whatever ends the process, nothing stays behind.

/// Where a reader may put what does not fit into memory, and how much of it may be held there at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spill {
    /// A folder with room for about 40 bytes an edge, while it is being read.
    pub folder: PathBuf,
    /// The most bytes of edges to be held in memory; ids, features and labels come on top.
    pub memory: u64,
}

/// Fewer would not hold the buffers of one merge.
const LEAST: u64 = 1 << 20;

impl Spill {
    /// So much memory, and a folder that is meant for large files: the one that `TMPDIR` names, or else `/var/tmp`, which
    /// unlike `/tmp` is not in memory itself on most systems.
    pub fn within(memory: u64) -> Self {
        let lasting = PathBuf::from("/var/tmp");
        let folder = match std::env::var_os("TMPDIR") {
            None if lasting.is_dir() => lasting,
            _ => std::env::temp_dir(),
        };
        Self { folder, memory }
    }

    /// How many numbers of so many bytes may be held.
    pub(crate) fn room(&self, bytes: usize) -> usize {
        (self.memory.max(LEAST) / bytes as u64) as usize
    }

    /// A new file without a name, to be written and read.
    pub(crate) fn file(&self) -> io::Result<File> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!(".privet-{}-{number}.tmp", std::process::id()));
        // `create_new`: never through a link that another user has put there.
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        // Where a name cannot be taken from an open file, it is found in the folder afterwards.
        let _ = std::fs::remove_file(&path);
        Ok(file)
    }
}
