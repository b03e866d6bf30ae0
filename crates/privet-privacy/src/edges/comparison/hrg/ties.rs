//! [`TieCounts`]: how many edges of each kind run between two groups of leaves, counted from the smaller one.

use crate::fault::{self, Fault};
use std::ops::{Add, Sub};

use privet_graph::{Graph, NodeId};

use super::dendrogram::{Dendrogram, TreeLayout};
use super::public_graph::PublicGraph;

/// Edges of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TieCounts {
    /// Public, with an end that cannot have private edges.
    pub open: u64,
    /// Public, between two nodes that may have private edges: no candidate for one.
    pub known: u64,
    /// Private.
    pub private: u64,
}

impl TieCounts {
    /// Public edges of both kinds.
    pub fn public(self) -> u64 {
        self.open + self.known
    }
}

impl Add for TieCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            open: self.open + other.open,
            known: self.known + other.known,
            private: self.private + other.private,
        }
    }
}

impl Sub for TieCounts {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            open: self.open - other.open,
            known: self.known - other.known,
            private: self.private - other.private,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TieKind {
    Open,
    Known,
    Private,
}

/// Public and private edges in one set of rows.
#[derive(Debug, Clone)]
pub(super) struct Arcs {
    offsets: Vec<usize>,
    arcs: Vec<(NodeId, TieKind)>,
}

impl Arcs {
    /// The edges of the ground, and private ones. A private edge where none was declared counts nothing, and is not
    /// reported: whether there is one is private.
    pub(super) fn new(ground: &PublicGraph, private: Option<&Graph>) -> Self {
        let (mut offsets, mut arcs) = (vec![0], Vec::new());
        for node in 0..ground.node_count() as NodeId {
            arcs.extend(ground.public().neighbors(node).iter().map(|&other| {
                // A public edge between two private nodes takes a place that no private edge can have: candidates
                // exclude it.
                let both = ground.is_private(node) && ground.is_private(other);
                (other, if both { TieKind::Known } else { TieKind::Open })
            }));
            let secret = private.map_or(&[][..], |graph| graph.neighbors(node));
            let any = fault::on(Fault::UndeclaredEdgesCounted);
            let fits = secret.iter().filter(|&&other| any || ground.is_candidate(node, other));
            arcs.extend(fits.map(|&other| (other, TieKind::Private)));
            offsets.push(arcs.len());
        }
        Self { offsets, arcs }
    }

    /// How many arcs a leaf has, and one for the leaf itself: the work of looking at it.
    pub(super) fn work(&self, leaf: NodeId) -> u64 {
        (self.offsets[leaf as usize + 1] - self.offsets[leaf as usize]) as u64 + 1
    }

    /// Adds the edges from a leaf into two groups.
    #[inline]
    pub(super) fn add(
        &self,
        leaf: NodeId,
        into: &mut [TieCounts; 2],
        group: impl Fn(NodeId) -> Option<usize>,
    ) {
        let row = self.offsets[leaf as usize]..self.offsets[leaf as usize + 1];
        for &(other, kind) in &self.arcs[row] {
            if let Some(group) = group(other) {
                match kind {
                    TieKind::Open => into[group].open += 1,
                    TieKind::Known => into[group].known += 1,
                    TieKind::Private => into[group].private += 1,
                }
            }
        }
    }

    /// The ties between the two children of every internal node. Each node looks at the lighter child
    /// only, so a leaf is looked at O(log n) times.
    pub(super) fn of_tree(&self, tree: &Dendrogram, layout: &TreeLayout) -> Vec<TieCounts> {
        // Prefix sums of the work of leaves: the work below any internal node is then one subtraction.
        let mut before = vec![0u64];
        before.extend(layout.leaves().iter().scan(0, |sum, &leaf| {
            *sum += self.work(leaf);
            Some(*sum)
        }));
        let work = |node: u32| {
            let places = layout.places(node);
            before[places.end as usize] - before[places.start as usize]
        };
        let between = |&[left, right]: &[u32; 2]| {
            // A leaf is in the lighter child O(log n) times, since the subtree at least doubles each time.
            let (small, large) =
                // Smaller to larger: each leaf is looked at O(log n) times over a balanced tree.
                if work(left) <= work(right) { (left, right) } else { (right, left) };
            let target = layout.places(large);
            let mut ties = [TieCounts::default(); 2];
            for &leaf in layout.below(small) {
                self.add(leaf, &mut ties, |other| {
                    target.contains(&layout.place(other)).then_some(0)
                });
            }
            ties[0]
        };
        tree.children().iter().map(between).collect()
    }
}
