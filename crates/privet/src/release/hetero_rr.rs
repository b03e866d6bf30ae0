//! HeteroRR, released once: the class of each node by votes of private edges, or a published graph and a model of it.

use std::path::Path;

use super::{MODEL, Releasable, SplitData, labelled_split};
use crate::data::formats::write::{Overwrite, write};
use crate::doubts::ReleaseAsks;
use crate::graph::{
    Dataset, DenseMatrix, Fact, FeatureMatrix, Features, Graph, Labels, LoadedData, NodeId, Split,
    SplitShares,
};
use crate::hetero_rr::{
    Custody, EdgeProtection, EdgeUse, FeatureProtection, GcnLearner, PrivateEdges, Publication,
    VoteInput, VotedClasses, Votes, custody,
};
use crate::labels::one_each;
use crate::learn::models::ItemRows;
use crate::learn::models::gcn::Gcn;
use crate::privacy::Card;
use crate::privacy::card::UnprotectedPart;
use crate::privacy::edges::comparison::hrg::PrivateNodes;
use crate::privacy::unit::DataPart;
use crate::protect::public_scale;
use crate::system::System;
use crate::words::counted;
use crate::{Error, Facts, Protected, Result, Run};

/// Which edges are called private.
#[derive(Debug, Clone, PartialEq)]
pub enum PrivateChoice {
    /// This share of them, drawn anew with every seed: for benchmarks, which do not say.
    Share(f64),
    /// These, with every seed: what a custodian knows.
    Listed(Vec<(NodeId, NodeId)>),
}

impl PrivateChoice {
    /// Those of one run.
    pub fn edges(&self, seed: u64) -> PrivateEdges {
        match self {
            Self::Share(share) => PrivateEdges::Share { share: *share, seed },
            Self::Listed(edges) => PrivateEdges::Listed(edges.clone()),
        }
    }
}

/// HeteroRR with all of its settings.
#[derive(Debug, Clone)]
pub struct HeteroRrRelease {
    /// Which edges are private.
    pub private: PrivateChoice,
    /// What private edges become.
    pub edges_as: EdgeUse,
    /// How private edges are protected: the epsilon of votes, all of it for a graph.
    pub edges: EdgeProtection,
    /// How features are protected; `None` leaves them public.
    pub features: Option<FeatureProtection>,
    /// What learns.
    pub learner: GcnLearner,
}

impl HeteroRrRelease {
    /// The card of a run, before any record is looked at.
    ///
    /// # Errors
    /// If a mechanism refuses its settings, or a fact is missing.
    pub fn promise(&self, facts: &Facts) -> Result<Card> {
        match self.edges_as {
            EdgeUse::Votes => self.votes().promise(facts),
            EdgeUse::Graph => {
                let publication =
                    Publication { edges: self.edges, features: self.features.clone() };
                publication.promise(facts)
            }
        }
    }

    fn votes(&self) -> Votes {
        let (features, learner) = (self.features.clone(), self.learner.clone());
        Votes { epsilon: self.edges.epsilon, features, learner }
    }

    /// The same with all edges private: a custodian who fits knows nothing public about them, and a share is for
    /// experiments.
    #[must_use]
    pub fn to_fit(self) -> Self {
        Self { private: PrivateChoice::Share(1.0), ..self }
    }

    /// The labelled nodes of the stated split; 50/25/25 drawn by `seed` if there is none.
    ///
    /// # Errors
    /// If there are no labels, or a stated split has no labelled nodes to learn from or to test on.
    pub fn split(input: SplitData<'_>, seed: u64) -> Result<Split> {
        let (nodes, labels) = (input.data.graph().nodes(), classes_of(input.data)?);
        match input.stated(Some(labels))? {
            Some(split) => Ok(split.with_validation(seed)?),
            None => labelled_split(nodes, Some(labels), SplitShares::HALF_QUARTER_QUARTER, seed),
        }
    }

    /// What a custodian of these edges and features holds.
    ///
    /// # Errors
    /// If features are to be protected and do not fit.
    pub fn custody(
        &self,
        dataset: &Dataset,
        public: &Graph,
        private: Graph,
        features: Features,
    ) -> Result<Custody> {
        let mut people = Dataset::new(dataset.name(), public.clone(), dataset.ids().clone())?;
        if self.features.is_some() {
            people = people.with_features(features)?;
        }
        let custody = Custody::of(&people, public.clone(), private, PrivateNodes::All)?;
        Ok(match (&self.features, dataset.features()) {
            (None, Some(features)) => custody.with_public_attributes(features.matrix().clone()),
            _ => custody,
        })
    }

    /// Lets private edges vote about the class of each node. Where a share is private, the seed decides which edges are.
    ///
    /// # Errors
    /// Those of the system.
    pub fn vote(&self, input: SplitData<'_>, run: &Run<'_>) -> Result<Protected<VotedClasses>> {
        self.vote_with(input.data, Self::split(input, run.seed)?, run)
    }

    /// The same with labels of a split of the caller's choice, which may leave none to test on.
    ///
    /// # Errors
    /// Those of the system.
    pub fn vote_with(
        &self,
        dataset: &Dataset,
        split: Split,
        run: &Run<'_>,
    ) -> Result<Protected<VotedClasses>> {
        let truth = custody::simple(dataset.graph())?;
        let (public, private) = self.private.edges(run.seed).split(&truth)?;
        let features = rows_of(dataset)?.clone();
        let made =
            self.vote_by(dataset, self.custody(dataset, &public, private, features)?, split, run)?;
        Ok(self.open_parts(dataset)?.into_iter().fold(made, Protected::with_unprotected))
    }

    /// The same about what a custodian holds.
    ///
    /// # Errors
    /// Those of the system.
    pub fn vote_by(
        &self,
        dataset: &Dataset,
        custody: Custody,
        split: Split,
        run: &Run<'_>,
    ) -> Result<Protected<VotedClasses>> {
        let labels = classes_of(dataset)?.clone();
        self.votes().run(VoteInput { custody, labels, split }, run)
    }

    /// Publishes once and learns from what was published. Where a share is private, the seed decides which edges are.
    ///
    /// # Errors
    /// Those of the system.
    pub fn publish(&self, input: SplitData<'_>, run: &Run<'_>) -> Result<(Dataset, Gcn, Card)> {
        let dataset = input.data;
        let truth = custody::simple(dataset.graph())?;
        let (public, private) = self.private.edges(run.seed).split(&truth)?;
        // A graph without features still has a structure; to learn from it takes features.
        let none = || Features::dense(DenseMatrix::zeros(truth.node_count(), 0));
        let clear = dataset.features().cloned().unwrap_or_else(none);
        let publication = Publication { edges: self.edges, features: self.features.clone() };
        let custody = self.custody(dataset, &public, private, clear.clone())?;
        let (published, card) = publication.publish(&custody, run)?.into_parts();
        let rows = published.features.unwrap_or_else(|| clear.matrix().clone());
        let split = Self::split(input, run.seed)?;
        let gcn = self.train(dataset, &published.graph, &rows, &split, run)?;
        let published = Dataset::new(dataset.name(), published.graph, dataset.ids().clone())?
            .with_features(Features::new(rows))?
            .with_labels(classes_of(dataset)?.clone())?;
        let card = self.open_parts(dataset)?.into_iter().fold(card, Card::with_unprotected);
        Ok((published, gcn, card))
    }

    /// A GCN of these edges and rows.
    ///
    /// # Errors
    /// If there are no features or labels, or training fails.
    pub fn train(
        &self,
        dataset: &Dataset,
        graph: &Graph,
        rows: &FeatureMatrix,
        split: &Split,
        run: &Run<'_>,
    ) -> Result<Gcn> {
        rows_of(dataset)?;
        let (rows, labels): (ItemRows<'_>, _) = (rows.into(), classes_of(dataset)?);
        self.learner.train(graph, rows, labels, split, run.seed, run.watch)
    }

    /// What is no secret here.
    fn open_parts(&self, dataset: &Dataset) -> Result<Vec<UnprotectedPart>> {
        let classes = counted(classes_of(dataset)?.class_count(), "class", "classes");
        let what = format!("the labels of every node: {classes}");
        let mut parts = vec![UnprotectedPart::part(DataPart::Labels, what)];
        if self.features.is_none() {
            let columns = dataset.features().map_or(0, Features::columns);
            let columns = counted(columns, "column", "columns");
            let what = format!("the features of every node: {columns}");
            parts.push(UnprotectedPart::part(DataPart::Features, what));
        }
        Ok(parts)
    }
}

fn classes_of(dataset: &Dataset) -> Result<&Labels> {
    one_each(dataset.labels(), dataset.name(), "they are what is to be predicted")
}

fn rows_of(dataset: &Dataset) -> Result<&Features> {
    dataset.features().ok_or_else(|| Error::Missing {
        dataset: dataset.name().to_owned(),
        what: "features",
        remedy: "a GCN learns from them",
    })
}

impl Releasable for HeteroRrRelease {
    type Data = Dataset;

    fn asks(&self, dataset: &Dataset) -> Result<ReleaseAsks> {
        if let (Some(_), Some(rows)) = (&self.features, dataset.features()) {
            public_scale(rows)?;
        }
        let (mut parts, mut shown) = (vec![self.edges.limit()?], vec![Fact::Ids]);
        if let Some(how) = &self.features {
            parts.push(how.limit()?);
            shown.push(Fact::Columns);
        }
        Ok(ReleaseAsks::once(dataset.graph().node_count(), parts, shown))
    }

    /// Ledgers and a model, with votes and classes or with a graph.
    fn write(&self, input: SplitData<'_>, run: &Run<'_>, folder: &Path) -> Result<Card> {
        let dataset = input.data;
        match self.edges_as {
            EdgeUse::Votes => {
                let (informed, card) = self.vote(input, run)?.into_parts();
                let classes = dataset.labels().map_or(&[][..], |labels| labels.class_names());
                informed.save(folder, dataset.ids(), classes)?;
                Ok(card)
            }
            EdgeUse::Graph => {
                let (published, gcn, card) = self.publish(input, run)?;
                let graph = folder.join("published.npz");
                write(&LoadedData::Nodes(published), &graph, None, Overwrite::Refuse)?;
                gcn.save(&folder.join(MODEL))?;
                Ok(card)
            }
        }
    }
}
