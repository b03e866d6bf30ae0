//! Workers that have read something else are refused before anything is computed.

use privet::data::synthetic::StochasticBlocks;
use privet::graph::{
    Dataset, DenseMatrix, Direction, FeatureMatrix, Features, GraphBuilder, Labels,
};
use privet_cluster::data_check::check_data;
use privet_cluster::jobs::randomize::SharedRelease;
use privet_cluster::{JobSession, JobStart};

use crate::support::{run, run_well};

fn people() -> Dataset {
    let blocks = StochasticBlocks { nodes: 300, classes: 3, features: 4, ..Default::default() };
    let data = blocks.generate(2).unwrap();
    let features = data.features().unwrap();
    let rows = Features::dense(dense(features)).with_bounds(features.bounds().unwrap().clone());
    data.clone().with_features(rows.unwrap()).unwrap()
}

fn dense(features: &Features) -> DenseMatrix {
    match features.matrix() {
        FeatureMatrix::Dense(rows) => rows.clone(),
        FeatureMatrix::Sparse(rows) => rows.to_dense(),
    }
}

/// The same people with one thing changed, so that counts, degrees and columns stay as they are.
fn changed(input: &str) -> Dataset {
    let data = people();
    match input {
        "features" => {
            let features = data.features().unwrap();
            let mut values = dense(features).values().to_vec();
            values[7] = 0.5 - values[7];
            let rows = DenseMatrix::new(300, 4, values).unwrap();
            let rows = Features::dense(rows).with_bounds(features.bounds().unwrap().clone());
            data.clone().with_features(rows.unwrap()).unwrap()
        }
        "labels" => {
            let labels = data.labels().unwrap().clone();
            let mut classes: Vec<Option<u32>> = (0..300).map(|at| labels.class(at)).collect();
            classes[9] = classes[9].map(|class| (class + 1) % 3);
            let labels = Labels::single(classes, labels.class_names().to_vec()).unwrap();
            data.with_labels(labels).unwrap()
        }
        "edges" => {
            // Another graph of the same degrees: a rotation of all ids but one step.
            let edges = data.graph().edges().map(|(u, v)| ((u + 1) % 300, (v + 1) % 300));
            let built = GraphBuilder::new(300, Direction::Undirected).edges(edges).build();
            data.with_graph(built.unwrap().0).unwrap()
        }
        other => unreachable!("{other}"),
    }
}

#[test]
fn c11_workers_with_other_data_are_named_with_what_differs() {
    let agreed = run_well(3, |exchange| check_data(&people(), exchange));
    assert_eq!(agreed.len(), 3);
    for input in ["features", "labels", "edges"] {
        let results = run(3, move |exchange| {
            let data = if exchange.index() == 1 { changed(input) } else { people() };
            check_data(&data, exchange)
        });
        for result in results {
            let message = result.unwrap_err().to_string();
            assert!(message.contains("worker 1") && message.contains(input), "{input}: {message}");
            let others: Vec<&str> = ["features", "labels", "edges"]
                .into_iter()
                .filter(|other| *other != input)
                .collect();
            assert!(others.iter().all(|other| !message.contains(other)), "{input}: {message}");
            assert!(!message.contains("worker 2 has"), "{message}");
        }
    }
}

fn refused_for(results: &[privet_cluster::Result<()>], input: &str) {
    for result in results {
        let message = result.as_ref().unwrap_err().to_string();
        assert!(message.contains(&format!("worker 1 has other {input}")), "{message}");
    }
}

/// Every job begins with the comparison: those that embed and learn, and those that release.
#[test]
fn c11_every_job_compares_contents_before_it_begins() {
    let results = run(2, |exchange| {
        let data = if exchange.index() == 1 { changed("features") } else { people() };
        let begun = std::time::Instant::now();
        let beginning = JobStart { job: [1; 32], begun, keeping: None };
        JobSession::begin(&data, &beginning, exchange).map(drop)
    });
    refused_for(&results, "features");
    let results = run(2, |exchange| {
        let data = if exchange.index() == 1 { changed("labels") } else { people() };
        SharedRelease::begin(&data, exchange, |_| ()).map(drop)
    });
    refused_for(&results, "labels");
}
