//! What can be set, all of it in public, and what is set by default.

use serde::{Deserialize, Serialize};

use crate::doubts::default_delta;
use crate::learn::propagate::Ista;
use crate::privacy::Loss;
use crate::settings::Widths;
use crate::{Error, Result};

/// Whose noise is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Mode {
    /// To the stated epsilon, by a proved accountant.
    #[default]
    Rigorous,
    /// As the paper prescribes; the true epsilon is larger.
    Paper,
}

/// The delta of the published setting, for any number of people.
const PAPER_DELTA: f64 = 1e-4;

impl Mode {
    /// What is promised. Unless a delta was named, it follows the number of people once they were counted; with the
    /// published noise it is what was published.
    ///
    /// # Errors
    /// If a number makes no sense.
    pub fn target(self, epsilon: f64, delta: Option<f64>, people: Option<usize>) -> Result<Loss> {
        let usual = match (self, people) {
            (Self::Rigorous, Some(people)) => default_delta(people),
            _ => PAPER_DELTA,
        };
        Ok(Loss::new(epsilon, delta.unwrap_or(usual))?)
    }
}

/// Reading of the paper's noise of training, in `paper` mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum PrintedNoise {
    /// As much as DP-SGD with q = B/N needs for its share of the printed epsilon.
    #[default]
    Accounted,
    /// What the formula of Theorem 2 says if its constant is 1, which is less.
    Formula,
}

/// The network and how it is trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct ModelSettings {
    /// Widths of the hidden layers, or `none` for a linear model.
    #[cfg_attr(feature = "clap", arg(long, value_parser = crate::options::widths))]
    pub hidden: Widths,
    /// Adam's learning rate.
    #[cfg_attr(feature = "clap", arg(long))]
    pub learning_rate: f64,
    /// Clipping norm of each row's gradient (C).
    #[cfg_attr(feature = "clap", arg(long))]
    pub clip_norm: f64,
    /// Expected batch size; a value up to 1 is a share of all rows (B).
    #[cfg_attr(feature = "clap", arg(long))]
    pub batch: f64,
    /// Number of steps (in `paper` mode: epochs).
    #[cfg_attr(feature = "clap", arg(long))]
    pub steps: u64,
}

/// How structure is released and used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct Structure {
    /// Number of released PageRank rows (M).
    #[cfg_attr(feature = "clap", arg(long))]
    pub sources: usize,
    /// Nodes per released PageRank row (K).
    #[serde(rename = "top_k")]
    #[cfg_attr(feature = "clap", arg(id = "top_k", long = "top-k", value_name = "K"))]
    pub keep: usize,
    /// Clipping norm of PageRank scores or rows (C1 or C2).
    #[serde(rename = "score_clip")]
    #[cfg_attr(feature = "clap", arg(id = "score_clip", long = "score-clip", value_name = "NORM"))]
    pub clip: f64,
    /// Maximum number of other rows that read a node (m).
    #[cfg_attr(feature = "clap", arg(long))]
    pub cap: u32,
    /// What the weights in a column may sum to.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub tau: f64,
    /// Share of epsilon for the structure.
    #[cfg_attr(feature = "clap", arg(long))]
    pub share: f64,
    /// ISTA's return probability.
    #[serde(rename = "ista_alpha")]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub alpha: f64,
    /// ISTA's penalty.
    #[serde(rename = "ista_rho")]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub rho: f64,
    /// Maximum degree, for gap and sage.
    #[cfg_attr(feature = "clap", arg(long))]
    pub max_degree: usize,
    /// Number of hops, for gap.
    #[cfg_attr(feature = "clap", arg(long))]
    pub hops: usize,
}

impl Structure {
    /// The algorithm that ranks.
    pub fn ista(&self) -> Ista {
        Ista { alpha: self.alpha, rho: self.rho, ..Ista::default() }
    }
}

/// How answers are spread over the visitors' graph.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct Inference {
    /// Rounds of smoothing of predictions (P).
    #[cfg_attr(feature = "clap", arg(long))]
    pub rounds: usize,
    /// Share of its own prediction that a node keeps in each round.
    #[cfg_attr(feature = "clap", arg(long))]
    pub alpha: f64,
    /// Smooth predictions only if confident predictions of connected new people agree this much more than by chance, up
    /// to 1; 0 or less, or fewer than 160 connections: always.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub agreement: f64,
}

/// Everything that is set in public.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct Settings {
    /// The network and how it is trained.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub model: ModelSettings,
    /// How structure is released and used.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub structure: Structure,
    /// How answers are spread.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub inference: Inference,
    /// Dimensions to project rows to, by directions computed from the new people's features; 0: none.
    #[cfg_attr(feature = "clap", arg(long))]
    pub projection: usize,
    /// Strength of kernel smoothing between similar new people, relative to the noise; for class-sums only. 0 disables
    /// it.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub likeness: f64,
    /// Share of people used for training, in `paper` mode (q').
    #[cfg_attr(feature = "clap", arg(long))]
    pub sample: f64,
    /// Reading of the paper's noise of training, in `paper` mode.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub printed_noise: PrintedNoise,
}

impl ModelSettings {
    /// The probability of a row to be in a batch, of so many rows.
    pub fn rate(&self, rows: usize) -> f64 {
        let share = if self.batch <= 1.0 { self.batch } else { self.batch / rows as f64 };
        share.min(1.0)
    }
}

impl Settings {
    /// Whether every number is one that can be run.
    pub(super) fn check(&self) -> Result<()> {
        let Self { model, structure, inference, sample, likeness, .. } = self;
        let (rate, share) = (model.learning_rate, structure.share);
        Error::unless(rate > 0.0, "learning-rate", rate, "a number above 0")?;
        Error::unless(!model.hidden.contains(&0), "hidden", 0, "widths above 0")?;
        Error::unless(model.batch > 0.0, "batch", model.batch, "a number above 0")?;
        Error::unless(share > 0.0 && share < 1.0, "share", share, "a share between 0 and 1")?;
        Error::unless(*sample > 0.0 && *sample <= 1.0, "sample", sample, "a share up to 1")?;
        let drawn = *likeness >= 0.0 && likeness.is_finite();
        Error::unless(drawn, "likeness", likeness, "a number from 0")?;
        let agreement = inference.agreement;
        Error::unless(agreement <= 1.0, "agreement", agreement, "a number up to 1")?;
        let alpha = inference.alpha;
        Error::unless((0.0..=1.0).contains(&alpha), "alpha", alpha, "a share from 0 to 1")
    }

    /// Few steps on large batches: what an honest epsilon leaves most of.
    pub fn rigorous() -> Self {
        Self {
            model: ModelSettings {
                hidden: Vec::new(),
                learning_rate: 0.05,
                clip_norm: 1.0,
                batch: 0.25,
                steps: 150,
            },
            structure: Structure { cap: 1, share: 0.2, ..Self::paper().structure },
            inference: Inference { rounds: 2, alpha: 0.5, agreement: 0.2 },
            projection: 0,
            likeness: 0.3,
            sample: 1.0,
            printed_noise: PrintedNoise::Accounted,
        }
    }

    /// As published: section 4 of the paper, "Setup" and 4.3.
    pub fn paper() -> Self {
        Self {
            model: ModelSettings {
                hidden: vec![32],
                learning_rate: 0.005,
                clip_norm: 1.0,
                batch: 60.0,
                steps: 200,
            },
            structure: Structure {
                sources: 70,
                keep: 2,
                clip: 0.001,
                cap: 71,
                tau: 1.0,
                share: 0.5,
                alpha: 0.25,
                rho: 1e-4,
                max_degree: 10,
                hops: 1,
            },
            inference: Inference { rounds: 2, alpha: 0.25, agreement: 0.0 },
            projection: 0,
            likeness: 0.0,
            sample: 0.09,
            printed_noise: PrintedNoise::Accounted,
        }
    }

    /// The settings of a mode.
    pub fn of(mode: Mode) -> Self {
        match mode {
            Mode::Rigorous => Self::rigorous(),
            Mode::Paper => Self::paper(),
        }
    }
}
