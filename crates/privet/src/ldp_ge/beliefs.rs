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
//! b_v(c)       ~  pi(c) P(y_v | c) P(x_v | c) exp(g_v(c)) prod over u of f_(u->v)(c)
//! m_(v->u)(c)  ~  b_v(c) / f_(u->v)(c)
//! ```
//! Exact on trees without g. What is returned is `g_v(c) + sum over u of ln f_(u->v)(c)`, less its mean over classes: the
//! evidence of others alone. `P(x_v | c)` is what is known of the features of v itself, if anything is.
//!
//! # Pairs that are not in the graph
//! They say a little each, and there are many: people of one class who all knew each other would show. Each takes off
//! what it would have added on average, so that all together, for a person who has `k_v` friends in the graph (the sum of
//! its `w`), come to
//! ```text
//! g_v(c) = - k_v h (M(c) / pi(c) - 1),   M = sum over u of k_u b_u / sum over u of k_u
//! ```
//! (the external field of Decelle, Krzakala, Moore and Zdeborova 2011). Without it classes that are believed a little
//! more than others win everywhere, above all where most pairs are accidents.
//!
//! # Cost
//! Arcs x classes numbers, and that much work a round.

use super::edges::TiesRef;
use crate::graph::{DenseMatrix, Graph, NodeId};

/// Rounds: evidence from further away than this is faint.
const ROUNDS: usize = 10;
/// Half of the old message stays: loops calm down.
const DAMPING: f32 = 0.5;

/// What is known before any user's neighbours are asked.
pub(super) struct Prior<'a> {
    /// Frequencies of classes, all above 0.
    pub frequencies: &'a [f32],
    /// How often people who know each other have the same class, beyond chance.
    pub homophily: f32,
    /// The probability that a reported label is true.
    pub keep: f32,
    /// `ln P(x | c)` of every user's own features, up to a constant a row.
    pub own: Option<&'a DenseMatrix>,
    /// Whether pairs that are not in the graph speak, too.
    pub absent: bool,
}

/// The evidence of others about each user's class; `label` gives what is known about whom.
pub(super) fn beliefs(
    ties: TiesRef<'_>,
    prior: &Prior<'_>,
    label: impl Fn(NodeId) -> Option<u32>,
) -> DenseMatrix {
    let graph = ties.graph;
    let (people, classes) = (graph.node_count(), prior.frequencies.len());
    let turned = turned(graph);
    // s = w h of every arc: how much the class of one end says about the other.
    let strength: Vec<f32> = match ties.confidence {
        Some(confidence) => confidence.iter().map(|w| w * prior.homophily).collect(),
        None => vec![prior.homophily; graph.arc_count()],
    };
    let mut absent = MissingPairs::new(graph, &strength, prior);
    // The message that comes in along each arc of a row: from the target to the row's owner.
    // Messages start as the frequencies, which say nothing.
    let mut incoming: Vec<f32> = prior.frequencies.repeat(graph.arc_count());
    let mut outgoing = incoming.clone();
    let mut evidence = DenseMatrix::zeros(people, classes);
    // One round more than messages are sent: the last one only reads what came in.
    for round in 0..=ROUNDS {
        for node in graph.nodes() {
            let arcs = graph.offsets()[node as usize]..graph.offsets()[node as usize + 1];
            let row = evidence.row_mut(node as usize);
            absent.field(node, row);
            for arc in arcs.clone() {
                let message = &incoming[arc * classes..(arc + 1) * classes];
                let said = message.iter().zip(prior.frequencies);
                row.iter_mut().zip(said).for_each(|(sum, (m, pi))| {
                    // ln f_(u->v)(c) = ln(1 - s + s m(c)/pi(c)).
                    *sum += (1.0 - strength[arc] + strength[arc] * m / pi).ln();
                });
            }
            if round == ROUNDS {
                continue;
            }
            let own = unary(prior, node, label(node));
            for arc in arcs {
                let from = arc * classes..(arc + 1) * classes;
                let told = &incoming[from.clone()];
                let reply = &mut outgoing[from];
                for (c, reply) in reply.iter_mut().enumerate() {
                    let pi = prior.frequencies[c];
                    let factor = 1.0 - strength[arc] + strength[arc] * told[c] / pi;
                    // m_(v->u) ~ b_v / f_(u->v): what the target itself said is taken out of the
                    // reply.
                    *reply = own[c] + row[c] - factor.ln();
                }
                to_shares(reply);
            }
            absent.count(node, &own, row);
        }
        // All messages of a round are sent before any is read, so the order of nodes does not
        // matter.
        absent.settle(prior);
        for (arc, &back) in turned.iter().enumerate() {
            for c in 0..classes {
                let message = &mut incoming[back * classes + c];
                // Damping: without it beliefs on short loops swing between two states.
                *message = DAMPING * *message + (1.0 - DAMPING) * outgoing[arc * classes + c];
            }
        }
    }
    center(&mut evidence);
    evidence
}

/// What pairs that are not in the graph say, all together.
struct MissingPairs {
    /// `k h` of each user, and their sum; 0 where such pairs are silent.
    friends: Vec<f32>,
    all: f32,
    /// `- (M / pi - 1)` of the rounds before, by class.
    field: Vec<f32>,
    /// M of this round, so far.
    believed: Vec<f32>,
}

impl MissingPairs {
    fn new(graph: &Graph, strength: &[f32], prior: &Prior<'_>) -> Self {
        let offsets = graph.offsets().windows(2);
        let friends = offsets.map(|ends| strength[ends[0]..ends[1]].iter().sum());
        let friends: Vec<f32> = if prior.absent { friends.collect() } else { Vec::new() };
        let classes = prior.frequencies.len();
        // Never 0, so that a graph without strength divides nothing by it.
        let all = friends.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        Self { friends, all, field: vec![0.0; classes], believed: vec![0.0; classes] }
    }

    /// What they say about one person.
    fn field(&self, node: NodeId, row: &mut [f32]) {
        let friends = self.friends.get(node as usize).copied().unwrap_or(0.0);
        row.iter_mut().zip(&self.field).for_each(|(sum, field)| *sum = friends * field);
    }

    /// Adds what is believed about one person.
    fn count(&mut self, node: NodeId, own: &[f32], others: &[f32]) {
        let Some(friends) = self.friends.get(node as usize) else { return };
        let mut belief: Vec<f32> = own.iter().zip(others).map(|(own, more)| own + more).collect();
        to_shares(&mut belief);
        // Each person counts in M by their share k_v of all friends.
        let share = friends / self.all;
        self.believed.iter_mut().zip(belief).for_each(|(sum, belief)| *sum += share * belief);
    }

    /// After a round.
    fn settle(&mut self, prior: &Prior<'_>) {
        let round = self.believed.iter_mut().zip(prior.frequencies);
        for (field, (believed, pi)) in self.field.iter_mut().zip(round) {
            // 1 - M/pi, or nothing where absent pairs are not to speak.
            let now = if self.friends.is_empty() { 0.0 } else { 1.0 - *believed / pi };
            *field = DAMPING * *field + (1.0 - DAMPING) * now;
            *believed = 0.0;
        }
    }
}

/// `ln pi(c) P(y | c) P(x | c)`.
fn unary(prior: &Prior<'_>, node: NodeId, label: Option<u32>) -> Vec<f32> {
    // A wrong report is any of the other classes with the same probability.
    let other = (1.0 - prior.keep) / (prior.frequencies.len().max(2) - 1) as f32;
    let share = |(class, pi): (u32, &f32)| {
        let own = prior.own.map_or(0.0, |own| own.row(node as usize)[class as usize]);
        let said = match label {
            None => 1.0,
            Some(said) if said == class => prior.keep,
            // A label that cannot be wrong still leaves a little doubt: the graph may be.
            Some(_) => other.max(1e-6),
        };
        own + (pi * said).ln()
    };
    (0..).zip(prior.frequencies).map(share).collect()
}

/// From logarithms to shares of one.
fn to_shares(values: &mut [f32]) {
    // The largest is taken out before exponentials: they cannot overflow.
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
    use crate::graph::{Direction, GraphBuilder, SimRng};
    use rand::RngExt;

    /// Three people in a row, the first with a label: by enumeration of all classes.
    #[test]
    fn exact_on_a_path() {
        let edges = [(0, 1), (1, 2)];
        let graph = GraphBuilder::new(3, Direction::Undirected).edges(edges).build().unwrap().0;
        let (pi, h, keep) = ([0.3f32, 0.7], 0.6f32, 0.8f32);
        let prior = Prior { frequencies: &pi, homophily: h, keep, own: None, absent: false };
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
        let pi = &[0.5, 0.5];
        let prior = Prior { frequencies: pi, homophily: 0.9, keep: 1.0, own: None, absent: true };
        let found = beliefs(ties, &prior, |_| Some(0));
        assert!(found.values().iter().all(|value| value.abs() < 1e-6));
    }

    /// What is known of one's own features counts like a label that may be wrong.
    #[test]
    fn own_features_are_evidence() {
        let graph = GraphBuilder::new(2, Direction::Undirected).edges([(0, 1)]).build().unwrap().0;
        let known = DenseMatrix::new(2, 2, vec![0.8f32.ln(), 0.2f32.ln(), 0.0, 0.0]).unwrap();
        let pi = [0.5, 0.5];
        let prior = |own| Prior { frequencies: &pi, homophily: 0.6, keep: 0.8, own, absent: false };
        let by_label = beliefs((&graph).into(), &prior(None), |node| (node == 0).then_some(0));
        let by_row = beliefs((&graph).into(), &prior(Some(&known)), |_| None);
        assert!((by_label.row(1)[0] - by_row.row(1)[0]).abs() < 1e-5);
        assert!(by_row.row(0).iter().all(|value| value.abs() < 1e-5), "not of its owner");
    }

    /// Nothing but accidents, and a class that is reported a little more often: one class wins everywhere, unless
    /// pairs that are not there speak, too.
    #[test]
    fn accidents_do_not_make_one_class_of_all() {
        let people = 400u32;
        let mut rng = SimRng::new(7);
        let all = (0..people).flat_map(|u| (0..u).map(move |v| (u, v)));
        let pairs: Vec<(u32, u32)> = all.filter(|_| rng.random::<f64>() < 0.1).collect();
        let builder = GraphBuilder::new(people as usize, Direction::Undirected);
        let graph = builder.edges(pairs).build().unwrap().0;
        let pi = [0.5, 0.5];
        let largest = |absent| {
            let prior = Prior { frequencies: &pi, homophily: 0.3, keep: 0.7, own: None, absent };
            let label = |node: u32| node.is_multiple_of(2).then_some(u32::from(node % 20 < 8));
            let found = beliefs((&graph).into(), &prior, label);
            let first = (0..people as usize).filter(|&node| found.row(node)[0] > 0.0).count();
            first.max(people as usize - first)
        };
        assert!(largest(false) > 390, "{}", largest(false));
        assert!(largest(true) < 300, "{}", largest(true));
    }
}
