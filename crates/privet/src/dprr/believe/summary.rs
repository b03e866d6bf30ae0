//! What reports say well about a whole graph, in one row: how many users, their noisy degrees, what Bayes' rule makes of
//! them, and the pairs that are believed. Boosted trees learn from these rows.
//!
//! A noisy degree is useless alone; hundreds of them are not: sums, quantiles and shares above a threshold are averages,
//! whose noise is known and small.

use super::super::claim::Claim;
use super::super::degree::DegreeStatement;
use super::testimony::Testimony;
use crate::graph::{Direction, Graph, NodeId};

const QUANTILES: [f64; 9] = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];
const SAID_AT_LEAST: [f64; 12] =
    [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0, 128.0];
const BELIEVED_AT_LEAST: [f64; 10] = [1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 32.0, 64.0];
const LARGEST: usize = 5;

/// The row of one graph, given the pairs that are believed.
pub(super) fn of_graph(
    graph: &Graph,
    claims: &[Claim],
    direction: Direction,
    believed: &Graph,
) -> Vec<f32> {
    let testimony = Testimony::of(graph, claims, direction);
    let heard: Vec<usize> = (0..claims.len()).filter(|&at| claims[at] != Claim::Struck).collect();
    let (users, bits) = (heard.len() as f64, testimony.bits());
    let degrees = testimony.degrees();
    let mut noise = DegreeNoise::default();
    let mut said: Vec<f64> =
        heard.iter().filter_map(|&at| noise.hear(graph, at, claims[at], &bits)).collect();
    said.sort_by(|a, b| b.total_cmp(a));
    let mut likely: Vec<f64> = heard.iter().map(|&at| degrees[at]).collect();
    likely.sort_by(|a, b| b.total_cmp(a));
    let published = claims.iter().filter(|claim| claim.is_published()).count();
    let mut row = vec![users, published as f64];
    row.extend(of_said(&said, users, &noise));
    row.extend(of_likely(&likely));
    row.extend(of_pairs(believed));
    row.into_iter().map(|value| value as f32).collect()
}

/// What is known about the noise of everything that was said.
#[derive(Default)]
struct DegreeNoise {
    /// The mean variance.
    variance: f64,
    heard: f64,
    /// The weakest epsilon of a noisy degree.
    weakest: Option<f64>,
}

impl DegreeNoise {
    /// What a user said, unbiased.
    fn hear(
        &mut self,
        graph: &Graph,
        at: usize,
        claim: Claim,
        bits: &[DegreeStatement],
    ) -> Option<f64> {
        let said = match (claim, bits.get(at)) {
            (Claim::Published, _) => {
                DegreeStatement::Normal { degree: graph.degree(at as NodeId) as f64, variance: 0.0 }
            }
            (Claim::Degree { said, epsilon, .. }, _) => {
                DegreeStatement::Laplace { degree: said, epsilon }
            }
            (Claim::Bits { .. }, Some(bits)) => *bits,
            _ => return None,
        };
        let (degree, variance) = match said {
            DegreeStatement::Nothing => return None,
            DegreeStatement::Normal { degree, variance } => (degree, variance),
            DegreeStatement::Laplace { degree, epsilon } => {
                self.weakest = Some(self.weakest.map_or(epsilon, |known| known.min(epsilon)));
                let ratio = (-epsilon).exp();
                (degree as f64, 2.0 * ratio / (1.0 - ratio).powi(2))
            }
        };
        self.heard += 1.0;
        self.variance += (variance - self.variance) / self.heard;
        Some(degree)
    }

    /// What hardly any of so many users exceeds by noise alone.
    fn reach(&self, users: f64) -> f64 {
        let laplace = self.weakest.map_or(0.0, |epsilon| (4.0 * users.max(1.0)).ln() / epsilon);
        laplace.max(if self.weakest.is_none() { 3.0 * self.variance.sqrt() } else { 0.0 }) + 2.0
    }
}

/// Sum, mean, deviation, quantiles, the largest, and shares above thresholds, of values in descending order.
fn of_said(said: &[f64], users: f64, noise: &DegreeNoise) -> Vec<f64> {
    let count = said.len().max(1) as f64;
    let sum: f64 = said.iter().sum();
    let mean = sum / count;
    let variance = said.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    let squares: f64 = said.iter().map(|value| value * value - noise.variance).sum();
    let mut row = vec![sum, mean, variance.sqrt(), (variance - noise.variance).max(0.0).sqrt()];
    row.push(sum / (users * (users - 1.0)).max(1.0));
    row.push(squares);
    row.extend(QUANTILES.map(|share| quantile(said, share)));
    row.extend((0..LARGEST).map(|at| said.get(at).copied().unwrap_or(0.0)));
    row.extend(SAID_AT_LEAST.map(|least| share_at_least(said, least)));
    let reach = noise.reach(users);
    let hubs: Vec<f64> = said.iter().copied().take_while(|&value| value > reach).collect();
    let of_hubs: f64 = hubs.iter().sum();
    row.extend([hubs.len() as f64, of_hubs, of_hubs / sum.abs().max(1.0)]);
    row.extend((0..LARGEST).map(|at| hubs.get(at).copied().unwrap_or(0.0) / users.max(1.0)));
    row
}

/// The same of degrees by Bayes' rule, where noise is mostly gone from the large ones.
fn of_likely(likely: &[f64]) -> Vec<f64> {
    let count = likely.len().max(1) as f64;
    let sum: f64 = likely.iter().sum();
    let mean = sum / count;
    let squares: f64 = likely.iter().map(|value| value * value).sum();
    let largest: Vec<f64> = (0..LARGEST).map(|at| likely.get(at).copied().unwrap_or(0.0)).collect();
    let mut row = vec![sum, mean, (squares / count - mean * mean).max(0.0).sqrt(), squares];
    row.extend(&largest);
    row.extend(largest.iter().map(|value| value / count));
    row.extend(BELIEVED_AT_LEAST.map(|least| share_at_least(likely, least)));
    row.push(largest.iter().sum::<f64>() / sum.max(1e-9));
    row
}

/// How many pairs are believed, and how often two neighbours of a user know each other.
fn of_pairs(believed: &Graph) -> [f64; 3] {
    let (mut paths, mut closed) = (0u64, 0u64);
    for user in believed.nodes() {
        let known = believed.neighbors(user);
        paths += (known.len() as u64).saturating_sub(1) * known.len() as u64;
        closed += known
            .iter()
            .filter(|&&other| other != user)
            .map(|&other| common(known, believed.neighbors(other)))
            .sum::<u64>();
    }
    let arcs = believed.arc_count() as f64;
    [arcs, closed as f64, closed as f64 / (paths as f64).max(1.0)]
}

/// How many nodes stand in both of two ascending lists.
fn common(one: &[NodeId], other: &[NodeId]) -> u64 {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    if short.len() * 16 < long.len() {
        return short.iter().filter(|node| long.binary_search(node).is_ok()).count() as u64;
    }
    let (mut found, mut rest) = (0, long);
    for node in short {
        rest = &rest[rest.partition_point(|known| known < node)..];
        found += u64::from(rest.first() == Some(node));
    }
    found
}

/// Of values in descending order; between two, in proportion.
fn quantile(descending: &[f64], share: f64) -> f64 {
    let Some(last) = descending.len().checked_sub(1) else { return 0.0 };
    let place = (1.0 - share) * last as f64;
    let (below, above) = (descending[place.ceil() as usize], descending[place.floor() as usize]);
    above + (below - above) * place.fract()
}

fn share_at_least(descending: &[f64], least: f64) -> f64 {
    let count = descending.partition_point(|&value| value >= least);
    count as f64 / descending.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[&[NodeId]]) -> Graph {
        Graph::from_rows(rows.iter().map(|row| row.to_vec()).collect()).unwrap()
    }

    /// A triangle and a user who knows one of it: of five paths of two edges three pairs are closed, seen from both ends.
    #[test]
    fn published_lists_are_counted_as_they_are() {
        let graph = rows(&[&[1, 2, 3], &[0, 2], &[0, 1], &[0]]);
        let row = of_graph(&graph, &[Claim::Published; 4], Direction::Undirected, &graph);
        assert_eq!(row[..4], [4.0, 4.0, 8.0, 2.0]);
        assert_eq!(row[row.len() - 3..], [8.0, 6.0, 0.6]);
    }

    #[test]
    fn nothing_said_is_a_row_of_the_same_length() {
        let graph = rows(&[&[], &[], &[]]);
        let row = |claim| of_graph(&graph, &[claim; 3], Direction::Undirected, &graph);
        let said = Claim::Degree { said: 4, epsilon: 1.0, flip: 0.5 };
        assert_eq!(row(Claim::Silent).len(), row(said).len());
        assert!(row(Claim::Silent).iter().chain(&row(said)).all(|value| value.is_finite()));
        assert_eq!(row(said)[2..4], [12.0, 4.0]);
        let none = of_graph(&rows(&[]), &[], Direction::Undirected, &rows(&[]));
        assert_eq!(none.len(), row(said).len());
        assert_eq!(row(Claim::Struck)[0], 0.0);
    }

    #[test]
    fn quantiles_and_shares_of_descending_values() {
        let values = [4.0, 3.0, 2.0, 1.0, 0.0];
        assert_eq!((quantile(&values, 0.5), quantile(&values, 0.25)), (2.0, 1.0));
        assert!((quantile(&values, 0.9) - 3.6).abs() < 1e-12);
        assert_eq!(share_at_least(&values, 3.0), 0.4);
        assert_eq!(common(&[1, 2, 5, 9], &[2, 3, 9]), 2);
    }
}
