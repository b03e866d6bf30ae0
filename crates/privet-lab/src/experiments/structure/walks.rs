//! How far random walks end up elsewhere: the root mean square over all pairs of the difference between
//! the two k-hop transition matrices. Rows are walked one by one, so no matrix is ever stored; on large
//! graphs a seeded sample of rows stands for all.

use privet::graph::{Graph, NodeId, SimRng};
use rand::seq::SliceRandom;
use rayon::prelude::*;

/// The distances of 1 to `hops` hops, over at most `rows` starting nodes.
pub fn distance(a: &Graph, b: &Graph, hops: usize, rows: usize, seed: u64) -> Vec<f64> {
    let mut starts: Vec<NodeId> = a.nodes().collect();
    if starts.len() > rows {
        starts.shuffle(&mut SimRng::stream(seed, 21));
        starts.truncate(rows);
        starts.sort_unstable();
    }
    if starts.is_empty() {
        return vec![0.0; hops];
    }
    let per_start: Vec<Vec<f64>> = starts
        .par_iter()
        .map(|&start| {
            let (mut left, mut right) = (SparseWalk::from(a, start), SparseWalk::from(b, start));
            let square = |_| {
                left.hop(a);
                right.hop(b);
                left.squared_distance(&right)
            };
            (0..hops).map(square).collect()
        })
        .collect();
    let cells = starts.len() as f64 * a.node_count() as f64;
    let total = |hop: usize| per_start.iter().map(|squares| squares[hop]).sum::<f64>();
    (0..hops).map(|hop| (total(hop) / cells).sqrt()).collect()
}

/// Where a walk is: a dense row, and which entries of it are not zero.
struct SparseWalk {
    here: Vec<f64>,
    next: Vec<f64>,
    touched: Vec<NodeId>,
}

impl SparseWalk {
    fn from(graph: &Graph, start: NodeId) -> Self {
        let mut here = vec![0.0; graph.node_count()];
        here[start as usize] = 1.0;
        Self { next: vec![0.0; here.len()], here, touched: vec![start] }
    }

    /// One step; a node without neighbours stays.
    fn hop(&mut self, graph: &Graph) {
        let mut reached = Vec::new();
        for &node in &self.touched {
            let mass = std::mem::take(&mut self.here[node as usize]);
            let alone = [node];
            let row = match graph.neighbors(node) {
                [] => &alone[..],
                row => row,
            };
            let each = mass / row.len() as f64;
            for &other in row {
                if self.next[other as usize] == 0.0 {
                    reached.push(other);
                }
                self.next[other as usize] += each;
            }
        }
        std::mem::swap(&mut self.here, &mut self.next);
        self.touched = reached;
    }

    fn squared_distance(&self, other: &Self) -> f64 {
        let square = |node: &NodeId| {
            let at = *node as usize;
            (self.here[at] - other.here[at]).powi(2)
        };
        let only_there = other.touched.iter().filter(|&&node| self.here[node as usize] == 0.0);
        self.touched.iter().map(square).sum::<f64>() + only_there.map(square).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet::graph::{Direction, GraphBuilder};

    /// Against matrices multiplied by hand: a path of three nodes and a star.
    #[test]
    fn distances_are_those_of_the_matrices() {
        let build = |edges: &[(u32, u32)]| {
            let builder = GraphBuilder::new(3, Direction::Undirected);
            builder.edges(edges.iter().copied()).build().unwrap().0
        };
        let (path, other) = (build(&[(0, 1), (1, 2)]), build(&[(0, 1)]));
        let found = distance(&path, &other, 2, 10, 1);
        // Rows of P: (0,1,0) (.5,0,.5) (0,1,0) against (0,1,0) (1,0,0) (0,0,1).
        let one = (0.25f64 + 0.25 + 1.0 + 1.0) / 9.0;
        // Rows of P²: (.5,0,.5) (0,1,0) (.5,0,.5) against (1,0,0) (0,1,0) (0,0,1).
        let two = (0.25f64 * 4.0) / 9.0;
        assert!((found[0] - one.sqrt()).abs() < 1e-12);
        assert!((found[1] - two.sqrt()).abs() < 1e-12);
    }
}
