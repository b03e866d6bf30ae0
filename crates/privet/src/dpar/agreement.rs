//! Whether answers are spread at all: only where people who know each other are alike, as far as their answers tell.
//!
//! Spreading takes the answers of neighbours for one's own. Where like knows like that removes noise; where it does not,
//! it adds some. Classes are unknown when visitors ask, but their own answers are. Those of which the model is surest are
//! mostly right, even of a noisy model, so how often they agree along connections tells how alike neighbours are:
//!
//! `(A - c) / (1 - c)`, for A the share of connections whose ends have the same answer, among the quarter of connections
//! whose less sure end is surest, and c what A would be by chance, `Σ_y q_y²` with q the shares of answers at those ends.
//!
//! It reads what the visitors show of themselves when they ask, and nothing of the people trained on.

use crate::graph::{DenseMatrix, Graph};

/// One in so many connections is looked at: the surest.
const SUREST: usize = 4;
/// Fewer than this of them, of 160 connections, tell nothing, and answers are spread.
const FEWEST: usize = 40;

/// How much more often than by chance sure answers agree along connections, of at most 1; `None` if there are too few of
/// them, or all answers are the same. Scores are one row a node.
pub(super) fn agreement(graph: &Graph, scores: &DenseMatrix) -> Option<f64> {
    let answers: Vec<(u32, f32)> = (0..scores.rows()).map(|row| answer(scores.row(row))).collect();
    let at = |node: u32| answers[node as usize];
    let mut connections: Vec<(f32, u32, u32)> = graph
        .edges()
        .filter(|(one, other)| one != other)
        .map(|(one, other)| (at(one).1.min(at(other).1), at(one).0, at(other).0))
        .collect();
    let looked_at = connections.len() / SUREST;
    if looked_at < FEWEST {
        return None;
    }
    connections.select_nth_unstable_by(looked_at - 1, |a, b| b.0.total_cmp(&a.0));
    let surest = &connections[..looked_at];
    let same = surest.iter().filter(|(_, one, other)| one == other).count();
    let mut ends = vec![0usize; scores.columns()];
    surest.iter().flat_map(|(_, one, other)| [one, other]).for_each(|at| ends[*at as usize] += 1);
    let all = 2.0 * looked_at as f64;
    let chance: f64 = ends.iter().map(|&count| (count as f64 / all).powi(2)).sum();
    (chance < 1.0).then(|| (same as f64 / looked_at as f64 - chance) / (1.0 - chance))
}

/// The likeliest class, and by how much its score is above that of the next.
fn answer(scores: &[f32]) -> (u32, f32) {
    let (mut best, mut next, mut class) = (f32::NEG_INFINITY, f32::NEG_INFINITY, 0);
    for (at, &score) in scores.iter().enumerate() {
        match score > best {
            true => (next, best, class) = (best, score, at as u32),
            false => next = next.max(score),
        }
    }
    (class, best - next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Direction, GraphBuilder};

    /// A ring of so many people of two classes, every one of them known; neighbours are alike in so many of ten places.
    fn ring(people: u32, alike: u32) -> (Graph, DenseMatrix) {
        let mut graph = GraphBuilder::new(people as usize, Direction::Undirected);
        let (mut scores, mut class) = (DenseMatrix::zeros(people as usize, 2), 0);
        for person in 0..people {
            graph.push(person, (person + 1) % people);
            scores.row_mut(person as usize)[class] = 1.0;
            class = if person % 10 < alike { class } else { 1 - class };
        }
        (graph.build().unwrap().0, scores)
    }

    #[test]
    fn neighbours_who_are_alike_agree_and_others_do_not() {
        let of = |alike| {
            let (graph, scores) = ring(400, alike);
            agreement(&graph, &scores).unwrap()
        };
        assert!(of(9) > 0.6, "{}", of(9));
        assert!(of(5).abs() < 0.3, "{}", of(5));
        assert!(of(0) < -0.9, "{}", of(0));
    }

    /// Answers that say nothing are not among those that are looked at.
    #[test]
    fn unsure_answers_do_not_count() {
        let (graph, mut scores) = ring(800, 9);
        for person in (0..800).step_by(2).filter(|person| person % 40 >= 20) {
            scores.row_mut(person).copy_from_slice(&[0.0, 1e-6]);
        }
        let found = agreement(&graph, &scores).unwrap();
        assert!(found > 0.6, "{found}");
    }

    #[test]
    fn too_few_connections_or_one_answer_for_all_tell_nothing() {
        let (graph, scores) = ring(100, 9);
        assert_eq!(agreement(&graph, &scores), None, "25 connections");
        let (graph, _) = ring(400, 9);
        assert_eq!(agreement(&graph, &DenseMatrix::zeros(400, 2)), None, "one answer");
    }
}
