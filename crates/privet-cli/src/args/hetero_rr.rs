//! What can be asked of HeteroRR: `privet run hetero-rr`, `privet attack linkteller` and
//! `privet attack reconstruct`.

use super::publish::{EdgeMethodName, TreeName, WiringName};
use super::reading::Reading;

/// What `privet run hetero-rr --help` says at the end.
const EXAMPLES: &str = "\
Scores come from simulations (noise from seeds, compared with the truth), beside what noise alone, public
edges alone and everything in the clear achieve. To publish a graph, use `privet publish`.

Examples:
  privet run hetero-rr --dataset cora --epsilon-edges 1 --private-share 0.2
  privet run hetero-rr --dataset cora --epsilon-edges 1 --epsilon-features 100 --runs 10
  privet run hetero-rr --dataset cora --epsilon-edges 1 --baselines";

/// What is measured, and how often.
#[derive(Debug, Clone, clap::Args)]
pub struct Measuring {
    /// A benchmark, or a file, folder or archive
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: String,
    /// The share of edges that is called private, drawn anew with every seed
    #[arg(long, value_name = "RHO", default_value_t = 0.2)]
    pub private_share: f64,
    /// How many seeds to measure with
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// How to read it.
    #[command(flatten)]
    pub reading: Reading,
}

/// Arguments of `privet run hetero-rr`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct RunHeteroRr {
    /// What each private edge may cost
    #[arg(long, value_name = "EPSILON")]
    pub epsilon_edges: f64,
    /// What each row of features may cost; without it they are public
    #[arg(long, value_name = "EPSILON")]
    pub epsilon_features: Option<f64>,
    /// The mechanism for edges
    #[arg(long, value_name = "NAME", default_value = "public-tree")]
    pub method: EdgeMethodName,
    /// From what the tree of groups grows; none of it is private
    #[arg(long, value_name = "NAME", default_value = "edges")]
    pub tree: TreeName,
    /// Which pairs of a group become its edges
    #[arg(long, value_name = "NAME", default_value = "closing")]
    pub wiring: WiringName,
    /// Measure priv-hrg, edge-rand and lap-graph too, at the same epsilon
    #[arg(long)]
    pub baselines: bool,
    /// What is measured.
    #[command(flatten)]
    pub measuring: Measuring,
}

/// Arguments of `privet attack linkteller`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  privet attack linkteller --dataset cora --epsilon-edges 1")]
pub struct AttackLinkTeller {
    /// What each private edge may cost
    #[arg(long, value_name = "EPSILON")]
    pub epsilon_edges: f64,
    /// Nodes that are changed, one query each
    #[arg(long, default_value_t = 100)]
    pub probes: usize,
    /// What is attacked.
    #[command(flatten)]
    pub measuring: Measuring,
}

/// Arguments of `privet attack reconstruct`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Half of the nodes are taken for public: a decoder learns from them.\n\n\
    Example:\n  privet attack reconstruct --dataset cora --epsilon-features 1 --bounds 0,1")]
pub struct AttackReconstruct {
    /// What each row of features may cost
    #[arg(long, value_name = "EPSILON")]
    pub epsilon_features: f64,
    /// Columns of the public embedding that is reported, a fixed random projection
    #[arg(long, default_value_t = 32)]
    pub width: usize,
    /// What is attacked.
    #[command(flatten)]
    pub measuring: Measuring,
}
