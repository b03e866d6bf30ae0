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
};
use privet::hetero_rr::EdgeMethod;
use privet::hetero_rr::{
    EdgeProtection, EdgeUse, FeatureProtection, GcnLearner, Publication, custody,
};
use privet::labels::one_each;
use privet::learn::models::gcn::Gcn;
use privet::learn::models::likeliest;
use privet::learn::train::Watch;
use privet::privacy::Card;
use privet::release::{HeteroRrRelease, PrivateChoice};
use privet::{Result, Run};
use serde::Serialize;

use called::PrivateKey;

use super::baselines::{CEILING, PUBLIC_ALONE};
use super::cells::Key;
use super::trial::{
    Classified, Comparison, NamedData, Outcome, Subject, Trial, TrialScores, TrialText, Variant,
};

/// HeteroRR on a graph.
#[derive(Debug, Clone)]
pub struct HeteroRrTrial<'a> {
    /// The data in the clear: the experimenter's view.
    pub data: NamedData<'a>,
    /// Which edges are called private.
    pub private: PrivateChoice,
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
            // Public data alone still depend on how edges are used.
            Variant::PublicOnly | Variant::NoPrivateData => {
                (format!("{:?}", self.edges_as), format!("{:?}", self.features))
            }
            _ => (self.edges_key(variant), format!("{:?}", self.features)),
        };
        let (private, learner) = (called::key(&self.private), &self.learner);
        Key::of(&self.data.key()).and(Key::of(&HeteroRrKey { private, edges, features, learner }))
    }

    fn run(&self, variant: Variant, seed: u64, interrupt: &AtomicBool) -> Result<Outcome> {
        if matches!(variant, Variant::Ceiling | Variant::NoPrivateData) {
            let scores = beside::scores(self, variant, seed, interrupt)?;
            return Ok(Outcome { scores, card: None });
        }
        let split = self.split(seed)?;
        let run = Run::simulation(seed).watched_by(interrupt);
        // With everything in the clear votes are counted exactly.
        if variant == Variant::Clear && self.edges_as == EdgeUse::Votes {
            let said = self.in_the_clear(&split, &run)?.says;
            return Ok(Outcome { scores: self.scored(&split, &said)?, card: None });
        }
        if self.votes(variant) {
            let (informed, card) = self.informed(variant, &split, &run)?;
            // Public-only classes are those before any vote.
            let said = match variant {
                Variant::PublicOnly => &informed.public.says,
                _ => &informed.probabilities,
            };
            let scores = self.scored(&split, said)?;
            return Ok(Outcome {
                scores,
                card: Some(card).filter(|_| variant == Variant::Private),
            });
        }
        let world = self.world(variant, seed)?;
        let gcn = self.train(&world, &split, seed, interrupt)?;
        let said = gcn.scores(&gcn.input(&world.graph, (&world.rows).into())?)?;
        let scores = self.scored(&split, &said)?;
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
        // The published graph is listed only where baselines are wanted: drawing it takes long.
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
        let private = PrivateChoice::Share(share);
        Self { data, private, edges_as, edges, features: None, learner, baselines }
    }

    /// Everything about private edges that the scores of a variant follow from.
    fn edges_key(&self, variant: Variant) -> String {
        match self.votes(variant) {
            true => format!("votes at {:?}", self.edges.epsilon),
            false => format!("{:?}", self.edges(variant)),
        }
    }

    fn scored(&self, split: &Split, scores: &DenseMatrix) -> Result<TrialScores> {
        let (labels, predicted) = (self.labels()?, likeliest(scores));
        Ok(Classified { predicted: &predicted, scores: Some(scores), labels }.on(split))
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
        let dataset = self.data.dataset;
        let custody = self.release().custody(dataset, public, private, features)?;
        let (published, card) = publication.publish(&custody, run)?.into_parts();
        Ok((published.graph, published.features, card))
    }

    /// The system to be released once.
    pub fn release(&self) -> HeteroRrRelease {
        let (private, features) = (self.private.clone(), self.features.clone());
        let (edges_as, edges, learner) = (self.edges_as, self.edges, self.learner.clone());
        HeteroRrRelease { private, edges_as, edges, features, learner }
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
        let run = Run::simulation(seed).watched_by(watch);
        self.release().train(self.data.dataset, &world.graph, &world.rows, split, &run)
    }

    /// The labelled nodes of the stated split; 50/25/25 drawn by `seed` if there is none.
    ///
    /// # Errors
    /// If there are no labels, or a stated split has no labelled nodes to learn from or to test on.
    pub fn split(&self, seed: u64) -> Result<Split> {
        HeteroRrRelease::split(self.data.input(), seed)
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
        let trial = HeteroRrTrial {
            data: NamedData::new("people", &dataset),
            private: PrivateChoice::Share(0.5),
            edges_as: EdgeUse::Graph,
            edges: EdgeProtection { tree, ..EdgeProtection::new(2.0) },
            features: None,
            learner: GcnLearner { epochs: 40, ..GcnLearner::default() },
            baselines: Vec::new(),
        };
        let never = AtomicBool::new(false);
        let world = trial.world(Variant::Private, 1).unwrap();
        assert!(world.public.edges().all(|(u, v)| world.graph.has_edge(u, v)));
        assert_eq!(
            world.public.edge_count() + world.private.edge_count(),
            world.truth.edge_count()
        );
        assert_eq!(world.card.unwrap().guarantees[0].loss.epsilon.get(), 2.0);
        let control = trial.world(Variant::Control, 1).unwrap();
        assert_ne!(control.graph, world.graph);
        for variant in trial.variants() {
            let score = trial.run(variant, 1, &never).unwrap().scores;
            assert!(score.test() > 0.34, "{variant:?} {score:?}");
        }
        let mean = |variant| {
            let of = |seed| trial.run(variant, seed, &never).unwrap().scores.test();
            (0..3).map(of).sum::<f64>() / 3.0
        };
        let [private, public, ceiling] =
            [Variant::Private, Variant::NoPrivateData, Variant::Ceiling].map(mean);
        assert!(
            ceiling >= private - 0.02 && ceiling >= public - 0.02,
            "{ceiling} {private} {public}"
        );
    }

    fn people() -> Dataset {
        let (nodes, classes, features, mean_degree) = (60, 2, 4, 2.5);
        let blocks =
            StochasticBlocks { nodes, classes, features, mean_degree, ..Default::default() };
        blocks.generate(2).unwrap()
    }

    fn small(dataset: &Dataset) -> HeteroRrTrial<'_> {
        let tree = TreePlan { steps_per_node: 2, ..TreePlan::default() };
        HeteroRrTrial {
            edges: EdgeProtection { tree, ..EdgeProtection::new(1.0) },
            learner: GcnLearner { epochs: 2, ..GcnLearner::default() },
            ..HeteroRrTrial::new(NamedData::new("people", dataset), 0.5)
        }
    }

    /// Whatever changes a score changes the key, learner and data included; what has no noise has no mechanism.
    #[test]
    fn keys_say_what_scores_follow_from() {
        let (dataset, other_data) = (people(), HeteroRrTrial::without_features(&people()).unwrap());
        let first = small(&dataset);
        let mut others = vec![first.clone(); 5];
        others[0].data = NamedData::new("people", &other_data);
        others[1].private = PrivateChoice::Share(0.4);
        others[2].edges.epsilon = 2.0;
        others[3].features = Some(FeatureProtection::new(1.0));
        others[4].learner.epochs = 3;
        for other in &others {
            let key = other.key(Variant::Private);
            assert_ne!(key, first.key(Variant::Private), "{key}");
        }
        let same = |other: &HeteroRrTrial<'_>, variant| other.key(variant) == first.key(variant);
        assert!(same(&others[2], Variant::Ceiling) && same(&others[2], Variant::PublicOnly));
        assert!(same(&others[3], Variant::Ceiling) && !same(&others[3], Variant::PublicOnly));
        assert!(!same(&others[4], Variant::Ceiling));
        // What learns from public data is another model where private edges vote.
        let voting = HeteroRrTrial { edges_as: EdgeUse::Votes, ..first.clone() };
        for variant in
            [Variant::PublicOnly, Variant::NoPrivateData, Variant::Clear, Variant::Ceiling]
        {
            assert!(!same(&voting, variant), "{variant:?}");
        }
        // A baseline differs from the system in its mechanism.
        assert_ne!(first.key(Variant::EdgeRand), first.key(Variant::LapGraph));
    }

    #[test]
    fn baselines_stand_between_the_system_and_its_control() {
        let dataset = people();
        let mut trial = small(&dataset);
        trial.baselines = vec![Variant::EdgeRand];
        let expected = [
            Variant::Private,
            Variant::EdgeRand,
            Variant::Control,
            Variant::PublicOnly,
            Variant::NoPrivateData,
            Variant::Ceiling,
        ];
        assert_eq!(trial.variants(), expected);
        assert_eq!(trial.name(Variant::Private), "published");
    }

    /// The seed decides which edges are private, and no other variant sees other ones.
    #[test]
    fn variants_of_a_seed_see_the_same_private_edges() {
        let dataset = people();
        let trial = small(&dataset);
        let world = |variant, seed| trial.world(variant, seed).unwrap();
        let (private, ceiling) = (world(Variant::Private, 1), world(Variant::Clear, 1));
        assert_eq!(private.private, ceiling.private);
        assert_eq!(ceiling.graph, ceiling.truth);
        assert_ne!(private.private, world(Variant::Private, 2).private);
        let public = world(Variant::PublicOnly, 1);
        assert_eq!(public.graph, public.public);
        assert!(private.card.is_some() && ceiling.card.is_none());
        assert_eq!(private.graph, world(Variant::Private, 1).graph, "noise follows from the seed");
    }

    /// Accounts are those of the run: a folder has one file for each kind of release, and both are on the card.
    #[test]
    fn a_release_charges_the_accounts_of_its_run() {
        let folder = tempfile::tempdir().unwrap();
        let dataset = people();
        let bounds =
            privet::graph::Bounds::uniform(0.0, 1.0, privet::graph::BoundsOrigin::Declared);
        let features = dataset.features().unwrap().clone().with_bounds(bounds.unwrap()).unwrap();
        let dataset = dataset.with_features(features).unwrap();
        let mut trial = small(&dataset);
        trial.features = Some(FeatureProtection::new(8.0));
        let release = || {
            let run = Run::in_folder(folder.path()).unwrap();
            trial.release().publish((&dataset).into(), &run)
        };
        let (published, _, card) = release().unwrap();
        let mut names: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".ledger"))
            .collect();
        names.sort();
        assert_eq!(names, ["edges.ledger", "features.ledger"]);
        assert_eq!(card.guarantees.len(), 2);
        assert!(!card.is_simulation());
        assert_eq!(published.graph().node_count(), 60);
        // What is there already is not charged again without notice.
        assert!(release().is_err());
    }

    #[test]
    fn what_cannot_be_learnt_is_said_without_flags() {
        let dataset = people();
        let (graph, ids) = (dataset.graph().clone(), dataset.ids().clone());
        let bare = Dataset::new("bare", graph, ids).unwrap();
        let never = AtomicBool::new(false);
        let error = small(&bare).run(Variant::Clear, 1, &never).unwrap_err().to_string();
        assert!(error.contains("labels") && !error.contains("--"), "{error}");
        let labelled = bare.with_labels(dataset.labels().unwrap().clone()).unwrap();
        let error = small(&labelled).run(Variant::Clear, 1, &never).unwrap_err().to_string();
        assert!(error.contains("features") && !error.contains("--"), "{error}");
    }

    /// Where most edges are private and people have many, votes say more than public edges alone; where nothing lies behind
    /// the noise they are left out, and nothing is lost.
    #[test]
    fn votes_contribute_and_noise_does_no_harm() {
        let blocks = StochasticBlocks {
            nodes: 600,
            mean_degree: 12.0,
            feature_signal: 0.1,
            ..StochasticBlocks::default()
        };
        let dataset = blocks.generate(3).unwrap();
        let trial = HeteroRrTrial::new(NamedData::new("people", &dataset), 0.9);
        let trial = HeteroRrTrial { edges_as: EdgeUse::Votes, ..trial };
        let mean = |variant| {
            let of =
                |seed| trial.run(variant, seed, &AtomicBool::new(false)).unwrap().scores.test();
            (0..3).map(of).sum::<f64>() / 3.0
        };
        let [votes, control, public] =
            [Variant::Private, Variant::Control, Variant::PublicOnly].map(mean);
        assert!(votes > public + 0.05, "{votes} {public}");
        assert!((control - public).abs() < 0.01, "{control} {public}");
        let outcome = trial.run(Variant::Private, 0, &AtomicBool::new(false)).unwrap();
        let [edges] = &outcome.card.unwrap().guarantees[..] else { panic!("one guarantee") };
        assert_eq!((edges.loss.epsilon.get(), edges.loss.delta.get()), (1.0, 0.0));
        let again = HeteroRrTrial { edges_as: EdgeUse::Graph, ..trial.clone() };
        assert_ne!(trial.key(Variant::Private), again.key(Variant::Private));
    }
}
