//! What can be asked of `privet run ldp-ge`: `secrets` is who hides what at which price, `settings` is how
//! it is done.

mod secrets;
mod settings;

use privet_lab::experiments::ldp_ge::Task;

use super::named::DataName;
use super::reading::ReadingArgs;
use super::trial::TrialOptions;
pub use secrets::Secrets;
pub use settings::LdpGeSettings;

/// What `privet run ldp-ge --help` says at the end.
const EXAMPLES: &str = "\
Scores come from simulations (noise from seeds, compared with the truth), beside what noise alone
achieves on the same graph. With -o, one real release is made as well, with noise from the operating
system: its ledgers, card, embedding and model in DIR/share, which may leave the house, and the report
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
    /// A benchmark, a file, folder or archive, or `synthetic`: people who do not exist
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: DataName,
    /// What a person's whole row of features may cost; where features are public, what each private part may cost that
    /// has no price of its own
    #[arg(long)]
    pub epsilon: f64,
    /// What to predict
    #[arg(long, default_value = "nodes")]
    pub task: Task,
    /// Seeds, report and release.
    #[command(flatten)]
    pub trial: TrialOptions,
    /// Forecast the error from the mechanism and the graph alone, and collect nothing
    #[arg(long, conflicts_with_all = ["html", "output"])]
    pub explain: bool,
    /// With --explain: how far two groups' means may differ in a column, as a share of its range
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "explain")]
    pub contrast: f64,
    /// This share of the people volunteer their features; a model learned from them runs on every other
    /// device, and its answer, randomised, is all that is sent
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    #[arg(conflicts_with_all = ["private", "protocol", "explain", "mechanism", "k", "delta", "bins", "decoding",
        "alpha", "r", "method", "rmax", "sketch", "scaling", "label_radii"])]
    pub volunteers: Option<f64>,
    /// Who keeps what secret.
    #[command(flatten)]
    pub secrets: Secrets,
    /// How it is done.
    #[command(flatten)]
    pub settings: LdpGeSettings,
    /// How to read the data.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

fn parse_share(typed: &str) -> Result<f64, String> {
    let share = typed.parse().ok().filter(|&share: &f64| share > 0.0 && share < 1.0);
    share.ok_or_else(|| "expected a share between 0 and 1, such as 0.1".into())
}
