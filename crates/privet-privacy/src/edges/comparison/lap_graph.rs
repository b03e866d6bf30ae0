//! A curator adds noise to the number of edges and to every cell, and keeps that many largest cells.
//!
//! # Idea
//! The noisy graph shall have about as many edges as the true one, so a small share of the budget buys
//! a noisy edge count `T`; the rest goes into noise on every cell of the lower triangle.
//!
//! # Equation
//! `T = |E| + DLap(eps1)`, `eps1 = eps / 100`; `c_uv = a_uv + DLap(eps2)` on a grid of 1/1024,
//! `eps2 = eps - eps1`; the edges are the `T` largest cells.
//!
//! # Guarantee
//! Unit [`Edge`], `eps1 + eps2`.
//! *Proof.* One edge moves the count by 1 and one cell by 1 (by 1024 steps of the grid), all other
//! cells by nothing; see [`DiscreteLaplace`]. Choosing the largest is post-processing. ∎
//! So is dropping small cells on the way: which are dropped depends on `T` and the noisy cell alone.
//!
//! # Paper
//! LapGraph of Wu, Long, Zhang and Li, "LinkTeller", 2022; a baseline of the HeteroRR paper.
//!
//! # Differs from paper
//! Discrete noise, on a grid fine enough to look continuous. (On the integers themselves the mechanism
//! would be better: randomised response in disguise, since only "at least 1" says anything.)
//!
//! # Cost
//! One draw per pair, `n (n-1) / 2` in all, on all threads: 20 000 nodes take seconds, 100 000 minutes.
//! Memory is `O(T)`: cells that cannot be among the largest are dropped at once.
//!
//! # Numerics
//! Exact.

use privet_graph::{Graph, NodeId};
use serde_json::json;

use crate::budget::Budget;
use crate::edges::{below, pair_count, undirected};
use crate::error::Result;
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::Epsilon;
use crate::mechanism::{Central, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{DiscreteLaplace, NoiseSource, Numerics, RandomWords};
use crate::origin::shipped;
use crate::unit::Edge;

/// Steps of the grid between no edge and an edge.
pub(crate) const GRID: u64 = 1024;

/// Keeps the largest of all noisy cells.
#[derive(Debug, Clone)]
pub struct LapGraph {
    budget: Budget,
    count: Budget,
    cells: Budget,
    count_noise: DiscreteLaplace,
    cell_noise: DiscreteLaplace,
}

/// A noisy cell: its value, its row and its column.
type NoisyCell = (i64, NodeId, NodeId);

impl LapGraph {
    /// The mechanism that costs `epsilon`, a hundredth of it for the edge count.
    ///
    /// # Errors
    /// If epsilon is out of range.
    pub fn new(epsilon: f64) -> Result<Self> {
        let budget = Budget::from_epsilon(epsilon)?;
        let count = budget.divided_by(100)?;
        let cells = budget.checked_sub(count)?;
        Ok(Self {
            budget,
            count,
            cells,
            count_noise: DiscreteLaplace::new(count, 1)?,
            cell_noise: DiscreteLaplace::new(
                if fault::on(Fault::CountNotPaidFor) { budget } else { cells },
                GRID,
            )?,
        })
    }

    /// The probability of a noisy count and noisy cells (row by row, in steps of the grid): what is
    /// released before the largest are chosen.
    pub fn probability(&self, graph: &Graph, count: i64, cells: &[Vec<i64>]) -> f64 {
        let graph = undirected(graph);
        let edges = graph.edge_count() - graph.self_loop_count();
        let mut probability = self.count_noise.probability(count - edges as i64);
        for (node, row) in (0..).zip(cells) {
            for (other, cell) in (0..).zip(row) {
                let truth = below(&graph, node).binary_search(&other).is_ok();
                probability *= self.cell_noise.probability(cell - grid(truth));
            }
        }
        probability
    }

    /// The smallest value worth keeping: among the noise alone more cells than wanted lie above it.
    fn floor(&self, wanted: u64, pairs: u64) -> i64 {
        // A floor from released numbers only: cells below it are dropped while they are drawn, so that not all n^2/2
        // are kept. With so many cells above it on average, it practically never drops one of the largest.
        let enough = wanted as f64 + 10.0 * (wanted as f64).sqrt() + 100.0;
        // P(noise >= t) = e^(-rate t) / (1 + e^-rate), for t >= 0.
        let rate = self.cells.as_f64() / GRID as f64;
        let steps = (pairs as f64 / (enough * (1.0 + (-rate).exp()))).ln() / rate;
        if steps > 0.0 { steps as i64 } else { i64::MIN }
    }

    /// The cells of one row from `floor` upwards.
    fn row(
        &self,
        node: NodeId,
        truth: &[NodeId],
        floor: i64,
        words: &mut impl RandomWords,
    ) -> Vec<NoisyCell> {
        let mut rest = truth;
        let mut kept = Vec::new();
        for other in 0..node {
            let edge = rest.first() == Some(&other);
            if edge {
                rest = &rest[1..];
            }
            let cell = self.cell_noise.draw(words).saturating_add(grid(edge));
            if cell >= floor {
                kept.push((cell, node, other));
            }
        }
        kept
    }
}

/// An edge on the grid.
pub(crate) fn grid(edge: bool) -> i64 {
    if edge { GRID as i64 } else { 0 }
}

/// The noisy number of edges, brought to what is possible.
fn noisy_count(
    edges: usize,
    pairs: u64,
    noise: &DiscreteLaplace,
    words: &mut impl RandomWords,
) -> u64 {
    words.lumped(|words| {
        (edges as i64).saturating_add(noise.draw(words)).clamp(0, pairs as i64) as u64
    })
}

/// The `wanted` largest cells, as rows. Equal cells go by their place, which says nothing.
pub(crate) fn largest(mut cells: Vec<NoisyCell>, wanted: usize, nodes: usize) -> Vec<Vec<NodeId>> {
    if wanted < cells.len() {
        let order = |a: &NoisyCell, b: &NoisyCell| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2)));
        cells.select_nth_unstable_by(wanted, order);
        cells.truncate(wanted);
    }
    let mut rows = vec![Vec::new(); nodes];
    cells.into_iter().for_each(|(_, node, other)| rows[node as usize].push(other));
    rows.iter_mut().for_each(|row| row.sort_unstable());
    rows
}

shipped!(LapGraph);

impl Mechanism for LapGraph {
    type Unit = Edge;

    fn name(&self) -> &'static str {
        "lap-graph"
    }

    fn event(&self) -> Event {
        Event::Pure { epsilon: Epsilon::from(self.budget) }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "a noisy edge count and noisy cells: the two budgets add up".into(),
            proof: "privet_privacy::edges::comparison::lap_graph, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::from([
            ("epsilon".into(), json!(self.budget.as_f64())),
            ("epsilon for the edge count".into(), json!(self.count.as_f64())),
            ("epsilon for the cells".into(), json!(self.cells.as_f64())),
        ])
    }

    fn assumes_public(&self) -> Vec<String> {
        vec!["the number of nodes and their ids".into()]
    }
}

impl Central for LapGraph {
    type Input = Graph;
    /// Row `u` holds the neighbours below `u`.
    type Output = Vec<Vec<NodeId>>;

    fn sample<N: NoiseSource>(&self, graph: &Graph, noise: N, _permit: Permit<'_>) -> Self::Output {
        let graph = undirected(graph);
        let nodes = graph.node_count();
        let (pairs, edges) = (pair_count(nodes), graph.edge_count() - graph.self_loop_count());
        // The count is drawn first, from a stream of its own: the floor depends on it.
        let count = |words: &mut N::Stream| {
            let wanted = noisy_count(edges, pairs, &self.count_noise, words);
            (wanted, self.floor(wanted, pairs))
        };
        let row = |&(_, floor): &(u64, i64), node: usize, words: &mut N::Stream| {
            self.row(node as NodeId, below(&graph, node as NodeId), floor, words)
        };
        let ((wanted, _), rows) = noise.map_users_after(count, nodes, row);
        largest(rows.concat(), wanted as usize, nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::merge::Merge;
    use crate::noise::NoiseRng;
    use privet_data::synthetic::BarabasiAlbert;
    use privet_graph::{Direction, GraphBuilder};

    fn sample(graph: &Graph, epsilon: f64, seed: u64) -> Graph {
        let mechanism = LapGraph::new(epsilon).unwrap();
        let noise = NoiseRng::replay(seed).next_release();
        Merge::OneSided.graph(mechanism.sample(graph, noise, Permit::new())).unwrap()
    }

    #[test]
    fn budgets_add_up_and_an_edge_costs_them() {
        let mechanism = LapGraph::new(1.0).unwrap();
        assert_eq!(mechanism.count.checked_add(mechanism.cells), Ok(mechanism.budget));
        let graph = |edges: &[(NodeId, NodeId)]| {
            let builder = GraphBuilder::new(2, Direction::Undirected);
            builder.edges(edges.iter().copied()).build().unwrap().0
        };
        let (with, without) = (graph(&[(0, 1)]), graph(&[]));
        let mut worst = 0f64;
        for count in [-3, 0, 1, 2, 7] {
            for cell in [-3000, -1, 0, 1, 512, 1023, 1024, 1025, 9000] {
                let cells = [vec![], vec![cell]];
                let (a, b) = (
                    mechanism.probability(&with, count, &cells),
                    mechanism.probability(&without, count, &cells),
                );
                worst = worst.max((a / b).ln().abs());
            }
        }
        assert!((worst - 1.0).abs() < 1e-9, "{worst}");
    }

    #[test]
    fn a_huge_epsilon_changes_nothing() {
        let truth = BarabasiAlbert { nodes: 120, edges_per_node: 3 }.generate(1).unwrap();
        assert_eq!(&sample(truth.graph(), 4000.0, 91), truth.graph());
        assert_eq!(&sample(&truth.graph().clone().to_directed(), 4000.0, 91), truth.graph());
    }

    /// The floor drops nothing that belongs to the largest: same result without it.
    #[test]
    fn the_floor_changes_nothing() {
        let truth = BarabasiAlbert { nodes: 200, edges_per_node: 3 }.generate(1).unwrap();
        let truth = truth.graph();
        for (epsilon, seed) in [(0.5, 1), (2.0, 2), (8.0, 3)] {
            let mechanism = LapGraph::new(epsilon).unwrap();
            let noise = NoiseRng::replay(seed).next_release();
            let mut streams = noise.into_streams(0..201);
            let mut first = streams.next().unwrap();
            let wanted =
                noisy_count(truth.edge_count(), 19_900, &mechanism.count_noise, &mut first);
            let cells: Vec<NoisyCell> = (0..)
                .zip(streams)
                .flat_map(|(u, mut words)| mechanism.row(u, below(truth, u), i64::MIN, &mut words))
                .collect();
            assert_eq!(cells.len(), 19_900);
            let expected = Merge::OneSided.graph(largest(cells, wanted as usize, 200)).unwrap();
            assert_eq!(sample(truth, epsilon, seed), expected);
            assert_eq!(expected.edge_count() as u64, wanted);
        }
    }

    /// At moderate epsilon true edges are kept more often than false ones are invented, by e^eps2
    /// where the threshold lies above 1.
    #[test]
    fn true_edges_are_favoured() {
        let truth = BarabasiAlbert { nodes: 1000, edges_per_node: 10 }.generate(1).unwrap();
        let truth = truth.graph();
        let noisy = sample(truth, 2.0, 7);
        let kept = noisy.edges().filter(|&(u, v)| truth.has_edge(u, v)).count() as f64;
        let invented = noisy.edge_count() as f64 - kept;
        let strangers = 499_500.0 - truth.edge_count() as f64;
        let odds = (kept / truth.edge_count() as f64) / (invented / strangers);
        assert!((odds.ln() - 1.98).abs() < 0.2, "{odds}");
    }

    #[test]
    fn tiny_graphs() {
        for nodes in [0, 1, 2] {
            let graph = Graph::empty(nodes, Direction::Undirected).unwrap();
            assert_eq!(sample(&graph, 1.0, 1).node_count(), nodes);
        }
    }
}
