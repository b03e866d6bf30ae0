//! What propagation must give: small graphs of every kind, and `alpha (I - (1-alpha) P)^-1 X` by
//! Gaussian elimination in 64-bit floats.

use std::fmt;

use privet_graph::{DenseMatrix, Direction, Graph, GraphBuilder, SparseBuilder, SparseMatrix};
use proptest::prelude::*;

use super::{AddedLoops, Orientation, Propagation};

/// A graph, features and a propagation.
#[derive(Debug, Clone)]
pub struct PropagationCase {
    pub name: &'static str,
    pub graph: Graph,
    pub propagation: Propagation,
    features: DenseMatrix,
}

impl fmt::Display for PropagationCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} {:?}", self.name, self.graph.direction(), self.propagation)
    }
}

impl PropagationCase {
    pub fn new(name: &'static str, graph: Graph, propagation: Propagation) -> Self {
        // Signed, about half of them zero.
        let value = |at: usize| ((at * 7919 + 13) % 17) as f32 / 8.0 - 1.0;
        let value = |at: usize| if at * 31 % 7 < 3 { 0.0 } else { value(at) };
        let count = graph.node_count() * 3;
        let features =
            DenseMatrix::new(graph.node_count(), 3, (0..count).map(value).collect()).unwrap();
        Self { name, graph, propagation, features }
    }

    pub fn features(&self) -> &DenseMatrix {
        &self.features
    }

    pub fn sparse_features(&self) -> SparseMatrix {
        let mut builder = SparseBuilder::new(self.features.columns());
        for row in 0..self.features.rows() {
            let mut entries: Vec<_> = (0..).zip(self.features.row(row).iter().copied()).collect();
            builder.push_row(&mut entries).unwrap();
        }
        builder.finish()
    }

    /// P from its definition, entry by entry, independently of the operator.
    pub fn matrix(&self) -> Vec<Vec<f64>> {
        let (n, r) = (self.graph.node_count(), self.propagation.exponent);
        let mut a = vec![vec![0.0; n]; n];
        self.graph.arcs().for_each(|(u, v)| a[u as usize][v as usize] = 1.0);
        if self.propagation.self_loops == AddedLoops::All {
            (0..n).for_each(|u| a[u][u] = 1.0);
        }
        let out: Vec<f64> = a.iter().map(|row| row.iter().sum()).collect();
        let into: Vec<f64> = (0..n).map(|v| a.iter().map(|row| row[v]).sum()).collect();
        let mut p = vec![vec![0.0; n]; n];
        for u in 0..n {
            for v in (0..n).filter(|&v| a[u][v] != 0.0) {
                let weight = out[u].powf(r - 1.0) * into[v].powf(-r);
                match self.propagation.orientation {
                    Orientation::Forward => p[u][v] = weight,
                    Orientation::Transposed => p[v][u] = weight,
                }
            }
        }
        p
    }

    /// `alpha (I - (1-alpha) P)^-1`.
    pub fn inverse(&self) -> Vec<Vec<f64>> {
        let alpha = self.propagation.alpha;
        let mut system = self.matrix();
        let n = system.len();
        for (u, row) in system.iter_mut().enumerate() {
            row.iter_mut().for_each(|p| *p *= alpha - 1.0);
            row[u] += 1.0;
            row.extend((0..n).map(|v| if u == v { alpha } else { 0.0 }));
        }
        solve(system)
    }

    /// `alpha (I - (1-alpha) P)^-1 x`.
    pub fn expected(&self, x: &DenseMatrix) -> DenseMatrix {
        let inverse = self.inverse();
        let mut z = DenseMatrix::zeros(x.rows(), x.columns());
        for (u, row) in inverse.iter().enumerate() {
            for column in 0..x.columns() {
                let terms = row.iter().enumerate().map(|(v, p)| p * f64::from(x.row(v)[column]));
                z.row_mut(u)[column] = terms.sum::<f64>() as f32;
            }
        }
        z
    }
}

/// Gauss-Jordan elimination with partial pivoting: the right-hand sides, solved.
fn solve(mut system: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = system.len();
    for column in 0..n {
        let by_size =
            |&a: &usize, &b: &usize| system[a][column].abs().total_cmp(&system[b][column].abs());
        let pivot = (column..n).max_by(by_size).unwrap();
        system.swap(column, pivot);
        let pivot_row = system[column].clone();
        for (u, row) in system.iter_mut().enumerate().filter(|(u, _)| *u != column) {
            let factor = row[column] / pivot_row[column];
            assert!(u < n && factor.is_finite());
            row.iter_mut().zip(&pivot_row).for_each(|(a, b)| *a -= factor * b);
        }
    }
    let divided = |(u, row): (usize, &Vec<f64>)| row[n..].iter().map(|b| b / row[u]).collect();
    system.iter().enumerate().map(divided).collect()
}

fn graph(direction: Direction, nodes: usize, edges: &[(u32, u32)]) -> Graph {
    GraphBuilder::new(nodes, direction).edges(edges.iter().copied()).build().unwrap().0
}

/// Every kind of small graph, under every kind of propagation.
pub fn cases() -> Vec<PropagationCase> {
    let clique: Vec<_> = (0..6).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
    let scattered: Vec<_> =
        (0..30u32).map(|i| (i * 37 % 15, (i * i * 11 + 3) % 15)).filter(|(u, v)| u != v).collect();
    type Kind = (&'static str, usize, Vec<(u32, u32)>);
    let kinds: [Kind; 6] = [
        ("path", 6, (0..5).map(|u| (u, u + 1)).collect()),
        ("star", 7, (1..7).map(|leaf| (0, leaf)).collect()),
        ("clique", 6, clique),
        ("two parts and an isolated node", 7, vec![(0, 1), (1, 2), (2, 0), (3, 4), (4, 5)]),
        ("no edges", 3, vec![]),
        ("scattered", 15, scattered),
    ];
    let mut cases = Vec::new();
    for (name, nodes, edges) in &kinds {
        for direction in [Direction::Undirected, Direction::Directed] {
            for exponent in [0.0, 0.1, 0.5, 1.0] {
                for self_loops in [AddedLoops::None, AddedLoops::All] {
                    for orientation in [Orientation::Forward, Orientation::Transposed] {
                        let alpha = 0.2;
                        let propagation = Propagation { alpha, exponent, self_loops, orientation };
                        cases.push(PropagationCase::new(
                            name,
                            graph(direction, *nodes, edges),
                            propagation,
                        ));
                    }
                }
            }
        }
    }
    cases
}

/// Random graphs under random propagations.
pub fn any_case() -> impl Strategy<Value = PropagationCase> {
    let edges = prop::collection::vec((0u32..12, 0u32..12), 0..40);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (edges, 0.05f64..0.95, 0.0f64..=1.0, flags).prop_map(|(edges, alpha, exponent, flags)| {
        let direction = if flags.0 { Direction::Directed } else { Direction::Undirected };
        let self_loops = if flags.1 { AddedLoops::All } else { AddedLoops::None };
        let orientation = if flags.2 { Orientation::Transposed } else { Orientation::Forward };
        let propagation = Propagation { alpha, exponent, self_loops, orientation };
        PropagationCase::new("random", graph(direction, 12, &edges), propagation)
    })
}
