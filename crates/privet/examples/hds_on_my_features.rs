//! My features, randomised as each person would on their own device, in a folder that may be shared.

use privet::data::synthetic::StochasticBlocks;
use privet::{Facts, Protected, Run, Save, System, graph::Dataset, protect};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let people = StochasticBlocks::default().generate(1)?; // yours: privet::data::read
    let hds = protect::Features::hds(1.0);
    println!("{}", hds.promise(&Facts::of(&people))?.explain());

    let noisy = hds.run(people, &Run::in_folder(folder.path())?)?; // charged, then drawn
    noisy.save(folder.path())?;

    let again = Protected::<Dataset>::load(folder.path())?; // checked against its card
    println!(
        "{} rows, epsilon {}",
        again.get().graph().node_count(),
        again.card().guarantees[0].loss
    );
    Ok(())
}
