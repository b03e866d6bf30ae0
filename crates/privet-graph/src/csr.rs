//! [`Graph`]: compressed sparse rows with `u32` nodes, checked once in [`GraphBuilder`].
//!
//! Row `u` holds the sorted, distinct neighbours of `u`. An undirected edge stands in the rows of
//! both its endpoints (a kept self-loop stands once in its row), so a user of degree d costs O(d)
//! to visit, and two graphs are equal exactly when their arrays are.
//!
//! Another object may hold the arrays, a mapped file for instance ([`Graph::held`]): whatever reads a
//! graph then reads it from there, without loading it.

mod builder;
mod held;

pub use builder::{BuildReport, GraphBuilder};
use builder::{starts_of, transpose};

use crate::shared_array::SharedArray;
use crate::{Error, Result};

/// A node's position in its graph: `0..node_count`. Users' own ids live in [`crate::NodeIds`].
pub type NodeId = u32;

/// Whether an edge `u - v` also leads from `v` to `u`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Every edge is stored in both rows.
    Undirected,
    /// An arc is stored in its source's row alone.
    Directed,
}

/// What the builder does with an edge from a node to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SelfLoops {
    /// Drop it, and count it in the [`BuildReport`].
    #[default]
    Drop,
    /// Keep it, once, in its node's row.
    Keep,
}

/// A simple graph in compressed sparse rows.
///
/// ```
/// use privet_graph::{Direction, GraphBuilder};
/// let (graph, report) = GraphBuilder::new(4, Direction::Undirected)
///     .edges([(0, 1), (1, 0), (1, 2), (2, 2)])
///     .build()?;
/// assert_eq!((graph.node_count(), graph.edge_count()), (4, 2));   // node 3 is isolated, and kept
/// assert_eq!(graph.neighbors(1), &[0, 2]);
/// assert_eq!((report.duplicates, report.self_loops), (1, 1));
/// # Ok::<(), privet_graph::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    direction: Direction,
    /// `offsets[u]..offsets[u + 1]` is row `u` of `targets`; length `node_count + 1`.
    offsets: SharedArray<usize>,
    targets: SharedArray<NodeId>,
    self_loops: usize,
}

impl Graph {
    /// A graph without edges.
    pub fn empty(node_count: usize, direction: Direction) -> Result<Self> {
        Ok(GraphBuilder::new(node_count, direction).build()?.0)
    }

    /// The directed graph whose row `u` is `rows[u]`: the successors of `u`, ascending, each once.
    ///
    /// No sorting and no list of pairs: each row is copied once and freed at once, so that the
    /// peak is the rows and the graph, 8 bytes an arc.
    ///
    /// ```
    /// use privet_graph::Graph;
    /// let graph = Graph::from_rows(vec![vec![1, 2], vec![], vec![0]])?;
    /// assert_eq!((graph.edge_count(), graph.neighbors(0)), (3, &[1, 2][..]));
    /// # Ok::<(), privet_graph::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a row is not ascending, or names a node that has no row.
    pub fn from_rows(rows: Vec<Vec<NodeId>>) -> Result<Self> {
        let n = rows.len();
        if n >= NodeId::MAX as usize {
            return Err(Error::invalid("node count", n, format!("fewer than {}", NodeId::MAX)));
        }
        let mut offsets = Vec::with_capacity(n + 1);
        offsets.push(0);
        let mut targets = Vec::with_capacity(rows.iter().map(Vec::len).sum());
        let mut self_loops = 0;
        for (u, row) in rows.into_iter().enumerate() {
            // Strictly ascending: sorted, and no target twice.
            if let Some(pair) = row.windows(2).find(|pair| pair[0] >= pair[1]) {
                let found = format!("{} before {}", pair[0], pair[1]);
                return Err(Error::invalid_data("row", found, format!("row {u} ascending")));
            }
            if let Some(&last) = row.last().filter(|&&last| last as usize >= n) {
                return Err(Error::invalid_data(
                    "row",
                    last,
                    format!("in row {u}, nodes below {n}"),
                ));
            }
            // The row ascends, as checked above, so a search is enough.
            self_loops += usize::from(row.binary_search(&(u as NodeId)).is_ok());
            targets.extend_from_slice(&row);
            offsets.push(targets.len());
        }
        let (offsets, targets) = (offsets.into(), targets.into());
        Ok(Self { direction: Direction::Directed, offsets, targets, self_loops })
    }

    /// How many nodes there are, isolated ones included.
    pub fn node_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many edges there are: unordered pairs if undirected, arcs if directed.
    pub fn edge_count(&self) -> usize {
        match self.direction {
            // Every edge stands in two rows, a self-loop in one.
            Direction::Undirected => (self.targets.len() - self.self_loops) / 2 + self.self_loops,
            Direction::Directed => self.targets.len(),
        }
    }

    /// How many entries the rows hold: twice the edges of an undirected graph without self-loops.
    pub fn arc_count(&self) -> usize {
        self.targets.len()
    }

    /// How many self-loops were kept.
    pub fn self_loop_count(&self) -> usize {
        self.self_loops
    }

    /// Directed or undirected.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The row of `node`: its neighbours (successors, if directed), ascending.
    ///
    /// # Panics
    /// If `node` is not below [`Graph::node_count`].
    pub fn neighbors(&self, node: NodeId) -> &[NodeId] {
        let u = node as usize;
        &self.targets[self.offsets[u]..self.offsets[u + 1]]
    }

    /// The length of the row of `node`.
    ///
    /// # Panics
    /// If `node` is not below [`Graph::node_count`].
    pub fn degree(&self, node: NodeId) -> usize {
        let u = node as usize;
        self.offsets[u + 1] - self.offsets[u]
    }

    /// Whether the row of `from` holds `to`; O(log degree).
    pub fn has_edge(&self, from: NodeId, to: NodeId) -> bool {
        (from as usize) < self.node_count() && self.neighbors(from).binary_search(&to).is_ok()
    }

    /// All nodes, ascending.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        0..self.node_count() as NodeId
    }

    /// Every entry of every row, as `(row, neighbour)`, ascending.
    pub fn arcs(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        self.nodes().flat_map(|u| self.neighbors(u).iter().map(move |&v| (u, v)))
    }

    /// Every edge once: `u <= v` if undirected, every arc if directed.
    pub fn edges(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let both_rows = self.direction == Direction::Undirected;
        // Of the two arcs of an undirected edge the one from the smaller end; a loop has one arc.
        self.arcs().filter(move |&(u, v)| !both_rows || u <= v)
    }

    /// Where each row starts in [`Graph::targets`], and one end; for kernels that walk the arrays.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// These rows will not be looked at for a while: if they lie in a file, they need not stay in memory.
    ///
    /// # Panics
    /// If there are no such rows.
    pub fn release(&self, rows: std::ops::Range<usize>) {
        self.targets.release(self.offsets[rows.start]..self.offsets[rows.end]);
    }

    /// All rows, one after the other.
    pub fn targets(&self) -> &[NodeId] {
        &self.targets
    }

    /// The graph with every arc turned around; an undirected graph is its own transpose.
    pub fn transposed(&self) -> Self {
        // A symmetric matrix is its own transpose.
        if self.direction == Direction::Undirected {
            return self.clone();
        }
        // A counting sort by target: rows of the result ascend, since sources are visited in ascending order.
        let starts = starts_of(self.node_count(), self.targets.iter().copied());
        let (offsets, targets) = transpose(starts, &self.offsets, &self.targets);
        let (offsets, targets) = (offsets.into(), targets.into());
        Self { direction: self.direction, offsets, targets, self_loops: self.self_loops }
    }

    /// The undirected graph with an edge wherever this one has an arc either way.
    pub fn to_undirected(&self) -> Result<Self> {
        if self.direction == Direction::Undirected {
            return Ok(self.clone());
        }
        // The builder folds the two arcs of a mutual edge into one.
        let built = GraphBuilder::new(self.node_count(), Direction::Undirected)
            .self_loops(SelfLoops::Keep)
            .edges(self.arcs())
            .build()?;
        Ok(built.0)
    }

    /// The directed graph with both arcs of every edge.
    pub fn to_directed(mut self) -> Self {
        // The rows of an undirected graph already hold both arcs.
        self.direction = Direction::Directed;
        self
    }

    /// The same edges among renamed nodes: node `u` becomes `new_id[u]`, a permutation.
    pub fn relabeled(&self, new_id: &[NodeId]) -> Result<Self> {
        let n = self.node_count();
        let mut seen = vec![false; n];
        let in_range = new_id.iter().all(|&v| (v as usize) < n);
        if new_id.len() != n || !in_range {
            return Err(Error::invalid("new_id", "not a permutation", format!("one of 0..{n}")));
        }
        new_id.iter().for_each(|&v| seen[v as usize] = true);
        // As many targets as nodes, all in range and none twice: a permutation.
        if !seen.iter().all(|&s| s) {
            return Err(Error::invalid("new_id", "a repeated node", format!("all of 0..{n}")));
        }
        let edges = self.edges().map(|(u, v)| (new_id[u as usize], new_id[v as usize]));
        let built = GraphBuilder::new(n, self.direction)
            .self_loops(SelfLoops::Keep)
            .edges(edges)
            .build()?;
        Ok(built.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rejects_a_node_out_of_range() {
        let error = GraphBuilder::new(3, Direction::Directed).edges([(0, 3)]).build().unwrap_err();
        assert_eq!(error.with_values(), "edge is 0 - 3; expected nodes below 3");
    }

    #[test]
    fn no_nodes_no_edges() {
        let graph = Graph::empty(0, Direction::Undirected).unwrap();
        assert_eq!((graph.node_count(), graph.edge_count()), (0, 0));
    }

    #[test]
    fn rows_are_checked() {
        for (rows, message) in [
            (vec![vec![1, 1], vec![]], "row is 1 before 1; expected row 0 ascending"),
            (vec![vec![], vec![1, 0]], "row is 1 before 0; expected row 1 ascending"),
            (vec![vec![0, 2], vec![]], "row is 2; expected in row 0, nodes below 2"),
        ] {
            assert_eq!(Graph::from_rows(rows).unwrap_err().with_values(), message);
        }
        assert_eq!(Graph::from_rows(Vec::new()).unwrap().node_count(), 0);
        assert_eq!(Graph::from_rows(vec![vec![0]]).unwrap().self_loop_count(), 1);
    }

    #[test]
    fn kept_self_loops_count_once() {
        let (graph, report) = GraphBuilder::new(2, Direction::Undirected)
            .self_loops(SelfLoops::Keep)
            .edges([(0, 0), (0, 0), (0, 1)])
            .build()
            .unwrap();
        assert_eq!((graph.edge_count(), graph.arc_count(), graph.self_loop_count()), (2, 3, 1));
        assert_eq!(report, BuildReport { duplicates: 1, self_loops: 0 });
    }

    proptest! {
        /// The builder agrees with a set of pairs, and its rows keep every invariant.
        #[test]
        fn agrees_with_a_set_of_pairs(
            n in 1u32..40,
            raw in proptest::collection::vec((0u32..40, 0u32..40), 0..200),
            directed: bool,
            keep: bool,
        ) {
            let direction = if directed { Direction::Directed } else { Direction::Undirected };
            let pairs: Vec<_> = raw.iter().map(|&(u, v)| (u % n, v % n)).collect();
            let expected: std::collections::BTreeSet<_> = pairs
                .iter()
                .filter(|(u, v)| keep || u != v)
                .map(|&(u, v)| if directed || u <= v { (u, v) } else { (v, u) })
                .collect();
            let policy = if keep { SelfLoops::Keep } else { SelfLoops::Drop };
            let (graph, report) = GraphBuilder::new(n as usize, direction)
                .self_loops(policy)
                .edges(pairs.iter().copied())
                .build()
                .unwrap();
            prop_assert_eq!(graph.edges().collect::<Vec<_>>(), expected.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(graph.edge_count() + report.duplicates + report.self_loops, pairs.len());
            for u in graph.nodes() {
                prop_assert!(graph.neighbors(u).windows(2).all(|w| w[0] < w[1]));
                for &v in graph.neighbors(u) {
                    prop_assert!(directed || graph.has_edge(v, u));
                }
            }
            let rows = graph.nodes().map(|u| graph.neighbors(u).to_vec()).collect();
            prop_assert_eq!(Graph::from_rows(rows).unwrap(), graph.clone().to_directed());
            prop_assert_eq!(graph.transposed().transposed(), graph);
        }
    }
}
