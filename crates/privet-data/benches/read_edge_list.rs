//! How fast, and in how much memory, an edge list becomes a graph. `benches/read_edge_list.py` runs
//! it beside other readers; alone: `cargo bench --bench read_edge_list -- FILE [REPEATS]`.

use std::io::Read;
use std::path::Path;
use std::time::Instant;

use privet_data::formats::{Bundle, Format, Limits, ReadOptions, read};
use privet_graph::Dataset;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let Some(path) = arguments.next() else {
        println!("usage: read_edge_list FILE [REPEATS]");
        return Ok(());
    };
    let repeats = arguments.next().map_or(Ok(5), |count| count.parse())?;
    let options = ReadOptions { format: Some(Format::EdgeList), ..ReadOptions::default() };
    let (memory_at_start, cpu_at_start) = (peak_memory(), cpu_seconds());
    let mut seconds = Vec::new();
    let mut dataset: Option<Dataset> = None;
    for _ in 0..repeats {
        drop(dataset.take());
        let start = Instant::now();
        dataset = Some(read(&path, &options)?.into_nodes()?);
        seconds.push(start.elapsed().as_secs_f64());
    }
    let (peak, cpu) = (peak_memory(), cpu_seconds() - cpu_at_start);
    let Some(dataset) = dataset else { return Ok(()) };
    let graph = dataset.graph();
    let csr = size_of_val(graph.offsets()) + size_of_val(graph.targets());
    let best = seconds.iter().copied().fold(f64::INFINITY, f64::min);
    let text = text_length(Path::new(&path))?;
    println!("nodes={} edges={}", graph.node_count(), graph.edge_count());
    println!("seconds={best:.4} all={seconds:.3?}");
    println!("cpu_seconds={:.4}", cpu / seconds.len() as f64);
    println!("text_mb_per_second={:.0}", text as f64 / 1e6 / best);
    println!("csr_bytes={csr}");
    println!(
        "peak_rss_bytes={peak} peak_rss_growth_bytes={}",
        peak.saturating_sub(memory_at_start)
    );
    Ok(())
}

/// How many bytes the file holds, decompressed.
fn text_length(path: &Path) -> Result<u64, Box<dyn std::error::Error>> {
    let bundle = Bundle::from_path(path, Limits::default())?;
    let mut reader = bundle.open(&bundle.members()[0])?.reader;
    let (mut buffer, mut total) = (vec![0; 1 << 16], 0);
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(total),
            count => total += count as u64,
        }
    }
}

/// The most memory this process has ever held, in bytes; 0 where the system does not tell.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().map_or(0, |kilobytes| kilobytes * 1024)
}

/// Processor time of all threads so far, in seconds; 0 where the system does not tell.
fn cpu_seconds() -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The command's name, in parentheses, may hold blanks; user and system time are 12th and 13th
    // after it.
    let numbers = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: f64 = numbers.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    ticks / TICKS_PER_SECOND
}
