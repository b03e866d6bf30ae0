//! A part of a graph, and the rows of others that it reads.
//!
//! A process holds the rows of its own nodes and needs those of their neighbours: its halo. In the matrices of a
//! round, own rows come first (0..m), then the rows of others in the order of their ids. Arcs keep the order they
//! have in the graph, so that every sum has the terms, and the bytes, that it has in one process. Who needs which
//! rows is found once; after that only the rows themselves travel, packed.

use std::ops::Range;

use privet::graph::{DenseMatrix, Graph};

use crate::checkpoint::CheckpointState;
use crate::engine::Exchange;
use crate::partition::Partition;
use crate::{Error, Result};

/// The most bytes that a process sends or reads before all processes wait for each other: what is on its way takes memory in
/// both, and a network that is slower than a processor would hold a whole panel.
const ON_ITS_WAY: usize = 2 << 20;
/// Into how many parts a swap is cut where that is less: a small graph has little room for what is on its way.
const SLICES: usize = 16;
/// Waiting for all processes costs more than holding so much.
const FEW_BYTES: usize = 1 << 18;

/// Columns that a processor fetches at once.
const CACHE_LINE: usize = 16;

/// A process's part of a graph.
#[derive(Debug, Clone)]
pub struct Halo {
    own: Range<usize>,
    offsets: Vec<usize>,
    targets: Vec<u32>,
    /// Nodes of others that arcs lead to, ascending.
    outside: Vec<u32>,
    /// Which of them each process holds.
    from: Vec<Range<usize>>,
    /// Which own rows each process reads.
    needed: Vec<Vec<u32>>,
    /// The most rows that any process sends, or reads from others.
    busiest: usize,
}

impl Halo {
    /// Cuts out the part of this process, and learns what the others need of it.
    ///
    /// # Errors
    /// If another process asks for rows that are not held here: it has another graph.
    pub fn of(graph: &Graph, partition: &Partition, exchange: &mut Exchange) -> Result<Self> {
        let own = partition.range(exchange.index());
        let whole = &graph.offsets()[own.start..=own.end];
        let arcs = &graph.targets()[whole[0]..whole[own.len()]];
        let offsets = whole.iter().map(|at| at - whole[0]).collect();
        let marked = NodeBitset::of(arcs, &own, graph.node_count());
        let outside = marked.all();
        // Own rows come first in the matrices of a round, then those of others in ascending order.
        let number = |&target: &u32| match own.contains(&(target as usize)) {
            true => target - own.start as u32,
            false => own.len() as u32 + marked.rank(target),
        };
        let targets = arcs.iter().map(number).collect();
        let from = (0..partition.parts()).map(|part| within(&outside, partition.range(part)));
        let from: Vec<Range<usize>> = from.collect();
        for (part, wanted) in from.iter().enumerate().filter(|(_, wanted)| !wanted.is_empty()) {
            // Once, at the beginning: later rounds send rows in this order, without their ids.
            exchange.send(part, bytemuck::cast_slice(&outside[wanted.clone()]))?;
        }
        let mut needed = vec![Vec::new(); partition.parts()];
        for arrived in exchange.arrive() {
            let from = arrived.from;
            needed[from] = own_rows(from, &arrived.into_bytes(), &own)?;
        }
        let sent: usize = needed.iter().map(Vec::len).sum();
        // All cut their rounds into the same number of slices, so the busiest process decides.
        let busiest = exchange.largest(sent.max(outside.len()) as f64)? as usize;
        Ok(Self { own, offsets, targets, outside, from, needed, busiest })
    }

    /// The nodes of this process.
    pub fn own(&self) -> Range<usize> {
        self.own.clone()
    }

    /// Where the arcs of every own row begin, from 0.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Where arcs lead, as rows of the matrices of a round.
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// Rows that are read here: own ones, and those of others.
    pub fn rows(&self) -> usize {
        self.own.len() + self.outside.len()
    }

    /// Rows of others that are read here.
    pub fn outside(&self) -> usize {
        self.outside.len()
    }

    /// Fills `all` with own rows and those of others: each process sends what others need. All processes do
    /// this at the same time, with the same number of columns.
    ///
    /// # Errors
    /// If what arrives is not what was expected.
    pub fn swap(
        &self,
        own: &[f32],
        columns: usize,
        all: &mut [f32],
        exchange: &mut Exchange,
    ) -> Result<()> {
        let (here, outside) = all.split_at_mut(self.own.len() * columns);
        let outside: &mut [u8] = bytemuck::cast_slice_mut(outside);
        let width = columns * 4;
        let mut left: Vec<Range<usize>> =
            self.from.iter().map(|rows| rows.start * width..rows.end * width).collect();
        let mut put = |from: usize, bytes: &[u8]| {
            // Rows of a sender arrive in the order in which they were asked for: each goes behind the one
            // before.
            let place = left.get_mut(from).filter(|place| place.len() >= bytes.len());
            let place =
                place.ok_or_else(|| Error::message(from, "more rows than were asked for"))?;
            outside[place.start..place.start + bytes.len()].copy_from_slice(bytes);
            place.start += bytes.len();
            Ok(())
        };
        // Own rows need no network.
        here.copy_from_slice(own);
        let at_a_time = (Exchange::PIECE / width.max(1)).max(1);
        let (me, parts) = (exchange.index(), self.needed.len());
        let all_rows = self.busiest * width;
        // Between a 16th of the whole and a fixed number of bytes on their way.
        let slices = all_rows.div_ceil((all_rows / SLICES).clamp(FEW_BYTES, ON_ITS_WAY)).max(1);
        for slice in 0..slices {
            // Each process begins with another receiver, so that no receiver gets the packets of all at the same time.
            for to in (1..parts).map(|far| (me + far) % parts) {
                let rows = &self.needed[to];
                let rows = &rows[rows.len() * slice / slices..rows.len() * (slice + 1) / slices];
                for rows in rows.chunks(at_a_time) {
                    exchange.send_packed(to, |buffer| {
                        for &row in rows {
                            let row = &own[row as usize * columns..(row as usize + 1) * columns];
                            buffer.extend_from_slice(bytemuck::cast_slice(row));
                        }
                    })?;
                    // Received between sends, so that buffers of the network never fill up on both sides.
                    exchange.take_arrived(&mut put)?;
                }
            }
            exchange.arrive_into(&mut put)?;
        }
        match left.iter().position(|left| !left.is_empty()) {
            Some(part) => Err(Error::message(part, "its rows did not come")),
            None => Ok(()),
        }
    }

    /// How many columns travel at a time: as many as that all rows which are read take no more room than two matrices of
    /// own rows, which are held anyway. Fewer passes over the arcs cost less time; whole rows of all neighbours
    /// would be the whole matrix in every process.
    ///
    /// # Errors
    /// If a message is not what it should be.
    pub fn panel(&self, columns: usize, exchange: &mut Exchange) -> Result<usize> {
        // own * columns * 2 floats are held anyway; `rows` * panel must not take more.
        let room = 2 * columns * self.own.len() / self.rows().max(1);
        // The smallest over all processes: all send and read the same columns.
        let most = (exchange.smallest(room as f64)? as usize).max(CACHE_LINE);
        let panels = columns.div_ceil(most).max(1);
        Ok(columns.div_ceil(panels).next_multiple_of(CACHE_LINE))
    }
}

/// The places of ascending nodes that lie in a range.
fn within(nodes: &[u32], range: Range<usize>) -> Range<usize> {
    // A part is a range of ids, so its nodes are consecutive here.
    let place = |end: usize| nodes.partition_point(|&node| (node as usize) < end);
    place(range.start)..place(range.end)
}

fn own_rows(from: usize, bytes: &[u8], own: &Range<usize>) -> Result<Vec<u32>> {
    let (fours, rest) = bytes.as_chunks::<4>();
    let nodes = fours.iter().map(|four| u32::from_ne_bytes(*four) as usize);
    let row = |node: usize| own.contains(&node).then(|| (node - own.start) as u32);
    let rows: Option<Vec<u32>> = nodes.map(row).collect();
    let expected = || Error::message(from, "rows that are not here: it has another graph");
    rows.filter(|_| rest.is_empty()).ok_or_else(expected)
}

/// A set of nodes as bits, which knows how many come before each: 1.5 bits a node.
struct NodeBitset {
    words: Vec<u64>,
    before: Vec<u32>,
}

impl NodeBitset {
    /// The targets outside a range.
    fn of(targets: &[u32], own: &Range<usize>, nodes: usize) -> Self {
        let mut words = vec![0u64; nodes.div_ceil(64)];
        for &target in targets.iter().filter(|&&target| !own.contains(&(target as usize))) {
            words[target as usize / 64] |= 1 << (target % 64);
        }
        let mut count = 0;
        let before = words.iter().map(|word| {
            let here = count;
            count += word.count_ones();
            here
        });
        let before = before.collect();
        Self { words, before }
    }

    fn rank(&self, node: u32) -> u32 {
        let (word, bit) = (node as usize / 64, node % 64);
        self.before[word] + (self.words[word] & ((1 << bit) - 1)).count_ones()
    }

    fn all(&self) -> Vec<u32> {
        let mut nodes = Vec::new();
        for (at, &word) in self.words.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                nodes.push(at as u32 * 64 + left.trailing_zeros());
                // Clears the lowest set bit.
                left &= left - 1;
            }
        }
        nodes
    }
}

// Rows of this process, cut into panels of a few columns.
//
// A round reads rows of other processes. If whole rows travelled, a process would need room for all rows that it
// reads, which can be the whole matrix. Columns never meet in a round, so panels take turns: beside its own rows a
// process needs room for one panel of what it reads.

/// Own rows, panel after panel.
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    rows: usize,
    columns: usize,
    width: usize,
    panels: Vec<DenseMatrix>,
}

impl Panels {
    /// Zeros.
    pub fn zeros(rows: usize, columns: usize, width: usize) -> Self {
        let width = width.max(1);
        let panel = |start: usize| DenseMatrix::zeros(rows, width.min(columns - start));
        let panels = (0..columns).step_by(width).map(panel).collect();
        Self { rows, columns, width, panels }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Columns of all panels but the last.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The panels.
    pub fn panels(&self) -> &[DenseMatrix] {
        &self.panels
    }

    /// The panels, to write to.
    pub fn panels_mut(&mut self) -> &mut [DenseMatrix] {
        &mut self.panels
    }

    /// Writes a row.
    ///
    /// # Panics
    /// If there is no such row, or it has another length.
    pub fn set_row(&mut self, row: usize, values: &[f32]) {
        assert_eq!(values.len(), self.columns, "length of a row");
        for (panel, values) in self.panels.iter_mut().zip(values.chunks(self.width)) {
            panel.row_mut(row).copy_from_slice(values);
        }
    }

    /// Some rows, whole, one after the other.
    ///
    /// # Panics
    /// If there are no such rows.
    pub fn whole_rows(&self, rows: Range<usize>) -> Vec<f32> {
        let mut whole = Vec::with_capacity(rows.len() * self.columns);
        for row in rows {
            self.panels.iter().for_each(|panel| whole.extend_from_slice(panel.row(row)));
        }
        whole
    }
}

impl CheckpointState for Panels {
    fn parts(&self) -> Vec<&[u8]> {
        self.panels.iter().map(|panel| bytemuck::cast_slice(panel.values())).collect()
    }

    fn parts_mut(&mut self) -> Vec<&mut [u8]> {
        let panels = self.panels.iter_mut();
        panels.map(|panel| bytemuck::cast_slice_mut(panel.values_mut())).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranks_count_what_comes_before(
            targets in prop::collection::vec(0u32..700, 0..200), start in 0usize..700,
        ) {
            let own = start..(start + 100).min(700);
            let marked = NodeBitset::of(&targets, &own, 700);
            let mut expected: Vec<u32> =
                targets.into_iter().filter(|&t| !own.contains(&(t as usize))).collect();
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(&marked.all(), &expected);
            for (rank, &node) in expected.iter().enumerate() {
                prop_assert_eq!(marked.rank(node), rank as u32);
            }
        }
    }

    #[test]
    fn rows_come_back_whole() {
        for columns in [0, 1, 15, 16, 17, 40] {
            let mut panels = Panels::zeros(3, columns, 16);
            let row = |row: usize| -> Vec<f32> {
                (0..columns).map(|column| (row * 100 + column) as f32).collect()
            };
            (0..3).for_each(|at| panels.set_row(at, &row(at)));
            assert_eq!(panels.panels().len(), columns.div_ceil(16));
            assert_eq!(panels.whole_rows(1..3), [row(1), row(2)].concat());
        }
    }
}
