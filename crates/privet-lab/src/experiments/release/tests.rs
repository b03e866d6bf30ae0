use std::path::Path;

use privet::LedgerStore;
use privet::Method;
use privet::dpar::{Held, Settings as DparSettings};
use privet::dprr::{GraphLearner, Setting};
use privet::graph::{Dataset, GraphSet, Labels, NodeIds};
use privet::hetero_rr::{EdgeProtection, FeatureProtection as RowProtection, TreePlan};
use privet::ldp_ge::{Learner, Preset};

use super::*;
use crate::experiments::dprr::made_up::threads;
use crate::experiments::ldp_ge::reports::tests::{fast, people, reports};
use crate::experiments::trial::NamedData;
use crate::report::Report;

fn ldp_ge(dataset: &Dataset, learner: Learner, epsilon: f64) -> LdpGeTrial<'_> {
    let settings = Preset { learner, ..fast() };
    let mut trial = reports().trial(NamedData::new("people", dataset), Task::Nodes, &settings);
    trial.system.protection.features.epsilon = epsilon;
    trial
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn fill(trial: &impl Releases, folder: &ReleaseFolder) -> Result<Shared, crate::Error> {
    let words = ["a word".to_owned()];
    folder.fill(trial, &Run::simulation(1), &words, None, |_| Report::new("", ""))
}

/// What fails before the charge costs nothing, what fails after it stays spent, and the message says so.
#[test]
fn a_charge_outlives_the_failure() {
    let (place, dataset) = (tempfile::tempdir().unwrap(), people());
    let path = place.path().join("out");
    let folder = ReleaseFolder::new(&path).unwrap();
    let learner = fast().learner;
    assert!(fill(&ldp_ge(&dataset, learner.clone(), -1.0), &folder).is_err());
    assert!(names(place.path()).is_empty(), "nothing was charged, nothing stays");
    let diverges = Learner { learning_rate: -1.0, ..learner.clone() };
    let told = fill(&ldp_ge(&dataset, diverges, 1.0), &folder).unwrap_err().to_string();
    assert!(told.contains("features.ledger stays"), "{told}");
    assert_eq!(names(place.path()), ["out"]);
    assert_eq!(names(&path), ["share"]);
    assert_eq!(names(&path.join("share")), ["features.ledger", "features.ledger.count"]);
    assert!(ReleaseFolder::new(&path).is_err(), "a second try must not hide the first");
    let other = ReleaseFolder::new(&place.path().join("other")).unwrap();
    let made = fill(&ldp_ge(&dataset, learner, 1.0), &other).unwrap();
    assert!(names(&made.folder).contains(&"card.json".into()));
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
    let dataset = people();
    let mut trial = ldp_ge(&dataset, fast().learner, 2.0);
    trial.system.protection.label_epsilon = 3.0;
    trial.system.protection.edges.epsilon = 4.0;
    let asks = |trial: &LdpGeTrial<'_>| {
        let asked = trial.asks().unwrap();
        assert!(asked.prices.iter().all(|price| price.people == 80 && price.limit == price.asked));
        let epsilons = asked.prices.iter().map(|price| price.asked.epsilon.get());
        (epsilons.collect::<Vec<f64>>(), asked.shown.contains(&Fact::Classes))
    };
    assert_eq!(asks(&trial), (vec![2.0], false));
    (trial.private.labels, trial.private.edges) = (true, true);
    assert_eq!(asks(&trial), (vec![2.0, 3.0, 4.0], true));
    trial.private.features = false;
    assert_eq!(asks(&trial), (vec![3.0, 4.0], true));
}

/// The published noise may cost anything: the releaser must confirm that they know.
#[test]
fn published_noise_has_a_price_of_its_own() {
    let target = Loss::new(4.0, 1e-4).unwrap();
    let asked = |mode, hidden| {
        let system = Dpar::new(Method::Em0, mode, target, DparSettings::of(mode)).unwrap();
        asked_of_dpar(&system, hidden, 100).unwrap()
    };
    let rigorous = asked(Mode::Rigorous, Hidden::NodeAbsent);
    assert!(rigorous.prices[0].doubts().is_empty());
    assert_eq!(rigorous.shown, [Fact::Ids, Fact::Columns, Fact::Classes]);
    let paper = asked(Mode::Paper, Hidden::EdgeDp);
    assert_eq!(paper.prices[0].doubts()[0].0, Doubt::LooseLimit);
    assert_eq!(paper.shown, [Fact::Ids], "features and classes are open");
}

fn lists(set: &GraphSet, method: DprrMethod, setting: Setting) -> DprrTrial<'_> {
    let learner = GraphLearner { epochs: 2, hidden: 4, ..GraphLearner::default() };
    DprrTrial { learner, ..DprrTrial::new(NamedData::new("threads", set), method, setting) }
}

#[test]
fn dprr_asks_for_the_dearest_list() {
    let set = threads(20, 8..12, 1).unwrap();
    let asks = |method, setting| {
        lists(&set, method, setting).asks().unwrap().prices[0].asked.epsilon.get()
    };
    assert_eq!(asks(DprrMethod::Dprr, Setting::Common { epsilon: 1.5 }), 1.5);
    assert_eq!(asks(DprrMethod::Dprr, Setting::PerUser(vec![1.0, 3.0, f64::INFINITY])), 3.0);
    assert!(asks(DprrMethod::NonPrivFull, Setting::Common { epsilon: 1.5 }).is_infinite());
}

#[test]
fn every_graph_gets_a_line_by_the_name_of_its_class() {
    let (set, folder) = (threads(20, 8..12, 1).unwrap(), tempfile::tempdir().unwrap());
    let ids: Vec<String> = (0..20).map(|at| format!("thread \"{}\"", 40 - at)).collect();
    let class = |at| set.labels().unwrap().class(at).unwrap() as usize;
    let classes: Vec<&str> = (0..20).map(|at| ["news, old", "news, new"][class(at)]).collect();
    let set = set.with_ids(NodeIds::texts(&ids).unwrap()).unwrap();
    let set = set.with_labels(Labels::from_names(&classes).unwrap()).unwrap();
    let trial = lists(&set, DprrMethod::Dprr, Setting::Common { epsilon: 1.0 });
    let card = trial.make(&Run::simulation(1), folder.path()).unwrap();
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
    let edges = EdgeProtection { tree, ..EdgeProtection::new(2.0) };
    let mut trial =
        HeteroRrTrial { edges, ..HeteroRrTrial::new(NamedData::new("people", &dataset), 1.0) };
    trial.learner.epochs = 2;
    let made = |trial: &HeteroRrTrial<'_>| {
        let folder = tempfile::tempdir().unwrap();
        let ledgers = LedgerStore::Folder(folder.path().into());
        trial.make(&Run { ledgers, ..Run::simulation(1) }, folder.path()).unwrap();
        names(folder.path())
    };
    let graph = made(&trial);
    assert!(graph.contains(&"published.npz".into()) && graph.contains(&MODEL.into()), "{graph:?}");
    trial.edges_as = EdgeUse::Votes;
    let votes = made(&trial);
    assert!(!votes.contains(&"published.npz".into()) && votes.len() > 2, "{votes:?}");
    assert_eq!(trial.asks().unwrap().shown, [Fact::Ids]);
    trial.features = Some(RowProtection::new(3.0));
    let asked = trial.asks().unwrap();
    assert_eq!(asked.prices.len(), 2);
    assert_eq!(asked.shown, [Fact::Ids, Fact::Columns]);
}

/// A model of two parts is two files.
#[test]
fn a_model_of_people_is_shared_alone() {
    let dataset = people();
    let mut settings = DparSettings::rigorous();
    settings.model.steps = 2;
    let target = Loss::new(4.0, 1e-3).unwrap();
    let made = |method, hidden| {
        let folder = tempfile::tempdir().unwrap();
        let system = Dpar::new(method, Mode::Rigorous, target, settings.clone()).unwrap();
        let data = NamedData::new("people", &dataset);
        let trial = DparTrial::new(data, system, hidden, Held::Test).unwrap();
        assert!(trial.settle(&[]).unwrap().is_empty());
        assert!(trial.make(&Run::simulation(1), folder.path()).unwrap().is_simulation());
        names(folder.path())
    };
    assert_eq!(made(Method::Features, Hidden::NodeAbsent), [MODEL]);
    let two = made(Method::Gap, Hidden::EdgeDp);
    assert_eq!(two, ["encoder.safetensors", MODEL]);
}
