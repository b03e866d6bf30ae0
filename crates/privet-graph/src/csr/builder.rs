//! [`GraphBuilder`]: from pairs in any order to sorted rows.

use rayon::prelude::*;

use super::{Direction, Graph, NodeId, SelfLoops};
use crate::{Error, Result};

/// What the builder folded away on the way to a simple graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BuildReport {
    /// Pairs that repeated an earlier one (in either order, if undirected).
    pub duplicates: usize,
    /// Self-loops that were dropped, repeats included.
    pub self_loops: usize,
}

/// Collects pairs, then makes the [`Graph`] in O(nodes + pairs): two counting sorts, no comparisons.
///
/// Peak memory is the pairs (8 bytes each) and the rows being filled; nothing else grows.
#[derive(Debug, Clone)]
pub struct GraphBuilder {
    node_count: usize,
    direction: Direction,
    self_loops: SelfLoops,
    pairs: Vec<[NodeId; 2]>,
}

impl GraphBuilder {
    /// A builder for a graph on nodes `0..node_count`.
    pub fn new(node_count: usize, direction: Direction) -> Self {
        Self { node_count, direction, self_loops: SelfLoops::Drop, pairs: Vec::new() }
    }

    /// A builder that takes over pairs already collected, without copying them.
    pub fn from_pairs(node_count: usize, direction: Direction, pairs: Vec<[NodeId; 2]>) -> Self {
        Self { node_count, direction, self_loops: SelfLoops::Drop, pairs }
    }

    /// What to do with self-loops; they are dropped unless this says otherwise.
    pub fn self_loops(mut self, policy: SelfLoops) -> Self {
        self.self_loops = policy;
        self
    }

    /// Adds pairs.
    pub fn edges(mut self, pairs: impl IntoIterator<Item = (NodeId, NodeId)>) -> Self {
        self.pairs.extend(pairs.into_iter().map(|(u, v)| [u, v]));
        self
    }

    /// Adds one pair.
    pub fn push(&mut self, from: NodeId, to: NodeId) {
        self.pairs.push([from, to]);
    }

    /// Checks every pair and makes the graph.
    ///
    /// # Errors
    /// If a pair names a node outside `0..node_count`, or there are more nodes than `u32` counts.
    pub fn build(self) -> Result<(Graph, BuildReport)> {
        let Self { node_count: n, direction, self_loops: policy, pairs } = self;
        if n >= NodeId::MAX as usize {
            return Err(Error::invalid("node count", n, format!("fewer than {}", NodeId::MAX)));
        }
        // One pass over all ids in parallel; the offending pair is only looked for if there is one.
        let largest =
            pairs.as_flattened().par_chunks(1 << 16).flat_map(|ids| ids.iter().max()).max();
        if largest.is_some_and(|&id| id as usize >= n) {
            let outside = pairs.iter().find(|pair| pair.iter().any(|&id| id as usize >= n));
            let found = outside.map(|pair| format!("{} - {}", pair[0], pair[1]));
            let expected = format!("nodes below {n}");
            return Err(Error::invalid_data("edge", found.unwrap_or_default(), expected));
        }
        let dropped = match policy {
            SelfLoops::Keep => 0,
            SelfLoops::Drop => pairs.iter().filter(|pair| pair[0] == pair[1]).count(),
        };
        // Two counting sorts, by target and then by source, leave every row ascending: O(n + m), without comparisons.
        let (column_offsets, sources) = scatter_by_target(n, direction, policy, &pairs);
        let given = pairs.len() - dropped;
        let starts = match direction {
            // As many neighbours in as out.
            Direction::Undirected => column_offsets.clone(),
            Direction::Directed => {
                let kept = pairs.iter().filter(|[u, v]| u != v || policy == SelfLoops::Keep);
                starts_of(n, kept.map(|pair| pair[0]))
            }
        };
        drop(pairs);
        let (mut offsets, mut targets) = transpose(starts, &column_offsets, &sources);
        drop((column_offsets, sources));
        dedup_rows(&mut offsets, &mut targets);
        let self_loops = match policy {
            SelfLoops::Drop => 0,
            SelfLoops::Keep => (0..n)
                // Rows are sorted, so a loop is found by bisection.
                .filter(|&u| {
                    targets[offsets[u]..offsets[u + 1]].binary_search(&(u as NodeId)).is_ok()
                })
                .count(),
        };
        let (offsets, targets) = (offsets.into(), targets.into());
        let graph = Graph { direction, offsets, targets, self_loops };
        // What was given and is neither an edge nor a dropped loop was given before.
        let duplicates = given - graph.edge_count();
        Ok((graph, BuildReport { duplicates, self_loops: dropped }))
    }
}

/// Counting sort of the pairs by the node they lead to: for each node, where its arcs come from,
/// in the order given. An undirected edge leads to both its ends.
fn scatter_by_target(
    n: usize,
    direction: Direction,
    policy: SelfLoops,
    pairs: &[[NodeId; 2]],
) -> (Vec<usize>, Vec<NodeId>) {
    // A loop stands once in its row, also of an undirected graph.
    let lands = |u, v| u != v || policy == SelfLoops::Keep;
    let lands_back = |u, v| u != v && direction == Direction::Undirected;
    let mut offsets = vec![0usize; n + 1];
    for &[u, v] in pairs {
        offsets[v as usize] += usize::from(lands(u, v));
        offsets[u as usize] += usize::from(lands_back(u, v));
    }
    let sum = counts_to_starts(&mut offsets);
    let mut sources = vec![0; sum];
    for &[u, v] in pairs {
        if lands(u, v) {
            sources[offsets[v as usize]] = u;
            offsets[v as usize] += 1;
        }
        if lands_back(u, v) {
            sources[offsets[u as usize]] = v;
            offsets[u as usize] += 1;
        }
    }
    ends_to_starts(&mut offsets);
    (offsets, sources)
}

/// Turns every arc around. Rows are visited in ascending order, so the new ones come out sorted.
/// `starts` says where each new row begins.
pub(super) fn transpose(
    mut starts: Vec<usize>,
    offsets: &[usize],
    targets: &[NodeId],
) -> (Vec<usize>, Vec<NodeId>) {
    let mut turned = vec![0; targets.len()];
    for (u, row) in (0..).zip(offsets.windows(2)) {
        for &v in &targets[row[0]..row[1]] {
            // Sources come in ascending order, so every row ends up sorted.
            turned[starts[v as usize]] = u;
            starts[v as usize] += 1;
        }
    }
    ends_to_starts(&mut starts);
    (starts, turned)
}

/// Where the row of each node starts if it holds as many entries as the node occurs in `nodes`.
pub(super) fn starts_of(n: usize, nodes: impl Iterator<Item = NodeId>) -> Vec<usize> {
    let mut counts = vec![0; n + 1];
    nodes.for_each(|node| counts[node as usize] += 1);
    counts_to_starts(&mut counts);
    counts
}

/// Exclusive sums in place; returns the total.
fn counts_to_starts(counts: &mut [usize]) -> usize {
    let mut sum = 0;
    for count in counts {
        // Exclusive prefix sums, in place.
        sum += std::mem::replace(count, sum);
    }
    sum
}

/// Filling the rows moved each start to its row's end, which is the start of the next.
fn ends_to_starts(ends: &mut [usize]) {
    // Filling has moved every start to its row's end, which is the next row's start.
    ends.rotate_right(1);
    ends[0] = 0;
}

/// Drops repeats inside each (sorted) row and closes the gaps, in place.
fn dedup_rows(offsets: &mut [usize], targets: &mut Vec<NodeId>) {
    let (mut kept, mut start) = (0, 0);
    for row in 0..offsets.len() - 1 {
        let end = offsets[row + 1];
        let row_start = kept;
        for at in start..end {
            let target = targets[at];
            // Rows ascend, so equal targets are neighbours.
            // The first of a row is always kept, whatever stood before it.
            if kept == row_start || targets[kept - 1] != target {
                targets[kept] = target;
                kept += 1;
            }
        }
        start = end;
        offsets[row + 1] = kept;
    }
    targets.truncate(kept);
    targets.shrink_to_fit();
}
