//! The same graph without some people or connections: the neighbours that a guarantee speaks of, made for those who
//! try to tell them apart.
//!
//! Somebody who is not there keeps an id, and nothing else: no connections, no features, no class. A row without a
//! class counts nothing in training, and neither does one that reads such a person (claim E6).

use std::collections::HashSet;

use super::{Held, Inductive, Training, Visitors, chosen, in_the_open, part};
use crate::graph::{
    Dataset, Direction, FeatureMatrix, Features, Graph, GraphBuilder, NodeId, SparseBuilder,
    SparseMatrix,
};
use crate::{Error, Result};

/// The class of people who are not there: no network has an answer for it.
pub(super) const ABSENT: u32 = u32::MAX;

impl Inductive {
    /// The people of [`Training`], as somebody sees them who knows everything about everybody and asks a model
    /// about them. For attacks: a curator never does this.
    ///
    /// # Errors
    /// As for [`Inductive::split`].
    pub fn known(dataset: &Dataset, held: Held, seed: u64) -> Result<Visitors> {
        in_the_open(&part(dataset, &chosen(dataset, held, seed)?.0)?)
    }
}

impl Training {
    /// The same ids, of which some are of people who are not there.
    ///
    /// # Errors
    /// If there is no such person.
    pub fn without_people(&self, gone: &[NodeId]) -> Result<Self> {
        if let Some(nobody) = gone.iter().find(|&&node| node as usize >= self.len()) {
            return Err(Error::invalid("person", nobody, format!("below {}", self.len())));
        }
        let gone: HashSet<NodeId> = gone.iter().copied().collect();
        let mut left = self.with_graph(|u, v| !gone.contains(&u) && !gone.contains(&v))?;
        left.features = emptied(&self.features, &gone)?;
        gone.iter().for_each(|&node| left.classes[node as usize] = ABSENT);
        Ok(left)
    }

    /// The same people, some of whom do not know each other.
    ///
    /// # Errors
    /// Never in practice.
    pub fn without_connections(&self, gone: &[(NodeId, NodeId)]) -> Result<Self> {
        let gone: HashSet<(NodeId, NodeId)> =
            gone.iter().flat_map(|&(u, v)| [(u, v), (v, u)]).collect();
        self.with_graph(|u, v| !gone.contains(&(u, v)))
    }

    fn with_graph(&self, keep: impl Fn(NodeId, NodeId) -> bool) -> Result<Self> {
        let mut graph = GraphBuilder::new(self.len(), Direction::Undirected);
        self.graph.edges().filter(|&(u, v)| keep(u, v)).for_each(|(u, v)| graph.push(u, v));
        let (graph, _): (Graph, _) = graph.build()?;
        Ok(Self { graph, ..self.with_features(Features::clone) })
    }

    /// Who is there.
    pub(in crate::dpar) fn present(&self) -> Vec<NodeId> {
        self.graph.nodes().filter(|&node| self.classes[node as usize] != ABSENT).collect()
    }

    /// The classes of rows that read so: those that read somebody who is not there have none.
    pub(super) fn classes_of(&self, weights: &SparseMatrix) -> Vec<u32> {
        let absent = |&node: &u32| self.classes[node as usize] == ABSENT;
        let class = |(row, &class): (usize, &u32)| match weights.row(row).0.iter().any(absent) {
            true => ABSENT,
            false => class,
        };
        self.classes.iter().enumerate().map(class).collect()
    }
}

/// Rows of zeros for those who are gone.
fn emptied(features: &Features, gone: &HashSet<NodeId>) -> Result<Features> {
    Ok(match features.matrix() {
        FeatureMatrix::Dense(matrix) => {
            let mut left = matrix.clone();
            gone.iter().for_each(|&node| left.row_mut(node as usize).fill(0.0));
            Features::dense(left)
        }
        FeatureMatrix::Sparse(matrix) => {
            let mut left = SparseBuilder::new(matrix.columns());
            for row in 0..matrix.rows() {
                let (columns, values) = matrix.row(row);
                let mut entries: Vec<(u32, f32)> = match gone.contains(&(row as NodeId)) {
                    true => Vec::new(),
                    false => columns.iter().copied().zip(values.iter().copied()).collect(),
                };
                left.push_row(&mut entries)?;
            }
            Features::sparse(left.finish())
        }
    })
}
