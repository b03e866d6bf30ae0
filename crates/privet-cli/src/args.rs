//! [`Args`]: what was typed, and nothing more. No file is looked at here.

mod account;
#[cfg(feature = "cluster")]
mod cluster;
mod collect;
mod count;
mod dpar;
mod dprr;
mod embed;
mod generate;
mod hetero_rr;
mod ldp_ge;
mod membership;
#[cfg(not(all(feature = "cluster", feature = "collector")))]
mod missing;
mod named;
mod own;
mod plan;
mod project;
mod protect;
mod publish;
mod reading;
mod releasing;
mod reproduce;
mod signing;
mod trial;
mod tune;

pub use account::{Account, AuditArgs, Compose, GaussianArgs, Verify};
#[cfg(feature = "cluster")]
pub use cluster::{Cluster, ClusterHops, ClusterJob, ClusterRun, ClusterTrain, HopAggregation};
#[cfg(feature = "collector")]
pub use collect::service::{
    CollectClose, CollectDemo, CollectExport, CollectInvite, CollectServe, CollectStatus,
};
pub use collect::{
    Administrator, Collect, CollectAnswer, CollectCreate, CollectGather, CollectService,
    CollectShow,
};
pub use count::{CountArgs, QuestionList};
pub use dpar::RunDpar;
pub use dprr::{AttackCommand, AttackPoison, RunDprr};
pub use embed::Embed;
pub use generate::{Generate, GenerateOutput, GeneratedArgs, Sbm};
pub use hetero_rr::{AttackLinkTeller, AttackReconstruct, AttackedData, RunHeteroRr};
pub use ldp_ge::RunLdpGe;
pub use membership::AttackMembership;
pub use named::DataName;
pub use own::ProgramCommand;
pub use plan::PlanArgs;
pub use project::{Evaluate, Forget, Init, Predict, StatusArgs, Train, TuneProject};
pub use protect::{
    Protect, ProtectEdges, ProtectFeatures, ProtectLabels, ProtectSums, SpendingArgs,
};
pub use publish::{PrivatePart, Publish};
pub use reading::{FactOptions, LimitOptions, ReadingArgs};
pub use releasing::ReleaseArgs;
pub use reproduce::Reproduce;
pub use signing::Signing;
pub use trial::{ResultsOptions, TrialOptions};
pub use tune::{Tune, TuneLdpGe};

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use privet::data::formats::Format;

/// What `privet --help` says after the commands.
const EXAMPLES: &str = "\
Examples:
  privet demo                          a tour on built-in data; needs no files
  privet plan --people 20000 --mean-degree 8 --columns 30 --classes 4 --protects people
                                       what to expect, before anything is spent
  privet data list                     the public benchmarks, and which of them are here
  privet data info cora                what is in a benchmark
  privet data info friends.csv.gz      what is in a file of your own
  privet protect edges cora -o noisy.npz --epsilon 2
                                       what may be published, and the card that says why
  privet verify noisy.npz.card.json --explain
  privet embed noisy.npz -o noisy.vec  an embedding per node, as private as what it is made from
  privet run ldp-ge --dataset synthetic --epsilon 1
                                       a private system beside its control and its ceiling

Exit codes:
  0    done
  1    the data or the machine: a missing or damaged file, a failed download, a card that does
       not follow from its ledger, a broken claim
  2    a command that was not understood
  3    refused, to keep you or your data safe: a file that would run code or expand without end,
       output that exists already, a conversion that would lose something, a release over the
       limit, bounds, ids, columns or classes that were taken from the records, numbers that
       would give no protection, a ledger that was edited
  130  interrupted (Ctrl-C)";

/// Learn from graphs about people, with privacy guarantees that are true.
#[derive(Debug, Parser)]
#[command(name = "privet", version, after_help = EXAMPLES)]
#[command(arg_required_else_help = true, subcommand_required = true, max_term_width = 100)]
#[command(disable_help_subcommand = true)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// How to speak.
    #[command(flatten)]
    pub speech: OutputOptions,
}

/// Options that every command takes.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct OutputOptions {
    /// Print the result as JSON, for programs
    #[arg(long, global = true, help_heading = "Output")]
    pub json: bool,
    /// Print the result and errors only: no notices, no progress
    #[arg(long, short, global = true, help_heading = "Output")]
    pub quiet: bool,
    /// Print each step
    #[arg(long, short, global = true, help_heading = "Output", conflicts_with = "quiet")]
    pub verbose: bool,
    /// Show ids and values of the data in messages, including on commands that release
    #[arg(long, global = true, help_heading = "Output")]
    pub show_values: bool,
    /// When to use colour; `auto` heeds the terminal, NO_COLOR and CLICOLOR
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        hide_default_value = true,
        help_heading = "Output"
    )]
    pub color: Color,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// If standard output is a terminal and colours are not turned off.
    Auto,
    /// In any case.
    Always,
    /// Not at all.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show a short tour on built-in data; needs no files
    Demo(Demo),
    /// Estimate accuracy by epsilon and method from public facts, before any budget is spent
    Plan(Box<PlanArgs>),
    /// List, fetch, inspect, make and convert graphs
    #[command(subcommand, arg_required_else_help = true)]
    Data(Box<DataCommand>),
    /// Create a project: one privacy budget for all releases about the same people
    Init(Box<Init>),
    /// Show a project's spent and remaining budget and its releases
    Status(StatusArgs),
    /// Train a private model in a project
    Train(Box<Train>),
    /// Predict for new people, pairs of people or whole graphs
    Predict(Box<Predict>),
    /// Evaluate a model on held-out private people, with noise, for a price
    Evaluate(Box<Evaluate>),
    /// Count connections, degrees, triangles and the like, with noise and intervals
    Count(Box<CountArgs>),
    /// Exclude a person's records from all later releases of a project
    Forget(Forget),
    /// Collect locally private reports from devices
    #[command(subcommand, arg_required_else_help = true)]
    Collect(Box<Collect>),
    /// Randomise features, labels or edges, with a privacy card beside the output
    #[command(subcommand, arg_required_else_help = true)]
    Protect(Box<Protect>),
    /// Publish one reusable private graph (HeteroRR)
    Publish(Box<Publish>),
    /// Propagate features over the graph to node embeddings
    Embed(Box<Embed>),
    /// Run a job on several processes or machines
    #[cfg(feature = "cluster")]
    #[command(subcommand, arg_required_else_help = true)]
    Cluster(Cluster),
    /// Not in this build
    #[cfg(not(feature = "cluster"))]
    #[command(hide = true, disable_help_flag = true)]
    Cluster(missing::MissingCommand),
    /// Run and measure one of the four systems from data to scores
    #[command(subcommand, arg_required_else_help = true)]
    Run(Run),
    /// Compute epsilon from noise, noise from epsilon, or the cost of composed releases
    #[command(subcommand, arg_required_else_help = true)]
    Account(Account),
    /// Recompute a card from its ledger
    Verify(Verify),
    /// Audit the privacy claims of every mechanism
    Audit(AuditArgs),
    /// Attack a system and measure defences
    #[command(subcommand, arg_required_else_help = true)]
    Attack(AttackCommand),
    /// Tune the settings of a system on validation data
    #[command(subcommand, arg_required_else_help = true)]
    Tune(Tune),
    /// Reproduce the figures and tables of the papers
    Reproduce(Box<Reproduce>),
    /// Print a completion script for your shell
    #[command(after_help = "Example:\n  privet completions bash > \
        ~/.local/share/bash-completion/completions/privet")]
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Check this installation, and write its manual pages
    #[command(name = "self", subcommand, arg_required_else_help = true)]
    Own(ProgramCommand),
}

/// The systems that can be run.
#[derive(Debug, Subcommand)]
pub enum Run {
    /// LDP-GE: features randomised on devices, propagated over the graph, then a classifier
    LdpGe(Box<RunLdpGe>),
    /// DPAR: a classifier trained by a curator under node-level differential privacy
    Dpar(Box<RunDpar>),
    /// DPRR: neighbour lists randomised on devices, then classification of whole graphs
    Dprr(Box<RunDprr>),
    /// HeteroRR: features randomised, private edges protected by a curator, then a classifier
    HeteroRr(Box<RunHeteroRr>),
}

/// Arguments of `privet demo`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The same seed shows the same people and the same noise on every machine; scores may\n\
    differ in their last digits."
)]
pub struct Demo {
    /// Seed of the generated people and of the noise
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
    /// Also write the tour as an HTML page with pictures
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Commands about data.
#[derive(Debug, Subcommand)]
pub enum DataCommand {
    /// Show the public benchmarks and which of them are on this machine
    List(List),
    /// Show what is in a benchmark or in a file of your own
    Info(Info),
    /// Download benchmarks and check their checksums
    Fetch(Fetch),
    /// Make a random graph, or Zachary's karate club
    #[command(subcommand, arg_required_else_help = true)]
    Generate(Generate),
    /// Read any known format, write another; ids stay
    Convert(Convert),
}

/// Where benchmarks are looked for.
#[derive(Debug, Clone, clap::Args)]
pub struct DataDir {
    /// Look for benchmarks here first, then in PRIVET_DATA_DIR and your cache folder
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
}

/// Arguments of `privet data list`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  privet data list\n  privet data list cora\n  \
    privet data list --json | jq -r '.benchmarks[] | select(.present) | .name'")]
pub struct List {
    /// Show these only, with their files and checksums
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Show publishers, licences, files and checksums too
    #[arg(long, short)]
    pub long: bool,
    /// Where benchmarks are.
    #[command(flatten)]
    pub data_dir: DataDir,
}

/// What `privet data info --help` and `convert --help` say about names and paths.
const NAMES: &str = "\
A word that names a benchmark (see `privet data list`) means that benchmark, wherever you are;
anything else is a path, or `-` for standard input. To read your own file or folder called `cora`,
write ./cora.";

/// Arguments of `privet data info`.
#[derive(Debug, clap::Args)]
#[command(after_help = NAMES)]
#[command(after_long_help = format!("{NAMES}\n\nExamples:
  privet data info cora
  privet data info soc-Epinions1.txt.gz --directed
  privet data info friends.csv --labels teams.csv --features survey.npy --bounds 0,10
  privet data info wikipedia.zip --member chameleon --json"))]
pub struct Info {
    /// Benchmark, file, folder or archive
    #[arg(value_name = "NAME|PATH")]
    pub input: DataName,
    /// How to read it.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// Arguments of `privet data fetch`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  privet data fetch cora citeseer --to ~/graphs\n\n\
    Files that are there already and whose checksum is right are not fetched again.")]
pub struct Fetch {
    /// The benchmarks
    #[arg(required = true, value_name = "NAME")]
    pub names: Vec<String>,
    /// Target folder; by default `privet/data` in your cache folder
    #[arg(long, value_name = "DIR", alias = "data-dir")]
    pub to: Option<PathBuf>,
    /// Download from a copy of a data folder, not from the publishers [env: PRIVET_MIRROR]
    #[arg(long, value_name = "URL")]
    pub mirror: Option<String>,
    /// Fetch files that are already there, too
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `privet data convert`.
#[derive(Debug, clap::Args)]
#[command(after_help = NAMES)]
#[command(after_long_help = format!("{NAMES}

OUT may be a folder (of csv tables, or parquet with --to parquet), a .npz or .graphml file, a .csv, .tsv
or .parquet file of edges alone, or a .txt file of a set of graphs; text may end in .gz or .zst. `-` is
standard output: edges as csv, unless --to says otherwise. For PyTorch Geometric write --to edge-index.
What OUT cannot hold (features in a file of edges, say) is an error, never a silent loss.

Examples:
  privet data convert cora cora.npz
  privet data convert cora cora-tables
  privet data convert graph.graphml edges.csv
  privet data convert cora pyg.npz --to edge-index
  zcat friends.csv.gz | privet data convert - - | head"))]
pub struct Convert {
    /// Benchmark, file, folder or archive
    #[arg(value_name = "IN")]
    pub input: DataName,
    /// The file or folder to write
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// The format to write; by default the one OUT's name ends in
    #[arg(long, value_name = "FORMAT", value_parser = reading::format_parser(), hide_possible_values = true)]
    pub to: Option<Format>,
    /// Overwrite an existing output
    #[arg(long)]
    pub overwrite: bool,
    /// How to read it.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Args::command().debug_assert();
    }
}
