//! Answers for visitors: each one's own, spread over their graph.
//!
//! Protected: the people trained on; the model is a release, and no visitor knows any of them. Not protected:
//! the visitors, towards observers of a neighbour's answer.

use super::agreement::agreement;
use super::{Inference, Visitors};
use crate::graph::{DenseMatrix, Features, Graph};
use crate::learn::models::{ItemRows, Mlp, Network};
use crate::learn::propagate::{AddedLoops, Aggregation, Hops};
use crate::{Error, Result};

/// What a model says of every visitor, spread over their graph.
///
/// # Errors
/// If the model takes other rows.
pub fn answers(model: &Mlp, visitors: &Visitors, inference: Inference) -> Result<DenseMatrix> {
    spread(&visitors.graph, scores(model, &visitors.features), inference)
}

/// What a model says about every row.
pub fn scores(model: &Mlp, rows: &Features) -> DenseMatrix {
    let all: Vec<u32> = (0..rows.rows() as u32).collect();
    model.scores(ItemRows::from(rows.matrix()), &all)
}

/// `Q⁰ = H`, `Qᵖ = (1 - α) D⁻¹ A Qᵖ⁻¹ + α H` (equation 4); H as it is where connected people are not
/// [alike enough](mod@super::agreement).
///
/// # Errors
/// If the scores are not one row per node.
pub fn spread(graph: &Graph, scores: DenseMatrix, inference: Inference) -> Result<DenseMatrix> {
    let (rows, nodes) = (scores.rows(), graph.node_count());
    if rows != nodes {
        return Err(Error::invalid(
            "rows of scores",
            rows,
            format!("one for each of {nodes} nodes"),
        ));
    }
    let wanted = inference.agreement;
    if wanted > 0.0 && agreement(graph, &scores).is_some_and(|found| found < wanted) {
        return Ok(scores);
    }
    let hops = Hops::new(graph, Aggregation::Mean, AddedLoops::None)?;
    let (own, alpha) = (scores.clone(), inference.alpha as f32);
    let mut current = scores;
    for _ in 0..inference.rounds {
        let mut next = hops.last(&current, 1)?;
        for (value, own) in next.values_mut().iter_mut().zip(own.values()) {
            *value = (1.0 - alpha) * *value + alpha * own;
        }
        current = next;
    }
    Ok(current)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Direction;

    #[test]
    fn scores_of_other_people_are_refused() {
        let graph = Graph::empty(300, Direction::Undirected).unwrap();
        for agreement in [0.0, 0.2] {
            let inference = Inference { rounds: 2, alpha: 0.5, agreement };
            let error = spread(&graph, DenseMatrix::zeros(200, 3), inference).unwrap_err();
            assert!(error.to_string().contains("300 nodes"), "{error}");
        }
    }
}
