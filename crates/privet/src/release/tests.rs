use std::path::Path;

use super::*;
use crate::data::synthetic::StochasticBlocks;
use crate::dpar::{Dpar, Mode, Settings as DparSettings};
use crate::dprr::{Dprr, DprrMethod, GraphLearner, Reading, Reporting, Setting};
use crate::graph::{
    Bounds, BoundsOrigin, Direction, Fact, GraphBuilder, GraphSet, Labels, NodeIds,
};
use crate::hetero_rr::{EdgeProtection, EdgeUse, FeatureProtection, GcnLearner, TreePlan};
use crate::ldp_ge::{LdpGe, Learner, Private, Task};
use crate::privacy::Loss;
use crate::privacy::unit::Relation;
use crate::{Error, LedgerStore, Method};

/// Eighty people in two groups.
fn people() -> Dataset {
    let (nodes, classes, mean_degree, features) = (80, 2, 3.0, 12);
    let blocks =
        StochasticBlocks { nodes, classes, mean_degree, features, ..StochasticBlocks::default() };
    let made = blocks.generate(3).unwrap();
    let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared).unwrap();
    let features = made.features().unwrap().clone().with_bounds(bounds).unwrap();
    made.with_features(features).unwrap()
}

fn ldp_ge(learning_rate: f64, epsilon: f64) -> LdpGeRelease {
    let mut system = LdpGe::new(epsilon, 80);
    system.protection.features.settings.k = Some(3);
    system.learner =
        Learner { hidden: vec![8], epochs: 4, learning_rate, ..system.learner.clone() };
    LdpGeRelease { task: Task::Nodes, system, private: Private::FEATURES, volunteers: None }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn fill(release: &LdpGeRelease, folder: &ReleaseFolder) -> Result<FilledFolder> {
    let (words, data, run) = (["a word".to_owned()], people(), Run::simulation(1));
    folder.fill(release, (&data).into(), &run, &words, None, |_, private| {
        std::fs::write(private.join("report.html"), "").map_err(|e| Error::file(private, e))
    })
}

/// What fails before the charge costs nothing, what fails after it stays spent, and the message says so.
#[test]
fn a_charge_outlives_the_failure() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("out");
    let folder = ReleaseFolder::new(&path).unwrap();
    assert!(fill(&ldp_ge(0.01, -1.0), &folder).is_err());
    assert!(names(place.path()).is_empty(), "nothing was charged, nothing stays");
    let told = fill(&ldp_ge(-1.0, 1.0), &folder).unwrap_err();
    assert!(matches!(told, Error::Charged { .. }), "{told}");
    assert!(told.to_string().contains("features.ledger stays"), "{told}");
    assert_eq!(names(place.path()), ["out"]);
    assert_eq!(names(&path), ["share"]);
    assert_eq!(names(&path.join("share")), ["features.ledger", "features.ledger.count"]);
    assert!(ReleaseFolder::new(&path).is_err(), "a second try must not hide the first");
    let other = ReleaseFolder::new(&place.path().join("other")).unwrap();
    let made = fill(&ldp_ge(0.01, 1.0), &other).unwrap();
    assert!(names(&made.share).contains(&"card.json".into()));
    assert!(names(&made.private).contains(&"report.html".into()));
    let told = made.card.explain();
    assert!(told.contains("a word") && told.contains("the ids of all nodes"), "{told}");
}

#[test]
fn a_folder_for_a_release_is_new() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file");
    std::fs::write(&file, "x").unwrap();
    for (path, said) in [(&file, "exists already"), (&file.join("below"), "no such folder")] {
        let told = ReleaseFolder::new(path).unwrap_err().to_string();
        assert!(told.contains(said), "{told}");
    }
    let told = ReleaseFolder::new(place.path()).unwrap_err().to_string();
    assert!(told.contains("not empty"), "{told}");
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(ReleaseFolder::new(empty.path()).unwrap().path(), empty.path());
}

/// Every part that is private has a price, and what is public has none.
#[test]
fn ldp_ge_asks_for_what_people_send() {
    let (data, mut release) = (people(), ldp_ge(0.01, 2.0));
    release.system.protection.label_epsilon = 3.0;
    release.system.protection.edges.epsilon = 4.0;
    let asks = |release: &LdpGeRelease| {
        let asked = release.asks(&data).unwrap();
        assert!(asked.prices.iter().all(|price| price.people == 80 && price.limit == price.asked));
        let epsilons = asked.prices.iter().map(|price| price.asked.epsilon.get());
        (epsilons.collect::<Vec<f64>>(), asked.shown.contains(&Fact::Classes))
    };
    assert_eq!(asks(&release), (vec![2.0], false));
    (release.private.labels, release.private.edges) = (true, true);
    assert_eq!(asks(&release), (vec![2.0, 3.0, 4.0], true));
    release.private.features = false;
    assert_eq!(asks(&release), (vec![3.0, 4.0], true));
}

/// The published noise may cost anything: a caller who releases it must say that this is known.
#[test]
fn published_noise_has_a_price_of_its_own() {
    let (target, data) = (Loss::new(4.0, 1e-4).unwrap(), people());
    let asked = |mode, relation| {
        let system = Dpar::new(Method::Em0, mode, target, DparSettings::of(mode)).unwrap();
        DparRelease { system, relation }.asks(&data).unwrap()
    };
    let rigorous = asked(Mode::Rigorous, Relation::NodeAbsent);
    assert!(rigorous.prices[0].doubts().is_empty());
    assert_eq!(rigorous.shown, [Fact::Ids, Fact::Columns, Fact::Classes]);
    let paper = asked(Mode::Paper, Relation::EdgeDp);
    assert_eq!(paper.prices[0].doubts()[0].0, Doubt::LooseLimit);
    assert_eq!(paper.shown, [Fact::Ids], "features and classes are open");
}

/// Twenty threads, half of them stars.
fn threads() -> GraphSet {
    let thread = |at: u32| {
        let edges = (1..10).map(|user| (user, if at.is_multiple_of(2) { 0 } else { user - 1 }));
        GraphBuilder::new(10, Direction::Undirected).edges(edges).build().unwrap().0
    };
    let set = GraphSet::new("threads", (0..20).map(thread).collect());
    let classes: Vec<&str> = (0..20).map(|at| ["news, old", "news, new"][at % 2]).collect();
    set.with_labels(Labels::from_names(&classes).unwrap()).unwrap()
}

fn lists(method: DprrMethod, setting: Setting) -> Dprr {
    let learner = GraphLearner { epochs: 2, hidden: 4, ..GraphLearner::default() };
    let reading = Reading::default();
    Dprr { protection: Reporting { method, setting, split: reading.split() }, reading, learner }
}

#[test]
fn dprr_asks_for_the_dearest_list() {
    let set = threads();
    let asks =
        |method, setting| lists(method, setting).asks(&set).unwrap().prices[0].asked.epsilon.get();
    assert_eq!(asks(DprrMethod::Dprr, Setting::Common { epsilon: 1.5 }), 1.5);
    assert_eq!(asks(DprrMethod::Dprr, Setting::PerUser(vec![1.0, 3.0, f64::INFINITY])), 3.0);
    assert!(asks(DprrMethod::NonPrivFull, Setting::Common { epsilon: 1.5 }).is_infinite());
}

#[test]
fn every_graph_gets_a_line_by_the_name_of_its_class() {
    let folder = tempfile::tempdir().unwrap();
    let ids: Vec<String> = (0..20).map(|at| format!("thread \"{}\"", 40 - at)).collect();
    let set = threads().with_ids(NodeIds::texts(&ids).unwrap()).unwrap();
    let system = lists(DprrMethod::Dprr, Setting::Common { epsilon: 1.0 });
    let card = system.write((&set).into(), &Run::simulation(1), folder.path()).unwrap();
    assert!(card.subject.starts_with("a classifier and predictions made from: "));
    assert_eq!(names(folder.path()), ["model.safetensors", "predicted.csv"]);
    let text = std::fs::read_to_string(folder.path().join("predicted.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("graph,predicted"));
    let lines: Vec<&str> = lines.collect();
    assert_eq!(lines.len(), 20);
    for (line, at) in lines.iter().zip(0..) {
        let class = line.strip_prefix(&format!("\"thread \"\"{}\"\"\",", 40 - at));
        let class = class.unwrap_or_else(|| panic!("{line}"));
        assert!(["\"news, old\"", "\"news, new\""].contains(&class), "{line}");
    }
    assert!(card.explain().contains("the ids of all graphs"));
}

/// Edges and features are two accounts; what is published is a graph or votes, by what edges are used for.
#[test]
fn hetero_rr_shares_what_its_edges_became() {
    let dataset = people();
    let tree = TreePlan { steps_per_node: 5, ..TreePlan::default() };
    let mut release = HeteroRrRelease {
        private: PrivateChoice::Share(1.0),
        edges_as: EdgeUse::Graph,
        edges: EdgeProtection { tree, ..EdgeProtection::new(2.0) },
        features: None,
        learner: GcnLearner { epochs: 2, ..GcnLearner::default() },
    };
    let made = |release: &HeteroRrRelease| {
        let folder = tempfile::tempdir().unwrap();
        let ledgers = LedgerStore::Folder(folder.path().into());
        let run = Run { ledgers, ..Run::simulation(1) };
        release.write((&dataset).into(), &run, folder.path()).unwrap();
        names(folder.path())
    };
    let graph = made(&release);
    assert!(graph.contains(&"published.npz".into()) && graph.contains(&MODEL.into()), "{graph:?}");
    release.edges_as = EdgeUse::Votes;
    let votes = made(&release);
    assert!(!votes.contains(&"published.npz".into()) && votes.len() > 2, "{votes:?}");
    assert_eq!(release.asks(&dataset).unwrap().shown, [Fact::Ids]);
    release.features = Some(FeatureProtection::new(3.0));
    let asked = release.asks(&dataset).unwrap();
    assert_eq!(asked.prices.len(), 2);
    assert_eq!(asked.shown, [Fact::Ids, Fact::Columns]);
}

/// A model of two parts is two files, and a card says what the promise said.
#[test]
fn a_model_of_people_is_shared_alone() {
    let dataset = people();
    let mut settings = DparSettings::rigorous();
    settings.model.steps = 2;
    let target = Loss::new(4.0, 1e-3).unwrap();
    let made = |method, relation| {
        let folder = tempfile::tempdir().unwrap();
        let system = Dpar::new(method, Mode::Rigorous, target, settings.clone()).unwrap();
        let release = DparRelease { system, relation };
        assert!(release.settle(&dataset, &[]).unwrap().is_empty());
        let card = release.write((&dataset).into(), &Run::simulation(1), folder.path()).unwrap();
        assert!(card.is_simulation());
        let facts = crate::Facts::of(&dataset).with_learners(64);
        let promise = release.promise(&facts).unwrap();
        let loss = |card: &Card| card.guarantees[0].loss;
        assert_eq!(
            (loss(&promise), &promise.guarantees[0].relation),
            (loss(&card), &card.guarantees[0].relation)
        );
        names(folder.path())
    };
    assert_eq!(made(Method::Features, Relation::NodeAbsent), [MODEL]);
    assert_eq!(made(Method::Features, Relation::NodeReplace), [MODEL]);
    let two = made(Method::Gap, Relation::EdgeDp);
    assert_eq!(two, ["encoder.safetensors", MODEL]);
}
