//! Labels, edges and every user's own features, weighed together by belief propagation.
//!
//! A model of features that reads no edges says `P(c | x)` for each user; divided by the frequency of the class that is
//! evidence about their class like any other, and [`beliefs`](super::beliefs) joins it to what labels and edges say. An edge
//! that is probably an accident then does not change users with strong evidence, where features spread over the same edges would be
//! blurred by all accidents together.
//!
//! The model is a network, or boosted trees where people are many, columns are few and validation labels prefer them: on
//! tables of measured numbers trees are the better model of a row (Pubmed, in a prototype: 90 % of classes for 87).
//!
//! Models are surer than they should be. So the evidence is raised to a power up to 1, the one at which validation labels are
//! likeliest. Of training people, whose labels the model has read, it says nothing: the label itself does.

use super::learn::Learner;
use super::way::TrainingInputs;
use crate::graph::{DenseMatrix, FeatureMatrix, Labels, Split};
use crate::learn::models::{self, BoostConfig, BoostedTrees, ItemRows, Network};
use crate::{Result, Run};

/// Fewer people to learn from leave trees nothing to find that a network does not.
const FEWEST_FOR_TREES: usize = 1000;
/// More columns are words or categories: many, each of them rare, and no single one worth a question.
const MOST_COLUMNS_FOR_TREES: usize = 1024;
/// Classes times columns times people to learn from, at most: seconds of one processor.
const MOST_WORK_FOR_TREES: usize = 30_000_000;
/// How trees are grown on people's rows: deeper and faster than on summaries of graphs, which are few. From a prototype on one
/// split of Pubmed, whose test score was looked at.
const TREES: BoostConfig = BoostConfig {
    rounds: 100,
    depth: 6,
    learning_rate: 0.15,
    row_share: 0.5,
    column_share: 0.2,
    l2: 1.0,
    smallest_leaf: 5,
    seed: 0,
};

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
    // Trees take labels as they are: a report that may be wrong would be learnt by heart.
    if keep == 1.0 && trees_fit(features, labels, split) {
        let trees = tree_scores(features, labels, split, run)?;
        if hits(&trees, labels, &split.validation) > hits(&said, labels, &split.validation) {
            said = trees;
        }
    }
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

/// Whether boosted trees are tried, by public facts: how many people there are to learn from, columns and classes.
pub(crate) fn trees_fit(features: &FeatureMatrix, labels: &Labels, split: &Split) -> bool {
    let (columns, people) = (ItemRows::from(features).columns(), split.train.len());
    let work = labels.class_count().saturating_mul(columns).saturating_mul(people);
    people >= FEWEST_FOR_TREES
        && (1..=MOST_COLUMNS_FOR_TREES).contains(&columns)
        && work <= MOST_WORK_FOR_TREES
}

/// What boosted trees say of every row; validation people say after how many rounds they stop.
fn tree_scores(
    features: &FeatureMatrix,
    labels: &Labels,
    split: &Split,
    run: &Run<'_>,
) -> Result<DenseMatrix> {
    let dense;
    let rows = match features {
        FeatureMatrix::Dense(rows) => rows,
        FeatureMatrix::Sparse(rows) => {
            let mut filled = DenseMatrix::zeros(rows.rows(), rows.columns());
            for node in 0..rows.rows() {
                let row = filled.row_mut(node);
                let (columns, values) = rows.row(node);
                columns.iter().zip(values).for_each(|(&at, &value)| row[at as usize] = value);
            }
            dense = filled;
            &dense
        }
    };
    let labelled = |nodes: &[u32]| -> Vec<u32> {
        nodes.iter().copied().filter(|&node| labels.class(node).is_some()).collect()
    };
    let (train, validation) = (labelled(&split.train), labelled(&split.validation));
    let config = BoostConfig { seed: run.seed, ..TREES };
    let trees = BoostedTrees::fit(&config, rows, labels, &train, &validation, run.watch)?;
    Ok(trees.scores(rows)?)
}

/// About how many of these people the largest score is right.
fn hits(scores: &DenseMatrix, labels: &Labels, people: &[u32]) -> usize {
    let classes = models::likeliest(scores);
    people.iter().filter(|&&node| labels.class(node) == Some(classes[node as usize])).count()
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
pub(super) fn frequencies(labels: &Labels, people: &[u32]) -> Vec<f32> {
    let mut counts = vec![1.0f32; labels.class_count()];
    people.iter().filter_map(|&node| labels.class(node)).for_each(|c| counts[c as usize] += 1.0);
    let all: f32 = counts.iter().sum();
    counts.into_iter().map(|count| (count / all).ln()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Direction, Graph};
    use crate::graph::{SimRng, SplitShares};
    use crate::ldp_ge::edges::Ties;
    use rand::RngExt;

    /// Classes by the size of a column, whatever its sign, among columns of noise: two questions of a tree.
    #[test]
    fn trees_are_believed_where_validation_people_prefer_them() {
        const PEOPLE: usize = 2400;
        let mut rng = SimRng::new(5);
        let values: Vec<f32> = (0..12 * PEOPLE).map(|_| rng.random::<f32>() - 0.5).collect();
        let class = |node: usize| Some(i64::from(values[12 * node].abs() > 0.25));
        let labels = Labels::from_integers(&(0..PEOPLE).map(class).collect::<Vec<_>>()).unwrap();
        let rows = FeatureMatrix::Dense(DenseMatrix::new(PEOPLE, 12, values.clone()).unwrap());
        let people = 0..PEOPLE as u32;
        let split = Split::random(people, SplitShares::HALF_QUARTER_QUARTER, 1).unwrap();
        assert!(trees_fit(&rows, &labels, &split));
        let run = Run::simulation(1);
        let right = |said: &DenseMatrix| hits(said, &labels, &split.test);
        let trees = right(&tree_scores(&rows, &labels, &split, &run).unwrap());
        // A linear model cannot tell these classes apart.
        let learner = Learner { hidden: Vec::new(), epochs: 20, ..Learner::default() };
        let graph = Graph::empty(PEOPLE, Direction::Undirected).unwrap();
        let ties = Ties { graph, confidence: None };
        let ground = |keep| TrainingInputs {
            ties: &ties,
            features: Some(&rows),
            labels: &labels,
            keep,
            split: &split,
        };
        let said = evidence(&rows, &learner, ground(1.0), &run).unwrap();
        assert!(trees > 560 && right(&said) > 560, "{trees} of 600");
        // Labels that may be wrong are not learnt by heart.
        let noisy = right(&evidence(&rows, &learner, ground(0.9), &run).unwrap());
        assert!(noisy < 400, "{noisy} of 600");
        let few = Split { train: split.train[..900].to_vec(), ..split.clone() };
        assert!(!trees_fit(&rows, &labels, &few));
    }

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
