//! HeteroRR measured: what is learned from private edges, as votes or as a published graph, beside what would be learned
//! otherwise.
//!
//! | variant | edges | features | what it shows |
//! |---|---|---|---|
//! | [`Variant::Private`] | public ones, and private ones as votes (or as a graph, if so used) | randomised, if protected | what the system achieves |
//! | [`Variant::Drawn`] | public ones, and others drawn for the private ones | randomised, if protected | what publishing a graph achieves |
//! | [`Variant::Control`] | the same noise with no private edge behind it | the same noise with nothing behind it | what noise alone achieves |
//! | [`Variant::PublicOnly`] | public ones | as published | what leaving private edges out achieves, for nothing |
//! | [`Variant::NoPrivateData`] | public ones | if public | the best of several learners that read nothing private |
//! | [`Variant::Clear`] | all, in the clear | in the clear | the same model without noise |
//! | [`Variant::Ceiling`] | all, in the clear | in the clear | what privacy costs: the best of several learners |
//!
//! What does not beat `PublicOnly` has not used its budget for anything.

pub mod attacked;
mod beside;
mod called;
mod informed;
mod words;

use std::sync::atomic::AtomicBool;

use privet::graph::{
    Dataset, DenseMatrix, Direction, FeatureMatrix, Features, Graph, SparseBuilder, Split,
    SplitShares,
};
use privet::hetero_rr::EdgeMethod;
use privet::hetero_rr::{
    Custody, EdgeProtection, EdgeUse, FeatureProtection, GcnLearner, Informed, Publication, custody,
};
use privet::labels::one_each;
use privet::learn::models::gcn::Gcn;
use privet::learn::models::likeliest;
use privet::learn::train::Watch;
use privet::privacy::Card;
use privet::privacy::card::UnprotectedPart;
use privet::privacy::edges::comparison::hrg::PrivateNodes;
use privet::privacy::unit::Part;
use privet::{Error, Result, Run};
use serde::Serialize;

pub use called::CalledPrivate;
use called::PrivateKey;

use super::baselines::{CEILING, PUBLIC_ALONE};
use super::cells::Key;
use super::trial::data::{accuracy_on, labelled_split};
use super::trial::{
    Comparison, NamedData, Outcome, Subject, TEST, Trial, TrialScores, TrialText, VALIDATION,
    Variant,
};
use crate::report::summary::counted;

/// HeteroRR on a graph.
#[derive(Debug, Clone)]
pub struct HeteroRrTrial<'a> {
    /// The data in the clear: the experimenter's view.
    pub data: NamedData<'a>,
    /// Which edges are called private.
    pub private: CalledPrivate,
    /// What private edges become.
    pub edges_as: EdgeUse,
    /// How private edges are protected: the epsilon of votes, all of it for a graph.
    pub edges: EdgeProtection,
    /// How features are protected; `None` leaves them public.
    pub features: Option<FeatureProtection>,
    /// What learns.
    pub learner: GcnLearner,
    /// What else is run: other mechanisms at the same epsilon.
    pub baselines: Vec<Variant>,
}

/// What scores follow from.
#[derive(Serialize)]
struct HeteroRrKey<'a> {
    #[serde(flatten)]
    private: PrivateKey,
    edges: String,
    features: String,
    learner: &'a GcnLearner,
}

impl Subject for HeteroRrTrial<'_> {
    fn key(&self, variant: Variant) -> Key {
        let (edges, features) = match variant {
            // Nothing is randomised, so no mechanism has a part in it; models of public data differ.
            Variant::Clear | Variant::Ceiling => (format!("{:?}", self.edges_as), String::new()),
            Variant::PublicOnly | Variant::NoPrivateData => {
                (format!("{:?}", self.edges_as), format!("{:?}", self.features))
            }
            _ => (self.edges_key(variant), format!("{:?}", self.features)),
        };
        let (private, learner) = (self.private.key(), &self.learner);
        Key::of(&self.data.key()).and(Key::of(&HeteroRrKey { private, edges, features, learner }))
    }

    fn run(&self, variant: Variant, seed: u64, interrupt: &AtomicBool) -> Result<Outcome> {
        if matches!(variant, Variant::Ceiling | Variant::NoPrivateData) {
            let scores = beside::scores(self, variant, seed, interrupt)?;
            return Ok(Outcome { scores, card: None });
        }
        let split = self.split(seed)?;
        let run = Run::simulation(seed).watched_by(interrupt);
        if variant == Variant::Clear && self.edges_as == EdgeUse::Votes {
            let classes = self.in_the_clear(&split, &run)?;
            return Ok(Outcome { scores: self.scored(&split, &classes)?, card: None });
        }
        if self.votes(variant) {
            let (informed, card) = self.informed(variant, &split, &run)?;
            let classes = match variant {
                Variant::PublicOnly => likeliest(&informed.public.says),
                _ => informed.classes(),
            };
            let scores = self.scored(&split, &classes)?;
            return Ok(Outcome {
                scores,
                card: Some(card).filter(|_| variant == Variant::Private),
            });
        }
        let world = self.world(variant, seed)?;
        let gcn = self.train(&world, &split, seed, interrupt)?;
        let predicted = gcn.predict(&gcn.input(&world.graph, (&world.rows).into())?)?;
        let scores = self.scored(&split, &predicted)?;
        Ok(Outcome { scores, card: world.card.filter(|_| variant == Variant::Private) })
    }
}

impl Trial for HeteroRrTrial<'_> {
    fn experiment(&self) -> &'static str {
        "run hetero-rr"
    }

    fn variants(&self) -> Vec<Variant> {
        let beside =
            [Variant::Control, Variant::PublicOnly, Variant::NoPrivateData, Variant::Ceiling];
        let drawn = self.edges_as == EdgeUse::Votes && !self.baselines.is_empty();
        let all = [Variant::Private].into_iter().chain(drawn.then_some(Variant::Drawn));
        all.chain(self.baselines.iter().copied()).chain(beside).collect()
    }

    fn name(&self, variant: Variant) -> String {
        match variant {
            Variant::Private => match self.edges_as {
                EdgeUse::Votes => "votes".into(),
                EdgeUse::Graph => "published".into(),
            },
            variant => variant.name().into(),
        }
    }

    fn about(&self, variant: Variant) -> String {
        match variant {
            Variant::Control => "the same noise with nothing private behind it",
            Variant::PublicOnly => "public edges alone: what private ones must beat",
            Variant::Clear => "the same model with everything in the clear",
            Variant::Ceiling => CEILING,
            Variant::NoPrivateData => PUBLIC_ALONE,
            Variant::PrivHrg | Variant::EdgeRand | Variant::LapGraph => {
                "another mechanism at the same epsilon"
            }
            Variant::Private if self.edges_as == EdgeUse::Votes => {
                "public edges, and noisy counts of what private ones say about classes"
            }
            _ => "the published graph: public edges, and noise for the private ones",
        }
        .into()
    }

    fn words(&self, comparison: &Comparison) -> TrialText {
        words::words(self, comparison)
    }
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

impl<'a> HeteroRrTrial<'a> {
    /// Other mechanisms that stand beside it, at the same epsilon.
    pub const BASELINES: [Variant; 3] = [Variant::PrivHrg, Variant::EdgeRand, Variant::LapGraph];

    /// A graph published at epsilon 1 with a share of the edges private, features public, and no baselines.
    pub fn new(data: NamedData<'a>, share: f64) -> Self {
        let (edges, learner) = (EdgeProtection::new(1.0), GcnLearner::default());
        let (edges_as, baselines) = (EdgeUse::Graph, Vec::new());
        let private = CalledPrivate::Share(share);
        Self { data, private, edges_as, edges, features: None, learner, baselines }
    }

    /// Everything about private edges that the scores of a variant follow from.
    fn edges_key(&self, variant: Variant) -> String {
        match self.votes(variant) {
            true => format!("votes at {:?}", self.edges.epsilon),
            false => format!("{:?}", self.edges(variant)),
        }
    }

    fn scored(&self, split: &Split, predicted: &[u32]) -> Result<TrialScores> {
        let labels = self.labels()?;
        let share = |nodes: &[u32]| accuracy_on(nodes, predicted, labels);
        Ok(TrialScores::new([(VALIDATION, share(&split.validation)), (TEST, share(&split.test))]))
    }

    /// How a variant protects private edges.
    fn edges(&self, variant: Variant) -> EdgeProtection {
        let method = match variant {
            Variant::PrivHrg => EdgeMethod::PrivHrg,
            Variant::EdgeRand => EdgeMethod::EdgeRand,
            Variant::LapGraph => EdgeMethod::LapGraph,
            _ => self.edges.method,
        };
        EdgeProtection { method, ..self.edges }
    }

    /// What a variant sees. The seed decides which edges are private, and the noise (a simulation).
    ///
    /// # Errors
    /// If the system refuses.
    pub fn world(&self, variant: Variant, seed: u64) -> Result<World> {
        let interrupt = &AtomicBool::new(false);
        let run = Run::simulation(seed).watched_by(interrupt);
        self.world_as(variant, &run)
    }

    fn world_as(&self, variant: Variant, run: &Run<'_>) -> Result<World> {
        let seed = run.seed;
        let truth = custody::simple(self.data.dataset.graph())?;
        let (public, private) = self.private.edges(seed).split(&truth)?;
        // A graph without features still has a structure; to learn from it takes features.
        let none = || Features::dense(DenseMatrix::zeros(truth.node_count(), 0));
        let clear = &self.data.dataset.features().cloned().unwrap_or_else(none);
        let (graph, rows, card) = match variant {
            Variant::Clear => (truth.clone(), clear.matrix().clone(), None),
            _ => {
                let nothing = variant == Variant::Control;
                let behind = if nothing {
                    Graph::empty(truth.node_count(), Direction::Undirected)?
                } else {
                    private.clone()
                };
                let features = if nothing { constant(clear)? } else { clear.clone() };
                let published =
                    self.publish(self.edges(variant), &public, behind, features, run)?;
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
        edges: EdgeProtection,
        public: &Graph,
        private: Graph,
        features: Features,
        run: &Run<'_>,
    ) -> Result<(Graph, Option<FeatureMatrix>, Card)> {
        let publication = Publication { edges, features: self.features.clone() };
        let custody = self.custody(public, private, features)?;
        let (published, card) = publication.publish(&custody, run)?.into_parts();
        Ok((published.graph, published.features, card))
    }

    /// What a custodian of these edges and features holds.
    fn custody(&self, public: &Graph, private: Graph, features: Features) -> Result<Custody> {
        let dataset = self.data.dataset;
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

    /// Publishes once, with noise and ledgers of the caller's choice, and learns from what was published. Where a share
    /// is private, the seed decides which edges are.
    ///
    /// # Errors
    /// Those of the system.
    pub fn release(&self, run: &Run<'_>) -> Result<(Dataset, Gcn, Card)> {
        let world = self.world_as(Variant::Private, run)?;
        let gcn = self.train(&world, &self.split(run.seed)?, run.seed, run.watch)?;
        let (dataset, labels) = (self.data.dataset, self.labels()?);
        let published = Dataset::new(dataset.name(), world.graph, dataset.ids().clone())?
            .with_features(Features::new(world.rows))?
            .with_labels(labels.clone())?;
        let none = || Error::invalid("variant", Variant::Private.name(), "one with a card");
        let card = self.shown(world.card.ok_or_else(none)?)?;
        Ok((published, gcn, card))
    }

    /// Lets private edges vote once, with noise and ledgers of the caller's choice.
    ///
    /// # Errors
    /// Those of the system.
    pub fn release_votes(&self, run: &Run<'_>) -> Result<(Informed, Card)> {
        let (informed, card) = self.informed(Variant::Private, &self.split(run.seed)?, run)?;
        Ok((informed, self.shown(card)?))
    }

    /// The card, and what is no secret here.
    fn shown(&self, card: Card) -> Result<Card> {
        let classes = match self.labels()?.class_count() {
            1 => "1 class".to_owned(),
            count => format!("{} classes", privet::words::count(count)),
        };
        let what = format!("the labels of every node: {classes}");
        let mut card = card.with_unprotected(UnprotectedPart::part(Part::Labels, what));
        if self.features.is_none() {
            let features = self.data.dataset.features();
            let columns = counted(features.map_or(0, Features::columns) as u64, "column");
            let what = format!("the features of every node: {columns}");
            card = card.with_unprotected(UnprotectedPart::part(Part::Features, what));
        }
        Ok(card)
    }

    /// Features of one column of ones for all people: what features add to nothing.
    ///
    /// # Errors
    /// Never in practice.
    pub fn without_features(dataset: &Dataset) -> Result<Dataset> {
        let nodes = dataset.graph().node_count();
        let ones = DenseMatrix::new(nodes, 1, vec![1.0; nodes])?;
        Ok(dataset.clone().with_features(Features::dense(ones))?)
    }

    /// A GCN trained on what a variant sees.
    ///
    /// # Errors
    /// If there are no labels, or training fails.
    pub fn train(&self, world: &World, split: &Split, seed: u64, watch: &dyn Watch) -> Result<Gcn> {
        self.data.dataset.features().ok_or_else(|| Error::Missing {
            dataset: self.data.dataset.name().to_owned(),
            what: "features",
            remedy: "a GCN learns from them",
        })?;
        let labels = self.labels()?;
        self.learner.train(&world.graph, (&world.rows).into(), labels, split, seed, watch)
    }

    /// The labelled nodes of the stated split; 50/25/25 drawn by `seed` if there is none.
    ///
    /// # Errors
    /// If there are no labels, or a stated split has no labelled nodes to learn from or to test on.
    pub fn split(&self, seed: u64) -> Result<Split> {
        let (nodes, labels) = (self.data.dataset.graph().nodes(), self.labels()?);
        if let Some(split) = self.data.stated_split(Some(labels))? {
            return Ok(split.with_validation(seed)?);
        }
        labelled_split(nodes, Some(labels), SplitShares::HALF_QUARTER_QUARTER, seed)
    }

    fn labels(&self) -> Result<&privet::graph::Labels> {
        let dataset = self.data.dataset;
        one_each(dataset.labels(), dataset.name(), "they are what is to be predicted")
    }
}

/// The same row of zeros for all people, within the same bounds.
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
mod tests;
