//! What can be asked of DPRR: `privet run dprr` and `privet attack poison`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use privet::dprr::{Attack as PoisonAttack, Defence, GraphLearner, Reading as ReportReading};
use privet::request::{DprrRequest, PartialSettings};

use super::named::DataName;
use super::reading::ReadingArgs;
use super::trial::{ResultsOptions, TrialOptions};
use crate::failure::{Failure, Result};

/// What `privet run dprr --help` says at the end.
const EXAMPLES: &str = "\
Scores come from simulations (noise from seeds, compared with the truth), beside what noise alone
achieves, what the true lists of all users achieve, and the largest class. With -o, one real
release is made as well, with noise from the operating system: its ledger, card, model and
predictions in DIR/share, which may be shared, and the report in DIR/private, which must not;
--seed makes it a simulation too.

Examples:
  privet run dprr --dataset synthetic --epsilon 1
  privet run dprr --dataset reddit_binary --epsilon 1 --lambda 0.2 --runs 10
  privet run dprr --dataset reddit_binary --epsilon 1 --reading believed
  privet run dprr --dataset reddit_binary --epsilon 1 --reading plain --rounds 3 --epochs 60
  privet run dprr --dataset imdb_binary --epsilon 2 --mechanism rr --html report.html
  privet run dprr --dataset mutag --epsilon 1 -o release";

/// What `privet attack poison --help` says at the end.
const POISON_EXAMPLES: &str = "\
Malicious users change their reports in training graphs only. The paper's defence drops reports that
are longer than any honest one; `handshake` compares large degrees with those of all other users;
`census` also counts how many users claim one. Attackers of `matched` and `shortcut` know the
defence --against, and every user's reports; a shortcut is made in graphs of every other class only.

Examples:
  privet attack poison --dataset synthetic --epsilon 1 --beta 0.3
  privet attack poison --dataset reddit_binary --epsilon 1 --beta 0.3 --attack all-ones --runs 10
  privet attack poison --dataset synthetic --epsilon 1 --beta 0.3 --attack matched --against handshake
  privet attack poison --dataset reddit_binary --epsilon 1 --beta 0.1 --w1 1 --w2 0.2";

/// Attacks that can be tried.
#[derive(Debug, Subcommand)]
pub enum AttackCommand {
    /// Users of bad will who send made-up neighbour lists, and defences against them
    Poison(Box<AttackPoison>),
    /// Find private edges by changing one node's features and watching a served model
    #[command(name = "linkteller")]
    LinkTeller(Box<super::AttackLinkTeller>),
    /// Rebuild raw features from reported ones, with a decoder trained on public data
    Reconstruct(Box<super::AttackReconstruct>),
    /// Tell from a trained model who, or which connection, was in its training graph
    Membership(Box<super::AttackMembership>),
}

/// Arguments of `privet run dprr`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct RunDprr {
    /// A set of graphs: a benchmark, a file or folder, or `synthetic`: generated threads
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: DataName,
    /// What is asked of the system.
    #[command(flatten)]
    pub request: DprrRequest,
    /// Seeds, report and release.
    #[command(flatten)]
    pub trial: TrialOptions,
    /// How to read the data.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// Arguments of `privet attack poison`.
#[derive(Debug, clap::Args)]
#[command(after_help = POISON_EXAMPLES)]
pub struct AttackPoison {
    /// Set of graphs: a benchmark, a file or folder, or `synthetic`: generated threads
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: DataName,
    /// Privacy budget of a user's neighbour list (epsilon)
    #[arg(long)]
    pub epsilon: f64,
    /// Share of malicious users (beta)
    #[arg(long, value_name = "SHARE")]
    pub beta: f64,
    /// Attack
    #[arg(long, default_value = "random", conflicts_with_all = ["w1", "w2"])]
    pub attack: AttackChoice,
    /// Defence known to the `matched` and `shortcut` attackers (default `census`)
    #[arg(long, value_name = "DEFENCE")]
    pub against: Option<DefenceChoice>,
    /// Probability that a malicious user keeps a one
    #[arg(long, value_name = "P", requires = "w2")]
    pub w1: Option<f64>,
    /// Probability that a malicious user invents a one
    #[arg(long, value_name = "P", requires = "w1")]
    pub w2: Option<f64>,
    /// Maximum share of honest users flagged
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub theta: f64,
    /// Public degree bound: at most theta/2 of the users have more neighbours
    #[arg(long, value_name = "D", default_value_t = 10)]
    pub usual_degree: usize,
    /// How the collector interprets reports
    #[arg(long = "reading", default_value = "believed")]
    pub reports: ReportReading,
    /// Number of runs, with consecutive seeds
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
    /// First seed
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Where finished runs are.
    #[command(flatten)]
    pub finished: ResultsOptions,
    /// Write the report to this HTML file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// How the collector learns.
    #[command(flatten, next_help_heading = "Learning")]
    pub learner: PartialSettings<GraphLearner>,
    /// How to read the data.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// What malicious users send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AttackChoice {
    /// A coin toss for each user
    Random,
    /// All users
    AllOnes,
    /// The largest degrees that the defence they know lets pass
    Matched,
    /// The same, in graphs of every other class only
    Shortcut,
}

/// What attackers expect the collector to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DefenceChoice {
    /// The paper's
    Threshold,
    /// Large degrees against those of all other users
    Handshake,
    /// The same, and how many claim one
    Census,
}

impl AttackPoison {
    /// The attack that was asked for.
    ///
    /// # Errors
    /// If a probability is none, or a defence was named that they do not know.
    pub fn chosen(&self) -> Result<PoisonAttack> {
        let adaptive = matches!(self.attack, AttackChoice::Matched | AttackChoice::Shortcut);
        if self.against.is_some() && !adaptive {
            let message = "--against: this attack is made without knowing a defence";
            return Err(Failure::usage(message).hint("--attack matched or shortcut knows one"));
        }
        let Self { theta, usual_degree, .. } = *self;
        let against = match self.against {
            Some(DefenceChoice::Threshold) => Defence::Threshold { theta },
            Some(DefenceChoice::Handshake) => Defence::Handshake { theta, usual_degree },
            Some(DefenceChoice::Census) | None => Defence::Census { theta, usual_degree },
        };
        match (self.w1, self.w2, self.attack) {
            (Some(keep), Some(invent), _) => Ok(PoisonAttack::new(keep, invent)?),
            (_, _, AttackChoice::Random) => Ok(PoisonAttack::RANDOM),
            (_, _, AttackChoice::AllOnes) => Ok(PoisonAttack::ALL_ONES),
            (_, _, AttackChoice::Matched) => Ok(PoisonAttack::Matched { against }),
            (_, _, AttackChoice::Shortcut) => Ok(PoisonAttack::Shortcut { against }),
        }
    }
}
