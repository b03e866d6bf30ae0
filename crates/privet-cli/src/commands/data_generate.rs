//! `privet data generate MODEL`.

use std::io::Write;

use privet::data::synthetic::karate_club;
use privet::graph::{Dataset, Error, Loaded};

use crate::args::Model;
use crate::console::Console;
use crate::failure::{Failure, Kind, Result};
use crate::output::Target;

/// A graph to make.
#[derive(Debug)]
pub struct Plan {
    /// The model and its seed.
    pub model: Model,
    /// Where it goes; `None`: standard output, as an edge list.
    pub target: Option<Target>,
}

impl Plan {
    /// Makes the graph and writes it.
    ///
    /// # Errors
    /// If the parameters make no sense, or it cannot be written.
    pub fn run(self, console: &Console) -> Result<()> {
        let made = {
            let _alive = console.spinner("generating");
            self.model.generate().map_err(blame_parameters)?
        };
        match self.target {
            Some(target) => console.answer(&target.write(&Loaded::Nodes(made))?),
            None => print_edges(&made, console),
        }
    }
}

impl Model {
    fn generate(&self) -> privet::graph::Result<Dataset> {
        match self {
            Self::Sbm(model, seed) => model.generate(*seed),
            Self::BarabasiAlbert(model, seed) => model.generate(*seed),
            Self::ErdosRenyi(model, seed) => model.generate(*seed),
            Self::PowerLaw(model, seed) => model.generate(*seed),
            Self::Karate => karate_club(),
        }
    }
}

/// No file is involved, so a bad number was typed.
fn blame_parameters(error: Error) -> Failure {
    Failure::from(error).of_kind(Kind::Usage)
}

/// One `source<TAB>target` a line; what an edge list cannot say is said on standard error.
fn print_edges(dataset: &Dataset, console: &Console) -> Result<()> {
    let (graph, ids) = (dataset.graph(), dataset.ids());
    let mut left_out = Vec::new();
    left_out.extend(dataset.features().map(|_| "features"));
    left_out.extend(dataset.labels().map(|_| "labels"));
    let isolated = graph.nodes().filter(|&node| graph.degree(node) == 0).count();
    if isolated > 0 {
        left_out.push("nodes without edges");
    }
    if !left_out.is_empty() {
        let list = left_out.join(" and ");
        console.note(&format!("an edge list cannot hold {list}; write them with -o FILE.npz"));
    }
    let mut out = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    for (from, to) in graph.edges() {
        writeln!(out, "{}\t{}", ids.get(from), ids.get(to))?;
    }
    Ok(out.flush()?)
}
