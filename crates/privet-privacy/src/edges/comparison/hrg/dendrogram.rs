//! [`Dendrogram`]: a binary tree whose leaves are the nodes of a graph.

use privet_graph::NodeId;

use super::Unpaid;
use crate::error::{Error, Result};

/// A rooted binary tree over leaves `0..n`.
///
/// Tree nodes are numbered: leaves as the graph's nodes, internal nodes from `n` on, parents before
/// their children, so the root is `n`.
///
/// ```
/// use privet_privacy::edges::comparison::hrg::Dendrogram;
/// // First 0 and 1 join, then 2 and 3, then both groups: as linkage tables say it.
/// let tree = Dendrogram::from_merges(4, &[[0, 1], [2, 3], [4, 5]])?;
/// assert_eq!((tree.leaf_count(), tree.internal_count()), (4, 3));
/// assert!(Dendrogram::from_merges(4, &[[0, 1], [0, 3], [4, 5]]).is_err());
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dendrogram {
    leaves: usize,
    /// Children of internal node `leaves + index`.
    children: Vec<[u32; 2]>,
}

impl Dendrogram {
    /// The tree in which merge `i` joins two earlier nodes into node `leaves + i`.
    ///
    /// # Errors
    /// Unless every node but the last is joined exactly once.
    pub fn from_merges(leaves: usize, merges: &[[u32; 2]]) -> Result<Self> {
        if leaves >= 1 << 29 {
            return Err(Error::range("number of leaves", leaves, "below 2^29"));
        }
        if merges.len() != leaves.saturating_sub(1) {
            return Err(Error::range("number of merges", merges.len(), "one less than leaves"));
        }
        let mut joined = vec![false; leaves + merges.len()];
        for (at, merge) in merges.iter().enumerate() {
            for &node in merge {
                let known = (node as usize) < leaves + at;
                if !known || std::mem::replace(&mut joined[node as usize], true) {
                    return Err(Error::range("merged node", node, "made before, joined once"));
                }
            }
        }
        // The last merge is the root and gets the first number.
        let last = (leaves + merges.len()).wrapping_sub(1) + leaves;
        let renamed = |node: u32| {
            if (node as usize) < leaves { node } else { (last - node as usize) as u32 }
        };
        let children = merges.iter().rev().map(|merge| merge.map(renamed)).collect();
        Ok(Self { leaves, children })
    }

    /// The tree that halves a line of leaves again and again: neighbours in the line stay together.
    ///
    /// # Errors
    /// If a leaf is missing or named twice.
    pub fn balanced(line: &[NodeId]) -> Result<Self> {
        // Post-order over halves: (start, end), and whether its halves are done.
        let mut merges = Vec::with_capacity(line.len().saturating_sub(1));
        let mut done: Vec<u32> = Vec::new();
        let mut work = vec![(0, line.len(), false)];
        while let Some((start, end, halves_done)) = work.pop() {
            match (end - start, halves_done) {
                (0, _) => {}
                (1, _) => done.push(line[start]),
                (_, false) => {
                    let middle = start + (end - start) / 2;
                    work.push((start, end, true));
                    work.push((middle, end, false));
                    work.push((start, middle, false));
                }
                (_, true) => {
                    if let (Some(right), Some(left)) = (done.pop(), done.pop()) {
                        merges.push([left, right]);
                        done.push((line.len() + merges.len() - 1) as u32);
                    }
                }
            }
        }
        Self::from_merges(line.len(), &merges)
    }

    /// A balanced tree over a random line of leaves.
    ///
    /// # Errors
    /// If there are too many leaves.
    pub fn random(leaves: usize, seed: u64) -> Result<Self> {
        let mut line: Vec<NodeId> = (0..leaves as NodeId).collect();
        Unpaid::new(seed, 0).shuffle(&mut line);
        Self::balanced(&line)
    }

    /// The tree with these children, already in order.
    pub(super) fn from_ordered(leaves: usize, children: Vec<[u32; 2]>) -> Self {
        Self { leaves, children }
    }

    /// How many leaves.
    pub fn leaf_count(&self) -> usize {
        self.leaves
    }

    /// How many internal nodes: one less, if there are any leaves.
    pub fn internal_count(&self) -> usize {
        self.children.len()
    }

    /// The two children of every internal node, root first, parents before children.
    pub fn children(&self) -> &[[u32; 2]] {
        &self.children
    }

    /// Where every leaf stands when the tree is laid out on a line.
    pub fn layout(&self) -> TreeLayout {
        let (leaves, nodes) = (self.leaves, self.leaves + self.children.len());
        let mut size = vec![1u32; nodes];
        // Sizes from the leaves up, then places from the root down.
        for (index, children) in self.children.iter().enumerate().rev() {
            size[leaves + index] = children.iter().map(|&child| size[child as usize]).sum();
        }
        let mut start = vec![0u32; nodes];
        for (index, &[left, right]) in self.children.iter().enumerate() {
            let at = start[leaves + index];
            start[left as usize] = at;
            start[right as usize] = at + size[left as usize];
        }
        let mut leaf_at = vec![0; leaves];
        (0..leaves).for_each(|leaf| leaf_at[start[leaf] as usize] = leaf as NodeId);
        TreeLayout { start, size, leaf_at }
    }
}

/// A tree laid out on a line: the leaves below every node are a run of places.
#[derive(Debug, Clone)]
pub struct TreeLayout {
    start: Vec<u32>,
    size: Vec<u32>,
    leaf_at: Vec<NodeId>,
}

impl TreeLayout {
    /// The places of the leaves below a tree node.
    pub fn places(&self, node: u32) -> std::ops::Range<u32> {
        let start = self.start[node as usize];
        start..start + self.size[node as usize]
    }

    /// The place of a leaf.
    pub fn place(&self, leaf: NodeId) -> u32 {
        self.start[leaf as usize]
    }

    /// The leaves in their places.
    pub fn leaves(&self) -> &[NodeId] {
        &self.leaf_at
    }

    /// The leaves below a tree node.
    pub fn below(&self, node: u32) -> &[NodeId] {
        let places = self.places(node);
        &self.leaf_at[places.start as usize..places.end as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_become_a_tree_with_the_root_first() {
        let tree = Dendrogram::from_merges(4, &[[0, 3], [4, 1], [5, 2]]).unwrap();
        assert_eq!(tree.children(), [[5, 2], [6, 1], [0, 3]]);
        let layout = tree.layout();
        assert_eq!(layout.below(4).len(), 4);
        assert_eq!(layout.below(6), [0, 3]);
        assert_eq!(layout.below(2), [2]);
    }

    #[test]
    fn bad_merges_are_refused() {
        for merges in [&[[0, 1]][..], &[[0, 1], [0, 2]], &[[0, 4], [1, 2]], &[[0, 0], [1, 3]]] {
            assert!(Dendrogram::from_merges(3, merges).is_err(), "{merges:?}");
        }
        // A node that is not made before it is joined: that very merge.
        assert!(Dendrogram::from_merges(3, &[[0, 3], [1, 2]]).is_err());
        let too_many = Dendrogram::from_merges(1 << 29, &[]).unwrap_err().to_string();
        assert!(too_many.contains("number of leaves"), "{too_many}");
        let one_less = Dendrogram::from_merges((1 << 29) - 1, &[]).unwrap_err().to_string();
        assert!(one_less.contains("number of merges"), "{one_less}");
        assert!(Dendrogram::balanced(&[0, 0, 1]).is_err());
    }

    #[test]
    fn random_lines_are_random() {
        let line = |seed| Dendrogram::random(40, seed).unwrap().layout().leaves().to_vec();
        let in_order: Vec<NodeId> = (0..40).collect();
        assert!(line(1) != in_order && line(1) != line(2) && line(1) == line(1));
        // A seed stands for the same line in every version: results are repeated from it.
        assert_eq!(Dendrogram::random(8, 1).unwrap().layout().leaves(), [5, 6, 2, 4, 1, 7, 0, 3]);
    }

    #[test]
    fn halves_keep_the_line() {
        for leaves in [0usize, 1, 2, 3, 17, 1000] {
            let line: Vec<NodeId> = (0..leaves as NodeId).rev().collect();
            let tree = Dendrogram::balanced(&line).unwrap();
            assert_eq!(tree.layout().leaves(), line);
            assert_eq!(Dendrogram::random(leaves, 3).unwrap().leaf_count(), leaves);
        }
    }

    #[test]
    fn every_place_is_below_both_its_node_and_the_root() {
        let tree = Dendrogram::random(50, 1).unwrap();
        let layout = tree.layout();
        assert_eq!(layout.places(50), 0..50);
        for (index, &[left, right]) in tree.children().iter().enumerate() {
            let (all, first) = (layout.places(50 + index as u32), layout.places(left));
            assert_eq!((all.start, all.end), (first.start, layout.places(right).end));
            assert_eq!(first.end, layout.places(right).start);
        }
    }
}
