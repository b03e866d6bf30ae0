//! DPRR: graphs are classified though every user's list of neighbours stays their own.
//!
//! Paper: Hidano and Murakami, "Degree-Preserving Randomized Response for Graph Neural Networks under
//! Local Differential Privacy". There are many labelled graphs (threads, servers); every user of every
//! graph sends a randomised neighbour list, and a collector learns to tell graphs apart.
//!
//! # Follow the data
//! ```text
//! Crowd (Secret lists)  --Reporting::collect-->  Protected<UserReports> (noisy graphs, a card)  [`crowd`], [`collect`]
//! UserReports              --Defence::judge------->  flagged users are not listened to      [`defence`]
//! UserReports              --Reading::read-------->  what the reports say, as evidence      [`believe`], [`degree`]
//! what was read         --GraphLearner::learn-->  boosted trees, a GIN                   [`learn`]
//! ```
//! [`Dprr`] is all together. [`setting`] says who is protected how strongly, [`poison`] is what users of
//! bad will can do.
//!
//! # Differs from the paper
//! * The budget split stays within epsilon; the printed one is
//!   [`Division::Paper`], charged with its true total.
//! * The noisy degree is clipped before it is divided by (the printed formula has a pole).
//! * Row i of a noisy graph is the report of user i, and an edge between two private users is protected by
//!   the sum of their epsilons: both figures are on the card. In the customised setting an edge with a
//!   user who publishes is not protected at all, and the card says so.
//! * What lists contribute is measured against people whose private lists are empty
//!   ([`Crowd::without_private_lists`]): the number of users, which is public, tells much by itself.
//! * Reports are read as evidence about whole graphs by default ([`Reading::Summary`]), and epsilon is spent on degrees
//!   until single pairs could be believed; the paper's reading is there too.
//!   Users send the noisy degree along, which costs nothing more.
//! * A defence against the random attack, which the paper leaves open; attackers who know the defence, and one
//!   against them.

pub mod believe;
pub mod claim;
pub mod collect;
pub mod crowd;
pub mod defence;
pub mod degree;
pub mod learn;
pub mod poison;
pub mod setting;

pub use believe::Reading;
pub use claim::Claim;
pub use collect::{Division, DprrMethod, Reporting, SplitRule, UserReports};
pub use crowd::Crowd;
pub use defence::Defence;
use learn::Lesson;
pub use learn::{GraphLearner, GraphScorer};
pub use poison::{Attack, AttackTargets, Poisoning};
pub use setting::{Setting, UserEpsilons};

use crate::graph::{DenseMatrix, Split};
use crate::learn::models::likeliest;
use crate::{Protected, Result, Run};

/// The whole system: how users protect themselves, and what the collector does with their reports.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Dprr {
    /// The users' side.
    pub protection: Reporting,
    /// How the collector interprets reports.
    pub reading: Reading,
    /// The collector's side.
    pub learner: GraphLearner,
}

/// A classifier of graphs.
#[derive(Debug, Clone)]
pub struct GraphClassifier {
    /// The classifier.
    pub model: GraphScorer,
    /// Its scores for every graph, one column per class.
    pub scores: DenseMatrix,
    /// The class it predicts for every graph.
    pub predicted: Vec<u32>,
}

impl Dprr {
    /// Collects, trains and classifies.
    ///
    /// ```
    /// use privet::dprr::{
    ///     Crowd, Dprr, GraphLearner, DprrMethod, Reporting, Reading, Setting, SplitRule,
    /// };
    /// use privet::Run;
    /// use privet::data::synthetic::BarabasiAlbert;
    /// use privet::graph::{GraphSet, Labels, Split, SplitShares};
    ///
    /// // Sparse and dense threads.
    /// let thread = |at: u64| {
    ///     let model = BarabasiAlbert { nodes: 30, edges_per_node: if at % 2 == 0 { 1 } else { 4 } };
    ///     model.generate(at).map(|made| made.graph().clone())
    /// };
    /// let graphs = (0..40).map(thread).collect::<Result<_, _>>()?;
    /// let labels = Labels::from_integers(&(0..40).map(|at| Some(at % 2)).collect::<Vec<_>>())?;
    /// let set = GraphSet::new("threads", graphs).with_labels(labels)?;
    /// let system = Dprr {
    ///     protection: Reporting {
    ///         method: DprrMethod::Dprr,
    ///         setting: Setting::Customised { epsilon: 2.0, public_share: 0.5 },
    ///         split: SplitRule::default(),
    ///     },
    ///     reading: Reading::Believed,
    ///     learner: GraphLearner { epochs: 5, ..GraphLearner::default() },
    /// };
    /// let shares = SplitShares { train: 0.6, validation: 0.2, test: 0.2 };
    /// let split = Split::random(0..40, shares, 1)?;
    /// let run = Run::simulation(1);
    /// let result = system.classify(&Crowd::new(&set)?, &split, &run)?;
    /// assert_eq!(result.get().predicted.len(), 40);
    /// // 2 for a list. An edge with a user who publishes is not protected, which is said first; 4 for one between two
    /// // private users.
    /// let guarantee = &result.card().guarantees[0];
    /// let edges: Vec<f64> = guarantee.also.iter().map(|line| line.loss.epsilon.get()).collect();
    /// assert_eq!((guarantee.loss.epsilon.get(), edges), (2.0, vec![f64::INFINITY, 4.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a mechanism refuses its settings, a ledger cannot be written, or training fails.
    pub fn classify(
        &self,
        crowd: &Crowd,
        split: &Split,
        run: &Run<'_>,
    ) -> Result<Protected<GraphClassifier>> {
        let chosen = self.protection.setting.choose(&crowd.sizes, run.seed)?;
        let collected = self.protection.collect(crowd, &chosen, run.noise, &run.ledgers)?;
        self.learn(collected, crowd, split, run)
    }

    /// The collector's side alone: trains and classifies what was collected.
    ///
    /// # Errors
    /// If training fails.
    pub fn learn(
        &self,
        collected: Protected<UserReports>,
        crowd: &Crowd,
        split: &Split,
        run: &Run<'_>,
    ) -> Result<Protected<GraphClassifier>> {
        collected.try_map(|reported| {
            let Crowd { direction, labels, .. } = crowd;
            let (reading, direction) = (self.reading, *direction);
            let lesson =
                Lesson { reading, direction, labels, split, seed: run.seed, watch: run.watch };
            let (model, scores) = self.learner.learn(reported, lesson)?;
            let predicted = likeliest(&scores);
            Ok(GraphClassifier { model, scores, predicted })
        })
    }
}
