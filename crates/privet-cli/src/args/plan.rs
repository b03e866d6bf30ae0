//! What can be asked of `privet plan`.

use std::path::PathBuf;

use privet::project::{Protects, TrustModel};

use super::trial::Finished;

/// What `privet plan --help` says at the end.
const EXAMPLES: &str = "\
Nothing is read but what you type: no table, no record. People who do not exist are made up from these facts, and the
methods run on them. In a project, its privet.toml says who is trusted, what is hidden, the columns and the
classes; its tables stay closed, so say how many people and connections there are.

Examples:
  privet plan --people 20000 --mean-degree 8 --columns 30 --classes 4 --protects people
  privet plan --people 5000 --edges 20000 --columns 500 --classes 6 --protects features --homophily 0.8
  privet plan --like cora --protects features,labels,contacts --html plan.html
  cd project && privet plan --people 12000 --mean-degree 5
  privet plan --check                  predictions beside what was measured";

/// Arguments of `privet plan`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Plan {
    /// How many people there are
    #[arg(long, value_name = "N", conflicts_with = "like")]
    pub people: Option<usize>,
    /// How many connections there are between them, each counted once
    #[arg(long, value_name = "E", conflicts_with_all = ["mean_degree", "like"])]
    pub edges: Option<u64>,
    /// Or how many connections a person has, on average
    #[arg(long, value_name = "D", conflicts_with = "like")]
    pub mean_degree: Option<f64>,
    /// How many columns a person's record has, a column for each category
    #[arg(long, value_name = "C", conflicts_with = "like")]
    pub columns: Option<usize>,
    /// In how many of many columns a person has something, on average
    #[arg(long, value_name = "COUNT", conflicts_with = "like")]
    pub filled: Option<f64>,
    /// How many classes there are to tell apart
    #[arg(long, value_name = "K", conflicts_with = "like")]
    pub classes: Option<usize>,
    /// In how many graphs people are, where whole graphs are classified
    #[arg(long, value_name = "G", conflicts_with = "like")]
    pub graphs: Option<usize>,
    /// A guess of how often connected people have the same class; without one, a range is planned for
    #[arg(long, value_name = "SHARE")]
    pub homophily: Option<f64>,
    /// The share of the people whose class is known [default: 0.75]
    #[arg(long, value_name = "SHARE")]
    pub labelled: Option<f64>,
    /// The share of the connections that is secret, where connections are hidden [default: 1]
    #[arg(long, value_name = "SHARE")]
    pub private_share: Option<f64>,
    /// Take the facts of a public dataset that resembles yours
    #[arg(long, value_name = "NAME")]
    pub like: Option<String>,
    /// Who sees the raw data [default: curator for people and connections, devices otherwise]
    #[arg(long)]
    pub trust: Option<TrustModel>,
    /// What nobody may learn about anybody
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    pub protects: Vec<Protects>,
    /// The epsilons to compare [default: 0.5,1,2,4,8; in a project, shares of its budget]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub epsilons: Vec<f64>,
    /// The probability that a curator's promise may fail by [default: far below one over the number of people]
    #[arg(long)]
    pub delta: Option<f64>,
    /// Write a page with a slider for epsilon to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Compare predictions with what was measured on public benchmarks, and nothing else
    #[arg(long, conflicts_with_all = ["people", "edges", "mean_degree", "columns", "classes", "graphs", "like", "protects", "html"])]
    pub check: bool,
    /// Where finished runs are.
    #[command(flatten)]
    pub finished: Finished,
}
