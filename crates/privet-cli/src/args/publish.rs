//! What can be asked of `privet publish`.

use std::path::PathBuf;

use privet::data::formats::Format;
use privet::request::PublishRequest;

use super::named::DataName;
use super::reading::{ReadingArgs, format_parser};
use super::releasing::ReleaseArgs;
use super::signing::Signing;

/// What `privet publish --help` says at the end.
const EXAMPLES: &str = "\
Public edges stay as they are. Private edges are counted between groups of people, with noise, and as
many edges are drawn anew; features are randomised column by column. OUT.card.json says what is promised
and what is not; OUT.edges.ledger and OUT.features.ledger are the accounts, charged before noise is
drawn. Anything computed from OUT costs nothing more.

Which edges are private, and which people may have private edges (all, unless --private-nodes says
otherwise), must be settled without looking at the private edges.

Examples:
  privet publish friends.csv --private-edges secret.csv --epsilon-edges 1 -o out.npz
  privet publish cora --private-share 0.2 --epsilon-edges 1 --epsilon-features 3 -o out.npz
  privet publish survey.npz --private-edges secret.csv --epsilon-edges 1 --epsilon-features 3 \\
      --sensitive-columns age,income --bounds 0,1 --utility-report for-the-custodian.json -o out";

/// Arguments of `privet publish`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Publish {
    /// Benchmark, file, folder or archive; omit it in a project to use the project's data, with all edges private
    #[arg(value_name = "GRAPH")]
    pub input: Option<DataName>,
    /// The file or folder to write
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// The format to write; by default the one OUT's name ends in
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(), hide_possible_values = true)]
    pub to: Option<Format>,
    /// Overwrite an existing OUT; a ledger is never replaced
    #[arg(long)]
    pub overwrite: bool,
    /// Replay noise from a seed: a simulation, which gives no protection
    #[arg(long)]
    pub seed: Option<u64>,
    /// Which edges are private.
    #[command(flatten)]
    pub private: PrivatePart,
    /// How edges and features are protected.
    #[command(flatten, next_help_heading = "Edges and features")]
    pub request: PublishRequest,
    /// Public dataset with the same columns and labels, from which the importance of columns is
    /// computed
    #[arg(long, value_name = "NAME|PATH")]
    pub public_sample: Option<DataName>,
    /// Ledger to charge for edges, created if absent; by default a new one, OUT.edges.ledger
    #[arg(long, value_name = "FILE")]
    pub edges_ledger: Option<PathBuf>,
    /// Ledger to charge for features, created if absent; by default a new one, OUT.features.ledger
    #[arg(long, value_name = "FILE")]
    pub features_ledger: Option<PathBuf>,
    /// For the custodian only: write a comparison of OUT with the raw data here; never publish it
    #[arg(long, value_name = "FILE")]
    pub utility_report: Option<PathBuf>,
    /// What is taken on your word.
    #[command(flatten)]
    pub releasing: ReleaseArgs,
    /// Who issues the card.
    #[command(flatten)]
    pub signing: Signing,
    /// How to read it.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// Which edges are private.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "What is private")]
pub struct PrivatePart {
    /// File of the private edges, by the ids of the graph
    #[arg(long, value_name = "FILE")]
    pub private_edges: Option<PathBuf>,
    /// For experiments: treat a random share of the edges as private
    #[arg(long, value_name = "RHO", conflicts_with = "private_edges")]
    pub private_share: Option<f64>,
    /// Seed of that random choice
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub share_seed: u64,
    /// All edges are private
    #[arg(long, conflicts_with_all = ["private_edges", "private_share"])]
    pub all_private: bool,
    /// Ids of the nodes that may have private edges, one per line; declared, never read from the
    /// data [default: all]
    #[arg(long, value_name = "FILE")]
    pub private_nodes: Option<PathBuf>,
}
