//! What can be asked of `privet attack membership`.

use std::path::PathBuf;

use privet_lab::request::MembershipRequest;

use super::named::DataName;
use super::reading::ReadingArgs;
use super::trial::ResultsOptions;

/// What `privet attack membership --help` says at the end.
const EXAMPLES: &str = "\
Shadow models are trained with and without each target; a model is asked about all people, and its confidence
compared with what models of either kind say. Beside every rate stands the ceiling: what any attack at all
can reach by the card's guarantee. Models without privacy are attacked too, to see that the attack works.

Examples:
  privet attack membership --dataset synthetic --epsilon 4
  privet attack membership --dataset cora_ml --epsilon 1 --delta 2e-3 --methods em0,features,gap
  privet attack membership --dataset cora_ml --epsilon 8 --delta 2e-3 --target connections --methods gap
  privet attack membership --dataset cora_ml --epsilon 1 --delta 2e-3 --mode paper --methods em0";

/// Arguments of `privet attack membership`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct AttackMembership {
    /// A benchmark, a file, folder or archive, or `synthetic`: generated people
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: DataName,
    /// What is asked of the attack.
    #[command(flatten)]
    pub request: MembershipRequest,
    /// Where finished models are.
    #[command(flatten)]
    pub finished: ResultsOptions,
    /// Write the report to this HTML file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// How to read the data.
    #[command(flatten)]
    pub reading: ReadingArgs,
}
