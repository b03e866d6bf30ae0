//! How a system is measured, and what is written: the same options for every `privet run`.

use std::path::PathBuf;

use super::releasing::ReleaseArgs;
use super::signing::Signing;

/// Seeds, report and release.
#[derive(Debug, clap::Args)]
pub struct TrialOptions {
    /// How many seeds to measure with
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
    /// The first seed of the simulations [default: 0]; given with -o, the release is one too
    #[arg(long)]
    pub seed: Option<u64>,
    /// Where finished runs are.
    #[command(flatten)]
    pub finished: ResultsOptions,
    /// Write the report to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Make a release too, in this new folder: DIR/share may leave the house, DIR/private may not
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
    /// Keep finished runs in this file: stop at any time, and the same command continues
    #[arg(long, value_name = "FILE")]
    pub cells: Option<PathBuf>,
}
