//! Power iteration to an error of 1e-6 on a generated graph of a million nodes and ten million edges,
//! 64 columns: seconds, rounds, and the most memory the process ever held, in matrices.
//!
//! `cargo bench -p privet-learn --bench power`

use std::time::Instant;

use privet_data::synthetic::ErdosRenyi;
use privet_graph::{DenseMatrix, FeatureMatrix};
use privet_learn::propagate::{Power, Propagation};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

const NODES: usize = 1_000_000;
const EDGES: usize = 10_000_000;
const COLUMNS: usize = 64;

fn main() -> Result<(), AnyError> {
    let dataset = ErdosRenyi { nodes: NODES, edges: EDGES }.generate(1)?;
    let operator = Propagation::default().on(dataset.graph())?;
    reset_peak();
    let before = memory("VmRSS");
    let value = |at: usize| (at % 1_009) as f32 / 1_009.0;
    let x = DenseMatrix::new(NODES, COLUMNS, (0..NODES * COLUMNS).map(value).collect())?;
    let start = Instant::now();
    let found = Power::default().run(&operator, FeatureMatrix::Dense(x))?;
    let seconds = start.elapsed().as_secs_f64();
    let rounds = found.rounds;
    println!(
        "nodes={NODES} edges={EDGES} columns={COLUMNS} threads={} rounds={rounds} \
         wall_seconds={seconds:.2} seconds_per_round={:.3} error_bound={:.2e}",
        rayon::current_num_threads(),
        seconds / rounds.max(1) as f64,
        found.error_bound
    );
    if let (Some(before), Some(peak)) = (before, memory("VmHWM")) {
        let matrix = (NODES * COLUMNS * 4) as f64 / 1024.0;
        println!(
            "graph_and_weights_kib={before} peak_kib={peak} matrices={:.2} (wanted: at most 3)",
            (peak as f64 - before as f64) / matrix
        );
    }
    Ok(())
}

/// Forgets the peak of making the graph, where Linux can.
fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// A line of `/proc/self/status`, in KiB.
fn memory(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(field))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
