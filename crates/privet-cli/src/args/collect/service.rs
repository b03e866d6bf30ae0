//! Arguments of the steps of `privet collect` that run a service or ask one.

use std::path::PathBuf;

use privet_collector::CollectorSettings;

use super::Administrator;

/// The steps through a service.
#[derive(Debug, clap::Subcommand)]
pub enum CollectService {
    /// Run the service that devices send their reports to
    Serve(CollectServe),
    /// Make single-use codes for people who may take part
    Invite(CollectInvite),
    /// Show how many reports each task has
    Status(CollectStatus),
    /// Close a task: no more reports are taken
    Close(CollectClose),
    /// Download all reports of a task as a dataset with its card
    Export(CollectExport),
    /// Run a complete collection in a minute: a service, 500 devices and the resulting estimates
    Demo(CollectDemo),
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
    /// Address and port to listen on
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = CollectorSettings::default().listen)]
    pub listen: String,
    /// Store of tasks and reports: a file, or postgres://USER:PASSWORD@HOST/NAME
    #[arg(long, value_name = "FILE|URL", env = "PRIVET_STORE", hide_env_values = true, default_value_t = CollectorSettings::default().store)]
    pub store: String,
    /// Who asks.
    #[command(flatten)]
    pub administrator: Administrator,
    /// Rate limit per address, in requests per second; 0 disables it
    #[arg(long, value_name = "N", default_value_t = CollectorSettings::default().rate)]
    pub rate: u32,
    /// Request timeout in seconds
    #[arg(long, value_name = "N", default_value_t = CollectorSettings::default().seconds)]
    pub seconds: u64,
    /// Maximum number of concurrent connections
    #[arg(long, value_name = "N", default_value_t = CollectorSettings::default().connections)]
    pub connections: usize,
    /// HTTPS certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "certificate_key")]
    pub certificate: Option<PathBuf>,
    /// Private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "certificate")]
    pub certificate_key: Option<PathBuf>,
}

/// Arguments of `privet collect invite`.
#[derive(Debug, clap::Args)]
pub struct CollectInvite {
    /// URL of a task, as `create --at` prints it
    #[arg(value_name = "URL")]
    pub task: String,
    /// Invite only these participants; their earlier codes are revoked
    #[arg(long, value_name = "ID,...", value_delimiter = ',')]
    pub only: Option<Vec<String>>,
    /// Table to write: id, code, link. The service stores only hashes of the codes
    #[arg(long, short, value_name = "FILE.csv")]
    pub output: PathBuf,
    /// Who asks.
    #[command(flatten)]
    pub administrator: Administrator,
}

/// Arguments of `privet collect status`.
#[derive(Debug, clap::Args)]
pub struct CollectStatus {
    /// URL of a service or of one of its tasks
    #[arg(value_name = "URL")]
    pub service: String,
    /// Who asks.
    #[command(flatten)]
    pub administrator: Administrator,
}

/// Arguments of `privet collect close`.
#[derive(Debug, clap::Args)]
pub struct CollectClose {
    /// URL of a task
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
    /// URL of a task
    #[arg(value_name = "URL")]
    pub task: String,
    /// The dataset to write
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// Leave out reports with more contacts than the other reports can match; the number of contacts that hardly any
    /// participant exceeds (public knowledge)
    #[arg(long, value_name = "N")]
    pub usual_degree: Option<usize>,
    /// With --usual-degree: the largest share of honest people left out
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, requires = "usual_degree")]
    pub theta: f64,
    /// Overwrite an existing output
    #[arg(long)]
    pub overwrite: bool,
    /// Who asks.
    #[command(flatten)]
    pub administrator: Administrator,
}

/// Arguments of `privet collect demo`.
#[derive(Debug, clap::Args)]
pub struct CollectDemo {
    /// Number of devices
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(20..=20_000))]
    pub devices: u32,
    /// Keep serving until Ctrl-C, to look at the pages in a browser
    #[arg(long)]
    pub stay: bool,
}
