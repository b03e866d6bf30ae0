//! DPAR measured: no private figure without what stands beside it.
//!
//! | variant | what it shows |
//! |---|---|
//! | [`Variant::Private`] | what the chosen method achieves |
//! | [`Variant::Control`] | the same on people who know nobody: what the noise, not the structure, achieves |
//! | [`Variant::Features`] | DP-SGD on features at the same epsilon, no graph anywhere |
//! | [`Variant::Spread`] | the same model, answers spread over the visitors' graph |
//! | [`Variant::Ceiling`] | no noise: what privacy costs |
//! | [`Variant::Majority`] | the largest class among the visitors: what knowing nothing achieves |
//!
//! Every variant runs with the same seeds, and a seed decides the split, so differences are taken seed by seed.

pub mod membership;
pub mod report;
pub mod unprotected;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use privet::dpar::{Classified, Dpar, Held, Inductive, Method, Open, Plan, Trained, Visitors};
use privet::graph::Dataset;
use privet::learn::metrics::{Paired, Summary, accuracy};
use privet::privacy::Card;
use privet::privacy::unit::{Node, ReplacedNode};
use privet::{Books, Noise, Run};
use privet::{Error, Result};
use serde::{Deserialize, Serialize};

/// Who is hidden: a person who is there or not, or a person who is somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hidden {
    /// There or not.
    NodeAbsent,
    /// Anybody else with the same id.
    NodeReplace,
    /// Connections alone, one at a time; for aggregation perturbation.
    EdgeDp,
}

impl Hidden {
    /// Who or what is protected, and what of the training graph is not, in words.
    pub fn meaning(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::NodeAbsent | Self::NodeReplace => {
                ("the people trained on, each as a whole", None)
            }
            Self::EdgeDp => (
                "each connection among the people trained on",
                Some("the features and classes of the people trained on"),
            ),
        }
    }

    /// The noise that hiding it takes. A method without noise needs none, whatever is hidden.
    ///
    /// # Errors
    /// If a setting makes no sense, or no noise reaches the target.
    pub fn plan(self, system: &Dpar, people: usize) -> Result<Plan> {
        match (self, system.method) {
            (Self::EdgeDp, method) if !matches!(method, Method::NoPrivacy { .. }) => {
                system.plan_edges(people)
            }
            (Self::NodeReplace, _) => system.plan::<ReplacedNode>(people),
            _ => system.plan::<Node>(people),
        }
    }

    /// One run of a system that protects.
    ///
    /// # Errors
    /// Those of the system.
    pub fn classify(
        self,
        system: &Dpar,
        plan: &Plan,
        people: Open,
        visitors: &Visitors,
        run: &Run<'_>,
    ) -> Result<Classified> {
        if self == Self::EdgeDp {
            return system.classify_edges(plan, &people.seal_connections()?, visitors, run);
        }
        let people = Inductive { training: people.seal(), visitors: visitors.clone() };
        match self {
            Self::NodeReplace => system.classify::<ReplacedNode>(plan, &people, run),
            _ => system.classify::<Node>(plan, &people, run),
        }
    }

    /// One run of any method, protected or not.
    ///
    /// # Errors
    /// Those of the system.
    pub fn train(
        self,
        system: &Dpar,
        plan: &Plan,
        people: Open,
        visitors: &Visitors,
        run: &Run<'_>,
    ) -> Result<(Trained, Card)> {
        match system.method {
            Method::NoPrivacy { .. } => unprotected::classify(system, &people, visitors, run),
            _ => Ok(self.classify(system, plan, people, visitors, run)?.into_parts()),
        }
    }
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The chosen method.
    Private,
    /// The same without anybody's connections.
    Control,
    /// Features alone, at the same epsilon.
    Features,
    /// Features alone in training, the visitors' graph in answering.
    Spread,
    /// No noise.
    Ceiling,
    /// The largest class.
    Majority,
}

impl Variant {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 6] =
        [Self::Private, Self::Control, Self::Features, Self::Spread, Self::Ceiling, Self::Majority];

    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Control => "control",
            Self::Features => "features",
            Self::Spread => "spread",
            Self::Ceiling => "ceiling",
            Self::Majority => "majority",
        }
    }

    /// What it is, for a chosen method.
    pub fn about(self, method: Method) -> &'static str {
        match self {
            Self::Private => method.about(),
            Self::Control => "the same noise, and nobody knows anybody",
            Self::Features => Method::Features.about(),
            Self::Spread => Method::Spread.about(),
            Self::Ceiling => Method::NoPrivacy { graph: true }.about(),
            Self::Majority => "the largest class among those classified",
        }
    }
}

/// One experiment.
#[derive(Debug, Clone)]
pub struct Experiment<'a> {
    /// The data in the clear: the experimenter's view.
    pub dataset: &'a Dataset,
    /// The system.
    pub system: Dpar,
    /// Who is hidden.
    pub hidden: Hidden,
    /// Who is classified.
    pub held: Held,
}

/// What one variant scored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scored {
    /// Which.
    pub variant: Variant,
    /// What it is.
    pub about: &'static str,
    /// Accuracy on those held out.
    pub accuracy: Summary,
    /// Seed by seed.
    pub accuracies: Vec<f64>,
    /// What it truly costs; none for what has no guarantee, 0 for what reads nothing.
    pub epsilon: Option<f64>,
    /// What must be true of the data for that; whether it is cannot be asked.
    pub condition: Option<String>,
    /// What the paper says it costs.
    pub printed: Option<f64>,
    /// Seconds per run.
    pub seconds: Summary,
    /// The most rows that read from one node in any run.
    pub most_shared: u32,
}

/// What all variants scored.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// In the order of [`Variant::ALL`], those that make sense for the method.
    pub variants: Vec<Scored>,
    /// Private minus features, seed by seed.
    pub over_features: Paired,
    /// Private minus the same without connections.
    pub over_control: Option<Paired>,
    /// How many people are trained on, and how many rows that makes.
    pub people: usize,
    /// The noise multiplier of training.
    pub noise_multiplier: f64,
    /// The card of a private run: its noise was replayed.
    #[serde(skip)]
    pub card: Card,
}

impl Experiment<'_> {
    /// The system of a variant; none for the majority.
    pub fn system(&self, variant: Variant) -> Option<Dpar> {
        let method = match variant {
            Variant::Private | Variant::Control => self.system.method,
            // Where connections alone are hidden, features need no noise.
            Variant::Features if self.hidden == Hidden::EdgeDp => {
                Method::NoPrivacy { graph: false }
            }
            Variant::Features => Method::Features,
            Variant::Spread => Method::Spread,
            Variant::Ceiling => Method::NoPrivacy { graph: true },
            Variant::Majority => return None,
        };
        Some(Dpar { method, ..self.system.clone() })
    }

    /// The variants that say something for the method.
    pub fn variants(&self) -> Vec<Variant> {
        let says_something = |variant: &Variant| match variant {
            Variant::Control => self.system.method.reads_connections(),
            Variant::Spread => self.hidden != Hidden::EdgeDp,
            _ => true,
        };
        Variant::ALL.into_iter().filter(says_something).collect()
    }

    /// Runs every variant with every seed. `progress` hears how many runs are done, and out of how many.
    ///
    /// # Errors
    /// The first that a run met, or that there are no seeds.
    pub fn compare(
        &self,
        seeds: &[u64],
        interrupt: &AtomicBool,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<Comparison> {
        let none = || Error::invalid("runs", seeds.len(), "at least 1");
        let people = Open::split(self.dataset, self.held, 0)?.0.classes.len();
        let (variants, mut done) = (self.variants(), 0);
        let total = variants.len() * seeds.len();
        let (mut scored, mut card, mut noise) = (Vec::new(), None, 0.0);
        for &variant in &variants {
            let planned = match self.system(variant) {
                Some(system) => Some((self.hidden.plan(&system, people)?, system)),
                None => None,
            };
            let mut runs = Vec::new();
            for &seed in seeds {
                if interrupt.load(Ordering::Relaxed) {
                    return Err(privet::learn::Error::Interrupted.into());
                }
                let run = self.run(variant, planned.as_ref(), seed, interrupt)?;
                runs.push((run.accuracy, run.seconds, run.most_shared));
                if variant == Variant::Private {
                    card = card.or(run.card);
                }
                done += 1;
                progress(done, total);
            }
            if variant == Variant::Private {
                noise = planned.as_ref().map_or(0.0, |(plan, _)| plan.training.noise_multiplier);
            }
            let plan = planned.map(|(plan, _)| plan);
            scored.push(self.scored(variant, plan.as_ref(), &runs).ok_or_else(none)?);
        }
        let of = |wanted: Variant| {
            scored.iter().find(|row| row.variant == wanted).map(|row| row.accuracies.clone())
        };
        let private = of(Variant::Private).ok_or_else(none)?;
        let over = |other: Option<Vec<f64>>| other.and_then(|other| Paired::of(&private, &other));
        Ok(Comparison {
            over_features: over(of(Variant::Features)).ok_or_else(none)?,
            over_control: over(of(Variant::Control)),
            people,
            noise_multiplier: noise,
            card: card.ok_or_else(none)?,
            variants: scored,
        })
    }

    /// One run; the seed decides the split, the noise (a simulation) and the first weights.
    fn run(
        &self,
        variant: Variant,
        planned: Option<&(Plan, Dpar)>,
        seed: u64,
        interrupt: &AtomicBool,
    ) -> Result<Once> {
        let (mut people, visitors) = Open::split(self.dataset, self.held, seed)?;
        let Some((plan, system)) = planned else {
            let accuracy = visitors.majority(people.class_count);
            return Ok(Once { accuracy, ..Once::default() });
        };
        if variant == Variant::Control {
            people = people.forget_connections()?;
        }
        let run = Run { noise: Noise::Replay(seed), books: Books::Memory, seed, interrupt };
        let begun = Instant::now();
        let (trained, card) = self.hidden.train(system, plan, people, &visitors, &run)?;
        let accuracy = accuracy(&trained.predicted, &visitors.classes).unwrap_or(0.0);
        let seconds = begun.elapsed().as_secs_f64();
        Ok(Once { accuracy, seconds, most_shared: trained.most_shared, card: Some(card) })
    }

    /// One run with noise and books of the caller's choice.
    ///
    /// # Errors
    /// Those of the system.
    pub fn release(&self, noise: Noise, books: Books, seed: u64) -> Result<Classified> {
        let (people, visitors) = Open::split(self.dataset, self.held, seed)?;
        let plan = self.hidden.plan(&self.system, people.classes.len())?;
        let run = Run { noise, books, seed, interrupt: &AtomicBool::new(false) };
        self.hidden.classify(&self.system, &plan, people, &visitors, &run)
    }

    fn scored(
        &self,
        variant: Variant,
        plan: Option<&Plan>,
        runs: &[(f64, f64, u32)],
    ) -> Option<Scored> {
        let accuracies: Vec<f64> = runs.iter().map(|run| run.0).collect();
        Some(Scored {
            variant,
            about: match (self.hidden, variant) {
                (Hidden::EdgeDp, Variant::Features) => Method::NoPrivacy { graph: false }.about(),
                _ => variant.about(self.system.method),
            },
            accuracy: Summary::of(&accuracies)?,
            accuracies,
            epsilon: match plan {
                None => Some(0.0),
                // No connection is read.
                Some(_) if self.hidden == Hidden::EdgeDp && variant == Variant::Features => {
                    Some(0.0)
                }
                Some(plan) => Some(plan.loss.epsilon.get()).filter(|epsilon| epsilon.is_finite()),
            },
            condition: plan.and_then(|plan| plan.condition.clone()),
            printed: plan.and_then(|plan| Some(plan.printed.as_ref()?.total.get())),
            seconds: Summary::of(&runs.iter().map(|run| run.1).collect::<Vec<_>>())?,
            most_shared: runs.iter().map(|run| run.2).max().unwrap_or(0),
        })
    }
}

/// What came of one run.
#[derive(Default)]
struct Once {
    accuracy: f64,
    seconds: f64,
    most_shared: u32,
    card: Option<Card>,
}
