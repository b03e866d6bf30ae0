//! What can be asked of `privet embed`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::named::DataName;
use super::reading::ReadingArgs;
use super::signing::Signing;

/// What `privet embed --help` says at the end.
const EXAMPLES: &str = "\
EMB is a .npz, .csv, .parquet or .vec file (word2vec's text): an id and a row of numbers per node.
Propagation costs no privacy and gives none: if a card lies beside GRAPH, it is carried over to
EMB.card.json; without one the embedding is as private as the features, which is not at all.

Examples:
  privet embed noisy.npz -o noisy.vec
  privet embed noisy.npz -o noisy.csv --alpha 0.05 --r 0 --rounds 10
  privet embed noisy.npz -o noisy.parquet --method push --rmax 1e-4";

/// Arguments of `privet embed`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Embed {
    /// Benchmark, file, folder or archive
    #[arg(value_name = "GRAPH")]
    pub input: DataName,
    /// The file to write; its ending tells the format
    #[arg(long, short, value_name = "EMB")]
    pub output: PathBuf,
    /// Overwrite an existing output
    #[arg(long)]
    pub overwrite: bool,
    /// Who issues the card.
    #[command(flatten)]
    pub signing: Signing,
    /// Algorithm
    #[arg(long, default_value = "power")]
    pub method: EmbedMethod,
    /// Share of its own features that a node keeps, in (0, 1] (alpha)
    #[arg(long, default_value_t = 0.15)]
    pub alpha: f64,
    /// Normalisation exponent r in D^(r-1) A D^-r: 0 averages over neighbours, 0.5 is symmetric
    #[arg(long, value_name = "EXPONENT", default_value_t = 0.5)]
    pub r: f64,
    /// Add a self-loop to every node
    #[arg(long)]
    pub self_loops: bool,
    /// With power: error at which to stop (default 1e-6)
    #[arg(long, value_name = "ERROR", conflicts_with = "rounds")]
    pub tolerance: Option<f64>,
    /// With power: maximum number of rounds
    #[arg(long)]
    pub rounds: Option<usize>,
    /// With push: largest residue that may remain (default 1e-5)
    #[arg(long, value_name = "RESIDUE")]
    pub rmax: Option<f64>,
    /// How to read it.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How embeddings are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmbedMethod {
    /// All features at once, round by round
    Power,
    /// Column by column, moving only values that are large enough to matter
    Push,
}
