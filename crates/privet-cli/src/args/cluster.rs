//! What can be asked of several processes.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use privet::learn::propagate::Aggregation;

use super::embed::Embed;
use super::named::DataName;
use super::protect::Protect;
use super::reading::ReadingArgs;
use super::signing::Signing;

/// Work by several processes.
#[derive(Debug, Subcommand)]
pub enum Cluster {
    /// Run a job by several processes, on this machine or on several
    Run(Box<ClusterRun>),
}

/// What `privet cluster run --help` says at the end.
const EXAMPLES: &str = "\
The output has the same bytes as one process gives. With --workers, all processes run on this machine. On
several machines, start the same command on each with --hosts FILE and its own --process I: FILE has a
host:port a line, the same on all. Every process reads GRAPH itself, and worker 0 writes OUT.

The connections are NOT encrypted and no process proves its identity: only machines in the list may connect, which
keeps mistakes out, not attackers. Between machines that others can reach, put the addresses of a WireGuard
network, or of ssh tunnels, into the list.

Examples:
  privet cluster run --workers 4 embed graph.npz -o graph.vec
  privet cluster run --workers 2 protect edges graph.npz -o noisy.npz --epsilon 2
  privet cluster run --hosts hosts.txt --process 0 --checkpoint kept embed graph.npz -o graph.vec
  privet cluster run --hosts hosts.txt --process 0 --checkpoint kept --resume embed graph.npz -o graph.vec";

/// Arguments of `privet cluster run`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ClusterRun {
    /// Number of processes to start on this machine
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "hosts")]
    pub workers: usize,
    /// File with the host:port of each process, one a line, in the order of their numbers
    #[arg(long, value_name = "FILE", requires = "process")]
    pub hosts: Option<PathBuf>,
    /// Number of this process in the list, from 0
    #[arg(long, value_name = "I", requires = "hosts")]
    pub process: Option<usize>,
    /// Seconds to wait for the others
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub patience: u64,
    /// Folder for checkpoints, to resume an interrupted job from
    #[arg(long, value_name = "FOLDER")]
    pub checkpoint: Option<PathBuf>,
    /// Rounds between two checkpoints
    #[arg(long, value_name = "ROUNDS", default_value_t = 5, requires = "checkpoint")]
    pub checkpoint_every: usize,
    /// Resume from the last checkpoint that every process holds
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
    /// Started by another process, as this worker.
    #[arg(long, hide = true, global = true)]
    pub worker: Option<usize>,
    /// The job
    #[command(subcommand)]
    pub job: ClusterJob,
}

/// What several processes can do.
#[derive(Debug, Subcommand)]
pub enum ClusterJob {
    /// Propagate features over the graph, as `privet embed` does
    Embed(Box<Embed>),
    /// Aggregate neighbours' features over several steps
    Hops(Box<ClusterHops>),
    /// Train a classifier on the features of labelled nodes, and measure it
    Train(Box<ClusterTrain>),
    /// Randomise features, labels or edges, or take noisy sums, as `privet protect` does
    #[command(subcommand)]
    Protect(Box<Protect>),
}

/// Arguments of `privet cluster run hops`.
#[derive(Debug, clap::Args)]
pub struct ClusterHops {
    /// Benchmark, file, folder or archive
    #[arg(value_name = "GRAPH")]
    pub input: DataName,
    /// The file to write; its ending tells the format
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// Overwrite an existing output
    #[arg(long)]
    pub overwrite: bool,
    /// Who issues the card.
    #[command(flatten)]
    pub signing: Signing,
    /// Number of steps
    #[arg(long, default_value_t = 2)]
    pub steps: usize,
    /// How neighbours are aggregated
    #[arg(long, default_value = "symmetric")]
    pub aggregation: HopAggregation,
    /// How to read it.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How neighbours are aggregated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HopAggregation {
    /// Their sum
    Sum,
    /// Their mean
    Mean,
    /// Weighted by both degrees, as a GCN does
    Symmetric,
}

impl From<HopAggregation> for Aggregation {
    fn from(typed: HopAggregation) -> Self {
        match typed {
            HopAggregation::Sum => Self::Sum,
            HopAggregation::Mean => Self::Mean,
            HopAggregation::Symmetric => Self::Symmetric,
        }
    }
}

/// Arguments of `privet cluster run train`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Features and labels are taken as they are: what is trained on them is as private as they are, which is not\n\
    at all unless both come out of a release. Nodes are split by the dataset's own split, or by --seed: half to train\n\
    on, a quarter to test."
)]
pub struct ClusterTrain {
    /// Benchmark, file, folder or archive with labels
    #[arg(value_name = "GRAPH")]
    pub input: DataName,
    /// Write the trained model to this file (safetensors)
    #[arg(long, short, value_name = "MODEL")]
    pub output: Option<PathBuf>,
    /// Overwrite an existing output
    #[arg(long)]
    pub overwrite: bool,
    /// Widths of hidden layers; none is logistic regression
    #[arg(long, value_name = "WIDTH,...", value_delimiter = ',')]
    pub hidden: Vec<usize>,
    /// Steps, each on all nodes to train on
    #[arg(long, default_value_t = 200)]
    pub epochs: usize,
    /// Learning rate of Adam
    #[arg(long, value_name = "RATE", default_value_t = 0.01)]
    pub learning_rate: f64,
    /// L2 weight decay
    #[arg(long, value_name = "FACTOR", default_value_t = 5e-4)]
    pub weight_decay: f32,
    /// Seed of the initial weights, and of the split if the dataset has none
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// How to read it.
    #[command(flatten)]
    pub reading: ReadingArgs,
}
