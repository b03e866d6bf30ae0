//! The graph without one person: the other side of `node-absent`, for audits and attacks.
//!
//! Ids are public, so the id stays. What is gone: the person's connections, features, class and training row, and
//! with it every training row that reads from the person. Nothing is dropped in a real run, where everybody is
//! there; this is the neighbour that the proof of training speaks of.

use super::Training;
use crate::Result;
use crate::graph::{
    DenseMatrix, Direction, FeatureMatrix, Features, GraphBuilder, NodeId, SparseBuilder,
    SparseMatrix,
};
use crate::learn::train::NOBODY;

impl Training {
    /// Everybody but one person.
    ///
    /// # Errors
    /// Never in practice.
    pub fn without(&self, person: NodeId) -> Result<Self> {
        let kept = self.graph.edges().filter(|&(u, v)| u != person && v != person);
        let (graph, _) =
            GraphBuilder::new(self.len(), Direction::Undirected).edges(kept).build()?;
        let mut classes = self.classes.clone();
        if let Some(class) = classes.get_mut(person as usize) {
            *class = NOBODY;
        }
        let features = without_row(&self.features, person as usize)?;
        Ok(Self {
            name: self.name.clone(),
            graph,
            features,
            classes,
            class_count: self.class_count,
        })
    }

    /// The class of every training row; none for rows that read from somebody who is not there.
    pub(super) fn classes_of_rows(&self, weights: &SparseMatrix) -> Vec<u32> {
        let absent = |node: &u32| self.classes.get(*node as usize) == Some(&NOBODY);
        let class = |(row, &class): (usize, &u32)| {
            if weights.row(row).0.iter().any(absent) { NOBODY } else { class }
        };
        self.classes.iter().enumerate().map(class).collect()
    }

    /// Nothing in the rows of those who are not there.
    pub(super) fn cleared(&self, mut rows: DenseMatrix) -> DenseMatrix {
        for (row, _) in self.classes.iter().enumerate().filter(|(_, class)| **class == NOBODY) {
            rows.row_mut(row).fill(0.0);
        }
        rows
    }
}

fn without_row(features: &Features, gone: usize) -> Result<Features> {
    Ok(match features.matrix() {
        FeatureMatrix::Dense(matrix) => {
            let mut left = matrix.clone();
            left.row_mut(gone).fill(0.0);
            Features::dense(left)
        }
        FeatureMatrix::Sparse(matrix) => {
            let mut left = SparseBuilder::new(matrix.columns());
            for row in 0..matrix.rows() {
                let (columns, values) = matrix.row(row);
                let entries = columns.iter().copied().zip(values.iter().copied());
                left.push_row(&mut entries.filter(|_| row != gone).collect::<Vec<_>>())?;
            }
            Features::sparse(left.finish())
        }
    })
}
