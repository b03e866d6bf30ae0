//! How many small subgraphs there are: stars, triangles, cycles of four, and pairs within two steps.
//!
//! Directions and self-loops are left out: two nodes are connected or not. Nothing here protects anyone; noise is
//! for the trusted base.

use rayon::prelude::*;

use crate::{Direction, Graph, NodeId};

/// The rows of a graph as pairs of nodes that are connected or not: sorted, without self-loops.
///
/// ```
/// use privet_graph::subgraph_counts::PlainGraph;
/// use privet_graph::{Direction, GraphBuilder};
/// // A square with one diagonal.
/// let edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)];
/// let graph = GraphBuilder::new(4, Direction::Undirected).edges(edges).build()?.0;
/// let plain = PlainGraph::of(&graph);
/// assert_eq!((plain.edges(), plain.triangles()), (5, 2));
/// let paths = plain.two_step_counts();
/// assert_eq!((paths.four_cycles, paths.pairs_within_two, paths.most_shared), (1, 6, 2));
/// # Ok::<(), privet_graph::Error>(())
/// ```
#[derive(Debug)]
pub struct PlainGraph<'a> {
    graph: std::borrow::Cow<'a, Graph>,
    loops: bool,
}

/// What paths of two edges say about all pairs of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TwoStepCounts {
    /// Cycles of four nodes.
    pub four_cycles: u64,
    /// Pairs of nodes that are connected or know a common node.
    pub pairs_within_two: u64,
    /// The most common neighbours that any two nodes have, connected or not.
    pub most_shared: u64,
}

impl<'a> PlainGraph<'a> {
    /// The pairs of a graph; of arcs in both directions there is one.
    pub fn of(graph: &'a Graph) -> Self {
        use std::borrow::Cow;
        let undirected = match graph.direction() {
            Direction::Undirected => Cow::Borrowed(graph),
            // Fails for too many nodes only, and these nodes are already in a graph.
            Direction::Directed => graph.to_undirected().map_or(Cow::Borrowed(graph), Cow::Owned),
        };
        Self { loops: undirected.self_loop_count() > 0, graph: undirected }
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.graph.node_count()
    }

    /// The other nodes that a node is connected to, ascending.
    pub fn neighbors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.graph.neighbors(node).iter().copied().filter(move |&other| other != node)
    }

    /// How many other nodes a node is connected to.
    pub fn degree(&self, node: NodeId) -> u64 {
        let row = self.graph.neighbors(node);
        let own = self.loops && row.binary_search(&node).is_ok();
        row.len() as u64 - u64::from(own)
    }

    /// Every node's degree.
    pub fn degrees(&self) -> Vec<u64> {
        let nodes = 0..self.node_count() as NodeId;
        nodes.into_par_iter().map(|node| self.degree(node)).collect()
    }

    /// How many pairs are connected.
    pub fn edges(&self) -> u64 {
        self.degrees().iter().sum::<u64>() / 2
    }

    /// How many triangles there are. Each is found once, from the node of least degree (the earlier one of equals): its
    /// other two nodes are later in that order. A node has at most `√(2 edges)` later neighbours, so the work is
    /// `O(edges^1.5)` whatever the largest degree is.
    pub fn triangles(&self) -> u64 {
        let degrees = self.degrees();
        let place = |node: NodeId| (degrees[node as usize], node);
        let later = |node: NodeId| {
            let own = place(node);
            self.neighbors(node).filter(move |&other| place(other) > own)
        };
        let rows: Vec<Vec<NodeId>> = (0..self.node_count() as NodeId)
            .into_par_iter()
            .map(|node| later(node).collect())
            .collect();
        rows.par_iter()
            .map(|row| {
                let closed = |&other: &NodeId| common(row, &rows[other as usize]);
                row.iter().map(closed).sum::<u64>()
            })
            .sum()
    }

    /// Stars with so many rays: `Σ C(degree, rays)`, at most `u64::MAX`.
    pub fn stars(&self, rays: u64) -> u64 {
        let all: u128 = self.degrees().iter().map(|&degree| choose(degree, rays)).sum();
        u64::try_from(all).unwrap_or(u64::MAX)
    }

    /// Looks at every path of two edges: `O(Σ degree²)`.
    pub fn two_step_counts(&self) -> TwoStepCounts {
        let count = self.node_count();
        let fresh = || (vec![0u32; count], Vec::new());
        let of_node = |(shared, met): &mut (Vec<u32>, Vec<NodeId>), node: NodeId| {
            for middle in self.neighbors(node) {
                // Rows ascend: each pair is looked at from its smaller node.
                let row = self.graph.neighbors(middle);
                let after = row.partition_point(|&other| other <= node);
                for &other in row[after..].iter().filter(|&&other| other != middle) {
                    if shared[other as usize] == 0 {
                        met.push(other);
                    }
                    shared[other as usize] += 1;
                }
            }
            let mut found = TwoStepCounts::default();
            for &other in met.iter() {
                let common = u64::from(shared[other as usize]);
                // Two of the common neighbours and the pair are a cycle, seen from both of its diagonals.
                found.four_cycles += common * (common - 1) / 2;
                found.most_shared = found.most_shared.max(common);
            }
            let direct = self.neighbors(node).filter(|&other| other > node);
            let direct = direct.filter(|&other| shared[other as usize] == 0).count();
            found.pairs_within_two = (met.len() + direct) as u64;
            met.drain(..).for_each(|other| shared[other as usize] = 0);
            found
        };
        let add = |one: TwoStepCounts, other: TwoStepCounts| TwoStepCounts {
            four_cycles: one.four_cycles.saturating_add(other.four_cycles),
            pairs_within_two: one.pairs_within_two + other.pairs_within_two,
            most_shared: one.most_shared.max(other.most_shared),
        };
        let found = (0..count as NodeId)
            .into_par_iter()
            .map_init(fresh, of_node)
            .reduce(TwoStepCounts::default, add);
        TwoStepCounts { four_cycles: found.four_cycles / 2, ..found }
    }
}

/// How many nodes two ascending rows have in common.
fn common(one: &[NodeId], other: &[NodeId]) -> u64 {
    let (mut a, mut b, mut found) = (0, 0, 0);
    while a < one.len() && b < other.len() {
        let (x, y) = (one[a], other[b]);
        found += u64::from(x == y);
        a += usize::from(x <= y);
        b += usize::from(y <= x);
    }
    found
}

/// `C(of, chosen)` for small `chosen`.
pub fn choose(of: u64, chosen: u64) -> u128 {
    if chosen > of {
        return 0;
    }
    // Every prefix of the product is a binomial coefficient itself, so the divisions are exact.
    (1..=chosen).fold(1u128, |product, at| product * u128::from(of + 1 - at) / u128::from(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphBuilder;

    fn graph(count: usize, edges: &[(NodeId, NodeId)]) -> Graph {
        let builder = GraphBuilder::new(count, Direction::Undirected);
        builder.edges(edges.iter().copied()).build().unwrap().0
    }

    /// Counts by looking at all sets of nodes.
    fn by_hand(graph: &Graph) -> (u64, u64, TwoStepCounts) {
        let count = graph.node_count() as NodeId;
        let linked = |a: NodeId, b: NodeId| a != b && graph.has_edge(a, b);
        let mut found = (0, 0, TwoStepCounts::default());
        for a in 0..count {
            for b in 0..count {
                for c in 0..count {
                    found.0 +=
                        u64::from(a < b && b < c && linked(a, b) && linked(b, c) && linked(a, c));
                    found.1 += u64::from(b < c && linked(a, b) && linked(a, c));
                    for d in 0..count {
                        // The smallest node first, its smaller neighbour second: each cycle once.
                        let cycle = linked(a, b) && linked(b, c) && linked(c, d) && linked(d, a);
                        let distinct = a != c && b != d && a < b && a < c && a < d && b < d;
                        found.2.four_cycles += u64::from(cycle && distinct);
                    }
                }
                if a < b {
                    let shared =
                        (0..count).filter(|&c| linked(a, c) && linked(b, c)).count() as u64;
                    found.2.most_shared = found.2.most_shared.max(shared);
                    found.2.pairs_within_two += u64::from(shared > 0 || linked(a, b));
                }
            }
        }
        found
    }

    #[test]
    fn counts_agree_with_all_sets_of_nodes() {
        let pairs =
            |count: NodeId| (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)));
        let complete: Vec<_> = pairs(6).collect();
        let star: Vec<_> = (1..6).map(|leaf| (0, leaf)).collect();
        let some = |seed: u64| -> Vec<_> {
            let kept = move |(a, b): &(NodeId, NodeId)| {
                (u64::from(*a) * 31 + u64::from(*b) * 17 + seed * 7) % 5 < 2
            };
            pairs(12).filter(kept).collect()
        };
        let mut graphs = vec![graph(0, &[]), graph(5, &[]), graph(6, &complete), graph(6, &star)];
        graphs.extend((0..8).map(|seed| graph(12, &some(seed))));
        for graph in graphs {
            let (triangles, two_stars, paths) = by_hand(&graph);
            let plain = PlainGraph::of(&graph);
            assert_eq!((plain.triangles(), plain.stars(2)), (triangles, two_stars));
            assert_eq!(plain.two_step_counts(), paths);
        }
    }

    #[test]
    fn directions_and_loops_do_not_count() {
        let builder = GraphBuilder::new(3, Direction::Directed);
        let arcs = [(0, 1), (1, 0), (1, 2), (2, 0)];
        let directed = builder.edges(arcs).build().unwrap().0;
        let plain = PlainGraph::of(&directed);
        assert_eq!((plain.edges(), plain.triangles(), plain.stars(2)), (3, 1, 3));
        let looped = GraphBuilder::new(2, Direction::Undirected)
            .self_loops(crate::SelfLoops::Keep)
            .edges([(0, 0), (0, 1)])
            .build()
            .unwrap()
            .0;
        let plain = PlainGraph::of(&looped);
        assert_eq!((plain.edges(), plain.degree(0), plain.stars(2)), (1, 1, 0));
        assert_eq!(plain.two_step_counts().pairs_within_two, 1);
    }

    #[test]
    fn binomial_coefficients() {
        assert_eq!([choose(5, 2), choose(5, 3), choose(2, 3), choose(7, 0)], [10, 10, 0, 1]);
    }
}
