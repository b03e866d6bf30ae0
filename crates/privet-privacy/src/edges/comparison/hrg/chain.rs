//! [`DendrogramChain`]: a tree in motion, with exact edge counts at every internal node.
//!
//! # Idea
//! A step picks an internal node `r` below the root. Its two children and its sibling are three groups
//! `A`, `B`, `C`, of which two hang below `r`; there are three ways to choose who stays out. All that is
//! needed to compare them are the edges between the groups, and two of the three numbers follow from
//! the counts already kept:
//!
//! ```text
//!        p                 e(A,B) = count at r
//!       / \                e(A,C) + e(B,C) = count at p
//!      r   C               so looking at the edges of the *smallest* group is enough
//!     / \
//!    A   B
//! ```
//!
//! # Cost
//! A proposal costs the edges of the smallest of three groups; averaged over the nodes of any tree that
//! is O(log n) leaves. Whether an edge ends in a group is one comparison of labels in a list of all
//! leaves in tree order (`order.rs`); a move relinks the smallest group only.

use privet_graph::{Graph, NodeId};

use super::dendrogram::Dendrogram;
use super::likelihood::log_likelihood;
use super::order::OrderedList;
use super::public_graph::PublicGraph;
use super::ties::{Arcs, TieCounts};
use crate::error::{Error, Result};
use crate::population::PublicShape;

/// The log-likelihoods of public and of private edges.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TreeScore {
    /// `L_pub`, or what a step changes in it.
    pub public: f64,
    /// `L_pri`, or what a step changes in it.
    pub private: f64,
}

impl std::ops::Add for TreeScore {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { public: self.public + other.public, private: self.private + other.private }
    }
}

/// A dendrogram that can be rearranged, one internal node at a time.
///
/// ```
/// use privet_data::synthetic::BarabasiAlbert;
/// use privet_privacy::edges::comparison::hrg::{DendrogramChain, Dendrogram, PublicGraph, PrivateNodes};
/// let graph = BarabasiAlbert { nodes: 50, edges_per_node: 2 }.generate(1)?.graph().clone();
/// let ground = PublicGraph::new(graph, PrivateNodes::All)?;
/// let mut chain = DendrogramChain::public(&ground, &Dendrogram::random(50, 1)?)?;
/// let before = chain.score().public;
/// let proposal = chain.propose(7);
/// let gained = proposal.scores()[0].public - proposal.scores()[DendrogramChain::NOW].public;
/// chain.rearrange(&proposal, 0);
/// assert!((chain.score().public - before - gained).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct DendrogramChain {
    leaves: usize,
    arcs: Arcs,
    nodes: TreeNodes,
    /// Children of internal node `leaves + index`.
    children: Vec<[u32; 2]>,
    /// Ties between those children.
    ties: Vec<TieCounts>,
    /// Leaves as entries `0..n`; internal node `i` opens at entry `n + 2i` and closes at `n + 2i + 1`.
    order: OrderedList,
}

/// What is kept for leaves and internal nodes alike.
#[derive(Debug, Clone)]
struct TreeNodes {
    parent: Vec<u32>,
    size: Vec<u64>,
    /// Leaves that may have private edges.
    private: Vec<u64>,
    /// Leaves and arcs below: what looking at them costs.
    work: Vec<u64>,
}

/// Three groups around an internal node, and the ties between them.
#[derive(Debug, Clone, Copy)]
pub struct Proposal {
    node: u32,
    /// The two children, then the sibling.
    groups: [u32; 3],
    /// `ties[i]` are those between the two groups other than `i`.
    ties: [TieCounts; 3],
    size: [u64; 3],
    private: [u64; 3],
    smallest: usize,
}

impl DendrogramChain {
    /// The place in [`Proposal::scores`] of the arrangement as it is.
    pub const NOW: usize = 2;

    /// A chain on public edges alone.
    ///
    /// # Errors
    /// If the tree has not one leaf per node.
    pub fn public(ground: &PublicGraph, tree: &Dendrogram) -> Result<Self> {
        Self::start(ground, None, tree)
    }

    /// A chain on public and private edges.
    ///
    /// # Errors
    /// If the private edges are on other nodes than the ground, or the tree has not one leaf per node.
    pub fn new(ground: &PublicGraph, private: &Graph, tree: &Dendrogram) -> Result<Self> {
        ground.check(&private.shape())?;
        Self::start(ground, Some(private), tree)
    }

    fn start(ground: &PublicGraph, private: Option<&Graph>, tree: &Dendrogram) -> Result<Self> {
        let (leaves, expected) = (tree.leaf_count(), ground.node_count());
        if leaves != expected {
            return Err(Error::shape("leaves", leaves, "edge-rr", expected));
        }
        let arcs = Arcs::new(ground, private);
        let ties = arcs.of_tree(tree, &tree.layout());
        let leaf = |work: &dyn Fn(NodeId) -> u64| -> Vec<u64> {
            (0..leaves as NodeId).map(work).collect()
        };
        let mut nodes = TreeNodes {
            parent: vec![0; leaves],
            size: vec![1; leaves],
            private: leaf(&|node| u64::from(ground.is_private(node))),
            work: leaf(&|node| arcs.work(node)),
        };
        nodes.grow(tree);
        let order = OrderedList::new(&sequence(tree));
        Ok(Self { leaves, arcs, nodes, children: tree.children().to_vec(), ties, order })
    }

    /// How many internal nodes can be picked: all but the root.
    pub fn choices(&self) -> u64 {
        self.children.len().saturating_sub(1) as u64
    }

    /// The likelihoods of the whole tree, in O(n).
    pub fn score(&self) -> TreeScore {
        let of = |(&[a, b], &ties): (&[u32; 2], &TieCounts)| {
            let at = |of: &[u64]| [of[a as usize], of[b as usize]];
            part(ties, at(&self.nodes.size), at(&self.nodes.private))
        };
        self.children.iter().zip(&self.ties).map(of).fold(TreeScore::default(), |sum, x| sum + x)
    }

    /// Looks at the three arrangements around internal node number `choice`, below
    /// [`DendrogramChain::choices`].
    pub fn propose(&self, choice: u64) -> Proposal {
        let index = choice as usize + 1; // 0 is the root
        let node = (self.leaves + index) as u32;
        let parent = self.nodes.parent[node as usize] as usize - self.leaves;
        let [a, b] = self.children[index];
        let [left, right] = self.children[parent];
        let groups = [a, b, if left == node { right } else { left }];
        let at = |of: &[u64]| groups.map(|group| of[group as usize]);
        let work = at(&self.nodes.work);
        // Only the smallest group's edges are looked at; the other two counts follow from sums that are known.
        let smallest = (0..3).min_by_key(|&group| work[group]).unwrap_or(0);
        let ties = self.between(groups, smallest, self.ties[index], self.ties[parent]);
        let (size, private) = (at(&self.nodes.size), at(&self.nodes.private));
        Proposal { node, groups, ties, size, private, smallest }
    }

    /// The ties between the three groups, from the edges of the smallest and two known sums.
    fn between(
        &self,
        groups: [u32; 3],
        smallest: usize,
        inner: TieCounts,
        outer: TieCounts,
    ) -> [TieCounts; 3] {
        let others = [(smallest + 1) % 3, (smallest + 2) % 3];
        let labels = others.map(|other| {
            let (first, last) = self.ends(groups[other]);
            (self.order.label(first), self.order.label(last))
        });
        let mut found = [TieCounts::default(); 2];
        let (mut entry, last) = self.ends(groups[smallest]);
        loop {
            if (entry as usize) < self.leaves {
                self.arcs.add(entry, &mut found, |other| {
                    let label = self.order.label(other);
                    labels.iter().position(|&(first, last)| (first..=last).contains(&label))
                });
            }
            if entry == last {
                break;
            }
            entry = self.order.after(entry);
        }
        // `ties[i]` is between the groups other than i: what the smallest shares with one of the
        // others is filed under the third.
        let mut ties = [TieCounts::default(); 3];
        ties[others[1]] = found[0];
        ties[others[0]] = found[1];
        match smallest {
            // The sibling was scanned: what is between the two children is the node's own count.
            2 => ties[2] = inner,
            at => ties[at] = outer - ties[1 - at],
        }
        ties
    }

    /// Puts group `outside` of the proposal next to the other two.
    pub fn rearrange(&mut self, proposal: &Proposal, outside: usize) {
        if outside == Self::NOW {
            return;
        }
        let Proposal { node, groups, ties, smallest, .. } = *proposal;
        let inside = [(outside + 1) % 3, (outside + 2) % 3];
        self.reorder(proposal, outside, inside);
        let index = node as usize - self.leaves;
        let parent = self.nodes.parent[node as usize] as usize;
        let pair = inside.map(|group| groups[group]);
        self.children[index] = pair;
        self.children[parent - self.leaves] = [node, groups[outside]];
        pair.iter().for_each(|&child| self.nodes.parent[child as usize] = node);
        self.nodes.parent[groups[outside] as usize] = parent as u32;
        self.ties[index] = ties[outside];
        // Above the node: the ties of the outside group to either of the two inside.
        self.ties[parent - self.leaves] = ties[inside[0]] + ties[inside[1]];
        self.nodes.sum_up(node, pair);
        debug_assert!(smallest < 3);
    }

    /// Moves the smallest group so that the two inside are neighbours, and the marks of the node
    /// around them.
    fn reorder(&mut self, proposal: &Proposal, outside: usize, inside: [usize; 2]) {
        let Proposal { node, groups, smallest, .. } = *proposal;
        let (first, last) = self.ends(groups[smallest]);
        let (opens, closes) = self.ends(node);
        let (parent_opens, _) = self.ends(self.nodes.parent[node as usize]);
        // The mark at the end goes aside; the one at the beginning is put where it belongs at the end.
        self.order.move_behind(parent_opens, closes, closes);
        let partner = match smallest {
            at if at == outside => None,
            at if at == inside[0] => Some(inside[1]),
            _ => Some(inside[0]),
        };
        match partner {
            // Out of the way of the other two.
            None => self.order.move_behind(closes, first, last),
            Some(partner) => {
                let (_, partner_last) = self.ends(groups[partner]);
                self.order.move_behind(partner_last, first, last);
            }
        }
        let [one, other] = inside.map(|group| self.ends(groups[group]));
        let forward = self.order.label(one.0) < self.order.label(other.0);
        let (start, end) = if forward { (one.0, other.1) } else { (other.0, one.1) };
        self.order.move_behind(end, closes, closes);
        let before = self.order.before(start);
        if before != opens {
            self.order.move_behind(before, opens, opens);
        }
    }

    /// The first and last entry of a tree node in the list.
    fn ends(&self, node: u32) -> (u32, u32) {
        marks(self.leaves, node)
    }

    /// The tree as it is now.
    pub fn dendrogram(&self) -> Dendrogram {
        let leaves = self.leaves as u32;
        // Breadth first from the root, so that parents are numbered before their children.
        let mut queue: Vec<u32> = if self.children.is_empty() { vec![] } else { vec![leaves] };
        let mut children = Vec::with_capacity(self.children.len());
        let mut next = 0;
        while next < queue.len() {
            let renamed = self.children[(queue[next] - leaves) as usize].map(|child| {
                if child < leaves {
                    return child;
                }
                queue.push(child);
                leaves + queue.len() as u32 - 1
            });
            children.push(renamed);
            next += 1;
        }
        Dendrogram::from_ordered(self.leaves, children)
    }
}

impl TreeNodes {
    /// Adds the internal nodes of a tree.
    fn grow(&mut self, tree: &Dendrogram) {
        let leaves = tree.leaf_count();
        let all = leaves + tree.internal_count();
        self.parent.resize(all, 0);
        [&mut self.size, &mut self.private, &mut self.work].into_iter().for_each(|of| {
            of.resize(all, 0);
        });
        // Children have larger numbers than their parents: from the end, both are summed before they are needed.
        for (index, &pair) in tree.children().iter().enumerate().rev() {
            let node = (leaves + index) as u32;
            pair.iter().for_each(|&child| self.parent[child as usize] = node);
            self.sum_up(node, pair);
        }
    }

    fn sum_up(&mut self, node: u32, [a, b]: [u32; 2]) {
        for of in [&mut self.size, &mut self.private, &mut self.work] {
            of[node as usize] = of[a as usize] + of[b as usize];
        }
    }
}

impl Proposal {
    /// What the two nodes contribute if group 0, 1 or 2 stays outside; 2 is how it is now.
    pub fn scores(&self) -> [TreeScore; 3] {
        std::array::from_fn(|outside| {
            let (one, other) = ((outside + 1) % 3, (outside + 2) % 3);
            let pair = |of: &[u64; 3]| [of[one], of[other]];
            let rest = |of: &[u64; 3]| [of[one] + of[other], of[outside]];
            let outer = self.ties[one] + self.ties[other];
            part(self.ties[outside], pair(&self.size), pair(&self.private))
                + part(outer, rest(&self.size), rest(&self.private))
        })
    }
}

/// What an internal node contributes: public edges among all its pairs, private edges among those
/// of its pairs that may be private and are not public.
fn part(ties: TieCounts, size: [u64; 2], private: [u64; 2]) -> TreeScore {
    TreeScore {
        public: log_likelihood(ties.public(), size[0] * size[1]),
        // Public edges between private nodes are no candidates for private ones.
        private: log_likelihood(ties.private, private[0] * private[1] - ties.known),
    }
}

/// The entries of a tree node: a leaf is one, an internal node opens and closes.
fn marks(leaves: usize, node: u32) -> (u32, u32) {
    match (node as usize).checked_sub(leaves) {
        None => (node, node),
        Some(index) => ((leaves + 2 * index) as u32, (leaves + 2 * index + 1) as u32),
    }
}

/// Leaves and marks of a tree from left to right.
fn sequence(tree: &Dendrogram) -> Vec<u32> {
    let leaves = tree.leaf_count();
    let mut sequence = Vec::with_capacity(leaves + 2 * tree.internal_count());
    // A number below `leaves + internal` is a node to visit; beyond, one to close.
    let all = (leaves + tree.internal_count()) as u32;
    let mut work =
        if tree.internal_count() > 0 { vec![leaves as u32] } else { (0..leaves as u32).collect() };
    while let Some(node) = work.pop() {
        if node >= all {
            sequence.push(marks(leaves, node - all).1);
            continue;
        }
        sequence.push(marks(leaves, node).0);
        if node as usize >= leaves {
            let [left, right] = tree.children()[node as usize - leaves];
            work.extend([node + all, right, left]);
        }
    }
    sequence
}

#[cfg(test)]
mod tests {
    //! The chain against recounting from scratch, and against its target on every small tree.

    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::edges::comparison::hrg::PrivateNodes;
    use crate::edges::comparison::hrg::Unpaid;
    use crate::edges::comparison::hrg::fit::law;
    use crate::noise::RandomWords;
    use privet_data::synthetic::BarabasiAlbert;
    use privet_graph::{Direction, GraphBuilder};

    /// The clusters of a tree as sets of leaves: equal trees have equal clusters.
    fn clusters(tree: &Dendrogram) -> BTreeSet<u64> {
        let layout = tree.layout();
        let set = |index: usize| {
            let node = (tree.leaf_count() + index) as u32;
            layout.below(node).iter().map(|&leaf| 1u64 << leaf).sum()
        };
        (0..tree.internal_count()).map(set).collect()
    }

    fn graph(nodes: usize, bits: u64) -> Graph {
        let pairs = (0..nodes as NodeId).flat_map(|u| (0..u).map(move |v| (u, v)));
        let edges = pairs.enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, pair)| pair);
        GraphBuilder::new(nodes, Direction::Undirected).edges(edges).build().unwrap().0
    }

    /// Thousands of random rearrangements of a graph with all three kinds of edges: the counts kept equal
    /// the counts of a chain started from the tree as it is.
    #[test]
    fn kept_counts_equal_recounted_ones() {
        let all = BarabasiAlbert { nodes: 60, edges_per_node: 4 }.generate(3).unwrap();
        let (mut public, mut private) = (Vec::new(), Vec::new());
        for (u, v) in all.graph().edges() {
            let secret = u % 5 != 0 && v % 5 != 0 && (u + v) % 2 == 0;
            if secret { private.push((u, v)) } else { public.push((u, v)) }
        }
        let build = |edges: Vec<(NodeId, NodeId)>| {
            GraphBuilder::new(60, Direction::Undirected).edges(edges).build().unwrap().0
        };
        let declared = PrivateNodes::Only((0..60).filter(|node| node % 5 != 0).collect());
        let ground = PublicGraph::new(build(public), declared).unwrap();
        let private = build(private);
        for (seed, start) in [
            (1, Dendrogram::random(60, 1).unwrap()),
            // A caterpillar: the deepest tree there is.
            (
                2,
                Dendrogram::from_merges(
                    60,
                    &(0..59).map(|i| [i + 1, if i == 0 { 0 } else { 59 + i }]).collect::<Vec<_>>(),
                )
                .unwrap(),
            ),
        ] {
            let mut chain = DendrogramChain::new(&ground, &private, &start).unwrap();
            let mut rng = Unpaid::new(seed, 9);
            for step in 0..6000 {
                let proposal = chain.propose(rng.below(chain.choices()));
                let (scores, before) = (proposal.scores(), chain.score());
                let outside = rng.below(3) as usize;
                chain.rearrange(&proposal, outside);
                if step % 40 == 0 {
                    let fresh =
                        DendrogramChain::new(&ground, &private, &chain.dendrogram()).unwrap();
                    let (kept, recounted) = (chain.score(), fresh.score());
                    assert!((kept.public - recounted.public).abs() < 1e-9);
                    assert!((kept.private - recounted.private).abs() < 1e-9);
                    let gained = scores[outside].private - scores[DendrogramChain::NOW].private;
                    assert!((kept.private - before.private - gained).abs() < 1e-9);
                    let gained = scores[outside].public - scores[DendrogramChain::NOW].public;
                    assert!((kept.public - before.public - gained).abs() < 1e-9);
                }
            }
        }
    }

    /// The exact transition matrix of the code as it runs, on all trees of 4 and 5 leaves: its one
    /// stationary law is the target `exp(L_pub + c L_pri)`.
    #[test]
    fn the_stationary_law_is_the_target() {
        for (leaves, trees) in [(4usize, 15), (5, 105)] {
            let pairs = leaves * (leaves - 1) / 2;
            for seed in 0..6u64 {
                let bits = Unpaid::new(seed, 4).below(1 << pairs);
                let public = graph(leaves, bits & 0x155);
                let private = graph(leaves, bits & !0x155 & ((1 << pairs) - 1));
                let ground = PublicGraph::new(public, PrivateNodes::All).unwrap();
                let c = 0.3 + seed as f64;
                let chain =
                    |tree: &Dendrogram| DendrogramChain::new(&ground, &private, tree).unwrap();
                // Every tree that can be reached from one.
                let first = Dendrogram::random(leaves, seed).unwrap();
                let mut found = BTreeMap::from([(clusters(&first), first.clone())]);
                let mut open = vec![first];
                let mut flow: BTreeMap<(BTreeSet<u64>, BTreeSet<u64>), f64> = BTreeMap::new();
                while let Some(tree) = open.pop() {
                    let here = chain(&tree);
                    for choice in 0..here.choices() {
                        let proposal = here.propose(choice);
                        let law =
                            law(proposal.scores().map(|score| score.public + c * score.private));
                        for (outside, p) in law.into_iter().enumerate() {
                            let mut moved = here.clone();
                            moved.rearrange(&proposal, outside);
                            let next = moved.dendrogram();
                            *flow.entry((clusters(&tree), clusters(&next))).or_default() +=
                                p / here.choices() as f64;
                            if found.insert(clusters(&next), next.clone()).is_none() {
                                open.push(next);
                            }
                        }
                    }
                }
                assert_eq!(found.len(), trees);
                let target: BTreeMap<_, f64> = found
                    .iter()
                    .map(|(key, tree)| {
                        let score = chain(tree).score();
                        (key.clone(), (score.public + c * score.private).exp())
                    })
                    .collect();
                let mut arrived: BTreeMap<_, f64> = BTreeMap::new();
                for ((from, to), p) in &flow {
                    *arrived.entry(to.clone()).or_default() += target[from] * p;
                    // Detailed balance, which is more than stationarity.
                    let back = flow.get(&(to.clone(), from.clone())).copied().unwrap_or_default();
                    assert!(
                        (target[from] * p - target[to] * back).abs()
                            < 1e-12 * target[from].max(1.0)
                    );
                }
                for (key, weight) in &target {
                    assert!((arrived[key] / weight - 1.0).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn shapes_are_checked() {
        let ground = PublicGraph::all_private(3).unwrap();
        assert!(DendrogramChain::public(&ground, &Dendrogram::random(4, 1).unwrap()).is_err());
        assert!(
            DendrogramChain::new(&ground, &graph(4, 1), &Dendrogram::random(3, 1).unwrap())
                .is_err()
        );
        for leaves in 0..3 {
            let ground = PublicGraph::all_private(leaves).unwrap();
            let tree = Dendrogram::random(leaves, 1).unwrap();
            let chain = DendrogramChain::public(&ground, &tree).unwrap();
            assert_eq!((chain.choices(), chain.score()), (0, TreeScore::default()));
            assert_eq!(chain.dendrogram().leaf_count(), leaves);
        }
    }

    /// A path of four private people, whose first edge is public: by hand. A pair that is known to be public cannot be a
    /// private edge.
    #[test]
    fn likelihoods_by_hand() {
        let build = |edges: &[(NodeId, NodeId)]| {
            let builder = GraphBuilder::new(4, Direction::Undirected).edges(edges.iter().copied());
            builder.build().unwrap().0
        };
        let ground = PublicGraph::new(build(&[(0, 1), (1, 2)]), PrivateNodes::All).unwrap();
        let tree = Dendrogram::balanced(&[0, 2, 1, 3]).unwrap();
        let score = DendrogramChain::new(&ground, &build(&[(2, 3)]), &tree).unwrap().score();
        // Between {0, 2} and {1, 3}: two public edges among four pairs, one private among the other two.
        assert!((score.public - 4.0 * 0.5_f64.ln()).abs() < 1e-12, "{score:?}");
        assert!((score.private - 2.0 * 0.5_f64.ln()).abs() < 1e-12, "{score:?}");
    }

    /// Node 3 cannot have private edges: its public edges are open, not known, and count for the public likelihood alone.
    #[test]
    fn open_edges_are_public_ones() {
        let build = |edges: &[(NodeId, NodeId)]| {
            let builder = GraphBuilder::new(4, Direction::Undirected).edges(edges.iter().copied());
            builder.build().unwrap().0
        };
        let declared = PrivateNodes::Only(vec![0, 1, 2]);
        let ground = PublicGraph::new(build(&[(0, 3), (1, 3), (0, 2)]), declared).unwrap();
        let tree = Dendrogram::balanced(&[0, 1, 2, 3]).unwrap();
        let arcs = Arcs::new(&ground, Some(&build(&[(1, 2)])));
        let ties = arcs.of_tree(&tree, &tree.layout());
        let at_the_root = TieCounts { open: 2, known: 1, private: 1 };
        assert_eq!(ties, [at_the_root, TieCounts::default(), TieCounts::default()]);
        // Three public edges among the four pairs at the root.
        let score = DendrogramChain::public(&ground, &tree).unwrap().score();
        assert!((score.public - (3.0 * 0.75_f64.ln() + 0.25_f64.ln())).abs() < 1e-12, "{score:?}");
    }

    /// Leaves from left to right, each internal node around its own: of every size, also where there is no step to make.
    #[test]
    fn a_tree_is_written_as_brackets() {
        let of = |line: &[NodeId]| sequence(&Dendrogram::balanced(line).unwrap());
        assert!(of(&[]).is_empty());
        assert_eq!(of(&[0]), [0]);
        assert_eq!(of(&[1, 0]), [2, 1, 0, 3]);
        // The root is 4 and its children are 5, with leaves 2 and 0, and 6, with 1 and 3, or the other way round.
        let tree = Dendrogram::balanced(&[2, 0, 1, 3]).unwrap();
        let [left, right] = tree.children()[0].map(|node| 4 + 2 * (node - 4));
        assert_eq!(sequence(&tree), [4, left, 2, 0, left + 1, right, 1, 3, right + 1, 5]);
    }
}
