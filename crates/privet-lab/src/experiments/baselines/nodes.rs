//! Classes of people in one graph: the [`PlainLearner`]s, and the largest class.

use privet::plain::{Known, PlainLearner};
use privet::{Result, Run};

use super::Named;
use crate::experiments::trial::data::accuracy_on;
use crate::experiments::trial::{Scores, TEST, VALIDATION};

/// The fixed set: as much of it as what is known allows; the largest class of all people where labels are `private`.
pub fn learners<'a>(known: Known<'a>, private: bool, run: &'a Run<'a>) -> Vec<Named<'a>> {
    let mut list: Vec<Named<'a>> =
        vec![("majority", Box::new(move || Ok(majority(known, private))))];
    if !private {
        let named = |learner: PlainLearner| -> Named<'a> {
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
pub fn learned(learner: PlainLearner, known: Known<'_>, run: &Run<'_>) -> Result<Scores> {
    Ok(scored(known, &learner.learn(known, run)?.predicted))
}

/// The largest class among training people; of all people where no label is known, which flatters it.
fn majority(known: Known<'_>, private: bool) -> Scores {
    let Known { labels, split, .. } = known;
    let all: Vec<u32> = (0..labels.len() as u32).collect();
    let counted = if private { &all } else { &split.train };
    let mut counts = vec![0usize; labels.class_count()];
    counted
        .iter()
        .filter_map(|&node| labels.class(node))
        .for_each(|class| counts[class as usize] += 1);
    let largest = (0u32..).zip(&counts).max_by_key(|(class, count)| (**count, u32::MAX - class));
    scored(known, &vec![largest.map_or(0, |(class, _)| class); labels.len()])
}

fn scored(Known { labels, split, .. }: Known<'_>, predicted: &[u32]) -> Scores {
    let share = |items: &[u32]| accuracy_on(items, predicted, labels);
    Scores::new([(VALIDATION, share(&split.validation)), (TEST, share(&split.test))])
}
