//! What can be asked of LDP-GE: `privet run ldp-ge`.

use privet::request::LdpGeRequest;

use super::named::DataName;
use super::reading::ReadingArgs;
use super::trial::TrialOptions;

/// What `privet run ldp-ge --help` says at the end.
const EXAMPLES: &str = "\
Scores come from simulations (noise from seeds, compared with the truth), beside what noise alone
achieves on the same graph. With -o, one real release is made as well, with noise from the operating
system: its ledgers, card, embedding and model in DIR/share, which may be shared, and the report
in DIR/private, which may not; --seed makes it a simulation too.

Examples:
  privet run ldp-ge --dataset synthetic --epsilon 1
  privet run ldp-ge --dataset cora --epsilon 1 --runs 10 -o release
  privet run ldp-ge --dataset cora --epsilon 1 --task links --html report.html
  privet run ldp-ge --dataset cora --epsilon 3 --private features,labels,edges \\
      --label-epsilon 3 --edge-epsilon 3
  privet run ldp-ge --dataset cora --protocol blink --epsilon 4
  privet run ldp-ge --dataset cora --epsilon 4 --volunteers 0.1 --runs 10
  privet run ldp-ge --dataset cora --epsilon 1 --explain";

/// Arguments of `privet run ldp-ge`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct RunLdpGe {
    /// A benchmark, a file, folder or archive, or `synthetic`: generated people
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: DataName,
    /// Seeds, report and release.
    #[command(flatten)]
    pub trial: TrialOptions,
    /// Predict the error from the mechanism and the graph only; collect nothing
    #[arg(long, conflicts_with_all = ["html", "output", "volunteers"])]
    pub explain: bool,
    /// With --explain: difference between two groups' means in a column, as a share of its range
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "explain")]
    pub contrast: f64,
    /// What is asked of the system.
    #[command(flatten)]
    pub request: LdpGeRequest,
    /// How to read the data.
    #[command(flatten)]
    pub reading: ReadingArgs,
}
