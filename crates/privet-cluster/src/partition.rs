//! Who holds which nodes: ranges of ids with about equal work.
//!
//! A node costs its row and its arcs. Ranges begin at multiples of [`BLOCK`], so that sums over blocks of nodes
//! have the same terms however many processes there are.

use std::ops::Range;

use crate::{Error, Result};

/// Nodes per block.
pub const BLOCK: usize = 256;

/// What a row costs beside its arcs, in arcs: it is copied, scaled, added and measured once a round.
const ROW: usize = 4;

/// Ranges of nodes, one per process, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// Where every range begins, and the number of nodes.
    starts: Vec<usize>,
}

impl Partition {
    /// Cuts the nodes of a graph, whose rows begin at `offsets`, into so many parts. Small graphs leave parts empty.
    ///
    /// ```
    /// use privet_cluster::partition::Partition;
    /// let offsets: Vec<usize> = (0..=1024).map(|row| row * 3).collect();
    /// let halves = Partition::of(&offsets, 2)?;
    /// assert_eq!((halves.range(0), halves.range(1)), (0..512, 512..1024));
    /// assert_eq!(halves.owner(700), 1);
    /// # Ok::<(), privet_cluster::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are to be no parts.
    pub fn of(offsets: &[usize], parts: usize) -> Result<Self> {
        if parts == 0 {
            return Err(Error::invalid("processes", 0, "at least 1"));
        }
        let nodes = offsets.len().saturating_sub(1);
        // Arcs before a node, and a fixed cost for each row before it.
        let work = |node: usize| offsets.get(node).copied().unwrap_or(0) + ROW * node;
        let total = work(nodes);
        let mut starts = Vec::with_capacity(parts + 1);
        starts.push(0);
        for part in 1..parts {
            // In 128 bits: arcs times parts can pass 2^64.
            let wanted = (total as u128 * part as u128 / parts as u128) as usize;
            let last = starts[part - 1];
            // One very long row may reach over several cuts: then parts are empty, never negative.
            starts.push(boundary(nodes, wanted, work).max(last));
        }
        starts.push(nodes);
        Ok(Self { starts })
    }

    /// Cuts so many nodes into parts of about as many nodes, whatever their work: for what must not depend on arcs.
    ///
    /// # Errors
    /// If there are to be no parts.
    pub fn even(nodes: usize, parts: usize) -> Result<Self> {
        let starts = (0..parts).map(|part| nodes * part / parts);
        match parts {
            0 => Err(Error::invalid("processes", 0, "at least 1")),
            _ => Ok(Self { starts: starts.chain([nodes]).collect() }),
        }
    }

    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.starts[self.parts()]
    }

    /// The nodes of a part.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn range(&self, part: usize) -> Range<usize> {
        self.starts[part]..self.starts[part + 1]
    }

    /// The part that holds a node.
    pub fn owner(&self, node: u32) -> usize {
        let after = self.starts.partition_point(|&start| start <= node as usize);
        (after.saturating_sub(1)).min(self.parts() - 1)
    }
}

/// The multiple of [`BLOCK`] before which the work is nearest to what is wanted.
fn boundary(nodes: usize, wanted: usize, work: impl Fn(usize) -> usize) -> usize {
    let blocks = nodes / BLOCK;
    let (mut low, mut high) = (0, blocks);
    // `work` grows with the node, so a binary search over blocks finds the cut.
    while low < high {
        let middle = (low + high) / 2;
        if work(middle * BLOCK) < wanted { low = middle + 1 } else { high = middle }
    }
    let above = low * BLOCK;
    let below = above.saturating_sub(BLOCK);
    // Cuts lie at whole blocks, so the one nearer to an equal share of work is taken.
    let nearer = wanted.abs_diff(work(below)) < wanted.abs_diff(work(above));
    if nearer { below } else { above }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn offsets(degrees: &[usize]) -> Vec<usize> {
        let mut sum = 0;
        std::iter::once(0)
            .chain(degrees.iter().map(|degree| {
                sum += degree;
                sum
            }))
            .collect()
    }

    proptest! {
        #[test]
        fn every_node_has_one_owner(
            degrees in prop::collection::vec(0usize..40, 0..4000), parts in 1usize..9,
        ) {
            let offsets = offsets(&degrees);
            let partition = Partition::of(&offsets, parts).unwrap();
            prop_assert_eq!(partition.parts(), parts);
            let mut next = 0;
            for part in 0..parts {
                let range = partition.range(part);
                prop_assert_eq!(range.start, next);
                prop_assert!(range.start.is_multiple_of(BLOCK) || range.is_empty());
                for node in range.clone() {
                    prop_assert_eq!(partition.owner(node as u32), part);
                }
                next = range.end;
            }
            prop_assert_eq!(next, degrees.len());
        }

        #[test]
        fn work_is_shared_up_to_a_block(seed in 0usize..1000, parts in 1usize..7) {
            let degrees: Vec<usize> = (0..20_000).map(|node| (node * 7919 + seed) % 50).collect();
            let offsets = offsets(&degrees);
            let partition = Partition::of(&offsets, parts).unwrap();
            let total = offsets[20_000] + ROW * 20_000;
            for part in 0..parts {
                let range = partition.range(part);
                let work = offsets[range.end] - offsets[range.start] + ROW * range.len();
                let slack = 2 * BLOCK * (50 + ROW);
                prop_assert!(work <= total / parts + slack, "{} of {}", work, total);
            }
        }
    }

    #[test]
    fn even_parts_depend_on_the_number_of_nodes_alone() {
        let parts = Partition::even(1100, 3).unwrap();
        let ranges: Vec<_> = (0..3).map(|part| parts.range(part)).collect();
        assert_eq!(ranges, [0..366, 366..733, 733..1100]);
        assert_eq!(Partition::even(1, 2).unwrap().range(0), 0..0);
        assert!(Partition::even(3, 0).is_err());
    }

    #[test]
    fn a_hub_does_not_move_everything_to_one_side() {
        let mut degrees = vec![2; 4096];
        degrees[0] = 100_000;
        let partition = Partition::of(&offsets(&degrees), 2).unwrap();
        assert_eq!(partition.range(0), 0..BLOCK);
        assert!(Partition::of(&[0], 0).is_err());
        assert_eq!(Partition::of(&[0], 3).unwrap().range(2), 0..0);
    }
}
