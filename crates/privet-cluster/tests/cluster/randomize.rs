//! Releases drawn by several processes: in a simulation, what one ledger draws; one charge in any case.

use std::sync::Arc;

use privet::data::synthetic::StochasticBlocks;
use privet::graph::{Bounds, BoundsOrigin, Dataset, FeatureMatrix, Features, Graph, NodeIds};
use privet::privacy::edges::Merge;
use privet::protect::{self, EdgeMechanism, Several, Sums, Terms};
use privet::{LedgerStore, Noise, Protected, Run};
use privet_cluster::jobs::randomize::Together;
use privet_cluster::{Error, Exchange, Result};

use crate::data::{Sample, few_columns, real};
use crate::support::{run, run_well};

fn people() -> Dataset {
    let blocks = StochasticBlocks { nodes: 1100, classes: 3, features: 12, ..Default::default() };
    blocks.generate(2).unwrap()
}

/// What is released of a dataset.
#[derive(Debug, Clone)]
enum What {
    Features(protect::Features),
    Labels(protect::Labels),
    Edges(protect::Edges),
    Sums(Sums),
}

impl What {
    fn lead(&self, dataset: Dataset, by: &mut impl Several) -> privet::Result<Protected<Dataset>> {
        let run = Run::simulation(4);
        match self {
            Self::Features(features) => features.run_by(dataset, &run, by),
            Self::Labels(labels) => labels.run_by(dataset, &run, by),
            Self::Edges(edges) => edges.run_by(dataset, &run, by),
            Self::Sums(sums) => sums.run_by(dataset, &run, by),
        }
    }

    fn follow(&self, dataset: &Dataset, by: &mut impl Several) -> privet::Result<()> {
        match self {
            Self::Features(features) => features.assist(dataset, by),
            Self::Labels(labels) => labels.assist(dataset, by),
            Self::Edges(edges) => edges.assist(dataset, by),
            Self::Sums(sums) => sums.assist(dataset, by),
        }
    }

    /// Everybody's part: worker 0 gets the release.
    fn by(&self, dataset: &Dataset, exchange: &mut Exchange) -> Result<Option<Protected<Dataset>>> {
        let chief = exchange.index() == 0;
        let mut together = Together::begin(dataset, exchange, |_| ())?;
        Ok(match chief {
            true => Some(self.lead(dataset.clone(), &mut together)?),
            false => self.follow(dataset, &mut together).map(|()| None)?,
        })
    }
}

/// What several processes release, against what one does: graph, rows, labels and card.
fn check(what: What, dataset: &Dataset) {
    let alone = what.lead(dataset.clone(), &mut protect::Alone).unwrap();
    let dataset = Arc::new(dataset.clone());
    for count in [1, 2, 4] {
        let (what, dataset) = (what.clone(), Arc::clone(&dataset));
        let named = format!("{what:?} by {count}");
        let parts = run_well(count, move |exchange| what.by(&dataset, exchange));
        let found = parts[0].as_ref().unwrap();
        assert!(found.get().graph() == alone.get().graph(), "{named}");
        assert!(found.get().features() == alone.get().features(), "{named}");
        assert!(found.get().labels() == alone.get().labels(), "{named}");
        let card = |release: &Protected<Dataset>| serde_json::to_string(release.card()).unwrap();
        assert_eq!(card(found), card(&alone), "{named}");
        assert_eq!(found.card().guarantees[0].releases.len(), 1, "one charge");
        assert!(parts[1..].iter().all(Option::is_none));
    }
}

fn edges(mechanism: EdgeMechanism, merge: Option<Merge>, epsilon: f64) -> What {
    What::Edges(protect::Edges::new(mechanism, merge, Terms::alike(epsilon)).unwrap())
}

#[test]
fn features_and_labels_are_drawn_as_by_one_process() {
    for name in ["hds", "feature-rr"] {
        let mechanism = name.to_owned();
        check(
            What::Features(protect::Features { mechanism, ..protect::Features::hds(1.0) }),
            &people(),
        );
    }
    check(What::Labels(protect::Labels::randomized_response(1.0)), &people());
}

#[test]
fn lists_are_drawn_as_by_one_process() {
    check(edges(EdgeMechanism::Rr, None, 3.0), &people());
    check(edges(EdgeMechanism::Dprr, Some(Merge::And), 2.0), &people());
    check(edges(EdgeMechanism::Dprr, Some(Merge::OneSided), 2.0), &people());
}

#[test]
fn noisy_sums_are_drawn_as_by_one_process() {
    check(What::Sums(Sums::new(1.0, 1e-5)), &people());
}

/// Facebook and Wikipedia with six columns of numbers.
fn named(sample: &Sample) -> Dataset {
    let (graph, nodes): (Graph, usize) = ((*sample.graph).clone(), sample.graph.node_count());
    let FeatureMatrix::Dense(x) = (*few_columns(sample, 6).x).clone() else { unreachable!() };
    let bounds = Bounds::uniform(-2.0, 2.0, BoundsOrigin::Declared).unwrap();
    let features = Features::dense(x).with_bounds(bounds).unwrap();
    let dataset = Dataset::new(&*sample.name, graph, NodeIds::sequential(nodes)).unwrap();
    dataset.with_features(features).unwrap()
}

#[test]
fn real_peoples_data_are_drawn_as_by_one_process() {
    for sample in real() {
        let people = named(&sample);
        check(What::Features(protect::Features::hds(1.0)), &people);
        // Lists of people's own length, or nearly: 22,470 and 11,631 people.
        check(edges(EdgeMechanism::Rr, None, 8.0), &people);
        check(What::Sums(Sums::new(1.0, 1e-6)), &people);
    }
}

/// What passes the limit is refused before anybody draws, and nothing is left of the account.
#[test]
fn what_passes_the_limit_is_drawn_by_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edges.ledger");
    let dataset = Arc::new(people());
    let results = run(3, move |exchange: &mut Exchange| {
        let chief = exchange.index() == 0;
        let what = protect::Edges::new(EdgeMechanism::Rr, None, Terms::alike(3.0)).unwrap();
        let mut together = Together::begin(&dataset, exchange, |_| ())?;
        if !chief {
            return Ok(what.assist(&dataset, &mut together)?);
        }
        let file = privet::run::LedgerFile { kind: "edges", path: path.clone(), limit: Some(1.0) };
        let ledgers = LedgerStore::Files(vec![file]);
        let run = Run { noise: Noise::Replay(1), ledgers, ..Run::simulation(1) };
        Ok(what.run_by((*dataset).clone(), &run, &mut together).map(|_| ())?)
    });
    assert!(matches!(&results[0], Err(Error::Privet(_))), "{:?}", results[0]);
    for result in &results[1..] {
        let told = result.as_ref().unwrap_err().to_string();
        assert!(told.contains("worker 0") && told.contains("limit"), "{told}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no account is left");
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let results = run(2, |exchange: &mut Exchange| {
        edges(EdgeMechanism::EdgeRand, None, 1.0).by(&people(), exchange).map(drop)
    });
    let told = results[0].as_ref().unwrap_err().to_string();
    assert!(told.contains("one process's memory"), "{told}");
    // Other people than worker 0 has.
    let results = run(2, |exchange: &mut Exchange| {
        let nodes = 1000 + exchange.index();
        let blocks = StochasticBlocks { nodes, classes: 2, features: 3, ..Default::default() };
        let others = blocks.generate(1).unwrap();
        edges(EdgeMechanism::Rr, None, 1.0).by(&others, exchange).map(drop)
    });
    assert!(results.iter().all(Result::is_err));
    let told = results[0].as_ref().unwrap_err().to_string();
    assert!(told.contains("data of worker") || told.contains("worker 1"), "{told}");
}
