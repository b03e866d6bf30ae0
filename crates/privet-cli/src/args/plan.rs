//! What can be asked of `privet plan`.

use std::path::PathBuf;

use privet_lab::plan::StatedFacts;

use super::trial::ResultsOptions;

/// What `privet plan --help` says at the end.
const EXAMPLES: &str = "\
Nothing is read but what you type: no table, no record. People who do not exist are made up from these facts, and the
methods run on them. In a project, its privet.toml says who is trusted, what is hidden, the columns and the
classes, unless you say otherwise; its tables stay closed, so say how many people and connections there are.

Examples:
  privet plan --people 20000 --mean-degree 8 --columns 30 --classes 4 --protects people
  privet plan --people 5000 --edges 20000 --columns 500 --classes 6 --protects features --homophily 0.8
  privet plan --like cora --protects features,labels,contacts --html plan.html
  cd project && privet plan --people 12000 --mean-degree 5
  privet plan --check                  predictions beside what was measured";

/// Arguments of `privet plan`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct PlanArgs {
    /// What is known, and what is asked.
    #[command(flatten)]
    pub facts: StatedFacts,
    /// Write a page with a slider for epsilon to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Only compare predictions with measured accuracies on public benchmarks
    #[arg(long, conflicts_with_all = ["people", "edges", "mean_degree", "columns", "classes", "graphs", "like", "protects", "html"])]
    pub check: bool,
    /// Where finished runs are.
    #[command(flatten)]
    pub finished: ResultsOptions,
}
