//! From users' reports to a graph: post-processing.
//!
//! # What a pair costs
//! Whatever is made of them afterwards, reports tell about an edge what was sent about it
//! ([`PairCost`](crate::ledger::PairCost), on the card as `relationship-dp`). With `eps = eps1 + eps2` for the
//! degree and the bits of each of the two reports:
//!
//! | rule | what is sent | `relationship-dp` | the graph |
//! |---|---|---|---|
//! | `Directed` | both lists | `2 eps` | row `i` has about as many entries as report `i`: no further bias |
//! | `Or` | both lists | `2 eps` | a row holds its own report and everyone who named it: about twice too dense |
//! | `And` | both lists | `2 eps` | an edge must survive twice: with DPRR next to nothing remains, with [`Rr`](super::local::Rr) most true edges and few false ones |
//! | `OneSided` | [`OneSided`](super::local::OneSided): the mechanism runs on owned pairs | `eps` | noise of one report per pair |
//! | `LowerTriangle` | [`LowerHalf`](super::local::LowerHalf) of full reports | `2 eps1 + eps2` | hubs with small ids are flattened |
//!
//! # Why both must say so, under randomised response
//! Let `p = e^eps / (1 + e^eps)` and `f = 1 - p`. Two reports about a pair agree on yes with probability
//! `p^2` for an edge and `f^2` for a non-edge, on no the other way round, and differ with `2pf` for either.
//! So a disagreement says nothing at all, and agreement on yes multiplies the odds by `e^(2 eps)`:
//! [`Merge::And`] keeps exactly the pairs that the reports speak for ([`Merge::posterior`]).

use privet_graph::{Direction, Graph, GraphBuilder, NodeId};
use serde::{Deserialize, Serialize};

use super::local::BitRow;
use crate::loss::Epsilon;

/// What the report about one list gives away under `edge-ldp`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ListCost {
    /// Through a noisy degree of the whole list; 0 if there is none.
    pub degree: Epsilon,
    /// Through the answer about the bit.
    pub bits: Epsilon,
}

impl ListCost {
    /// Both together: the `edge-ldp` epsilon of the report.
    pub fn total(self) -> Epsilon {
        self.degree + self.bits
    }
}

/// How reports become a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Merge {
    /// Row `i` is report `i`.
    #[default]
    Directed,
    /// An edge wherever either user reports one.
    Or,
    /// An edge where both users report one.
    And,
    /// An edge where the user with the larger id reports one, having run the mechanism on the pairs
    /// below only ([`OneSided`](crate::edges::local::OneSided)).
    OneSided,
    /// An edge where the user with the larger id reports one, having run the mechanism on the full list
    /// ([`LowerHalf`](crate::edges::local::LowerHalf)).
    LowerTriangle,
}

impl Merge {
    /// The graph of reports `0, 1, 2, ...`: directed under [`Merge::Directed`], else undirected.
    ///
    /// # Errors
    /// If a report is not ascending or names a node that does not report.
    pub fn graph(self, reports: Vec<Vec<NodeId>>) -> privet_graph::Result<Graph> {
        let rows = Graph::from_rows(reports)?;
        if self == Self::Directed {
            return Ok(rows);
        }
        let pairs = self.pairs(rows.arcs(), |u, v| rows.has_edge(u, v));
        let nodes = rows.node_count();
        drop(rows);
        Ok(GraphBuilder::from_pairs(nodes, Direction::Undirected, pairs).build()?.0)
    }

    /// The same for reports as rows of bits: an eighth of a byte for a pair, whatever was reported about it.
    ///
    /// # Errors
    /// If a report names a node that does not report.
    pub fn graph_of_bits(self, reports: &[BitRow]) -> privet_graph::Result<Graph> {
        if self == Self::Directed {
            return Graph::from_rows(reports.iter().map(|row| row.nodes().collect()).collect());
        }
        let arcs = (0..).zip(reports).flat_map(|(u, row)| row.nodes().map(move |v| (u, v)));
        let reported =
            |u: NodeId, v: NodeId| reports.get(u as usize).is_some_and(|row| row.contains(v));
        let pairs = self.pairs(arcs, reported);
        Ok(GraphBuilder::from_pairs(reports.len(), Direction::Undirected, pairs).build()?.0)
    }

    /// The pairs that an undirected graph keeps, the smaller id first.
    fn pairs(
        self,
        arcs: impl Iterator<Item = (NodeId, NodeId)>,
        reported: impl Fn(NodeId, NodeId) -> bool,
    ) -> Vec<[NodeId; 2]> {
        let keep = |&(u, v): &(NodeId, NodeId)| match self {
            Self::Directed | Self::Or => true,
            // Each pair is seen twice among the arcs; it is kept at its larger end if the other end agrees.
            Self::And => v < u && reported(v, u),
            Self::OneSided | Self::LowerTriangle => v < u,
        };
        arcs.filter(keep).map(|(u, v)| [u.min(v), u.max(v)]).collect()
    }

    /// The probability that a pair in the graph is an edge, if every answer is wrong with probability
    /// `flip` and a share `density` of all pairs are edges (Bayes' rule).
    ///
    /// ```
    /// use privet_privacy::edges::Merge;
    /// let flip = 1.0 / (1.0 + 3f64.exp());
    /// let density = 4.0 / 2707.0;
    /// assert!((Merge::OneSided.posterior(flip, density) - 0.029).abs() < 1e-3);
    /// assert!((Merge::And.posterior(flip, density) - 0.374).abs() < 1e-3);
    /// ```
    pub fn posterior(self, flip: f64, density: f64) -> f64 {
        let yes = |truly: f64| match self {
            Self::And => truly * truly,
            Self::Or => 1.0 - (1.0 - truly) * (1.0 - truly),
            Self::Directed | Self::OneSided | Self::LowerTriangle => truly,
        };
        // Bayes: P(edge | reported) with the prior `density`.
        let (real, invented) = (density * yes(1.0 - flip), (1.0 - density) * yes(flip));
        if real > 0.0 { real / (real + invented) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports() -> Vec<Vec<NodeId>> {
        vec![vec![1, 2], vec![0], vec![1], vec![0, 2]]
    }

    /// Bayes' rule, by adding up over the truth and what both users answer.
    #[test]
    fn the_posterior_is_that_of_all_answers() {
        type Shows = fn(bool, bool) -> bool;
        let rules: [(Merge, Shows); 5] = [
            (Merge::And, |one, other| one && other),
            (Merge::Or, |one, other| one || other),
            (Merge::Directed, |one, _| one),
            (Merge::OneSided, |one, _| one),
            (Merge::LowerTriangle, |one, _| one),
        ];
        for (rule, shows) in rules {
            for (flip, density) in [(0.05, 0.002), (0.3, 0.6), (0.5, 0.1), (0.0, 0.2)] {
                let shown = |edge: bool| -> f64 {
                    let says = |yes: bool| if yes == edge { 1.0 - flip } else { flip };
                    let answers = (0..4).map(|bits| (bits & 1 == 1, bits & 2 == 2));
                    let seen = answers.filter(|&(one, other)| shows(one, other));
                    seen.map(|(one, other)| says(one) * says(other)).sum()
                };
                let (real, invented) = (density * shown(true), (1.0 - density) * shown(false));
                let found = rule.posterior(flip, density);
                assert!((found - real / (real + invented)).abs() < 1e-12, "{rule:?} {found}");
            }
            assert_eq!(rule.posterior(0.0, 0.0), 0.0);
        }
    }

    #[test]
    fn each_rule_keeps_its_pairs() {
        let edges = |merge: Merge| merge.graph(reports()).unwrap().edges().collect::<Vec<_>>();
        assert_eq!(edges(Merge::Directed), [(0, 1), (0, 2), (1, 0), (2, 1), (3, 0), (3, 2)]);
        assert_eq!(edges(Merge::Or), [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)]);
        assert_eq!(edges(Merge::And), [(0, 1)]);
        assert_eq!(edges(Merge::LowerTriangle), [(0, 1), (0, 3), (1, 2), (2, 3)]);
        assert_eq!(edges(Merge::OneSided), edges(Merge::LowerTriangle));
        assert!(Merge::Or.graph(vec![vec![1]]).is_err());
    }

    /// The same reports as lists and as bits make the same graph.
    #[test]
    fn bits_and_lists_make_the_same_graph() {
        use crate::edges::local::{PackedRr, Rr};
        use crate::{Ledger, Loss, Secret, noise::NoiseRng};
        let friends = privet_data::synthetic::BarabasiAlbert { nodes: 90, edges_per_node: 3 };
        let friends = Secret::new(friends.generate(2).unwrap().graph().clone());
        let ledger =
            || Ledger::in_memory(Loss::new(1.0, 0.0).unwrap(), NoiseRng::replay(5)).unwrap();
        let rr = Rr::new(1.0).unwrap();
        let lists = ledger().release_each(&friends, &rr).unwrap().into_inner();
        let bits = ledger().release_each(&friends, &PackedRr(rr)).unwrap().into_inner();
        for merge in [Merge::Directed, Merge::Or, Merge::And, Merge::LowerTriangle] {
            let graph = merge.graph(lists.clone()).unwrap();
            assert!(graph.edge_count() > 50);
            assert_eq!(graph, merge.graph_of_bits(&bits).unwrap());
        }
    }
}
