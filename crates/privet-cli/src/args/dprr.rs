//! What can be asked of DPRR: `privet run dprr` and `privet attack poison`.

use std::path::PathBuf;

use clap::Subcommand;
use privet::request::DprrRequest;
use privet_lab::request::PoisonRequest;

use super::named::DataName;
use super::reading::ReadingArgs;
use super::trial::{ResultsOptions, TrialOptions};

/// What `privet run dprr --help` says at the end.
const EXAMPLES: &str = "\
Scores come from simulations (noise from seeds, compared with the truth), beside what noise alone
achieves, what the true lists of all users achieve, and the largest class. With -o, one real
release is made as well, with noise from the operating system: its ledger, card, model and
predictions in DIR/share, which may be shared, and the report in DIR/private, which must not;
--seed makes it a simulation too.

Examples:
  privet run dprr --dataset synthetic --epsilon 1
  privet run dprr --dataset reddit_binary --epsilon 1 --public-share 0.2 --runs 10
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
    /// What is asked of the attack.
    #[command(flatten)]
    pub request: PoisonRequest,
    /// Where finished runs are.
    #[command(flatten)]
    pub finished: ResultsOptions,
    /// Write the report to this HTML file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// How to read the data.
    #[command(flatten)]
    pub reading: ReadingArgs,
}
