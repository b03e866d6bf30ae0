//! LDP-GE: locally private features, spread over a graph by personalised PageRank.
//!
//! Paper: Li, Li, Liao, Jin, Wang, "Locally Differentially Private Graph Embedding". Each person sends a
//! randomised report of a high-dimensional feature row; a collector who knows the graph spreads the
//! reports over it and learns to classify nodes or to predict links.
//!
//! # Follow the data
//! ```text
//! People (Secret fields)  --Protection::collect-->  Collected (reports, and a card)     [`people`], [`collect`], [`edges`]
//! Collected               --Embedding::run------->  one row of numbers per node          [`embed`], [`label_spread`]
//! embedding               --Learner::classify---->  classes     (or Learner::link: links) [`learn`]
//! ```
//! [`LdpGe`] is the three together. [`theory`] predicts the error before anyone sends anything,
//! [`confidence`] tells likely edges from accidents of noise, [`preset`] holds settings per dataset, [`answers`] sends one answer of a public model in place of features.
//!
//! # Differs from the paper
//! * Labels and edges can be private too, each under a guarantee of its own, in one run.
//! * Reports are drawn on integer lattices (the printed float sampler leaks), and can be decoded without
//!   bias; the printed decoding is [`Decoding::Paper`](crate::privacy::features::Decoding::Paper).
//! * What features contribute is measured against people who all hold the same row
//!   ([`People::with_constant_features`]): on Cora the published accuracy at small epsilon is that of
//!   the graph alone.

pub mod answers;
mod beliefs;
pub mod collect;
pub mod confidence;
pub mod edges;
pub mod embed;
pub mod label_spread;
pub mod learn;
pub mod people;
pub mod preset;
pub mod theory;

pub use answers::{Answers, MixedPeople};
pub use collect::{Collected, FeatureProtection, Protection, Reports};
pub use edges::{EdgeMechanism, EdgeProtection, Ties};
pub use embed::{Embedding, Method, Scaling};
pub use label_spread::LabelSpread;
pub use learn::Learner;
pub use people::{Field, People, Private};
pub use preset::{Preset, PresetTask};

use crate::graph::{DenseMatrix, LinkSplit, Split};
use crate::learn::models::{LinkScorer, Mlp};
use crate::{Carded, Error, Result, Run};

/// The whole system: how people protect themselves, and what the collector does with their reports.
#[derive(Debug, Clone)]
pub struct LdpGe {
    /// The users' side.
    pub protection: Protection,
    /// From reports to embeddings.
    pub embedding: Embedding,
    /// Whether the labels of training users are spread too, for classifying; the paper does not.
    pub labels: Option<LabelSpread>,
    /// From embeddings to predictions.
    pub learner: Learner,
}

/// A classifier of nodes.
#[derive(Debug, Clone)]
pub struct Classifier {
    /// One row per node.
    pub embedding: DenseMatrix,
    /// The classifier.
    pub model: Mlp,
    /// The class it predicts for every node.
    pub predicted: Vec<u32>,
}

/// A classifier of nodes, and what it was promised under.
pub type Classified = Carded<Classifier>;

/// A predictor of links.
#[derive(Debug, Clone)]
pub struct Linker {
    /// One row per node.
    pub embedding: DenseMatrix,
    /// The scorer.
    pub scorer: LinkScorer,
}

/// A predictor of links, and what it was promised under.
pub type Linked = Carded<Linker>;

impl LdpGe {
    /// Collects, embeds and learns to classify. Trains and validates on the labels as collected.
    ///
    /// ```
    /// use std::sync::atomic::AtomicBool;
    /// use privet::data::synthetic::StochasticBlocks;
    /// use privet::graph::{Split, SplitShares};
    /// use privet::ldp_ge::{EdgeProtection, Embedding, FeatureProtection, LdpGe, Learner};
    /// use privet::Books;
    /// use privet::ldp_ge::{People, Private, Protection};
    /// use privet::{Noise, Run};
    /// use privet::privacy::features::{Decoding, Settings};
    ///
    /// let blocks = StochasticBlocks { nodes: 300, classes: 3, features: 20, ..Default::default() };
    /// let dataset = blocks.generate(1)?;
    /// let system = LdpGe {
    ///     protection: Protection {
    ///         features: FeatureProtection {
    ///             mechanism: "hds".into(),
    ///             epsilon: 1.0,
    ///             settings: Settings::default(),
    ///             decoding: Decoding::Unbiased,
    ///         },
    ///         label_epsilon: 1.0,
    ///         edges: EdgeProtection::recommended(1.0, 300),
    ///     },
    ///     embedding: Embedding::default(),
    ///     labels: None,
    ///     learner: Learner { epochs: 10, ..Learner::default() },
    /// };
    /// let people = People::new(&dataset, Private::FEATURES)?;
    /// let split = Split::random(0..300, SplitShares::HALF_QUARTER_QUARTER, 1)?;
    /// let stop = AtomicBool::new(false);
    /// let run = Run { noise: Noise::OperatingSystem, books: Books::Memory, seed: 1, interrupt: &stop };
    /// let result = system.classify(&people, &split, &run)?;
    /// assert_eq!(result.get().predicted.len(), 300);
    /// assert_eq!(result.card().guarantees[0].loss.epsilon.get(), 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there are no labels, a mechanism refuses its settings, or training fails.
    pub fn classify(&self, people: &People, split: &Split, run: &Run<'_>) -> Result<Classified> {
        let collected = self.protection.collect(people, run.noise, &run.books)?;
        collected.try_map(|reports| self.learn(&reports, &people.name, split, run))
    }

    /// The collector's side: from reports to a classifier.
    fn learn(
        &self,
        reports: &Reports,
        name: &str,
        split: &Split,
        run: &Run<'_>,
    ) -> Result<Classifier> {
        let Some(labels) = &reports.labels else {
            return Err(Error::Missing {
                dataset: name.to_owned(),
                what: "labels",
                remedy: "they are what a classifier learns; give them with --labels FILE",
            });
        };
        let (ties, keep) = (&reports.ties, reports.label_keep);
        let mut embedding = self.embedding.run(ties, &reports.features, run.seed)?;
        if let Some(spread) = &self.labels {
            let mut around = [spread.run(ties, labels, keep, &split.train, run.seed)?];
            embed::as_loud_as(&mut around, embedding.columns());
            let [around] = around;
            embedding = embed::side_by_side(&[embedding, around]);
        }
        let rows = (&embedding).into();
        let model = self.learner.classify(rows, labels, keep, split, run.seed, run.interrupt)?;
        let predicted = learn::predicted(&model, rows);
        Ok(Classifier { embedding, model, predicted })
    }

    /// Collects, embeds and learns to predict links; `people` must know the training edges only.
    ///
    /// # Errors
    /// If edges are private (they are what is to be predicted), a mechanism refuses its settings, or
    /// training fails.
    pub fn link(&self, people: &People, links: &LinkSplit, run: &Run<'_>) -> Result<Linked> {
        if people.graph.is_private() {
            let expected = "public: a link predictor learns from known links";
            return Err(Error::invalid("edges", "private", expected));
        }
        let collected = self.protection.collect(people, run.noise, &run.books)?;
        collected.try_map(|reports| {
            let embedding = self.embedding.run(&links.graph, &reports.features, run.seed)?;
            let scorer = self.learner.link(&embedding, links, run.seed, run.interrupt)?;
            Ok(Linker { embedding, scorer })
        })
    }
}
