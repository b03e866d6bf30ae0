//! What can be asked of `privet tune`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use privet::ldp_ge::Task;
use privet::options::{DECODINGS, by_name};
use privet::privacy::features::{Decoding, FeatureMechanism};
use privet_lab::experiments::tune::FIRST;

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
    /// Privacy budget of a person's row of features (epsilon)
    #[arg(long)]
    pub epsilon: f64,
    /// Folder for finished runs, the report and the best settings
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// What to predict: nodes or links
    #[arg(long, default_value = "nodes", hide_possible_values = true)]
    pub task: Task,
    /// Number of candidates, including the published settings
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub trials: u32,
    /// Number of fresh seeds for the comparison of the winner with the published settings
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub runs: u64,
    /// Seed of the candidates
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// First seed of the search; figures use seeds from 0, so choose others
    #[arg(long, value_name = "SEED", default_value_t = FIRST)]
    #[arg(value_parser = clap::value_parser!(u64).range(..1_000_000))]
    pub first_seed: u64,
    /// Tune the non-private upper bound (ceiling) instead of private runs
    #[arg(long)]
    pub ceiling: bool,
    /// Also tune k; each value needs new reports and their budget
    #[arg(long)]
    pub tune_reports: bool,
    /// Randomiser of features
    #[arg(long, value_name = "NAME", default_value = "hds", hide_possible_values = true)]
    #[arg(value_parser = PossibleValuesParser::new(FeatureMechanism::NAMES))]
    pub mechanism: String,
    /// How to decode a report: an unbiased estimate, or the paper's formula
    #[arg(long, default_value = "unbiased", value_parser = by_name(&DECODINGS))]
    pub decoding: Decoding,
    /// Parallel runs; by default one per core, fewer if memory is short
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// How to read the data.
    #[command(flatten)]
    pub reading: ReadingArgs,
}
