//! What can be asked of a collection: `create`, `show`, `answer`, `gather`.

use std::path::PathBuf;

/// The steps of a collection.
#[derive(Debug, clap::Subcommand)]
pub enum Collect {
    /// Make a task of a description, and sign it
    Create(CollectCreate),
    /// Say in plain words what a task asks, and what it costs
    Show(CollectShow),
    /// On a person's own device: randomise an answer, once
    Answer(CollectAnswer),
    /// Put reports together: a dataset, and the card that follows from the task
    Gather(CollectGather),
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
    /// The collector's key; made if it is not there. Whoever has it can ask in the collector's name
    #[arg(long, value_name = "FILE", default_value = "collector.key")]
    pub key: PathBuf,
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
    /// A task
    #[arg(value_name = "TASK.json")]
    pub task: PathBuf,
    /// Who can take part, an id a line
    #[arg(long, value_name = "FILE")]
    pub people: PathBuf,
    /// Who answers
    #[arg(long, value_name = "ID")]
    pub me: String,
    /// A number for every column that is asked, in that order
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', allow_negative_numbers = true)]
    pub features: Option<Vec<f32>>,
    /// The answer
    #[arg(long, value_name = "CLASS")]
    pub label: Option<String>,
    /// Ids of contacts; `none` for nobody
    #[arg(long, value_name = "ID,...", value_delimiter = ',')]
    pub contacts: Option<Vec<String>>,
    /// The folder of the device, with the person's own account
    #[arg(long, value_name = "FOLDER", default_value = ".privet-device")]
    pub device: PathBuf,
    /// For a new device: what all answers together may cost, for ever
    #[arg(long, value_name = "EPSILON")]
    pub lifetime: Option<f64>,
    /// The report to write
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Replay noise from a seed: a rehearsal, which protects nobody
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
