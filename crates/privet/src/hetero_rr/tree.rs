//! [`TreePlan`]: a tree of groups from public edges. It reads nothing private, so it costs nothing.
//!
//! Two steps. First the public graph is agglomerated: the two groups that are nearest to each other join,
//! where groups are near if they have more edges between them than their degrees let expect
//! (`d(A, B) = w(A) w(B) / (2m w(A, B))`, Bonald and others, 2018). That takes seconds on a hundred thousand
//! nodes and gives a better start than any number of random steps. Then a heat-bath chain on the
//! likelihood of the public edges refines it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::attributes::halve;
use crate::graph::{FeatureMatrix, Graph};
use crate::privacy::edges::comparison::hrg::{Dendrogram, FittedTree, PublicFit, PublicGraph};
use crate::privacy::public::Public;
use crate::{Error, Result};

/// How a tree is grown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct TreePlan {
    /// Public data from which the tree of groups is built.
    #[serde(rename = "tree")]
    #[cfg_attr(feature = "clap", arg(id = "tree", long = "tree", value_name = "NAME"))]
    pub start: Start,
    /// Steps per node of the chain on public edges.
    #[serde(rename = "public_steps")]
    #[cfg_attr(
        feature = "clap",
        arg(id = "public_steps", long = "public-steps", value_name = "STEPS")
    )]
    pub steps_per_node: u64,
    /// The seed of the chain; it gives no protection.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub seed: u64,
}

/// Where the chain begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Start {
    /// Public edges, agglomerated.
    #[default]
    Edges,
    /// Public or reported features, halved, then public edges.
    Features,
    /// A random balanced tree.
    #[cfg_attr(feature = "clap", value(skip))]
    Random,
}

impl Default for TreePlan {
    fn default() -> Self {
        Self { start: Start::Edges, steps_per_node: 100, seed: 1 }
    }
}

/// A tree and how it was fitted.
#[derive(Debug, Clone)]
pub struct GrownTree {
    /// The tree: public, because it came from public edges, public rows or a release.
    pub tree: Public<Dendrogram>,
    /// How the chain went.
    pub fit: FittedTree,
}

impl TreePlan {
    /// Grows a tree from the public edges of a ground, and from attributes if it is to begin with them.
    ///
    /// # Errors
    /// If there are too many nodes, or no attributes for each of them.
    pub fn grow(
        &self,
        ground: &PublicGraph,
        attributes: Option<&Public<FeatureMatrix>>,
    ) -> Result<GrownTree> {
        let start = match (self.start, attributes) {
            (Start::Edges, _) => Public::from_public_data(agglomerate(ground.public())?),
            (Start::Random, _) => {
                Public::declared(Dendrogram::random(ground.node_count(), self.seed)?)
            }
            (Start::Features, rows) => {
                let rows = rows.ok_or_else(|| missing_rows(0))?;
                let tree = rows.derive(|rows| halve(rows, self.seed)).transpose()?;
                let found = tree.get().leaf_count();
                if found != ground.node_count() {
                    return Err(missing_rows(found));
                }
                tree
            }
        };
        let fit = PublicFit { steps_per_leaf: self.steps_per_node, seed: self.seed };
        let fit = fit.run(ground, start.get())?;
        Ok(GrownTree { tree: start.derive(|_| fit.tree.clone()), fit })
    }
}

fn missing_rows(found: usize) -> Error {
    let expected = "a row for every node, public or released, for such a tree";
    Error::invalid("rows of attributes", found, expected)
}

/// The tree of an agglomeration by nearest neighbours.
///
/// # Errors
/// If there are too many nodes.
pub fn agglomerate(graph: &Graph) -> Result<Dendrogram> {
    let mut groups = Groups::new(graph);
    let mut roots: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
    for node in graph.nodes() {
        if groups.alive[node as usize] {
            groups.join_component(node);
        }
        if groups.alive[node as usize] && groups.ties[node as usize].is_empty() {
            roots.push(Reverse((groups.size[node as usize], groups.name[node as usize])));
            groups.alive[node as usize] = false;
        }
    }
    // A component may have ended in a node that was passed before.
    for node in graph.nodes().filter(|&node| groups.alive[node as usize]) {
        roots.push(Reverse((groups.size[node as usize], groups.name[node as usize])));
    }
    // Components have nothing to do with each other: the smallest join first.
    while roots.len() > 1 {
        let (Some(Reverse(a)), Some(Reverse(b))) = (roots.pop(), roots.pop()) else { break };
        groups.merges.push([a.1, b.1]);
        let name = (graph.node_count() + groups.merges.len() - 1) as u32;
        roots.push(Reverse((a.0 + b.0, name)));
    }
    Ok(Dendrogram::from_merges(graph.node_count(), &groups.merges)?)
}

/// Groups on their way to one tree. A group lives in the slot of one of its nodes.
struct Groups {
    /// Edges to other groups.
    ties: Vec<BTreeMap<u32, u64>>,
    /// Sum of degrees.
    weight: Vec<u64>,
    /// Leaves.
    size: Vec<u32>,
    /// What the tree calls the group.
    name: Vec<u32>,
    alive: Vec<bool>,
    merges: Vec<[u32; 2]>,
}

impl Groups {
    fn new(graph: &Graph) -> Self {
        let count = graph.node_count();
        let ties = |node: u32| {
            let others = graph.neighbors(node).iter().filter(move |&&other| other != node);
            others.map(|&other| (other, 1)).collect()
        };
        Self {
            ties: graph.nodes().map(ties).collect(),
            weight: graph.nodes().map(|node| graph.degree(node) as u64).collect(),
            size: vec![1; count],
            name: (0..count as u32).collect(),
            alive: vec![true; count],
            merges: Vec::with_capacity(count.saturating_sub(1)),
        }
    }

    /// Joins all that hangs together with a node, following the chain of nearest neighbours: the
    /// distance is reducible, so two groups that are each other's nearest may join at once.
    fn join_component(&mut self, node: u32) {
        let mut chain = vec![node];
        while let Some(&last) = chain.last() {
            let before = chain.len().checked_sub(2).map(|at| chain[at]);
            match self.nearest(last, before) {
                None => {
                    chain.pop();
                }
                Some(near) if Some(near) == before => {
                    chain.truncate(chain.len() - 2);
                    let joined = self.join(last, near);
                    if chain.is_empty() {
                        chain.push(joined);
                    }
                }
                Some(near) => chain.push(near),
            }
        }
    }

    /// The nearest other group; of several the one before in the chain, then the lowest slot.
    fn nearest(&self, group: u32, before: Option<u32>) -> Option<u32> {
        // The smallest w(B) / w(A, B): compared by cross products, without rounding.
        let farther = |a: (u64, u64), b: (u64, u64)| {
            u128::from(a.0) * u128::from(b.1) > u128::from(b.0) * u128::from(a.1)
        };
        let mut best: Option<(u32, (u64, u64))> = None;
        for (&other, &ties) in &self.ties[group as usize] {
            let distance = (self.weight[other as usize], ties);
            let better = match best {
                None => true,
                Some((_, so_far)) if farther(so_far, distance) => true,
                Some((_, so_far)) => !farther(distance, so_far) && Some(other) == before,
            };
            if better {
                best = Some((other, distance));
            }
        }
        best.map(|(other, _)| other)
    }

    /// Joins two groups in the slot of the one with more ties; gives that slot.
    fn join(&mut self, a: u32, b: u32) -> u32 {
        let more = self.ties[a as usize].len() >= self.ties[b as usize].len();
        let (stays, goes) = if more { (a, b) } else { (b, a) };
        for (other, ties) in std::mem::take(&mut self.ties[goes as usize]) {
            self.ties[other as usize].remove(&goes);
            if other != stays {
                *self.ties[other as usize].entry(stays).or_default() += ties;
                *self.ties[stays as usize].entry(other).or_default() += ties;
            }
        }
        self.merges.push([self.name[a as usize], self.name[b as usize]]);
        let (stays_at, goes_at) = (stays as usize, goes as usize);
        self.weight[stays_at] += self.weight[goes_at];
        self.size[stays_at] += self.size[goes_at];
        self.name[stays_at] = (self.alive.len() + self.merges.len() - 1) as u32;
        self.alive[goes_at] = false;
        stays
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::{StochasticBlocks, karate_club};
    use crate::graph::{Direction, GraphBuilder};
    use crate::privacy::edges::comparison::hrg::{DendrogramChain, PrivateNodes};

    #[test]
    fn every_graph_has_a_tree() {
        for graph in [
            Graph::empty(0, Direction::Undirected).unwrap(),
            Graph::empty(1, Direction::Undirected).unwrap(),
            Graph::empty(5, Direction::Undirected).unwrap(),
            GraphBuilder::new(6, Direction::Undirected).edges([(0, 1), (4, 5)]).build().unwrap().0,
            karate_club().unwrap().graph().clone(),
        ] {
            assert_eq!(agglomerate(&graph).unwrap().leaf_count(), graph.node_count());
        }
    }

    /// Neighbours in a path join first, and the two halves of two cliques meet at the root.
    #[test]
    fn groups_that_belong_together_join() {
        let clique = |from: u32| (from..from + 5).flat_map(move |u| (from..u).map(move |v| (u, v)));
        let edges = clique(0).chain(clique(5)).chain([(0, 5)]);
        let graph = GraphBuilder::new(10, Direction::Undirected).edges(edges).build().unwrap().0;
        let tree = agglomerate(&graph).unwrap();
        let [left, _] = tree.children()[0];
        let mut side = tree.layout().below(left).to_vec();
        side.sort_unstable();
        assert!(side == [0, 1, 2, 3, 4] || side == [5, 6, 7, 8, 9], "{side:?}");
    }

    /// The agglomerated tree explains a graph with communities far better than a random one, and the
    /// chain does not make it worse.
    #[test]
    fn a_good_start_helps() {
        let blocks = StochasticBlocks {
            nodes: 300,
            classes: 4,
            features: 4,
            mean_degree: 7.0,
            ..Default::default()
        };
        let graph = blocks.generate(3).unwrap().graph().clone();
        let ground = PublicGraph::new(graph, PrivateNodes::All).unwrap();
        let score =
            |tree: &Dendrogram| DendrogramChain::public(&ground, tree).unwrap().score().public;
        let random = score(&Dendrogram::random(300, 1).unwrap());
        let joined = score(&agglomerate(ground.public()).unwrap());
        let plan = TreePlan { steps_per_node: 50, ..TreePlan::default() };
        let grown = score(plan.grow(&ground, None).unwrap().tree.get());
        assert!(joined > random && grown > joined, "{random} {joined} {grown}");
    }
}
