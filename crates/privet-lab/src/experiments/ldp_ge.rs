//! LDP-GE measured: one private figure is worth nothing without what stands beside it.
//!
//! | variant | reports | graph | what it shows |
//! |---|---|---|---|
//! | [`Variant::Private`] | real features, randomised | yes | what the system achieves |
//! | [`Variant::Control`] | everybody holds the same row, randomised alike | yes | what the graph alone achieves |
//! | [`Variant::Ceiling`] | real features in the clear | yes | what privacy costs |
//! | [`Variant::GraphFree`] | real features, randomised | no | what the reports alone achieve |
//!
//! Where some people volunteer their features ([`Experiment::volunteers`]), reports are answers of a model of
//! theirs; the other rows of the table stay as they are.
//!
//! Private minus control, seed by seed, is what people's features added: [`compare`] runs all of them,
//! [`report`] writes it up.

pub mod compare;
pub mod report;
mod settings;

pub use compare::{Comparison, VariantScores};

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use privet::graph::{Dataset, LinkSplit, Split, SplitShares};
use privet::ldp_ge::{Answers, Classified, LdpGe, Linker, Method, MixedPeople, People, Private};
use privet::learn::metrics::{accuracy, roc_auc};
use privet::privacy::Card;
use privet::{Books, Noise, Run};
use privet::{Error, Result};
use serde::{Deserialize, Serialize};

/// What is to be predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// The classes of nodes: accuracy over a 50/25/25 split.
    Nodes,
    /// Links: area under the ROC curve over an 85/5/10 split with as many non-links.
    Links,
}

/// What reports are made of, and whether the graph is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// Real features, randomised.
    Private,
    /// The same row for everybody, randomised alike: nothing private enters.
    Control,
    /// Real features, labels and edges in the clear.
    Ceiling,
    /// Real features, randomised, and no graph.
    GraphFree,
}

impl Variant {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Private, Self::Control, Self::Ceiling, Self::GraphFree];

    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Control => "control",
            Self::Ceiling => "ceiling",
            Self::GraphFree => "graph-free",
        }
    }

    /// What it shows, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Private => "randomised features and the graph",
            Self::Control => "noise alone and the graph: nobody's features",
            Self::Ceiling => "everything in the clear: what privacy costs",
            Self::GraphFree => "randomised features, not spread over the graph",
        }
    }
}

impl Task {
    /// What its scores measure.
    pub fn metric(self) -> &'static str {
        match self {
            Self::Nodes => "test accuracy",
            Self::Links => "test AUC",
        }
    }
}

/// What one run scored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// On validation data: for choosing settings.
    pub validation: f64,
    /// On test data: for reporting.
    pub test: f64,
    /// Wall-clock seconds of the run, from reports to predictions.
    pub seconds: f64,
}

/// One experiment.
#[derive(Debug, Clone)]
pub struct Experiment<'a> {
    /// The data in the clear: the experimenter's view, for evaluation.
    pub dataset: &'a Dataset,
    /// What is to be predicted.
    pub task: Task,
    /// The system.
    pub system: &'a LdpGe,
    /// Which parts are secret.
    pub private: Private,
    /// The share of people who publish their features, where everybody else sends the answer of a model
    /// of theirs ([`Answers`]) in place of features.
    pub volunteers: Option<f64>,
}

impl Experiment<'_> {
    /// Runs once. The seed decides the split, the noise (a simulation) and the learner.
    ///
    /// # Errors
    /// Those of the system.
    pub fn run(
        &self,
        variant: Variant,
        seed: u64,
        interrupt: &AtomicBool,
    ) -> Result<(Score, Card)> {
        let run = Run { noise: Noise::Replay(seed), books: Books::Memory, seed, interrupt };
        self.run_as(variant, &run)
    }

    /// Runs once with noise and ledgers of the caller's choice.
    ///
    /// # Errors
    /// Those of the system.
    pub fn run_as(&self, variant: Variant, run: &Run<'_>) -> Result<(Score, Card)> {
        let mut system = self.system.clone();
        if variant == Variant::GraphFree {
            system.embedding.method = Method::None;
            system.labels = None;
        }
        let private = match variant {
            Variant::Ceiling => Private { features: false, labels: false, edges: false },
            _ => self.private,
        };
        match self.task {
            Task::Nodes => self.nodes(&system, variant, private, run),
            Task::Links => self.links(&system, variant, private, run),
        }
    }

    fn nodes(
        &self,
        system: &LdpGe,
        variant: Variant,
        private: Private,
        run: &Run<'_>,
    ) -> Result<(Score, Card)> {
        let truth = self.dataset.labels().ok_or_else(|| Error::Missing {
            dataset: self.dataset.name().to_owned(),
            what: "labels",
            remedy: "they are what is to be predicted",
        })?;
        let split = node_split(self.dataset, run.seed)?;
        let begun = Instant::now();
        let classified = self.classify(variant, system, private, run)?;
        let seconds = begun.elapsed().as_secs_f64();
        let share = |items: &[u32]| {
            let predicted: Vec<u32> =
                items.iter().map(|&i| classified.get().predicted[i as usize]).collect();
            let truth: Vec<u32> =
                items.iter().map(|&i| truth.class(i).unwrap_or(u32::MAX)).collect();
            accuracy(&predicted, &truth).unwrap_or(0.0)
        };
        let score =
            Score { validation: share(&split.validation), test: share(&split.test), seconds };
        Ok((score, classified.into_parts().1))
    }

    /// A variant's classifier, on the split of the run's seed.
    ///
    /// # Errors
    /// Those of the system.
    pub fn classify(
        &self,
        variant: Variant,
        system: &LdpGe,
        private: Private,
        run: &Run<'_>,
    ) -> Result<Classified> {
        let split = node_split(self.dataset, run.seed)?;
        let Some(share) = self.volunteers.filter(|_| variant != Variant::Ceiling) else {
            return system.classify(&people(self.dataset, variant, private)?, &split, run);
        };
        let people = match variant {
            Variant::Control => MixedPeople::with_constant_features(self.dataset, share, run.seed)?,
            _ => MixedPeople::new(self.dataset, share, run.seed)?,
        };
        let mut answers = answers(system);
        if variant == Variant::GraphFree {
            (answers.radii, answers.structure) = (Vec::new(), 0);
        }
        answers.classify(&people, &split, run)
    }

    fn links(
        &self,
        system: &LdpGe,
        variant: Variant,
        private: Private,
        run: &Run<'_>,
    ) -> Result<(Score, Card)> {
        let links = link_split(self.dataset, run.seed)?;
        let known = self.dataset.clone().with_graph(links.graph.clone())?;
        let people = people(&known, variant, Private { edges: false, ..private })?;
        let begun = Instant::now();
        let linked = system.link(&people, &links, run)?;
        let seconds = begun.elapsed().as_secs_f64();
        let area = |pairs: &privet::graph::LinkPairs| {
            let Linker { embedding, scorer } = linked.get();
            let mut scores = scorer.scores(embedding.into(), &pairs.edges);
            scores.extend(scorer.scores(embedding.into(), &pairs.non_edges));
            let linked: Vec<bool> = (0..scores.len()).map(|at| at < pairs.edges.len()).collect();
            roc_auc(&scores, &linked).unwrap_or(0.5)
        };
        let score = Score { validation: area(&links.validation), test: area(&links.test), seconds };
        Ok((score, linked.into_parts().1))
    }
}

/// The labelled nodes, 50/25/25.
///
/// # Errors
/// Never in practice: the shares are fixed.
pub fn node_split(dataset: &Dataset, seed: u64) -> Result<Split> {
    let labelled = |node: &u32| dataset.labels().is_some_and(|l| l.class(*node).is_some());
    let nodes = dataset.graph().nodes().filter(labelled);
    Ok(Split::random(nodes, SplitShares::HALF_QUARTER_QUARTER, seed)?)
}

/// The links, 85/5/10, with as many non-links.
///
/// # Errors
/// If there are too few links to split.
pub fn link_split(dataset: &Dataset, seed: u64) -> Result<LinkSplit> {
    Ok(LinkSplit::random(dataset.graph(), 0.05, 0.10, seed)?)
}

/// Answers of a public model at a system's epsilon, with its learner.
pub fn answers(system: &LdpGe) -> Answers {
    let epsilon = system.protection.features.epsilon;
    Answers { epsilon, learner: system.learner.clone(), ..Answers::default() }
}

fn people(dataset: &Dataset, variant: Variant, private: Private) -> Result<People> {
    match variant {
        Variant::Control => People::with_constant_features(dataset, private),
        _ => People::new(dataset, private),
    }
}
