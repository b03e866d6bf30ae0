//! What the three tasks of `benches/overhead.py` cost from Rust: `from_rust FOLDER` reads the same files, does a task for
//! every line with its name, and answers with its seconds of the processor.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cpu_time::ProcessTime;
use privet::Method;
use privet::doubts::default_delta;
use privet::dpar::{Dpar, Mode, Settings, Training};
use privet::graph::{Bounds, BoundsOrigin, Dataset, DenseMatrix, FeatureMatrix, Features, NodeIds};
use privet::graph::{Direction, Graph};
use privet::privacy::Loss;
use privet::privacy::unit::Node;
use privet::{Result, Run, data, protect};

fn main() -> Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_default());
    let rows = values(&folder)?;
    let friends = read(&folder.join("friends.npz"))?;
    let people = read(&folder.join("people.npz"))?;
    for line in std::io::stdin().lock().lines() {
        let begun = ProcessTime::now();
        match line.unwrap_or_default().as_str() {
            "hds" => hds(&rows).map(drop)?,
            "dprr" => dprr(&friends).map(drop)?,
            "dpar" => dpar(&people).map(drop)?,
            _ => {}
        }
        println!("{}", begun.elapsed().as_secs_f64());
    }
    Ok(())
}

fn read(path: &Path) -> Result<Dataset> {
    Ok(data::read(path)?.into_nodes()?)
}

/// Rows, as a program would hold them: their length, and all values.
type Held = (usize, Arc<Vec<f32>>);

fn values(folder: &Path) -> Result<Held> {
    let rows = read(&folder.join("rows.npz"))?;
    match rows.features().map(|features| features.matrix()) {
        Some(FeatureMatrix::Dense(matrix)) => {
            Ok((matrix.columns(), Arc::new(matrix.values().to_vec())))
        }
        _ => Err(privet::Error::UndeclaredRange),
    }
}

fn hds((columns, values): &Held) -> Result<usize> {
    let nodes = values.len() / columns;
    let held: Arc<Vec<f32>> = Arc::clone(values);
    let matrix = DenseMatrix::shared(nodes, *columns, held)?;
    let features =
        Features::dense(matrix).with_bounds(Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?)?;
    let graph = Graph::empty(nodes, Direction::Undirected)?;
    let people = Dataset::new("people", graph, NodeIds::sequential(nodes))?;
    let people = people.with_features(features)?;
    let noisy = protect::Features::hds(1.0).run(people, &Run::simulation(1))?;
    Ok(noisy.get().graph().node_count())
}

fn dprr(friends: &Dataset) -> Result<usize> {
    let noisy = protect::Edges::dprr(1.0)?.run(friends.clone(), &Run::simulation(1))?;
    Ok(noisy.get().graph().edge_count())
}

fn dpar(people: &Dataset) -> Result<u32> {
    let classes = people.labels().map_or(0, |labels| labels.class_count());
    let target = Loss::new(8.0, default_delta(people.graph().node_count()))?;
    let system = Dpar::new(Method::SmoothedSgd, Mode::Rigorous, target, Settings::rigorous())?;
    let trained = system.fit::<Node>(&Training::of(people, classes)?, &Run::simulation(1))?;
    Ok(trained.get().most_shared)
}
