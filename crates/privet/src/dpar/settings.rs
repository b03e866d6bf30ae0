//! What can be set, all of it in public, and what is set by default.

use serde::{Deserialize, Serialize};

use crate::learn::propagate::Ista;

/// What is trained, and on what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// DPAR: the best K by Gumbel noise, equal weights (option I).
    Em0,
    /// DPAR: the same with noisy weights (option II).
    Em1,
    /// DPAR: the best K of rows with Gaussian noise.
    Gm,
    /// Each person's own features alone, in training and in answering.
    Features,
    /// Each person's own features in training; answers are spread over the visitors' graph.
    Spread,
    /// Aggregation perturbation (GAP).
    Gap,
    /// Each person's own features beside the mean of their neighbours' (SAGE, Daigavane et al.).
    Sage,
    /// No noise at all: what privacy costs.
    NoPrivacy {
        /// Whether training averages over the true best K (else features alone).
        graph: bool,
    },
}

impl Method {
    /// All methods that protect.
    pub const PRIVATE: [Self; 7] =
        [Self::Em0, Self::Em1, Self::Gm, Self::Features, Self::Spread, Self::Gap, Self::Sage];

    /// What tables and the command line call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Em0 => "em0",
            Self::Em1 => "em1",
            Self::Gm => "gm",
            Self::Features => "features",
            Self::Spread => "spread",
            Self::Gap => "gap",
            Self::Sage => "sage",
            Self::NoPrivacy { graph: true } => "dpar-no-privacy",
            Self::NoPrivacy { graph: false } => "features-no-privacy",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Em0 => "DPAR: noisy top-K, equal weights",
            Self::Em1 => "DPAR: noisy top-K, noisy weights",
            Self::Gm => "DPAR: top-K of Gaussian rows",
            Self::Features => "DP-SGD on features, no graph anywhere",
            Self::Spread => "DP-SGD on features, graph at inference only",
            Self::Gap => "aggregation perturbation, true only if degrees are bounded",
            Self::Sage => "DP-SGD on subgraphs of one hop, true only if degrees are bounded",
            Self::NoPrivacy { graph: true } => "no noise, true top-K",
            Self::NoPrivacy { graph: false } => "no noise, no graph",
        }
    }

    /// Whether its guarantee holds whatever the data are like.
    pub fn guaranteed(self) -> bool {
        !matches!(self, Self::Gap | Self::Sage | Self::NoPrivacy { .. })
    }

    /// Whether rows aggregate over a released structure.
    pub fn reads_structure(self) -> bool {
        matches!(self, Self::Em0 | Self::Em1 | Self::Gm)
    }

    /// Whether connections among the people trained on are looked at.
    pub fn reads_connections(self) -> bool {
        self.reads_structure()
            || matches!(self, Self::Gap | Self::Sage | Self::NoPrivacy { graph: true })
    }
}

/// Whose noise is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// As much as the target needs, by theorem.
    Rigorous,
    /// As much as the paper prescribes; the true cost is larger.
    Paper,
}

/// The network and how it is trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Widths of the hidden layers; none makes a linear model.
    pub hidden: Vec<usize>,
    /// Adam's learning rate.
    pub learning_rate: f64,
    /// C: what the gradient of a row is clipped to.
    pub clip_norm: f64,
    /// B: the expected number of rows in a batch; up to 1, a share of all rows.
    pub batch: f64,
    /// T: how many steps are taken; in `paper` mode, how many epochs.
    pub steps: u64,
}

/// How structure is released and used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Structure {
    /// M: how many rows of PageRank.
    pub sources: usize,
    /// K: how many nodes each names.
    pub keep: usize,
    /// C1 or C2: what rows, or entries, are clipped to.
    pub clip: f64,
    /// m: in how many rows besides its own a node may be read.
    pub cap: u32,
    /// tau: what the weights in a column may sum to.
    pub tau: f64,
    /// The share of epsilon that the structure may spend alone.
    pub share: f64,
    /// ISTA's return probability.
    pub alpha: f64,
    /// ISTA's penalty.
    pub rho: f64,
    /// The most neighbours a node has, for aggregation perturbation and subgraphs.
    pub max_degree: usize,
    /// How many hops aggregation perturbation takes.
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
pub struct Inference {
    /// P: how many rounds.
    pub rounds: usize,
    /// What a node keeps of its own answer in every round.
    pub alpha: f64,
}

/// Everything that is set in public.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The network and how it is trained.
    pub model: Model,
    /// How structure is released and used.
    pub structure: Structure,
    /// How answers are spread.
    pub inference: Inference,
    /// How many numbers rows are projected to, in directions that the visitors' features tell; 0 for all.
    pub projection: usize,
    /// q': in `paper` mode, the share of the people that is trained on.
    pub sample: f64,
}

impl Model {
    /// The probability of a row to be in a batch, of so many rows.
    pub fn rate(&self, rows: usize) -> f64 {
        let share = if self.batch <= 1.0 { self.batch } else { self.batch / rows as f64 };
        share.min(1.0)
    }
}

impl Settings {
    /// Few steps on large batches: what an honest epsilon leaves most of.
    pub fn rigorous() -> Self {
        Self {
            model: Model {
                hidden: Vec::new(),
                learning_rate: 0.05,
                clip_norm: 1.0,
                batch: 0.25,
                steps: 150,
            },
            structure: Structure { cap: 1, share: 0.2, ..Self::paper().structure },
            inference: Inference { rounds: 2, alpha: 0.5 },
            projection: 0,
            sample: 1.0,
        }
    }

    /// As published: section 4 of the paper, "Setup" and 4.3.
    pub fn paper() -> Self {
        Self {
            model: Model {
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
            inference: Inference { rounds: 2, alpha: 0.25 },
            projection: 0,
            sample: 0.09,
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
