//! What can be asked of projects: `init`, `status`, `train`, `predict`, `evaluate`, `forget`.

use std::path::PathBuf;

use privet::Method;
use privet::options::methods;
use privet::project::{DraftColumn, Protects, TrustModel};

use super::signing::Signing;

/// Arguments of `privet init`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
On a terminal, what is not said is asked. Nothing is proposed from the records: ranges, categories and classes are
what you know without looking.

Example:
  privet init --people customers.csv --id customer --label segment --classes retail,business \\
    --column age=number:18..100 --column 'region=category:north|south' \\
    --edges payments.csv:payer:payee --protects people --epsilon 3 --delta 1e-6")]
pub struct Init {
    /// Project folder; tables are looked up here
    #[arg(value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    pub folder: PathBuf,
    /// Create the project from an existing privet.toml
    #[arg(long, conflicts_with_all = ["people", "id", "label", "classes", "column", "edges", "graphs", "protects", "epsilon", "delta", "name"])]
    pub here: bool,
    /// Name of the data on cards; by default the folder's name
    #[arg(long)]
    pub name: Option<String>,
    /// Table of people: csv, tsv, Parquet, Arrow or SQLite
    #[arg(long, value_name = "FILE")]
    pub people: Option<String>,
    /// Table name, for a SQLite file
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// Id column of the table of people
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Label column of the table of people: the class to predict
    #[arg(long, value_name = "COLUMN", requires = "classes")]
    pub label: Option<String>,
    /// All possible classes
    #[arg(long, value_name = "A,B,...", value_delimiter = ',')]
    pub classes: Vec<String>,
    /// A column of features, as declared: NAME=number:LOW..HIGH, category:A|B, ordinal:LOW|MID|HIGH, text:COLUMNS
    #[arg(long, value_name = "NAME=KIND", value_parser = column)]
    pub column: Vec<(String, DraftColumn)>,
    /// Table of connections and its source and target columns
    #[arg(long, value_name = "FILE:SOURCE:TARGET", value_parser = edges)]
    pub edges: Vec<(String, String, String)>,
    /// Connections are directed, from source to target
    #[arg(long)]
    pub directed: bool,
    /// Table of graphs, its id column and its label column, to classify whole graphs
    #[arg(
        long,
        value_name = "FILE:ID:LABEL",
        value_parser = graphs,
        requires_all = ["member", "classes"],
        conflicts_with = "label"
    )]
    pub graphs: Option<(String, String, String)>,
    /// Column of the table of people that holds each person's graph id
    #[arg(long, value_name = "COLUMN", requires = "graphs")]
    pub member: Option<String>,
    /// Who holds the raw data (default `curator`)
    #[arg(long, value_enum)]
    pub trust: Option<TrustModel>,
    /// Parts of each person's data to protect
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT,...")]
    pub protects: Vec<Protects>,
    /// Privacy budget of all releases together (epsilon)
    #[arg(long)]
    pub epsilon: Option<f64>,
    /// Failure probability of all releases together (delta); well below 1 / number of people
    #[arg(long)]
    pub delta: Option<f64>,
    /// Recipients of the releases, in a few words; printed on cards
    #[arg(long, value_name = "WORDS")]
    pub audience: Option<String>,
    /// Share of people held out for `privet evaluate`
    #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
    pub test_share: f64,
    /// Allow other projects with some of the same people; their budgets add up (also with --here)
    #[arg(long)]
    pub second_project: bool,
}

fn column(typed: &str) -> Result<(String, DraftColumn), String> {
    let (name, kind) =
        typed.split_once('=').ok_or("expected NAME=KIND, such as age=number:18..100")?;
    Ok((name.to_owned(), DraftColumn::parse(kind)?))
}

fn edges(typed: &str) -> Result<(String, String, String), String> {
    three_parts(typed)
        .ok_or_else(|| "expected FILE:SOURCE:TARGET, such as payments.csv:payer:payee".into())
}

fn graphs(typed: &str) -> Result<(String, String, String), String> {
    three_parts(typed)
        .ok_or_else(|| "expected FILE:ID:LABEL, such as threads.csv:thread:topic".into())
}

fn three_parts(typed: &str) -> Option<(String, String, String)> {
    // From the right: a path may hold a colon.
    let mut parts = typed.rsplitn(3, ':');
    let (target, source, file) = (parts.next(), parts.next(), parts.next());
    match (file, source, target) {
        (Some(file), Some(source), Some(target)) if ![file, source, target].contains(&"") => {
            Some((file.into(), source.into(), target.into()))
        }
        _ => None,
    }
}

/// Arguments of `privet status`.
#[derive(Debug, clap::Args)]
pub struct StatusArgs {
    /// Also write the status as an HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// What a release of a project costs, and where its noise comes from.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Cost {
    /// Privacy budget to spend (epsilon)
    #[arg(long)]
    pub epsilon: f64,
    /// Replay noise from a seed: a simulation, which gives no protection and is charged all the same
    #[arg(long)]
    pub seed: Option<u64>,
}

/// Arguments of `privet train`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  privet train -o model --epsilon 1\n\n\
    No truth is looked at beyond what is charged, so no score is shown: `privet evaluate` has its own price.")]
pub struct Train {
    /// Folder to write: model weights, preprocessing, card
    #[arg(long, short, value_name = "MODEL")]
    pub output: PathBuf,
    /// Training method [default: chosen from privet.toml, the price and the number of people, with a note that says
    /// why]
    #[arg(long, value_parser = methods(&Method::TRAINABLE))]
    pub method: Option<Method>,
    /// Its price.
    #[command(flatten)]
    pub cost: Cost,
    /// Failure probability (delta); by default the project's delta, which releases share
    #[arg(long)]
    pub delta: Option<f64>,
    /// Who issues the card.
    #[command(flatten)]
    pub signing: Signing,
}

/// Arguments of `privet tune project`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  privet tune project -o model --epsilon 2 --trials 4\n\n\
    Every candidate is trained and counted with noise on people set aside among the training people; the best is kept.\n\
    All of them together cost EPSILON: compare with one training by `privet train --epsilon EPSILON`.")]
pub struct TuneProject {
    /// Folder to write the best model to
    #[arg(long, short, value_name = "MODEL")]
    pub output: PathBuf,
    /// Number of settings to try, including the default (2 to 8)
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub trials: usize,
    /// Its price.
    #[command(flatten)]
    pub cost: Cost,
}

/// Arguments of `privet predict`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "NEW has the columns that the project declared, and needs no labels. It is read as a stream, so it may be\n\
    longer than memory; with --edges all people are held in memory.\n\
    People whom a project protects are refused, and so are connections that lead to them.\n\n\
    With --epsilon, --edges may lead to people of the project: those who are known by new people vote for their own class,\n\
    with noise. This batch of answers is charged to the project of the current folder, and gets a card; another batch\n\
    costs again.\n\n\
    A model of links scores --pairs. A model of graphs needs --edges: the people of new graphs send randomised lists, as\n\
    those did whom it learned from, and the answers get a card.\n\n\
    Examples:\n  privet predict model december.csv -o december-predicted.csv --probabilities\n  \
    privet predict model december.csv --edges calls.csv:from:to --released reports.npz\n  \
    privet predict model december.csv --edges calls.csv:from:to --epsilon 1 -o december-predicted.csv\n  \
    privet predict links --pairs pairs.csv:from:to -o scores.csv"
)]
pub struct Predict {
    /// Model folder written by `privet train`
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// A table of people; `-` is standard input
    #[arg(value_name = "NEW", required_unless_present = "pairs")]
    pub people: Option<PathBuf>,
    /// The csv file to write; by default standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrite an existing output
    #[arg(long)]
    pub overwrite: bool,
    /// Connections of the new people, used to smooth predictions; for a link model, whom they know; for a graph model,
    /// the contacts
    #[arg(long, value_name = "FILE:SOURCE:TARGET", value_parser = edges, requires = "people")]
    pub edges: Option<(String, String, String)>,
    /// Released data about other people, with its card; --edges may lead to them
    #[arg(long, value_name = "FILE", requires = "edges")]
    pub released: Option<PathBuf>,
    /// Pairs of people to score with a link model
    #[arg(long, value_name = "FILE:SOURCE:TARGET", value_parser = edges)]
    pub pairs: Option<(String, String, String)>,
    /// Number of most likely classes to print
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub top: usize,
    /// Also print the probability of every class
    #[arg(long)]
    pub probabilities: bool,
    /// Table name, for a SQLite file
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// What this batch may cost the project: connections to its people are counted, with noise
    #[arg(long, requires_all = ["edges", "output"], conflicts_with_all = ["released", "pairs"])]
    pub epsilon: Option<f64>,
    /// What that may fail by; by default the project's delta, which releases share
    #[arg(long, requires = "epsilon")]
    pub delta: Option<f64>,
    /// For a model of graphs, and with --epsilon: replay noise from a seed, a simulation that gives no protection
    #[arg(long)]
    pub seed: Option<u64>,
}

/// Arguments of `privet evaluate`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  privet evaluate model --epsilon 0.2\n  privet evaluate model --public volunteers.csv\n\n\
    Where labels are private, counts of right and wrong answers get noise, and the interval includes it."
)]
pub struct Evaluate {
    /// Model folder written by `privet train`
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Privacy budget to spend where labels are private (epsilon)
    #[arg(long)]
    pub epsilon: Option<f64>,
    /// Evaluate without noise on people whom no project protects or who volunteered (privet.toml), with their labels
    #[arg(long, value_name = "FILE", conflicts_with = "epsilon")]
    pub public: Option<PathBuf>,
    /// Replay noise from a seed: a simulation, which gives no protection and is charged all the same
    #[arg(long)]
    pub seed: Option<u64>,
}

/// Arguments of `privet forget`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What was released about them stays released; no later release reads their records. Ids are kept as keyed\n\
    hashes, and ids that are not in the table of people are refused."
)]
pub struct Forget {
    /// Ids of the people to forget
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
}
