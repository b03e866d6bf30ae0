//! [`ClassifierKind`]: from what a collector has to each user's class, in one of a few ways; validation labels say which.
//!
//! Public labels and edges alone can say more than noisy features, and on one graph in two they do. So a collector who
//! is told nothing tries a short fixed list, from what reads least to what reads most, and moves on only where the next
//! one is right about more validation users than chance would explain.
//!
//! # Why choosing costs nothing
//! Every way reads the same things: reports that were paid for when they were sent, and what was public before (labels,
//! edges). What is computed from those is post-processing of a release, however often it is done and whichever result
//! is kept. Where labels are private too, validation reads their reports, not the truth; a report is right with the same
//! probability whatever was predicted, so the order of the ways stays the same on average.
//!
//! # The rule
//! Let b be the validation users about whom only the next way is right, and c those about whom only the best so far is.
//! The next one is taken if `b - c > sqrt(b + c)`: one standard deviation under "they are equally good" (McNemar).

use serde::{Deserialize, Serialize};

use super::NodeClassifier;
use super::edges::Ties;
use super::embed::{joined, scale_to_columns};
use super::joint::{evidence, frequencies};
use super::label_spread::{LabelSpread, is_noisy};
use super::learn::{Learner, predicted};
use super::people::Private;
use crate::graph::{DenseMatrix, FeatureMatrix, Labels, Split};
use crate::learn::models::{Mlp, MlpConfig};
use crate::learn::parameters::Parameters;
use crate::{Error, Result, Run};

/// How a collector finds each user's class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum ClassifierKind {
    /// A model of every user's own features, which reads neither edges nor other users' labels; where features are
    /// public.
    OwnFeatures,
    /// The labels of training users, propagated; no model.
    Propagation,
    /// A model of what labels there are around each user.
    Labels,
    /// A model of features as they were reported, spread over the graph: the paper's.
    Features,
    /// A model of both.
    Both,
    /// Labels, edges and a model of every user's own features, weighed together by belief propagation; where features
    /// are public.
    Joint,
}

impl ClassifierKind {
    /// All that fit private features, from what reads least to what reads most.
    pub const ALL: [Self; 4] = [Self::Propagation, Self::Labels, Self::Features, Self::Both];

    /// What to try where these parts are private: a preset's own ways for the paper's setting; where labels or edges are
    /// noisy, labels propagated by what is believed about edges before anything that learns; where features are public, all.
    pub fn fitting(private: Private, preset: Vec<Self>) -> Vec<Self> {
        match (private.features, private.labels || private.edges) {
            // What reads no edges comes first: noisy edges must be worth more than none.
            (false, _) => {
                [Self::OwnFeatures].into_iter().chain(Self::ALL).chain([Self::Joint]).collect()
            }
            (true, true) if preset == [Self::Features] => vec![Self::Propagation, Self::Both],
            _ => preset,
        }
    }

    /// Those that read no features.
    pub const WITHOUT_FEATURES: [Self; 2] = [Self::Propagation, Self::Labels];

    /// What tables and the command line call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OwnFeatures => "own-features",
            Self::Propagation => "propagation",
            Self::Labels => "labels",
            Self::Features => "features",
            Self::Both => "both",
            Self::Joint => "joint",
        }
    }

    /// Whether features have a part in it.
    pub fn reads_features(self) -> bool {
        matches!(self, Self::OwnFeatures | Self::Features | Self::Both | Self::Joint)
    }

    /// Whether labels of others have a part in it.
    pub fn reads_labels(self) -> bool {
        !matches!(self, Self::OwnFeatures | Self::Features)
    }
}

/// What a collector learns from, beside features.
#[derive(Debug, Clone, Copy)]
pub struct TrainingInputs<'a> {
    /// Who knows whom, as far as it is known.
    pub ties: &'a Ties,
    /// Every user's own features, where they are public.
    pub features: Option<&'a FeatureMatrix>,
    /// Every user's label, public or reported.
    pub labels: &'a Labels,
    /// The probability that a label is true.
    pub keep: f64,
    /// Whose labels train, and whose choose.
    pub split: &'a Split,
}

/// The ways to try, and the settings of each.
#[derive(Debug, Clone, Copy)]
pub struct ClassifierCandidates<'a> {
    /// In this order.
    pub list: &'a [ClassifierKind],
    /// How labels are spread.
    pub labels: &'a LabelSpread,
    /// What learns.
    pub learner: &'a Learner,
}

impl ClassifierCandidates<'_> {
    /// The classifier of the way that is best on validation labels; `embed` makes features into rows, and is asked at
    /// most once.
    ///
    /// # Errors
    /// If there is nothing to try, or training fails.
    pub fn choose(
        &self,
        ground: TrainingInputs<'_>,
        embed: impl FnOnce() -> Result<DenseMatrix>,
        run: &Run<'_>,
    ) -> Result<NodeClassifier> {
        // Several classes each cannot be propagated as one.
        let list =
            if ground.labels.is_multi() { &[ClassifierKind::Features][..] } else { self.list };
        let (mut embed, mut rows) = (Some(embed), None);
        // What is computed for one candidate is kept for a later one that needs it.
        let (mut around, mut own) = (None, None);
        let mut best: Option<(NodeClassifier, Vec<bool>)> = None;
        for (at, &way) in list.iter().enumerate() {
            if matches!(way, ClassifierKind::Features | ClassifierKind::Both)
                && let Some(embed) = embed.take()
            {
                rows = Some(embed()?);
            }
            if matches!(way, ClassifierKind::Labels | ClassifierKind::Both) && around.is_none() {
                let TrainingInputs { ties, labels, keep, split, .. } = ground;
                around = Some(self.labels.run(ties, labels, keep, &split.train, run.seed)?);
            }
            // Memory is freed by the last candidate that reads it.
            let later = &list[at + 1..];
            if matches!(way, ClassifierKind::OwnFeatures | ClassifierKind::Joint) && own.is_none() {
                own = Some(self.own_evidence(ground, run)?);
            }
            let (found, right) = match way {
                ClassifierKind::OwnFeatures => {
                    let needed = later.contains(&ClassifierKind::Joint);
                    let scores = posterior(taken(&mut own, needed)?, ground);
                    judged(largest(way, scores)?, ground)
                }
                ClassifierKind::Propagation => self.propagated(ground)?,
                ClassifierKind::Labels => {
                    let needed = later.contains(&ClassifierKind::Both);
                    judged(self.learned(way, taken(&mut around, needed)?, ground, run)?, ground)
                }
                ClassifierKind::Features => {
                    let needed = later.contains(&ClassifierKind::Both);
                    judged(self.learned(way, taken(&mut rows, needed)?, ground, run)?, ground)
                }
                ClassifierKind::Both => {
                    let (rows, around) = (taken(&mut rows, false)?, taken(&mut around, false)?);
                    let mut around = [around];
                    // Label columns are brought to the size of the embedding's, or they would not
                    // be heard.
                    scale_to_columns(&mut around, rows.columns());
                    let [around] = around;
                    let spill = run.spill.as_ref();
                    let all = joined(&[rows, around], spill)?;
                    judged(self.learned(way, all, ground, run)?, ground)
                }
                ClassifierKind::Joint => match self.joint(ground, &taken(&mut own, false)?)? {
                    Some(found) => found,
                    // Joint needs public features; where there are none it is no candidate.
                    None => continue,
                },
            };
            best = match best {
                // The order matters: a later candidate must win by more than chance.
                Some((best, before)) if !is_better(&right, &before) => Some((best, before)),
                _ => Some((found, right)),
            };
        }
        let nothing = || Error::invalid("ways", "none that fits", "at least one to try");
        best.map(|(best, _)| best).ok_or_else(nothing)
    }

    fn learned(
        &self,
        way: ClassifierKind,
        embedding: DenseMatrix,
        ground: TrainingInputs<'_>,
        run: &Run<'_>,
    ) -> Result<NodeClassifier> {
        let (rows, TrainingInputs { labels, keep, split, .. }) = ((&embedding).into(), ground);
        let model = self.learner.classify(rows, labels, keep, split, run.seed, run.watch)?;
        let predicted = predicted(&model, rows);
        Ok(NodeClassifier { embedding, model, predicted, way: Some(way) })
    }

    /// Labels propagated in several ways; the one that is right most often on validation users. Where labels or edges are
    /// noisy, so is that; beliefs, which know the noise, are taken then unless another is better beyond chance.
    fn propagated(&self, ground: TrainingInputs<'_>) -> Result<(NodeClassifier, Vec<bool>)> {
        let TrainingInputs { ties, labels, keep, split, .. } = ground;
        let propagated = |people: &[u32]| self.labels.propagated(ties, labels, keep, people);
        let hits = |right: &[bool]| right.iter().filter(|right| **right).count();
        let noisy = is_noisy(ties, keep);
        let mut tried: Vec<_> = propagated(&split.train)?.into_iter().enumerate().collect();
        // With noise the widest radius is the safe start: it averages most.
        if noisy {
            tried.reverse();
        }
        let mut best: Option<(Vec<bool>, usize, NodeClassifier)> = None;
        for (at, scores) in tried {
            let (found, now) = judged(largest(ClassifierKind::Propagation, scores)?, ground);
            let better = |before: &[bool]| match noisy {
                true => !now.is_empty() && is_better(&now, before),
                false => hits(&now) > hits(before),
            };
            if best.as_ref().is_none_or(|(before, ..)| better(before)) {
                best = Some((now, at, found));
            }
        }
        let nothing = || Error::invalid("label radii", "none", "at least one to propagate by");
        let (right, at, found) = best.ok_or_else(nothing)?;
        if keep == 1.0 {
            // True labels: training labels alone may be read, validation labels have judged.
            return Ok((found, right));
        }
        // Reports that chose have been paid for as well, and a person's own is not in their scores.
        let tuning = [&split.train[..], &split.validation].concat();
        let scores = propagated(&tuning)?.into_iter().nth(at).ok_or_else(nothing)?;
        Ok((largest(ClassifierKind::Propagation, scores)?, right))
    }

    /// What every user's own features say of their class.
    fn own_evidence(&self, ground: TrainingInputs<'_>, run: &Run<'_>) -> Result<DenseMatrix> {
        let hidden = || Error::invalid("ways", "own-features, joint", "features that are public");
        evidence(ground.features.ok_or_else(hidden)?, self.learner, ground, run)
    }

    /// None where beliefs are not wanted, or do not fit.
    fn joint(
        &self,
        ground: TrainingInputs<'_>,
        own: &DenseMatrix,
    ) -> Result<Option<(NodeClassifier, Vec<bool>)>> {
        let TrainingInputs { ties, labels, keep, split, .. } = ground;
        let scores = self.labels.believed(ties, labels, keep, &split.train, Some(own))?;
        let found = scores.map(|scores| largest(ClassifierKind::Joint, scores)).transpose()?;
        Ok(found.map(|found| judged(found, ground)))
    }
}

/// Evidence and how frequent classes are, by Bayes' rule; of training users the label says more.
fn posterior(mut evidence: DenseMatrix, ground: TrainingInputs<'_>) -> DenseMatrix {
    let TrainingInputs { labels, split, .. } = ground;
    let prior = frequencies(labels, &split.train);
    for node in 0..evidence.rows() {
        evidence.row_mut(node).iter_mut().zip(&prior).for_each(|(log, prior)| *log += prior);
    }
    for &node in &split.train {
        if let Some(class) = labels.class(node) {
            evidence.row_mut(node as usize)[class as usize] = 0.0;
        }
    }
    evidence
}

/// What says of every row what is largest in it.
fn largest(way: ClassifierKind, scores: DenseMatrix) -> Result<NodeClassifier> {
    Ok(NodeClassifier { way: Some(way), ..NodeClassifier::of_scores(scores)? })
}

impl NodeClassifier {
    /// What says of every node what is largest in its row: for classes that no network computes.
    ///
    /// # Errors
    /// If there is no column.
    pub fn of_scores(scores: DenseMatrix) -> Result<Self> {
        let model = identity(scores.columns())?;
        let predicted = predicted(&model, (&scores).into());
        Ok(Self { embedding: scores, model, predicted, way: None })
    }
}

/// What is there; a copy if it is needed again.
fn taken(rows: &mut Option<DenseMatrix>, needed: bool) -> Result<DenseMatrix> {
    let found = if needed { rows.clone() } else { rows.take() };
    found.ok_or_else(|| Error::invalid("ways", "the same one twice", "each once"))
}

/// A classifier, and about which validation users it agrees with their labels.
fn judged(found: NodeClassifier, ground: TrainingInputs<'_>) -> (NodeClassifier, Vec<bool>) {
    // Where labels are reports, agreement with them orders candidates as the truth would, on
    // average.
    let agrees = |&node: &u32| ground.labels.class(node) == Some(found.predicted[node as usize]);
    let right = ground.split.validation.iter().map(agrees).collect();
    (found, right)
}

/// Whether one is right more often than another, beyond chance; without validation users, what reads more is.
fn is_better(next: &[bool], before: &[bool]) -> bool {
    // Only users about whom the two differ say which is better (McNemar).
    let only = |one: &[bool], other: &[bool]| {
        one.iter().zip(other).filter(|(one, other)| **one && !**other).count() as f64
    };
    let (gained, lost) = (only(next, before), only(before, next));
    next.is_empty() || gained - lost > (gained + lost).sqrt()
}

/// The model that says of every row what is largest in it.
fn identity(classes: usize) -> Result<Mlp> {
    let hidden = Vec::new();
    let config = MlpConfig { inputs: classes, hidden, outputs: classes, dropout: 0.0, seed: 0 };
    let mut model = Mlp::new(config)?;
    model.visit_mut(&mut |parameter| {
        let square = parameter.value.rows() == classes && parameter.value.columns() == classes;
        let is_weight = square && parameter.name().ends_with("weight");
        // Everything 0 but the weight, which becomes the identity: scores pass through unchanged.
        parameter.value.values_mut().fill(0.0);
        for class in (0..classes).filter(|_| is_weight) {
            parameter.value.row_mut(class)[class] = 1.0;
        }
    });
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_more_hits_are_no_reason_to_move_on() {
        let hits = |count: usize| (0..100).map(|at| at < count).collect::<Vec<bool>>();
        assert!(!is_better(&hits(51), &hits(50)), "1 gained, none lost: as likely as a coin");
        assert!(is_better(&hits(55), &hits(50)));
        let other: Vec<bool> = hits(50).into_iter().rev().collect();
        assert!(!is_better(&other, &hits(50)), "50 gained, 50 lost");
        assert!(is_better(&[], &[]), "no validation users");
    }

    #[test]
    fn the_identity_says_what_is_largest() {
        let rows = DenseMatrix::new(2, 3, vec![0.1, 0.7, 0.2, -1.0, -3.0, -2.0]).unwrap();
        assert_eq!(predicted(&identity(3).unwrap(), (&rows).into()), [1, 0]);
        assert!(identity(1).is_ok());
    }
}
