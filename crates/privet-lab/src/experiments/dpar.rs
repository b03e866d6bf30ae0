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

pub mod report;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use privet::dpar::{Classified, Dpar, Held, Inductive, Method, Plan};
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
            Variant::Features => Method::Features,
            Variant::Spread => Method::Spread,
            Variant::Ceiling => Method::NoPrivacy { graph: true },
            Variant::Majority => return None,
        };
        Some(Dpar { method, ..self.system.clone() })
    }

    /// The variants that say something for the method.
    pub fn variants(&self) -> Vec<Variant> {
        let method = self.system.method;
        let reads_graph = method.reads_structure() || method == Method::Gap;
        Variant::ALL.into_iter().filter(|&v| reads_graph || v != Variant::Control).collect()
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
        let people = Inductive::split(self.dataset, self.held, 0)?.training.len();
        let (variants, mut done) = (self.variants(), 0);
        let total = variants.len() * seeds.len();
        let (mut scored, mut card, mut noise) = (Vec::new(), None, 0.0);
        for &variant in &variants {
            let planned = match self.system(variant) {
                Some(system) => Some((self.plan(&system, people)?, system)),
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

    fn plan(&self, system: &Dpar, people: usize) -> Result<Plan> {
        match self.hidden {
            Hidden::NodeAbsent => system.plan::<Node>(people),
            Hidden::NodeReplace => system.plan::<ReplacedNode>(people),
        }
    }

    /// One run; the seed decides the split, the noise (a simulation) and the first weights.
    fn run(
        &self,
        variant: Variant,
        planned: Option<&(Plan, Dpar)>,
        seed: u64,
        interrupt: &AtomicBool,
    ) -> Result<Once> {
        let mut people = Inductive::split(self.dataset, self.held, seed)?;
        let Some((plan, system)) = planned else {
            return Ok(Once { accuracy: people.majority(), ..Once::default() });
        };
        if variant == Variant::Control {
            people.training.forget_connections()?;
        }
        let run = Run { noise: Noise::Replay(seed), books: Books::Memory, seed, interrupt };
        let begun = Instant::now();
        let result = self.classify(system, plan, &people, &run)?;
        let accuracy = accuracy(&result.predicted, &people.visitors.classes).unwrap_or(0.0);
        let seconds = begun.elapsed().as_secs_f64();
        let (most_shared, card) = (result.most_shared, Some(result.card));
        Ok(Once { accuracy, seconds, most_shared, card })
    }

    /// One run with noise and books of the caller's choice.
    ///
    /// # Errors
    /// Those of the system.
    pub fn release(&self, noise: Noise, books: Books, seed: u64) -> Result<Classified> {
        let people = Inductive::split(self.dataset, self.held, seed)?;
        let plan = self.plan(&self.system, people.training.len())?;
        let run = Run { noise, books, seed, interrupt: &AtomicBool::new(false) };
        self.classify(&self.system, &plan, &people, &run)
    }

    fn classify(
        &self,
        system: &Dpar,
        plan: &Plan,
        people: &Inductive,
        run: &Run<'_>,
    ) -> Result<Classified> {
        match self.hidden {
            Hidden::NodeAbsent => system.classify::<Node>(plan, people, run),
            Hidden::NodeReplace => system.classify::<ReplacedNode>(plan, people, run),
        }
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
            about: variant.about(self.system.method),
            accuracy: Summary::of(&accuracies)?,
            accuracies,
            epsilon: match plan {
                None => Some(0.0),
                Some(plan) => Some(plan.loss.epsilon.get()).filter(|epsilon| epsilon.is_finite()),
            },
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
