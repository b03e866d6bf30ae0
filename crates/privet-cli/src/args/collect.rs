//! Arguments of `privet collect`: the steps by files here, those through a service in `service`.

use std::path::PathBuf;

#[cfg(feature = "collector")]
pub mod service;

#[cfg(feature = "collector")]
pub use service::CollectService;

#[cfg(not(feature = "collector"))]
pub use super::missing::MissingService as CollectService;

/// The steps of a collection.
#[derive(Debug, clap::Subcommand)]
pub enum Collect {
    /// Make a signed task from a description; with --at also hand it to a service
    Create(CollectCreate),
    /// Print in plain words what a task asks and what it costs
    Show(CollectShow),
    /// Randomise an answer on a participant's own device, once
    Answer(CollectAnswer),
    /// Join report files into a dataset with the card that follows from the task
    Gather(CollectGather),
    /// What goes through a service.
    #[command(flatten)]
    Service(CollectService),
}

/// How a service knows its administrator.
#[derive(Debug, clap::Args)]
pub struct Administrator {
    /// The file with an administrator's token, as `serve` made it
    #[arg(long, value_name = "FILE", default_value = "collector.token")]
    pub token: PathBuf,
}

/// Arguments of `privet collect create`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "TASK.toml:\n  title = \"Winter\"\n  purpose = \"How an illness spreads\"\n  contact = \"study@example.org\"\n  \
    people = \"people.txt\"                 # who can take part, an id a line\n  [label]\n  question = \"Have you been ill?\"\n  \
    classes = [\"no\", \"yes\"]\n  epsilon = 1.0\n  [contacts]\n  question = \"Whom did you meet?\"\n  epsilon = 2.0\n  [features]\n  \
    mechanism = \"hds\"\n  epsilon = 1.0\n  columns = [{ name = \"days\", low = 0, high = 30 }]"
)]
pub struct CollectCreate {
    /// What is asked
    #[arg(value_name = "TASK.toml")]
    pub draft: PathBuf,
    /// The task to write: public, and never changed
    #[arg(long, short, value_name = "TASK.json")]
    pub output: PathBuf,
    /// The collector's key file, made if it is absent. Keep it secret: it signs tasks in the collector's name
    #[arg(long, value_name = "FILE", default_value = "collector.key")]
    pub key: PathBuf,
    /// A service to hand the task to
    #[cfg_attr(not(feature = "collector"), arg(hide = true))]
    #[arg(long, value_name = "URL")]
    pub at: Option<String>,
    /// With --at: take reports only with a code (see `invite`); without it, from any sender that names an id
    #[arg(long, requires = "at")]
    #[cfg_attr(not(feature = "collector"), arg(hide = true))]
    pub invited: bool,
    /// Who asks.
    #[command(flatten)]
    pub administrator: Administrator,
}

/// Arguments of `privet collect show`.
#[derive(Debug, clap::Args)]
pub struct CollectShow {
    /// A task
    #[arg(value_name = "TASK.json")]
    pub task: PathBuf,
}

/// Arguments of `privet collect answer`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The report is drawn once and remembered: answering again writes the same bytes.\n\nExample:\n  \
    privet collect answer task.json --people people.txt --me ann --label yes --contacts bob,eve -o ann.report"
)]
pub struct CollectAnswer {
    /// A task: a file, or its address at a service, which the report is sent to
    #[arg(value_name = "TASK.json|URL")]
    pub task: String,
    /// Who can take part, an id a line; a service says it itself
    #[arg(long, value_name = "FILE")]
    pub people: Option<PathBuf>,
    /// Who answers
    #[arg(long, value_name = "ID")]
    pub me: String,
    /// The code of an invitation
    #[arg(long, value_name = "CODE", env = "PRIVET_INVITATION", hide_env_values = true)]
    pub code: Option<String>,
    /// A number for every column that is asked, in that order
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', allow_negative_numbers = true)]
    pub features: Option<Vec<f32>>,
    /// The answer
    #[arg(long, value_name = "CLASS")]
    pub label: Option<String>,
    /// Ids of contacts; `none` if there are none
    #[arg(long, value_name = "ID,...", value_delimiter = ',')]
    pub contacts: Option<Vec<String>>,
    /// The folder of the device, with the person's own account
    #[arg(long, value_name = "FOLDER", default_value = ".privet-device")]
    pub device: PathBuf,
    /// For a new device: what all answers together may cost, for ever
    #[arg(long, value_name = "EPSILON")]
    pub lifetime: Option<f64>,
    /// The report to write; not needed where it is sent
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replay noise from a seed: a rehearsal without protection
    #[arg(long)]
    pub seed: Option<u64>,
}

/// Arguments of `privet collect gather`.
#[derive(Debug, clap::Args)]
pub struct CollectGather {
    /// A task
    #[arg(value_name = "TASK.json")]
    pub task: PathBuf,
    /// Reports, or folders of them
    #[arg(value_name = "REPORT", required = true)]
    pub reports: Vec<PathBuf>,
    /// Who can take part, an id a line
    #[arg(long, value_name = "FILE")]
    pub people: PathBuf,
    /// The dataset to write
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// Replace what is already there
    #[arg(long)]
    pub overwrite: bool,
}
