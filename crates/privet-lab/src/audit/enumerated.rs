//! What exact audits share: the price of a claim, and the worst pair of laws that the shipped code has.

use privet::graph::{Direction, Graph, GraphBuilder};
use privet::privacy::audit::{self, OutcomeLaw};
use privet::privacy::population::NeighborList;
use privet::privacy::{Central, Delta, Local, Mechanism, accountant};

use super::finding::{Finding, Method};
use super::refused;
use crate::Result;

/// Laws are exact, but what they are compared by is a float, and rationals that stand in for e^-eps are
/// rounded to the private side by a little less than this.
const TOLERANCE: f64 = 1e-9;

/// What is released is rounded to `f32` in the end.
const READ_OFF: f64 = 1e-5;

/// What a mechanism says it costs: its own event, priced by the accountant.
pub(super) fn price(mechanism: &impl Mechanism, delta: f64) -> Result<f64> {
    Ok(accountant::best(&mechanism.event(), Delta::new(delta)?)?.value.get())
}

/// A finding about a law that was walked through.
pub(super) fn exact(subject: impl Into<String>, claimed: f64, measured: f64) -> Finding {
    let (subject, method) = (subject.into(), Method::Exact);
    Finding { subject, method, claimed, measured, tolerance: TOLERANCE }
}

/// A finding about how far sums move, read off a release with hardly any noise.
pub(super) fn moved(subject: impl Into<String>, claimed: f64, measured: f64) -> Finding {
    Finding { tolerance: READ_OFF, ..exact(subject, claimed, measured) }
}

/// The largest loss between two inputs that are neighbours.
pub(super) fn worst<K: Ord>(
    laws: &[OutcomeLaw<K>],
    neighbours: impl Fn(usize, usize) -> bool,
) -> f64 {
    let mut worst = 0f64;
    for (a, first) in laws.iter().enumerate() {
        for (b, second) in laws.iter().enumerate().skip(a + 1) {
            if neighbours(a, b) {
                worst = worst.max(first.loss(second));
            }
        }
    }
    worst
}

/// Inputs numbered by bits are neighbours if they differ in one.
pub(super) fn one_bit(a: usize, b: usize) -> bool {
    (a ^ b).count_ones() == 1
}

/// Every neighbour of every input.
pub(super) fn all(_: usize, _: usize) -> bool {
    true
}

/// The members of a list, by the bits of a mask over all nodes but the owner.
pub(super) fn members(owner: usize, nodes: usize, mask: usize) -> Vec<u32> {
    let others = (0..nodes).filter(|&node| node != owner);
    others.enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, node)| node as u32).collect()
}

/// The law of one user's report about each of their lists, by the bits of a mask.
pub(super) fn of_lists<M: Local<Population = Graph>, K: Ord>(
    mechanism: &M,
    owner: usize,
    nodes: usize,
    key: impl Fn(M::Report) -> K,
) -> Result<Vec<OutcomeLaw<K>>> {
    let law = |mask| {
        let neighbors = members(owner, nodes, mask);
        let list = NeighborList { owner: owner as u32, neighbors: &neighbors, node_count: nodes };
        audit::randomized(mechanism, list, &key)
    };
    (0..1 << (nodes - 1)).map(law).collect()
}

/// A graph, by the bits of a mask over its pairs, row by row: (1, 0), (2, 0), (2, 1), (3, 0), ...
pub(super) fn graph(nodes: usize, mask: usize) -> Result<Graph> {
    let pairs = (0..nodes as u32).flat_map(|u| (0..u).map(move |v| (u, v)));
    let edges = pairs.enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, pair)| pair);
    let built = GraphBuilder::new(nodes, Direction::Undirected).edges(edges).build();
    Ok(built.map_err(refused)?.0)
}

/// The law of what a curator releases about every graph, by the bits of a mask.
pub(super) fn of_graphs<M: Central<Input = Graph>, K: Ord>(
    mechanism: &M,
    nodes: usize,
    key: impl Fn(M::Output) -> K,
) -> Result<Vec<OutcomeLaw<K>>> {
    let pairs = nodes * (nodes - 1) / 2;
    (0..1 << pairs).map(|mask| audit::sampled(mechanism, &graph(nodes, mask)?, &key)).collect()
}
