//! What can be asked of `privet reproduce`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use privet::options::{DECODINGS, by_name};
use privet::privacy::features::Decoding;

use super::reading::ReadingArgs;

/// What `privet reproduce --help` says at the end.
const EXAMPLES: &str = "\
ResultsOptions cells are kept in DIR/cells.jsonl: stop with Ctrl-C at any time, and the same command
continues. When all are there, the report is made again without computing anything.

Examples:
  privet reproduce                                   what there is, and what it costs
  privet reproduce ldp-ge/fig1 -o fig1
  privet reproduce ldp-ge/table3 -o table3 --quick
  privet reproduce ldp-ge/fig2 -o fig2 --datasets cora,citeseer --epsilons 0.01,1 --runs 5
  privet reproduce dprr/fig4 -o fig4 --points 0.1,0.2,0.5 --mechanisms dprr,nonpriv-part";

/// Arguments of `privet reproduce`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Reproduce {
    /// Figure or table, such as ldp-ge/fig2; without it, all are listed
    #[arg(value_name = "ITEM")]
    pub item: Option<String>,
    /// Folder for finished runs and the report
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Benchmarks or files; by default the paper's, as far as available
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub datasets: Vec<String>,
    /// Mechanisms (default: the paper's)
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub mechanisms: Vec<String>,
    /// Privacy budgets (default: the paper's); the noise-free run is always measured
    #[arg(long, value_name = "EPSILON,..", value_delimiter = ',')]
    pub epsilons: Vec<f64>,
    /// Points along a figure's axis: for DPRR its axis, for HeteroRR shares of private edges
    #[arg(long, value_name = "VALUE,..", value_delimiter = ',')]
    pub points: Vec<f64>,
    /// Runs per figure, with seeds 0, 1, ... [default: 10]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub runs: Option<u64>,
    /// Cora only, 2 runs, 3 epsilons
    #[arg(long)]
    pub quick: bool,
    /// Parallel runs; by default one per core, fewer if memory is short
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// How to decode a report: the paper's formula, or an unbiased estimate [default: whichever was
    /// better on validation data]
    #[arg(long, value_parser = by_name(&DECODINGS))]
    pub decoding: Option<Decoding>,
    /// Settings that `privet tune` wrote (best.json), in place of the published ones
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
    /// Settings for the ceiling
    #[arg(long, value_name = "FILE")]
    pub ceiling_settings: Option<PathBuf>,
    /// How to read data.
    #[command(flatten)]
    pub reading: ReadingArgs,
}
