//! What can be asked of `privet tune`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Subcommand;
use privet_lab::request::TuneRequest;

use super::named::DataName;
use super::project::TuneProject;
use super::reading::ReadingArgs;

/// What `privet tune ldp-ge --help` says at the end.
const EXAMPLES: &str = "\
All candidates get one seed, the best third three, the best ninth nine, and so on. They are compared
on validation data; test data is looked at once, for the winner and the published settings.

ResultsOptions runs are kept in DIR/cells.jsonl: stop with Ctrl-C at any time, and the same command
continues.

Examples:
  privet tune ldp-ge --dataset cora --epsilon 1 -o tuned
  privet tune ldp-ge --dataset cora --epsilon 1 --task links --trials 20 --runs 10 -o tuned-links";

/// Systems whose settings can be searched.
#[derive(Debug, Subcommand)]
pub enum Tune {
    /// Settings of LDP-GE: propagation, scaling and model
    LdpGe(Box<TuneLdpGe>),
    /// Settings of a project's model, on its private people: every look is charged
    Project(Box<TuneProject>),
}

/// Arguments of `privet tune ldp-ge`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct TuneLdpGe {
    /// Benchmark, file, folder or archive
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: DataName,
    /// What is searched.
    #[command(flatten)]
    pub request: TuneRequest,
    /// Folder for finished runs, the report and the best settings
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// Parallel runs; by default one per core, fewer if memory is short
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// How to read the data.
    #[command(flatten)]
    pub reading: ReadingArgs,
}
