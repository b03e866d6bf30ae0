//! A curator flips every pair of nodes by a coin, without looking at all pairs.
//!
//! # Idea
//! Randomised response on the upper triangle of the adjacency matrix. Most pairs are no edges and most
//! stay so, so the sampler jumps from one flipped pair to the next.
//!
//! # Equation
//! Each pair is flipped with probability `f = 1 / (1 + e^eps)`. The gap to the next flip is geometric:
//! `P(gap = g) = f (1-f)^g`.
//!
//! # Guarantee
//! Unit [`Edge`], `eps` exactly. If all pairs were flipped independently, that would be randomised
//! response. The gaps are drawn by [`Geometric`], whose exact law `w(g) / W` is close to, but is not,
//! the geometric one; so the proof is about that law.
//! *Proof.* Neighbouring graphs differ in one pair, so an output fixes two sets of flips that differ in
//! that pair. In the set without it, it lies in a gap of length `g`; in the other, that gap is two, of
//! lengths `g1 + g2 + 1 = g`. The ratio of the two probabilities is `w(g1) w(g2) / (w(g) W)`.
//! With `r_b` the digit ratios of [`Geometric`], `rho = r_0` and `r_{b+1} = r_b^2 (1 + h_b)`, `h_b >= 0`:
//! adding `g1 + g2 + 1` digit by digit, each carry out of digit `b` replaces two factors `r_b` by one
//! `r_{b+1}`, and there is at most one carry per digit, so
//! `1 / (rho H) <= w(g1) w(g2) / w(g) <= 1 / rho` with `H = prod_b (1 + h_b)`.
//! The last gap of a row ends at the end of the row: its probability is a sum of `w`, and the bounds
//! hold term by term. Hence the ratio lies between `1 / (rho W H)` and `1 / (rho W)`, and what
//! runs costs at most `log(rho W H) <= eps` (and `1 / (rho W) <= e^eps`). ∎
//! The last two inequalities hold because `rho` is made, rounded down, from a budget that is smaller
//! than `eps` by 2⁻³⁹ + 2⁻⁶⁰/f nat; tests check them in exact rationals over the whole range.
//!
//! # Paper
//! EdgeRand of Wu, Long, Zhang and Li, "LinkTeller", 2022; a baseline of the HeteroRR paper.
//!
//! # Differs from paper
//! As above. Budgets above 30 nats act as 30.
//!
//! # Cost
//! `O(nodes + edges + flips)` time. There are about `n^2 / (2 (1 + e^eps))` flips: the *output* is
//! dense unless `eps > 2 log n - log edges`.
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
use crate::noise::{Decay, Geometric, NoiseSource, Numerics, RandomWords};
use crate::origin::shipped;
use crate::unit::Edge;

/// Beyond 30 nats a gap would leave the range for which [`Geometric`] is proved.
const LARGEST: u64 = 30 << 40;

/// Flips every pair of a graph with probability `1 / (1 + e^eps)`.
///
/// ```
/// use privet_data::synthetic::BarabasiAlbert;
/// use privet_privacy::edges::{Merge, comparison::EdgeRand};
/// use privet_privacy::{Ledger, Loss, Secret, noise::NoiseRng};
/// let graph = BarabasiAlbert { nodes: 300, edges_per_node: 2 }.generate(1)?.graph().clone();
/// let mut ledger = Ledger::in_memory(Loss::new(5.0, 0.0)?, NoiseRng::from_operating_system()?)?;
/// let rows = ledger.release(&Secret::new(graph), &EdgeRand::new(5.0)?)?;
/// let noisy = rows.try_map(|rows| Merge::OneSided.graph(rows))?;
/// assert!((700..1100).contains(&noisy.get().edge_count()));   // 592 kept, 298 invented
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct EdgeRand {
    budget: Budget,
    gaps: Geometric,
    /// `f`, as a float: for the law, not for the sampler.
    flip: f64,
}

impl EdgeRand {
    /// The mechanism that costs `epsilon`.
    ///
    /// # Errors
    /// If epsilon is out of range; it must be at least 2⁻³⁸.
    pub fn new(epsilon: f64) -> Result<Self> {
        let budget = Budget::from_epsilon(epsilon)?;
        let (one, flip) = (u128::from(Decay::UNIT), Decay::of(spendable(budget)?).numerator());
        // rho = 1 / (1 + e^-eps), rounded down: more flips, more privacy.
        let stay = one * one / (one + u128::from(flip));
        let stay = Decay::from_numerator(stay as u64);
        Ok(Self { budget, gaps: Geometric::new(stay)?, flip: stay.complement_f64() })
    }

    /// The probability of a result, as rows, given a graph: `f^flips (1-f)^rest`.
    pub fn probability(&self, graph: &Graph, result: &[Vec<NodeId>]) -> f64 {
        let graph = undirected(graph);
        let mut flips = 0;
        for (node, row) in (0..).zip(result) {
            let truth = below(&graph, node);
            let kept = row.iter().filter(|other| truth.binary_search(other).is_ok()).count();
            // |truth xor row|: pairs that differ are those that were flipped.
            flips += truth.len() + row.len() - 2 * kept;
        }
        let rest = pair_count(graph.node_count()) as f64 - flips as f64;
        self.flip.powf(flips as f64) * (1.0 - self.flip).powf(rest)
    }

    /// The row of a node after the flips: who is in either `truth` or the flips, not in both.
    fn row(&self, node: NodeId, truth: &[NodeId], words: &mut impl RandomWords) -> Vec<NodeId> {
        let mut row = Vec::new();
        let mut rest = truth;
        let end = u64::from(node);
        // Independent flips with probability p leave geometric gaps between them: one draw per flip instead of one
        // per pair.
        let gap = |words: &mut _| self.gap(end, words);
        let mut position = gap(words);
        while position < end {
            let flipped = position as NodeId;
            let before = rest.partition_point(|&other| other < flipped);
            row.extend_from_slice(&rest[..before]);
            rest = &rest[before..];
            match rest {
                [first, ..] if *first == flipped && fault::on(Fault::EdgesNeverRemoved) => {}
                [first, after @ ..] if *first == flipped => rest = after,
                _ => row.push(flipped),
            }
            position += 1 + gap(words);
        }
        row.extend_from_slice(rest);
        row
    }

    /// How many pairs to skip before the next flip; more than `most` are as good as `most`.
    #[inline]
    fn gap(&self, most: u64, words: &mut impl RandomWords) -> u64 {
        words.lumped(|words| self.gaps.draw(words).min(most))
    }
}

/// What is left after the slack of the proof: 2 + 2⁻²⁰/f units, with `1/f = 1 + e^eps`.
fn spendable(budget: Budget) -> Result<Budget> {
    let capped = Budget::from_units(budget.units().min(LARGEST))?;
    let flip = Decay::of(capped).numerator();
    let inverse = (Decay::UNIT + flip) / flip;
    // The stay probability is rounded twice; this much budget covers what that can add to the odds.
    capped.checked_sub(Budget::from_units(2 + (inverse >> 20))?)
}

shipped!(EdgeRand);

impl Mechanism for EdgeRand {
    type Unit = Edge;

    fn name(&self) -> &'static str {
        "edge-rand"
    }

    fn event(&self) -> Event {
        Event::RandomizedResponse { epsilon: Epsilon::from(self.budget), categories: 2 }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "the fate of one pair changes by at most a factor e^epsilon".into(),
            proof: "privet_privacy::edges::comparison::edge_rand, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::from([("epsilon".into(), json!(self.budget.as_f64()))])
    }

    fn assumes_public(&self) -> Vec<String> {
        vec!["the number of nodes and their ids".into()]
    }
}

impl Central for EdgeRand {
    type Input = Graph;
    /// Row `u` holds the neighbours below `u`.
    type Output = Vec<Vec<NodeId>>;

    fn sample<N: NoiseSource>(&self, graph: &Graph, noise: N, _permit: Permit<'_>) -> Self::Output {
        let graph = undirected(graph);
        noise.map_users(graph.node_count(), |node, words| {
            self.row(node as NodeId, below(&graph, node as NodeId), words)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::merge::Merge;
    use crate::noise::NoiseRng;
    use crate::noise::testing::{assert_fits, exp_minus_ball, rational};
    use dashu::rational::RBig;
    use privet_data::synthetic::{BarabasiAlbert, ErdosRenyi};
    use privet_graph::{Direction, GraphBuilder};

    fn graph(n: usize, edges: &[(NodeId, NodeId)]) -> Graph {
        let builder = GraphBuilder::new(n, Direction::Undirected).edges(edges.iter().copied());
        builder.build().unwrap().0
    }

    /// `rho W H <= e^eps` and `1 / (rho W) <= e^eps`, the last step of the proof, without rounding.
    #[test]
    fn the_gaps_cost_at_most_epsilon() {
        for epsilon in
            [1e-11, 1e-6, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 14.0, 18.0, 22.0, 26.0, 30.0, 50.0]
        {
            let mechanism = EdgeRand::new(epsilon).unwrap();
            let ratios: Vec<RBig> =
                mechanism.gaps.ratio_numerators().map(|r| rational(r.into(), 1 << 62)).collect();
            let (digits, last) = ratios.split_at(ratios.len() - 1);
            let mut total = RBig::ONE / (RBig::ONE - last[0].clone()); // W
            digits.iter().for_each(|ratio| total *= RBig::ONE + ratio);
            let mut carries = RBig::ONE; // H
            for pair in ratios.windows(2) {
                carries *= pair[1].clone() / (pair[0].clone() * pair[0].clone());
            }
            let odds = ratios[0].clone() * total;
            let x = RBig::try_from(mechanism.budget.as_f64()).unwrap();
            let above = exp_minus_ball(&x).1;
            assert!(RBig::ONE / (odds.clone() * carries) >= above, "{epsilon}");
            assert!(odds >= above, "{epsilon}");
            let lost = mechanism.flip * (1.0 + epsilon.min(30.0).exp()) - 1.0;
            assert!(lost.abs() < 1e-4, "{epsilon}: {lost}");
        }
        assert!(EdgeRand::new(2f64.powi(-40)).is_err());
    }

    #[test]
    fn one_edge_costs_epsilon() {
        let mechanism = EdgeRand::new(1.0).unwrap();
        let with = graph(3, &[(0, 1), (1, 2)]);
        let without = graph(3, &[(0, 1)]);
        let mut worst = 0f64;
        let mut mass = 0.0;
        for bits in 0..8u32 {
            let pick = |bit: u32, node: NodeId| (bits >> bit & 1 == 1).then_some(node);
            let rows = vec![
                vec![],
                pick(0, 0).into_iter().collect(),
                [pick(1, 0), pick(2, 1)].into_iter().flatten().collect(),
            ];
            let (a, b) =
                (mechanism.probability(&with, &rows), mechanism.probability(&without, &rows));
            mass += a;
            worst = worst.max((a / b).ln().abs());
        }
        assert!((mass - 1.0).abs() < 1e-12 && (worst - 1.0).abs() < 1e-9);
    }

    /// Against the exact law, all pairs of a small graph jointly.
    #[test]
    fn drawn_graphs_have_the_exact_law() {
        let mechanism = EdgeRand::new(0.8).unwrap();
        let truth = graph(4, &[(0, 1), (1, 2), (1, 3)]);
        let place = |u: usize, v: NodeId| u * (u - 1) / 2 + v as usize;
        let mut counts = vec![0u64; 64];
        let mut law = vec![0.0; 64];
        let mut rng = NoiseRng::replay(81);
        for _ in 0..40_000 {
            let rows = mechanism.sample(&truth, rng.next_release(), Permit::new());
            let bits =
                rows.iter().enumerate().flat_map(|(u, row)| row.iter().map(move |&v| (u, v)));
            let outcome: usize = bits.map(|(u, v)| 1 << place(u, v)).sum();
            counts[outcome] += 1;
            law[outcome] = mechanism.probability(&truth, &rows);
        }
        assert_fits(&counts, &law);
    }

    #[test]
    fn a_large_graph_has_the_right_number_of_flips() {
        for (model, epsilon) in [(20_000, 12.0), (3000, 6.0), (400, 1.0)] {
            let truth = BarabasiAlbert { nodes: model, edges_per_node: 3 }.generate(2).unwrap();
            let truth = truth.graph();
            let mechanism = EdgeRand::new(epsilon).unwrap();
            let rows = mechanism.sample(truth, NoiseRng::replay(82).next_release(), Permit::new());
            let noisy = Merge::OneSided.graph(rows).unwrap();
            let kept = noisy.edges().filter(|&(u, v)| truth.has_edge(u, v)).count() as f64;
            let edges = truth.edge_count() as f64;
            let strangers = pair_count(model) as f64 - edges;
            let spread = |count: f64| 5.0 * (count * mechanism.flip).sqrt() + 3.0;
            assert!((edges - kept - edges * mechanism.flip).abs() < spread(edges));
            let invented = noisy.edge_count() as f64 - kept;
            assert!((invented - strangers * mechanism.flip).abs() < spread(strangers));
        }
    }

    #[test]
    fn arcs_count_once_and_a_huge_epsilon_changes_nothing() {
        let truth = ErdosRenyi { nodes: 200, edges: 500 }.generate(3).unwrap().graph().clone();
        let mechanism = EdgeRand::new(100.0).unwrap();
        for input in [truth.clone(), truth.clone().to_directed()] {
            let rows = mechanism.sample(&input, NoiseRng::replay(83).next_release(), Permit::new());
            assert_eq!(Merge::OneSided.graph(rows).unwrap(), truth);
        }
    }
}
