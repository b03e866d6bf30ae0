//! Normalised adjacency: a weight for every arc.
//!
//! Graph learning multiplies by `D^(r-1) A D^(-r)`: r = 0 averages over neighbours (rows sum to 1),
//! r = 1 spreads evenly over neighbours (columns sum to 1), r = 1/2 is the symmetric form of GCN.

use rayon::prelude::*;

use crate::{Direction, Error, Graph, Result};

/// How to weigh the arcs of a graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Normalization {
    /// `D^-1 A`: each row sums to 1.
    Row,
    /// `D^-1/2 A D^-1/2`.
    Symmetric,
    /// `A D^-1`: each column sums to 1.
    Column,
    /// `D^(r-1) A D^(-r)` for any r in [0, 1].
    Exponent(f64),
}

impl Normalization {
    /// The exponent r.
    pub fn exponent(self) -> f64 {
        match self {
            Self::Row => 0.0,
            Self::Symmetric => 0.5,
            Self::Column => 1.0,
            Self::Exponent(r) => r,
        }
    }
}

/// The weight of every arc, in the order of [`Graph::targets`]: arc `u -> v` weighs
/// `out(u)^(r-1) in(v)^(-r)`, with out- and in-degrees equal if the graph is undirected.
/// An isolated node has no arc, so nothing is ever divided by zero.
///
/// # Errors
/// Unless r lies in [0, 1].
pub fn arc_weights(graph: &Graph, normalization: Normalization) -> Result<Vec<f32>> {
    let r = normalization.exponent();
    if !(0.0..=1.0).contains(&r) {
        return Err(Error::invalid("normalisation exponent", r, "a number in [0, 1]"));
    }
    let mut in_degrees = vec![0usize; graph.node_count()];
    match graph.direction() {
        Direction::Undirected => {
            graph.nodes().for_each(|u| in_degrees[u as usize] = graph.degree(u));
        }
        Direction::Directed => graph.targets().iter().for_each(|&v| in_degrees[v as usize] += 1),
    }
    let into: Vec<f64> = in_degrees.par_iter().map(|&degree| (degree as f64).powf(-r)).collect();
    let mut weights = vec![0f32; graph.arc_count()];
    // Rows are short and many: one thread per block of rows would need uneven slices, and this is
    // two multiplications per arc, so memory is the limit either way.
    for u in graph.nodes() {
        let row = graph.offsets()[u as usize]..graph.offsets()[u as usize + 1];
        // The weight of arc u -> v is out(u)^(r-1) in(v)^(-r).
        let out = (row.len() as f64).powf(r - 1.0);
        for at in row {
            weights[at] = (out * into[graph.targets()[at] as usize]) as f32;
        }
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphBuilder;

    fn graph(direction: Direction) -> Graph {
        let edges = [(0, 1), (0, 2), (0, 3), (2, 3)];
        GraphBuilder::new(5, direction).edges(edges).build().unwrap().0
    }

    #[test]
    fn rows_and_columns_sum_to_one() {
        for direction in [Direction::Undirected, Direction::Directed] {
            let graph = graph(direction);
            let (row, column) = (Normalization::Row, Normalization::Column);
            let (rows, columns) =
                (arc_weights(&graph, row).unwrap(), arc_weights(&graph, column).unwrap());
            let (mut row_sums, mut column_sums) = ([0f32; 5], [0f32; 5]);
            for (at, (u, v)) in graph.arcs().enumerate() {
                row_sums[u as usize] += rows[at];
                column_sums[v as usize] += columns[at];
            }
            let near = |sum: f32| sum == 0.0 || (sum - 1.0).abs() < 1e-6;
            assert!(row_sums.into_iter().all(near) && column_sums.into_iter().all(near));
        }
    }

    #[test]
    fn symmetric_weights_match_the_formula() {
        let graph = graph(Direction::Undirected);
        let weights = arc_weights(&graph, Normalization::Symmetric).unwrap();
        for (at, (u, v)) in graph.arcs().enumerate() {
            let expected = 1.0 / ((graph.degree(u) * graph.degree(v)) as f32).sqrt();
            assert!((weights[at] - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn exponents_outside_the_unit_interval_are_refused() {
        let graph = graph(Direction::Undirected);
        for r in [-0.1, 1.1, f64::NAN] {
            assert!(arc_weights(&graph, Normalization::Exponent(r)).is_err());
        }
    }
}
