//! What the three tasks of `benches/overhead.py` cost from Rust: `from_rust FOLDER REPEATS` reads the same files and
//! prints seconds of the processor for each, the median of so many runs.

use std::path::{Path, PathBuf};

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
    println!("hds {}", median(repeats, || hds(rows.clone()))?);
    let friends = read(&folder.join("friends.npz"))?;
    println!("dprr {}", median(repeats, || dprr(friends.clone()))?);
    let people = read(&folder.join("people.npz"))?;
    println!("dpar {}", median(repeats, || dpar(&people))?);
    Ok(())
}

/// Seconds of the processor, of all threads.
fn median<T>(repeats: usize, mut work: impl FnMut() -> Result<T>) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..repeats {
        let begun = ProcessTime::now();
        work()?;
        times.push(begun.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

fn read(path: &Path) -> Result<Dataset> {
    Ok(data::read(path)?.into_nodes()?)
}

/// The rows of a file, as a program would hold them.
fn values(folder: &Path) -> Result<DenseMatrix> {
    let rows = read(&folder.join("rows.npz"))?;
    match rows.features().map(|features| features.matrix()) {
        Some(FeatureMatrix::Dense(matrix)) => Ok(matrix.clone()),
        _ => Err(privet::Error::UndeclaredRange),
    }
}

fn hds(rows: DenseMatrix) -> Result<usize> {
    let nodes = rows.rows();
    let values = std::sync::Arc::new(rows.into_values());
    let matrix = DenseMatrix::shared(nodes, values.len() / nodes, values)?;
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
