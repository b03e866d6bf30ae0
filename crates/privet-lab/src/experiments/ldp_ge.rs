//! LDP-GE measured: one private figure is worth nothing without what stands beside it.
//!
//! | variant | reports | graph | what it shows |
//! |---|---|---|---|
//! | [`Variant::Private`] | real features, randomised | yes | what the system achieves |
//! | [`Variant::Control`] | every user holds the same row, randomised alike | yes | what the graph alone achieves |
//! | [`Variant::Clear`] | real features in the clear | yes | the papers' ceiling: the same settings without noise |
//! | [`Variant::Ceiling`] | all in the clear | yes | what privacy costs: the best of several learners |
//! | [`Variant::NoPrivateData`] | none | if public | what needs no private data: label propagation, majority |
//! | [`Variant::GraphFree`] | real features, randomised | no | what the reports alone achieve |
//!
//! Where some people volunteer their features ([`LdpGeTrial::volunteers`]), reports are answers of a model of
//! theirs; the other rows of the table stay as they are.
//!
//! Private minus control, seed by seed, is what people's features added.

mod beside;
pub mod reports;
mod settings;
mod wishes;
mod words;

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use privet::data::formats::Spill;
use privet::graph::{Dataset, LinkSplit, Split, SplitShares};
use privet::labels::one_each;
use privet::ldp_ge::{
    Answers, ClassifierKind, LdpGe, LinkRelease, MixedPeople, NodeClassifier, People, Private,
    Spreading,
};
use privet::privacy::Card;
use privet::{Protected, Result, Run};
use serde::{Deserialize, Serialize};

use super::baselines::links::scored;
use super::baselines::{CEILING, PUBLIC_ALONE, PUBLIC_LINKS};
use super::cells::Key;
use super::trial::data::{accuracy_on, labelled_split};
use super::trial::{
    Comparison, NamedData, Outcome, SECONDS, Subject, TEST, Trial, TrialScores, TrialText,
    VALIDATION, Variant,
};

pub use settings::settings;
pub use wishes::{LdpGeWishes, Size};

/// What is to be predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Task {
    /// The classes of nodes: accuracy over a 50/25/25 split.
    Nodes,
    /// Links: area under the ROC curve over an 85/5/10 split with as many non-links.
    Links,
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

/// 1 where features had a part in the classifier that validation labels chose, else 0.
pub const READ_FEATURES: &str = "read_features";

/// LDP-GE on a graph.
#[derive(Debug, Clone)]
pub struct LdpGeTrial<'a> {
    /// The data in the clear: the experimenter's view, for evaluation.
    pub data: NamedData<'a>,
    /// What is to be predicted.
    pub task: Task,
    /// The system.
    pub system: LdpGe,
    /// Which parts are secret.
    pub private: Private,
    /// The share of people who publish their features, where every other user sends the answer of a model
    /// of theirs ([`Answers`]) in place of features.
    pub volunteers: Option<f64>,
    /// The most memory a run may use; scores do not follow from it.
    pub spill: Option<Spill>,
}

/// What scores follow from.
#[derive(Serialize)]
struct LdpGeKey<'a> {
    task: Task,
    private: String,
    volunteers: Option<f64>,
    protection: String,
    embedding: &'a privet::ldp_ge::Embedding,
    labels: &'a privet::ldp_ge::LabelSpread,
    ways: &'a [ClassifierKind],
    learner: &'a privet::ldp_ge::Learner,
}

impl Subject for LdpGeTrial<'_> {
    fn key(&self, variant: Variant) -> Key {
        let LdpGe { protection, embedding, labels, ways, learner } = &self.system;
        if variant == Variant::NoPrivateData {
            let key = Key::of(&self.data.key()).with("task", self.task.metric());
            let private = format!("{:?}", self.private);
            return key
                .with("private", private)
                .with("volunteers", format!("{:?}", self.volunteers));
        }
        let (protection, private) = match variant {
            // Nothing is randomised, so no mechanism has a part in it.
            Variant::Clear | Variant::Ceiling => (String::new(), String::new()),
            _ => (format!("{protection:?}"), format!("{:?}", self.private)),
        };
        let (task, volunteers) = (self.task, self.volunteers);
        let settings =
            LdpGeKey { task, private, volunteers, protection, embedding, labels, ways, learner };
        Key::of(&self.data.key()).and(Key::of(&settings))
    }

    fn run(&self, variant: Variant, seed: u64, interrupt: &AtomicBool) -> Result<Outcome> {
        let run = Run::simulation(seed).within(self.spill.clone()).watched_by(interrupt);
        if matches!(variant, Variant::Ceiling | Variant::NoPrivateData) {
            return Ok(Outcome { scores: beside::scores(self, variant, &run)?, card: None });
        }
        let (scores, card) = self.run_as(variant, &run)?;
        Ok(Outcome { scores, card: (variant == Variant::Private).then_some(card) })
    }

    fn bytes(&self, variant: Variant) -> u64 {
        if let Some(spill) = &self.spill {
            return spill.memory;
        }
        let dataset = self.data.dataset;
        let rows = dataset.graph().node_count() as u64;
        let columns = dataset.features().map_or(0, |features| features.columns()) as u64;
        let width = match self.system.embedding.sketch {
            0 => columns,
            sketch => columns.min(sketch as u64),
        };
        let k = self.system.protection.features.settings.k;
        let sent = match variant {
            Variant::Clear | Variant::Ceiling | Variant::NoPrivateData => 0,
            _ => k.map_or(columns, |k| columns.min(k as u64)),
        };
        // A report's number and its decoded float; then the rounds of a propagation, three at a time,
        // and a copy for the learner.
        rows * (sent * (16 + 4) + width * 4 * 4)
    }
}

impl Trial for LdpGeTrial<'_> {
    fn experiment(&self) -> &'static str {
        "run ldp-ge"
    }

    fn variants(&self) -> Vec<Variant> {
        let (beside, features) =
            ([Variant::NoPrivateData, Variant::Ceiling], self.private.features);
        // What features add is asked where features cost budget.
        let control = self.asks_for_features().then_some(Variant::Control);
        let alone = features.then_some(Variant::GraphFree);
        [Variant::Private].into_iter().chain(control).chain(beside).chain(alone).collect()
    }

    fn about(&self, variant: Variant) -> String {
        match variant {
            Variant::Control => "noise alone and the graph: no user's features",
            Variant::Clear => "the same settings with everything in the clear",
            Variant::Ceiling => CEILING,
            Variant::NoPrivateData if self.task == Task::Links => PUBLIC_LINKS,
            Variant::NoPrivateData => PUBLIC_ALONE,
            Variant::GraphFree => "randomised features, not spread over the graph",
            _ if !self.private.features => "what is public, and reports of what is not",
            _ if !self.asks_for_features() => "labels and edges, public or reported; no features",
            _ => "randomised features and the graph",
        }
        .into()
    }

    fn words(&self, comparison: &Comparison) -> TrialText {
        words::words(self, comparison)
    }
}

impl LdpGeTrial<'_> {
    /// Whether people send anything about their features. Links are scored by them in any case, and so is who has several
    /// classes.
    pub fn asks_for_features(&self) -> bool {
        let several = self.data.dataset.labels().is_some_and(|labels| labels.is_multi());
        let needed = self.task == Task::Links || several || self.volunteers.is_some();
        self.private.features && (needed || self.system.reads_features())
    }

    /// Runs once with noise and ledgers of the caller's choice.
    fn run_as(&self, variant: Variant, run: &Run<'_>) -> Result<(TrialScores, Card)> {
        let mut system = self.system.clone();
        if variant == Variant::GraphFree {
            system.embedding.method = Spreading::None;
            system.ways = vec![ClassifierKind::Features];
        }
        let private = match variant {
            Variant::Clear => Private { features: false, labels: false, edges: false },
            _ => self.private,
        };
        match self.task {
            Task::Nodes => self.nodes(&system, variant, private, run),
            Task::Links => self.links(&system, variant, private, run),
        }
    }

    /// The labelled nodes of the stated split; 50/25/25 drawn by `seed` if there is none.
    ///
    /// # Errors
    /// If a stated split has no labelled nodes to learn from or to test on.
    pub fn split(&self, seed: u64) -> Result<Split> {
        match self.data.stated_split(self.data.dataset.labels())? {
            Some(split) => Ok(split.with_validation(seed)?),
            None => node_split(self.data.dataset, seed),
        }
    }

    fn nodes(
        &self,
        system: &LdpGe,
        variant: Variant,
        private: Private,
        run: &Run<'_>,
    ) -> Result<(TrialScores, Card)> {
        let (dataset, remedy) = (self.data.dataset, "they are what is to be predicted");
        let truth = one_each(dataset.labels(), dataset.name(), remedy)?;
        let split = self.split(run.seed)?;
        let begun = Instant::now();
        let classified = self.classify(variant, system, private, run)?;
        let seconds = begun.elapsed().as_secs_f64();
        let share = |items: &[u32]| accuracy_on(items, &classified.get().predicted, truth);
        let reads_features = classified.get().way.is_some_and(ClassifierKind::reads_features);
        let scores = TrialScores::new([
            (VALIDATION, share(&split.validation)),
            (TEST, share(&split.test)),
            (SECONDS, seconds),
            (READ_FEATURES, f64::from(u8::from(reads_features))),
        ]);
        Ok((scores, classified.into_parts().1))
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
    ) -> Result<Protected<NodeClassifier>> {
        let split = self.split(run.seed)?;
        let Some(share) = self.volunteers.filter(|_| variant != Variant::Clear) else {
            return system.classify(&people(self.data.dataset, variant, private)?, &split, run);
        };
        let people = match variant {
            Variant::Control => {
                MixedPeople::with_constant_features(self.data.dataset, share, run.seed)?
            }
            _ => MixedPeople::new(self.data.dataset, share, run.seed)?,
        };
        let mut answers = answers(system);
        if variant == Variant::GraphFree {
            (answers.radii, answers.structure) = (Vec::new(), 0);
        }
        answers.classify(&people, &split, run)
    }

    /// A variant's predictor of links, on the split of the run's seed.
    ///
    /// # Errors
    /// Those of the system.
    pub fn link(
        &self,
        variant: Variant,
        system: &LdpGe,
        private: Private,
        run: &Run<'_>,
    ) -> Result<LinkRelease> {
        let links = link_split(self.data.dataset, run.seed)?;
        let known = self.data.dataset.clone().with_graph(links.graph.clone())?;
        let people = people(&known, variant, Private { edges: false, ..private })?;
        system.link(&people, &links, run)
    }

    fn links(
        &self,
        system: &LdpGe,
        variant: Variant,
        private: Private,
        run: &Run<'_>,
    ) -> Result<(TrialScores, Card)> {
        let links = link_split(self.data.dataset, run.seed)?;
        let begun = Instant::now();
        let linked = self.link(variant, system, private, run)?;
        let seconds = begun.elapsed().as_secs_f64();
        let scores = scored(&links, &|pairs| linked.get().scores(pairs))?;
        let scores = scores.and([(SECONDS, seconds)]);
        Ok((scores, linked.into_parts().1))
    }
}

/// The labelled nodes, 50/25/25.
///
/// # Errors
/// Never in practice: the shares are fixed.
pub fn node_split(dataset: &Dataset, seed: u64) -> Result<Split> {
    let (nodes, labels) = (dataset.graph().nodes(), dataset.labels());
    labelled_split(nodes, labels, SplitShares::HALF_QUARTER_QUARTER, seed)
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
    let (learner, ways) = (system.learner.clone(), system.ways.clone());
    Answers { epsilon, learner, ways, ..Answers::default() }
}

fn people(dataset: &Dataset, variant: Variant, private: Private) -> Result<People> {
    match variant {
        Variant::Control => People::with_constant_features(dataset, private),
        _ => People::new(dataset, private),
    }
}

#[cfg(test)]
mod tests;
