//! K steps of neighbourhood aggregation: the matrices `M X`, `M^2 X`, ... that GCN, GAP, the K-step
//! propagation of locally private networks and DPAR's inference are made of.

use std::borrow::Cow;

use privet_graph::normalize::{Normalization, arc_weights};
use privet_graph::{DenseMatrix, Graph};

use super::operator::{AddedLoops, with_loops};
use crate::kernels::{ArcWeights, aggregate};
use crate::{Error, Result};

/// How neighbours are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Aggregation {
    /// `A`.
    Sum,
    /// `D^-1 A`.
    Mean,
    /// `D^-1/2 A D^-1/2`.
    #[default]
    Symmetric,
}

/// Aggregation prepared for one graph.
#[derive(Debug, Clone)]
pub struct Hops<'a> {
    graph: Cow<'a, Graph>,
    weights: Option<Vec<f32>>,
}

impl<'a> Hops<'a> {
    /// Prepares the matrix. Without self-loops a node without neighbours gets zeros.
    ///
    /// ```
    /// use privet_graph::{DenseMatrix, Direction, GraphBuilder};
    /// use privet_learn::propagate::{AddedLoops, Aggregation, Hops};
    /// let (path, _) = GraphBuilder::new(3, Direction::Undirected).edges([(0, 1), (1, 2)]).build()?;
    /// let hops = Hops::new(&path, Aggregation::Mean, AddedLoops::None)?;
    /// let x = DenseMatrix::new(3, 1, vec![1.0, 0.0, 3.0])?;
    /// assert_eq!(hops.last(&x, 1)?.values(), [0.0, 2.0, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the graph with self-loops cannot be made.
    pub fn new(graph: &'a Graph, aggregation: Aggregation, loops: AddedLoops) -> Result<Self> {
        let graph = match loops {
            AddedLoops::None => Cow::Borrowed(graph),
            AddedLoops::All => Cow::Owned(with_loops(graph)?),
        };
        let weights = match aggregation {
            Aggregation::Sum => None,
            Aggregation::Mean => Some(arc_weights(&graph, Normalization::Row)?),
            Aggregation::Symmetric => Some(arc_weights(&graph, Normalization::Symmetric)?),
        };
        Ok(Self { graph, weights })
    }

    /// The graph that is summed over, self-loops included.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// One step: `out = M x`.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn step(&self, x: &DenseMatrix, out: &mut DenseMatrix) {
        let weights = self.weights.as_deref().map_or(ArcWeights::Ones, ArcWeights::PerArc);
        aggregate(&self.graph, weights, x, out);
    }

    /// `X, M X, ..., M^K X`.
    ///
    /// # Errors
    /// If the features do not fit the graph.
    pub fn all(&self, x: DenseMatrix, steps: usize) -> Result<Vec<DenseMatrix>> {
        self.check(&x)?;
        let mut hops = vec![x];
        for step in 0..steps {
            let mut next = DenseMatrix::zeros(hops[step].rows(), hops[step].columns());
            self.step(&hops[step], &mut next);
            hops.push(next);
        }
        Ok(hops)
    }

    /// `M^K X` alone, in the memory of two matrices.
    ///
    /// # Errors
    /// If the features do not fit the graph.
    pub fn last(&self, x: &DenseMatrix, steps: usize) -> Result<DenseMatrix> {
        self.check(x)?;
        if steps == 0 {
            return Ok(x.clone());
        }
        let mut current = DenseMatrix::zeros(x.rows(), x.columns());
        // The first step reads the caller's rows: they are never copied.
        self.step(x, &mut current);
        let mut next = DenseMatrix::zeros(0, 0);
        for _ in 1..steps {
            if next.rows() != x.rows() {
                next = DenseMatrix::zeros(x.rows(), x.columns());
            }
            self.step(&current, &mut next);
            std::mem::swap(&mut current, &mut next);
        }
        Ok(current)
    }

    fn check(&self, x: &DenseMatrix) -> Result<()> {
        let nodes = self.graph.node_count();
        if x.rows() == nodes {
            return Ok(());
        }
        Err(Error::invalid("rows of features", x.rows(), format!("{nodes} (one per node)")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle;
    use super::*;

    fn multiply(m: &[Vec<f64>], x: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let entry = |row: &Vec<f64>, c: usize| row.iter().zip(x).map(|(m, x)| m * x[c]).sum();
        m.iter().map(|row| (0..x[0].len()).map(|c| entry(row, c)).collect()).collect()
    }

    #[test]
    fn hops_are_powers_of_the_matrix() {
        for case in oracle::cases() {
            let r = case.propagation.exponent;
            let aggregation = match r {
                0.0 => Aggregation::Mean,
                0.5 => Aggregation::Symmetric,
                _ => continue,
            };
            if case.propagation.orientation == super::super::Orientation::Transposed {
                continue;
            }
            let hops = Hops::new(&case.graph, aggregation, case.propagation.self_loops).unwrap();
            let all = hops.all(case.features().clone(), 3).unwrap();
            let rows = |m: &DenseMatrix| -> Vec<Vec<f64>> {
                (0..m.rows()).map(|u| m.row(u).iter().map(|&v| f64::from(v)).collect()).collect()
            };
            let mut expected = rows(case.features());
            for (step, hop) in all.iter().enumerate() {
                let pairs = rows(hop).concat().into_iter().zip(expected.concat());
                assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-6), "{case} hop {step}");
                assert_eq!(&hops.last(case.features(), step).unwrap(), hop);
                expected = multiply(&case.matrix(), &expected);
            }
        }
    }

    #[test]
    fn sums_count_neighbours() {
        let graph = &oracle::cases()[0].graph;
        let ones = DenseMatrix::new(6, 1, vec![1.0; 6]).unwrap();
        let hops = Hops::new(graph, Aggregation::Sum, AddedLoops::All).unwrap();
        assert_eq!(hops.last(&ones, 1).unwrap().values(), [2.0, 3.0, 3.0, 3.0, 3.0, 2.0]);
        assert!(hops.last(&DenseMatrix::zeros(5, 1), 1).is_err());
    }
}
