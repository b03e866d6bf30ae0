//! What can be asked of DPAR: `privet run dpar`.

use privet::request::DparRequest;

use super::named::DataName;
use super::reading::ReadingArgs;
use super::trial::TrialOptions;

/// What `privet run dpar --help` says at the end.
const EXAMPLES: &str = "\
A curator holds the graph; what leaves is a classifier from which an attacker cannot tell whether any one person,
with connections, features and label, was in it. Scores come from simulations on an 80/20 split; connections
between the parts are read by `--method neighbour-votes` alone, and by the ceiling. With -o, one real release is made as well: model, ledger and card in DIR/share, the
report in DIR/private.

In `paper` mode the noise is the published one; its true epsilon is printed beside the published number.

Examples:
  privet run dpar --dataset synthetic --epsilon 4
  privet run dpar --dataset cora_ml --epsilon 8 --method smoothed-sgd --runs 10 -o release
  privet run dpar --dataset cora_ml --epsilon 8 --delta 2e-3 --method em0 --mode paper
  privet run dpar --dataset cora_ml --epsilon 1 --method gap --relation edge-dp
  privet run dpar --dataset school.npz --epsilon 2 --method neighbour-votes --runs 10";

/// Arguments of `privet run dpar`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct RunDpar {
    /// A benchmark, a file, folder or archive, or `synthetic`: generated people
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: DataName,
    /// What is asked of the system.
    #[command(flatten)]
    pub request: DparRequest,
    /// Seeds, report and release.
    #[command(flatten)]
    pub trial: TrialOptions,
    /// How to read the data.
    #[command(flatten)]
    pub reading: ReadingArgs,
}
