//! What can be asked of `privet account`, `privet verify` and `privet audit`: the commands about numbers.

use std::path::PathBuf;

use clap::Subcommand;

use super::signing::Signing;

/// Commands that price releases without making any.
#[derive(Debug, Subcommand)]
#[command(after_help = "Examples:
  privet account gaussian --noise 1 --rate 0.01 --steps 1000 --delta 1e-5
  privet account gaussian --epsilon 1 --rate 0.01 --steps 1000 --delta 1e-5
  privet account compose events.json --delta 1e-6")]
pub enum Account {
    /// Gaussian noise, once or many times, on everything or on samples
    Gaussian(GaussianArgs),
    /// A list of events, one after the other, as ledgers write them
    Compose(Compose),
}

/// Arguments of `privet account gaussian`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Give --noise to learn the epsilon, or --epsilon to learn the noise.")]
pub struct GaussianArgs {
    /// Noise multiplier: standard deviation of the noise / sensitivity
    #[arg(long, value_name = "MULTIPLIER", required_unless_present = "epsilon")]
    pub noise: Option<f64>,
    /// Target epsilon; prints the smallest noise that reaches it
    #[arg(long, conflicts_with = "noise")]
    pub epsilon: Option<f64>,
    /// Sampling rate of each step; 1 disables sampling
    #[arg(long, default_value_t = 1.0)]
    pub rate: f64,
    /// Number of steps
    #[arg(long, default_value_t = 1)]
    pub steps: u64,
    /// Failure probability (delta)
    #[arg(long, default_value_t = 1e-5)]
    pub delta: f64,
    /// Plot epsilon against the number of steps
    #[arg(long)]
    pub plot: bool,
}

/// Arguments of `privet account compose`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = r#"FILE holds one event or a list of them, for example:
  [ {"kind": "pure", "epsilon": 0.5},
    {"kind": "repeated", "times": 100,
     "event": {"kind": "gaussian", "noise_multiplier": 20.0}} ]"#)]
pub struct Compose {
    /// A JSON file of events
    #[arg(value_name = "FILE")]
    pub events: PathBuf,
    /// Failure probability (delta)
    #[arg(long, default_value_t = 1e-5)]
    pub delta: f64,
}

/// Arguments of `privet verify`.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Files are hashed and every number is computed again. Exit code 1 if the card says\n\
    anything that its files and ledgers do not.\n\n\
    Examples:\n  privet verify people.npz.card.json --explain\n  privet verify people.npz.card.json --details"
)]
pub struct Verify {
    /// Card to verify
    #[arg(value_name = "CARD")]
    pub card: PathBuf,
    /// The ledger it was made from; by default those it names, beside the card [may be repeated]
    #[arg(long = "ledger", value_name = "FILE")]
    pub ledgers: Vec<PathBuf>,
    /// Task of the reports, for reports from devices
    #[arg(long, value_name = "TASK.json", conflicts_with = "ledgers")]
    pub task: Option<PathBuf>,
    /// Explain what an attacker can learn about a person, in counts of people
    #[arg(long)]
    pub explain: bool,
    /// Show every term and number of the card
    #[arg(long)]
    pub details: bool,
    /// Who issued it.
    #[command(flatten)]
    pub signing: Signing,
}

/// Arguments of `privet audit`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Exit code 1 if a claim is broken.\n\n\
    Examples:\n  privet audit\n  privet audit dprr\n  privet audit --repeat 1000\n  privet audit --printed\n  \
    privet audit --faults")]
pub struct AuditArgs {
    /// Audit this mechanism only
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Repeat statistical audits this many times with fresh seeds and count false alarms
    #[arg(long, value_name = "RUNS", value_parser = clap::value_parser!(u64).range(1..))]
    pub repeat: Option<u64>,
    /// Compare the papers' printed claims with the true values
    #[arg(long, conflicts_with_all = ["name", "repeat"])]
    pub printed: bool,
    /// List the faults of development builds, and which audit or test catches each
    #[arg(long, conflicts_with_all = ["name", "repeat", "printed"])]
    pub faults: bool,
}
