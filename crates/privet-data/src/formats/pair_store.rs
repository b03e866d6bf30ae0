//! [`PairStore`]: the edges of a file on their way to a graph: in memory, or on disk once they are too many.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::external_sort::ArcSorter;
use super::{ReadOptions, Spill};
use crate::{BuildReport, Direction, Graph, GraphBuilder, NodeId, Result, SourceLocation};

/// Pairs moved between disk and memory at a time.
const CHUNK: usize = 1 << 16;
/// Bytes of a pair.
const PAIR: usize = size_of::<[NodeId; 2]>();

/// Pairs of numbers, in the order they came.
#[derive(Debug, Default)]
pub(crate) struct PairStore {
    pairs: Vec<[NodeId; 2]>,
    spill: Option<(Spill, usize)>,
    written: Option<File>,
    on_disk: usize,
    /// Whoever adds a pair cannot do anything about a full disk; whoever builds the graph is told.
    failed: Option<io::Error>,
}

impl From<Vec<[NodeId; 2]>> for PairStore {
    fn from(pairs: Vec<[NodeId; 2]>) -> Self {
        Self { pairs, ..Self::default() }
    }
}

impl PairStore {
    /// A store that keeps within the options' memory, if they say so.
    pub fn new(options: &ReadOptions) -> Self {
        let spill = options.spill.clone().map(|spill| {
            let room = spill.room(2 * PAIR).max(CHUNK);
            (spill, room)
        });
        Self { spill, ..Self::default() }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.on_disk + self.pairs.len()
    }

    /// Adds one.
    #[inline]
    pub fn push(&mut self, pair: [NodeId; 2]) {
        self.pairs.push(pair);
        if self.pairs.len() >= CHUNK
            && self.spill.as_ref().is_some_and(|(_, room)| self.pairs.len() >= *room)
        {
            self.write_out();
        }
    }

    #[cold]
    fn write_out(&mut self) {
        if self.failed.is_some() {
            self.pairs.clear();
            return;
        }
        if let Err(error) = self.try_write_out() {
            self.failed = Some(error);
        }
    }

    fn try_write_out(&mut self) -> io::Result<()> {
        let Some((spill, _)) = &self.spill else { return Ok(()) };
        let file = match self.written.take() {
            Some(file) => file,
            None => spill.file()?,
        };
        let bytes = bytemuck::cast_slice(&self.pairs);
        file.write_all_at(bytes, (self.on_disk * PAIR) as u64)?;
        self.written = Some(file);
        self.on_disk += self.pairs.len();
        self.pairs.clear();
        Ok(())
    }

    /// Changes every number, in the order they came.
    pub fn for_each_mut(&mut self, mut change: impl FnMut(&mut NodeId)) {
        if let (Some(file), None) = (&self.written, &self.failed) {
            let changed = each_chunk(file, self.on_disk, |at, chunk| {
                chunk.as_flattened_mut().iter_mut().for_each(&mut change);
                file.write_all_at(bytemuck::cast_slice(chunk), at)
            });
            self.failed = changed.err();
        }
        self.pairs.as_flattened_mut().iter_mut().for_each(change);
    }

    /// Looks at every number, in the order they came.
    pub fn for_each(&mut self, mut look: impl FnMut(NodeId)) {
        if let (Some(file), None) = (&self.written, &self.failed) {
            let looked = each_chunk(file, self.on_disk, |_, chunk| {
                chunk.as_flattened().iter().for_each(|&number| look(number));
                Ok(())
            });
            self.failed = looked.err();
        }
        self.pairs.as_flattened().iter().for_each(|&number| look(number));
    }

    /// The graph of these pairs of nodes, which is read from disk if they did not fit into memory.
    ///
    /// # Errors
    /// If a pair names a node that is not there, or the disk refuses.
    pub fn build(
        self,
        place: &SourceLocation,
        node_count: usize,
        direction: Direction,
        options: &ReadOptions,
    ) -> Result<(Graph, BuildReport)> {
        let Self { pairs, spill, written, on_disk, failed } = self;
        let aside = |error: io::Error| match &spill {
            Some((spill, _)) => SourceLocation::file(spill.folder.display().to_string()).io(error),
            None => place.io(error),
        };
        if let Some(error) = failed {
            return Err(aside(error));
        }
        let (Some(file), Some((spill, _))) = (written, &spill) else {
            let builder = GraphBuilder::from_pairs(node_count, direction, pairs);
            let built = builder.self_loops(options.self_loops).build();
            return built.map_err(|error| error.at(place));
        };
        let mut sorter = ArcSorter::new(spill.clone(), node_count, direction, options.self_loops)
            .map_err(|error| error.at(place))?;
        let mut refused = None;
        let sorted = each_chunk(&file, on_disk, |_, chunk| {
            let pushed = chunk.iter().try_for_each(|&pair| sorter.push(pair));
            pushed.map_err(|error| {
                refused = Some(error);
                io::ErrorKind::Other.into()
            })
        });
        match (refused, sorted) {
            (Some(error), _) => return Err(error.at(place)),
            (None, sorted) => sorted.map_err(aside)?,
        }
        drop(file);
        pairs.into_iter().try_for_each(|pair| sorter.push(pair)).map_err(|e| e.at(place))?;
        sorter.finish().map_err(|error| error.at(place))
    }
}

/// Calls `each` with where it stands and every chunk of the pairs on disk.
fn each_chunk(
    file: &File,
    count: usize,
    mut each: impl FnMut(u64, &mut [[NodeId; 2]]) -> io::Result<()>,
) -> io::Result<()> {
    let mut chunk = vec![[0; 2]; CHUNK.min(count)];
    let mut done = 0;
    while done < count {
        let piece = &mut chunk[..CHUNK.min(count - done)];
        let at = (done * PAIR) as u64;
        file.read_exact_at(bytemuck::cast_slice_mut(piece), at)?;
        each(at, piece)?;
        done += piece.len();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::SelfLoops;

    fn numbers(store: &mut PairStore) -> Vec<NodeId> {
        let mut all = Vec::new();
        store.for_each(|number| all.push(number));
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        /// On disk or in memory: the same numbers, the same graph, the same report.
        #[test]
        fn spilled_pairs_are_pairs(
            seed in 0u32..1000,
            count in 130_000usize..300_000,
            directed in any::<bool>(),
            keep in any::<bool>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let spill = Spill { folder: folder.path().into(), memory: 1 << 20 };
            let options = ReadOptions {
                spill: Some(spill),
                self_loops: if keep { SelfLoops::Keep } else { SelfLoops::Drop },
                ..ReadOptions::default()
            };
            let plain = ReadOptions { spill: None, ..options.clone() };
            let (mut spilled, mut held) = (PairStore::new(&options), PairStore::new(&plain));
            let mut state = seed;
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) % 500
            };
            for _ in 0..count {
                let pair = [next(), next() % 40];
                spilled.push(pair);
                held.push(pair);
            }
            prop_assert!(spilled.on_disk > 0 && held.on_disk == 0);
            prop_assert_eq!((spilled.len(), held.len()), (count, count));
            for store in [&mut spilled, &mut held] {
                let mut calls = 0;
                store.for_each_mut(|number| { calls += 1; *number = (*number + calls % 3) % 500; });
            }
            prop_assert_eq!(numbers(&mut spilled), numbers(&mut held));
            let direction = if directed { Direction::Directed } else { Direction::Undirected };
            let place = SourceLocation::file("x");
            let found = spilled.build(&place, 500, direction, &options).unwrap();
            prop_assert_eq!(found, held.build(&place, 500, direction, &plain).unwrap());
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_folder_that_is_not_there_and_a_node_that_is_not_there_are_named() {
        let spill = Spill { folder: "/nowhere/at/all".into(), memory: 0 };
        let options = ReadOptions { spill: Some(spill), ..ReadOptions::default() };
        let mut store = PairStore::new(&options);
        (0..200_000).for_each(|at| store.push([at % 7, at % 5]));
        let told = store.build(&SourceLocation::file("x.csv"), 7, Direction::Directed, &options);
        assert!(told.unwrap_err().to_string().starts_with("/nowhere/at/all"));

        let folder = tempfile::tempdir().unwrap();
        let spill = Spill { folder: folder.path().into(), memory: 0 };
        let options = ReadOptions { spill: Some(spill), ..ReadOptions::default() };
        let mut store = PairStore::new(&options);
        (0..200_000).for_each(|at| store.push([at % 9, at % 5]));
        let told = store.build(&SourceLocation::file("x.csv"), 7, Direction::Directed, &options);
        let told = told.unwrap_err().to_string();
        assert!(told.contains("x.csv") && told.contains("nodes below 7"), "{told}");
    }
}
