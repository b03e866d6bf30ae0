//! Reports drawn by several processes: in a simulation, those that one ledger draws; one charge in any case.

use std::sync::Arc;

use privet::data::synthetic::StochasticBlocks;
use privet::graph::{Bounds, BoundsOrigin, Dataset, FeatureMatrix, Features, Graph};
use privet::privacy::edges::local::{Dprr, Rr};
use privet::privacy::features::{FeatureMechanism, Scale, Settings};
use privet::privacy::noise::NoiseRng;
use privet::privacy::population::{GraphShape, RecordsOf, Shaped, TableShape};
use privet::privacy::{Ledger, Local, Loss, Secret, Unit};
use privet_cluster::jobs::randomize::{collect, randomize};
use privet_cluster::{Error, Exchange, Partition};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::data::{few_columns, real};
use crate::support::{run, run_well};

fn people() -> Dataset {
    let blocks = StochasticBlocks { nodes: 1100, classes: 3, features: 12, ..Default::default() };
    blocks.generate(2).unwrap()
}

fn account<U: Unit>(epsilon: f64) -> Ledger<U> {
    Ledger::in_memory(Loss::new(epsilon, 0.0).unwrap(), NoiseRng::replay(4)).unwrap()
}

/// What several processes collect, against what one ledger releases.
fn check<M, P>(mechanism: M, data: P, shape: <M::Population as Shaped>::Shape, graph: &Graph)
where
    M: Local + Send + Sync + 'static,
    M::Population: Sized,
    P: RecordsOf<M::Population> + Clone + Send + Sync + 'static,
    <M::Population as Shaped>::Shape: Copy + Send + Sync + 'static,
    M::Report: Serialize + DeserializeOwned + PartialEq + Sync + 'static,
    M::Unit: Send + 'static,
{
    let mechanism = Arc::new(mechanism);
    let mut ledger = account::<M::Unit>(9.0);
    let nodes = graph.node_count();
    let mut whole = ledger.begin_each(&shape, nodes, &*mechanism).unwrap();
    let expected = whole.draw(&Secret::new(data.clone()), 0..nodes).unwrap().into_inner();
    let offsets = Arc::new(graph.offsets().to_vec());
    for count in [1, 2, 4] {
        let (mechanism, data, offsets) =
            (Arc::clone(&mechanism), data.clone(), Arc::clone(&offsets));
        let parts = run_well(count, move |exchange: &mut Exchange| {
            let partition = Partition::of(&offsets, exchange.count())?;
            let mut ledger = (exchange.index() == 0).then(|| account::<M::Unit>(9.0));
            let secret = Secret::new(data.clone());
            let people = (&secret, &shape);
            let own = randomize(&*mechanism, people, &partition, ledger.as_mut(), exchange)?;
            let all = collect(own, &partition, exchange)?;
            let entries = ledger.map_or(0, |ledger| ledger.entries().len());
            Ok((all.map(|all| all.into_inner()), entries))
        });
        assert!(parts[0].0.as_ref() == Some(&expected), "by {count}");
        assert_eq!(parts.iter().map(|part| part.1).sum::<usize>(), 1, "one charge");
        assert!(parts[1..].iter().all(|part| part.0.is_none()));
    }
}

#[test]
fn features_are_drawn_as_by_one_process() {
    let people = people();
    let features = people.features().unwrap().clone();
    let scale = Scale::new(12, features.bounds()).unwrap();
    for name in ["hds", "feature-rr"] {
        let mechanism = FeatureMechanism::build(name, 1.0, scale.clone(), &Settings::default());
        let shape = TableShape { rows: 1100, columns: 12 };
        check(mechanism.unwrap(), features.clone(), shape, people.graph());
    }
}

#[test]
fn lists_are_drawn_as_by_one_process() {
    let graph = people().graph().clone();
    let shape = GraphShape { nodes: 1100, direction: graph.direction() };
    check(Rr::new(3.0).unwrap(), graph.clone(), shape, &graph);
    check(Dprr::new(2.0, 1100).unwrap(), graph.clone(), shape, &graph);
}

#[test]
fn real_peoples_features_and_lists_are_drawn_as_by_one_process() {
    for sample in real() {
        let (nodes, graph) = (sample.graph.node_count(), (*sample.graph).clone());
        let FeatureMatrix::Dense(x) = (*few_columns(&sample, 6).x).clone() else { unreachable!() };
        let features = Features::dense(x)
            .with_bounds(Bounds::uniform(-2.0, 2.0, BoundsOrigin::Declared).unwrap())
            .unwrap();
        let scale = Scale::new(6, features.bounds()).unwrap();
        let hds = FeatureMechanism::build("hds", 1.0, scale, &Settings::default()).unwrap();
        check(hds, features, TableShape { rows: nodes, columns: 6 }, &graph);
        // Lists of people's own length, or nearly: 22,470 and 11,631 people.
        let shape = GraphShape { nodes, direction: graph.direction() };
        check(Rr::new(8.0).unwrap(), graph.clone(), shape, &graph);
    }
}

#[test]
fn what_passes_the_limit_is_drawn_by_nobody() {
    let graph = people().graph().clone();
    let results = run(3, move |exchange: &mut Exchange| {
        let partition = Partition::of(graph.offsets(), exchange.count())?;
        let mut ledger = (exchange.index() == 0).then(|| account(1.0));
        let shape = GraphShape { nodes: 1100, direction: graph.direction() };
        let (rr, secret) = (Rr::new(3.0)?, Secret::new(graph.clone()));
        let own = randomize(&rr, (&secret, &shape), &partition, ledger.as_mut(), exchange)?;
        Ok(own.into_inner().len())
    });
    assert!(matches!(&results[0], Err(Error::Privacy(_))), "{:?}", results[0]);
    for result in &results[1..] {
        let told = result.as_ref().unwrap_err().to_string();
        assert!(told.contains("worker 0") && told.contains("limit"), "{told}");
    }
}
