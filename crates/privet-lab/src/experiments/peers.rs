//! [`Peer`]: other people's methods as their papers describe them, on Privet's splits and charged to Privet's ledgers.
//!
//! | peer | who holds the raw data | what is private | mechanism |
//! |---|---|---|---|
//! | [`gap`] | a curator | edges | sums over neighbours with Gaussian noise |
//! | [`lpgnn`] | each person | features | multi-bit reports |
//! | [`blink`] | each person | neighbour lists | noisy degrees and randomised response |
//!
//! Whole people are protected by plain DP-SGD and by GAP's node-level form: both are methods of DPAR
//! ([`Method::Features`](privet::Method), [`Method::Gap`](privet::Method)).
//!
//! A paper's own accounting plays no part: what a run costs is on the card of its ledger ([`PRICE`], [`PAIR_PRICE`]). What a
//! paper leaves open, or tunes by test scores, is fixed here in public and stated in each file.

pub mod blink;
pub mod gap;
pub mod lpgnn;

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use privet::graph::{Dataset, DenseMatrix, Features, Labels, Split};
use privet::labels::one_each;
use privet::learn::models::likeliest;
use privet::privacy::Card;
use privet::release::LdpGeRelease;
use privet::{Error, Protected, Result, Run};
use serde::Serialize;

use super::cells::Key;
use super::trial::{Classified, NamedData, Outcome, SECONDS, Subject, TrialScores, Variant};

/// Epsilon by the accountant, of what the run protects.
pub const PRICE: &str = "true_epsilon";
/// Epsilon of a relationship, which both ends report, where neighbour lists are protected.
pub const PAIR_PRICE: &str = "true_epsilon_of_a_pair";

/// A method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Peer {
    /// Sajadmanesh, Shamsabadi, Bellet, Gatica-Perez: GAP (USENIX Security 2023), edge-level.
    Gap,
    /// Sajadmanesh, Gatica-Perez: Locally Private Graph Neural Networks (CCS 2021), private features.
    Lpgnn,
    /// Zhu, Tan, Xiao: Blink (CCS 2023), the hybrid variant.
    Blink,
}

impl Peer {
    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gap => "gap",
            Self::Lpgnn => "lpgnn",
            Self::Blink => "blink",
        }
    }
}

/// A peer on a graph.
#[derive(Debug, Clone, Copy)]
pub struct PeerTrial<'a> {
    /// The data in the clear: the experimenter's view, for evaluation.
    pub data: NamedData<'a>,
    /// The method.
    pub peer: Peer,
    /// The budget.
    pub epsilon: f64,
}

/// What every peer is told: everything public, and what is secret in the same dataset.
#[derive(Debug, Clone, Copy)]
pub struct PeerInput<'a> {
    dataset: &'a Dataset,
    features: &'a Features,
    labels: &'a Labels,
    split: &'a Split,
    epsilon: f64,
}

impl Subject for PeerTrial<'_> {
    fn key(&self, _: Variant) -> Key {
        Key::of(&self.data.key()).with("peer", self.peer.name()).with("epsilon", self.epsilon)
    }

    fn run(&self, _: Variant, seed: u64, interrupt: &AtomicBool) -> Result<Outcome> {
        let dataset = self.data.dataset;
        let labels =
            one_each(dataset.labels(), dataset.name(), "they are what is to be predicted")?;
        let features = dataset.features().ok_or_else(|| Error::Missing {
            dataset: dataset.name().to_owned(),
            what: "features",
            remedy: "every peer learns from them",
        })?;
        let split = LdpGeRelease::split(self.data.input(), seed)?;
        let input = PeerInput { dataset, features, labels, split: &split, epsilon: self.epsilon };
        let run = Run::simulation(seed).watched_by(interrupt);
        let begun = Instant::now();
        let said: Protected<DenseMatrix> = match self.peer {
            Peer::Gap => gap::classify(input, &run)?,
            Peer::Lpgnn => lpgnn::classify(input, &run)?,
            Peer::Blink => blink::classify(input, &run)?,
        };
        let seconds = begun.elapsed().as_secs_f64();
        let (said, card) = said.into_parts();
        let predicted = likeliest(&said);
        let scores = Classified { predicted: &predicted, scores: Some(&said), labels }.on(&split);
        let scores = scores.and([(SECONDS, seconds)]).and(prices(&card));
        Ok(Outcome { scores, card: Some(card) })
    }
}

/// What a card says that a run truly costs: the worst of its guarantees, and of relationships that follow from them.
pub fn prices(card: &Card) -> impl Iterator<Item = (&'static str, f64)> + use<> {
    let worst = |losses: Vec<f64>| losses.into_iter().reduce(f64::max);
    let own = card.guarantees.iter().map(|guarantee| guarantee.loss.epsilon.get()).collect();
    let also = card.guarantees.iter().flat_map(|guarantee| &guarantee.also);
    let pairs = also.map(|other| other.loss.epsilon.get()).collect();
    let named = [(PRICE, worst(own)), (PAIR_PRICE, worst(pairs))];
    // JSON has no infinity: a loss without bound is left out, and the table says so.
    let finite = |value: Option<f64>| value.filter(|epsilon| epsilon.is_finite());
    named.into_iter().filter_map(move |(name, value)| Some((name, finite(value)?)))
}

/// Scores of a run whose card tells its price.
pub fn with_prices(outcome: Outcome) -> TrialScores {
    let Outcome { scores, card } = outcome;
    match card {
        Some(card) => scores.and(prices(&card)),
        None => scores,
    }
}

/// Features without zeros left out, for sums over neighbours.
fn dense(features: &privet::graph::FeatureMatrix) -> DenseMatrix {
    match features {
        privet::graph::FeatureMatrix::Dense(rows) => rows.clone(),
        privet::graph::FeatureMatrix::Sparse(rows) => rows.to_dense(),
    }
}

#[cfg(test)]
mod tests {
    use privet::data::synthetic::StochasticBlocks;
    use privet::graph::{Bounds, BoundsOrigin};

    use super::*;

    fn people() -> Dataset {
        let (nodes, classes, features, mean_degree) = (240, 3, 12, 7.0);
        let blocks =
            StochasticBlocks { nodes, classes, features, mean_degree, ..Default::default() };
        let made = blocks.generate(1).unwrap();
        let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared).unwrap();
        let rows = made.features().unwrap().clone().with_bounds(bounds).unwrap();
        made.with_features(rows).unwrap()
    }

    fn run(peer: Peer, epsilon: f64) -> Outcome {
        let people = people();
        let trial = PeerTrial { data: NamedData::new("people", &people), peer, epsilon };
        trial.run(Variant::Private, 3, &AtomicBool::new(false)).unwrap()
    }

    /// Each peer costs what it was given, by the ledger, and learns something where epsilon is large.
    #[test]
    fn a_peer_costs_its_epsilon_and_learns_classes() {
        for peer in [Peer::Gap, Peer::Lpgnn, Peer::Blink] {
            let Outcome { scores, .. } = run(peer, 8.0);
            let price = scores.get(PRICE).unwrap();
            assert!(price <= 8.0 + 1e-9 && price > 7.9, "{}: {price}", peer.name());
            assert!(scores.test() > 0.6, "{}: {}", peer.name(), scores.test());
        }
    }

    /// One bit of a list costs epsilon; a relationship stands in two lists.
    #[test]
    fn both_ends_of_a_relationship_report_it_to_blink() {
        let scores = run(Peer::Blink, 1.0).scores;
        let pair = scores.get(PAIR_PRICE).unwrap();
        assert!((pair - 2.0).abs() < 1e-6, "{pair}");
        assert_eq!(run(Peer::Gap, 1.0).scores.get(PAIR_PRICE), None);
    }

    #[test]
    fn a_seed_decides_everything() {
        for peer in [Peer::Gap, Peer::Lpgnn, Peer::Blink] {
            let (one, other) = (run(peer, 1.0).scores, run(peer, 1.0).scores);
            assert_eq!(one.test(), other.test(), "{}", peer.name());
        }
    }
}
