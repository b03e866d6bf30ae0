//! What can be asked of `privet protect`.

use std::path::PathBuf;

use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use privet::data::formats::Format;
use privet::options::{DECODINGS, MERGES, by_name};
use privet::privacy::edges::Merge;
use privet::privacy::features::{Decoding, FeatureMechanism};
use privet::privacy::unit::DataPart;
use privet::protect::{EdgeMechanism, Sums};
use privet::request::MechanismSettings;

use super::named::DataName;
use super::reading::{ReadingArgs, format_parser};
use super::releasing::ReleaseArgs;
use super::signing::Signing;

/// What `privet protect --help` says at the end.
const EXAMPLES: &str = "\
OUT is the dataset with that part replaced by noisy reports; ids stay. OUT.card.json says what is
promised and what is not; OUT.ledger is the account it was charged to, before any noise was drawn.

Examples:
  privet protect features cora -o noisy.npz --mechanism hds --epsilon 1
  privet protect edges friends.csv -o noisy --epsilon 2 --merge one-sided --nodes members.txt
  privet protect labels survey.npz -o noisy.npz --epsilon 1 --ledger year.ledger --limit 3
  privet protect edges noisy.npz -o both.npz --epsilon 2 --budgets wishes.csv
  privet protect sums cora -o sums.npz --epsilon 2 --delta 1e-6

What noise cannot hide must be public: who there is (--nodes), the columns (--columns) and the classes
(--classes) are stated, not found in the records.

If IN has a card beside it, what that card promises is promised by OUT's, too.";

/// Which part of the data to randomise.
#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum Protect {
    /// Randomise every row of features, as each person would on their own device
    Features(ProtectFeatures),
    /// Randomise every label
    Labels(ProtectLabels),
    /// Randomise connections
    Edges(ProtectEdges),
    /// Replace connections by noisy sums of neighbours' features, which are public
    Sums(ProtectSums),
}

impl Protect {
    /// Input, output and account.
    pub fn spending(&self) -> &SpendingArgs {
        match self {
            Self::Features(typed) => &typed.spending,
            Self::Labels(typed) => &typed.spending,
            Self::Edges(typed) => &typed.spending,
            Self::Sums(typed) => &typed.spending,
        }
    }

    /// The part that is randomised, and what its account is called.
    pub fn part(&self) -> (DataPart, &'static str) {
        match self {
            Self::Features(_) => (DataPart::Features, "features"),
            Self::Labels(_) => (DataPart::Labels, "labels"),
            Self::Edges(_) | Self::Sums(_) => (DataPart::Edges, "edges"),
        }
    }
}

/// What all parts have in common.
#[derive(Debug, Clone, clap::Args)]
pub struct SpendingArgs {
    /// Benchmark, file, folder or archive; omit it in a project to use the project's data
    #[arg(value_name = "IN")]
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
    /// Privacy budget to spend (epsilon)
    #[arg(long)]
    pub epsilon: f64,
    /// File of individual budgets, one line `id,epsilon` each (`id,public` publishes); all others
    /// get --epsilon
    #[arg(long, value_name = "FILE")]
    pub budgets: Option<PathBuf>,
    /// Ledger to charge, created if absent; by default a new one, OUT.ledger
    #[arg(long, value_name = "FILE")]
    pub ledger: Option<PathBuf>,
    /// Limit of a new ledger (epsilon); by default the epsilon of this release
    #[arg(long, value_name = "EPSILON")]
    pub limit: Option<f64>,
    /// Replay noise from a seed: a simulation, which gives no protection
    #[arg(long)]
    pub seed: Option<u64>,
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

/// Arguments of `privet protect features`.
#[derive(Debug, clap::Args)]
pub struct ProtectFeatures {
    /// Randomiser
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(FeatureMechanism::NAMES))]
    pub mechanism: String,
    /// What it takes beside epsilon.
    #[command(flatten)]
    pub randomizer: MechanismSettings,
    /// How to decode a report: an unbiased estimate, or the paper's formula
    #[arg(long, default_value = "unbiased", value_parser = by_name(&DECODINGS))]
    pub decoding: Decoding,
    /// Input, output and account.
    #[command(flatten)]
    pub spending: SpendingArgs,
}

/// Arguments of `privet protect labels`.
#[derive(Debug, clap::Args)]
pub struct ProtectLabels {
    /// Randomiser
    #[arg(long, value_name = "NAME", default_value = "label-rr", value_parser = ["label-rr"])]
    pub mechanism: String,
    /// Input, output and account.
    #[command(flatten)]
    pub spending: SpendingArgs,
}

/// Arguments of `privet protect edges`.
#[derive(Debug, clap::Args)]
pub struct ProtectEdges {
    /// Randomiser
    #[arg(long, value_name = "NAME", default_value = "dprr")]
    pub mechanism: EdgeMechanism,
    /// How two people's reports become an edge, with dprr and rr: `directed` makes each report a row, unless
    /// something else is said; `or` and `and` join pairs that either or both report; `one-sided` asks only the one
    /// with the larger id, at half the cost for a pair
    #[arg(long, value_name = "RULE", value_parser = by_name(&MERGES))]
    pub merge: Option<Merge>,
    /// Input, output and account.
    #[command(flatten)]
    pub spending: SpendingArgs,
}

/// Arguments of `privet protect sums`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "OUT has no connections: every node's own features, and beside them the sum of its neighbours', then that of\n\
    their sums, hop after hop, each with Gaussian noise and scaled to norm 1. Every connection is protected; features are not.\n\
    Every column gets as much noise as the next: rows of few columns, an embedding say, lose least."
)]
pub struct ProtectSums {
    /// Number of hops
    #[arg(long, default_value_t = Sums::HOPS)]
    pub hops: usize,
    /// Failure probability (delta); well below 1 / number of people
    #[arg(long)]
    pub delta: f64,
    /// Input, output and account.
    #[command(flatten)]
    pub spending: SpendingArgs,
}
