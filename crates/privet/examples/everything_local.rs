//! Features, labels and contacts are all secret; a classifier is learnt from reports alone.

use privet::data::synthetic::StochasticBlocks;
use privet::graph::{Split, SplitShares};
use privet::ldp_ge::{LdpGe, People, Private};
use privet::{Facts, Run, Save, System};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let blocks = StochasticBlocks { nodes: 300, classes: 3, features: 20, ..Default::default() };
    let data = blocks.generate(1)?;
    let secret = Private { features: true, labels: true, edges: true };
    let mut system = LdpGe::new(2.0, 300);
    system.learner.epochs = 10;
    println!("{}", system.promise(&Facts::of(&data).with_secret(secret))?.explain());

    let split = Split::random(0..300, SplitShares::HALF_QUARTER_QUARTER, 1)?;
    let people = People::new(&data, secret)?; // from here on the program cannot read them
    let learnt = system.run((people, split), &Run::in_folder(folder.path())?)?;
    println!("{} people classified", learnt.get().predicted.len());
    learnt.save(folder.path())?;
    Ok(())
}
