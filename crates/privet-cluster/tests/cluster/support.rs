//! Teams of threads, each in place of a process, connected over loopback; and graphs to run jobs on.

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use privet::data::catalog;
use privet::data::formats::ReadOptions;
use privet::data::synthetic::{PowerLaw, karate_club};
use privet::graph::{DenseMatrix, Direction, FeatureMatrix, Graph, GraphBuilder};
use privet_cluster::connect::JoinRequest;
use privet_cluster::{Error, Exchange, Hosts, Result, Team};

/// Listeners on free ports, and the list that names them.
pub fn free_hosts(count: usize) -> (Vec<TcpListener>, Hosts) {
    let listeners: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let addresses = listeners.iter().map(|l| l.local_addr().unwrap().to_string()).collect();
    (listeners, Hosts::of(addresses).unwrap())
}

/// What a process knows when it is started.
pub fn invitation(hosts: &Hosts, index: usize) -> JoinRequest {
    let patience = Duration::from_secs(10);
    JoinRequest { hosts: hosts.clone(), index, job: [1; 32], patience }
}

/// Runs a job by so many processes; the results in their order.
pub fn run<T: Send + 'static>(
    count: usize,
    job: impl Fn(&mut Exchange) -> Result<T> + Send + Sync + 'static,
) -> Vec<Result<T, Error>> {
    if count == 1 {
        return vec![Team::alone().run(job)];
    }
    let (listeners, hosts) = free_hosts(count);
    let job = Arc::new(job);
    let start = |(index, listener)| {
        let (job, invitation) = (Arc::clone(&job), invitation(&hosts, index));
        std::thread::spawn(move || {
            Team::meet_on(listener, &invitation)?.run(move |exchange| job(exchange))
        })
    };
    let threads: Vec<_> = listeners.into_iter().enumerate().map(start).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

/// Like [`run`], where nothing may go wrong.
pub fn run_well<T: Send + 'static>(
    count: usize,
    job: impl Fn(&mut Exchange) -> Result<T> + Send + Sync + 'static,
) -> Vec<T> {
    run(count, job).into_iter().map(|result| result.unwrap()).collect()
}

/// A graph, and features for its nodes.
#[derive(Clone)]
pub struct Sample {
    pub name: String,
    pub graph: Arc<Graph>,
    pub x: Arc<FeatureMatrix>,
}

/// Numbers without a pattern that sums could hide in.
pub fn filled(rows: usize, columns: usize) -> DenseMatrix {
    let value = |at: usize| ((at * 7919 + 13) % 971) as f32 / 311.0 - 1.5;
    DenseMatrix::new(rows, columns, (0..rows * columns).map(value).collect()).unwrap()
}

fn sample(name: &str, graph: Graph, columns: usize) -> Sample {
    let x = FeatureMatrix::Dense(filled(graph.node_count(), columns));
    Sample { name: name.to_owned(), graph: Arc::new(graph), x: Arc::new(x) }
}

/// Small ones, made up: undirected and directed.
pub fn made_up() -> Vec<Sample> {
    let club = karate_club().unwrap().graph().clone();
    let power = PowerLaw { nodes: 3000, mean_degree: 7.0, exponent: 2.2 };
    let power = power.generate(3).unwrap().graph().clone();
    let arcs = (0..2000u32).flat_map(|u| (1..4).map(move |k| (u, (u * k * 31 + 7) % 2000)));
    let (directed, _) = GraphBuilder::new(2000, Direction::Directed).edges(arcs).build().unwrap();
    vec![sample("club", club, 5), sample("power law", power, 35), sample("arcs", directed, 17)]
}

/// Facebook and Wikipedia with their own sparse features, where they are.
pub fn real() -> Vec<Sample> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("PRIVET_DATA_DIR").map_or_else(|| beside.into(), PathBuf::from);
    let load = |name: &str| {
        let chosen = catalog::select(name).unwrap();
        let folders = [folder.clone()];
        if !chosen.locate(&folders).is_complete() {
            println!("skipped: {name} is not in {} (set PRIVET_DATA_DIR)", folder.display());
            return None;
        }
        let dataset = chosen.load(&folders, &ReadOptions::default()).unwrap().into_nodes().unwrap();
        let x = dataset.features().unwrap().matrix().clone();
        let graph = Arc::new(dataset.graph().clone());
        Some(Sample { name: name.to_owned(), graph, x: Arc::new(x) })
    };
    ["facebook_page_page", "wikipedia_crocodile"].into_iter().filter_map(load).collect()
}

/// The same graph with a few dense columns in place of its features.
pub fn few_columns(sample: &Sample, columns: usize) -> Sample {
    let x = FeatureMatrix::Dense(filled(sample.graph.node_count(), columns));
    Sample { x: Arc::new(x), ..sample.clone() }
}
