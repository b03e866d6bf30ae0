//! LDP-GE: locally private features, spread over a graph by personalised PageRank.
//!
//! Paper: Li, Li, Liao, Jin, Wang, "Locally Differentially Private Graph Embedding". Each person sends a
//! randomised report of a high-dimensional feature row; a collector who knows the graph spreads the
//! reports over it and learns to classify nodes or to predict links.
//!
//! # Follow the data
//! ```text
//! People (Secret fields)  --Protection::collect-->  Protected<Reports> (and a card)     [`people`], [`collect`], [`edges`]
//! Reports                 --Embedding::run------->  one row of numbers per node          [`embed`], [`label_spread`]
//! embedding, labels       --Ways::choose--------->  classes     (or Learner::link: links) [`way`], [`learn`]
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
pub mod budget;
pub mod collect;
pub mod confidence;
mod degrees;
pub mod edges;
pub mod embed;
pub(crate) mod joint;
pub mod known_links;
pub mod label_spread;
pub mod learn;
pub mod pair_evidence;
pub mod people;
pub mod preset;
pub mod protocol;
pub mod theory;
pub mod tuned;
pub mod way;

pub use answers::{Answers, MixedPeople};
pub use budget::Shares;
pub use collect::{Protection, Reports};
pub use edges::{ListProtection, ListRandomizer, Ties};
pub use embed::{Embedding, Scaling, Spreading};
pub use known_links::KnownLinks;
pub use label_spread::LabelSpread;
pub use learn::Learner;
pub use pair_evidence::{PairEvidence, PairModel, all_pairs};
pub use people::{Field, People, Private};
pub use preset::{Preset, Task};
pub use protocol::Protocol;
pub use tuned::BestSettings;
pub use way::{ClassifierCandidates, ClassifierKind, TrainingInputs};

pub use crate::protect::FeatureProtection;

use crate::graph::{DenseMatrix, LinkSplit, Split};
use crate::learn::models::{LinkScorer, Mlp, Network, NodePair};
use crate::privacy::features::FeatureSettings;
use crate::system::Facts;
use crate::{Error, Protected, Result, Run};

/// The whole system: how people protect themselves, and what the collector does with their reports.
#[derive(Debug, Clone, serde::Serialize)]
pub struct LdpGe {
    /// The users' side.
    pub protection: Protection,
    /// From reports to embeddings.
    pub embedding: Embedding,
    /// How the labels of training users are spread, in ways that read them; the paper's does not.
    pub labels: LabelSpread,
    /// Which ways to find each user's class are tried; the best on validation labels is taken.
    pub ways: Vec<ClassifierKind>,
    /// From embeddings to predictions.
    pub learner: Learner,
}

/// A classifier of nodes.
#[derive(Debug, Clone)]
pub struct NodeClassifier {
    /// One row per node.
    pub embedding: DenseMatrix,
    /// The classifier.
    pub model: Mlp,
    /// The class it predicts for every node.
    pub predicted: Vec<u32>,
    /// How it got there; not known of one that was read from a folder.
    pub way: Option<ClassifierKind>,
}

impl NodeClassifier {
    /// What the classifier says of every node, class by class: the higher, the likelier.
    pub fn scores(&self) -> DenseMatrix {
        let all: Vec<u32> = (0..self.embedding.rows() as u32).collect();
        self.model.scores((&self.embedding).into(), &all)
    }
}

/// A predictor of links.
#[derive(Debug, Clone)]
pub struct Linker {
    /// One row per node.
    pub embedding: DenseMatrix,
    /// The scorer of embeddings.
    pub scorer: LinkScorer,
    /// What it is weighed against; `None` for the paper's scorer alone.
    pub known: Option<KnownLinks>,
}

impl Linker {
    /// A score for each pair of people who sent reports: the higher, the likelier a link.
    ///
    /// # Errors
    /// If a pair names a user who is not there.
    pub fn scores(&self, pairs: &[NodePair]) -> Result<Vec<f32>> {
        let people = self.embedding.rows();
        let stranger = |&(one, other): &NodePair| one.max(other) as usize >= people;
        match pairs.iter().any(stranger) {
            true => Err(Error::invalid(
                "pairs",
                "a node outside the graph",
                format!("people from 0 to {}", people.saturating_sub(1)),
            )),
            false => {
                let scores = self.scorer.scores((&self.embedding).into(), pairs);
                match &self.known {
                    Some(known) => known.weigh(pairs, &scores),
                    None => Ok(scores),
                }
            }
        }
    }
}

/// A predictor of links, and what it was promised under.
pub type LinkRelease = Protected<Linker>;

impl LdpGe {
    /// The paper's mechanism and settings at `epsilon` for each kind of report of so many people.
    pub fn new(epsilon: f64, people: usize) -> Self {
        let preset = Preset::nodes("");
        let settings = FeatureSettings { k: Some(preset.k), ..FeatureSettings::default() };
        let decoding = preset.decoding;
        let features = FeatureProtection { settings, decoding, ..FeatureProtection::hds(epsilon) };
        let edges = ListProtection::recommended(epsilon, people);
        Self {
            protection: Protection { features, label_epsilon: epsilon, edges },
            embedding: preset.embedding,
            labels: LabelSpread::default(),
            ways: preset.ways,
            learner: preset.learner,
        }
    }

    /// Settings for data without tuned settings, from what is public about it: how many people and columns there are,
    /// and what else is public. All ways are tried.
    pub fn fitting(epsilon: f64, facts: &Facts) -> Self {
        let (people, preset) = (facts.total(), Preset::fitting(facts.total(), facts.columns));
        let usual = Self::new(epsilon, people);
        let features = FeatureProtection {
            settings: FeatureSettings::default(),
            decoding: preset.decoding,
            ..usual.protection.features
        };
        Self {
            protection: Protection { features, ..usual.protection },
            embedding: preset.embedding,
            labels: LabelSpread::default(),
            ways: preset.ways,
            learner: preset.learner,
        }
    }

    /// Whether its settings make sense.
    ///
    /// # Errors
    /// If one does not.
    pub fn check(&self) -> Result<()> {
        let Embedding { alpha, exponent, method, rmax, .. } = self.embedding;
        Error::unless(alpha > 0.0 && alpha <= 1.0, "alpha", alpha, "a share above 0, up to 1")?;
        Error::unless((0.0..=1.0).contains(&exponent), "r", exponent, "a number from 0 to 1")?;
        let fits = rmax.is_none() || method == Spreading::Push;
        Error::unless(fits, "rmax", rmax.unwrap_or(0.0), "none: it is for push")?;
        Error::unless(!self.learner.hidden.contains(&0), "hidden", 0, "widths above 0")?;
        self.labels.check()
    }

    /// Collects, embeds and learns to classify. Trains and validates on the labels as collected.
    ///
    /// ```
    /// use privet::data::synthetic::StochasticBlocks;
    /// use privet::graph::{Split, SplitShares};
    /// use privet::ldp_ge::{LdpGe, People, Private};
    /// use privet::{Run, Save};
    ///
    /// let blocks = StochasticBlocks { nodes: 300, classes: 3, features: 20, ..Default::default() };
    /// let people = People::new(&blocks.generate(1)?, Private::FEATURES)?;
    /// let split = Split::random(0..300, SplitShares::HALF_QUARTER_QUARTER, 1)?;
    /// let mut system = LdpGe::new(1.0, 300);
    /// system.learner.epochs = 10;
    /// let result = system.classify(&people, &split, &Run::simulation(1))?;
    /// assert_eq!(result.get().predicted.len(), 300);
    /// assert_eq!(result.card().guarantees[0].loss.epsilon.get(), 1.0);
    /// # let folder = std::env::temp_dir().join(format!("privet-doc-{}", std::process::id()));
    /// result.save(&folder)?;
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there are no labels, a mechanism refuses its settings, or training fails.
    pub fn classify(
        &self,
        people: &People,
        split: &Split,
        run: &Run<'_>,
    ) -> Result<Protected<NodeClassifier>> {
        self.check()?;
        let of_public_features = [ClassifierKind::OwnFeatures, ClassifierKind::Joint];
        let way = self.ways.iter().find(|way| of_public_features.contains(way));
        if people.features.is_private()
            && let Some(way) = way
        {
            return Err(Error::invalid("ways", way.name(), "others: features are private"));
        }
        // Who has several classes is classified by features, whatever was asked for.
        let several = matches!(&people.labels, Some(Field::Public(labels)) if labels.is_multi());
        let collected = match several || self.reads_features() {
            true => self.protection.collect(people, run)?,
            false => self.protection.collect_without_features(people, run)?,
        };
        collected.try_map(|reports| self.learn(&reports, people, split, run))
    }

    /// The collector's side: from reports to a classifier.
    fn learn(
        &self,
        reports: &Reports,
        people: &People,
        split: &Split,
        run: &Run<'_>,
    ) -> Result<NodeClassifier> {
        let Some(labels) = &reports.labels else {
            return Err(Error::Missing {
                dataset: people.name.clone(),
                what: "labels",
                remedy: "they are what a classifier learns",
            });
        };
        let features = (!people.features.is_private()).then_some(&reports.features);
        let (ties, keep) = (&reports.ties, reports.label_keep);
        let ground = TrainingInputs { ties, features, labels, keep, split };
        let embed = || {
            let (rows, spill) = (&reports.features, run.spill.as_ref());
            self.embedding.run_within(&reports.ties, rows, run.seed, spill)
        };
        self.ways().choose(ground, embed, run)
    }

    /// Whether any way reads features; else they are not asked for.
    pub fn reads_features(&self) -> bool {
        self.ways.iter().any(|way| way.reads_features())
    }

    /// The ways to try, with the settings of each.
    pub fn ways(&self) -> ClassifierCandidates<'_> {
        ClassifierCandidates { list: &self.ways, labels: &self.labels, learner: &self.learner }
    }

    /// Collects, embeds and learns to predict links; `people` must know the training edges only.
    ///
    /// # Errors
    /// If edges are private (they are what is to be predicted), a mechanism refuses its settings, or
    /// training fails.
    pub fn link(&self, people: &People, links: &LinkSplit, run: &Run<'_>) -> Result<LinkRelease> {
        if people.graph.is_private() {
            let expected = "public: a link predictor learns from known links";
            return Err(Error::invalid("edges", "private", expected));
        }
        self.check()?;
        let collected = self.protection.collect(people, run)?;
        collected.try_map(|reports| {
            let (spill, rows) = (run.spill.as_ref(), &reports.features);
            let embedding = self.embedding.run_within(&links.graph, rows, run.seed, spill)?;
            let scorer = self.learner.link(&embedding, links, run.seed, run.watch)?;
            let mut linker = Linker { embedding, scorer, known: None };
            if self.ways != [ClassifierKind::Features] {
                linker.known = KnownLinks::learn(&linker, links, run.watch)?;
            }
            Ok(linker)
        })
    }
}
