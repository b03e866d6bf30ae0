//! [`Numbering`]: from the ids in a file to pairs of nodes `0..n`, in 8 bytes per edge.
//!
//! While all ids fit 32 bits they are their own node numbers and no table exists; at the end a
//! bitset tells which occur, and counting its ones closes the gaps. Larger integers are numbered by
//! a hash table as they come and put in ascending order at the end; names by an [`IdInterner`].

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use crate::formats::ReadOptions;
use crate::formats::pair_store::PairStore;
use crate::{IdInterner, NodeId, NodeIds, Result};

/// Collects edges between ids.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    pairs: PairStore,
    names: NodeNames,
}

/// What a number in `pairs` stands for.
#[derive(Debug, Default)]
enum NodeNames {
    /// The id itself.
    #[default]
    Small,
    /// The id that got this number.
    Large(FxHashMap<u64, NodeId>),
    /// The name that got this number.
    Text(IdInterner),
}

impl Numbering {
    /// Edges are kept as the options say.
    pub fn new(options: &ReadOptions) -> Self {
        Self { pairs: PairStore::new(options), names: NodeNames::default() }
    }

    /// How many edges were collected.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Adds an edge between integer ids.
    #[inline]
    pub fn integers(&mut self, ids: [u64; 2]) {
        // The common case takes no lookup: ids below 2^32 are their own numbers until the end.
        if let (NodeNames::Small, [Ok(from), Ok(to)]) = (&self.names, ids.map(NodeId::try_from)) {
            self.pairs.push([from, to]);
        } else {
            self.other_integers(ids);
        }
    }

    fn other_integers(&mut self, ids: [u64; 2]) {
        if matches!(self.names, NodeNames::Small) {
            self.names = NodeNames::Large(self.enlarge());
        }
        let pair = match &mut self.names {
            NodeNames::Small => return,
            NodeNames::Large(numbers) => ids.map(|id| number_of(numbers, id)),
            // Once a name has come, an integer is a name too: `3` and `"3"` are one node.
            NodeNames::Text(interner) => ids.map(|id| interner.intern(&id.to_string())),
        };
        self.pairs.push(pair);
    }

    /// Adds an edge of which one id is a name; from here on all ids are.
    pub fn texts(&mut self, ids: [&str; 2]) {
        if !matches!(self.names, NodeNames::Text(_)) {
            self.names = NodeNames::Text(self.spell_out());
        }
        if let NodeNames::Text(interner) = &mut self.names {
            self.pairs.push(ids.map(|id| interner.intern(id)));
        }
    }

    /// Numbers the small ids by first appearance.
    fn enlarge(&mut self) -> FxHashMap<u64, NodeId> {
        let mut numbers = FxHashMap::default();
        // Pairs on disk are renumbered in place, chunk by chunk.
        self.pairs.for_each_mut(|id| *id = number_of(&mut numbers, u64::from(*id)));
        numbers
    }

    /// Turns the integers collected so far into names, again by first appearance.
    fn spell_out(&mut self) -> IdInterner {
        let ids = match &self.names {
            NodeNames::Large(numbers) => Some(in_order(numbers)),
            _ => None,
        };
        let (mut interner, mut name) = (IdInterner::default(), String::new());
        self.pairs.for_each_mut(|number| {
            let id = ids.as_ref().map_or(u64::from(*number), |ids| ids[*number as usize]);
            name.clear();
            // Writing to a string cannot fail.
            write!(name, "{id}").ok();
            *number = interner.intern(&name);
        });
        interner
    }

    /// The ids in ascending order, and the edges between them: neither tells in which order they came.
    pub fn finish(mut self) -> Result<(NodeIds, PairStore)> {
        if matches!(self.names, NodeNames::Small) {
            let mut largest = None;
            self.pairs.for_each(|id| largest = largest.max(Some(id)));
            let Some(largest) = largest else { return Ok((NodeIds::sequential(0), self.pairs)) };
            // One bit per possible id is worth it while the bits take no more room than the pairs.
            if u64::from(largest) < 64 * self.pairs.len() as u64 {
                return close_gaps(largest, self.pairs);
            }
            self.names = NodeNames::Large(self.enlarge());
        }
        match self.names {
            NodeNames::Small => Ok((NodeIds::sequential(0), self.pairs)),
            NodeNames::Large(numbers) => ascending(numbers, self.pairs),
            NodeNames::Text(interner) => {
                // Sorted, so that first appearance in the file leaves no trace.
                let (ids, new) = interner.finish_sorted()?;
                let mut pairs = self.pairs;
                pairs.for_each_mut(|node| *node = new[*node as usize]);
                Ok((ids, pairs))
            }
        }
    }
}

fn number_of(numbers: &mut FxHashMap<u64, NodeId>, id: u64) -> NodeId {
    // Beyond 2^32 distinct ids this wraps, and the graph builder refuses that many nodes.
    let next = numbers.len() as NodeId;
    *numbers.entry(id).or_insert(next)
}

fn in_order(numbers: &FxHashMap<u64, NodeId>) -> Vec<u64> {
    let mut ids = vec![0; numbers.len()];
    numbers.iter().for_each(|(&id, &number)| ids[number as usize] = id);
    ids
}

fn ascending(
    numbers: FxHashMap<u64, NodeId>,
    mut pairs: PairStore,
) -> Result<(NodeIds, PairStore)> {
    let mut order: Vec<(u64, NodeId)> = numbers.into_iter().collect();
    order.sort_unstable();
    let mut node = vec![0; order.len()];
    for (rank, &(_, number)) in (0..).zip(&order) {
        node[number as usize] = rank;
    }
    pairs.for_each_mut(|number| *number = node[*number as usize]);
    Ok((NodeIds::integers(order.into_iter().map(|(id, _)| id).collect())?, pairs))
}

/// Numbers the ids that occur in ascending order: a node is how many of the ids before it occur.
fn close_gaps(largest: NodeId, mut pairs: PairStore) -> Result<(NodeIds, PairStore)> {
    let mut present = vec![0u64; largest as usize / 64 + 1];
    // A set of bits over all possible ids.
    pairs.for_each(|id| present[id as usize / 64] |= 1 << (id % 64));
    let count: usize = present.iter().map(|bits| bits.count_ones() as usize).sum();
    if count == largest as usize + 1 {
        return Ok((NodeIds::sequential(count), pairs));
    }
    let mut before = Vec::with_capacity(present.len());
    let mut ones: NodeId = 0;
    for bits in &present {
        before.push(ones);
        ones += bits.count_ones();
    }
    pairs.for_each_mut(|id| {
        let (word, below) = (*id as usize / 64, (1u64 << (*id % 64)) - 1);
        // The rank of the id: how many smaller ones occur.
        *id = before[word] + (present[word] & below).count_ones();
    });
    drop(before);
    let mut ids = Vec::with_capacity(count);
    for (start, mut bits) in (0..).step_by(64).zip(present) {
        while bits != 0 {
            ids.push(start + u64::from(bits.trailing_zeros()));
            bits &= bits - 1;
        }
    }
    Ok((NodeIds::integers(ids)?, pairs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn finished(numbering: Numbering) -> (NodeIds, Vec<[NodeId; 2]>) {
        let (ids, mut pairs) = numbering.finish().unwrap();
        let mut numbers = Vec::new();
        pairs.for_each(|number| numbers.push(number));
        (ids, numbers.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
    }

    fn names(ids: &NodeIds) -> Vec<String> {
        ids.iter().map(|id| id.to_string()).collect()
    }

    #[test]
    fn a_late_name_makes_names_of_all() {
        for large in [5, 1 << 40] {
            let mut numbering = Numbering::default();
            numbering.integers([large, 3]);
            numbering.texts(["x", "3"]);
            numbering.integers([7, large]);
            let (ids, pairs) = finished(numbering);
            let (first, second) = if large == 5 { ("5", "7") } else { ("7", "1099511627776") };
            assert_eq!(names(&ids), ["3", first, second, "x"]);
            let (large, seven) = if large == 5 { (1, 2) } else { (2, 1) };
            assert_eq!(pairs, [[large, 0], [3, 0], [seven, large]]);
        }
    }

    #[test]
    fn the_largest_ids() {
        let mut numbering = Numbering::default();
        numbering.integers([u64::from(u32::MAX), 0]);
        numbering.integers([u64::MAX, 0]);
        let (ids, pairs) = finished(numbering);
        assert_eq!(names(&ids), ["0", "4294967295", "18446744073709551615"]);
        assert_eq!(pairs, [[1, 0], [2, 0]]);
    }

    proptest! {
        /// Whatever the representation, nodes are the ranks of the distinct ids.
        #[test]
        fn integers_are_ranked(
            raw in proptest::collection::vec((0u64..70, 0u64..70, 0u32..40), 1..80),
            spread in prop::sample::select(vec![1u64, 2, 1 << 20, 1 << 40]),
        ) {
            let edges: Vec<[u64; 2]> = raw
                .iter()
                .map(|&(u, v, large)| [u * if large == 0 { spread } else { 1 }, v])
                .collect();
            let distinct: BTreeSet<u64> = edges.iter().flatten().copied().collect();
            let rank = |id| distinct.range(..id).count() as NodeId;
            let mut numbering = Numbering::default();
            edges.iter().for_each(|&ids| numbering.integers(ids));
            let (ids, pairs) = finished(numbering);
            let expected: Vec<String> = distinct.iter().map(u64::to_string).collect();
            prop_assert_eq!(names(&ids), expected);
            prop_assert_eq!(pairs, edges.iter().map(|e| e.map(rank)).collect::<Vec<_>>());
        }
    }
}
