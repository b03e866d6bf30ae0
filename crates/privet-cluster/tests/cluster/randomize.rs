//! Releases drawn by several processes: in a simulation, what one ledger draws; one charge in any case.

use std::sync::Arc;

use privet::data::synthetic::StochasticBlocks;
use privet::graph::{
    Bounds, BoundsOrigin, Dataset, DenseMatrix, Direction, FeatureMatrix, Features, Graph,
    GraphBuilder, Labels, NodeIds,
};
use privet::privacy::edges::Merge;
use privet::protect::{self, EdgeMechanism, Several, Sums, Terms};
use privet::{LedgerStore, Noise, Protected, Run};
use privet_cluster::jobs::randomize::SharedRelease;
use privet_cluster::{Error, Exchange, Result};

use crate::support::{Sample, few_columns, real};
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
        self.lead_with(Noise::Replay(4), dataset, by)
    }

    fn lead_with(
        &self,
        noise: Noise,
        dataset: Dataset,
        by: &mut impl Several,
    ) -> privet::Result<Protected<Dataset>> {
        let run = Run { noise, ..Run::simulation(4) };
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

    /// The part of each process: worker 0 gets the release.
    fn by(&self, dataset: &Dataset, exchange: &mut Exchange) -> Result<Option<Protected<Dataset>>> {
        let chief = exchange.index() == 0;
        let mut together = SharedRelease::begin(dataset, exchange, |_| ())?;
        Ok(match chief {
            true => Some(self.lead(dataset.clone(), &mut together)?),
            false => self.follow(dataset, &mut together).map(|()| None)?,
        })
    }
}

/// What several processes release, against what one does: graph, rows, labels and card.
fn check(what: What, dataset: &Dataset) {
    let alone = what.lead(dataset.clone(), &mut protect::SingleProcess).unwrap();
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

/// What two workers release about people who are all alike, with noise of the operating system.
fn released_by_two(what: &What) -> Dataset {
    let what = what.clone();
    let mut parts = run_well(2, move |exchange| {
        let (data, chief) = (alike(), exchange.index() == 0);
        let mut together = SharedRelease::begin(&data, exchange, |_| ())?;
        Ok(match chief {
            true => Some(what.lead_with(Noise::OperatingSystem, data, &mut together)?),
            false => what.follow(&data, &mut together).map(|()| None)?,
        })
    });
    parts.remove(0).unwrap().into_parts().0
}

/// 512 people with the same record: 256 of each worker.
fn alike() -> Dataset {
    let ids = NodeIds::sequential(512);
    let pairs = (0..512u32).map(|at| (at, (at + 1) % 512));
    let graph = GraphBuilder::new(512, Direction::Undirected).edges(pairs).build().unwrap().0;
    let bounds = Bounds::uniform(-1.0, 1.0, BoundsOrigin::Declared).unwrap();
    let rows = Features::dense(DenseMatrix::zeros(512, 4)).with_bounds(bounds).unwrap();
    let classes = vec!["no".to_owned(), "yes".to_owned()];
    let labels = Labels::single(vec![Some(0); 512], classes).unwrap();
    let data = Dataset::new("alike", graph, ids).unwrap();
    data.with_features(rows).unwrap().with_labels(labels).unwrap()
}

/// What a release says about every person, as text.
fn reports(what: &What, data: &Dataset) -> Vec<String> {
    let of = |person: u32| match what {
        What::Features(_) => {
            let mut entries = Vec::new();
            data.features().unwrap().nonzero_entries(person as usize).for_each(|entry| {
                entries.push(entry);
            });
            format!("{entries:?}")
        }
        What::Labels(_) => format!("{:?}", data.labels().unwrap().class(person)),
        // Places relative to the person, so that two people's lists can be compared.
        _ => {
            let list = data.graph().neighbors(person).iter();
            let mut places: Vec<u32> = list.map(|other| (other + 512 - person) % 512).collect();
            places.sort_unstable();
            format!("{places:?}")
        }
    };
    (0..512).map(of).collect()
}

/// Seeds are replayed on purpose; what the operating system gives is never the same for two workers, nor in two runs.
#[test]
fn b9_two_workers_never_share_noise_of_the_operating_system() {
    let directed = Some(Merge::Directed);
    for what in [
        What::Features(protect::Features::hds(1.0)),
        What::Labels(protect::Labels::randomized_response(0.5)),
        edges(EdgeMechanism::Rr, directed, 2.0),
    ] {
        let [one, other] = [0, 1].map(|_| reports(&what, &released_by_two(&what)));
        let differ = |a: &[String], b: &[String]| a.iter().zip(b).filter(|(a, b)| a != b).count();
        // Two labels of two classes agree more often than not; 30 of 256 is 10 deviations below what chance gives.
        for (named, count) in [
            ("worker 0, two runs", differ(&one[..256], &other[..256])),
            ("worker 1, two runs", differ(&one[256..], &other[256..])),
            ("two workers, one run", differ(&one[..256], &one[256..])),
        ] {
            assert!(count > 30, "{what:?}: {named}: {count} of 256 reports differ");
        }
    }
}

/// Shares travel in the clear: whose nodes are whose must be public.
#[test]
fn c11_who_draws_for_whom_does_not_follow_from_degrees() {
    let people = |hub: bool| {
        // Forty people know everyone: half of all arcs are theirs.
        let known = (0..40u32).flat_map(|one| (40..1100).map(move |other| (one, other)));
        let pairs = known.filter(|_| hub).chain((0..1099).map(|at| (at, at + 1)));
        let graph = GraphBuilder::new(1100, Direction::Undirected).edges(pairs).build().unwrap().0;
        Dataset::new("people", graph, NodeIds::sequential(1100)).unwrap()
    };
    let counts = [false, true].map(|hub| {
        run_well(3, move |exchange| {
            Ok(SharedRelease::begin(&people(hub), exchange, |_| ())?.people())
        })
    });
    assert_eq!(counts[0], counts[1]);
    assert_eq!(counts[0].iter().sum::<usize>(), 1100);
}

/// What passes the limit is refused before any process draws, and nothing is left of the account.
#[test]
fn what_passes_the_limit_is_never_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edges.ledger");
    let dataset = Arc::new(people());
    let results = run(3, move |exchange: &mut Exchange| {
        let chief = exchange.index() == 0;
        let what = protect::Edges::new(EdgeMechanism::Rr, None, Terms::alike(3.0)).unwrap();
        let mut together = SharedRelease::begin(&dataset, exchange, |_| ())?;
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
        let message = result.as_ref().unwrap_err().to_string();
        assert!(message.contains("worker 0") && message.contains("limit"), "{message}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no account is left");
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let results = run(2, |exchange: &mut Exchange| {
        edges(EdgeMechanism::EdgeRand, None, 1.0).by(&people(), exchange).map(drop)
    });
    let message = results[0].as_ref().unwrap_err().to_string();
    assert!(message.contains("one process's memory"), "{message}");
    // Other people than worker 0 has.
    let results = run(2, |exchange: &mut Exchange| {
        let nodes = 1000 + exchange.index();
        let blocks = StochasticBlocks { nodes, classes: 2, features: 3, ..Default::default() };
        let others = blocks.generate(1).unwrap();
        edges(EdgeMechanism::Rr, None, 1.0).by(&others, exchange).map(drop)
    });
    assert!(results.iter().all(Result::is_err));
    let message = results[0].as_ref().unwrap_err().to_string();
    assert!(message.contains("data of worker") || message.contains("worker 1"), "{message}");
}
