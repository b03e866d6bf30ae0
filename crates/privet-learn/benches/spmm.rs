//! Sums over neighbours on Pubmed's shape (19,717 nodes, 88,648 arcs, 500 columns), with one and two
//! threads: seconds of processor and of wall time (best of several rounds), and the bandwidth of its
//! loads and stores as a share of a plain copy's, measured in the same run.
//!
//! One line of `key=value` words per number of threads, which `benches/spmm.py` compares with scipy
//! and PyTorch. The graph's arrays can be written for them.
//!
//! `cargo bench -p privet-learn --bench spmm -- [--write FILE]`

use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

use cpu_time::ProcessTime;
use privet_data::synthetic::ErdosRenyi;
use privet_graph::{DenseMatrix, Graph, normalize};
use privet_learn::kernels::{ArcWeights, aggregate};
use rayon::prelude::*;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

const NODES: usize = 19_717;
const EDGES: usize = 44_324;
const COLUMNS: usize = 500;
const ROUNDS: usize = 30;

fn main() -> Result<(), AnyError> {
    let dataset = ErdosRenyi { nodes: NODES, edges: EDGES }.generate(1)?;
    let graph = dataset.graph();
    let weights = normalize::arc_weights(graph, normalize::Normalization::Symmetric)?;
    let words: Vec<String> = std::env::args().collect();
    if let Some(at) = words.iter().position(|word| word == "--write") {
        return write(graph, &weights, words.get(at + 1).ok_or("--write needs a file")?);
    }
    let mut x = DenseMatrix::zeros(NODES, COLUMNS);
    for (at, value) in x.values_mut().iter_mut().enumerate() {
        *value = (at % 1_009) as f32 / 1_009.0;
    }
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut out = DenseMatrix::zeros(NODES, COLUMNS);
        let (cpu, wall) = pool.install(|| {
            best(|| aggregate(graph, ArcWeights::PerArc(&weights), black_box(&x), &mut out))
        });
        // 120 million floats: ten times the cache.
        let (from, mut to) = (vec![1f32; 120_000_000], vec![0f32; 120_000_000]);
        let (_, copy) = pool.install(|| {
            best(|| {
                let pairs = to.par_chunks_mut(1 << 20).zip(from.par_chunks(1 << 20));
                pairs.for_each(|(to, from)| to.copy_from_slice(from));
                black_box(&mut to);
            })
        });
        let moved = ((graph.arc_count() + NODES) * COLUMNS * 4) as f64;
        let bandwidth = moved / wall / 1e9;
        let stream = 2.0 * (from.len() * 4) as f64 / copy / 1e9;
        println!(
            "threads={threads} cpu_seconds={cpu:.5} wall_seconds={wall:.5} bandwidth={bandwidth:.2} \
             stream={stream:.2} share={:.3}",
            bandwidth / stream
        );
    }
    Ok(())
}

/// The least processor time (of all threads) and the least wall time of several rounds.
fn best(mut work: impl FnMut()) -> (f64, f64) {
    let (mut cpu, mut wall) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        let (used, start) = (ProcessTime::now(), Instant::now());
        work();
        wall = wall.min(start.elapsed().as_secs_f64());
        cpu = cpu.min(used.elapsed().as_secs_f64());
    }
    (cpu, wall)
}

/// Offsets and targets as little-endian i32, then weights as f32.
fn write(graph: &Graph, weights: &[f32], path: &str) -> Result<(), AnyError> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    for &offset in graph.offsets() {
        out.write_all(&i32::try_from(offset)?.to_le_bytes())?;
    }
    for &target in graph.targets() {
        out.write_all(&i32::try_from(target)?.to_le_bytes())?;
    }
    for weight in weights {
        out.write_all(&weight.to_le_bytes())?;
    }
    out.flush()?;
    println!("nodes={NODES} arcs={} columns={COLUMNS}", graph.arc_count());
    Ok(())
}
