//! Personalised PageRank out of core beside the same in memory: seconds, processor time and peak memory of a process
//! each, on generated graphs of growing size, and where the graph is four times the memory allowed.
//!
//! ```console
//! $ cargo bench -p privet --bench out_of_core              # up to 10 million edges
//! $ cargo bench -p privet --bench out_of_core -- 100000000 # and this many
//! ```
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark that cannot go on ends")]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use cpu_time::ProcessTime;
use privet::data::formats::write::{Overwrite, write};
use privet::data::formats::{Format, Spill};
use privet::data::scratch::{DenseScratch, GraphScratch};
use privet::graph::{
    Dataset, DenseMatrix, Direction, FeatureMatrix, Features, LoadedData, NodeIds, SelfLoops,
};
use privet::learn::propagate::{Power, Propagation, Rounds};
use privet::out_of_core::{MemoryBudget, propagate};

const COLUMNS: usize = 16;
const ROUNDS: usize = 10;

fn main() {
    let typed: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
    match typed[..] {
        ["in-memory", folder] => measured(|| in_memory(Path::new(folder))),
        ["out-of-core", folder, memory] => {
            measured(|| out_of_core(Path::new(folder), memory.parse().unwrap()));
        }
        _ => compare(typed.first().and_then(|edges| edges.parse().ok())),
    }
}

fn compare(most: Option<usize>) {
    println!("16 columns, 10 rounds; each line a process of its own; peak is VmHWM");
    println!(
        "{:>11} {:>10} {:<22} {:>8} {:>8} {:>9} {:>8}  same bytes",
        "edges", "nodes", "how", "wall s", "CPU s", "peak MB", "x wall"
    );
    let gigabytes = |count: u64| count << 30;
    for (edges, nodes) in [(1_000_000, 100_000), (10_000_000, 1_000_000)] {
        both(edges, nodes, gigabytes(4));
    }
    // 40 million edges among few people: 320 MB of targets, in 80 MB.
    both(40_000_000, 100_000, 80 << 20);
    if let Some(edges) = most {
        both(edges, edges / 10, gigabytes(4));
    }
}

/// Makes a graph, and runs both on it.
fn both(edges: usize, nodes: usize, memory: u64) {
    let folder = std::env::temp_dir().join(format!("privet-bench-{}.csr", std::process::id()));
    let begun = Instant::now();
    make(&folder, edges, nodes);
    let making = begun.elapsed().as_secs_f64();
    let path = folder.to_str().unwrap();
    let plain = child(&["in-memory", path]);
    let bounded = child(&["out-of-core", path, &memory.to_string()]);
    let same = if plain.sum == bounded.sum { "yes" } else { "NO" };
    let allowed = format!("out of core, {} MB", memory >> 20);
    for (how, ran, ratio) in
        [("in memory", &plain, 1.0), (&*allowed, &bounded, bounded.wall / plain.wall)]
    {
        println!(
            "{edges:>11} {nodes:>10} {how:<22} {:>8.2} {:>8.2} {:>9.0} {ratio:>8.2}  {same}",
            ran.wall, ran.cpu, ran.peak
        );
    }
    println!("{edges:>11} {nodes:>10} {:<22} {making:>8.2}", "sorting it on disk, 1 GB");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A graph some of whose people have many contacts, on disk, with 16 columns.
fn make(folder: &Path, edges: usize, nodes: usize) {
    let spill = Spill::within(1 << 30);
    let mut pairs =
        GraphScratch::new(&spill, nodes, Direction::Undirected, SelfLoops::Drop).unwrap();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    for _ in 0..edges {
        // Cubed, so that a few have most.
        let (u, v) = (next(), next());
        pairs.push([(u * nodes as f64) as u32, (v * v * v * nodes as f64) as u32]).unwrap();
    }
    let (graph, _) = pairs.finish().unwrap();
    let mut rows = DenseScratch::new(&spill, COLUMNS).unwrap();
    let mut row = [0f32; COLUMNS];
    for _ in 0..nodes {
        row.iter_mut().for_each(|value| *value = next() as f32);
        rows.push(&row).unwrap();
    }
    let dataset = Dataset::new("made", graph, NodeIds::sequential(nodes)).unwrap();
    let dataset = dataset.with_features(Features::dense(rows.finish().unwrap())).unwrap();
    let loaded = LoadedData::Nodes(dataset);
    write(&loaded, folder, Some(Format::CsrFolder), Overwrite::Replace).unwrap();
}

fn power() -> Power {
    Power { rounds: Rounds::Exactly(ROUNDS), ..Power::default() }
}

fn opened(folder: &Path) -> (Dataset, FeatureMatrix) {
    let dataset = privet::data::read(folder).unwrap().into_nodes().unwrap();
    let matrix = dataset.features().unwrap().matrix().clone();
    (dataset, matrix)
}

fn in_memory(folder: &Path) -> DenseMatrix {
    let (dataset, matrix) = opened(folder);
    let graph = dataset.graph().clone().into_memory();
    drop(dataset);
    let operator = Propagation::default().on(&graph).unwrap();
    power().run(&operator, matrix).unwrap().embedding
}

fn out_of_core(folder: &Path, memory: u64) -> DenseMatrix {
    let (dataset, matrix) = opened(folder);
    let spill = Spill::within(memory);
    let bounded = MemoryBudget { spill: &spill, checkpoint: None };
    let propagation = Propagation::default();
    let found = propagate(&bounded, &propagation, &power(), dataset.graph(), &matrix, |_| true);
    found.unwrap().embedding
}

/// Runs it, and prints what it took.
fn measured(work: impl FnOnce() -> DenseMatrix) {
    let (begun, cpu) = (Instant::now(), ProcessTime::now());
    let embedding = work();
    let (wall, cpu) = (begun.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for row in embedding.passing_rows() {
        for value in row {
            sum = (sum ^ u64::from(value.to_bits())).wrapping_mul(0x100_0000_01b3);
        }
    }
    println!("{wall} {cpu} {} {sum}", peak.unwrap_or(0.0) / 1024.0);
}

struct Took {
    wall: f64,
    cpu: f64,
    peak: f64,
    sum: String,
}

fn child(typed: &[&str]) -> Took {
    let program = std::env::current_exe().unwrap();
    let out = Command::new(program).args(typed).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |at: usize| words[at].parse().expect("a number");
    Took { wall: number(0), cpu: number(1), peak: number(2), sum: words[3].to_owned() }
}
