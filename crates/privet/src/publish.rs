//! A whole dataset, made private once by [HeteroRR](crate::hetero_rr) and reused for ever: [`Publish`].
//!
//! The order is the guarantee: check all that can be checked, charge both ledgers and wait until that is on disk,
//! draw noise. What fails before the charge costs nothing.
//!
//! ```
//! use privet::data::synthetic::karate_club;
//! use privet::hetero_rr::PrivateEdges;
//! use privet::privacy::edges::comparison::hrg::PrivateNodes;
//! use privet::{Run, publish::Publish};
//! let club = karate_club()?;
//! let publish = Publish::edges(1.0);
//! let out = publish.run(&club, &PrivateEdges::All, PrivateNodes::All, &Run::simulation(1))?;
//! assert_eq!(out.get().dataset.graph().node_count(), 34);
//! assert_eq!(out.card().guarantees[0].loss.epsilon.get(), 1.0);
//! # Ok::<(), privet::Error>(())
//! ```

mod columns;
mod private;

pub use columns::Columns;
pub use private::{listed_edges, listed_nodes};

use crate::doubts::{Doubt, ReleaseAsks};
use crate::graph::{Dataset, Fact, FeatureMatrix, Features, Graph};
use crate::hetero_rr::{
    Custody, EdgeProtection, FeatureProtection, GrownTree, Ledgers, PrivateEdges, Publication,
    Publishable,
};
use crate::privacy::card::UnprotectedPart;
use crate::privacy::edges::comparison::hrg::PrivateNodes;
use crate::privacy::unit::DataPart;
use crate::protect::public_scale;
use crate::words::counted;
use crate::{Error, Protected, Result, Run};

/// What becomes of the features of a dataset.
#[derive(Debug, Clone)]
pub enum FeaturePolicy {
    /// They stay at home.
    LeftOut,
    /// They are no secret, and are published as they are.
    Public,
    /// Every row is randomised.
    Protected(FeatureProtection),
}

/// How a dataset is published.
#[derive(Debug, Clone)]
pub struct Publish {
    /// How private edges are protected.
    pub edges: EdgeProtection,
    /// What becomes of features.
    pub features: FeaturePolicy,
    /// Questionable numbers that are taken all the same; the card repeats them.
    pub accepted: Vec<Doubt>,
}

/// A dataset that may be shared.
#[derive(Debug, Clone)]
pub struct PublishedData {
    /// The dataset.
    pub dataset: Dataset,
    /// How the tree of public edges was fitted, where there is one.
    pub grown: Option<GrownTree>,
}

impl Publish {
    /// Private edges at `epsilon` each, by the rigorous default; features are left out.
    pub fn edges(epsilon: f64) -> Self {
        let (features, accepted) = (FeaturePolicy::LeftOut, Vec::new());
        Self { edges: EdgeProtection::new(epsilon), features, accepted }
    }

    /// Charges the ledgers and draws what may be published. Which edges are private, and who may have private edges,
    /// must be settled without looking at the private edges.
    ///
    /// # Errors
    /// If a public fact was not stated, features are to be protected and there are none, a private edge is where
    /// none may be, or a ledger refuses.
    pub fn run(
        &self,
        dataset: &Dataset,
        private: &PrivateEdges,
        may_have: PrivateNodes,
        run: &Run<'_>,
    ) -> Result<Protected<PublishedData>> {
        let publication = self.publication(dataset)?;
        let on_whose_word = self.questions(dataset, &publication, run)?;
        let custody = self.custody(dataset, private, may_have)?;
        let published = run
            .ledgers
            .accounted(|| publication.release(&custody, &mut Ledgers::of(&publication, run)?))?;
        let mut published = published.try_map(|Publishable { graph, features, grown }| {
            let dataset = self.replace(dataset, graph, features)?;
            Ok::<_, Error>(PublishedData { dataset, grown })
        })?;
        let on_whose_word = on_whose_word.into_iter().map(UnprotectedPart::from);
        let open = self.published_as_it_is(&published.get().dataset);
        for line in open.into_iter().chain(on_whose_word) {
            published = published.with_unprotected(line);
        }
        Ok(published)
    }

    fn publication(&self, dataset: &Dataset) -> Result<Publication> {
        let edges = self.edges;
        let FeaturePolicy::Protected(how) = &self.features else {
            return Ok(Publication { edges, features: None });
        };
        let features = dataset.features().ok_or_else(|| Error::Missing {
            dataset: dataset.name().to_owned(),
            what: "features",
            remedy: "they are what is to be protected",
        })?;
        public_scale(features)?;
        Ok(Publication { edges, features: Some(how.clone()) })
    }

    /// What the card must repeat, because only the operator's word supports it.
    fn questions(
        &self,
        dataset: &Dataset,
        publication: &Publication,
        run: &Run<'_>,
    ) -> Result<Vec<String>> {
        let shown = match publication.features {
            Some(_) => vec![Fact::Ids, Fact::Columns],
            None => vec![Fact::Ids],
        };
        let features = publication.features.as_ref().map(FeatureProtection::limit).transpose()?;
        let parts = [Some(publication.edges.limit()?), features].into_iter().flatten();
        ReleaseAsks::once(dataset.graph().node_count(), parts, shown).settle_in(
            &run.ledgers,
            dataset,
            &self.accepted,
        )
    }

    fn custody(
        &self,
        dataset: &Dataset,
        private: &PrivateEdges,
        may_have: PrivateNodes,
    ) -> Result<Custody> {
        let custody = Custody::new(dataset, private, may_have)?;
        Ok(match (&self.features, dataset.features()) {
            (FeaturePolicy::Protected(_), _) => custody,
            (FeaturePolicy::Public, Some(features)) => {
                custody.without_features().with_public_attributes(features.matrix().clone())
            }
            _ => custody.without_features(),
        })
    }

    fn replace(
        &self,
        dataset: &Dataset,
        graph: Graph,
        features: Option<FeatureMatrix>,
    ) -> Result<Dataset> {
        let mut out = Dataset::new(dataset.name(), graph, dataset.ids().clone())?;
        if let Some(labels) = dataset.labels() {
            out = out.with_labels(labels.clone())?;
        }
        if let Some(split) = dataset.split() {
            out = out.with_split(split.clone())?;
        }
        let names = dataset.features().and_then(|features| features.names());
        match (features, dataset.features(), &self.features) {
            (Some(matrix), ..) => {
                let mut released = Features::new(matrix);
                if let Some(names) = names {
                    released = released.with_names(names.to_vec())?;
                }
                out = out.with_features(released)?;
            }
            (None, Some(raw), FeaturePolicy::Public) => out = out.with_features(raw.clone())?,
            _ => {}
        }
        Ok(out)
    }

    fn published_as_it_is(&self, dataset: &Dataset) -> Vec<UnprotectedPart> {
        let mut lines = Vec::new();
        if let (FeaturePolicy::Public, Some(features)) = (&self.features, dataset.features()) {
            let columns = counted(features.columns(), "column", "columns");
            let what = format!("the features of every node: {columns}");
            lines.push(UnprotectedPart::part(DataPart::Features, what));
        }
        if let Some(labels) = dataset.labels() {
            let classes = counted(labels.class_count(), "class", "classes");
            let what = format!("the labels of every node: {classes}");
            lines.push(UnprotectedPart::part(DataPart::Labels, what));
        }
        if dataset.split().is_some() {
            lines.push("which nodes are for training, validation and testing".into());
        }
        lines
    }
}
