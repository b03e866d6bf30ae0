//! LDP-GE, released once: an embedding, and a classifier of nodes or a predictor of links.

use std::path::Path;

use super::{MODEL, Releasable, SplitData, labelled_split, split_to_fit};
use crate::data::formats::write::{Overwrite, write_rows};
use crate::doubts::ReleaseAsks;
use crate::graph::{Dataset, Fact, Features, LinkSplit, Split, SplitShares};
use crate::ldp_ge::{
    Answers, LdpGe, LinkRelease, MixedPeople, NodeClassifier, People, Private, Protection, Task,
};
use crate::privacy::{Card, Loss};
use crate::protect::public_scale;
use crate::system::System;
use crate::{Facts, Protected, Result, Run};

/// LDP-GE with all of its settings, what is predicted, and which parts of the data are secret.
#[derive(Debug, Clone)]
pub struct LdpGeRelease {
    /// What is to be predicted.
    pub task: Task,
    /// The system.
    pub system: LdpGe,
    /// Which parts are secret.
    pub private: Private,
    /// The share of people who publish their features, where all others send the answer of a model of theirs
    /// ([`Answers`]) in place of features.
    pub volunteers: Option<f64>,
}

/// The links, 85/5/10, with as many non-links.
///
/// # Errors
/// If there are too few links to split.
pub fn link_split(dataset: &Dataset, seed: u64) -> Result<LinkSplit> {
    Ok(LinkSplit::random(dataset.graph(), 0.05, 0.10, seed)?)
}

/// The share of known links on which training decides when to stop, where none is held out for testing.
const A_FEW: f64 = 0.05;

impl LdpGeRelease {
    /// The card of a run, before any record is looked at.
    ///
    /// # Errors
    /// If a mechanism refuses its settings, or a fact is missing.
    pub fn promise(&self, facts: &Facts) -> Result<Card> {
        self.system.promise(&facts.clone().with_secret(self.private))
    }

    /// Whether people send anything about their features. Links are scored by them in any case, and so is a person with
    /// several classes.
    pub fn asks_for_features(&self, dataset: &Dataset) -> bool {
        let several = dataset.labels().is_some_and(|labels| labels.is_multi());
        let needed = self.task == Task::Links || several || self.volunteers.is_some();
        self.private.features && (needed || self.system.reads_features())
    }

    /// Answers of a public model at the system's epsilon, with its learner.
    pub fn answers(&self) -> Answers {
        let epsilon = self.system.protection.features.epsilon;
        let (learner, ways) = (self.system.learner.clone(), self.system.ways.clone());
        Answers { epsilon, learner, ways, ..Answers::default() }
    }

    /// The labelled nodes of the stated split; 50/25/25 drawn by `seed` if there is none.
    ///
    /// # Errors
    /// If a stated split has no labelled nodes to learn from or to test on.
    pub fn split(input: SplitData<'_>, seed: u64) -> Result<Split> {
        let (dataset, shares) = (input.data, SplitShares::HALF_QUARTER_QUARTER);
        match input.stated(dataset.labels())? {
            Some(split) => Ok(split.with_validation(seed)?),
            None => labelled_split(dataset.graph().nodes(), dataset.labels(), shares, seed),
        }
    }

    /// Collects from all people, and learns from some of those with a class.
    ///
    /// # Errors
    /// Those of the system.
    pub fn classify(
        &self,
        input: SplitData<'_>,
        run: &Run<'_>,
    ) -> Result<Protected<NodeClassifier>> {
        self.classify_by(input.data, &Self::split(input, run.seed)?, run)
    }

    /// Collects from all people, and learns from all those with a class, or from the training nodes where the data has a
    /// split.
    ///
    /// # Errors
    /// Those of the system.
    pub fn fit(&self, dataset: &Dataset, run: &Run<'_>) -> Result<Protected<NodeClassifier>> {
        let (nodes, labels) = (dataset.graph().nodes(), dataset.labels());
        let split = split_to_fit(nodes, labels, dataset.split(), run.seed)?;
        self.classify_by(dataset, &split, run)
    }

    /// The same with a split of the caller's.
    ///
    /// # Errors
    /// Those of the system.
    pub fn classify_by(
        &self,
        dataset: &Dataset,
        split: &Split,
        run: &Run<'_>,
    ) -> Result<Protected<NodeClassifier>> {
        match self.volunteers {
            None => self.system.classify(&People::new(dataset, self.private)?, split, run),
            Some(share) => {
                let people = MixedPeople::new(dataset, share, run.seed)?;
                self.answers().classify(&people, split, run)
            }
        }
    }

    /// Collects from all people, and learns from 90 % of the links; the others are held out for testing.
    ///
    /// # Errors
    /// Those of the system.
    pub fn link(&self, dataset: &Dataset, run: &Run<'_>) -> Result<LinkRelease> {
        self.link_by(dataset, &link_split(dataset, run.seed)?, run)
    }

    /// Collects from all people, and learns from all known links.
    ///
    /// # Errors
    /// Those of the system.
    pub fn fit_links(&self, dataset: &Dataset, run: &Run<'_>) -> Result<LinkRelease> {
        let links = LinkSplit::random(dataset.graph(), A_FEW, 0.0, run.seed)?;
        self.link_by(dataset, &links, run)
    }

    fn link_by(&self, dataset: &Dataset, links: &LinkSplit, run: &Run<'_>) -> Result<LinkRelease> {
        let known = dataset.clone().with_graph(links.graph.clone())?;
        let people = People::new(&known, Private { edges: false, ..self.private })?;
        self.system.link(&people, links, run)
    }
}

impl Releasable for LdpGeRelease {
    type Data = Dataset;

    fn asks(&self, dataset: &Dataset) -> Result<ReleaseAsks> {
        let Protection { features, label_epsilon, edges } = &self.system.protection;
        if let (true, Some(rows)) = (self.private.features, dataset.features()) {
            features.mechanism(public_scale(rows)?)?;
        }
        let (mut parts, mut shown) = (Vec::new(), vec![Fact::Ids, Fact::Columns]);
        if self.asks_for_features(dataset) {
            parts.push(features.limit()?);
        }
        if self.private.labels {
            parts.push(Loss::new(*label_epsilon, 0.0)?);
            shown.push(Fact::Classes);
        }
        if self.private.edges {
            parts.push(Loss::new(edges.epsilon, 0.0)?);
        }
        Ok(ReleaseAsks::once(dataset.graph().node_count(), parts, shown))
    }

    /// Ledgers, embedding and model.
    fn write(&self, input: SplitData<'_>, run: &Run<'_>, folder: &Path) -> Result<Card> {
        let model = folder.join(MODEL);
        let (embedding, mut card) = match self.task {
            Task::Nodes => {
                let (made, card) = self.classify(input, run)?.into_parts();
                made.model.save(&model)?;
                (made.embedding, card)
            }
            Task::Links => {
                let (made, card) = self.link(input.data, run)?.into_parts();
                made.scorer.save(&model)?;
                if let Some(known) = &made.known {
                    known.save(folder)?;
                }
                (made.embedding, card)
            }
        };
        let rows = input.data.clone().with_features(Features::dense(embedding))?;
        write_rows(&rows, &folder.join("embedding.npz"), Overwrite::Refuse)?;
        card.subject = format!("an embedding and a model made from: {}", card.subject);
        card = card.with_unprotected("the ids of all nodes");
        Ok(match self.private.labels {
            true => card.with_unprotected("which nodes have a label"),
            false => card,
        })
    }
}
