//! Belief propagation: what the labels of others, and who is reported to know whom, say about a class.
//!
//! # Model
//! Two people who know each other have the same class with probability `h` beyond chance, and a pair in the
//! graph is an edge with probability `w` (its confidence). Then, given class `c` of one end, the class of the
//! other is `c` itself with probability `s = w h`, and otherwise drawn by the frequencies `pi`. A reported label
//! y says `P(y | c)`: `p` if it is c, else `q`.
//!
//! # Equations
//! Every arc carries a message, the belief of one end without what the other told it:
//! ```text
//! f_(u->v)(c)  =  1 - s + s m_(u->v)(c) / pi(c)
//! b_v(c)       ~  pi(c) P(y_v | c) prod over u of f_(u->v)(c)
//! m_(v->u)(c)  ~  b_v(c) / f_(u->v)(c)
//! ```
//! Exact on trees. What is returned is `sum over u of ln f_(u->v)(c)`, less its mean over classes: the
//! evidence of others alone.
//!
//! # Cost
//! Arcs x classes numbers, and that much work a round.

use super::edges::TiesRef;
use crate::graph::{DenseMatrix, Graph, NodeId};

/// Rounds: evidence from further away than this is faint.
const ROUNDS: usize = 10;
/// Half of the old message stays: loops calm down.
const DAMPING: f32 = 0.5;

/// What is known before anybody's neighbours are asked.
pub(super) struct Prior<'a> {
    /// Frequencies of classes, all above 0.
    pub frequencies: &'a [f32],
    /// How often people who know each other have the same class, beyond chance.
    pub homophily: f32,
    /// The probability that a reported label is true.
    pub keep: f32,
}

/// The evidence of others about everybody's class; `label` gives what is known about whom.
pub(super) fn beliefs(
    ties: TiesRef<'_>,
    prior: &Prior<'_>,
    label: impl Fn(NodeId) -> Option<u32>,
) -> DenseMatrix {
    let graph = ties.graph;
    let (people, classes) = (graph.node_count(), prior.frequencies.len());
    let turned = turned(graph);
    let strength: Vec<f32> = match ties.confidence {
        Some(confidence) => confidence.iter().map(|w| w * prior.homophily).collect(),
        None => vec![prior.homophily; graph.arc_count()],
    };
    // The message that comes in along each arc of a row: from the target to the row's owner.
    let mut incoming: Vec<f32> = prior.frequencies.repeat(graph.arc_count());
    let mut outgoing = incoming.clone();
    let mut evidence = DenseMatrix::zeros(people, classes);
    for round in 0..=ROUNDS {
        for node in graph.nodes() {
            let arcs = graph.offsets()[node as usize]..graph.offsets()[node as usize + 1];
            let row = evidence.row_mut(node as usize);
            row.fill(0.0);
            for arc in arcs.clone() {
                let message = &incoming[arc * classes..(arc + 1) * classes];
                let said = message.iter().zip(prior.frequencies);
                row.iter_mut().zip(said).for_each(|(sum, (m, pi))| {
                    *sum += (1.0 - strength[arc] + strength[arc] * m / pi).ln();
                });
            }
            if round == ROUNDS {
                continue;
            }
            let own = unary(prior, label(node));
            for arc in arcs {
                let from = arc * classes..(arc + 1) * classes;
                let told = &incoming[from.clone()];
                let reply = &mut outgoing[from];
                for (c, reply) in reply.iter_mut().enumerate() {
                    let pi = prior.frequencies[c];
                    let factor = 1.0 - strength[arc] + strength[arc] * told[c] / pi;
                    *reply = own[c] + row[c] - factor.ln();
                }
                to_shares(reply);
            }
        }
        for (arc, &back) in turned.iter().enumerate() {
            for c in 0..classes {
                let message = &mut incoming[back * classes + c];
                *message = DAMPING * *message + (1.0 - DAMPING) * outgoing[arc * classes + c];
            }
        }
    }
    center(&mut evidence);
    evidence
}

/// `ln pi(c) P(y | c)`.
fn unary(prior: &Prior<'_>, label: Option<u32>) -> Vec<f32> {
    let other = (1.0 - prior.keep) / (prior.frequencies.len().max(2) - 1) as f32;
    let share = |(class, pi): (u32, &f32)| match label {
        None => pi.ln(),
        Some(said) if said == class => (pi * prior.keep).ln(),
        // A label that cannot be wrong still leaves a little doubt: the graph may be.
        Some(_) => (pi * other.max(1e-6)).ln(),
    };
    (0..).zip(prior.frequencies).map(share).collect()
}

/// From logarithms to shares of one.
fn to_shares(values: &mut [f32]) {
    let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    values.iter_mut().for_each(|value| *value = (*value - largest).exp());
    let sum: f32 = values.iter().sum();
    values.iter_mut().for_each(|value| *value /= sum);
}

fn center(matrix: &mut DenseMatrix) {
    for row in 0..matrix.rows() {
        let row = matrix.row_mut(row);
        let mean = row.iter().sum::<f32>() / row.len().max(1) as f32;
        row.iter_mut().for_each(|value| *value -= mean);
    }
}

/// For every arc, where the one that goes back stands. Of an undirected graph; arcs of a directed one that
/// have no way back stand for themselves.
fn turned(graph: &Graph) -> Vec<usize> {
    let back = |(arc, (u, v)): (usize, (NodeId, NodeId))| {
        let found = graph.neighbors(v).binary_search(&u);
        found.map_or(arc, |at| graph.offsets()[v as usize] + at)
    };
    graph.arcs().enumerate().map(back).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Direction, GraphBuilder};

    /// Three people in a row, the first with a label: by enumeration of all classes.
    #[test]
    fn exact_on_a_path() {
        let edges = [(0, 1), (1, 2)];
        let graph = GraphBuilder::new(3, Direction::Undirected).edges(edges).build().unwrap().0;
        let (pi, h, keep) = ([0.3f32, 0.7], 0.6f32, 0.8f32);
        let prior = Prior { frequencies: &pi, homophily: h, keep };
        let found = beliefs((&graph).into(), &prior, |node| (node == 0).then_some(0));
        let joint = |a: usize, b: usize, c: usize| {
            let same = |x: usize, y: usize| 1.0 - h + if x == y { h / pi[x] } else { 0.0 };
            let said = if a == 0 { keep } else { 1.0 - keep };
            pi[a] * pi[b] * pi[c] * said * same(a, b) * same(b, c)
        };
        let sum = |c: usize| (0..4).map(|at| joint(at / 2, at % 2, c)).sum::<f32>();
        let truth = sum(0) / (sum(0) + sum(1));
        let mut belief = vec![found.row(2)[0] + pi[0].ln(), found.row(2)[1] + pi[1].ln()];
        to_shares(&mut belief);
        assert!((belief[0] - truth).abs() < 1e-2, "{} against {truth}", belief[0]);
    }

    #[test]
    fn a_pair_that_nobody_believes_says_nothing() {
        let graph = GraphBuilder::new(2, Direction::Undirected).edges([(0, 1)]).build().unwrap().0;
        let ties = TiesRef { graph: &graph, confidence: Some(&[0.0, 0.0]) };
        let prior = Prior { frequencies: &[0.5, 0.5], homophily: 0.9, keep: 1.0 };
        let found = beliefs(ties, &prior, |_| Some(0));
        assert!(found.values().iter().all(|value| value.abs() < 1e-6));
    }
}
