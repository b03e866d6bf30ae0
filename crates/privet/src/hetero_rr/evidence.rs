//! What noisy votes say about classes, by Bayes' rule with the known law of the noise.
//!
//! # The rule
//! Edges between training nodes, counted by pairs of classes, say how often a pair of nodes of classes c and k is
//! connected: `θ_ck`. With `S_j` the nodes that could have told u of class j, a node u of class c and of sociability s
//! hears of class j `k_j ~ Poisson(s Σ_{v in S_j} Σ_k P(v is of class k) θ_ck)` times, of which noise makes `y_j`. So
//! `P(c | everything) ∝ P(c | public)^t (∫ Π_j P(y_j | s, c) dΓ(s; r, r))^τ`,
//! `P(y | s, c) = Σ_k Poisson(k) · P(noise = y - k)`.
//! Four numbers are not known: how unequal sociability is (r), how far tastes differ (`k_j` is then negative binomial, of
//! the same mean), how far edges of one person speak independently (τ), and how far the public model is to be believed
//! (t). They are those of a short list under which the validation nodes' labels
//! are likeliest. "No votes" is on the list, and stays unless the four numbers gain more than one nat each (Akaike) and
//! the likeliest classes are right about no fewer validation nodes than without. All of it reads a release and public
//! labels: post-processing.
//!
//! Rates by pairs of classes hold where neighbours are alike, where classes are in order and neighbours are near, and
//! where neighbours differ.

mod law;

use law::{NoisyCounts, gamma_quantiles};

use crate::graph::{DenseMatrix, Labels, Split};
use crate::learn::models::likeliest;
use crate::privacy::edges::central::{VoteCounts, VoteRules};
use crate::privacy::noise::DiscreteLaplace;

/// How unequal sociability is, as the shape of its gamma law: the last is nearly equal.
const UNEVEN: [f64; 5] = [0.5, 1.0, 2.0, 4.0, 16.0];
/// How far tastes differ, as the shape of a negative binomial law; `None` is Poisson's.
const TASTES: [Option<f64>; 3] = [None, Some(4.0), Some(0.5)];
/// How far votes count: edges of one person are not independent of each other.
const COUNTED: [f64; 8] = [0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0];
/// How far the public model is believed.
const BELIEVED: [f64; 8] = [0.1, 0.25, 0.5, 0.75, 1.0, 1.4, 2.0, 3.0];
/// What the four chosen numbers must gain in log-likelihood together to be more than chance: one nat each (Akaike).
const PRICE: f64 = 4.0;
/// A probability is never taken for smaller: a model that is sure of the wrong class can be told otherwise.
const LEAST: f64 = 1e-6;
/// Validation nodes by which the four numbers are chosen, at most: more do not change the choice.
const JUDGES: usize = 4_000;

/// What was heard, by which rules, and the law of the noise in it.
#[derive(Debug, Clone, Copy)]
pub struct VoteEvidence<'a> {
    /// Noisy counts.
    pub counts: &'a VoteCounts,
    /// Which node could tell which.
    pub rules: &'a VoteRules,
    /// The noise of each count.
    pub noise: &'a DiscreteLaplace,
}

/// What votes were taken to be worth.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct VoteWeights {
    /// How unequal people's sociability is: the shape of its gamma law.
    pub uneven: f64,
    /// How far tastes differ: the shape of a negative binomial law; `None` if votes are Poisson's.
    pub taste: Option<f64>,
    /// How far votes count.
    pub counted: f64,
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
        let known = |&node: &u32| Some((node as usize, labels.class(node)? as usize));
        let known: Vec<(usize, usize)> = split.validation.iter().filter_map(known).collect();
        let judges = &known[..known.len().min(JUDGES)];
        if prior.columns() < 2 || judges.is_empty() {
            return (prior.clone(), None);
        }
        let told = ExpectedVotes::new(self, prior);
        let Some((weights, evidence)) = self.fitted(&told, prior, judges) else {
            return (prior.clone(), None);
        };
        let mut after = prior.clone();
        let write = |node: usize, said: &[f64]| {
            let row = posterior(prior.row(node), said, weights);
            after.row_mut(node).iter_mut().zip(row).for_each(|(to, from)| *to = from as f32);
        };
        let wanted: Vec<bool> = self.rules.asks.iter().map(|&asks| asks > 0).collect();
        told.for_each(self, &wanted, write, |node, expected| {
            evidence.of(&self.counts.told[node], expected)
        });
        let right = |says: &DenseMatrix| {
            let classes = likeliest(says);
            known.iter().filter(|&&(node, class)| classes[node] as usize == class).count()
        };
        if right(&after) < right(prior) {
            return (prior.clone(), None);
        }
        (after, Some(weights))
    }

    /// The four numbers under which the judges' labels are likeliest; `None` if they gain too little over no votes.
    fn fitted(
        &self,
        told: &ExpectedVotes,
        prior: &DenseMatrix,
        judges: &[(usize, usize)],
    ) -> Option<(VoteWeights, NodeEvidence)> {
        let likelihood = |weights: VoteWeights, said: &[Vec<f64>]| {
            let one = |(&(node, class), said): (&(usize, usize), &Vec<f64>)| {
                posterior(prior.row(node), said, weights)[class].ln()
            };
            judges.iter().zip(said).map(one).sum::<f64>()
        };
        let nothing = vec![vec![0.0; prior.columns()]; judges.len()];
        let mut without = f64::NEG_INFINITY;
        for believed in BELIEVED {
            let weights = VoteWeights { uneven: 1.0, taste: None, counted: 0.0, believed };
            without = without.max(likelihood(weights, &nothing));
        }
        let mut wanted = vec![false; prior.rows()];
        judges.iter().for_each(|&(node, _)| wanted[node] = true);
        let tastes = TASTES.map(|taste| (taste, NoisyCounts::new(self.noise, taste)));
        let mut best: Option<(f64, VoteWeights, NodeEvidence)> = None;
        let laws = tastes.iter().flat_map(|law| UNEVEN.map(|uneven| (law, uneven)));
        for ((taste, counts), uneven) in laws {
            let evidence = NodeEvidence::new(counts.clone(), uneven);
            let mut each = vec![Vec::new(); prior.rows()];
            told.for_each(
                self,
                &wanted,
                |node, row| each[node] = row.to_vec(),
                |node, expected| evidence.of(&self.counts.told[node], expected),
            );
            let said: Vec<Vec<f64>> =
                judges.iter().map(|&(node, _)| std::mem::take(&mut each[node])).collect();
            for counted in COUNTED {
                for believed in BELIEVED {
                    let weights = VoteWeights { uneven, taste: *taste, counted, believed };
                    let reached = likelihood(weights, &said);
                    if best.as_ref().is_none_or(|(best, ..)| reached > *best) {
                        best = Some((reached, weights, evidence.clone()));
                    }
                }
            }
        }
        let (_, weights, evidence) = best.filter(|(best, ..)| *best > without + PRICE)?;
        Some((weights, evidence))
    }
}

/// A node's classes after its votes: `prior^t · exp(said)^τ`, normalised.
fn posterior(prior: &[f32], said: &[f64], weights: VoteWeights) -> Vec<f64> {
    let score = |(&before, said): (&f32, &f64)| {
        weights.believed * f64::from(before).max(LEAST).ln() + weights.counted * said
    };
    let mut row: Vec<f64> = prior.iter().zip(said).map(score).collect();
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.iter_mut().for_each(|score| *score = (*score - largest).exp());
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|share| *share = (*share / sum).max(LEAST));
    row
}

/// How likely noisy counts are for each class.
#[derive(Debug, Clone)]
struct NodeEvidence {
    counts: NoisyCounts,
    /// Logarithms of the values of sociability that stand for its law, each as likely as the others.
    sociability: Vec<f64>,
}

impl NodeEvidence {
    fn new(counts: NoisyCounts, uneven: f64) -> Self {
        let sociability = gamma_quantiles(uneven).map(f64::ln).to_vec();
        Self { counts, sociability }
    }

    /// The logarithm of how likely the votes are for each class, up to what is the same for all of them.
    fn of(&self, votes: &[i64], expected: &DenseRates) -> Vec<f64> {
        let mut said = Vec::with_capacity(expected.classes);
        let mut each = vec![0.0; self.sociability.len()];
        for class in 0..expected.classes {
            each.fill(0.0);
            for (&count, &mean) in votes.iter().zip(expected.row(class)) {
                // No node could have told of this class: the count is noise, whatever the class of who hears it.
                if mean <= 0.0 {
                    continue;
                }
                let mean = mean.ln();
                for (sum, sociability) in each.iter_mut().zip(&self.sociability) {
                    *sum += self.counts.log_probability(count, mean + sociability);
                }
            }
            let largest = each.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = each.iter().map(|sum| (sum - largest).exp()).sum();
            said.push(largest + (sum / each.len() as f64).ln());
        }
        said
    }
}

/// How many votes for each channel a node of each class expects.
#[derive(Debug, Clone)]
struct DenseRates {
    classes: usize,
    channels: usize,
    values: Vec<f64>,
}

impl DenseRates {
    fn row(&self, class: usize) -> &[f64] {
        &self.values[class * self.channels..][..self.channels]
    }
}

/// Who could tell whom, and how often classes are connected.
#[derive(Debug)]
struct ExpectedVotes {
    /// `θ_ck`, how often a pair of nodes of these classes is connected, row by row.
    rates: Vec<f64>,
    classes: usize,
    /// All nodes in the order in which edges inform: each is told by those before it.
    order: Vec<u32>,
    /// For a sayer whose class is not known, how likely each is.
    prior: DenseMatrix,
}

impl ExpectedVotes {
    fn new(evidence: &VoteEvidence<'_>, prior: &DenseMatrix) -> Self {
        let VoteRules { says, asks, .. } = evidence.rules;
        let classes = prior.columns();
        let mut sizes = vec![0.0f64; classes];
        for (says, _) in says.iter().zip(asks).filter(|(_, asks)| **asks == 0) {
            if let Some(class) = says.filter(|class| (*class as usize) < classes) {
                sizes[class as usize] += 1.0;
            }
        }
        // Counts below what noise alone may be are no evidence of a rate of 0.
        let least = (0.5 * evidence.noise.variance()).sqrt().max(0.5);
        let rate = |at: usize| {
            let (one, other) = (at / classes, at % classes);
            let pairs = match one == other {
                true => sizes[one] * (sizes[one] - 1.0) / 2.0,
                false => sizes[one] * sizes[other],
            };
            (evidence.counts.between(one, other) as f64).max(least) / pairs.max(1.0)
        };
        let mut order: Vec<u32> = (0..asks.len() as u32).collect();
        order.sort_by_key(|&node| (asks[node as usize], node));
        let rates = (0..classes * classes).map(rate).collect();
        Self { rates, classes, order, prior: prior.clone() }
    }

    /// Gives `take` what `say` makes of a wanted node's expected votes, node after node.
    fn for_each(
        &self,
        evidence: &VoteEvidence<'_>,
        wanted: &[bool],
        mut take: impl FnMut(usize, &[f64]),
        say: impl Fn(usize, &DenseRates) -> Vec<f64>,
    ) {
        let VoteRules { classes: channels, says, .. } = evidence.rules;
        let (classes, channels) = (self.classes, *channels as usize);
        let mut expected = DenseRates { classes, channels, values: vec![0.0; classes * channels] };
        for &node in &self.order {
            let node = node as usize;
            if wanted[node] {
                take(node, &say(node, &expected));
            }
            let Some(channel) = says[node] else { continue };
            let channel = channel as usize;
            for class in 0..classes {
                let rates = &self.rates[class * classes..][..classes];
                // A channel of a class is of nodes whose class is known; others are what their prior says.
                let more = match channel < classes {
                    true => rates[channel],
                    false => {
                        let prior = self.prior.row(node).iter();
                        prior.zip(rates).map(|(&p, rate)| f64::from(p) * rate).sum()
                    }
                };
                expected.values[class * channels + channel] += more;
            }
        }
    }
}

#[cfg(test)]
mod tests;
