//! [`Vote`]: what one person's vote says about an answer to them, so that one noisy count of votes tells all metrics.

use crate::dpar::UNKNOWN;
use crate::graph::DenseMatrix;
use crate::learn::models::highest;
use crate::privacy::fault::{self, Fault};
use crate::privacy::tally::Ballots;

/// Every person who is tested is in exactly one box: by class and answer, or in the last one without a class.
///
/// With the last box the number of people with a class is known up to the noise of one box, however many others there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vote {
    /// Right or wrong.
    Right,
    /// The class and the answer.
    Confusion {
        /// How many classes there are.
        classes: u32,
    },
    /// Of two classes: the class, and in which of so many parts of 0 to 1 the probability of the second lies. An even
    /// number, so that the parts say what the answer is.
    Scores {
        /// How many parts.
        bins: u32,
    },
}

/// Parts of a histogram of scores.
const BINS: u32 = 8;
/// So many people times epsilon make a histogram affordable: its noise is then a hundredth of accuracy at most.
const AFFORDS_SCORES: f64 = 400.0;

/// What votes say.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CountedVotes {
    pub(super) right: i64,
    /// How many boxes were added up for that.
    pub(super) right_cells: usize,
    pub(super) unlabelled: i64,
    /// By class (a row) and answer.
    pub(super) confusion: Option<Vec<Vec<i64>>>,
    pub(super) auc: Option<f64>,
}

impl Vote {
    /// As much as so many people can be asked for epsilon; all of it is public.
    pub fn for_classes(classes: usize, tested: usize, epsilon: f64) -> Self {
        match classes {
            2 if tested as f64 * epsilon >= AFFORDS_SCORES => Self::Scores { bins: BINS },
            _ => Self::Confusion { classes: classes as u32 },
        }
    }

    /// How many boxes there are.
    pub fn boxes(self) -> u32 {
        self.without_a_class() + 1
    }

    fn without_a_class(self) -> u32 {
        match self {
            Self::Right => 2,
            Self::Confusion { classes } => classes * classes,
            Self::Scores { bins } => 2 * bins,
        }
    }

    /// One vote of each person: their class ([`UNKNOWN`] without one), and how likely the model finds each class.
    pub fn ballots(self, classes: &[u32], probabilities: &DenseMatrix) -> Ballots {
        let vote = |(at, &class): (usize, &u32)| {
            let row = probabilities.row(at);
            let answer = highest(row);
            Some(match (class, self) {
                (UNKNOWN, _) => self.without_a_class(),
                (class, Self::Right) => u32::from(class != answer),
                (class, Self::Confusion { classes }) => {
                    (class * classes + answer).min(self.without_a_class())
                }
                (class, Self::Scores { bins }) => {
                    let (half, second) = (bins / 2, row.get(1).copied().unwrap_or(0.0));
                    let bin = (second * bins as f32).ceil().max(1.0) as u32 - 1;
                    // The answer decides in doubt: rounding must not move a person across the middle.
                    let bin =
                        if answer == 1 { bin.clamp(half, bins - 1) } else { bin.min(half - 1) };
                    class.min(1) * bins + bin
                }
            })
        };
        let mut votes: Vec<Option<u32>> = classes.iter().enumerate().map(vote).collect();
        if fault::on(Fault::VotesInTwoCells) {
            let second = votes.iter().map(|vote| vote.map(|cell| (cell + 1) % self.boxes()));
            votes.extend(second.collect::<Vec<_>>());
        }
        Ballots(votes)
    }

    /// What noisy counts say.
    pub(super) fn read(self, counts: &[i64]) -> CountedVotes {
        let cell = |at: u32| counts.get(at as usize).copied().unwrap_or(0);
        let sum = |cells: std::ops::Range<u32>| cells.map(cell).fold(0, i64::saturating_add);
        let unlabelled = cell(self.without_a_class());
        let (confusion, auc) = match self {
            Self::Right => {
                return CountedVotes {
                    right: cell(0),
                    right_cells: 1,
                    unlabelled,
                    confusion: None,
                    auc: None,
                };
            }
            Self::Confusion { classes } => {
                let row =
                    |class| (0..classes).map(|answer| cell(class * classes + answer)).collect();
                ((0..classes).map(row).collect::<Vec<Vec<i64>>>(), None)
            }
            Self::Scores { bins } => {
                let half = bins / 2;
                let row = |class: u32| {
                    let first = class * bins;
                    vec![sum(first..first + half), sum(first + half..first + bins)]
                };
                let of =
                    |class: u32| (0..bins).map(move |bin| cell(class * bins + bin).max(0) as f64);
                (
                    (0..2).map(row).collect(),
                    area(&of(0).collect::<Vec<_>>(), &of(1).collect::<Vec<_>>()),
                )
            }
        };
        let right = (0..confusion.len()).map(|class| confusion[class][class]);
        let right = right.fold(0, i64::saturating_add);
        let right_cells = self.without_a_class() as usize / confusion.len();
        CountedVotes { right, right_cells, unlabelled, confusion: Some(confusion), auc }
    }
}

/// The area under the ROC curve, from how many of each class are in each part; in the same part it is a toss.
fn area(first: &[f64], second: &[f64]) -> Option<f64> {
    let pairs = first.iter().sum::<f64>() * second.iter().sum::<f64>();
    let (mut below, mut won) = (0.0, 0.0);
    for (first, second) in first.iter().zip(second) {
        won += second * (below + 0.5 * first);
        below += first;
    }
    (pairs > 0.0).then(|| won / pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(vote: Vote, classes: &[u32], rows: &[[f32; 2]]) -> Vec<i64> {
        let values = rows.iter().flatten().copied().collect();
        let probabilities = DenseMatrix::new(rows.len(), 2, values).unwrap();
        let mut counts = vec![0; vote.boxes() as usize];
        for cell in vote.ballots(classes, &probabilities).0.into_iter().flatten() {
            counts[cell as usize] += 1;
        }
        counts
    }

    /// Each person is in one box, and every way to vote says the same about accuracy.
    #[test]
    fn votes_tell_what_they_can() {
        let classes = [0, 0, 1, 1, UNKNOWN];
        let rows = [[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [0.0, 1.0], [1.0, 0.0]];
        let all = [Vote::Right, Vote::Confusion { classes: 2 }, Vote::Scores { bins: 8 }];
        for vote in all {
            let counts = counts(vote, &classes, &rows);
            assert_eq!(counts.iter().sum::<i64>(), 5);
            let seen = vote.read(&counts);
            assert_eq!((seen.right, seen.unlabelled), (2, 1), "{vote:?}");
            if vote != Vote::Right {
                assert_eq!(seen.confusion, Some(vec![vec![1, 1], vec![1, 1]]));
            }
            // Of four pairs the second class scores higher in three.
            assert_eq!(seen.auc, (vote == all[2]).then_some(0.75));
        }
    }

    #[test]
    fn what_is_asked_follows_from_public_facts() {
        assert_eq!(Vote::for_classes(2, 100, 0.5), Vote::Confusion { classes: 2 });
        assert_eq!(Vote::for_classes(2, 1000, 0.5), Vote::Scores { bins: 8 });
        assert_eq!(Vote::for_classes(5, 1000, 0.5).boxes(), 26);
    }
}
