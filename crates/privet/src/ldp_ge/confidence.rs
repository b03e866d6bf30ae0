//! Which reported pairs to believe: those whose two ends also report the same third person.
//!
//! # Idea
//! Friends of friends are often friends; accidents of noise are not. So of the pairs in a noisy graph,
//! those with more common neighbours than chance explains are likelier edges. Everything is computed from
//! the reports: post-processing, free.
//!
//! # Equations
//! With `f` the probability of a wrong answer, a non-edge enters the graph with probability `b` and an
//! edge with `a` (`b = f^2`, `a = (1-f)^2` if both ends must agree). Before anything else is known, a pair that entered
//! is an edge by Bayes' rule, with the expected numbers of friends `t` of its ends (`degrees.rs`):
//! ```text
//! pi(u,v) = a p / (a p + b (1 - p)),   p = t_u t_v / sum t
//! ```
//! A pair that entered by accident has about Poisson many common neighbours,
//! ```text
//! lambda(u,v) = d_u d_v / n  +  s_u s_v (h - 1/n),   s_u = max(d_u - (n-1) b, 0),   h = sum (s^2 - d) / (sum s)^2
//! ```
//! where the second term is for true neighbours, who gather at hubs. Pairs are sorted into bins by
//! `(common - lambda) / sqrt(lambda + 1/4)`. With `O` pairs observed in a bin and `A` accidents expected there, each pair
//! counting `1 - pi`, a share `1 - A / O` of the bin are edges; these shares must not fall from
//! bin to bin, so neighbours that do are pooled. Within a bin the odds of every pair are those of `pi` times one factor, at
//! which they add up to that share.
//!
//! # Cost
//! The sum of squared degrees; beyond `MOST_STEPS` common neighbours are not counted, and `pi` stands.

use rayon::prelude::*;

use super::degrees::expected;
use crate::graph::{Graph, NodeId};
use crate::privacy::edges::Merge;

/// Some seconds.
const MOST_STEPS: f64 = 4e9;
/// Bins of half a deviation, from four below chance to sixteen above.
const BINS: usize = 40;
const LOWEST: f64 = -4.0;
/// No weight is exactly 0.
const LEAST: f64 = 1e-3;
/// No two people are sure to be friends because both have many.
const MOST: f64 = 0.9;
/// Odds move by no more than this factor, in logarithms, found in so many halvings.
const LARGEST_LOG: f64 = 20.0;
const HALVINGS: usize = 30;

/// For every arc of a graph made by randomised response, in the order of [`Graph::targets`], how likely
/// it is an edge. `None` where a pair may be two arcs, or there is none.
pub fn confidence(graph: &Graph, merge: Merge, flip: f64) -> Option<Vec<f32>> {
    // Common neighbours of all pairs are found in the sum of squared degrees.
    let steps: f64 = graph.nodes().map(|node| (graph.degree(node) as f64).powi(2)).sum();
    // A directed pair was reported by one end alone: agreement says nothing about it.
    if graph.arc_count() == 0 || merge == Merge::Directed {
        return None;
    }
    let chance = Chance::of(graph, merge, flip);
    let arcs: Vec<(NodeId, NodeId)> = graph.arcs().collect();
    let before: Vec<f64> = arcs.iter().map(|&(u, v)| chance.before(u, v)).collect();
    if steps > MOST_STEPS {
        return Some(before.into_iter().map(|share| share as f32).collect());
    }
    let nodes = (0..graph.node_count() as NodeId).into_par_iter();
    let common: Vec<u32> = nodes.flat_map_iter(|u| commons(graph, u)).collect();
    let mut observed = [0.0; BINS];
    let mut accidents = [0.0; BINS];
    let mut bins = Vec::with_capacity(arcs.len());
    for ((&(u, v), &common), before) in arcs.iter().zip(&common).zip(&before) {
        let mean = chance.mean(u, v);
        bins.push(bin(f64::from(common), mean) as u8);
        // The observed pair goes to its bin; below, the same pair as an accident goes to all bins
        // by its Poisson law.
        observed[bin(f64::from(common), mean)] += 1.0;
        add_poisson(mean, 1.0 - before, &mut accidents);
    }
    // A bin cannot have fewer true pairs than a bin of fewer common neighbours.
    let shares = rising(&observed, |at| 1.0 - accidents[at] / observed[at]);
    let factors = factors(&bins, &before, &observed, &shares);
    let weight = |(bin, before): (&u8, &f64)| {
        moved(*before, factors[*bin as usize]).clamp(LEAST, 1.0) as f32
    };
    Some(bins.iter().zip(&before).map(weight).collect())
}

/// A probability whose odds are multiplied.
fn moved(share: f64, factor: f64) -> f64 {
    // Odds times the factor, as a share again.
    share * factor / (share * factor + 1.0 - share)
}

/// For every bin the factor of the odds at which its pairs add up to their share, by halving in logarithms.
fn factors(
    bins: &[u8],
    before: &[f64],
    observed: &[f64; BINS],
    shares: &[f64; BINS],
) -> [f64; BINS] {
    let (mut low, mut high) = ([-LARGEST_LOG; BINS], [LARGEST_LOG; BINS]);
    for _ in 0..HALVINGS {
        // Bisection on the logarithm of every bin's factor at once: the sums rise with it.
        let middle: [f64; BINS] = std::array::from_fn(|at| ((low[at] + high[at]) / 2.0).exp());
        let mut sums = [0.0; BINS];
        for (&bin, &before) in bins.iter().zip(before) {
            sums[bin as usize] += moved(before, middle[bin as usize]);
        }
        for at in 0..BINS {
            let end = if sums[at] < shares[at] * observed[at] { &mut low } else { &mut high };
            end[at] = middle[at].ln();
        }
    }
    std::array::from_fn(|at| ((low[at] + high[at]) / 2.0).exp())
}

/// The law of accidents.
struct Chance {
    /// a and b: how often an edge enters, and a non-edge.
    enters: (f64, f64),
    /// t, and their sum.
    friends: Vec<f64>,
    ends: f64,
    degrees: Vec<f64>,
    /// s: degrees less accidents.
    surplus: Vec<f64>,
    people: f64,
    hubs: f64,
}

impl Chance {
    fn of(graph: &Graph, merge: Merge, flip: f64) -> Self {
        let people = graph.node_count() as f64;
        // a and b of the head of this file, for each way to merge two answers.
        let (a, b) = match merge {
            Merge::And => ((1.0 - flip).powi(2), flip.powi(2)),
            Merge::Or => (1.0 - flip.powi(2), 1.0 - (1.0 - flip).powi(2)),
            _ => (1.0 - flip, flip),
        };
        let degrees: Vec<f64> = graph.nodes().map(|node| graph.degree(node) as f64).collect();
        let accidents = (people - 1.0) * b;
        let surplus: Vec<f64> = degrees.iter().map(|d| (d - accidents).max(0.0)).collect();
        let squares: f64 =
            degrees.iter().map(|d| (d - accidents).powi(2) - d).sum::<f64>().max(0.0);
        let sum: f64 = degrees.iter().map(|d| d - accidents).sum::<f64>().max(1.0);
        // h: how much more often two true neighbours meet at the same third than two random people.
        let hubs = (squares / sum.powi(2)).max(1.0 / people).min(1.0);
        let counts: Vec<usize> = graph.nodes().map(|node| graph.degree(node)).collect();
        let friends = expected(&counts, a, accidents);
        let ends = friends.iter().sum::<f64>().max(1.0);
        Self { enters: (a, b), friends, ends, degrees, surplus, people, hubs }
    }

    /// pi: how likely a pair that entered is an edge, by the numbers of friends of its ends.
    fn before(&self, u: NodeId, v: NodeId) -> f64 {
        let (a, b) = self.enters;
        let share = (self.friends[u as usize] * self.friends[v as usize] / self.ends).min(MOST);
        (a * share / (a * share + b * (1.0 - share))).clamp(LEAST, 1.0 - LEAST)
    }

    fn mean(&self, u: NodeId, v: NodeId) -> f64 {
        let (u, v) = (u as usize, v as usize);
        // -1: the pair itself stands in both lists, and is no common neighbour.
        let evenly = (self.degrees[u] - 1.0) * (self.degrees[v] - 1.0) / self.people;
        let at_hubs = self.surplus[u] * self.surplus[v] * (self.hubs - 1.0 / self.people);
        evenly + at_hubs
    }
}

/// The numbers of common neighbours of `u` with each of its neighbours.
fn commons(graph: &Graph, u: NodeId) -> Vec<u32> {
    let own = graph.neighbors(u);
    own.iter().map(|&v| intersection(own, graph.neighbors(v))).collect()
}

fn intersection(a: &[NodeId], b: &[NodeId]) -> u32 {
    // Both lists are sorted: one pass, and no branch in its body.
    let (mut i, mut j, mut count) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        count += u32::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    count
}

fn bin(common: f64, mean: f64) -> usize {
    // Standardised; 1/4 keeps pairs that expect nothing from dividing by 0. Two bins a deviation.
    let off = (common - mean) / (mean + 0.25).sqrt();
    (((off - LOWEST) * 2.0).max(0.0) as usize).min(BINS - 1)
}

/// Adds the law of a Poisson number with this mean, so many times, bin by bin.
fn add_poisson(mean: f64, times: f64, bins: &mut [f64; BINS]) {
    // Beyond this mean e^-mean is no number any more; such pairs stand in the middle.
    if mean > 600.0 {
        bins[bin(mean, mean)] += times;
        return;
    }
    let (mut term, mut left, mut count) = ((-mean).exp(), 1.0, 0.0);
    // Until what is left of the law does not matter, with room for rounding.
    while left > 1e-9 && count < mean + 12.0 * mean.sqrt() + 30.0 {
        bins[bin(count, mean)] += times * term;
        left -= term;
        count += 1.0;
        term *= mean / count;
    }
}

/// Shares by bin that do not fall: bins that would are pooled with their neighbours (pool adjacent
/// violators).
fn rising(weights: &[f64; BINS], share: impl Fn(usize) -> f64) -> [f64; BINS] {
    // Blocks: share, weight, and how many bins.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (at, &weight) in weights.iter().enumerate() {
        let value = if weight > 0.0 { share(at) } else { 0.0 };
        blocks.push((value, weight, 1));
        // Pool adjacent violators: a block that falls below the one before is joined to it.
        while let [.., (left, a, m), (right, b, n)] = blocks[..]
            && (left > right || b == 0.0)
        {
            let all = a + b;
            let mean = if all > 0.0 { (left * a + right * b) / all } else { left };
            blocks.truncate(blocks.len() - 2);
            blocks.push((mean, all, m + n));
        }
    }
    let mut out = [LEAST; BINS];
    // A pooled share holds for each of its bins.
    let spread = blocks.iter().flat_map(|&(value, _, bins)| std::iter::repeat_n(value, bins));
    out.iter_mut().zip(spread).for_each(|(out, value)| *out = value.clamp(LEAST, 1.0));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::SimRng;
    use crate::graph::{Direction, GraphBuilder};
    use rand::RngExt;

    /// Forty cliques of eight under accidents: what holds together is believed, the rest is not.
    #[test]
    fn cliques_are_believed_and_accidents_are_not() {
        let (people, flip) = (320u32, 0.12f64);
        let mut rng = SimRng::new(3);
        let together = |u: u32, v: u32| u / 8 == v / 8;
        let mut pairs = Vec::new();
        for (u, v) in (0..people).flat_map(|u| (0..u).map(move |v| (u, v))) {
            let enters = if together(u, v) { 1.0 - flip } else { flip };
            if rng.random::<f64>() < enters * enters {
                pairs.push((u, v));
            }
        }
        let builder = GraphBuilder::new(people as usize, Direction::Undirected);
        let graph = builder.edges(pairs).build().unwrap().0;
        let weights = confidence(&graph, Merge::And, flip).unwrap();
        let mean = |real: bool| {
            let of = graph.arcs().zip(&weights).filter(|((u, v), _)| together(*u, *v) == real);
            let (sum, count) = of.fold((0.0, 0.0), |(sum, count), (_, w)| (sum + w, count + 1.0));
            sum / count
        };
        assert!(mean(true) > 0.9 && mean(false) < 0.15, "{} {}", mean(true), mean(false));
        // A weight is a probability: together they count the edges that are there.
        let real = graph.arcs().filter(|(u, v)| together(*u, *v)).count() as f32;
        let sum: f32 = weights.iter().sum();
        assert!((sum / real - 1.0).abs() < 0.2, "{sum} of {real}");
    }

    #[test]
    fn shares_do_not_fall() {
        let mut weights = [0.0; BINS];
        weights[3..7].copy_from_slice(&[10.0, 30.0, 10.0, 5.0]);
        let shares = rising(&weights, |at| [0.3, 0.1, 0.6, 0.5][at - 3]);
        assert!(shares.is_sorted(), "{shares:?}");
        assert!((shares[4] - 0.15).abs() < 1e-12 && (shares[6] - 8.5 / 15.0).abs() < 1e-12);
        assert!(shares[0] == LEAST && shares[BINS - 1] == shares[6]);
    }

    #[test]
    fn poisson_laws_sum_to_one() {
        for mean in [0.0, 0.03, 2.0, 80.0, 5000.0] {
            let mut bins = [0.0; BINS];
            add_poisson(mean, 1.0, &mut bins);
            assert!((bins.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{mean}");
        }
    }
}
