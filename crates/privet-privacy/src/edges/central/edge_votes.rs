//! A curator lets every edge vote: it tells one of its ends the class of the other, and counts get noise.
//!
//! # Idea
//! To predict people's classes no edges are needed, only what edges say about classes. So none is drawn: each
//! edge adds one to one count, and all counts get integer noise. What is known of classes without the edges is public
//! and decides which end gets the count: the one of which less is known. The other end needs it less, and counting at both
//! would cost twice. Edges between two nodes of which all is known inform no one; they say how often each pair of classes
//! is connected, so they are counted by pairs.
//!
//! # Equation
//! With `says(v)` a public class of `v` and `asks(v)` a public number, an edge `{u, v}` informs `u` if
//! `(asks(u), u) > (asks(v), v)`. For every `u` with `asks(u) > 0` and every class `c`
//! `y_uc = |{v : {u, v} is an edge that informs u, says(v) = c}| + DLap(eps)`.
//! For every pair of classes `b <= c`
//! `z_bc = |{{u, v} : an edge, asks(u) = asks(v) = 0, {says(u), says(v)} = {b, c}}| + DLap(eps)`.
//!
//! # Guarantee
//! Unit [`Edge`], `eps`.
//! *Proof.* Which end an edge informs and of which class, or else in which pair of classes it is counted, depends on public
//! numbers alone, so one edge more or less moves one count by one and no other. Independent [`DiscreteLaplace`] noise of sensitivity 1 in every count costs `eps`: all
//! factors but one cancel. Counts without any edge get the same noise. ∎
//! Who asks is public, and so is the number of classes; rows of those who do not ask are empty for every graph.
//!
//! # Paper
//! None: HeteroRR draws edges. Noisy sums over neighbours are those of Sajadmanesh and others, "GAP", 2023; here they are
//! of votes instead of rows, at one end instead of both, and in integers.
//!
//! # Differs from paper
//! As above.
//!
//! # Cost
//! `O(edges + asking nodes * classes + classes²)`; a count's variance is `1 / (2 sinh²(eps / 2))`.
//!
//! # Numerics
//! Exact.

use privet_graph::{Graph, NodeId};
use serde_json::json;

use crate::budget::Budget;
use crate::edges::undirected;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::Epsilon;
use crate::mechanism::{Central, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{DiscreteLaplace, NoiseSource, Numerics};
use crate::origin::shipped;
use crate::population::GraphShape;
use crate::public::Public;
use crate::unit::Edge;

/// Which class each node counts as and which end of an edge is counted, from public data alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoteRules {
    /// How many classes there are. Nodes of which all is known may use some of them and other nodes others.
    pub classes: u32,
    /// How many of the classes, the first ones, are counted by pairs.
    pub paired: u32,
    /// The class that each node's edges tell others; `None` tells nothing.
    pub says: Vec<Option<u32>>,
    /// Of the two ends of an edge the one with the larger number gets the count (of equal ones the later node); 0 is never told.
    pub asks: Vec<u32>,
}

/// Noisy counts of what edges say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoteCounts {
    /// One noisy count a class, in the rows of the nodes that ask; they may be below 0.
    pub told: Vec<Vec<i64>>,
    /// Edges between nodes that do not ask, by pairs of classes: (0, 0), (0, 1), (1, 1), (0, 2) and so on.
    pub pairs: Vec<i64>,
}

impl VoteCounts {
    /// The noisy count of edges between two paired classes, in either order.
    ///
    /// # Panics
    /// If one of them is not counted by pairs.
    pub fn between(&self, one: usize, other: usize) -> i64 {
        self.pairs[pair(one, other)]
    }
}

/// Where the count of a pair stands.
fn pair(one: usize, other: usize) -> usize {
    let (low, high) = (one.min(other), one.max(other));
    high * (high + 1) / 2 + low
}

/// Noisy counts, at one end of every edge, of the classes at the other.
///
/// ```
/// use privet_graph::{Direction, GraphBuilder};
/// use privet_privacy::edges::central::{EdgeVotes, VoteRules};
/// use privet_privacy::{Ledger, Loss, Secret, noise::NoiseRng, public::Public};
/// let friends = GraphBuilder::new(3, Direction::Undirected).edges([(0, 1), (0, 2), (1, 2)]).build()?.0;
/// let panel = VoteRules {
///     classes: 2,
///     paired: 2,
///     says: vec![Some(1), Some(1), None],
///     asks: vec![0, 0, 1],
/// };
/// let votes = EdgeVotes::new(40.0, Public::declared(panel))?;
/// let mut ledger = Ledger::in_memory(Loss::new(40.0, 0.0)?, NoiseRng::from_operating_system()?)?;
/// let counts = ledger.release(&Secret::new(friends), &votes)?;
/// assert_eq!(counts.get().told, [vec![], vec![], vec![0, 2]]);   // at so large an epsilon, exactly
/// assert_eq!(counts.get().between(1, 1), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct EdgeVotes {
    budget: Budget,
    panel: Public<VoteRules>,
    noise: DiscreteLaplace,
}

impl EdgeVotes {
    /// Votes that cost `epsilon` an edge.
    ///
    /// # Errors
    /// If epsilon is out of range, there is no class, or a node counts as a class that does not exist.
    pub fn new(epsilon: f64, panel: Public<VoteRules>) -> Result<Self> {
        let VoteRules { classes, paired, says, asks } = panel.get();
        if *classes == 0 {
            return Err(Error::range("classes", classes, "at least 1"));
        }
        if paired > classes {
            return Err(Error::range("classes in pairs", paired, "at most the classes"));
        }
        if says.len() != asks.len() {
            let expected = "as many as say something";
            return Err(Error::range("nodes that ask", asks.len(), expected));
        }
        if let Some(class) = says.iter().flatten().find(|class| *class >= classes) {
            return Err(Error::range("class", class, "one of the classes"));
        }
        let budget = Budget::from_epsilon(epsilon)?;
        Ok(Self { budget, panel, noise: DiscreteLaplace::new(budget, 1)? })
    }

    /// The noise of every count.
    pub fn noise(&self) -> &DiscreteLaplace {
        &self.noise
    }

    /// Exact counts of edges between nodes that do not ask, by pairs of classes.
    fn pairs(&self, graph: &Graph) -> Vec<i64> {
        let VoteRules { paired, says, asks, .. } = self.panel.get();
        let paired = *paired as usize;
        let mut counts = vec![0i64; paired * (paired + 1) / 2];
        let class = |node: NodeId| {
            let class = says[node as usize].filter(|_| asks[node as usize] == 0)? as usize;
            (class < paired).then_some(class)
        };
        for node in graph.nodes() {
            let Some(own) = class(node) else { continue };
            for &other in graph.neighbors(node) {
                // An edge stands in the rows of both ends, and counts in one of them.
                if other < node || (fault::on(Fault::PairsByBothEnds) && other != node) {
                    class(other).into_iter().for_each(|class| counts[pair(own, class)] += 1);
                }
            }
        }
        counts
    }

    /// Which class each node counts as and which end of an edge is counted.
    pub fn rules(&self) -> &VoteRules {
        self.panel.get()
    }

    /// Whether an edge to `other` informs `node`.
    fn informs(&self, node: NodeId, other: NodeId) -> bool {
        let asks = &self.panel.get().asks;
        let place = |node: NodeId| (asks[node as usize], node);
        // A total order by public numbers: of two ends exactly one is informed, so an edge is counted once.
        place(node) > place(other)
            || (fault::on(Fault::VotesAtBothEnds) && asks[node as usize] > 0 && node != other)
    }
}

shipped!(EdgeVotes);

impl Mechanism for EdgeVotes {
    type Unit = Edge;

    fn name(&self) -> &'static str {
        "edge-votes"
    }

    fn event(&self) -> Event {
        Event::Pure { epsilon: Epsilon::from(self.budget) }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "an edge moves one count by one, at the end that public data choose".into(),
            proof: "privet_privacy::edges::central::edge_votes, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        let panel = self.panel.get();
        MechanismParameters::from([
            ("epsilon".into(), json!(self.budget.as_f64())),
            ("classes".into(), json!(panel.classes)),
            ("classes counted by pairs".into(), json!(panel.paired)),
            ("nodes with counts".into(), json!(panel.asks.iter().filter(|&&n| n > 0).count())),
        ])
    }

    fn assumes_public(&self) -> Vec<String> {
        let origin = self.panel.origin();
        vec![
            "the number of nodes and their ids".into(),
            format!("a class for each node, and which end of an edge is counted ({origin})"),
        ]
    }
}

impl Central for EdgeVotes {
    type Input = Graph;
    type Output = VoteCounts;

    fn check(&self, shape: &GraphShape) -> Result<()> {
        let expected = self.panel.get().asks.len();
        match shape.nodes == expected {
            true => Ok(()),
            false => Err(Error::range("nodes", shape.nodes, "as many as the panel has")),
        }
    }

    fn sample<N: NoiseSource>(&self, graph: &Graph, noise: N, _permit: Permit<'_>) -> Self::Output {
        let (graph, panel) = (undirected(graph), self.panel.get());
        let (nodes, pairs) = (graph.node_count(), self.pairs(&graph));
        // The pairs stand behind the nodes: each count has noise of its own.
        let mut told = noise.map_users(nodes + pairs.len(), |node, words| {
            if node >= nodes {
                return vec![pairs[node - nodes].saturating_add(self.noise.draw(words))];
            }
            // Public: which nodes get counts does not depend on any edge.
            if panel.asks[node] == 0 {
                return Vec::new();
            }
            let mut counts = vec![0i64; panel.classes as usize];
            let mut informed = false;
            for &other in graph.neighbors(node as NodeId) {
                if let (true, Some(class)) =
                    (self.informs(node as NodeId, other), panel.says[other as usize])
                {
                    counts[class as usize] += 1;
                    informed = true;
                }
            }
            if informed || !fault::on(Fault::SilentRowsWithoutNoise) {
                let noisy = |count: &mut i64| *count = count.saturating_add(self.noise.draw(words));
                counts.iter_mut().for_each(noisy);
            }
            counts
        });
        let pairs = told.split_off(nodes).concat();
        VoteCounts { told, pairs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::{Ledger, Loss, Secret};
    use privet_data::synthetic::BarabasiAlbert;
    use privet_graph::{Direction, GraphBuilder};

    fn panel(says: &[Option<u32>], asks: &[u32]) -> Public<VoteRules> {
        let (says, asks) = (says.to_vec(), asks.to_vec());
        Public::declared(VoteRules { classes: 2, paired: 2, says, asks })
    }

    fn counts(graph: &Graph, epsilon: f64, panel: Public<VoteRules>) -> VoteCounts {
        let mechanism = EdgeVotes::new(epsilon, panel).unwrap();
        let limit = Loss::new(epsilon, 0.0).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(7)).unwrap();
        ledger.release(&Secret::new(graph.clone()), &mechanism).unwrap().get().clone()
    }

    #[test]
    fn an_edge_votes_at_the_end_that_asks_more() {
        let edges = [(0, 1), (0, 2), (1, 2), (2, 3), (2, 2)];
        for direction in [Direction::Undirected, Direction::Directed] {
            let graph = GraphBuilder::new(4, direction).edges(edges).build().unwrap().0;
            let panel = panel(&[Some(0), Some(1), Some(1), None], &[0, 3, 2, 2]);
            // 1 asks most and hears 0 and 2; of 2 and 3, who ask as much, the later hears the other.
            let expected = vec![vec![], vec![1, 1], vec![1, 0], vec![0, 1]];
            let counts = counts(&graph, 4000.0, panel);
            assert_eq!(counts.told, expected, "{direction:?}");
            assert_eq!(counts.pairs, [0, 0, 0], "only one node does not ask");
        }
    }

    #[test]
    fn edges_between_nodes_that_do_not_ask_are_counted_once_by_pairs() {
        let edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (2, 4)];
        let graph = GraphBuilder::new(5, Direction::Undirected).edges(edges).build().unwrap().0;
        let panel = panel(&[Some(0), Some(1), Some(1), None, Some(0)], &[0, 0, 0, 0, 1]);
        let counts = counts(&graph, 4000.0, panel);
        assert_eq!([counts.between(0, 0), counts.between(0, 1), counts.between(1, 1)], [0, 2, 1]);
        assert_eq!(counts.between(1, 0), counts.between(0, 1));
        // 3 says nothing and 4 is told: their edges are in no pair.
        assert_eq!(counts.told, [vec![], vec![], vec![], vec![], vec![0, 1]]);
    }

    /// Both ends of an edge together move by one: the sum over all counts is the number of edges that tell something.
    #[test]
    fn every_edge_is_counted_once() {
        let graph = BarabasiAlbert { nodes: 200, edges_per_node: 3 }.generate(1).unwrap();
        let graph = graph.graph();
        let says: Vec<_> = (0..200).map(|node| Some(node % 2)).collect();
        let asks: Vec<_> = (0..200).map(|node| node * 7 % 13 + 1).collect();
        let all = counts(graph, 4000.0, panel(&says, &asks)).told.concat();
        assert_eq!(all.iter().sum::<i64>(), graph.edge_count() as i64);
        // Noise has the promised spread, in rows with and without edges.
        let edgeless = Graph::empty(20_000, Direction::Undirected).unwrap();
        let noise =
            counts(&edgeless, 1.0, panel(&vec![Some(0); 20_000], &vec![1; 20_000])).told.concat();
        let square = noise.iter().map(|&z| (z * z) as f64).sum::<f64>() / noise.len() as f64;
        let variance = 1.0 / (2.0 * 0.5f64.sinh().powi(2));
        assert!((square / variance - 1.0).abs() < 0.05, "{square} {variance}");
    }

    #[test]
    fn panels_that_do_not_fit_are_refused() {
        assert!(EdgeVotes::new(1.0, panel(&[Some(2)], &[1])).is_err(), "a class that is none");
        assert!(EdgeVotes::new(1.0, panel(&[None], &[1, 1])).is_err(), "more ask than are there");
        assert!(EdgeVotes::new(0.0, panel(&[None], &[1])).is_err());
        let more = VoteRules { classes: 1, paired: 2, says: vec![None], asks: vec![1] };
        assert!(EdgeVotes::new(1.0, Public::declared(more)).is_err(), "pairs of what is no class");
        let mechanism = EdgeVotes::new(1.0, panel(&[None], &[1])).unwrap();
        let mut ledger =
            Ledger::in_memory(Loss::new(1.0, 0.0).unwrap(), NoiseRng::replay(1)).unwrap();
        let graph = Secret::new(Graph::empty(2, Direction::Undirected).unwrap());
        assert!(ledger.release(&graph, &mechanism).is_err(), "another number of nodes");
        assert!(
            ledger
                .release(&Secret::new(Graph::empty(1, Direction::Undirected).unwrap()), &mechanism)
                .is_ok()
        );
    }
}
