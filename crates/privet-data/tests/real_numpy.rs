//! The published Planetoid, LINQS and npz files, down to the last count.

#![expect(clippy::unwrap_used, reason = "clippy knows no test outside a function marked #[test]")]

use std::io::Cursor;
use std::path::PathBuf;

use privet_data::formats::{Bundle, Limits, ReadOptions, attach, npz, read};
use privet_graph::{Dataset, Direction, Graph, GraphBuilder, Id, NodeId, NodeIds, SelfLoops};

/// The folder of real data, or `None` (and a word why) where there is none.
fn data_dir() -> Option<PathBuf> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("PRIVET_DATA_DIR").map_or(PathBuf::from(default), PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: no real data at {} (set PRIVET_DATA_DIR)", folder.display());
        return None;
    }
    Some(folder)
}

fn load_with(path: &str, options: &ReadOptions) -> Option<Dataset> {
    let folder = data_dir()?;
    Some(read(folder.join(path), options).unwrap().into_nodes().unwrap())
}

fn load(path: &str) -> Option<Dataset> {
    load_with(path, &ReadOptions::default())
}

/// Nodes, edges, feature columns, feature values other than zero.
fn counts(data: &Dataset) -> (usize, usize, usize, usize) {
    let (graph, features) = (data.graph(), data.features().unwrap());
    (graph.node_count(), graph.edge_count(), features.columns(), features.nonzeros())
}

fn class_sizes(data: &Dataset) -> Vec<usize> {
    data.labels().unwrap().class_sizes()
}

fn all_ones(data: &Dataset) -> bool {
    let features = data.features().unwrap();
    (0..features.rows()).all(|row| features.nonzero_entries(row).all(|(_, value)| value == 1.0))
}

fn split_sizes(data: &Dataset) -> (usize, usize, usize) {
    let split = data.split().unwrap();
    (split.train.len(), split.validation.len(), split.test.len())
}

#[test]
fn cora_planetoid() {
    let Some(cora) = load("cora/planetoid") else { return };
    assert_eq!(cora.name(), "cora");
    assert_eq!(counts(&cora), (2708, 5278, 1433, 49_216));
    assert_eq!(class_sizes(&cora), [351, 217, 418, 818, 426, 298, 180]);
    assert_eq!(cora.labels().unwrap().class_names(), ["0", "1", "2", "3", "4", "5", "6"]);
    assert!(all_ones(&cora) && cora.features().unwrap().bounds().is_none());
    assert_eq!(split_sizes(&cora), (140, 500, 1000));
    assert_eq!(cora.split().unwrap().test, (1708..2708).collect::<Vec<_>>());
    let notices: Vec<_> = cora.notices().iter().map(|notice| notice.text.as_str()).collect();
    assert_eq!(notices, ["10858 listed arcs are 5278 undirected edges"]);
    // Any of the files stands for all of them.
    assert!(load("cora/planetoid/ind.cora.graph").unwrap() == cora);
}

#[test]
fn citeseer_planetoid() {
    let Some(citeseer) = load("citeseer/planetoid") else { return };
    assert_eq!(counts(&citeseer), (3327, 4552, 3703, 105_165));
    assert_eq!(class_sizes(&citeseer), [249, 590, 668, 701, 596, 508]);
    assert_eq!(split_sizes(&citeseer), (120, 500, 1000));
    let (graph, labels) = (citeseer.graph(), citeseer.labels().unwrap());
    let unlabelled: Vec<NodeId> = graph.nodes().filter(|&v| labels.class(v).is_none()).collect();
    let absent =
        [2407, 2489, 2553, 2682, 2781, 2953, 3042, 3063, 3212, 3214, 3250, 3292, 3305, 3306, 3309];
    assert_eq!(unlabelled, absent);
    let features = citeseer.features().unwrap();
    for &node in &absent {
        assert_eq!(features.nonzero_entries(node as usize).count(), 0);
        assert!(graph.degree(node) > 0);
        assert!(citeseer.split().unwrap().test.binary_search(&node).is_err());
    }
    assert_eq!(graph.nodes().filter(|&v| graph.degree(v) == 0).count(), 48);
    let keep = ReadOptions { self_loops: SelfLoops::Keep, ..Default::default() };
    let looped = load_with("citeseer/planetoid", &keep).unwrap();
    assert_eq!(looped.graph().self_loop_count(), 124);
}

#[test]
fn pubmed_planetoid() {
    let Some(pubmed) = load("pubmed/planetoid") else { return };
    assert_eq!(counts(&pubmed), (19_717, 44_324, 500, 988_031));
    assert_eq!(class_sizes(&pubmed), [4103, 7739, 7875]);
    assert_eq!(split_sizes(&pubmed), (60, 500, 1000));
    let features = pubmed.features().unwrap();
    let (low, high) = features.measured_range().unwrap();
    assert!(low == 0.0 && (high - 1.2633).abs() < 1e-4, "{high}");
}

#[test]
fn cora_linqs_is_cora_npz() {
    let Some(linqs) = load("cora/linqs") else { return };
    assert_eq!(linqs.name(), "cora");
    assert_eq!(counts(&linqs), (2708, 5278, 1433, 49_216));
    let labels = linqs.labels().unwrap();
    let sizes: Vec<_> =
        labels.class_names().iter().map(String::as_str).zip(labels.class_sizes()).collect();
    let expected = [
        ("Case_Based", 298),
        ("Genetic_Algorithms", 418),
        ("Neural_Networks", 818),
        ("Probabilistic_Methods", 426),
        ("Reinforcement_Learning", 217),
        ("Rule_Learning", 180),
        ("Theory", 351),
    ];
    assert_eq!(sizes, expected);
    assert!(load("cora/linqs/cora.content.gz").unwrap() == linqs);
    assert!(load("cora/linqs/cora.cites").unwrap() == linqs);

    let npz = load("cora/npz/cora.npz").unwrap();
    assert_eq!(counts(&npz), (2708, 5278, 1433, 49_216));
    assert_eq!(class_sizes(&npz), [298, 418, 818, 426, 217, 180, 351]);
    let npz = npz.ordered_like(linqs.ids()).unwrap();
    assert!(npz.graph() == linqs.graph());
    assert!(npz.features().unwrap().same_values(linqs.features().unwrap()));
    assert_eq!(npz.labels(), linqs.clone().all_stated().labels(), "the npz states its classes");

    let directed = ReadOptions { direction: Some(Direction::Directed), ..Default::default() };
    let linqs = load_with("cora/linqs", &directed).unwrap();
    let npz = load_with("cora/npz/cora.npz", &directed).unwrap();
    assert_eq!((linqs.graph().edge_count(), npz.graph().edge_count()), (5429, 5429));
    let npz = npz.ordered_like(linqs.ids()).unwrap();
    // The npz keeps the order of the columns of `cora.cites`: its arcs lead from cited to citing.
    assert!(npz.graph() == &linqs.graph().transposed());
}

#[test]
fn citeseer_npz() {
    let Some(citeseer) = load("citeseer/npz/citeseer.npz") else { return };
    assert_eq!(counts(&citeseer), (3312, 4536, 3703, 105_165));
    assert_eq!(class_sizes(&citeseer), [249, 596, 701, 508, 668, 590]);
    assert_eq!(citeseer.labels().unwrap().class_names().len(), 6);
    assert!(!citeseer.ids().are_integers());
    assert!(citeseer.notices().iter().any(|n| n.text == "124 self-loops dropped"));
}

#[test]
fn cora_ml_npz() {
    let Some(cora_ml) = load("cora_ml/cora_ml.npz") else { return };
    assert_eq!(counts(&cora_ml), (2995, 8158, 2879, 151_171));
    assert_eq!(class_sizes(&cora_ml), [354, 402, 452, 442, 857, 193, 295]);
    assert_eq!(cora_ml.features().unwrap().names().unwrap().len(), 2879);
    let unused = "members not used: edge_attr_matrix, edge_attr_names, metadata";
    assert!(cora_ml.notices().iter().any(|n| n.text == unused), "{:?}", cora_ml.notices());
    let directed = ReadOptions { direction: Some(Direction::Directed), ..Default::default() };
    assert_eq!(load_with("cora_ml/cora_ml.npz", &directed).unwrap().graph().edge_count(), 8416);
}

#[test]
fn coauthor_cs_npz_stored_and_deflated() {
    let Some(stored) = load("ms_academic_cs/ms_academic_cs.npz") else { return };
    assert_eq!(counts(&stored), (18_333, 81_894, 6805, 1_092_079));
    let sizes = [708, 462, 2050, 429, 1394, 2193, 371, 924, 775, 118, 1444, 2033, 420, 4136, 876];
    assert_eq!(class_sizes(&stored), sizes);
    assert_eq!(stored.features().unwrap().measured_range(), Some((0.0, 105.0)));
    let deflated = load("ms_academic_cs/coauthor_cs.npz").unwrap();
    assert!(deflated.graph() == stored.graph());
    assert!(deflated.ids() == stored.ids());
    assert!(deflated.features() == stored.features());
    assert!(deflated.labels() == stored.labels());
    let objects = "class_names is an object array (a pickle) and was not read";
    assert_eq!(deflated.notices().len(), 1);
    assert_eq!(deflated.notices()[0].text, objects);
}

#[test]
fn coauthor_physics_npz() {
    let Some(physics) = load("ms_academic_phy/coauthor_phy.npz") else { return };
    assert_eq!(counts(&physics), (34_493, 247_962, 8415, 1_137_311));
    assert_eq!(class_sizes(&physics), [5750, 5045, 17_426, 2753, 3519]);
}

#[test]
fn a_real_dataset_survives_writing() {
    let Some(cora) = load("cora/planetoid") else { return };
    let mut file = Cursor::new(Vec::new());
    npz::write(&cora, &mut file).unwrap();
    let bundle = Bundle::from_memory("", [("a.npz", file.into_inner())], Limits::default());
    let back = npz::read(&bundle, &ReadOptions::default()).unwrap().into_nodes().unwrap();
    assert!(back.notices().is_empty());
    assert!(back.with_notices(cora.notices().to_vec()) == cora);
}

#[test]
fn labels_attach_to_published_edges() {
    let Some(folder) = data_dir() else { return };
    let text = std::fs::read_to_string(folder.join("lastfm_asia/lastfm_asia_edges.csv")).unwrap();
    let pairs = text.lines().skip(1).map(|line| {
        let (u, v) = line.split_once(',').unwrap();
        (u.parse().unwrap(), v.trim().parse().unwrap())
    });
    let builder = GraphBuilder::new(7624, Direction::Undirected).edges(pairs);
    let (graph, _) = builder.build().unwrap();
    let ids = NodeIds::sequential(7624);
    let data = Dataset::new("lastfm", graph, ids).unwrap();
    let target = folder.join("lastfm_asia/lastfm_asia_target.csv");
    let data = attach::labels(data, &target, &ReadOptions::default()).unwrap();
    let sizes =
        [1098, 54, 73, 515, 16, 391, 655, 82, 468, 58, 1303, 138, 57, 63, 570, 257, 254, 1572];
    assert_eq!(class_sizes(&data), sizes);
    assert_eq!(data.ids().get(7), Id::Integer(7));

    let facebook = Graph::empty(22_470, Direction::Undirected).unwrap();
    let ids = NodeIds::sequential(22_470);
    let data = Dataset::new("facebook", facebook, ids).unwrap();
    let target = folder.join("facebook_page_page/facebook_target.csv");
    let data = attach::labels(data, &target, &ReadOptions::default()).unwrap();
    assert_eq!(
        data.labels().unwrap().class_names(),
        ["company", "government", "politician", "tvshow"]
    );
    assert_eq!(class_sizes(&data), [6495, 6880, 5768, 3327]);
}
