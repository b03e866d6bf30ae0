//! What can be asked of `privet count`.

use std::path::PathBuf;

use privet::count::GraphQuestion;

use super::named::DataName;
use super::reading::ReadingArgs;
use super::releasing::ReleaseArgs;
use super::signing::Signing;

/// What `privet count --help` says at the end.
const EXAMPLES: &str = "\
QUESTIONS, with commas in between:
  connections   how many pairs are connected, and the mean degree
  degrees       how many have at least 1, 2, 3 ... connections
  two-stars     pairs of connections that meet; with triangles also the clustering
  three-stars   triples of connections that meet
  triangles     triples that are all connected
  four-cycles   cycles of four
  two-steps     pairs that are connected or have a neighbour in common
  mixing        connections by the classes of both ends; classes are public

Every single connection is protected; who there is (--nodes) and classes are public. All questions
together cost epsilon, in equal parts; a tenth goes to the size of the noise where that follows the
graph. Intervals hold the true number 95 times in 100.

Examples:
  privet count connections,triangles friends.csv --nodes members.txt --epsilon 1 -o counts.json
  privet count degrees --epsilon 0.5                       in a project, from its budget
  privet count mixing,two-stars cora --epsilon 1 -o counts.json --json";

/// Arguments of `privet count`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct CountArgs {
    /// What to count, with commas in between
    #[arg(value_name = "QUESTIONS", value_parser = question_list)]
    pub questions: QuestionList,
    /// Benchmark, file, folder or archive; omit it in a project to use the project's data
    #[arg(value_name = "IN")]
    pub input: Option<DataName>,
    /// Privacy budget to spend on all questions together (epsilon)
    #[arg(long)]
    pub epsilon: f64,
    /// The file to write answers to, as JSON, with its card and account beside it
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Overwrite an existing OUT; a ledger is never replaced
    #[arg(long)]
    pub overwrite: bool,
    /// Ledger to charge, created if absent; by default a new one, OUT.ledger
    #[arg(long, value_name = "FILE")]
    pub ledger: Option<PathBuf>,
    /// Limit of a new ledger (epsilon); by default the epsilon of this release
    #[arg(long, value_name = "EPSILON")]
    pub limit: Option<f64>,
    /// Replay noise from a seed: a simulation, which gives no protection
    #[arg(long)]
    pub seed: Option<u64>,
    /// What is taken on your word.
    #[command(flatten)]
    pub releasing: ReleaseArgs,
    /// Who issues the card.
    #[command(flatten)]
    pub signing: Signing,
    /// How to read it.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// Questions in one word, with commas in between.
#[derive(Debug, Clone)]
pub struct QuestionList(pub Vec<GraphQuestion>);

fn question_list(typed: &str) -> Result<QuestionList, String> {
    let named = |name: &str| {
        let found = GraphQuestion::ALL.into_iter().find(|question| question.name() == name);
        found.ok_or_else(|| {
            let all = GraphQuestion::ALL.map(GraphQuestion::name).join(", ");
            format!("'{name}' is no question; the questions are {all}")
        })
    };
    Ok(QuestionList(typed.split(',').map(named).collect::<Result<_, String>>()?))
}
