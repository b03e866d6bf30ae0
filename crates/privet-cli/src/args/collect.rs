//! What can be asked of a collection: by files, or through a service.

use std::path::PathBuf;

use privet_collector::Settings;

/// The steps of a collection.
#[derive(Debug, clap::Subcommand)]
pub enum Collect {
    /// Run the service that devices send their reports to
    Serve(CollectServe),
    /// Make a task of a description, and sign it; with --at also hand it to a service
    Create(CollectCreate),
    /// Say in plain words what a task asks, and what it costs
    Show(CollectShow),
    /// On a person's own device: randomise an answer, once
    Answer(CollectAnswer),
    /// Put reports together: a dataset, and the card that follows from the task
    Gather(CollectGather),
    /// Make single-use codes for people who may take part
    Invite(CollectInvite),
    /// How far tasks have come
    Status(CollectStatus),
    /// Take no more reports
    Close(CollectClose),
    /// Get all reports of a task: a dataset, and its card
    Export(CollectExport),
    /// See all of it in a minute: a service, 500 devices, and what is learned
    Demo(CollectDemo),
}

/// A service, and who asks it.
#[derive(Debug, clap::Args)]
pub struct Administrator {
    /// The file with an administrator's token, as `serve` made it
    #[arg(long, value_name = "FILE", default_value = "collector.token")]
    pub token: PathBuf,
}

/// Arguments of `privet collect serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "One file holds everything (--store collector.db); nothing has to be installed. An administrator's token is\n\
    written to collector.token when there is none. Listen on other addresses than this machine's only behind HTTPS:\n\
    with --certificate and --certificate-key, or a server in front.\n\nExample:\n  privet collect serve &\n  \
    privet collect create task.toml -o task.json --at http://127.0.0.1:8420"
)]
pub struct CollectServe {
    /// Where to listen
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = Settings::default().listen)]
    pub listen: String,
    /// Where to keep tasks and reports: a file, or postgres://USER:PASSWORD@HOST/NAME
    #[arg(long, value_name = "FILE|URL", env = "PRIVET_STORE", hide_env_values = true, default_value_t = Settings::default().store)]
    pub store: String,
    /// Who asks.
    #[command(flatten)]
    pub administrator: Administrator,
    /// Requests a second from one address; 0 sets no limit
    #[arg(long, value_name = "N", default_value_t = Settings::default().rate)]
    pub rate: u32,
    /// Seconds that one request may take
    #[arg(long, value_name = "N", default_value_t = Settings::default().seconds)]
    pub seconds: u64,
    /// Connections at once
    #[arg(long, value_name = "N", default_value_t = Settings::default().connections)]
    pub connections: usize,
    /// A certificate for HTTPS, in PEM
    #[arg(long, value_name = "FILE", requires = "certificate_key")]
    pub certificate: Option<PathBuf>,
    /// Its private key, in PEM
    #[arg(long, value_name = "FILE", requires = "certificate")]
    pub certificate_key: Option<PathBuf>,
}

/// Arguments of `privet collect invite`.
#[derive(Debug, clap::Args)]
pub struct CollectInvite {
    /// A task of a service, as `create --at` shows it
    #[arg(value_name = "URL")]
    pub task: String,
    /// Only these people; everybody, if none is named. Codes that they had are no longer good
    #[arg(long, value_name = "ID,...", value_delimiter = ',')]
    pub only: Option<Vec<String>>,
    /// The table to write: id, code, link. It is shown this once, and kept nowhere
    #[arg(long, short, value_name = "FILE.csv")]
    pub output: PathBuf,
    /// Who asks.
    #[command(flatten)]
    pub administrator: Administrator,
}

/// Arguments of `privet collect status`.
#[derive(Debug, clap::Args)]
pub struct CollectStatus {
    /// A service, or a task of it
    #[arg(value_name = "URL")]
    pub service: String,
    /// Who asks.
    #[command(flatten)]
    pub administrator: Administrator,
}

/// Arguments of `privet collect close`.
#[derive(Debug, clap::Args)]
pub struct CollectClose {
    /// A task of a service
    #[arg(value_name = "URL")]
    pub task: String,
    /// Who asks.
    #[command(flatten)]
    pub administrator: Administrator,
}

/// Arguments of `privet collect export`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  privet collect export http://127.0.0.1:8420/t/NAME -o winter.npz\n  privet data info winter.npz"
)]
pub struct CollectExport {
    /// A task of a service
    #[arg(value_name = "URL")]
    pub task: String,
    /// The dataset to write
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// Leave out whoever claims more contacts than everybody else's claims can match; nearly nobody has more than this
    /// many (public knowledge)
    #[arg(long, value_name = "N")]
    pub usual_degree: Option<usize>,
    /// With --usual-degree: the largest share of honest people left out
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, requires = "usual_degree")]
    pub theta: f64,
    /// Replace what is already there
    #[arg(long)]
    pub overwrite: bool,
    /// Who asks.
    #[command(flatten)]
    pub administrator: Administrator,
}

/// Arguments of `privet collect demo`.
#[derive(Debug, clap::Args)]
pub struct CollectDemo {
    /// How many devices
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(20..=20_000))]
    pub devices: u32,
    /// Go on serving, so that a browser can look at it, until Ctrl-C
    #[arg(long)]
    pub stay: bool,
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
    /// A service to hand the task to
    #[arg(long, value_name = "URL")]
    pub at: Option<String>,
    /// With --at: only people with a code may send a report (see `invite`); otherwise whoever says who they are
    #[arg(long, requires = "at")]
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
    /// Ids of contacts; `none` for nobody
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
