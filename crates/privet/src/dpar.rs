//! DPAR: a classifier of nodes trained on a private graph, in a trusted curator's hands, so that an attacker cannot
//! tell from it whether any one person, with all connections, features and label, was in the graph.
//!
//! Paper: Zhang, Lee, Ma, Lou, Yang, Xiong, "DPAR: Decoupled Graph Neural Networks with Node-Level Differential
//! Privacy" (WWW 2024). Who is near whom is released once (the best K of noisy personalised PageRank);
//! then a network is trained by DP-SGD on rows that average its answers over those K nodes.
//!
//! # Follow the data
//! ```text
//! Dataset      --Inductive::split-->  Training (secret)  and  Visitors (who ask later)       [`people`]
//! Dpar::plan   --> Plan: how much noise each step needs, what all of it costs                 [`plan`], [`paper`]
//! Training     --DP-APPR-->  picks  --columns::cap-->  weights                                [`structure`], [`columns`]
//! Training, weights  --DP-SGD-->  Mlp                                                         [`train`]
//! Training           --sums by class-->  Mlp, where that does better than steps               [`class_sums`]
//! Training           --gradient descent-->  Mlp, on all rows at once                          `gradient_descent`
//! Training           --hidden layer-->  Mlp, where a linear model is the limit                `hidden_layer`
//! Mlp, Visitors      --likeness, power iteration-->  classes                                  [`likeness`], [`infer`]
//! Training, Visitors  --votes-->  classes                                                     [`votes`]
//! Visitors           --Projection-->  shorter rows for all people, if wanted                   [`project`]
//! ```
//! [`gap`] is the same for aggregation perturbation, [`sage`] for subgraphs of one hop, [`Method`](crate::Method::DPAR) lists what can be compared, and
//! [`Settings`] holds everything that is set in public.
//!
//! # Differs from the paper
//! The printed guarantee does not hold: its amplification is linear, its candidates are the present nodes, and
//! clipping columns of weights does not bound what a node does to clipped gradients. In
//! [`Mode::Rigorous`] ids are public, a node is read by at most `m` rows besides its own, and the noise follows
//! from the pair that dominates such sums. [`Mode::Paper`] adds the printed noise, and its card has the true
//! epsilon beside the printed one.

pub mod agreement;
pub mod class_sums;
pub mod columns;
pub mod gap;
pub(crate) mod gradient_descent;
pub(crate) mod hidden_layer;
pub mod infer;
pub mod likeness;
pub mod paper;
pub mod people;
pub mod plan;
pub mod project;
mod relation;
pub mod sage;
pub mod settings;
pub mod structure;
pub mod train;
pub mod votes;

#[cfg(test)]
mod tests;

pub use people::{
    HeldOut, Inductive, OpenPeople, PeopleWithSecretEdges, Training, UNKNOWN, Visitors,
};
pub use plan::Plan;
use project::Projection;
pub use settings::{Inference, Mode, ModelSettings, PrintedNoise, Settings, Structure};

use crate::graph::{DenseMatrix, Features, SimRng};
use crate::learn::models::{Mlp, likeliest};
use crate::privacy::aggregation::SummedUnit;
use crate::privacy::appr::NodeUnit;
use crate::privacy::neighbour_votes::VotingUnit;
use crate::privacy::sgd::TrainingUnit;
use crate::privacy::unit::{Edge, Node, ReplacedNode};
use crate::privacy::{Ledger, Loss, Release, Unit};
use crate::{Error, Method, Protected, Result, Run};

/// Units that the whole system can protect: a person who is there or not, or who is replaced.
pub trait Person: NodeUnit + TrainingUnit + SummedUnit + VotingUnit {}
impl Person for Node {}
impl Person for ReplacedNode {}

/// The whole system.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Dpar {
    /// What is trained, and on what.
    pub method: Method,
    /// How noise is calibrated.
    pub mode: Mode,
    /// The guarantee (in `paper` mode, the printed one).
    pub target: Loss,
    /// Everything that is set in public.
    pub settings: Settings,
}

/// A classifier, and what it says about the visitors.
#[derive(Debug, Clone)]
pub struct TrainedClassifier {
    /// The classifier.
    pub model: Mlp,
    /// What makes the rows that the classifier reads, for aggregation perturbation.
    pub encoder: Option<Mlp>,
    /// The class of every visitor.
    pub predicted: Vec<u32>,
    /// What it says of every visitor, class by class; not known of one that was read from a folder.
    pub scores: Option<DenseMatrix>,
    /// The most training rows that read from one node, as it happened to be: a fact about this run, no guarantee.
    pub most_shared: u32,
    /// How unsure noise makes a model of sums about one person's part, which is public; 0 for other models.
    pub doubt: f64,
}

impl TrainedClassifier {
    /// A classifier that has classified no one yet, and whose rows read from one node each.
    pub fn of(model: Mlp) -> Self {
        let (predicted, scores) = (Vec::new(), None);
        Self { model, encoder: None, predicted, scores, most_shared: 1, doubt: 0.0 }
    }

    /// Takes what was said of the visitors for its answers.
    pub fn answer(&mut self, scores: DenseMatrix) {
        self.predicted = likeliest(&scores);
        self.scores = Some(scores);
    }
}

impl Dpar {
    /// A system whose settings make sense.
    ///
    /// # Errors
    /// If one does not.
    pub fn new(method: Method, mode: Mode, target: Loss, settings: Settings) -> Result<Self> {
        let system = Self { method, mode, target, settings };
        system.check()?;
        Ok(system)
    }

    fn check(&self) -> Result<()> {
        let (epsilon, delta) = (self.target.epsilon.get(), self.target.delta.get());
        let positive = "a finite number above 0";
        Error::unless(epsilon > 0.0 && epsilon.is_finite(), "epsilon", epsilon, positive)?;
        Error::unless(delta > 0.0, "delta", delta, positive)?;
        if self.method.reads_centred_rows() && self.settings.projection > 0 {
            let expected = "0 for gradient-descent and hidden-layer, which read whole rows";
            return Err(Error::invalid("projection", self.settings.projection, expected));
        }
        self.settings.check()
    }

    /// Trains on the secret graph and classifies the visitors.
    ///
    /// ```
    /// use privet::dpar::{Dpar, HeldOut, Inductive, Mode, Settings};
    /// use privet::Method;
    /// use privet::Run;
    /// use privet::data::synthetic::StochasticBlocks;
    /// use privet::privacy::{Loss, unit::Node};
    ///
    /// let blocks = StochasticBlocks { nodes: 300, classes: 2, features: 20, ..Default::default() };
    /// let people = Inductive::split(&blocks.generate(1)?, HeldOut::Test, 1)?;
    /// let mut settings = Settings::rigorous();
    /// (settings.model.steps, settings.structure.sources) = (10, 20);
    /// let target = Loss::new(8.0, 1e-3)?;
    /// let system = Dpar { method: Method::Em0, mode: Mode::Rigorous, target, settings };
    /// let plan = system.plan::<Node>(people.training.len())?;
    /// let run = Run::simulation(1);
    /// let result = system.classify::<Node>(&plan, &people, &run)?;
    /// assert_eq!(result.get().predicted.len(), 60);
    /// assert!(result.card().guarantees[0].loss.epsilon.get() <= 8.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the plan is for another number of people, a setting makes no sense, or the run is interrupted.
    pub fn classify<U: Person>(
        &self,
        plan: &Plan,
        people: &Inductive,
        run: &Run<'_>,
    ) -> Result<Protected<TrainedClassifier>> {
        let Inductive { training, visitors } = people;
        if plan.people != training.len() {
            return Err(Error::invalid("people in the plan", plan.people, training.len()));
        }
        if self.method.in_the_clear() {
            let expected = "one that protects: what is in the clear is compared elsewhere";
            return Err(Error::invalid("method", self.method.name(), expected));
        }
        let mut ledger: Ledger<U> = run.ledgers.open("nodes", plan.limit(), run.noise, (0, 3))?;
        let short = match self.settings.projection {
            0 => None,
            width => Some(Projection::of(visitors, width, run.seed)),
        };
        if self.method == Method::Gap {
            return gap::classify(self, plan, training, visitors, ledger, run, short.as_ref());
        }
        if self.method == Method::NeighbourVotes {
            return votes::classify(self, plan, training, visitors, ledger, run);
        }
        if self.method == Method::Sage {
            return sage::classify(self, plan, training, visitors, ledger, run);
        }
        let learnt = self.learn(plan, training, &mut ledger, run, short.as_ref())?;
        let doubt = self.doubt(plan, training.class_count());
        let trained = learnt.try_map(|(model, most_shared)| -> Result<_> {
            let mut trained =
                TrainedClassifier { most_shared, doubt, ..TrainedClassifier::of(model) };
            trained.answer(self.answers(&trained, visitors)?);
            Ok(trained)
        })?;
        self.protected(trained, training.name(), &ledger)
    }

    /// The classifier alone, out of a ledger of the caller's choice, and the most training rows that read from one
    /// node. Not for aggregation perturbation, which needs the visitors too.
    ///
    /// # Errors
    /// If a setting makes no sense, the ledger refuses, or the run is interrupted.
    pub fn learn<U: Person>(
        &self,
        plan: &Plan,
        training: &Training,
        ledger: &mut Ledger<U>,
        run: &Run<'_>,
        short: Option<&Projection>,
    ) -> Result<Release<(Mlp, u32), U>> {
        let sampled = plan.sampled(run.seed);
        let people = training.all_people().sampled(sampled.as_deref());
        let weights = match plan.structure {
            None => None,
            Some(noise) => {
                let rng = &mut SimRng::stream(run.seed, SOURCES);
                Some(structure::weights(self, plan, noise, people, ledger, rng)?)
            }
        };
        train::train(self, plan, people, weights, ledger, run, short)
    }

    /// Trains on the secret graph and classifies no one yet: [`probabilities`](Self::probabilities) is for people who come
    /// later. Not for votes, aggregation perturbation and subgraphs, which need the visitors to train.
    ///
    /// ```
    /// use privet::dpar::{Dpar, Mode, Settings, Training, Visitors};
    /// use privet::Method;
    /// use privet::{Run, data::synthetic::StochasticBlocks, privacy::{Loss, unit::Node}};
    /// let blocks = StochasticBlocks { nodes: 300, classes: 2, features: 20, ..Default::default() };
    /// let (before, after) = (blocks.generate(1)?, blocks.generate(2)?);
    /// let mut settings = Settings::rigorous();
    /// settings.model.steps = 10;
    /// let target = Loss::new(8.0, 1e-3)?;
    /// let system = Dpar::new(Method::SmoothedSgd, Mode::Rigorous, target, settings)?;
    /// let trained = system.fit::<Node>(&Training::of(&before, 2)?, &Run::simulation(1))?;
    /// let shares = system.probabilities(trained.get(), &Visitors::of(&after)?)?;
    /// assert!((shares.row(0).iter().sum::<f32>() - 1.0).abs() < 1e-5);
    /// # Ok::<(), privet::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the method needs visitors, no noise keeps the target, or a ledger refuses.
    pub fn fit<U: Person>(
        &self,
        training: &Training,
        run: &Run<'_>,
    ) -> Result<Protected<TrainedClassifier>> {
        let with_visitors = [Method::NeighbourVotes, Method::Gap, Method::Sage];
        if self.method.in_the_clear() || with_visitors.contains(&self.method) {
            let expected = "em0, em1, gm, features, smoothed-sgd, class-sums, gradient-descent or hidden-layer: others train with those they classify";
            return Err(Error::invalid("method", self.method.name(), expected));
        }
        let plan = self.plan::<U>(training.len())?;
        run.ledgers.accounted(|| {
            let mut ledger: Ledger<U> =
                run.ledgers.open("nodes", plan.limit(), run.noise, (0, 3))?;
            let learnt = self.learn(&plan, training, &mut ledger, run, None)?;
            let doubt = self.doubt(&plan, training.class_count());
            let trained = learnt.map(|(model, most_shared)| TrainedClassifier {
                most_shared,
                doubt,
                ..TrainedClassifier::of(model)
            });
            self.protected(trained, training.name(), &ledger)
        })
    }

    /// How likely each class is for all people, once answers are spread over their graph.
    ///
    /// # Errors
    /// If the model takes other rows.
    pub fn probabilities(
        &self,
        trained: &TrainedClassifier,
        about: &Visitors,
    ) -> Result<DenseMatrix> {
        let wanted = self.columns_read(trained.encoder.as_ref().unwrap_or(&trained.model));
        if about.features.columns() != wanted {
            let found = about.features.columns();
            return Err(Error::invalid("columns of a row", found, wanted));
        }
        let mut scores = self.answers(trained, about)?;
        (0..scores.rows()).for_each(|row| crate::model::softmax(scores.row_mut(row)));
        Ok(scores)
    }

    /// How many columns of a person's record a network stands for: a constant may stand beside them.
    pub(crate) fn columns_read(&self, network: &Mlp) -> usize {
        let constant = usize::from(self.method.reads_centred_rows());
        network.config().inputs.saturating_sub(constant)
    }

    /// Scores of all people, drawn together where rows are alike and spread over their graph, as the method does.
    fn answers(&self, trained: &TrainedClassifier, about: &Visitors) -> Result<DenseMatrix> {
        let per_visitor = self.settings.likeness * trained.doubt;
        let rows = self.rows_read(trained, about)?;
        let scores = infer::scores(&trained.model, &rows);
        let scores = likeness::drawn_together(&rows, scores, per_visitor);
        match self.method {
            Method::Features | Method::Gap | Method::Sage => Ok(scores),
            _ => infer::spread(&about.graph, scores, self.settings.inference),
        }
    }

    fn doubt(&self, plan: &Plan, classes: usize) -> f64 {
        if self.method == Method::ClassSums { class_sums::doubt(plan, classes) } else { 0.0 }
    }

    /// The same where connections alone are secret; features and classes of the people trained on are read as they
    /// are. For aggregation perturbation.
    ///
    /// # Errors
    /// As for [`classify`](Self::classify).
    pub fn classify_edges(
        &self,
        plan: &Plan,
        people: &PeopleWithSecretEdges,
        visitors: &Visitors,
        run: &Run<'_>,
    ) -> Result<Protected<TrainedClassifier>> {
        let ledger: Ledger<Edge> = run.ledgers.open("edges", plan.limit(), run.noise, (0, 3))?;
        gap::classify_edges(self, plan, people, visitors, ledger, run)
    }

    /// What a trained model says about nodes of any graph, class by class, before answers are spread.
    ///
    /// # Errors
    /// If the model takes other rows.
    pub fn scores(&self, trained: &TrainedClassifier, about: &Visitors) -> Result<DenseMatrix> {
        Ok(infer::scores(&trained.model, &self.rows_read(trained, about)?))
    }

    /// The rows of visitors as the model reads them.
    fn rows_read(&self, trained: &TrainedClassifier, about: &Visitors) -> Result<Features> {
        Ok(match (self.method, &trained.encoder) {
            (Method::Gap, Some(encoder)) => gap::rows(encoder, about, self.settings.structure.hops),
            (method, _) if method.reads_centred_rows() => about.descent_rows()?,
            (Method::Sage, _) => sage::rows(&about.features, &sage::every(&about.graph))?,
            _ => about.features.clone(),
        })
    }

    fn protected<T, U: Unit>(
        &self,
        trained: Release<T, U>,
        name: &str,
        ledger: &Ledger<U>,
    ) -> Result<Protected<T>> {
        let trained = trained.protected(ledger)?;
        let about = format!("{name}: a classifier of nodes, by {}", self.method.name());
        Ok(UNPROTECTED.into_iter().fold(trained.about(about), Protected::with_unprotected))
    }
}

/// What no method hides.
pub(crate) const UNPROTECTED: [&str; 2] = [
    "the ids of the people it was trained on, and how many they are",
    "the features and connections of those who are classified later",
];

/// What seeds decide, apart from one another.
const SAMPLE: u64 = 1;
const SOURCES: u64 = 2;
const NEIGHBOURS: u64 = 4;
