//! How likely each class is for every new person: what noisy votes say of them, what their own features say, and what the
//! people they know among themselves say. All of it reads releases and what new people show, so it costs nothing.
//!
//! # Model
//! Votes `y_v` of a person of class c have the mean `s_v m_c` and the variances `σ² + κ s_v m_c`, column by column:
//!
//! * `s_v = (d_v + 1)^0.7` over its mean, with d_v the new people that v knows: who knows many of them knows many others;
//! * `m_cc = a π_c` and `m_cc' = b π_c'`, with π the shares of classes: people know more of their own class;
//! * σ is the noise that was added, which is public, and κ how unalike people of a class are.
//!
//! The features of others, by ridge regression on what is believed of their classes, give every class of v a share; v
//! itself has no part in it ([`FOLDS`]). A person known to be of class c' speaks for class c by
//! `log(e_cc' / (e_c e_c'))`, with e the shares of connections between classes, times one half because friends of friends
//! are friends and would be counted again and again.
//!
//! a, b, κ, π and e are not known: beliefs and these numbers are computed from each other, [`ROUNDS`] times (mean-field
//! expectation-maximisation).
//!
//! # Limits
//! The first beliefs take the class with most votes around a person for the likeliest. Where people mostly know others who
//! are *not* of their class that is wrong, and votes are of no use.

use crate::dpar::likeness::solve;
use crate::graph::{DenseMatrix, Features, Graph, NodeId};
use crate::{Error, Result};

/// How often beliefs are computed.
const ROUNDS: usize = 24;
/// The last rounds, in which beliefs are no longer mixed with those before.
const LAST_ROUNDS: usize = 3;
/// Features are learned from anew every so many rounds.
const RELEARN: usize = 3;
/// Parts of the new people: what features say of one part is learned from the others.
const FOLDS: usize = 5;
/// The penalty of ridge regression, for rows of norm 1.
const PENALTY: f64 = 10.0;
/// The least share that features leave a class.
const LEAST_SHARE: f64 = 0.02;
/// How much of a connection's evidence counts.
const CONNECTION: f64 = 0.5;
/// How the number of votes grows with the number of new people known.
const GROWTH: f64 = 0.7;
/// People of each class who are taken for seen before any are.
const BEFOREHAND: f64 = 2.0;
/// The share of connections that are taken for drawn without regard to class.
const BLIND: f64 = 0.02;
/// The least κ.
const LEAST_SPREAD: f64 = 0.05;

/// What is known of new people.
#[derive(Debug, Clone, Copy)]
pub struct KnownVotes<'a> {
    /// Noisy votes: a row a person, a column a class.
    pub votes: &'a DenseMatrix,
    /// The deviation of their noise.
    pub deviation: f64,
    /// Who knows whom among them; undirected.
    pub graph: &'a Graph,
    /// Their features, rows of norm 1.
    pub features: Option<&'a Features>,
    /// What a released model says of each, as shares of classes.
    pub model: Option<&'a DenseMatrix>,
}

/// The share of every class, person by person.
///
/// # Errors
/// If the graph, the features or the model's answers are of other people or classes.
pub fn posterior(evidence: KnownVotes<'_>) -> Result<DenseMatrix> {
    let people = evidence.votes.rows();
    let expected = || format!("one for each of {people} people");
    let mut found = vec![("nodes of the graph", evidence.graph.node_count())];
    found.extend(evidence.features.map(|rows| ("rows of features", rows.rows())));
    found.extend(evidence.model.map(|shares| ("answers of the model", shares.rows())));
    if let Some((what, found)) = found.into_iter().find(|(_, found)| *found != people) {
        return Err(Error::invalid(what, found, expected()));
    }
    let classes = evidence.votes.columns();
    if let Some(model) = evidence.model.filter(|model| model.columns() != classes) {
        return Err(Error::invalid("classes of the model", model.columns(), classes));
    }
    Ok(Beliefs::new(evidence).refined())
}

/// Beliefs and what they are computed from; tables have a row of `classes` numbers a person.
struct Beliefs<'a> {
    evidence: KnownVotes<'a>,
    classes: usize,
    votes: Vec<f64>,
    /// s.
    sizes: Vec<f64>,
    /// Shares of classes.
    beliefs: Vec<f64>,
    /// What features and the model say, as logarithms.
    own: Vec<f64>,
    folds: Vec<Fold>,
    /// κ.
    spread: f64,
}

/// Some of the people, and the features of all others.
struct Fold {
    others: Vec<NodeId>,
    rows: Features,
}

impl<'a> Beliefs<'a> {
    fn new(evidence: KnownVotes<'a>) -> Self {
        let (people, classes) = (evidence.votes.rows(), evidence.votes.columns());
        let votes: Vec<f64> = evidence.votes.values().iter().map(|&v| f64::from(v)).collect();
        let size = |node| ((evidence.graph.neighbors(node).len() + 1) as f64).powf(GROWTH);
        let mut sizes: Vec<f64> = evidence.graph.nodes().map(size).collect();
        let mean = sizes.iter().sum::<f64>() / people.max(1) as f64;
        sizes.iter_mut().for_each(|size| *size /= mean);
        let folds = match evidence.features {
            // So few people teach nothing.
            Some(features) if people >= 2 * FOLDS => {
                let fold = |fold: usize| {
                    let others: Vec<NodeId> = (0..people)
                        .filter(|at| at % FOLDS != fold)
                        .map(|at| at as NodeId)
                        .collect();
                    Fold { rows: features.select(&others), others }
                };
                (0..FOLDS).map(fold).collect()
            }
            _ => Vec::new(),
        };
        let beliefs = first_beliefs(evidence.graph, &votes, classes);
        let own = vec![0.0; votes.len()];
        Self { evidence, classes, votes, sizes, beliefs, own, folds, spread: 1.0 }
    }

    fn refined(mut self) -> DenseMatrix {
        for round in 0..ROUNDS {
            let shares = self.shares();
            if round % RELEARN == 0 {
                self.own = self.of_own(&shares);
            }
            let means = self.means(&shares);
            let mut next = self.around();
            for (at, next) in next.chunks_exact_mut(self.classes).enumerate() {
                let votes = &self.votes[at * self.classes..][..self.classes];
                let own = &self.own[at * self.classes..][..self.classes];
                for (class, next) in next.iter_mut().enumerate() {
                    let mean = &means[class * self.classes..][..self.classes];
                    *next += shares[class].ln() + own[class] + self.likelihood(at, votes, mean);
                }
                softmax(next);
            }
            if round + LAST_ROUNDS < ROUNDS {
                next.iter_mut()
                    .zip(&self.beliefs)
                    .for_each(|(next, old)| *next = (*next + old) / 2.0);
            }
            self.beliefs = next;
            self.spread = self.unalike(&means);
        }
        let shares = self.beliefs.iter().map(|&share| share as f32).collect();
        // As many numbers as votes.
        DenseMatrix::new(self.evidence.votes.rows(), self.classes, shares)
            .unwrap_or_else(|_| self.evidence.votes.clone())
    }

    /// π.
    fn shares(&self) -> Vec<f64> {
        let mut shares = vec![BEFOREHAND; self.classes];
        for beliefs in self.beliefs.chunks_exact(self.classes) {
            shares.iter_mut().zip(beliefs).for_each(|(share, belief)| *share += belief);
        }
        let all: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= all);
        shares
    }

    /// m: the votes of a person of average size, one row for each class they may be of. By least squares class by class,
    /// of which the two numbers a and b are kept.
    fn means(&self, shares: &[f64]) -> Vec<f64> {
        let (mut same, mut other, mut others) = (0.0, 0.0, 0.0);
        for class in 0..self.classes {
            let (mut sums, mut weight) = (vec![0.0; self.classes], 1e-9);
            for (at, size) in self.sizes.iter().enumerate() {
                let part = self.beliefs[at * self.classes + class] * size;
                weight += part * size;
                let votes = &self.votes[at * self.classes..][..self.classes];
                sums.iter_mut().zip(votes).for_each(|(sum, votes)| *sum += part * votes);
            }
            for (column, sum) in sums.iter().enumerate() {
                let mean = (sum / weight).max(0.0);
                match column == class {
                    true => same += mean,
                    false => {
                        other += mean;
                        others += shares[column];
                    }
                }
            }
        }
        // The shares of all classes sum to 1.
        let (same, other) = (same, other / f64::max(others, 1e-9));
        let mean = |at: usize| {
            let (class, column) = (at / self.classes, at % self.classes);
            shares[column] * if class == column { same } else { other }
        };
        (0..self.classes * self.classes).map(mean).collect()
    }

    /// The logarithm of how likely these votes are, but for a constant.
    fn likelihood(&self, at: usize, votes: &[f64], mean: &[f64]) -> f64 {
        let size = self.sizes[at];
        let noise = self.evidence.deviation.powi(2);
        let column = |(votes, mean): (&f64, &f64)| {
            let variance = (noise + self.spread * size * mean).max(1e-9);
            -0.5 * ((votes - size * mean).powi(2) / variance + variance.ln())
        };
        votes.iter().zip(mean).map(column).sum()
    }

    /// κ: what is left of squares once the noise is taken off, over what is expected of votes.
    fn unalike(&self, means: &[f64]) -> f64 {
        let noise = self.evidence.deviation.powi(2);
        let (mut left, mut expected) = (0.0, 1e-9);
        for (at, beliefs) in self.beliefs.chunks_exact(self.classes).enumerate() {
            for column in 0..self.classes {
                let mean: f64 = (0..self.classes)
                    .map(|class| beliefs[class] * means[class * self.classes + column])
                    .sum::<f64>()
                    * self.sizes[at];
                left += (self.votes[at * self.classes + column] - mean).powi(2) - noise;
                expected += mean;
            }
        }
        (left / expected).max(LEAST_SPREAD)
    }

    /// What the features of others, and the model, say of each person.
    fn of_own(&self, shares: &[f64]) -> Vec<f64> {
        let mut own = vec![0.0; self.votes.len()];
        for (fold, part) in self.folds.iter().enumerate() {
            for (class, &share) in shares.iter().enumerate() {
                self.learned(fold, part, class, share, &mut own);
            }
        }
        if let Some(model) = self.evidence.model {
            let mut sums = vec![0.0; self.classes];
            for row in 0..model.rows() {
                sums.iter_mut().zip(model.row(row)).for_each(|(sum, &s)| *sum += f64::from(s));
            }
            let least = LEAST_SHARE * model.rows() as f64;
            for row in 0..model.rows() {
                for (class, &share) in model.row(row).iter().enumerate() {
                    let usual = sums[class].max(least) / model.rows() as f64;
                    own[row * self.classes + class] +=
                        (f64::from(share).max(LEAST_SHARE) / usual).ln();
                }
            }
        }
        own
    }

    /// The share of a class by ridge regression, for the people of one part.
    fn learned(&self, fold: usize, part: &Fold, class: usize, usual: f64, own: &mut [f64]) {
        let Some(features) = self.evidence.features else { return };
        let believed = |&node: &NodeId| self.beliefs[node as usize * self.classes + class];
        let mut targets: Vec<f64> = part.others.iter().map(believed).collect();
        let mean = targets.iter().sum::<f64>() / targets.len().max(1) as f64;
        targets.iter_mut().for_each(|target| *target -= mean);
        // w = Xᵀ (X Xᵀ + λ)⁻¹ t, on rows taken from their mean; the solution sums to 0, so X may be as it is.
        let solution = solve(&part.rows, &targets, PENALTY);
        let (mut weights, mut middle) =
            (vec![0.0; features.columns()], vec![0.0; features.columns()]);
        for (row, value) in solution.iter().enumerate() {
            for (column, entry) in part.rows.nonzero_entries(row) {
                weights[column as usize] += f64::from(entry) * value;
                middle[column as usize] += f64::from(entry);
            }
        }
        let offset: f64 = middle.iter().zip(&weights).map(|(sum, weight)| sum * weight).sum();
        let offset = offset / targets.len().max(1) as f64;
        for at in (fold..self.evidence.votes.rows()).step_by(FOLDS) {
            let entries = features.nonzero_entries(at);
            let along: f64 = entries.map(|(c, entry)| f64::from(entry) * weights[c as usize]).sum();
            let share = (mean + along - offset).max(LEAST_SHARE);
            own[at * self.classes + class] += (share / usual).ln();
        }
    }

    /// What the people that each one knows say of them.
    fn around(&self) -> Vec<f64> {
        let (graph, classes) = (self.evidence.graph, self.classes);
        let mut known = vec![0.0; self.votes.len()];
        for node in graph.nodes() {
            let sums = &mut known[node as usize * classes..][..classes];
            for &other in graph.neighbors(node) {
                let beliefs = &self.beliefs[other as usize * classes..][..classes];
                sums.iter_mut().zip(beliefs).for_each(|(sum, belief)| *sum += belief);
            }
        }
        // e: connections between classes.
        let mut between = vec![0.0; classes * classes];
        for (beliefs, known) in self.beliefs.chunks_exact(classes).zip(known.chunks_exact(classes))
        {
            for (row, belief) in between.chunks_exact_mut(classes).zip(beliefs) {
                row.iter_mut().zip(known).for_each(|(cell, known)| *cell += belief * known);
            }
        }
        let ends = |between: &[f64]| -> Vec<f64> {
            between.chunks_exact(classes).map(|row| row.iter().sum()).collect()
        };
        let (sums, all) = (ends(&between), between.iter().sum::<f64>());
        if all <= 0.0 {
            return vec![0.0; self.votes.len()];
        }
        let blind = |at: usize| BLIND * sums[at / classes] * sums[at % classes] / all;
        (0..between.len()).for_each(|at| between[at] += blind(at));
        let (sums, all) = (ends(&between), between.iter().sum::<f64>());
        let speaks: Vec<f64> = (0..between.len())
            .map(|at| {
                let expected = sums[at / classes] * sums[at % classes] / all;
                // A class that has no connections says nothing.
                if between[at] > 0.0 { CONNECTION * (between[at] / expected).ln() } else { 0.0 }
            })
            .collect();
        let mut said = vec![0.0; self.votes.len()];
        for (said, known) in said.chunks_exact_mut(classes).zip(known.chunks_exact(classes)) {
            for (said, speaks) in said.iter_mut().zip(speaks.chunks_exact(classes)) {
                *said = known.iter().zip(speaks).map(|(known, speaks)| known * speaks).sum();
            }
        }
        said
    }
}

/// Votes averaged over a person and the people they know, each class from its mean, in units of their deviation.
fn first_beliefs(graph: &Graph, votes: &[f64], classes: usize) -> Vec<f64> {
    let mut beliefs = vec![0.0; votes.len()];
    for node in graph.nodes() {
        let sums = &mut beliefs[node as usize * classes..][..classes];
        let others = graph.neighbors(node);
        for &other in others.iter().chain([&node]) {
            let votes = &votes[other as usize * classes..][..classes];
            sums.iter_mut().zip(votes).for_each(|(sum, votes)| *sum += votes);
        }
        sums.iter_mut().for_each(|sum| *sum /= (others.len() + 1) as f64);
    }
    let people = (votes.len() / classes.max(1)).max(1) as f64;
    let mut mean = vec![0.0; classes];
    for row in beliefs.chunks_exact(classes) {
        mean.iter_mut().zip(row).for_each(|(mean, value)| *mean += value / people);
    }
    let mut square = 0.0;
    for row in beliefs.chunks_exact_mut(classes) {
        for (value, mean) in row.iter_mut().zip(&mean) {
            *value -= mean;
            square += value.powi(2);
        }
    }
    let deviation = (square / votes.len().max(1) as f64).sqrt().max(1e-9);
    for row in beliefs.chunks_exact_mut(classes) {
        row.iter_mut().for_each(|value| *value /= deviation);
        softmax(row);
    }
    beliefs
}

/// Shares from their logarithms.
fn softmax(row: &mut [f64]) {
    let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.iter_mut().for_each(|value| *value = (*value - most).exp());
    let all: f64 = row.iter().sum();
    row.iter_mut().for_each(|value| *value /= all);
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;

    use super::*;
    use crate::graph::{Direction, GraphBuilder, SimRng};
    use crate::learn::models::likeliest;

    const PEOPLE: usize = 300;

    /// People of three classes in turn, who know six others each, mostly of their class; and votes that are little but noise.
    fn made_up(homophily: f64, deviation: f64) -> (Graph, DenseMatrix) {
        let mut rng = SimRng::new(7);
        let mut pairs = Vec::new();
        for person in 0..PEOPLE as u32 {
            for _ in 0..3 {
                let other = rng.random_range(0..PEOPLE as u32);
                let alike = other - other % 3 + person % 3;
                let other = if rng.random_bool(homophily) { alike } else { other };
                if other != person && (other as usize) < PEOPLE {
                    pairs.push((person, other));
                }
            }
        }
        let graph =
            GraphBuilder::new(PEOPLE, Direction::Undirected).edges(pairs).build().unwrap().0;
        let mut vote = |person: usize, class: usize| {
            let noise: f64 = (0..12).map(|_| rng.random_range(-0.5..0.5)).sum();
            let mean = if person % 3 == class { 3.0 } else { 1.0 };
            (mean + deviation * noise) as f32
        };
        let votes = (0..3 * PEOPLE).map(|at| vote(at / 3, at % 3)).collect();
        (graph, DenseMatrix::new(PEOPLE, 3, votes).unwrap())
    }

    fn right(shares: &DenseMatrix) -> f64 {
        let answers = likeliest(shares);
        let right = answers.iter().enumerate().filter(|(at, class)| at % 3 == **class as usize);
        right.count() as f64 / PEOPLE as f64
    }

    fn evidence<'a>(graph: &'a Graph, votes: &'a DenseMatrix, deviation: f64) -> KnownVotes<'a> {
        KnownVotes { votes, deviation, graph, features: None, model: None }
    }

    /// People who know each other tell more than each one's votes, features more still, and so does a model.
    #[test]
    fn everything_that_is_known_helps() {
        let (graph, votes) = made_up(0.8, 2.5);
        let strangers = Graph::empty(PEOPLE, Direction::Undirected).unwrap();
        let alone = right(&posterior(evidence(&strangers, &votes, 2.5)).unwrap());
        let connected = right(&posterior(evidence(&graph, &votes, 2.5)).unwrap());
        let mut rows = DenseMatrix::zeros(PEOPLE, 4);
        let mut shares = DenseMatrix::zeros(PEOPLE, 3);
        for person in 0..PEOPLE {
            // Two in three show their class.
            rows.row_mut(person)[if person % 9 < 6 { person % 3 } else { 3 }] = 1.0;
            shares.row_mut(person).fill(0.2);
            shares.row_mut(person)[if person % 9 < 6 { person % 3 } else { 0 }] = 0.6;
        }
        let features = Features::dense(rows);
        let known = KnownVotes { features: Some(&features), ..evidence(&strangers, &votes, 2.5) };
        let shown = right(&posterior(known).unwrap());
        let known = KnownVotes { model: Some(&shares), ..evidence(&strangers, &votes, 2.5) };
        let told = right(&posterior(known).unwrap());
        assert!(alone > 0.5 && connected > alone + 0.2, "{alone} {connected}");
        assert!(shown > alone + 0.1 && told > alone + 0.1, "{alone} {shown} {told}");
    }

    /// Without noise the class with most votes; and shares are shares.
    #[test]
    fn without_noise_votes_decide() {
        let (graph, votes) = made_up(0.8, 1e-3);
        let shares = posterior(evidence(&graph, &votes, 1e-3)).unwrap();
        assert!(right(&shares) > 0.99);
        for person in 0..PEOPLE {
            assert!((shares.row(person).iter().sum::<f32>() - 1.0).abs() < 1e-4);
        }
    }

    /// No people, one class, no votes at all: no panic, no number that is none.
    #[test]
    fn nothing_to_go_by_gives_shares_still() {
        for (people, classes) in [(0, 2), (1, 1), (1, 3), (12, 2)] {
            let graph = Graph::empty(people, Direction::Undirected).unwrap();
            let votes = DenseMatrix::zeros(people, classes);
            let features = Features::dense(DenseMatrix::zeros(people, 2));
            let known = KnownVotes { features: Some(&features), ..evidence(&graph, &votes, 0.0) };
            let shares = posterior(known).unwrap();
            assert!(shares.values().iter().all(|share| share.is_finite()), "{people} {classes}");
        }
        let graph = Graph::empty(3, Direction::Undirected).unwrap();
        assert!(posterior(evidence(&graph, &DenseMatrix::zeros(2, 2), 1.0)).is_err());
    }
}
