//! Arguments of `privet data generate`: one subcommand per model, defaults from the library.

use std::path::PathBuf;

use clap::Subcommand;
use privet::data::formats::Format;
use privet::data::synthetic::{BarabasiAlbert, ErdosRenyi, PowerLaw, StochasticBlocks};
use privet::request::{NamedSettings, PartialSettings};

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
    BarabasiAlbert(GeneratedArgs<BarabasiAlbert>),
    /// Every graph of so many edges equally likely (Erdős and Rényi 1959)
    ErdosRenyi(GeneratedArgs<ErdosRenyi>),
    /// Degrees that follow a power law
    PowerLaw(GeneratedArgs<PowerLaw>),
    /// Zachary's karate club (1977): 34 people, 78 friendships, 2 factions
    Karate(GenerateOutput),
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
    /// Overwrite an existing output
    #[arg(long)]
    pub overwrite: bool,
}

/// Arguments of a random model.
#[derive(Debug, clap::Args)]
pub struct GeneratedArgs<S: NamedSettings + clap::Args> {
    /// Its parameters.
    #[command(flatten)]
    pub model: PartialSettings<S>,
    /// The seed
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Where it goes.
    #[command(flatten)]
    pub output: GenerateOutput,
}

/// Arguments of `generate sbm`.
#[derive(Debug, clap::Args)]
pub struct Sbm {
    /// Give all nodes nearly the same degree
    #[arg(long, conflicts_with = "degree_exponent")]
    pub even_degrees: bool,
    /// What all models have.
    #[command(flatten)]
    pub made: GeneratedArgs<StochasticBlocks>,
}
