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
    /// Explain what a task asks and what it costs
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
    /// File with the administrator token that `serve` wrote
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
    /// Description of the task
    #[arg(value_name = "TASK.toml")]
    pub draft: PathBuf,
    /// Task file to write; public and immutable
    #[arg(long, short, value_name = "TASK.json")]
    pub output: PathBuf,
    /// The collector's key file, made if it is absent. Keep it secret: it signs tasks in the collector's name
    #[arg(long, value_name = "FILE", default_value = "collector.key")]
    pub key: PathBuf,
    /// Service to upload the task to
    #[cfg_attr(not(feature = "collector"), arg(hide = true))]
    #[arg(long, value_name = "URL")]
    pub at: Option<String>,
    /// With --at: accept reports only with an invitation code (see `invite`); otherwise any sender that names an id can
    /// report
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
    /// Task file, or the task's address at a service that receives the report
    #[arg(value_name = "TASK.json|URL")]
    pub task: String,
    /// Ids of eligible participants, one per line; not needed with a service
    #[arg(long, value_name = "FILE")]
    pub people: Option<PathBuf>,
    /// Id of the participant
    #[arg(long, value_name = "ID")]
    pub me: String,
    /// Invitation code
    #[arg(long, value_name = "CODE", env = "PRIVET_INVITATION", hide_env_values = true)]
    pub code: Option<String>,
    /// Feature values, in the order of the task's columns
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', allow_negative_numbers = true)]
    pub features: Option<Vec<f32>>,
    /// Label to report
    #[arg(long, value_name = "CLASS")]
    pub label: Option<String>,
    /// Ids of contacts; `none` if there are none
    #[arg(long, value_name = "ID,...", value_delimiter = ',')]
    pub contacts: Option<Vec<String>>,
    /// Device folder, which holds the participant's own ledger
    #[arg(long, value_name = "FOLDER", default_value = ".privet-device")]
    pub device: PathBuf,
    /// Lifetime privacy budget of a new device (epsilon)
    #[arg(long, value_name = "EPSILON")]
    pub lifetime: Option<f64>,
    /// Report file to write; not needed when the report is sent
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
    /// Ids of eligible participants, one per line
    #[arg(long, value_name = "FILE")]
    pub people: PathBuf,
    /// The dataset to write
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// Overwrite an existing output
    #[arg(long)]
    pub overwrite: bool,
}
