//! What the three tasks of `benches/overhead.py` cost from Rust: `from_rust FOLDER REPEATS` reads the same files and
//! prints seconds of the processor for each, the least of so many runs: whatever else a machine does only adds.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cpu_time::ProcessTime;
use privet::doubts::default_delta;
use privet::dpar::{Dpar, DparMethod, Mode, Settings, Training};
use privet::graph::{Bounds, BoundsOrigin, Dataset, DenseMatrix, FeatureMatrix, Features, NodeIds};
use privet::graph::{Direction, Graph};
use privet::privacy::Loss;
use privet::privacy::unit::Node;
use privet::{Result, Run, data, protect};

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().unwrap_or_default());
    let repeats = words.next().and_then(|word| word.parse().ok()).unwrap_or(5);
    let rows = values(&folder)?;
    println!("hds {}", least(repeats, || hds(&rows))?);
    let friends = read(&folder.join("friends.npz"))?;
    println!("dprr {}", least(repeats, || dprr(friends.clone()))?);
    let people = read(&folder.join("people.npz"))?;
    println!("dpar {}", least(repeats, || dpar(&people))?);
    Ok(())
}

/// Seconds of the processor, of all threads.
fn least<T>(repeats: usize, mut work: impl FnMut() -> Result<T>) -> Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..repeats {
        let begun = ProcessTime::now();
        work()?;
        least = least.min(begun.elapsed().as_secs_f64());
    }
    Ok(least)
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

fn dprr(friends: Dataset) -> Result<usize> {
    let noisy = protect::Edges::dprr(1.0)?.run(friends, &Run::simulation(1))?;
    Ok(noisy.get().graph().edge_count())
}

fn dpar(people: &Dataset) -> Result<u32> {
    let classes = people.labels().map_or(0, |labels| labels.class_count());
    let target = Loss::new(8.0, default_delta(people.graph().node_count()))?;
    let system = Dpar::new(DparMethod::Spread, Mode::Rigorous, target, Settings::rigorous())?;
    let trained = system.fit::<Node>(&Training::of(people, classes)?, &Run::simulation(1))?;
    Ok(trained.get().most_shared)
}
