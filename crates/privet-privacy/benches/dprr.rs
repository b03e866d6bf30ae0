//! DPRR against a loop over all bits, in the same run; growth with the number of edges; memory.
//!
//! `cargo bench -p privet-privacy --bench dprr`, and with `-- orkut` a power-law graph with the numbers
//! of nodes and edges of the Orkut network (3.07 M and 117 M).

use std::hint::black_box;
use std::time::Instant;

use privet_data::synthetic::{BarabasiAlbert, PowerLaw};
use privet_graph::{Graph, NodeId};
use privet_privacy::edges::Merge;
use privet_privacy::edges::local::Dprr;
use privet_privacy::noise::{BitResponse, NoiseRng, RandomWords};
use privet_privacy::{Budget, Ledger, Loss, Secret};

type AnyError = Box<dyn std::error::Error>;

/// Seconds of `work`, the best of `rounds`.
fn seconds<T>(rounds: usize, mut work: impl FnMut() -> T) -> f64 {
    let once = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed().as_secs_f64()
    };
    (0..rounds).map(once).fold(f64::INFINITY, f64::min)
}

/// Reports of all users, as a directed graph.
fn collect(secret: &Secret<Graph>, dprr: &Dprr) -> Result<Graph, AnyError> {
    let mut ledger = Ledger::in_memory(Loss::new(100.0, 0.0)?, NoiseRng::replay(1))?;
    let reports = ledger.release_each(secret, dprr)?;
    Ok(Merge::Directed.graph(reports.into_inner())?)
}

/// Seconds that algorithm 1, bit by bit, would take for all users: measured on every `step`-th, on
/// all threads, as the real one.
fn bit_by_bit(graph: &Graph, step: usize) -> Result<f64, AnyError> {
    let nodes = graph.node_count();
    let response = BitResponse::new(Budget::from_epsilon(0.9)?);
    let flip = response.flip_probability();
    let users = nodes / step;
    let time = seconds(2, || {
        NoiseRng::replay(2).next_release().map_users(users, |user, words| {
            let owner = (user * step) as NodeId;
            let neighbors = graph.neighbors(owner);
            let mut rest = neighbors;
            let d = neighbors.len() as f64;
            let q = d / (d * (1.0 - 2.0 * flip) + (nodes - 1) as f64 * flip);
            let mut report = Vec::new();
            for node in (0..nodes as NodeId).filter(|&node| node != owner) {
                let truth = rest.first() == Some(&node);
                rest = if truth { &rest[1..] } else { rest };
                let uniform = (words.next_u64() >> 11) as f64 * 2f64.powi(-53);
                if response.draw(truth, words) && uniform < q {
                    report.push(node);
                }
            }
            report
        })
    });
    Ok(time * nodes as f64 / users as f64)
}

/// The most memory the process ever held, where the system says so.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1e6)
}

fn orkut() -> Result<(), AnyError> {
    let (nodes, mean_degree) = (3_072_441, 2.0 * 117_185_083.0 / 3_072_441.0);
    let graph = PowerLaw { nodes, mean_degree, exponent: 2.5 }.generate(1)?.graph().clone();
    let edges = graph.edge_count();
    let made = peak_memory();
    // Linux: forget the peak of making the graph, which is not DPRR's.
    let reset = std::fs::write("/proc/self/clear_refs", "5");
    let dprr = Dprr::new(1.0, nodes)?;
    let secret = Secret::new(graph);
    let start = Instant::now();
    let noisy = collect(&secret, &dprr)?;
    if reset.is_err() {
        println!("the peak below includes making the graph");
    }
    println!(
        "power law, {nodes} nodes, {edges} edges: {:.1} s, {} reported; peak memory {:?} GB ({made:?} \
         GB to make the graph)",
        start.elapsed().as_secs_f64(),
        noisy.arc_count(),
        peak_memory(),
    );
    Ok(())
}

fn main() -> Result<(), AnyError> {
    if std::env::args().any(|argument| argument == "orkut") {
        return orkut();
    }
    println!("{} threads, epsilon 1", rayon::current_num_threads());
    for (nodes, rounds) in [(10_000, 9), (100_000, 5), (1_000_000, 2)] {
        let graph = BarabasiAlbert { nodes, edges_per_node: 10 }.generate(1)?.graph().clone();
        let dprr = Dprr::new(1.0, nodes)?;
        let (edges, secret) = (graph.edge_count(), Secret::new(graph.clone()));
        let mut reported = 0;
        let time = seconds(rounds, || {
            reported = collect(&secret, &dprr).map_or(0, |graph| graph.arc_count());
        });
        println!(
            "DPRR, {nodes:>8} nodes, {edges:>9} edges: {time:>8.4} s, {:>5.0} ns an edge, {reported} reported",
            time / edges as f64 * 1e9,
        );
        if nodes == 100_000 {
            let naive = bit_by_bit(&graph, 1000)?;
            println!(
                "  bit by bit (100 users, scaled): {naive:>8.1} s, {:.0} times slower",
                naive / time
            );
        }
    }
    Ok(())
}
