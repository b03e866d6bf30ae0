//! Graphs whose arrays another object holds, checked in one pass from front to back.

use super::{Direction, Graph, NodeId};
use crate::shared_array::{STRETCH, SharedArray, SharedSlice};
use crate::{Error, Result};

impl Graph {
    /// A graph over arrays that another object holds: `offsets[u]..offsets[u + 1]` is row `u` of `targets`.
    /// Clones share them.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use privet_graph::{Direction, Graph};
    /// let edge = Graph::held(Direction::Undirected, Arc::new(vec![0, 1, 2]), Arc::new(vec![1, 0]))?;
    /// assert_eq!((edge.edge_count(), edge.neighbors(0)), (1, &[1][..]));
    /// # Ok::<(), privet_graph::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the offsets do not ascend from 0 to the number of targets, a row does not ascend or names a node that has no
    /// row, or an edge of an undirected graph does not stand in both its rows (found by comparing sums over all arcs,
    /// which miss it once in 2^64 times; an attacker who writes both rows wrong on purpose can do so).
    pub fn held(
        direction: Direction,
        offsets: SharedSlice<usize>,
        targets: SharedSlice<NodeId>,
    ) -> Result<Self> {
        let (offsets, targets) = (SharedArray::Held(offsets), SharedArray::Held(targets));
        let self_loops = check(direction, &offsets, &targets)?;
        Ok(Self { direction, offsets, targets, self_loops })
    }
}

impl Graph {
    /// The same graph in memory of its own, wherever it is held now.
    #[must_use]
    pub fn into_memory(self) -> Self {
        let (offsets, targets) = (self.offsets.into_vec(), self.targets.into_vec());
        Self { offsets: offsets.into(), targets: targets.into(), ..self }
    }
}

/// Counts self-loops on the way.
fn check(direction: Direction, offsets: &[usize], targets: &SharedArray<NodeId>) -> Result<usize> {
    let Some(n) = offsets.len().checked_sub(1) else {
        return Err(Error::invalid_data("offsets", "none", "one more than there are nodes"));
    };
    if n >= NodeId::MAX as usize {
        return Err(Error::invalid("node count", n, format!("fewer than {}", NodeId::MAX)));
    }
    if offsets[0] != 0 || offsets[n] != targets.len() {
        let found = format!("{} to {}", offsets[0], offsets[n]);
        return Err(Error::invalid_data("offsets", found, format!("0 to {}", targets.len())));
    }
    let (mut self_loops, mut one_way, mut released) = (0, 0u64, 0);
    for (u, bounds) in (0..).zip(offsets.windows(2)) {
        // Pages that were checked are given back, so that checking a mapped file takes no memory of its size.
        if bounds[0].saturating_sub(released) >= STRETCH {
            targets.release(released..bounds[0]);
            released = bounds[0];
        }
        let ascends = bounds[0] <= bounds[1] && bounds[1] <= targets.len();
        if !ascends {
            let found = format!("{} before {}", bounds[0], bounds[1]);
            return Err(Error::invalid_data("offsets", found, format!("row {u} ascending")));
        }
        let row = &targets[bounds[0]..bounds[1]];
        let mut before = None;
        for &v in row {
            if v as usize >= n || before.is_some_and(|before| before >= v) {
                let expected = format!("nodes below {n}, ascending, in row {u}");
                return Err(Error::invalid_data("row", v, expected));
            }
            before = Some(v);
            self_loops += usize::from(v == u);
            // If every arc has its reverse, all terms cancel. A single pass replaces a search per arc.
            one_way = one_way.wrapping_add(mixed(u, v)).wrapping_sub(mixed(v, u));
        }
    }
    if direction == Direction::Undirected && one_way != 0 {
        let expected = "every edge in the rows of both its ends";
        return Err(Error::invalid_data("rows", "an edge in one row only", expected));
    }
    Ok(self_loops)
}

/// A number for an arc that looks unlike those of all others.
#[inline]
fn mixed(u: NodeId, v: NodeId) -> u64 {
    let pair = (u64::from(u) << 32 | u64::from(v)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let once = (pair ^ (pair >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (once ^ (once >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::{GraphBuilder, SelfLoops};

    fn held(direction: Direction, offsets: &[usize], targets: &[NodeId]) -> Result<Graph> {
        Graph::held(direction, Arc::new(offsets.to_vec()), Arc::new(targets.to_vec()))
    }

    proptest! {
        #[test]
        fn a_held_graph_is_the_graph(
            edges in prop::collection::vec((0u32..20, 0u32..20), 0..60),
            directed in any::<bool>(),
        ) {
            let direction = if directed { Direction::Directed } else { Direction::Undirected };
            let builder = GraphBuilder::new(20, direction).self_loops(SelfLoops::Keep);
            let (graph, _) = builder.edges(edges).build().unwrap();
            let copy = held(direction, graph.offsets(), graph.targets()).unwrap();
            prop_assert_eq!(&copy, &graph);
            prop_assert_eq!(copy.edge_count(), graph.edge_count());
            prop_assert_eq!(copy.transposed(), graph.transposed());
            prop_assert_eq!(&copy.clone().into_memory(), &graph);
            // One arc of an edge is missing.
            if let (false, Some(at)) = (directed, graph.targets().iter().position(|_| true)) {
                let row = graph.offsets().partition_point(|&offset| offset <= at) - 1;
                let mut offsets = graph.offsets().to_vec();
                offsets[row + 1..].iter_mut().for_each(|offset| *offset -= 1);
                let mut targets = graph.targets().to_vec();
                let lone = targets.remove(at) as usize != row;
                prop_assert_eq!(held(direction, &offsets, &targets).is_err(), lone);
            }
        }
    }

    #[test]
    fn what_is_no_graph_is_refused() {
        let directed = Direction::Directed;
        for (offsets, targets) in [
            (&[][..], &[][..]),
            (&[1, 1], &[]),
            (&[0, 2], &[0]),
            (&[0, 2, 1, 2], &[0, 1]),
            (&[0, 9, 2], &[0, 1]),
            (&[0, 1], &[1]),
            (&[0, 2, 2], &[1, 1]),
            (&[0, 2, 2], &[1, 0]),
        ] {
            assert!(held(directed, offsets, targets).is_err(), "{offsets:?} {targets:?}");
        }
        assert!(held(directed, &[0], &[]).is_ok());
        assert!(held(Direction::Undirected, &[0, 1, 1], &[1]).is_err());
    }
}
