//! Private edges as votes: the system, and its control.

use privet::graph::{Direction, Features, Graph, Split};
use privet::hetero_rr::{EdgeUse, PublicModel, PublicTrainingData, VotedClasses, custody};
use privet::learn::models::likeliest;
use privet::privacy::Card;
use privet::{Result, Run};

use super::{HeteroRrTrial, constant};
use crate::experiments::trial::Variant;

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

    /// Each person's class by the same models if every edge and row were public, which leaves nothing to vote.
    pub(super) fn in_the_clear(&self, split: &Split, run: &Run<'_>) -> Result<Vec<u32>> {
        let truth = custody::simple(self.data.dataset.graph())?;
        let (rows, labels) = (self.features_in_the_clear()?.matrix(), self.labels()?);
        let taught = PublicTrainingData { rows, labels, split };
        Ok(likeliest(&PublicModel::best(&self.learner, &truth, taught, run)?.says))
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
