//! Classes of people in one graph: the [`PlainLearner`]s, and the largest class.

use privet::graph::DenseMatrix;
use privet::plain::{LearnerInputs, PlainLearner};
use privet::{Result, Run};

use super::NamedLearner;
use crate::experiments::trial::{Classified, TrialScores};

/// The fixed set: as much of it as what is known allows; the largest class of all people where labels are `private`.
pub fn learners<'a>(
    known: LearnerInputs<'a>,
    private: bool,
    run: &'a Run<'a>,
) -> Vec<NamedLearner<'a>> {
    let mut list: Vec<NamedLearner<'a>> =
        vec![("majority", Box::new(move || Ok(majority(known, private))))];
    if !private {
        let named = |learner: PlainLearner| -> NamedLearner<'a> {
            (learner.name(), Box::new(move || learned(learner, known, run)))
        };
        list.extend(PlainLearner::fitting(known).into_iter().map(named));
    }
    list
}

/// What one of the set reaches.
///
/// # Errors
/// If it reads what is not known, or training fails.
pub fn learned(
    learner: PlainLearner,
    known: LearnerInputs<'_>,
    run: &Run<'_>,
) -> Result<TrialScores> {
    let found = learner.learn(known, run)?;
    Ok(scored(known, &found.predicted, Some(&found.scores())))
}

/// The largest class among training people; of all people where no label is known, which flatters it.
fn majority(known: LearnerInputs<'_>, private: bool) -> TrialScores {
    let LearnerInputs { labels, split, .. } = known;
    let all: Vec<u32> = (0..labels.len() as u32).collect();
    let counted = if private { &all } else { &split.train };
    let mut counts = vec![0usize; labels.class_count()];
    counted
        .iter()
        .filter_map(|&node| labels.class(node))
        .for_each(|class| counts[class as usize] += 1);
    let largest = (0u32..).zip(&counts).max_by_key(|(class, count)| (**count, u32::MAX - class));
    scored(known, &vec![largest.map_or(0, |(class, _)| class); labels.len()], None)
}

fn scored(
    LearnerInputs { labels, split, .. }: LearnerInputs<'_>,
    predicted: &[u32],
    scores: Option<&DenseMatrix>,
) -> TrialScores {
    Classified { predicted, scores, labels }.on(split)
}
