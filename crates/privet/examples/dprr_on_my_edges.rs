//! Who knows whom, from lists of contacts that never leave their owners as they are.

use privet::data::synthetic::karate_club;
use privet::{Run, Save, protect};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let club = karate_club()?;
    let true_edges = club.graph().edge_count();
    let noisy = protect::Edges::dprr(2.0)?.run(club, &Run::in_folder(folder.path())?)?;
    println!("{true_edges} edges became {} arcs", noisy.get().graph().arc_count());
    for guarantee in &noisy.card().guarantees {
        println!("{}", guarantee.stated());
        for also in &guarantee.also {
            println!("{}, because {}", guarantee.stated_as(also), also.theorem);
        }
    }
    noisy.save(folder.path())?;
    Ok(())
}
