//! What noisy votes say about classes, by Bayes' rule; how much they are worth, validation labels say.
//!
//! # The rule
//! A node of class c hears of class j so many times: `k_j`, a negative binomial number of mean `λ h` for `j = c` and
//! `λ (1 - h) / (C - 1)` otherwise, of which noise makes `y_j`. So
//! `P(c | everything) ∝ P(c | public)^t · P(y_c | mean λ h) / P(y_c | mean λ (1-h)/(C-1))`,
//! `P(y | mean) = Σ_k NB(k; mean, r) · P(noise = y - k)`,
//! where the noise's law is known exactly. (Counts of different classes are taken for independent.) How many votes there
//! are, λ, how uneven, r, how often friends are alike, h, and how far the public model is to be believed, t, are those
//! of a short list under which the validation nodes' labels are likeliest; "no votes" is on the list, and stays
//! unless the four numbers gain more than one nat each (Akaike) and the likeliest classes are right about no fewer
//! validation nodes than without. All of it reads a release and public labels: post-processing.

use crate::graph::{DenseMatrix, Labels, Split};
use crate::learn::models::likeliest;
use crate::privacy::noise::DiscreteLaplace;

/// How many votes a node is taken to hear on average.
const HEARD: [f64; 8] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
/// How unevenly, as the shape of a negative binomial law: the last is nearly Poisson's.
const UNEVEN: [f64; 3] = [0.5, 2.0, 64.0];
/// How often a vote is for the class of who hears it.
const ALIKE: [f64; 5] = [0.35, 0.5, 0.7, 0.8, 0.9];
/// How far the public model is believed.
const BELIEVED: [f64; 7] = [0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0];
/// What the four chosen numbers must gain in log-likelihood together to be more than chance: one nat each (Akaike).
const PRICE: f64 = 4.0;
/// Votes beyond this say no more.
const MOST: i64 = 400;
/// A probability is never taken for smaller: a model that is sure of the wrong class can be told otherwise.
const LEAST: f64 = 1e-6;

/// What was heard, and the law of the noise in it.
#[derive(Debug)]
pub struct VoteEvidence<'a> {
    /// One count a class, in the rows of those who were told something.
    pub votes: &'a [Vec<i64>],
    /// The noise of each count.
    pub noise: &'a DiscreteLaplace,
}

/// What votes were taken to be worth.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct VoteWeights {
    /// How many votes a node hears on average.
    pub heard: f64,
    /// How unevenly.
    pub uneven: f64,
    /// How often a vote is for the class of who hears it.
    pub alike: f64,
    /// How far the public model is believed.
    pub believed: f64,
}

impl VoteEvidence<'_> {
    /// Probabilities of classes after the votes, and what those were worth; as they were, where votes are left out.
    pub fn applied(
        &self,
        prior: &DenseMatrix,
        labels: &Labels,
        split: &Split,
    ) -> (DenseMatrix, Option<VoteWeights>) {
        let classes = prior.columns();
        let known = |&node: &u32| Some((node as usize, labels.class(node)? as usize));
        let known: Vec<(usize, usize)> = split.validation.iter().filter_map(known).collect();
        let likelihood = |weights: VoteWeights, table: &Table| {
            let one = |&(node, class): &(usize, usize)| {
                self.posterior(prior.row(node), node, weights.believed, table)[class].ln()
            };
            known.iter().map(one).sum::<f64>()
        };
        let silent = Table::silent();
        let mut best: Option<(f64, VoteWeights, Table)> = None;
        let mut without = f64::NEG_INFINITY;
        for believed in BELIEVED {
            let weights = VoteWeights { heard: 0.0, uneven: 0.0, alike: 0.0, believed };
            without = without.max(likelihood(weights, &silent));
        }
        if classes > 1 {
            for (heard, uneven, alike) in combinations() {
                let strangers = heard * (1.0 - alike) / (classes - 1) as f64;
                let table = Table::new(heard * alike, strangers, uneven, self.noise);
                for believed in BELIEVED {
                    let weights = VoteWeights { heard, uneven, alike, believed };
                    let reached = likelihood(weights, &table);
                    if best.as_ref().is_none_or(|(best, _, _)| reached > *best) {
                        best = Some((reached, weights, table.clone()));
                    }
                }
            }
        }
        let Some((_, weights, table)) = best.filter(|(best, _, _)| *best > without + PRICE) else {
            return (prior.clone(), None);
        };
        let mut after = DenseMatrix::zeros(prior.rows(), classes);
        for node in 0..prior.rows() {
            let row = self.posterior(prior.row(node), node, weights.believed, &table);
            after.row_mut(node).iter_mut().zip(row).for_each(|(to, from)| *to = from as f32);
        }
        let right = |says: &DenseMatrix| {
            let classes = likeliest(says);
            known.iter().filter(|&&(node, class)| classes[node] as usize == class).count()
        };
        if right(&after) < right(prior) {
            return (prior.clone(), None);
        }
        (after, Some(weights))
    }

    /// One node's classes after its votes.
    fn posterior(&self, prior: &[f32], node: usize, believed: f64, table: &Table) -> Vec<f64> {
        let votes = &self.votes[node];
        let score = |(class, &before): (usize, &f32)| {
            let said = votes.get(class).map_or(0.0, |&votes| table.log_ratio(votes));
            believed * f64::from(before).max(LEAST).ln() + said
        };
        let mut row: Vec<f64> = prior.iter().enumerate().map(score).collect();
        let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.iter_mut().for_each(|score| *score = (*score - largest).exp());
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|share| *share = (*share / sum).max(LEAST));
        row
    }
}

fn combinations() -> impl Iterator<Item = (f64, f64, f64)> {
    HEARD.into_iter().flat_map(|heard| {
        UNEVEN
            .into_iter()
            .flat_map(move |uneven| ALIKE.into_iter().map(move |alike| (heard, uneven, alike)))
    })
}

/// The logarithm of how much likelier a count is for the class of who hears it, by the count.
#[derive(Debug, Clone)]
struct Table {
    least: i64,
    ratios: Vec<f64>,
}

impl Table {
    /// A table by which no count says anything.
    fn silent() -> Self {
        Self { least: 0, ratios: vec![0.0] }
    }

    fn new(own: f64, strangers: f64, uneven: f64, noise: &DiscreteLaplace) -> Self {
        // Counts that far below 0 are noise alone, and all say the same.
        let least = -((6.0 * noise.variance().sqrt()).ceil() as i64).clamp(1, MOST);
        let most = (8.0 * own + 6.0 * noise.variance().sqrt()).ceil() as i64 + 8;
        let most = most.clamp(1, MOST);
        let [own, strangers] = [own, strangers].map(|mean| negative_binomial(mean, uneven));
        let chance = |law: &[f64], count: i64| -> f64 {
            let each = law.iter().zip(0i64..).map(|(p, k)| p * noise.probability(count - k));
            each.sum::<f64>().max(f64::MIN_POSITIVE)
        };
        let ratio = |count| (chance(&own, count) / chance(&strangers, count)).ln();
        Self { least, ratios: (least..=most).map(ratio).collect() }
    }

    fn log_ratio(&self, count: i64) -> f64 {
        let last = self.least + self.ratios.len() as i64 - 1;
        self.ratios[(count.clamp(self.least, last) - self.least) as usize]
    }
}

/// `NB(k; mean, shape)` for k from 0 to where nearly nothing is left.
fn negative_binomial(mean: f64, shape: f64) -> Vec<f64> {
    let (stop, go) = (shape / (shape + mean), mean / (shape + mean));
    let (mut law, mut sum) = (vec![stop.powf(shape)], stop.powf(shape));
    while sum < 1.0 - 1e-9 && law.len() < MOST as usize {
        let k = law.len() as f64;
        let next = law[law.len() - 1] * (k - 1.0 + shape) / k * go;
        sum += next;
        law.push(next);
    }
    law
}

#[cfg(test)]
mod tests;
