//! Arguments of `privet data generate`: one subcommand per model, defaults from the library.

use std::path::PathBuf;

use clap::Subcommand;
use privet::data::formats::Format;
use privet::data::synthetic::{BarabasiAlbert, ErdosRenyi, PowerLaw, StochasticBlocks};

use super::reading::format_parser;

/// The models, each with its parameters.
#[derive(Debug, Subcommand)]
#[command(after_help = "Examples:
  privet data generate sbm --nodes 10000 --classes 5 -o people.npz
  privet data generate barabasi-albert --nodes 1000 | head
  privet data generate karate -o karate.graphml

The same seed makes the same graph on every machine.")]
pub enum Generate {
    /// Communities with class-correlated features: a stochastic block model
    Sbm(Sbm),
    /// Growth by preferential attachment (Barabási and Albert 1999)
    BarabasiAlbert(Barabasi),
    /// Every graph of so many edges equally likely (Erdős and Rényi 1959)
    ErdosRenyi(Erdos),
    /// Degrees that follow a power law
    PowerLaw(Power),
    /// Zachary's karate club (1977): 34 people, 78 friendships, 2 factions
    Karate(Karate),
}

/// Where a generated graph goes.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Writing")]
pub struct GenerateOutput {
    /// The file or folder to write; without it, or with `-`, print an edge list
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// The format to write; by default the one OUT's name ends in
    #[arg(
        long,
        value_name = "FORMAT",
        requires = "output",
        value_parser = format_parser(),
        hide_possible_values = true
    )]
    pub to: Option<Format>,
    /// Replace what is already there
    #[arg(long)]
    pub overwrite: bool,
}

/// The seed of a random graph.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Seed {
    /// The seed
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

/// Arguments of `generate sbm`.
#[derive(Debug, clap::Args)]
pub struct Sbm {
    /// Number of nodes
    #[arg(long, default_value_t = StochasticBlocks::default().nodes)]
    pub nodes: usize,
    /// Number of classes
    #[arg(long, default_value_t = StochasticBlocks::default().classes)]
    pub classes: usize,
    /// Mean degree
    #[arg(long, default_value_t = StochasticBlocks::default().mean_degree)]
    pub mean_degree: f64,
    /// Probability that an edge joins nodes of one class
    #[arg(long, default_value_t = StochasticBlocks::default().homophily)]
    pub homophily: f64,
    /// Exponent of the power law of degrees, above 2 [default: 2.8]
    #[arg(long, value_name = "EXPONENT", conflicts_with = "even_degrees")]
    pub degree_exponent: Option<f64>,
    /// Give all nodes about the same degree instead
    #[arg(long)]
    pub even_degrees: bool,
    /// Number of binary features; 0: none
    #[arg(long, default_value_t = StochasticBlocks::default().features)]
    pub features: usize,
    /// Probability that a feature speaks of the class
    #[arg(long, default_value_t = StochasticBlocks::default().feature_signal)]
    pub feature_signal: f64,
    /// The seed.
    #[command(flatten)]
    pub seed: Seed,
    /// Where it goes.
    #[command(flatten)]
    pub output: GenerateOutput,
}

/// Arguments of `generate barabasi-albert`.
#[derive(Debug, clap::Args)]
pub struct Barabasi {
    /// Number of nodes
    #[arg(long, default_value_t = BarabasiAlbert::default().nodes)]
    pub nodes: usize,
    /// Edges that each new node brings
    #[arg(long, default_value_t = BarabasiAlbert::default().edges_per_node)]
    pub edges_per_node: usize,
    /// The seed.
    #[command(flatten)]
    pub seed: Seed,
    /// Where it goes.
    #[command(flatten)]
    pub output: GenerateOutput,
}

/// Arguments of `generate erdos-renyi`.
#[derive(Debug, clap::Args)]
pub struct Erdos {
    /// Number of nodes
    #[arg(long, default_value_t = ErdosRenyi::default().nodes)]
    pub nodes: usize,
    /// Number of edges
    #[arg(long, default_value_t = ErdosRenyi::default().edges)]
    pub edges: usize,
    /// The seed.
    #[command(flatten)]
    pub seed: Seed,
    /// Where it goes.
    #[command(flatten)]
    pub output: GenerateOutput,
}

/// Arguments of `generate power-law`.
#[derive(Debug, clap::Args)]
pub struct Power {
    /// Number of nodes
    #[arg(long, default_value_t = PowerLaw::default().nodes)]
    pub nodes: usize,
    /// Mean degree
    #[arg(long, default_value_t = PowerLaw::default().mean_degree)]
    pub mean_degree: f64,
    /// Exponent of the degree distribution
    #[arg(long, default_value_t = PowerLaw::default().exponent)]
    pub exponent: f64,
    /// The seed.
    #[command(flatten)]
    pub seed: Seed,
    /// Where it goes.
    #[command(flatten)]
    pub output: GenerateOutput,
}

/// Arguments of `generate karate`.
#[derive(Debug, clap::Args)]
pub struct Karate {
    /// Where it goes.
    #[command(flatten)]
    pub output: GenerateOutput,
}

/// A graph to make: the model in the library's words, and the seed of its randomness.
#[derive(Debug, Clone)]
pub enum Model {
    /// Communities with features.
    Sbm(StochasticBlocks, u64),
    /// Preferential attachment.
    BarabasiAlbert(BarabasiAlbert, u64),
    /// Uniform.
    ErdosRenyi(ErdosRenyi, u64),
    /// Power-law degrees.
    PowerLaw(PowerLaw, u64),
    /// Zachary's karate club, which is not random.
    Karate,
}

impl Generate {
    /// Splits what was typed into the model and where its graph goes.
    pub fn split(self) -> (Model, GenerateOutput) {
        match self {
            Self::Sbm(typed) => {
                let usual = StochasticBlocks::default().degree_exponent;
                let blocks = StochasticBlocks {
                    nodes: typed.nodes,
                    classes: typed.classes,
                    mean_degree: typed.mean_degree,
                    homophily: typed.homophily,
                    degree_exponent: match typed.even_degrees {
                        true => None,
                        false => typed.degree_exponent.or(usual),
                    },
                    features: typed.features,
                    feature_signal: typed.feature_signal,
                };
                (Model::Sbm(blocks, typed.seed.seed), typed.output)
            }
            Self::BarabasiAlbert(Barabasi { nodes, edges_per_node, seed, output }) => {
                (Model::BarabasiAlbert(BarabasiAlbert { nodes, edges_per_node }, seed.seed), output)
            }
            Self::ErdosRenyi(Erdos { nodes, edges, seed, output }) => {
                (Model::ErdosRenyi(ErdosRenyi { nodes, edges }, seed.seed), output)
            }
            Self::PowerLaw(Power { nodes, mean_degree, exponent, seed, output }) => {
                (Model::PowerLaw(PowerLaw { nodes, mean_degree, exponent }, seed.seed), output)
            }
            Self::Karate(Karate { output }) => (Model::Karate, output),
        }
    }
}
