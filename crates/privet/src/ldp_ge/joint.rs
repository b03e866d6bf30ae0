//! Labels, edges and every user's own features, weighed together by belief propagation.
//!
//! A model of features that reads no edges says `P(c | x)` for each user; divided by the frequency of the class that is
//! evidence about their class like any other, and [`beliefs`](super::beliefs) joins it to what labels and edges say. An edge
//! that is probably an accident then does not change users with strong evidence, where features spread over the same edges would be
//! blurred by all accidents together.
//!
//! Models are surer than they should be. So the evidence is raised to a power up to 1, the one at which validation labels are
//! likeliest. Of training people, whose labels the model has read, it says nothing: the label itself does.

use super::learn::Learner;
use super::way::TrainingInputs;
use crate::graph::{DenseMatrix, FeatureMatrix, Labels};
use crate::learn::models::Network;
use crate::{Result, Run};

/// Powers that are tried.
const POWERS: [f32; 6] = [1.0, 0.8, 0.6, 0.4, 0.2, 0.0];

/// `ln P(x | c)` of every user's own features, up to a constant a row; nothing of training people.
///
/// # Errors
/// If training fails.
pub(super) fn evidence(
    features: &FeatureMatrix,
    learner: &Learner,
    ground: TrainingInputs<'_>,
    run: &Run<'_>,
) -> Result<DenseMatrix> {
    let TrainingInputs { labels, keep, split, .. } = ground;
    let rows = features.into();
    let model = learner.classify(rows, labels, keep, split, run.seed, run.watch)?;
    let all: Vec<u32> = (0..labels.len() as u32).collect();
    let mut said = model.scores(rows, &all);
    to_logarithms(&mut said, 1.0);
    let power = likeliest(&said, labels, keep, &split.validation);
    let prior = frequencies(labels, &split.train);
    for node in 0..said.rows() {
        let row = said.row_mut(node);
        row.iter_mut().zip(&prior).for_each(|(log, prior)| *log = power * (*log - prior));
    }
    for &node in &split.train {
        said.row_mut(node as usize).fill(0.0);
    }
    Ok(said)
}

/// From scores to logarithms of probabilities, raised to a power.
fn to_logarithms(scores: &mut DenseMatrix, power: f32) {
    for node in 0..scores.rows() {
        let row = scores.row_mut(node);
        let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = row.iter().map(|score| (power * (score - largest)).exp()).sum();
        row.iter_mut().for_each(|score| *score = power * (*score - largest) - sum.ln());
    }
}

/// The power at which reported labels of these people are likeliest.
fn likeliest(said: &DenseMatrix, labels: &Labels, keep: f64, people: &[u32]) -> f32 {
    let other = (1.0 - keep) / (labels.class_count().max(2) - 1) as f64;
    let likelihood = |power: f32| -> f64 {
        let mut raised = said.clone();
        to_logarithms(&mut raised, power);
        let one = |&node: &u32| {
            let class = labels.class(node)?;
            let share = f64::from(raised.row(node as usize)[class as usize].exp());
            Some((keep * share + other * (1.0 - share)).max(1e-9).ln())
        };
        people.iter().filter_map(one).sum()
    };
    let tried = POWERS.map(|power| (likelihood(power), power));
    tried.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).map_or(1.0, |(_, power)| power)
}

/// Logarithms of how often each class is reported: what a model that learned nothing would say.
fn frequencies(labels: &Labels, people: &[u32]) -> Vec<f32> {
    let mut counts = vec![1.0f32; labels.class_count()];
    people.iter().filter_map(|&node| labels.class(node)).for_each(|c| counts[c as usize] += 1.0);
    let all: f32 = counts.iter().sum();
    counts.into_iter().map(|count| (count / all).ln()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model that is right half of the time and says it is sure is not believed; one that is always right is.
    #[test]
    fn how_sure_a_model_may_be_is_learned() {
        let classes = (0..40u32).map(|node| Some(node % 2)).collect();
        let labels = Labels::single(classes, vec!["a".into(), "b".into()]).unwrap();
        let people: Vec<u32> = (0..40).collect();
        let sure = |class: u32| if class == 0 { [6.0, 0.0] } else { [0.0, 6.0] };
        let of = |says: &dyn Fn(u32) -> u32| {
            let values = people.iter().flat_map(|&node| sure(says(node))).collect();
            let mut said = DenseMatrix::new(40, 2, values).unwrap();
            to_logarithms(&mut said, 1.0);
            likeliest(&said, &labels, 1.0, &people)
        };
        assert_eq!(of(&|node| node % 2), 1.0);
        assert_eq!(of(&|_| 0), 0.0);
        assert!((0.1..0.9).contains(&of(&|node| if node < 10 { 1 - node % 2 } else { node % 2 })));
    }
}
