//! Sending less, but what matters: where some people are public, a model learned from them runs on every
//! device, and only its answer is randomised ([`AnswerRr`]).
//!
//! At small epsilon a row of a thousand features cannot be sent: HDS reports a few columns, each close to
//! noise, and on Cora its accuracy is that of the graph alone. One answer out of c classes can be sent:
//! at epsilon 2 it is true with probability 0.55 for 7 classes. The collector decodes it without bias,
//! spreads it over the graph at several radii, and sets it beside columns of pure noise spread the same
//! way, which carry the graph and cost nothing.
//!
//! # Who is protected
//! Everyone who is not a volunteer, by the whole epsilon under the unit
//! [`FeatureRow`]. Volunteers publish their rows; who they are must not depend on any user's features.

use rand::RngExt;

use super::NodeClassifier;
use super::edges::Ties;
use super::embed::{Embedding, Spreading, scale_to_columns, side_by_side};
use super::label_spread::LabelSpread;
use super::learn::Learner;
use super::way::{ClassifierCandidates, ClassifierKind, TrainingInputs};
use crate::graph::{
    Dataset, DenseMatrix, FeatureMatrix, Features, Graph, Labels, NodeId, SimRng, Split,
};
use crate::labels::one_each;
use crate::learn::models::{Classification, ItemRows, Logistic};
use crate::learn::parameters::Parameters;
use crate::learn::train::{AdamConfig, BatchSize, Fit, FitConfig, OptimizerConfig, WeightDecay};
use crate::privacy::features::{AnswerRr, LinearModel};
use crate::privacy::public::Public;
use crate::privacy::unit::{DataPart, FeatureRow};
use crate::privacy::{Ledger, Population, Secret};
use crate::stage::Stage;
use crate::{Error, Protected, Result, Run};

/// Settings.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Answers {
    /// The budget of one answer.
    pub epsilon: f64,
    /// Decay factors: the radii at which answers are spread.
    pub radii: Vec<f64>,
    /// Columns of pure noise spread over the graph.
    #[serde(rename = "noise_columns")]
    pub structure: usize,
    /// From embeddings to predictions.
    pub learner: Learner,
    /// Which ways to find each user's class are tried; features are answers here.
    pub ways: Vec<ClassifierKind>,
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            epsilon: 1.0,
            radii: vec![0.05, 0.2, 0.5],
            structure: 1024,
            learner: Learner {
                dropout: 0.7,
                weight_decay: 2e-3,
                learning_rate: 0.001,
                batch: 128,
                ..Learner::default()
            },
            ways: vec![ClassifierKind::Features],
        }
    }
}

/// People of whom some publish their features.
pub struct MixedPeople {
    name: String,
    graph: Graph,
    labels: Labels,
    volunteers: Vec<NodeId>,
    published: Features,
    others: Vec<NodeId>,
    secret: Secret<Features>,
}

impl MixedPeople {
    /// Splits a dataset into volunteers, a random share of all, and others, whose rows are wrapped.
    ///
    /// # Errors
    /// If features or labels are missing, or the share is not between 0 and 1.
    pub fn new(dataset: &Dataset, share: f64, seed: u64) -> Result<Self> {
        let features = super::people::features_of(dataset)?;
        Self::holding(dataset, features, share, seed)
    }

    /// The same, but every user who is not a volunteer holds the same row of zeros.
    ///
    /// # Errors
    /// As [`MixedPeople::new`].
    pub fn with_constant_features(dataset: &Dataset, share: f64, seed: u64) -> Result<Self> {
        let mut people = Self::new(dataset, share, seed)?;
        let constant = DenseMatrix::zeros(people.others.len(), people.published.columns());
        people.secret = Secret::new(Features::dense(constant));
        Ok(people)
    }

    /// Who volunteers, in order, and their rows: public.
    pub fn published(&self) -> (&[NodeId], &Features) {
        (&self.volunteers, &self.published)
    }

    fn holding(dataset: &Dataset, features: &Features, share: f64, seed: u64) -> Result<Self> {
        if !(share > 0.0 && share < 1.0) {
            return Err(Error::invalid("share of volunteers", share, "between 0 and 1"));
        }
        let remedy = "the model on each device is learned from the volunteers' labels";
        let labels = one_each(dataset.labels(), dataset.name(), remedy)?;
        let mut rng = SimRng::stream(seed, 0x0b7);
        let (volunteers, others): (Vec<NodeId>, Vec<NodeId>) =
            dataset.graph().nodes().partition(|_| rng.random::<f64>() < share);
        Ok(Self {
            name: dataset.name().to_owned(),
            graph: dataset.graph().clone(),
            labels: labels.clone(),
            published: features.select(&volunteers),
            secret: Secret::new(features.select(&others)),
            volunteers,
            others,
        })
    }
}

impl Answers {
    /// Learns a model from the volunteers of the training split, asks all other users for its answer,
    /// and classifies.
    ///
    /// # Errors
    /// If there are no volunteers to learn from, a setting makes no sense, or training fails.
    pub fn classify(
        &self,
        people: &MixedPeople,
        split: &Split,
        run: &Run<'_>,
    ) -> Result<Protected<NodeClassifier>> {
        let model = public_model(people, split, run)?;
        self.collect(people, model, run)?.try_map(|answers| {
            let ties = Ties { graph: people.graph.clone(), confidence: None };
            let (ties, labels, features) = (&ties, &people.labels, None);
            let ground = TrainingInputs { ties, features, labels, keep: 1.0, split };
            let embed = || self.embed(&people.graph, answers, run.seed);
            let labels = LabelSpread::default();
            let ways =
                ClassifierCandidates { list: &self.ways, labels: &labels, learner: &self.learner };
            ways.choose(ground, embed, run)
        })
    }

    /// One column per class: the volunteers' answers as they are, the others' decoded so that their mean
    /// is the truth: `(1[report = c] - q) / (p - q)`.
    fn collect(
        &self,
        people: &MixedPeople,
        model: LinearModel,
        run: &Run<'_>,
    ) -> Result<Protected<DenseMatrix>> {
        let classes = people.labels.class_count();
        let mut answers = DenseMatrix::zeros(people.graph.node_count(), classes);
        for (at, &node) in people.volunteers.iter().enumerate() {
            let answer = model.answer(&people.published.record(at));
            answers.row_mut(node as usize)[answer as usize] = 1.0;
        }
        let mechanism = AnswerRr::new(self.epsilon, Public::from_public_data(model))?;
        let stage = Stage::pure(DataPart::Features, self.epsilon, mechanism)?;
        let mut ledger: Ledger<FeatureRow> = stage.open(&run.ledgers, run.noise)?;
        let reports = ledger.release_each(&people.secret, &stage.mechanism)?;
        let keep = stage.mechanism.keep_probability();
        let other = (1.0 - keep) / (classes - 1) as f64;
        let (miss, hit) = (-other / (keep - other), (1.0 - other) / (keep - other));
        let answers = reports.map(|reports| {
            for (&node, report) in people.others.iter().zip(reports) {
                let row = answers.row_mut(node as usize);
                row.fill(miss as f32);
                row[report as usize] = hit as f32;
            }
            answers
        });
        Ok(answers
            .protected(&ledger)?
            .about(format!("{}: answers of a public model", people.name))
            .with_unprotected(format!("features of {} volunteers", people.volunteers.len()))
            .with_unprotected("labels")
            .with_unprotected("edges")
            .with_unprotected("who takes part"))
    }

    /// Answers as they are and at every radius, beside spread noise.
    fn embed(&self, graph: &Graph, answers: DenseMatrix, seed: u64) -> Result<DenseMatrix> {
        let mut parts = vec![];
        let answers = FeatureMatrix::Dense(answers);
        let methods = std::iter::once((1.0, Spreading::None))
            .chain(self.radii.iter().map(|&alpha| (alpha, Spreading::Power)));
        for (alpha, method) in methods {
            let embedding = Embedding { alpha, exponent: 0.5, method, ..Embedding::default() };
            parts.push(embedding.run(graph, &answers, seed)?);
        }
        if self.structure > 0 {
            scale_to_columns(&mut parts, self.structure);
            let mut rng = SimRng::stream(seed, 0x57c);
            let signs = (0..graph.node_count() * self.structure)
                .map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 })
                .collect();
            let signs = DenseMatrix::new(graph.node_count(), self.structure, signs)?;
            let embedding = Embedding { alpha: 0.05, exponent: 0.5, ..Embedding::default() };
            parts.push(embedding.run(graph, &FeatureMatrix::Dense(signs), seed)?);
        }
        Ok(side_by_side(&parts))
    }
}

/// A linear classifier of the volunteers who may be trained on.
fn public_model(people: &MixedPeople, split: &Split, run: &Run<'_>) -> Result<LinearModel> {
    let usable: Vec<NodeId> = (0..)
        .zip(&people.volunteers)
        .filter(|(_, node)| split.train.binary_search(node).is_ok())
        .map(|(at, _)| at)
        .collect();
    if usable.is_empty() {
        return Err(Error::invalid("volunteers in the training split", 0, "at least 1"));
    }
    let labels = people.labels.select(&people.volunteers);
    let mut model = Logistic::new(people.published.columns(), labels.class_count())?;
    let rows: ItemRows<'_> = people.published.matrix().into();
    let mut task = Classification::new(&mut model, rows, &labels, &usable, &[])?;
    let weight_decay = WeightDecay::L2(1e-3);
    let config = FitConfig {
        epochs: 150,
        batch: BatchSize::Full,
        optimizer: OptimizerConfig::Adam(AdamConfig { weight_decay, ..AdamConfig::default() }),
        seed: run.seed,
        ..FitConfig::default()
    };
    Fit::new(config).watched_by(run.watch).run(&mut task)?;
    let tensors = model.snapshot();
    let values: Vec<&DenseMatrix> = tensors.values.iter().map(|(_, value)| value).collect();
    match values[..] {
        [weights, biases] => Ok(LinearModel::new(weights.clone(), biases.values().to_vec())?),
        _ => Err(Error::invalid("tensors of a linear model", values.len(), "weights and biases")),
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::data::synthetic::StochasticBlocks;
    use crate::graph::SplitShares;

    #[test]
    fn answers_help_where_the_graph_does_not() {
        let blocks = StochasticBlocks {
            nodes: 600,
            classes: 3,
            features: 30,
            homophily: 0.34,
            ..StochasticBlocks::default()
        };
        let dataset = blocks.generate(3).unwrap();
        let split = Split::random(0..600, SplitShares::HALF_QUARTER_QUARTER, 1).unwrap();
        let run = Run::simulation(1);
        let system = Answers {
            epsilon: 6.0,
            structure: 0,
            learner: Learner { epochs: 40, learning_rate: 0.01, ..Learner::default() },
            ..Answers::default()
        };
        let labels = dataset.labels().unwrap();
        let right = |people: &MixedPeople| {
            let result = system.classify(people, &split, &run).unwrap();
            assert_eq!(result.card().guarantees[0].loss.epsilon.get(), 6.0);
            let hit =
                |node: &&u32| labels.class(**node) == Some(result.get().predicted[**node as usize]);
            split.test.iter().filter(hit).count()
        };
        let real = right(&MixedPeople::new(&dataset, 0.3, 1).unwrap());
        let control = right(&MixedPeople::with_constant_features(&dataset, 0.3, 1).unwrap());
        assert!(real > control + 15, "{real} of 150 against {control}");
    }

    #[test]
    fn nonsense_is_refused() {
        let dataset = StochasticBlocks::default().generate(1).unwrap();
        assert!(MixedPeople::new(&dataset, 0.0, 1).is_err());
        assert!(MixedPeople::new(&dataset, 1.0, 1).is_err());
    }
}
