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
    /// The folder that becomes a project; it is where tables are looked for
    #[arg(value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    pub folder: PathBuf,
    /// Make a project of a privet.toml that is there already
    #[arg(long, conflicts_with_all = ["people", "id", "label", "classes", "column", "edges", "graphs", "protects", "epsilon", "delta", "name"])]
    pub here: bool,
    /// What the data are called on cards; by default the folder's name
    #[arg(long)]
    pub name: Option<String>,
    /// The table of people: csv, tsv, Parquet, Arrow, or a SQLite file
    #[arg(long, value_name = "FILE")]
    pub people: Option<String>,
    /// The table's name, in a SQLite file
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// Its column of ids
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Its column of labels: what is to be predicted
    #[arg(long, value_name = "COLUMN", requires = "classes")]
    pub label: Option<String>,
    /// All classes there can be
    #[arg(long, value_name = "A,B,...", value_delimiter = ',')]
    pub classes: Vec<String>,
    /// A column of features, as declared: NAME=number:LOW..HIGH, category:A|B, ordinal:LOW|MID|HIGH, text:COLUMNS
    #[arg(long, value_name = "NAME=KIND", value_parser = column)]
    pub column: Vec<(String, DraftColumn)>,
    /// A table of connections, and the columns of both ends
    #[arg(long, value_name = "FILE:SOURCE:TARGET", value_parser = edges)]
    pub edges: Vec<(String, String, String)>,
    /// Connections lead from source to target, not both ways
    #[arg(long)]
    pub directed: bool,
    /// A table of many graphs that people are in, its columns of ids and of labels: graphs are what is to be predicted
    #[arg(
        long,
        value_name = "FILE:ID:LABEL",
        value_parser = graphs,
        requires_all = ["member", "classes"],
        conflicts_with = "label"
    )]
    pub graphs: Option<(String, String, String)>,
    /// The column of the table of people that says which graph each person is in
    #[arg(long, value_name = "COLUMN", requires = "graphs")]
    pub member: Option<String>,
    /// Who sees the raw data; `curator` unless something else is said
    #[arg(long, value_enum)]
    pub trust: Option<TrustModel>,
    /// What is protected about each person
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT,...")]
    pub protects: Vec<Protects>,
    /// What all releases together may cost
    #[arg(long)]
    pub epsilon: Option<f64>,
    /// What that may fail by: far below one over the number of people
    #[arg(long)]
    pub delta: Option<f64>,
    /// Who will see what is released, in a few words; cards repeat it
    #[arg(long, value_name = "WORDS")]
    pub audience: Option<String>,
    /// The share of people set aside for `privet evaluate`
    #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
    pub test_share: f64,
    /// Allow the projects that hold some of the same people now: their budgets add up (with --here in a project, too)
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
    /// Write it as a page of its own, too
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// What a release of a project costs, and where its noise comes from.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Cost {
    /// What it may cost
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
    /// The folder to write: network, preprocessing, card
    #[arg(long, short, value_name = "MODEL")]
    pub output: PathBuf,
    /// Method that trains [default: chosen from privet.toml, the price and the number of people, with a note that says why]
    #[arg(long, value_parser = methods(&Method::TRAINABLE))]
    pub method: Option<Method>,
    /// Its price.
    #[command(flatten)]
    pub cost: Cost,
    /// What it may fail by; by default the project's delta, which releases share
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
    /// The folder to write: the best model
    #[arg(long, short, value_name = "MODEL")]
    pub output: PathBuf,
    /// How many settings to try, the default among them: 2 to 8
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
    A model of links scores --pairs. A model of graphs needs --edges: the people of new graphs send randomised lists, as\n\
    those did whom it learned from, and the answers get a card.\n\n\
    Examples:\n  privet predict model december.csv -o december-predicted.csv --probabilities\n  \
    privet predict model december.csv --edges calls.csv:from:to --released reports.npz\n  \
    privet predict links --pairs pairs.csv:from:to -o scores.csv"
)]
pub struct Predict {
    /// A folder that `privet train` wrote
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// A table of people; `-` is standard input
    #[arg(value_name = "NEW", required_unless_present = "pairs")]
    pub people: Option<PathBuf>,
    /// The csv file to write; by default standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace what is already there
    #[arg(long)]
    pub overwrite: bool,
    /// Connections of the new people, over which answers are spread; of links, whom they know; of graphs, the contacts
    #[arg(long, value_name = "FILE:SOURCE:TARGET", value_parser = edges, requires = "people")]
    pub edges: Option<(String, String, String)>,
    /// What was released about others, with its card: --edges may lead to them
    #[arg(long, value_name = "FILE", requires = "edges")]
    pub released: Option<PathBuf>,
    /// Pairs of people, for a model of links: those it was trained on, and new ones
    #[arg(long, value_name = "FILE:SOURCE:TARGET", value_parser = edges)]
    pub pairs: Option<(String, String, String)>,
    /// So many of the most likely classes
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub top: usize,
    /// The probability of every class, too
    #[arg(long)]
    pub probabilities: bool,
    /// The table's name, in a SQLite file
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// For a model of graphs: replay the noise of people's reports, a simulation that gives no protection
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
    /// A folder that `privet train` wrote
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// What it may cost, where labels are private
    #[arg(long)]
    pub epsilon: Option<f64>,
    /// Count without noise on people whom no project protects, or who volunteered (privet.toml), with their labels
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
    /// Ids of people
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
}
