//! Degrees of a graph, summed up.

use crate::Graph;

/// What a report says about the lengths of a graph's rows.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct DegreeStatistics {
    /// Smallest degree.
    pub min: usize,
    /// Middle degree (the lower one of two).
    pub median: usize,
    /// Mean degree.
    pub mean: f64,
    /// Largest degree.
    pub max: usize,
    /// How many nodes have no neighbour.
    pub isolated: usize,
}

impl DegreeStatistics {
    /// The statistics of `graph`; all zero if it has no nodes. Out-degrees, if it is directed.
    pub fn of(graph: &Graph) -> Self {
        if graph.node_count() == 0 {
            return Self::default();
        }
        let mut degrees: Vec<usize> = graph.nodes().map(|node| graph.degree(node)).collect();
        let isolated = degrees.iter().filter(|&&degree| degree == 0).count();
        let (min, max) = degrees.iter().fold((usize::MAX, 0), |(a, b), &d| (a.min(d), b.max(d)));
        let middle = (degrees.len() - 1) / 2;
        let median = *degrees.select_nth_unstable(middle).1;
        let mean = graph.arc_count() as f64 / graph.node_count() as f64;
        Self { min, median, mean, max, isolated }
    }
}

/// How many nodes have a degree in `from..=to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct DegreeBin {
    /// Smallest degree of the bin.
    pub from: usize,
    /// Largest degree of the bin.
    pub to: usize,
    /// Nodes in the bin.
    pub nodes: usize,
}

/// Degrees counted in bins 0, 1, 2-3, 4-7, ..., up to the largest degree.
///
/// ```
/// use privet_graph::{Direction, GraphBuilder, degree};
/// let star = GraphBuilder::new(5, Direction::Undirected).edges((1..5).map(|leaf| (0, leaf)));
/// let bins = degree::histogram(&star.build()?.0);
/// assert_eq!(bins.iter().map(|bin| bin.nodes).collect::<Vec<_>>(), [0, 4, 0, 1]);
/// # Ok::<(), privet_graph::Error>(())
/// ```
pub fn histogram(graph: &Graph) -> Vec<DegreeBin> {
    // Degree d > 0 falls into bin 1 + floor(log2 d), which is the bit length of d.
    let bin_of = |degree: usize| (usize::BITS - degree.leading_zeros()) as usize;
    let mut bins: Vec<DegreeBin> = Vec::new();
    for node in graph.nodes() {
        let bin = bin_of(graph.degree(node));
        while bins.len() <= bin {
            let (from, to) = match bins.len() {
                0 => (0, 0),
                bits => (1 << (bits - 1), (1 << bits) - 1),
            };
            bins.push(DegreeBin { from, to, nodes: 0 });
        }
        bins[bin].nodes += 1;
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Direction, GraphBuilder};

    #[test]
    fn star_with_an_isolated_node() {
        let star = GraphBuilder::new(6, Direction::Undirected).edges((1..5).map(|leaf| (0, leaf)));
        let statistics = DegreeStatistics::of(&star.build().unwrap().0);
        let expected = DegreeStatistics { min: 0, median: 1, mean: 8.0 / 6.0, max: 4, isolated: 1 };
        assert_eq!(statistics, expected);
    }

    #[test]
    fn bins_count_every_node() {
        let path = GraphBuilder::new(4, Direction::Undirected).edges([(0, 1), (1, 2)]);
        let bins = histogram(&path.build().unwrap().0);
        let bin = |from, to, nodes| DegreeBin { from, to, nodes };
        assert_eq!(bins, [bin(0, 0, 1), bin(1, 1, 2), bin(2, 3, 1)]);
    }
}
