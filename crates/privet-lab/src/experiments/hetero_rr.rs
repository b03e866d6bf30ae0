//! HeteroRR measured: what a GCN learns from a published graph, beside what it would learn otherwise.
//!
//! | variant | edges | features | what it shows |
//! |---|---|---|---|
//! | [`Variant::Published`] | public ones, and noise for the private ones | randomised, if protected | what the system achieves |
//! | [`Variant::Control`] | the same noise with no private edge behind it | the same noise with nothing behind it | what noise alone achieves |
//! | [`Variant::PublicOnly`] | public ones | as published | what leaving private edges out achieves, for nothing |
//! | [`Variant::Ceiling`] | all, in the clear | in the clear | what privacy costs |
//!
//! A published graph that does not beat `PublicOnly` has not used its budget for anything.

use std::sync::atomic::AtomicBool;

use privet::graph::{
    Dataset, DenseMatrix, Direction, FeatureMatrix, Features, Graph, SparseBuilder, Split,
    SplitShares,
};
use privet::hetero_rr::{
    Custody, EdgeProtection, FeatureProtection, Learner, Ledgers, PrivateEdges, Publication,
    custody,
};
use privet::learn::metrics::accuracy;
use privet::learn::models::gcn::Gcn;
use privet::privacy::edges::hrg::PrivateNodes;
use privet::privacy::noise::NoiseRng;
use privet::privacy::{Card, Ledger, Loss};
use privet::{Error, Result};
use serde::{Deserialize, Serialize};

/// What a model learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// What the system publishes.
    Published,
    /// The same noise with nothing private behind it.
    Control,
    /// Public edges alone.
    PublicOnly,
    /// Everything in the clear.
    Ceiling,
}

impl Variant {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Published, Self::Control, Self::PublicOnly, Self::Ceiling];

    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Control => "control",
            Self::PublicOnly => "public-only",
            Self::Ceiling => "ceiling",
        }
    }
}

/// One experiment.
#[derive(Debug, Clone)]
pub struct Experiment<'a> {
    /// The data in the clear: the experimenter's view.
    pub dataset: &'a Dataset,
    /// The share of edges that is called private, drawn anew with every seed.
    pub share: f64,
    /// How private edges are protected.
    pub edges: EdgeProtection,
    /// How features are protected; `None` leaves them public.
    pub features: Option<FeatureProtection>,
    /// What learns.
    pub learner: Learner,
}

/// A graph and features, as one variant sees them.
#[derive(Debug)]
pub struct World {
    /// All edges of the truth.
    pub truth: Graph,
    /// Those that are public.
    pub public: Graph,
    /// Those that are private.
    pub private: Graph,
    /// The edges a model learns from.
    pub graph: Graph,
    /// The features a model learns from.
    pub rows: FeatureMatrix,
    /// What was promised, where something was.
    pub card: Option<Card>,
}

/// What one run scored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// On validation data: for choosing settings.
    pub validation: f64,
    /// On test data: for reporting.
    pub test: f64,
}

impl Experiment<'_> {
    /// What a variant sees. The seed decides which edges are private, and the noise (a simulation).
    ///
    /// # Errors
    /// If the system refuses.
    pub fn world(&self, variant: Variant, seed: u64) -> Result<World> {
        let truth = custody::simple(self.dataset.graph())?;
        let edges = PrivateEdges::Share { share: self.share, seed };
        let (public, private) = edges.split(&truth)?;
        // A graph without features still has a structure; to learn from it takes features.
        let none = || Features::dense(DenseMatrix::zeros(truth.node_count(), 0));
        let clear = &self.dataset.features().cloned().unwrap_or_else(none);
        let (graph, rows, card) = match variant {
            Variant::Ceiling => (truth.clone(), clear.matrix().clone(), None),
            _ => {
                let nothing = variant == Variant::Control;
                let behind = if nothing {
                    Graph::empty(truth.node_count(), Direction::Undirected)?
                } else {
                    private.clone()
                };
                let features = if nothing { constant(clear)? } else { clear.clone() };
                let published = self.publish(&public, behind, features, seed)?;
                let rows = published.1.unwrap_or_else(|| clear.matrix().clone());
                let graph =
                    if variant == Variant::PublicOnly { public.clone() } else { published.0 };
                (graph, rows, Some(published.2))
            }
        };
        Ok(World { truth, public, private, graph, rows, card })
    }

    fn publish(
        &self,
        public: &Graph,
        private: Graph,
        features: Features,
        seed: u64,
    ) -> Result<(Graph, Option<FeatureMatrix>, Card)> {
        let mut people =
            Dataset::new(self.dataset.name(), public.clone(), self.dataset.ids().clone())?;
        let publication = Publication { edges: self.edges, features: self.features.clone() };
        let mut ledgers = Ledgers {
            edges: Ledger::in_memory(self.edges.limit()?, NoiseRng::replay(2 * seed))?,
            features: None,
        };
        if let Some(how) = &self.features {
            people = people.with_features(features)?;
            let limit = Loss::new(how.epsilon, how.settings.delta.unwrap_or(0.0))?;
            ledgers.features = Some(Ledger::in_memory(limit, NoiseRng::replay(2 * seed + 1))?);
        }
        let mut custody = Custody::of(&people, public.clone(), private, PrivateNodes::All)?;
        if let (None, Some(features)) = (&self.features, self.dataset.features()) {
            custody = custody.with_public_attributes(features.matrix().clone());
        }
        let (published, card) = publication.release(&custody, &mut ledgers)?.into_parts();
        Ok((published.graph, published.features, card))
    }

    /// Trains on what a variant sees, and scores the predictions.
    ///
    /// # Errors
    /// Those of the system; if there are no labels.
    pub fn run(&self, variant: Variant, seed: u64, interrupt: &AtomicBool) -> Result<Score> {
        let world = self.world(variant, seed)?;
        let split = self.split(seed)?;
        let gcn = self.train(&world, &split, seed, interrupt)?;
        let labels = self.labels()?;
        let predicted = gcn.predict(&gcn.input(&world.graph, (&world.rows).into())?)?;
        let share = |nodes: &[u32]| {
            let said: Vec<u32> = nodes.iter().map(|&node| predicted[node as usize]).collect();
            let truth: Vec<u32> =
                nodes.iter().map(|&node| labels.class(node).unwrap_or(u32::MAX)).collect();
            accuracy(&said, &truth).unwrap_or(0.0)
        };
        Ok(Score { validation: share(&split.validation), test: share(&split.test) })
    }

    /// Trains on the public edges with one column of ones for everybody: what features add to nothing.
    ///
    /// # Errors
    /// Those of the system; if there are no labels.
    pub fn run_without_features(&self, seed: u64, interrupt: &AtomicBool) -> Result<Score> {
        let nodes = self.dataset.graph().node_count();
        let ones = DenseMatrix::new(nodes, 1, vec![1.0; nodes])?;
        let dataset = self.dataset.clone().with_features(Features::dense(ones))?;
        let blank = Experiment { dataset: &dataset, features: None, ..self.clone() };
        blank.run(Variant::Ceiling, seed, interrupt)
    }

    /// A GCN trained on what a variant sees.
    ///
    /// # Errors
    /// If there are no labels, or training fails.
    pub fn train(
        &self,
        world: &World,
        split: &Split,
        seed: u64,
        interrupt: &AtomicBool,
    ) -> Result<Gcn> {
        self.dataset.features().ok_or_else(|| Error::Missing {
            dataset: self.dataset.name().to_owned(),
            what: "features",
            remedy: "a GCN learns from them; give them with --features FILE",
        })?;
        let labels = self.labels()?;
        self.learner.train(&world.graph, (&world.rows).into(), labels, split, seed, interrupt)
    }

    /// The labelled nodes, 50/25/25.
    ///
    /// # Errors
    /// Never in practice: the shares are fixed.
    pub fn split(&self, seed: u64) -> Result<Split> {
        let labels = self.labels()?;
        let nodes = self.dataset.graph().nodes().filter(|&node| labels.class(node).is_some());
        Ok(Split::random(nodes, SplitShares::HALF_QUARTER_QUARTER, seed)?)
    }

    fn labels(&self) -> Result<&privet::graph::Labels> {
        self.dataset.labels().filter(|labels| !labels.is_multi()).ok_or_else(|| Error::Missing {
            dataset: self.dataset.name().to_owned(),
            what: "single labels",
            remedy: "they are what is to be predicted",
        })
    }
}

/// The same row of zeros for everybody, within the same bounds.
fn constant(features: &Features) -> Result<Features> {
    let mut rows = SparseBuilder::new(features.columns());
    for _ in 0..features.rows() {
        rows.push_row(&mut [])?;
    }
    let constant = Features::new(FeatureMatrix::Sparse(rows.finish()));
    Ok(match features.bounds() {
        Some(bounds) => constant.with_bounds(bounds.clone())?,
        None => constant,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet::data::synthetic::StochasticBlocks;
    use privet::hetero_rr::TreePlan;

    /// With communities in the graph and weak features, all edges beat public edges alone, and the
    /// published graph keeps the public ones.
    #[test]
    fn variants_are_ordered_as_they_should_be() {
        let blocks = StochasticBlocks {
            nodes: 240,
            classes: 3,
            features: 12,
            mean_degree: 7.0,
            ..Default::default()
        };
        let dataset = blocks.generate(5).unwrap();
        let tree = TreePlan { steps_per_node: 20, ..TreePlan::default() };
        let experiment = Experiment {
            dataset: &dataset,
            share: 0.5,
            edges: EdgeProtection { tree, ..EdgeProtection::new(2.0) },
            features: None,
            learner: Learner { epochs: 40, ..Learner::default() },
        };
        let never = AtomicBool::new(false);
        let world = experiment.world(Variant::Published, 1).unwrap();
        assert!(world.public.edges().all(|(u, v)| world.graph.has_edge(u, v)));
        assert_eq!(
            world.public.edge_count() + world.private.edge_count(),
            world.truth.edge_count()
        );
        assert_eq!(world.card.unwrap().guarantees[0].loss.epsilon.get(), 2.0);
        let control = experiment.world(Variant::Control, 1).unwrap();
        assert_ne!(control.graph, world.graph);
        for variant in Variant::ALL {
            let score = experiment.run(variant, 1, &never).unwrap();
            assert!(score.test > 0.34, "{variant:?} {score:?}");
        }
    }
}
