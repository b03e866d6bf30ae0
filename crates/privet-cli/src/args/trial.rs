//! How a system is measured, and what is written: the same options for every `privet run`.

use std::path::PathBuf;

use privet_lab::experiments::trial::Variant;

use super::releasing::ReleaseArgs;
use super::signing::Signing;

/// Seeds, report and release.
#[derive(Debug, clap::Args)]
pub struct TrialOptions {
    /// Number of runs, with consecutive seeds
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
    /// First seed of the simulations [default: 0]; given with -o, the release is one too
    #[arg(long)]
    pub seed: Option<u64>,
    /// Baselines to run beside the system; fewer take less time [default: all]
    #[arg(long, value_name = "BASELINE,...", value_delimiter = ',')]
    pub compare_with: Option<Vec<Variant>>,
    /// Where finished runs are.
    #[command(flatten)]
    pub finished: ResultsOptions,
    /// Write the report to this HTML file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Also make a release in this new folder: DIR/share may be shared, DIR/private must not
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// What is taken on your word.
    #[command(flatten)]
    pub releasing: ReleaseArgs,
    /// Who issues the card.
    #[command(flatten)]
    pub signing: Signing,
}

/// Where finished runs are kept.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ResultsOptions {
    /// Store finished runs in this file; the same command resumes after an interruption
    #[arg(long, value_name = "FILE")]
    pub cells: Option<PathBuf>,
}
