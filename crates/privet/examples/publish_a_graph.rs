//! One graph, made private once, for whatever comes.

use privet::data::synthetic::StochasticBlocks;
use privet::hetero_rr::{FeatureProtection, PrivateEdges};
use privet::privacy::edges::comparison::hrg::PrivateNodes;
use privet::publish::{FeaturePolicy, Publish};
use privet::{Run, Save};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let blocks = StochasticBlocks { nodes: 200, classes: 2, features: 10, ..Default::default() };
    let data = blocks.generate(1)?;
    let mut publish = Publish::edges(1.0);
    publish.features = FeaturePolicy::Protected(FeatureProtection::new(3.0));
    let private = PrivateEdges::Share { share: 0.3, seed: 1 }; // yours: publish::listed_edges
    let run = Run::in_folder(folder.path())?;
    let published = publish.run(&data, &private, PrivateNodes::All, &run)?;
    println!("{}", published.card().explain());
    published.save(folder.path())?;
    Ok(())
}
