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
mod words;

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use privet::data::formats::Spill;
use privet::graph::Split;
use privet::labels::one_each;
use privet::ldp_ge::{
    Answers, ClassifierKind, LdpGe, LinkRelease, MixedPeople, NodeClassifier, People, Private,
    Spreading, Task,
};
use privet::privacy::Card;
use privet::release::{LdpGeRelease, link_split};
use privet::{Protected, Result, Run};
use serde::Serialize;

use super::baselines::links::scored;
use super::baselines::{CEILING, PUBLIC_ALONE, PUBLIC_LINKS};
use super::cells::Key;
use super::trial::{
    Classified, Comparison, NamedData, Outcome, SECONDS, Subject, Trial, TrialScores, TrialText,
    Variant,
};

pub use settings::settings;

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
    /// The same to be released once.
    pub fn release(&self) -> LdpGeRelease {
        let Self { task, private, volunteers, .. } = *self;
        LdpGeRelease { task, system: self.system.clone(), private, volunteers }
    }

    /// Whether people send anything about their features.
    pub fn asks_for_features(&self) -> bool {
        self.release().asks_for_features(self.data.dataset)
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
        LdpGeRelease::split(self.data.input(), seed)
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
        let found = classified.get();
        let reads_features = found.way.is_some_and(ClassifierKind::reads_features);
        let (predicted, scores) = (&found.predicted[..], &found.scores());
        let scores = Classified { predicted, scores: Some(scores), labels: truth }
            .on(&split)
            .and([(SECONDS, seconds), (READ_FEATURES, f64::from(u8::from(reads_features)))]);
        Ok((scores, classified.into_parts().1))
    }

    /// A variant's classifier, on the split of the run's seed.
    fn classify(
        &self,
        variant: Variant,
        system: &LdpGe,
        private: Private,
        run: &Run<'_>,
    ) -> Result<Protected<NodeClassifier>> {
        let (dataset, split) = (self.data.dataset, self.split(run.seed)?);
        let volunteers = self.volunteers.filter(|_| variant != Variant::Clear);
        let release = LdpGeRelease { task: self.task, system: system.clone(), private, volunteers };
        match (variant, volunteers) {
            (Variant::Control, None) => {
                system.classify(&People::with_constant_features(dataset, private)?, &split, run)
            }
            (Variant::Control, Some(share)) => {
                let people = MixedPeople::with_constant_features(dataset, share, run.seed)?;
                release.answers().classify(&people, &split, run)
            }
            (Variant::GraphFree, Some(share)) => {
                let people = MixedPeople::new(dataset, share, run.seed)?;
                let answers = Answers { radii: Vec::new(), structure: 0, ..release.answers() };
                answers.classify(&people, &split, run)
            }
            _ => release.classify_by(dataset, &split, run),
        }
    }

    /// A variant's predictor of links, on the split of the run's seed.
    fn link(
        &self,
        variant: Variant,
        system: &LdpGe,
        private: Private,
        run: &Run<'_>,
    ) -> Result<LinkRelease> {
        let dataset = self.data.dataset;
        if variant == Variant::Control {
            let links = link_split(dataset, run.seed)?;
            let known = dataset.clone().with_graph(links.graph.clone())?;
            let private = Private { edges: false, ..private };
            return system.link(&People::with_constant_features(&known, private)?, &links, run);
        }
        let (task, system) = (self.task, system.clone());
        LdpGeRelease { task, system, private, volunteers: None }.link(dataset, run)
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

#[cfg(test)]
mod tests;
