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
//! The service is a process of its own, and the senders are another: both share the machine's cores. So that it can be seen
//! what is the collector's and what is HTTP's, the same requests are first sent to a service that answers and does nothing.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a bench that cannot go on has failed"
)]

mod bare;
mod senders;
mod service;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use privet::collected::Collection;
use privet::data::catalog;
use privet::graph::{Graph, LoadedData};
use privet::privacy::noise::NoiseRng;
use privet::privacy::{Ledger, Loss, Secret};
use privet_collector::TaskAccess;
use privet_collector::client::{CollectorClient, ServiceAddress};
use privet_protocol::{
    ContactsAsked, Report, SealedTask, SigningKey, Task, TaskName, TaskQuestions, Universe,
};

use crate::senders::{CONNECTIONS, Sent, send_all};
use crate::service::{Service, TOKEN};

fn main() {
    let given: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match given.first().map(String::as_str) {
        Some("--serve") => service::serve(&given[1]),
        Some("--serve-nothing") => service::serve_nothing(),
        Some(word) => match word.parse() {
            Ok(people) => bench(&ring(people)),
            Err(_) => bench(&real(word)),
        },
        None => bench(&ring(100_000)),
    }
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
        LoadedData::Nodes(data) => data.graph().clone(),
        LoadedData::Graphs(set) => {
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
        contact: "none".into(),
        people: Universe::of(&ids),
        asks: TaskQuestions {
            contacts: Some(ContactsAsked { question: "?".into(), epsilon: 1.0 }),
            ..TaskQuestions::default()
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
    let empty = empty(&sealed, &reports);
    let beside = |what: &str, bare_store: &str, store: &str| {
        let bare = best(|| bare::inserts(bare_store, &reports));
        println!("bare batched inserts, {what}: {bare:.0} reports/s");
        let rate = through_service(what, store, &sealed, &ids, &reports);
        println!(
            "  of bare inserts: {:.2}, passed on {:.2}",
            rate.alone / bare,
            rate.passed_on / bare
        );
        println!("  of the empty service: {:.2}", rate.alone / empty);
    };
    beside("SQLite", &path("bare.db"), &path("service.db"));
    if let Ok(url) = std::env::var("PRIVET_POSTGRES") {
        beside("PostgreSQL", &url, &url);
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

/// The largest of three: whatever else the machine does only takes away.
fn best(mut rate: impl FnMut() -> f64) -> f64 {
    (0..3).map(|_| rate()).fold(0.0, f64::max)
}

/// What a service that does nothing answers: requests a second.
fn empty(sealed: &SealedTask, reports: &[Vec<u8>]) -> f64 {
    let mut service = Service::empty();
    let mut sent = send_all(&service.address, TaskName::of(sealed.task.as_bytes()), reports);
    println!(
        "a service that does nothing, {CONNECTIONS} connections: {:.0} requests/s, p50 {:.1} ms, p99 {:.1} ms; a request: {}",
        sent.rate(),
        sent.p(50),
        sent.p(99),
        sent.processor(service.processor())
    );
    service.end();
    sent.rate()
}

/// The same through the service; and what comes out is what went in.
fn through_service(
    what: &str,
    store: &str,
    sealed: &SealedTask,
    ids: &[String],
    reports: &[Vec<u8>],
) -> Rates {
    let mut service = Service::collector(store);
    let address = ServiceAddress { service: format!("http://{}", service.address), task: None };
    let administrator = CollectorClient::new(&address).with_token(TOKEN);
    let name = administrator.create(sealed, ids, TaskAccess::Open).unwrap();
    let (mut memory, before) = (Vec::new(), service.processor());
    let (mut all, mut from) = (Sent::default(), 0);
    for to in [10_000, 100_000, 1_000_000, usize::MAX].map(|to| to.min(reports.len())) {
        if to > from {
            all.add(send_all(&service.address, name, &reports[from..to]));
            memory.push(format!("{} MB after {to}", service.resident() >> 20));
            from = to;
        }
    }
    let used = service.processor() - before;
    let rate = all.rate();
    println!(
        "service, {what}, {CONNECTIONS} connections: {rate:.0} reports/s, p50 {:.1} ms, p99 {:.1} ms; a report: {}",
        all.p(50),
        all.p(99),
        all.processor(used)
    );
    println!("  memory of the service: {}", memory.join(", "));
    let start = Instant::now();
    let mut collected = Collection::new(sealed, ids.to_vec()).unwrap();
    collected.add_stream(administrator.reports(name).unwrap()).unwrap();
    assert_eq!(collected.len(), reports.len());
    for report in reports {
        assert_eq!(collected.add(report).unwrap(), privet::collected::ReportReceipt::Again);
    }
    println!(
        "  exported and compared with what devices drew in {:.1} s: the same",
        start.elapsed().as_secs_f64()
    );
    let (before, mut times) = (service.processor(), 0);
    let passed_on = best(|| {
        times += 1;
        passed_on(&administrator, (sealed, times), ids, reports)
    });
    let used = (service.processor() - before) * 1e6 / (3 * reports.len()) as f64;
    println!(
        "service, {what}, passed on 500 at a time: {passed_on:.0} reports/s; a report: {used:.1} us of the service"
    );
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
    administrator: &CollectorClient,
    (sealed, times): (&SealedTask, usize),
    ids: &[String],
    reports: &[Vec<u8>],
) -> f64 {
    let task = Task { title: format!("Passed on {times}"), ..sealed.open().unwrap().0.task };
    let sealed = SigningKey::from_bytes(&[7; 32]).seal(&task).unwrap();
    let name = administrator.create(&sealed, ids, TaskAccess::Open).unwrap();
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
