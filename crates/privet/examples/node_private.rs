//! A classifier that hides whether a given person was in the graph at all, asked about people who come later.

use privet::Method;
use privet::data::synthetic::StochasticBlocks;
use privet::dpar::{Dpar, Inductive, Mode, Settings};
use privet::privacy::Loss;
use privet::{Run, Save, System};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let blocks = StochasticBlocks { nodes: 300, classes: 2, features: 20, ..Default::default() };
    let (train, ask): (Vec<u32>, Vec<u32>) = ((0..250).collect(), (250..300).collect());
    let people = Inductive::new(&blocks.generate(1)?, &train, &ask)?;
    let mut settings = Settings::rigorous();
    settings.model.steps = 20;
    let (method, mode, target) = (Method::SmoothedSgd, Mode::Rigorous, Loss::new(4.0, 1e-4)?);
    let system = Dpar { method, mode, target, settings };
    let trained = system.run(people, &Run::in_folder(folder.path())?)?;
    println!("{:?}", trained.get().predicted);
    trained.save(folder.path())?;
    Ok(())
}
