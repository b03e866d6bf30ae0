//! `privet data generate MODEL`.

use std::io::Write;
use std::path::Path;

use privet::data::synthetic::{
    BarabasiAlbert, ErdosRenyi, PowerLaw, StochasticBlocks, karate_club,
};
use privet::graph::{Dataset, Error, LoadedData};

use crate::args::{Generate, Sbm};
use crate::console::Console;
use crate::failure::{Failure, Kind, Result};
use crate::output::Target;

/// Makes a graph and writes it: to standard output, as an edge list, unless a place was named.
pub(super) fn run(typed: Generate, console: &Console) -> Result<()> {
    let output = match &typed {
        Generate::Sbm(typed) => &typed.made.output,
        Generate::BarabasiAlbert(typed) => &typed.output,
        Generate::ErdosRenyi(typed) => &typed.output,
        Generate::PowerLaw(typed) => &typed.output,
        Generate::Karate(output) => output,
    };
    let path = output.output.as_deref().filter(|path| *path != Path::new("-"));
    let target = path.map(|path| Target::new(path, output.to, output.overwrite)).transpose()?;
    let made = {
        let _alive = console.spinner("generating");
        make(&typed)?.map_err(blame_parameters)?
    };
    match target {
        Some(target) => console.answer(&target.write(&LoadedData::Nodes(made))?),
        None => print_edges(&made, console),
    }
}

fn make(typed: &Generate) -> Result<privet::graph::Result<Dataset>> {
    Ok(match typed {
        Generate::Sbm(Sbm { even_degrees, made }) => {
            let mut blocks = made.model.over(StochasticBlocks::default())?;
            blocks.degree_exponent = blocks.degree_exponent.filter(|_| !even_degrees);
            blocks.generate(made.seed)
        }
        Generate::BarabasiAlbert(made) => {
            made.model.over(BarabasiAlbert::default())?.generate(made.seed)
        }
        Generate::ErdosRenyi(made) => made.model.over(ErdosRenyi::default())?.generate(made.seed),
        Generate::PowerLaw(made) => made.model.over(PowerLaw::default())?.generate(made.seed),
        Generate::Karate(_) => karate_club(),
    })
}

/// No file is involved, so a bad number was typed, unless another machine could do it.
fn blame_parameters(error: Error) -> Failure {
    match error {
        Error::Memory { .. } => error.into(),
        error => Failure::from(error).of_kind(Kind::Usage),
    }
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
