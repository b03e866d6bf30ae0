//! Private edges as votes: the system, and its control.

use privet::graph::{Direction, Features, Graph, Split};
use privet::hetero_rr::{
    EdgeProtection, EdgeUse, PublicModel, PublicTrainingData, VotedClasses, custody,
};
use privet::privacy::Card;
use privet::release::PrivateChoice;
use privet::{Result, Run};

use super::{HeteroRrTrial, constant};
use crate::experiments::trial::Variant;

/// At this epsilon a count has noise with a probability below 1e-17.
const EXACT: f64 = 40.0;

impl HeteroRrTrial<'_> {
    /// Whether a variant lets private edges vote, or is what would be said without.
    pub(super) fn votes(&self, variant: Variant) -> bool {
        let these = [Variant::Private, Variant::Control, Variant::PublicOnly];
        self.edges_as == EdgeUse::Votes && these.contains(&variant)
    }

    /// Each person's class by public data and votes; the control counts no vote. The seed decides which edges are private.
    pub(super) fn informed(
        &self,
        variant: Variant,
        split: &Split,
        run: &Run<'_>,
    ) -> Result<(VotedClasses, Card)> {
        let dataset = self.data.dataset;
        let truth = custody::simple(dataset.graph())?;
        let (public, mut private) = self.private.edges(run.seed).split(&truth)?;
        let mut features = self.features_in_the_clear()?.clone();
        if variant == Variant::Control {
            private = Graph::empty(truth.node_count(), Direction::Undirected)?;
            features = constant(&features)?;
        }
        let release = self.release();
        let custody = release.custody(dataset, &public, private, features)?;
        Ok(release.vote_by(dataset, custody, split.clone(), run)?.into_parts())
    }

    /// What the same models say if every edge and row is public, which leaves nothing to vote.
    pub(super) fn in_the_clear(&self, split: &Split, run: &Run<'_>) -> Result<PublicModel> {
        let truth = custody::simple(self.data.dataset.graph())?;
        let (rows, labels) = (self.features_in_the_clear()?.matrix(), self.labels()?);
        let taught = PublicTrainingData { rows, labels, split };
        PublicModel::best(&self.learner, &truth, taught, run)
    }

    /// What votes of all edges say if they are counted exactly.
    pub(super) fn counted_exactly(&self, split: &Split, run: &Run<'_>) -> Result<VotedClasses> {
        let (private, edges) = (PrivateChoice::Share(1.0), EdgeProtection::new(EXACT));
        let exact = Self { private, edges, features: None, ..self.clone() };
        Ok(exact.informed(Variant::Private, split, run)?.0)
    }

    fn features_in_the_clear(&self) -> Result<&Features> {
        let dataset = self.data.dataset;
        dataset.features().ok_or_else(|| privet::Error::Missing {
            dataset: dataset.name().to_owned(),
            what: "features",
            remedy: "a GCN learns from them",
        })
    }
}
