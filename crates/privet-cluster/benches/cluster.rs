//! Personalised PageRank by several processes against one: processor time, and the most memory of any process.
//!
//! `cargo bench -p privet-cluster --bench cluster`; Physics from `PRIVET_DATA_DIR` where it is, and a generated graph of
//! 10 million edges unless `-- small` is said. Every process is started anew and reads the same graph on disk. One process runs `Power`
//! with as many threads as there are processors; of several, each has its share of them. Processor time is that of the
//! job: reading and checking the files is left out for all alike. Beside it stands what sending as many bytes costs, over one
//! loopback connection and by nobody who does anything else: no way of working together can cost less.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use privet::data::catalog;
use privet::data::formats::write::{Overwrite, write};
use privet::data::formats::{Format, ReadOptions};
use privet::data::synthetic::PowerLaw;
use privet::graph::{Dataset, DenseMatrix, Features, LoadedData};
use privet::learn::propagate::{Power, Propagation, Rounds};
use privet_cluster::account::peak_memory;
use privet_cluster::connect::Invitation;
use privet_cluster::jobs::pagerank::PageRank;
use privet_cluster::{Exchange, Team, launch};
use sha2::{Digest, Sha256};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

const COLUMNS: usize = 64;
const ROUNDS: usize = 10;

fn main() -> Result<(), AnyError> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [role, folder, processes, index] = &words[..]
        && role == "worker"
    {
        return worker(Path::new(folder), processes.parse()?, index.parse()?);
    }
    let folder = std::env::temp_dir().join(format!("privet-cluster-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let measured = measure_all(&folder, words.iter().any(|word| word == "small"));
    std::fs::remove_dir_all(&folder)?;
    measured
}

fn measure_all(folder: &Path, small: bool) -> Result<(), AnyError> {
    match physics()? {
        Some(physics) => compare("Physics", physics, &folder.join("physics"))?,
        None => println!("Physics is not in PRIVET_DATA_DIR: left out"),
    }
    if small {
        return Ok(());
    }
    let made = PowerLaw { nodes: 500_000, mean_degree: 41.0, exponent: 2.5 }.generate(1)?;
    compare("power law", made, &folder.join("made"))
}

fn physics() -> Result<Option<Dataset>, AnyError> {
    let folders = catalog::data_dirs(None);
    let chosen = catalog::select("physics")?;
    if !chosen.locate(&folders).is_complete() {
        return Ok(None);
    }
    Ok(Some(chosen.load(&folders, &ReadOptions::default())?.into_nodes()?))
}

/// What a process used, and the sum of the hashes of its rows.
#[derive(Debug, Clone)]
struct Measured {
    processor: f64,
    wall: f64,
    peak: u64,
    rows: u64,
    sent: u64,
}

fn compare(name: &str, dataset: Dataset, folder: &Path) -> Result<(), AnyError> {
    let nodes = dataset.graph().node_count();
    let value = |at: usize| ((at * 7919 + 13) % 971) as f32 / 311.0 - 1.5;
    let x = DenseMatrix::new(nodes, COLUMNS, (0..nodes * COLUMNS).map(value).collect())?;
    println!(
        "{name}: {nodes} nodes, {} edges, {COLUMNS} columns, {ROUNDS} rounds",
        dataset.graph().edge_count()
    );
    let bare =
        Dataset::new(name, dataset.graph().clone(), privet::graph::NodeIds::sequential(nodes))?;
    let bare = bare.with_features(Features::dense(x))?;
    write(&LoadedData::Nodes(bare), folder, Some(Format::CsrFolder), Overwrite::Refuse)?;
    drop(dataset);
    let best = |processes: usize| -> Result<Vec<Measured>, AnyError> {
        // The least of three: whatever else the machine does only adds.
        let mut runs = Vec::new();
        for _ in 0..3 {
            runs.push(run(folder, processes)?);
        }
        runs.sort_by(|a, b| processor(a).total_cmp(&processor(b)));
        Ok(runs.swap_remove(0))
    };
    let one = best(1)?;
    let (alone, peak) = (processor(&one), one[0].peak as f64);
    println!("  1 process: {alone:.3} s of processor, {:.2} s, {:.0} MB", one[0].wall, peak / 1e6);
    for (processes, goal) in [(2, 0.65), (4, 0.4)] {
        let many = best(processes)?;
        let largest = many.iter().map(|part| part.peak).max().unwrap_or(0) as f64;
        let wall = many.iter().map(|part| part.wall).fold(0.0, f64::max);
        println!(
            "  {processes} processes: {:.3} s of processor ({:.2}x, goal 1.4 with 2), {wall:.2} s, {:.0} MB each at \
             most ({:.2}x, goal {goal}), rows {}",
            processor(&many),
            processor(&many) / alone,
            largest / 1e6,
            largest / peak,
            if rows(&many) == rows(&one) { "the same" } else { "DIFFERENT" },
        );
        let sent = many.iter().map(|part| part.sent).sum();
        let alone = loopback(sent)?;
        println!("    {:.0} MB sent; to send and read them alone: {alone:.3} s", sent as f64 / 1e6);
    }
    Ok(())
}

fn processor(parts: &[Measured]) -> f64 {
    parts.iter().map(|part| part.processor).sum()
}

fn rows(parts: &[Measured]) -> u64 {
    parts.iter().fold(0, |all, part| all.wrapping_add(part.rows))
}

/// Starts so many processes, and reads what they used.
fn run(folder: &Path, processes: usize) -> Result<Vec<Measured>, AnyError> {
    let threads = std::thread::available_parallelism()?.get().div_ceil(processes);
    let mut workers = Vec::new();
    for index in 0..processes {
        let mut command = Command::new(std::env::current_exe()?);
        let place = folder.display().to_string();
        command.args(["worker", &place, &processes.to_string(), &index.to_string()]);
        command.env("RAYON_NUM_THREADS", threads.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let out = BufReader::new(child.stdout.take().ok_or("no output")?);
        workers.push((child, out));
    }
    if processes > 1 {
        let mut list = String::new();
        for (_, out) in &mut workers {
            let mut port = String::new();
            out.read_line(&mut port)?;
            list += &format!("127.0.0.1:{}\n", port.trim());
        }
        list.push('\n');
        for (child, _) in &mut workers {
            child.stdin.as_mut().ok_or("no input")?.write_all(list.as_bytes())?;
        }
    }
    let mut measured = Vec::new();
    for (mut child, mut out) in workers {
        let mut line = String::new();
        out.read_line(&mut line)?;
        child.wait()?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let [processor, wall, peak, rows, sent] = &words[..] else {
            return Err("a worker died".into());
        };
        let (processor, wall, peak) = (processor.parse()?, wall.parse()?, peak.parse()?);
        let (rows, sent) = (rows.parse()?, sent.parse()?);
        measured.push(Measured { processor, wall, peak, rows, sent });
    }
    Ok(measured)
}

fn worker(folder: &Path, processes: usize, index: usize) -> Result<(), AnyError> {
    let power = Power { rounds: Rounds::Exactly(ROUNDS), ..Power::default() };
    let propagation = Propagation::default();
    if processes == 1 {
        let dataset = read(folder)?;
        let (processor, begun) = (processor_time()?, Instant::now());
        let operator = propagation.on(dataset.graph())?;
        let x = dataset.features().ok_or("no features")?.matrix().clone();
        let found = power.run(&operator, x)?;
        let used = (processor_time()? - processor, begun.elapsed().as_secs_f64());
        let rows = (0..found.embedding.rows()).map(|row| hash_of(found.embedding.row(row)));
        return tell(used, rows.fold(0, u64::wrapping_add), 0);
    }
    let (listener, hosts) = launch::join()?;
    let patience = Duration::from_secs(60);
    let team = Team::meet_on(listener, &Invitation { hosts, index, job: [0; 32], patience })?;
    let folder = folder.to_path_buf();
    let (used, rows, sent) = team.run(move |exchange: &mut Exchange| {
        let broken = |error: AnyError| privet_cluster::Error::Caller(error.to_string());
        let dataset = read(&folder).map_err(broken)?;
        exchange.sum(0.0)?;
        let (processor, begun) = (processor_time().map_err(broken)?, Instant::now());
        let job = PageRank::new(propagation, power);
        let x = dataset.features().ok_or_else(|| broken("no features".into()))?.matrix();
        let found = job.run((dataset.graph(), x), exchange, None, |_| ControlFlow::Continue(()))?;
        let (processor, sent) = (processor_time().map_err(broken)? - processor, exchange.sent());
        let used = (processor, begun.elapsed().as_secs_f64());
        let rows = (0..found.rows.rows()).map(|row| hash_of(&found.rows.whole_rows(row..row + 1)));
        let rows = rows.fold(0, u64::wrapping_add);
        Ok((used, rows, sent))
    })?;
    tell(used, rows, sent)
}

fn read(folder: &Path) -> Result<Dataset, AnyError> {
    let path: PathBuf = folder.into();
    Ok(privet::data::read(&path)?.into_nodes()?)
}

fn tell((processor, wall): (f64, f64), rows: u64, sent: u64) -> Result<(), AnyError> {
    let peak = peak_memory().ok_or("the system does not tell how much memory was used")?;
    println!("{processor} {wall} {peak} {rows} {sent}");
    Ok(())
}

/// Processor time to send so many bytes over a loopback connection and to read them, the least of three.
fn loopback(bytes: u64) -> Result<f64, AnyError> {
    let once = || -> Result<f64, AnyError> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let reader = std::thread::spawn(move || -> Result<f64, AnyError> {
            let (mut stream, _) = listener.accept()?;
            let mut buffer = vec![0; 1 << 18];
            while stream.read(&mut buffer)? > 0 {}
            spent(Path::new("/proc/thread-self"))
        });
        let begun = spent(Path::new("/proc/thread-self"))?;
        let (mut stream, buffer) = (TcpStream::connect(address)?, vec![1; 1 << 16]);
        let mut left = bytes as usize;
        while left > 0 {
            let length = left.min(buffer.len());
            stream.write_all(&buffer[..length])?;
            left -= length;
        }
        drop(stream);
        let sending = spent(Path::new("/proc/thread-self"))? - begun;
        Ok(sending + reader.join().map_err(|_| "the reader broke off")??)
    };
    Ok(once()?.min(once()?).min(once()?))
}

/// The start of a hash.
fn hash_of(values: &[f32]) -> u64 {
    let hash = Sha256::digest(bytemuck::cast_slice::<f32, u8>(values));
    hash.iter().take(8).fold(0, |all, &byte| all << 8 | u64::from(byte))
}

/// Seconds of processor time of this process so far, all threads together.
fn processor_time() -> Result<f64, AnyError> {
    let mut all = 0.0;
    for entry in std::fs::read_dir("/proc/self/task")? {
        all += spent(&entry?.path())?;
    }
    Ok(all)
}

/// Seconds of processor time of a thread so far.
fn spent(thread: &Path) -> Result<f64, AnyError> {
    let text = std::fs::read_to_string(thread.join("schedstat"))?;
    let nanoseconds: f64 = text.split_whitespace().next().ok_or("no schedstat")?.parse()?;
    Ok(nanoseconds / 1e9)
}
