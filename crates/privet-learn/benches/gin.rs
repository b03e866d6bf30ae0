//! One GIN layer forward and back on a large graph, and an epoch of training (50 batches of 32 graphs) on
//! REDDIT-BINARY, or on graphs like those if it is not at hand; in seconds of processor time and of wall
//! time, on one thread and on two.
//!
//! The epoch is timed twice: with a constant feature, where nodes of the same colour share a row, and
//! with a feature that makes every node different, where none can.
//!
//! `cargo bench -p privet-learn --bench gin -- [ROUNDS] [FILE]`: the graphs are written to FILE, one per
//! line (nodes, then the two ends of every edge), for `benches/gin_torch.py`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

use cpu_time::ProcessTime;
use privet_data::catalog;
use privet_data::formats::ReadOptions;
use privet_graph::{
    DenseMatrix, Direction, Features, Graph, GraphBuilder, GraphSet, Labels, SimRng,
};
use privet_learn::kernels::RowSums;
use privet_learn::layers::Repeats;
use privet_learn::models::gin::{
    Gin, GinConfig, GinLayer, GraphClassification, GraphInputs, NodeFeatures,
};
use privet_learn::parameters::Parameters;
use privet_learn::train::{BatchSize, Fit, FitConfig};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

const NODES: usize = 430_000;
const EDGES: usize = 500_000;
const COLUMNS: usize = 64;
const GRAPHS: usize = 1600;
const BATCH: usize = 32;

fn main() -> Result<(), AnyError> {
    let rounds = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(3);
    let file = std::env::args().skip(1).find(|word| word.ends_with(".txt"));
    let graph = large_graph()?;
    let set = reddit()?.map_or_else(threads, Ok)?;
    if let Some(path) = file {
        write(&set, &path)?;
    }
    println!(
        "set={} graphs={} nodes={} edges={}",
        set.name(),
        set.len(),
        set.node_count(),
        set.edge_count()
    );
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let best = |timed: Vec<(f64, f64)>| {
            timed.into_iter().fold((f64::MAX, f64::MAX), |a, b| (a.0.min(b.0), a.1.min(b.1)))
        };
        let (cpu, wall) = best(pool.install(|| layer(&graph, rounds + 1))?);
        println!("work=layer threads={threads} cpu_seconds={cpu:.6} wall_seconds={wall:.6}");
        for (work, features) in
            [("epoch", NodeFeatures::Constant), ("epoch_distinct", NodeFeatures::Attributes)]
        {
            let (cpu, wall) = best(pool.install(|| epochs(&set, features, rounds))?);
            println!("work={work} threads={threads} cpu_seconds={cpu:.6} wall_seconds={wall:.6}");
        }
    }
    Ok(())
}

/// Node `u` is joined to a node before it and now and then to another: a million arcs or so.
fn large_graph() -> Result<Graph, privet_graph::Error> {
    let n = NODES as u64;
    let edges = (0..EDGES as u64).map(|at| {
        let u = at % n;
        (u as u32, (u.wrapping_mul(u).wrapping_mul(31).wrapping_add(at * 7919 + 1) % n) as u32)
    });
    Ok(GraphBuilder::new(NODES, Direction::Undirected).edges(edges).build()?.0)
}

/// The first graphs of REDDIT-BINARY (of both classes in turn), if the benchmark files are there.
fn reddit() -> Result<Option<GraphSet>, AnyError> {
    let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("PRIVET_DATA_DIR").map_or_else(|| shared.into(), PathBuf::from);
    let choice = catalog::select("reddit_binary")?;
    if !choice.locate(std::slice::from_ref(&folder)).is_complete() {
        return Ok(None);
    }
    let all = choice.load(&[folder], &ReadOptions::default())?.into_graphs()?;
    let step = all.len() / GRAPHS.min(all.len()).max(1);
    let graphs = all.graphs().iter().step_by(step).take(GRAPHS).cloned().collect();
    Ok(Some(distinct("reddit_binary", graphs)?))
}

fn threads() -> Result<GraphSet, AnyError> {
    distinct("threads", (0..GRAPHS as u32).map(thread).collect::<Result<_, _>>()?)
}

/// Gives every node an attribute of its own.
fn distinct(name: &str, graphs: Vec<Graph>) -> Result<GraphSet, AnyError> {
    let mut at = 0;
    let attributes = graphs.iter().map(|graph| {
        let mut rows = DenseMatrix::zeros(graph.node_count(), 1);
        for value in rows.values_mut() {
            *value = 1.0 + at as f32 / 16_777_216.0;
            at += 2;
        }
        Features::dense(rows)
    });
    let attributes = attributes.collect();
    Ok(GraphSet::new(name, graphs).with_node_attributes(attributes)?)
}

fn write(set: &GraphSet, path: &str) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for graph in set.graphs() {
        write!(file, "{}", graph.node_count())?;
        graph.edges().try_for_each(|(u, v)| write!(file, " {u} {v}"))?;
        writeln!(file)?;
    }
    file.flush()
}

/// A thread of discussion: few nodes that many answer, and many that answer once. Graphs have 10 to
/// 850 nodes, 430 on average; those with odd numbers have more hubs.
fn thread(number: u32) -> Result<Graph, privet_graph::Error> {
    let nodes = 10 + number * 7919 % 841;
    let hubs = if number.is_multiple_of(2) { 2 } else { 2 + nodes / 20 };
    let answers = (1..nodes).map(|u| (u, (u * u * 13 + number) % u.min(hubs)));
    let others = (0..nodes / 6).map(|at| (at * 5 % nodes, (at * at * 3 + 1) % nodes));
    let edges = answers.chain(others);
    Ok(GraphBuilder::new(nodes as usize, Direction::Undirected).edges(edges).build()?.0)
}

fn timed<T>(work: impl FnOnce() -> T) -> ((f64, f64), T) {
    let (used, start) = (ProcessTime::now(), Instant::now());
    let result = work();
    ((used.elapsed().as_secs_f64(), start.elapsed().as_secs_f64()), result)
}

fn layer(graph: &Graph, rounds: usize) -> Result<Vec<(f64, f64)>, AnyError> {
    let sums = RowSums::closed_neighbourhoods(graph);
    let mut input = DenseMatrix::zeros(NODES, COLUMNS);
    for (at, value) in input.values_mut().iter_mut().enumerate() {
        *value = (at % 23) as f32 / 23.0 - 0.5;
    }
    let mut layer = GinLayer::new("layer", COLUMNS, COLUMNS, &mut SimRng::new(1));
    let (mut gradient, mut by_input) = (input.clone(), DenseMatrix::zeros(0, 0));
    let mut times = Vec::new();
    for _ in 0..rounds {
        gradient.values_mut().copy_from_slice(input.values());
        times.push(
            timed(|| {
                layer.clear_gradients();
                layer.forward(&sums, Repeats::Once, &input);
                layer.backward(&sums, Repeats::Once, &mut gradient, Some(&mut by_input));
            })
            .0,
        );
    }
    // The first round allocates.
    Ok(times.split_off(1))
}

fn epochs(
    set: &GraphSet,
    features: NodeFeatures,
    rounds: usize,
) -> Result<Vec<(f64, f64)>, AnyError> {
    let labels: Vec<_> = (0..set.len()).map(|at| Some(at as i64 % 2)).collect();
    let labels = Labels::from_integers(&labels)?;
    let config = GinConfig::new(1, 2);
    let inputs = GraphInputs::new(set, features, config.rounds)?;
    let train: Vec<u32> = (0..set.len() as u32).collect();
    let mut gin = Gin::new(config)?;
    let mut task = GraphClassification::new(&mut gin, &inputs, &labels, &train, &[])?;
    let batch = BatchSize::Examples(BATCH);
    let mut times = Vec::new();
    for seed in 0..rounds as u64 {
        let config = FitConfig { epochs: 1, batch, seed, ..FitConfig::default() };
        let (time, report) = timed(|| Fit::new(config).run(&mut task));
        report?;
        times.push(time);
    }
    Ok(times)
}
