//! How evenly ranges of nodes share the work and the messages of a graph that some people dominate: degree sequences of a power
//! law, up to a billion edges, cut for 1 to 100 processes. No graph is made: work and memory follow from degrees alone,
//! and messages from how many processes a node's neighbours are spread over.
//!
//! `cargo bench -p privet-cluster --bench skew` (up to 10^8 edges), `-- 1000000000` for so many (9 GB of memory).

use privet_cluster::Partition;

/// Mean degree, as of large social graphs.
const MEAN: f64 = 20.0;
/// The exponent of the law.
const EXPONENT: f64 = 2.3;
/// The least degree that has this mean: for a continuous law, mean = least (a - 1) / (a - 2), cut off below.
const LEAST: f64 = MEAN * (EXPONENT - 2.0) / (EXPONENT - 1.0);

fn main() -> Result<(), privet_cluster::Error> {
    let typed = std::env::args().skip(1).find_map(|word| word.parse::<u64>().ok());
    let sizes = [1_000_000, 10_000_000, 100_000_000].into_iter().chain(typed);
    println!(
        "power law of exponent {EXPONENT}, mean degree about {MEAN}; ids in random order, or by degree"
    );
    println!(
        "{:>13} {:>10} {:>9} {:>7} {:>5} {:>10} {:>9} {:>12}",
        "edges", "nodes", "largest", "order", "P", "most work", "most rows", "sent a node"
    );
    for edges in sizes {
        let nodes = (2.0 * edges as f64 / MEAN) as usize;
        let mut degrees = sequence(nodes, edges);
        for order in ["random", "degree"] {
            if order == "degree" {
                degrees.sort_unstable_by(|a, b| b.cmp(a));
            }
            show(&degrees, order)?;
        }
    }
    Ok(())
}

/// Degrees by inverting the law, each at most the number of others.
fn sequence(nodes: usize, seed: u64) -> Vec<u32> {
    let mut state = seed | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let most = (nodes - 1) as f64;
    let degree = |u: f64| (LEAST * (1.0 - u).powf(-1.0 / (EXPONENT - 1.0))).min(most).round();
    (0..nodes).map(|_| degree(next()) as u32).collect()
}

fn show(degrees: &[u32], order: &str) -> Result<(), privet_cluster::Error> {
    let mut offsets = Vec::with_capacity(degrees.len() + 1);
    let mut arcs = 0usize;
    offsets.push(0);
    for &degree in degrees {
        arcs += degree as usize;
        offsets.push(arcs);
    }
    let largest = degrees.iter().max().copied().unwrap_or(0);
    for parts in [4, 10, 100] {
        let partition = Partition::of(&offsets, parts)?;
        let share = |work: &dyn Fn(std::ops::Range<usize>) -> usize| {
            let most = (0..parts).map(|part| work(partition.range(part))).max().unwrap_or(0);
            let all = work(0..degrees.len());
            most as f64 * parts as f64 / all.max(1) as f64
        };
        let work = share(&|rows| offsets[rows.end] - offsets[rows.start] + 4 * rows.len());
        let rows = share(&|rows| rows.len());
        // A node is sent once to every other process that holds one of its neighbours; neighbours fall anywhere, in
        // proportion to what a process holds of all arcs.
        let held: Vec<f64> = (0..parts)
            .map(|part| partition.range(part))
            .map(|range| (offsets[range.end] - offsets[range.start]) as f64 / arcs.max(1) as f64)
            .collect();
        let mut by_degree = std::collections::BTreeMap::<u32, u64>::new();
        degrees.iter().for_each(|&degree| *by_degree.entry(degree).or_default() += 1);
        let readers = |degree: u32| -> f64 {
            held.iter().map(|share| 1.0 - (1.0 - share).powf(f64::from(degree))).sum()
        };
        let sent: f64 =
            by_degree.iter().map(|(&degree, &count)| readers(degree) * count as f64).sum();
        // One of them is its own.
        let sent = (sent / degrees.len() as f64 - 1.0).max(0.0);
        println!(
            "{:>13} {:>10} {largest:>9} {order:>7} {parts:>5} {work:>9.3}x {rows:>8.2}x {sent:>12.2}",
            arcs / 2,
            degrees.len()
        );
    }
    Ok(())
}
