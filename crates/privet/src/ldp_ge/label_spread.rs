//! [`LabelSpread`]: the labels of training users, spread over the graph, as columns of an embedding.
//!
//! What one's neighbours are says more than what noise looks like around them, above all where edges are
//! noisy too. Labels enter as they were collected, decoded so that their mean is the truth:
//! `(1[label = c] - q) / (p - q)`, with p the probability of a true report and q that of each other class.
//!
//! # No label speaks for its owner
//! A walk that returns would bring every training user's own label back, and a model would learn to copy
//! what others do not have. So training users are dealt into folds, and the columns of a fold are made
//! from the labels of the other folds. Validation and test users' labels never enter.

use rand::RngExt;
use rayon::prelude::*;

use super::beliefs::{Prior, beliefs};
use super::edges::Ties;
use super::embed::{Embedding, Scaling};
use crate::graph::{DenseMatrix, Direction, FeatureMatrix, Graph, Labels, NodeId, SimRng};
use crate::settings::Radii;
use crate::{Error, Result};

/// About a gigabyte for all folds together.
const MOST_MESSAGES: usize = 40_000_000;

/// How labels spread.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct LabelSpread {
    /// Also propagate training labels, with these alphas, such as 0.5,0.1; `none` disables it.
    #[serde(rename = "label_radii", alias = "radii")]
    #[cfg_attr(
        feature = "clap",
        arg(long = "label-radii", id = "label_radii", value_name = "ALPHAS")
    )]
    #[cfg_attr(feature = "clap", arg(value_parser = crate::options::radii))]
    pub radii: Radii,
    /// Into how many parts training users are dealt; at least 2.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub folds: usize,
    /// With --label-radii: public estimate of homophily beyond chance, for belief propagation; 0 disables it.
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE"))]
    pub homophily: f64,
}

impl Default for LabelSpread {
    /// Near, middling and far, in five folds, and beliefs of people who mostly know their like.
    fn default() -> Self {
        Self { radii: vec![0.5, 0.2, 0.05], folds: 5, homophily: 0.7 }
    }
}

impl LabelSpread {
    /// Whether its settings make sense.
    ///
    /// # Errors
    /// If one does not.
    pub fn check(&self) -> Result<()> {
        let expected = "shares between 0 and 1, such as 0.5,0.1";
        for &alpha in &self.radii {
            Error::unless(alpha > 0.0 && alpha < 1.0, "label-radii", alpha, expected)?;
        }
        let expected = "a share from 0 to below 1, such as 0.7";
        Error::unless((0.0..1.0).contains(&self.homophily), "homophily", self.homophily, expected)
    }

    /// One column per class and radius, and one per class of beliefs.
    ///
    /// # Errors
    /// If there are fewer than two folds, or a radius makes no sense.
    pub fn run(
        &self,
        ties: &Ties,
        labels: &Labels,
        keep: f64,
        train: &[NodeId],
        seed: u64,
    ) -> Result<DenseMatrix> {
        let mut columns = self.columns(ties, labels, keep, train, seed)?;
        Scaling::Columns.apply(&mut columns);
        Ok(columns)
    }

    /// The same, not brought to unit size.
    fn columns(
        &self,
        ties: &Ties,
        labels: &Labels,
        keep: f64,
        train: &[NodeId],
        seed: u64,
    ) -> Result<DenseMatrix> {
        if self.folds < 2 {
            return Err(Error::invalid("folds of labels", self.folds, "at least 2"));
        }
        let both_ways = both_ways(ties)?;
        let ties = both_ways.as_ref().unwrap_or(ties);
        let (people, classes) = (ties.graph.node_count(), labels.class_count());
        let mut rng = SimRng::stream(seed, 0x1abe1);
        // Those who are in no fold see all labels.
        let mut fold = vec![self.folds; people];
        train.iter().for_each(|&node| fold[node as usize] = rng.random_range(0..self.folds));
        let sources = self.sources(labels, keep, &fold, classes, people);
        let believes = self.homophily > 0.0 && can_believe(&ties.graph, classes);
        let homophily = believes.then_some(self.homophily);
        let parts = self.radii.len() + usize::from(homophily.is_some());
        let mut out = DenseMatrix::zeros(people, classes * parts);
        if let Some(homophily) = homophily {
            let believed = self.beliefs(ties, labels, (homophily, keep), &fold);
            for (node, &fold) in fold.iter().enumerate() {
                let to = &mut out.row_mut(node)[classes * self.radii.len()..];
                to.copy_from_slice(believed[fold].row(node));
            }
        }
        for (at, &alpha) in self.radii.iter().enumerate() {
            let embedding = Embedding { alpha, exponent: 0.5, ..Embedding::default() };
            let spread = embedding.spread(ties.into(), &sources)?;
            for (node, &fold) in fold.iter().enumerate() {
                // A fold sees fewer labels than others do, on average by this factor.
                let fewer = if fold < self.folds {
                    self.folds as f32 / (self.folds - 1) as f32
                } else {
                    1.0
                };
                let from = &spread.row(node)[fold * classes..(fold + 1) * classes];
                let to = &mut out.row_mut(node)[at * classes..(at + 1) * classes];
                to.iter_mut().zip(from).for_each(|(to, from)| *to = from * fewer);
            }
        }
        Ok(out)
    }

    /// Scores by class of each user from all training labels, once for every radius, and once by beliefs. Where no label
    /// arrives, the most frequent class is the likeliest.
    ///
    /// # Errors
    /// If a radius makes no sense.
    pub(super) fn propagated(
        &self,
        ties: &Ties,
        labels: &Labels,
        keep: f64,
        train: &[NodeId],
    ) -> Result<Vec<DenseMatrix>> {
        let both_ways = both_ways(ties)?;
        let ties = both_ways.as_ref().unwrap_or(ties);
        let (people, classes) = (ties.graph.node_count(), labels.class_count());
        let known = train.iter().filter_map(|&node| Some((node, labels.class(node)?)));
        let frequencies = frequencies(known.clone().map(|(_, class)| class), keep, classes);
        let (miss, hit) = decoded(keep, classes);
        let mut rows = DenseMatrix::zeros(people, classes);
        for (node, class) in known {
            let row = rows.row_mut(node as usize);
            row.fill(miss);
            row[class as usize] = hit;
        }
        let sources = FeatureMatrix::Dense(rows);
        let mut found = Vec::new();
        for &alpha in &self.radii {
            let embedding = Embedding { alpha, exponent: 0.5, ..Embedding::default() };
            let mut scores = embedding.spread(ties.into(), &sources)?;
            add_to_rows(&mut scores, frequencies.iter().map(|share| FAINT * share));
            found.push(scores);
        }
        found.extend(self.believed(ties, labels, keep, train, None)?);
        Ok(found)
    }

    /// Scores by class of each user by beliefs from all training labels, and from `own`, what is known of every user's own
    /// features (`ln P(x | c)`), if anything is; their owner's part is in the scores. `None` where beliefs are not wanted,
    /// or would not fit.
    ///
    /// # Errors
    /// If arcs cannot be read both ways.
    pub(super) fn believed(
        &self,
        ties: &Ties,
        labels: &Labels,
        keep: f64,
        train: &[NodeId],
        own: Option<&DenseMatrix>,
    ) -> Result<Option<DenseMatrix>> {
        let both_ways = both_ways(ties)?;
        let ties = both_ways.as_ref().unwrap_or(ties);
        let classes = labels.class_count();
        if self.homophily <= 0.0 || !can_believe(&ties.graph, classes) {
            return Ok(None);
        }
        let mut said: Vec<Option<u32>> = vec![None; ties.graph.node_count()];
        train.iter().for_each(|&node| said[node as usize] = labels.class(node));
        let frequencies = frequencies(said.iter().flatten().copied(), keep, classes);
        let absent = is_noisy(ties, keep);
        let (homophily, keep) = (self.homophily as f32, keep as f32);
        let prior = Prior { frequencies: &frequencies, homophily, keep, own, absent };
        let mut scores = beliefs(ties.into(), &prior, |node| said[node as usize]);
        add_to_rows(&mut scores, frequencies.iter().map(|share| share.ln()));
        if let Some(own) = own {
            let known = own.values();
            scores.values_mut().iter_mut().zip(known).for_each(|(sum, more)| *sum += more);
        }
        Ok(Some(scores))
    }

    /// For every fold the evidence of the labels of all other folds; and last, of all labels.
    fn beliefs(
        &self,
        ties: &Ties,
        labels: &Labels,
        (homophily, keep): (f64, f64),
        fold: &[usize],
    ) -> Vec<DenseMatrix> {
        let seen_by = |seen_by: usize| {
            let label = |node: NodeId| {
                let own = fold[node as usize];
                labels.class(node).filter(|_| own < self.folds && own != seen_by)
            };
            let seen = ties.graph.nodes().filter_map(label);
            let frequencies = frequencies(seen, keep, labels.class_count());
            let absent = is_noisy(ties, keep);
            let (homophily, keep) = (homophily as f32, keep as f32);
            let prior = Prior { frequencies: &frequencies, homophily, keep, own: None, absent };
            beliefs(ties.into(), &prior, label)
        };
        (0..=self.folds).into_par_iter().map(seen_by).collect()
    }

    /// Side by side for every fold: the labels of all other folds; and last, all labels.
    fn sources(
        &self,
        labels: &Labels,
        keep: f64,
        fold: &[usize],
        classes: usize,
        people: usize,
    ) -> FeatureMatrix {
        let (miss, hit) = decoded(keep, classes);
        let mut rows = DenseMatrix::zeros(people, classes * (self.folds + 1));
        for (node, &own) in fold.iter().enumerate().filter(|(_, own)| **own < self.folds) {
            let Some(class) = labels.class(node as NodeId) else { continue };
            let row = rows.row_mut(node);
            for seen_by in (0..=self.folds).filter(|&seen_by| seen_by != own) {
                let part = &mut row[seen_by * classes..(seen_by + 1) * classes];
                part.fill(miss);
                part[class as usize] = hit;
            }
        }
        FeatureMatrix::Dense(rows)
    }
}

/// Frequencies decide only where nothing else does.
const FAINT: f32 = 1e-6;

/// What a reported label says of another class, and of its own: `(1[label = c] - q) / (p - q)`.
fn decoded(keep: f64, classes: usize) -> (f32, f32) {
    let other = (1.0 - keep) / (classes.max(2) - 1) as f64;
    ((-other / (keep - other)) as f32, ((1.0 - other) / (keep - other)) as f32)
}

/// Public arcs, read both ways: who is named says as much about a class as who names. None if they are already, or
/// are believed more or less.
fn both_ways(ties: &Ties) -> Result<Option<Ties>> {
    match (ties.graph.direction(), &ties.confidence) {
        (Direction::Directed, None) => {
            Ok(Some(Ties { graph: ties.graph.to_undirected()?, confidence: None }))
        }
        _ => Ok(None),
    }
}

fn add_to_rows(matrix: &mut DenseMatrix, row: impl Iterator<Item = f32>) {
    let added: Vec<f32> = row.collect();
    for at in 0..matrix.rows() {
        matrix.row_mut(at).iter_mut().zip(&added).for_each(|(value, more)| *value += more);
    }
}

/// Whether labels or edges may be wrong. Where they are not, nothing needs to be held back by pairs that are not there.
pub(super) fn is_noisy(ties: &Ties, keep: f64) -> bool {
    keep < 1.0 || ties.confidence.is_some()
}

/// Whether messages can go both ways, and fit.
fn can_believe(graph: &Graph, classes: usize) -> bool {
    graph.direction() == Direction::Undirected && graph.arc_count() * classes <= MOST_MESSAGES
}

/// How frequent classes are, from reports: `(share - q) / (p - q)`, at least one in a thousand. Where labels are noisy these
/// vary by chance; as much of their variance as chance explains is taken off by moving all towards the same share (James
/// and Stein).
fn frequencies(reports: impl Iterator<Item = u32>, keep: f64, classes: usize) -> Vec<f32> {
    let other = (1.0 - keep) / (classes.max(2) - 1) as f64;
    let mut counts = vec![0.0; classes];
    reports.for_each(|class| counts[class as usize] += 1.0);
    let all: f64 = counts.iter().sum::<f64>().max(1.0);
    let even = 1.0 / classes.max(1) as f64;
    let decoded: Vec<f64> =
        counts.iter().map(|count| (count / all - other) / (keep - other)).collect();
    let spread = decoded.iter().map(|share| (share - even).powi(2)).sum::<f64>() * even;
    let by_chance = match keep < 1.0 {
        true => even * (1.0 - even) / (all * (keep - other).powi(2)),
        false => 0.0,
    };
    let kept = (1.0 - by_chance / spread.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    let shares: Vec<f64> =
        decoded.into_iter().map(|share| (even + kept * (share - even)).max(1e-3)).collect();
    let sum: f64 = shares.iter().sum();
    shares.into_iter().map(|share| (share / sum) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::karate_club;

    /// The columns of a training user do not change with that user's own label, those of others do.
    #[test]
    fn no_label_speaks_for_its_owner() {
        let club = karate_club().unwrap();
        let ties = Ties { graph: club.graph().clone(), confidence: None };
        let train: Vec<NodeId> = (0..20).collect();
        let spread = |changed: Option<u32>| {
            let classes =
                (0..34).map(|node| Some(u32::from(node % 2 == 0 || changed == Some(node))));
            let names = vec!["a".to_owned(), "b".to_owned()];
            let labels = Labels::single(classes.collect(), names).unwrap();
            let spread = LabelSpread { radii: vec![0.3], folds: 3, ..LabelSpread::default() };
            spread.columns(&ties, &labels, 0.9, &train, 1).unwrap()
        };
        let before = spread(None);
        assert_eq!(before, spread(Some(25)), "node 25 is not trained on");
        let after = spread(Some(5));
        assert_eq!(before.row(5), after.row(5));
        assert!((0..34).any(|node| before.row(node) != after.row(node)));
    }

    #[test]
    fn one_fold_is_refused() {
        let club = karate_club().unwrap();
        let ties = Ties { graph: club.graph().clone(), confidence: None };
        let spread = LabelSpread { folds: 1, ..LabelSpread::default() };
        assert!(spread.run(&ties, club.labels().unwrap(), 1.0, &[0], 1).is_err());
    }
}
