//! What can be asked of `privet embed`.

use std::path::PathBuf;

use privet::request::EmbedRequest;

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
    /// How features are spread.
    #[command(flatten)]
    pub request: EmbedRequest,
    /// How to read it.
    #[command(flatten)]
    pub reading: ReadingArgs,
}
