//! What can be asked of HeteroRR: `privet run hetero-rr`, `privet attack linkteller` and
//! `privet attack reconstruct`.

use std::path::PathBuf;

use privet::request::HeteroRrRequest;
use privet_lab::request::{LinkTellerRequest, ReconstructRequest};

use super::named::DataName;
use super::reading::ReadingArgs;
use super::trial::{ResultsOptions, TrialOptions};

/// What `privet run hetero-rr --help` says at the end.
const EXAMPLES: &str = "\
Scores come from simulations (noise from seeds, compared with the truth), beside what noise alone, public
edges alone and everything in the clear achieve. With -o, one release is made as well: its ledgers, card,
votes, classes and model (or graph and model) in DIR/share, and the report in DIR/private, which may not leave the
house. Where private edges are
drawn by lot it is a simulation (--seed); a custodian knows which are private (--private-edges), or calls all of them so
(--private-share 1).

Examples:
  privet run hetero-rr --dataset cora --epsilon-edges 2 --private-share 0.8
  privet run hetero-rr --dataset cora --epsilon-edges 1 --edges-as graph
  privet run hetero-rr --dataset cora --epsilon-edges 1 --epsilon-features 100 --runs 10
  privet run hetero-rr --dataset cora --epsilon-edges 1 --private-share 1 --html report.html -o release
  privet run hetero-rr --dataset patients.npz --epsilon-edges 1 --private-edges visits.csv -o release
  privet run hetero-rr --dataset cora --epsilon-edges 1 --baselines";

/// What is attacked.
#[derive(Debug, Clone, clap::Args)]
pub struct AttackedData {
    /// Benchmark, file, folder or archive
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: DataName,
    /// Where finished runs are.
    #[command(flatten)]
    pub finished: ResultsOptions,
    /// Write the report to this HTML file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// How to read it.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// Arguments of `privet run hetero-rr`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct RunHeteroRr {
    /// What is asked of the system.
    #[command(flatten)]
    pub request: HeteroRrRequest,
    /// Benchmark, file, folder or archive
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: DataName,
    /// Seeds, report and release.
    #[command(flatten)]
    pub trial: TrialOptions,
    /// How to read it.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// Arguments of `privet attack linkteller`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  privet attack linkteller --dataset cora --epsilon-edges 1")]
pub struct AttackLinkTeller {
    /// What is asked of the attack.
    #[command(flatten)]
    pub request: LinkTellerRequest,
    /// What is attacked.
    #[command(flatten)]
    pub on: AttackedData,
}

/// Arguments of `privet attack reconstruct`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Half of the nodes are taken for public: a decoder learns from them.\n\n\
    Example:\n  privet attack reconstruct --dataset cora --epsilon-features 1 --bounds 0,1")]
pub struct AttackReconstruct {
    /// What is asked of the attack.
    #[command(flatten)]
    pub request: ReconstructRequest,
    /// What is attacked.
    #[command(flatten)]
    pub on: AttackedData,
}
