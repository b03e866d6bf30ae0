//! How many reports a second a service takes, and what it costs: beside bare inserts of the same bytes into the same kind of
//! file, in the same run.
//!
//! ```text
//! cargo bench -p privet-collector                             100,000 people's lists of contacts, 256 connections
//! cargo bench -p privet-collector -- 1000000                  another number; memory is printed on the way
//! cargo bench -p privet-collector -- reddit-binary            the lists of a benchmark's people, if its files are there
//! PRIVET_POSTGRES=postgres://... cargo bench ...              PostgreSQL beside it
//! PRIVET_PEER=http://127.0.0.1:9000 cargo bench ...           and a service of others that takes the same requests
//!                                                             (benches/collector_fastapi.py)
//! ```
//! The service is a process of its own, and the senders are another: both share the machine's cores.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a bench that cannot go on has failed"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use privet::collected::Collected;
use privet::data::catalog;
use privet::graph::{Graph, Loaded};
use privet::privacy::noise::NoiseRng;
use privet::privacy::{Ledger, Loss, Secret};
use privet_collector::client::{Address, Client};
use privet_collector::store::Store;
use privet_collector::{Entry, Running, Settings};
use privet_protocol::{
    Asks, ContactsAsked, Report, SealedTask, SigningKey, Task, TaskName, Universe,
};
use sqlx::{AnyConnection, Connection as _, Executor as _};

const TOKEN: &str = "the token of a bench";
const CONNECTIONS: usize = 256;

fn main() {
    let given: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match given.first().map(String::as_str) {
        Some("--serve") => serve(&given[1]),
        Some(word) => match word.parse() {
            Ok(people) => bench(&ring(people)),
            Err(_) => bench(&real(word)),
        },
        None => bench(&ring(100_000)),
    }
}

/// The other process.
fn serve(store: &str) {
    let settings = Settings {
        listen: "127.0.0.1:0".into(),
        store: store.into(),
        rate: 0,
        log: false,
        ..Settings::default()
    };
    let running = Running::start(settings, TOKEN).unwrap();
    println!("{}", running.address);
    // Until the bench closes our input.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    running.stop().unwrap();
}

/// People who know eight others each.
fn ring(people: u32) -> Graph {
    let row = |at: u32| {
        let mut row: Vec<u32> =
            (1..=4).flat_map(|far| [(at + far) % people, (at + people - far) % people]).collect();
        row.sort_unstable();
        row
    };
    Graph::from_rows((0..people).map(row).collect()).unwrap()
}

/// All people of a benchmark, as one graph.
fn real(name: &str) -> Graph {
    let entry = catalog::find(name).unwrap();
    let loaded = entry.load(&catalog::data_dirs(None), &Default::default());
    match loaded.unwrap_or_else(|error| panic!("{name}: {error}")) {
        Loaded::Nodes(data) => data.graph().clone(),
        Loaded::Graphs(set) => {
            let mut rows = Vec::new();
            for graph in set.graphs() {
                let first = rows.len() as u32;
                rows.extend(graph.nodes().map(|node| {
                    graph.neighbors(node).iter().map(|other| first + other).collect::<Vec<u32>>()
                }));
            }
            Graph::from_rows(rows).unwrap()
        }
    }
}

fn bench(graph: &Graph) {
    let people = graph.node_count();
    let ids: Vec<String> = (0..people).map(|at| at.to_string()).collect();
    let task = Task {
        title: "Load".into(),
        purpose: "a bench".into(),
        contact: "nobody".into(),
        people: Universe::of(&ids),
        asks: Asks {
            contacts: Some(ContactsAsked { question: "?".into(), epsilon: 1.0 }),
            ..Asks::default()
        },
        until: None,
    };
    let sealed = SigningKey::from_bytes(&[7; 32]).seal(&task).unwrap();
    let start = Instant::now();
    let reports = drawn(&sealed, graph);
    let bytes: usize = reports.iter().map(Vec::len).sum();
    println!(
        "{people} people's lists randomised in {:.1} s; {:.0} bytes a report",
        start.elapsed().as_secs_f64(),
        bytes as f64 / people as f64
    );
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let bare = bare_inserts(&path("bare.db"), &reports);
    println!("bare batched inserts, SQLite:            {bare:>9.0} reports/s");
    let rate = through_service("SQLite", &path("service.db"), &sealed, &ids, &reports);
    println!("  of bare inserts: {:.2}, passed on {:.2}", rate.alone / bare, rate.passed_on / bare);
    if let Ok(url) = std::env::var("PRIVET_POSTGRES") {
        let bare = bare_inserts(&url, &reports);
        println!("bare batched inserts, PostgreSQL:        {bare:>9.0} reports/s");
        let rate = through_service("PostgreSQL", &url, &sealed, &ids, &reports);
        println!(
            "  of bare inserts: {:.2}, passed on {:.2}",
            rate.alone / bare,
            rate.passed_on / bare
        );
    }
    if let Ok(peer) = std::env::var("PRIVET_PEER") {
        let address = peer.strip_prefix("http://").unwrap().to_owned();
        let name = TaskName::of(sealed.task.as_bytes());
        let some = &reports[..reports.len().min(20_000)];
        let mut sent = send_all(&address, name, some);
        println!("{peer}: {:>9.0} reports/s, p99 {:.1} ms", sent.rate(), sent.p(99));
    }
}

/// What all devices would draw.
fn drawn(sealed: &SealedTask, graph: &Graph) -> Vec<Vec<u8>> {
    let (asked, _) = sealed.open().unwrap();
    let limit = Loss::new(1.0, 0.0).unwrap();
    let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
    let mechanism = asked.contacts.as_ref().unwrap();
    let lists = ledger.release_each(&Secret::new(graph.clone()), mechanism).unwrap();
    let report = |(at, list): (usize, &_)| {
        let (task, participant) = (asked.name, at as u32);
        Report {
            task,
            participant,
            features: None,
            label: None,
            contacts: Some(Clone::clone(list)),
        }
        .encode()
    };
    lists.get().iter().enumerate().map(report).collect()
}

/// Rows as they are into the same table, 512 a statement and 1,024 a transaction, each durable before the next; reports a
/// second.
fn bare_inserts(address: &str, reports: &[Vec<u8>]) -> f64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        // Makes the tables.
        Store::open(address).await.unwrap().shut().await;
        let sqlite = !address.starts_with("postgres");
        let url = if sqlite { format!("sqlite:{address}") } else { address.to_owned() };
        let mut connection = AnyConnection::connect(&url).await.unwrap();
        if sqlite {
            connection.execute("PRAGMA synchronous = FULL").await.unwrap();
        }
        let start = Instant::now();
        let mut place = 0i64;
        for batch in reports.chunks(1024) {
            let mut step = connection.begin().await.unwrap();
            for some in batch.chunks(512) {
                let row =
                    |at: usize| format!("(${}, ${}, ${})", 3 * at + 1, 3 * at + 2, 3 * at + 3);
                let rows = (0..some.len()).map(row).collect::<Vec<_>>().join(", ");
                let insert = format!("INSERT INTO reports (task, place, report) VALUES {rows}");
                let mut query = sqlx::query(&insert);
                for bytes in some {
                    query = query.bind(-1i64).bind(place).bind(&bytes[..]);
                    place += 1;
                }
                query.execute(&mut *step).await.unwrap();
            }
            step.commit().await.unwrap();
        }
        let rate = reports.len() as f64 / start.elapsed().as_secs_f64();
        connection.execute("DELETE FROM reports WHERE task = -1").await.unwrap();
        rate
    })
}

/// The same through the service; and what comes out is what went in.
fn through_service(
    what: &str,
    store: &str,
    sealed: &SealedTask,
    ids: &[String],
    reports: &[Vec<u8>],
) -> Rates {
    let mut service = Service::start(store);
    let address = Address { service: format!("http://{}", service.address), task: None };
    let administrator = Client::new(&address).with_token(TOKEN);
    let name = administrator.create(sealed, ids, Entry::Open).unwrap();
    let mut memory = Vec::new();
    let (mut all, mut from) = (Sent::default(), 0);
    for to in [10_000, 100_000, 1_000_000, usize::MAX].map(|to| to.min(reports.len())) {
        if to > from {
            all.add(send_all(&service.address, name, &reports[from..to]));
            memory.push(format!("{} MB after {to}", service.resident() >> 20));
            from = to;
        }
    }
    let (rate, p50, p99) = (all.rate(), all.p(50), all.p(99));
    println!(
        "service, {what}, {CONNECTIONS} connections: {:>12.0} reports/s, p50 {p50:.1} ms, p99 {p99:.1} ms",
        rate
    );
    println!("  memory of the service: {}", memory.join(", "));
    let start = Instant::now();
    let mut collected = Collected::new(sealed, ids.to_vec()).unwrap();
    collected.add_stream(administrator.reports(name).unwrap()).unwrap();
    assert_eq!(collected.len(), reports.len());
    for report in reports {
        assert_eq!(collected.add(report).unwrap(), privet::collected::Taken::Again);
    }
    println!(
        "  exported and compared with what devices drew in {:.1} s: the same",
        start.elapsed().as_secs_f64()
    );
    let passed_on = passed_on(&administrator, sealed, ids, reports);
    println!("service, {what}, passed on 500 at a time: {passed_on:>8.0} reports/s");
    service.end();
    Rates { alone: rate, passed_on }
}

/// Reports a second, each device's own request or many in one.
struct Rates {
    alone: f64,
    passed_on: f64,
}

/// The same reports for another task, by way of an app's own server: four of its threads.
fn passed_on(
    administrator: &Client,
    sealed: &SealedTask,
    ids: &[String],
    reports: &[Vec<u8>],
) -> f64 {
    let task = Task { title: "Passed on".into(), ..sealed.open().unwrap().0.task };
    let sealed = SigningKey::from_bytes(&[7; 32]).seal(&task).unwrap();
    let name = administrator.create(&sealed, ids, Entry::Open).unwrap();
    let renamed = |report: &Vec<u8>| [&report[..1], &name.0, &report[33..]].concat();
    let reports: Vec<Vec<u8>> = reports.iter().map(renamed).collect();
    let batches: Vec<&[Vec<u8>]> = reports.chunks(500).collect();
    let (next, start) = (AtomicUsize::new(0), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let many = administrator.send_many(name, batch).unwrap();
                    assert_eq!(many.new, batch.len() as u64);
                }
            });
        }
    });
    reports.len() as f64 / start.elapsed().as_secs_f64()
}

struct Service {
    child: Child,
    address: String,
}

impl Service {
    fn start(store: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--serve", store]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, address: line.trim().to_owned() }
    }

    /// Bytes of memory, where the system says it.
    fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
        kilobytes.and_then(|number| number.parse::<u64>().ok()).unwrap_or(0) << 10
    }

    fn end(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}

/// How it went.
#[derive(Default)]
struct Sent {
    took: Duration,
    times: Vec<Duration>,
}

impl Sent {
    fn add(&mut self, other: Self) {
        self.took += other.took;
        self.times.extend(other.times);
    }

    fn rate(&self) -> f64 {
        self.times.len() as f64 / self.took.as_secs_f64()
    }

    /// Milliseconds within which so many of a hundred were answered.
    fn p(&mut self, percent: usize) -> f64 {
        self.times.sort_unstable();
        self.times[(self.times.len() * percent / 100).min(self.times.len() - 1)].as_secs_f64() * 1e3
    }
}

/// Each report is a request of its own; a connection sends one after another.
fn send_all(address: &str, name: TaskName, reports: &[Vec<u8>]) -> Sent {
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    let times = std::thread::scope(|scope| {
        let work = || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.set_nodelay(true).unwrap();
            let (mut times, mut answer) = (Vec::new(), [0; 4096]);
            while let Some(report) = reports.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut request = format!(
                    "POST /api/v1/tasks/{name}/reports HTTP/1.1\r\nhost: a\r\n\
                     content-type: application/octet-stream\r\ncontent-length: {}\r\n\r\n",
                    report.len()
                )
                .into_bytes();
                request.extend_from_slice(report);
                let start = Instant::now();
                stream.write_all(&request).unwrap();
                let read = stream.read(&mut answer).unwrap();
                times.push(start.elapsed());
                let created = answer[..read].starts_with(b"HTTP/1.1 201");
                assert!(created, "{}", String::from_utf8_lossy(&answer[..read]));
            }
            times
        };
        let workers: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    Sent { took: start.elapsed(), times }
}
