//! What can be asked of DPAR: `privet run dpar`.

use clap::ValueEnum;
use privet::doubts::default_delta;
use privet::dpar::{Dpar, Method, Mode, Settings};
use privet::privacy::Loss;
use privet_lab::experiments::dpar::Hidden;

use super::ldp_ge::{Widths, parse_widths};
use super::reading::Reading;
use super::trial::TrialOptions;
use crate::failure::{Failure, Result};

/// What `privet run dpar --help` says at the end.
const EXAMPLES: &str = "\
A curator holds the graph; what leaves is a classifier from which nobody can tell whether any one person,
with connections, features and label, was in it. Scores come from simulations on an 80/20 split whose
parts are not connected. With -o, one real release is made as well: model, ledger and card in DIR/share, the
report in DIR/private.

In `paper` mode the noise is the published one; its true epsilon is printed beside the published number.

Examples:
  privet run dpar --dataset synthetic --epsilon 4
  privet run dpar --dataset cora_ml --epsilon 8 --method spread --runs 10 -o release
  privet run dpar --dataset cora_ml --epsilon 8 --delta 2e-3 --method em0 --mode paper
  privet run dpar --dataset cora_ml --epsilon 1 --method gap --relation edge-dp";

/// The delta of the published setting, for any number of people.
const PAPER_DELTA: f64 = 1e-4;

/// Arguments of `privet run dpar`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct RunDpar {
    /// On what, and what is promised.
    #[command(flatten)]
    pub promise: DparPromise,
    /// What is trained, and on what
    #[arg(long, default_value = "spread")]
    pub method: DparMethod,
    /// Seeds, report and release.
    #[command(flatten)]
    pub trial: TrialOptions,
}

/// The data, and what its people are promised.
#[derive(Debug, clap::Args)]
pub struct DparPromise {
    /// A benchmark, a file, folder or archive, or `synthetic`: people who do not exist
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: String,
    /// What a person's presence may cost; in `paper` mode, the printed number
    #[arg(long)]
    pub epsilon: f64,
    /// The probability with which that bound may fail [default: the largest power of ten up to a tenth of
    /// one over the number of people; in `paper` mode 1e-4, whatever their number]
    #[arg(long)]
    pub delta: Option<f64>,
    /// Whose noise
    #[arg(long, default_value = "rigorous")]
    pub mode: DparMode,
    /// What is hidden about a person
    #[arg(long, default_value = "node-absent")]
    pub relation: DparRelation,
    /// How it is done.
    #[command(flatten)]
    pub settings: DparSettings,
    /// How to read the data.
    #[command(flatten)]
    pub reading: Reading,
}

impl DparPromise {
    /// The system of a method that keeps the promise, as far as it is known before anybody was counted: see
    /// [`for_people`].
    ///
    /// # Errors
    /// If a number makes no sense.
    pub fn system(&self, method: Method) -> Result<Dpar> {
        let Self { epsilon, mode, .. } = *self;
        let delta = self.delta.unwrap_or(PAPER_DELTA);
        let (target, mode) = (Loss::new(epsilon, delta)?, Mode::from(mode));
        if epsilon <= 0.0 || !epsilon.is_finite() || delta <= 0.0 {
            let message = format!("--epsilon {epsilon} --delta {delta}: not above 0");
            return Err(Failure::usage(message).hint("for example --epsilon 4 --delta 1e-4"));
        }
        let settings = self.settings.apply(Settings::of(mode));
        let share = settings.structure.share;
        match share > 0.0 && share < 1.0 {
            true => Ok(Dpar { method, mode, target, settings }),
            false => Err(Failure::usage(format!("--share {share}: not between 0 and 1"))),
        }
    }
}

/// The system once it is known how many people there are. Unless a delta was typed, it follows their number;
/// with the published noise it stays what it was published with.
///
/// # Errors
/// Never in practice: the numbers were checked.
pub fn for_people(system: Dpar, typed_delta: Option<f64>, people: usize) -> Result<Dpar> {
    match (typed_delta, system.mode) {
        (None, Mode::Rigorous) => {
            let target = Loss::new(system.target.epsilon.get(), default_delta(people))?;
            Ok(Dpar { target, ..system })
        }
        _ => Ok(system),
    }
}

/// What is trained, and on what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DparMethod {
    /// DPAR: noisy top-K, equal weights
    Em0,
    /// DPAR: noisy top-K, noisy weights
    Em1,
    /// DPAR: top-K of Gaussian rows
    Gm,
    /// Features alone, no graph anywhere
    Features,
    /// Features alone in training, answers spread over the visitors' graph
    Spread,
    /// Aggregation perturbation; its guarantee holds only if degrees are bounded
    Gap,
    /// Subgraphs of one hop; its guarantee holds only if degrees are bounded
    Sage,
}

impl From<DparMethod> for Method {
    fn from(method: DparMethod) -> Self {
        match method {
            DparMethod::Em0 => Self::Em0,
            DparMethod::Em1 => Self::Em1,
            DparMethod::Gm => Self::Gm,
            DparMethod::Features => Self::Features,
            DparMethod::Spread => Self::Spread,
            DparMethod::Gap => Self::Gap,
            DparMethod::Sage => Self::Sage,
        }
    }
}

/// Whose noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DparMode {
    /// As much as the epsilon needs, by theorem
    Rigorous,
    /// As much as the paper prescribes; the true epsilon is larger
    Paper,
}

impl From<DparMode> for Mode {
    fn from(mode: DparMode) -> Self {
        match mode {
            DparMode::Rigorous => Self::Rigorous,
            DparMode::Paper => Self::Paper,
        }
    }
}

/// What is hidden about a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DparRelation {
    /// Whether the person is there
    NodeAbsent,
    /// Who the person is
    NodeReplace,
    /// Connections alone, one at a time; for gap. Features and classes are read as they are
    EdgeDp,
}

impl From<DparRelation> for Hidden {
    fn from(relation: DparRelation) -> Self {
        match relation {
            DparRelation::NodeAbsent => Self::NodeAbsent,
            DparRelation::NodeReplace => Self::NodeReplace,
            DparRelation::EdgeDp => Self::EdgeDp,
        }
    }
}

/// How DPAR is done. What is not given comes from the mode.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Settings; those not given come from the mode")]
pub struct DparSettings {
    /// Widths of the hidden layers, or `none` for a linear model
    #[arg(long, value_parser = parse_widths)]
    pub hidden: Option<Widths>,
    /// Adam's learning rate
    #[arg(long)]
    pub learning_rate: Option<f64>,
    /// What the gradient of a row is clipped to
    #[arg(long)]
    pub clip_norm: Option<f64>,
    /// The expected number of rows in a batch; up to 1, a share of all rows
    #[arg(long)]
    pub batch: Option<f64>,
    /// How many steps (in `paper` mode: epochs)
    #[arg(long)]
    pub steps: Option<u64>,
    /// How many rows of PageRank are released
    #[arg(long)]
    pub sources: Option<usize>,
    /// How many nodes each of them names
    #[arg(long)]
    pub top_k: Option<usize>,
    /// What scores (or rows of them) are clipped to
    #[arg(long)]
    pub score_clip: Option<f64>,
    /// In how many rows besides its own a node may be read
    #[arg(long)]
    pub cap: Option<u32>,
    /// The share of epsilon that the structure may spend
    #[arg(long)]
    pub share: Option<f64>,
    /// The most neighbours a node has, for gap and sage
    #[arg(long)]
    pub max_degree: Option<usize>,
    /// How many hops, for gap
    #[arg(long)]
    pub hops: Option<usize>,
    /// How many rounds answers are spread for
    #[arg(long)]
    pub rounds: Option<usize>,
    /// What a node keeps of its own answer in each
    #[arg(long)]
    pub alpha: Option<f64>,
    /// How many numbers rows are projected to, in directions that the visitors' features tell; 0: none
    #[arg(long)]
    pub projection: Option<usize>,
    /// The share of the people that is trained on, in `paper` mode
    #[arg(long)]
    pub sample: Option<f64>,
}

impl DparSettings {
    fn apply(&self, mut settings: Settings) -> Settings {
        fn set<T: Clone>(to: &mut T, typed: &Option<T>) {
            if let Some(typed) = typed {
                to.clone_from(typed);
            }
        }
        set(&mut settings.model.hidden, &self.hidden.as_ref().map(|widths| widths.0.clone()));
        set(&mut settings.model.learning_rate, &self.learning_rate);
        set(&mut settings.model.clip_norm, &self.clip_norm);
        set(&mut settings.model.batch, &self.batch);
        set(&mut settings.model.steps, &self.steps);
        set(&mut settings.structure.sources, &self.sources);
        set(&mut settings.structure.keep, &self.top_k);
        set(&mut settings.structure.clip, &self.score_clip);
        set(&mut settings.structure.cap, &self.cap);
        set(&mut settings.structure.share, &self.share);
        set(&mut settings.structure.max_degree, &self.max_degree);
        set(&mut settings.structure.hops, &self.hops);
        set(&mut settings.inference.rounds, &self.rounds);
        set(&mut settings.inference.alpha, &self.alpha);
        set(&mut settings.projection, &self.projection);
        set(&mut settings.sample, &self.sample);
        settings
    }
}
