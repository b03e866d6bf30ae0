//! Scores computed by an independent program, `tests/vectors/gnn.py`, for the tests of GCN and GIN.

use privet_graph::{DenseMatrix, Direction, Graph, GraphBuilder};
use serde::Deserialize;

use crate::parameters::Parameters;

#[derive(Deserialize)]
pub struct Vectors {
    pub graphs: Vec<GraphVector>,
    pub gin: Vec<GinVector>,
    pub gcn: Vec<GcnVector>,
}

#[derive(Deserialize)]
pub struct GraphVector {
    nodes: usize,
    edges: Vec<(u32, u32)>,
}

#[derive(Deserialize)]
pub struct GinVector {
    pub directed: bool,
    pub readout: super::gin::Readout,
    pub training: Vec<Vec<f32>>,
    pub evaluation: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
pub struct GcnVector {
    pub directed: bool,
    pub aggregation: super::gcn::GcnAggregation,
    pub scores: Vec<Vec<f32>>,
}

pub fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../../tests/vectors/gnn.json")).unwrap()
}

impl Vectors {
    pub fn graph(&self, at: usize, directed: bool) -> Graph {
        let direction = if directed { Direction::Directed } else { Direction::Undirected };
        let GraphVector { nodes, edges } = &self.graphs[at];
        GraphBuilder::new(*nodes, direction).edges(edges.iter().copied()).build().unwrap().0
    }
}

pub fn entry(tensor: usize, at: usize) -> f32 {
    ((at * 7919 + tensor * 104_729) % 31) as f32 / 31.0 - 0.5
}

/// Gives every tensor the values of the formula; scales and variances lie about one.
pub fn set_by_formula(model: &mut dyn Parameters) {
    let mut tensor = 0;
    model.visit_mut(&mut |parameter| {
        let about_one = ["gamma", "variance"].iter().any(|end| parameter.name().ends_with(end));
        let base = if about_one { 1.0 } else { 0.0 };
        for (at, value) in parameter.value.values_mut().iter_mut().enumerate() {
            *value = base + entry(tensor, at);
        }
        tensor += 1;
    });
}

pub fn assert_near(found: &DenseMatrix, expected: &[Vec<f32>]) {
    assert_eq!(found.rows(), expected.len());
    for (row, expected) in expected.iter().enumerate() {
        for (found, expected) in found.row(row).iter().zip(expected) {
            assert!(
                (found - expected).abs() < 2e-5 * expected.abs().max(1.0),
                "{found} {expected}"
            );
        }
    }
}
