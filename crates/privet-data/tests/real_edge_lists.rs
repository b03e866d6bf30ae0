//! Published edge lists, `.jlg` and `.pairs` files: the counts their publishers state, exactly.

use std::path::PathBuf;

use privet_data::formats::{Bundle, Format, ReadOptions, detect, read};
use privet_graph::{Dataset, Direction, Graph, Result, SelfLoops};

/// The published file, or `None` (and a word about it) where the data folder is not at hand.
fn published(name: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("PRIVET_DATA_DIR").unwrap_or(beside.into());
    let path = PathBuf::from(folder).join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: {name} is not in the data folder (set PRIVET_DATA_DIR)");
    None
}

fn nodes(path: &PathBuf, options: &ReadOptions) -> Result<Dataset> {
    read(path, options)?.into_nodes()
}

fn counts(graph: &Graph) -> (usize, usize) {
    (graph.node_count(), graph.edge_count())
}

fn largest_degree(graph: &Graph) -> usize {
    graph.nodes().map(|node| graph.degree(node)).max().unwrap_or(0)
}

fn as_edge_list() -> ReadOptions {
    ReadOptions { format: Some(Format::EdgeList), ..ReadOptions::default() }
}

fn every_arc() -> ReadOptions {
    ReadOptions {
        direction: Some(Direction::Directed),
        self_loops: SelfLoops::Keep,
        ..ReadOptions::default()
    }
}

#[test]
fn cnr_2000() {
    let Some(path) = published("large/cnr-2000.arcs.tsv.gz") else { return };
    let data = nodes(&path, &ReadOptions::default()).unwrap();
    assert_eq!(data.name(), "cnr-2000.arcs");
    assert_eq!(counts(data.graph()), (325_557, 2_738_969));
    assert_eq!(largest_degree(data.graph()), 18_236);
    assert!(data.ids().is_sequential());
    let message: Vec<_> = data.notices().iter().map(|notice| notice.text.as_str()).collect();
    assert_eq!(message, ["389741 repeated edges folded", "87442 self-loops dropped"]);

    let data = nodes(&path, &every_arc()).unwrap();
    assert_eq!(counts(data.graph()), (325_557, 3_216_152));
    assert_eq!(data.graph().self_loop_count(), 87_442);
    assert!(data.notices().is_empty());
}

#[test]
fn epinions() {
    let Some(path) = published("large/soc-Epinions1.txt.gz") else { return };
    let data = nodes(&path, &ReadOptions::default()).unwrap();
    assert_eq!(counts(data.graph()), (75_879, 405_740));
    assert_eq!(largest_degree(data.graph()), 3_044);
    let last = data.ids().get(75_878).to_string();
    assert_eq!((data.ids().are_integers(), last.as_str()), (true, "75887"), "ids have gaps");
    let directed = ReadOptions { direction: Some(Direction::Directed), ..ReadOptions::default() };
    assert_eq!(counts(nodes(&path, &directed).unwrap().graph()), (75_879, 508_837));
}

#[test]
fn jlg_files() {
    for (name, expected, loops, largest) in [
        ("large/ego-twitter-undirected.jlg", (81_306, 1_342_296), 14, 3_383),
        ("large/soc-slashdot0902-undirected.jlg", (82_168, 504_230), 78_303, 2_552),
    ] {
        let Some(path) = published(name) else { return };
        let data = nodes(&path, &ReadOptions::default()).unwrap();
        assert_eq!(counts(data.graph()), expected, "{name}");
        assert_eq!(largest_degree(data.graph()), largest, "{name}");
        assert_eq!(data.ids().get(0).to_string(), "1");
        let message = format!("{loops} self-loops dropped");
        assert!(data.notices().iter().any(|notice| notice.text == message), "{name}");
        assert_eq!(data.graph().direction(), Direction::Undirected);
    }
}

#[test]
fn ppi_is_24_graphs_with_a_split() {
    let Some(path) = published("ppi/ppi_pairs.tar.gz") else { return };
    let set = read(&path, &ReadOptions::default()).unwrap().into_graphs().unwrap();
    assert_eq!((set.name(), set.len()), ("ppi_pairs", 24));
    assert_eq!((set.node_count(), set.edge_count()), (56_944, 793_632));
    let split = &set.splits()[0];
    let nodes_of = |graphs: &[u32]| -> usize {
        graphs.iter().map(|&at| set.graphs()[at as usize].node_count()).sum()
    };
    assert_eq!(nodes_of(&split.train), 44_906);
    assert_eq!(nodes_of(&split.validation), 6_514);
    assert_eq!(nodes_of(&split.test), 5_524);
    let ids: Vec<_> = set.ids().iter().map(|id| id.to_string()).collect();
    assert_eq!((&*ids[2], &*ids[19]), ("ppi_2", "ppi_19"));
    assert_eq!(ids[20..], ["ppi_0_val", "ppi_1_val", "ppi_0_test", "ppi_1_test"]);
    let message: Vec<_> = set.notices().iter().map(|notice| notice.text.as_str()).collect();
    assert_eq!(message, ["56944 self-loops dropped"]);
}

#[test]
fn csv_files_with_their_three_headers() {
    for (name, expected) in [
        ("facebook_page_page/facebook_edges.csv", (22_470, 170_823)),
        ("wikipedia_crocodile/musae_crocodile_edges.csv", (11_631, 170_773)),
        ("lastfm_asia/lastfm_asia_edges.csv", (7_624, 27_806)),
    ] {
        let Some(path) = published(name) else { return };
        let data = nodes(&path, &as_edge_list()).unwrap();
        assert_eq!(counts(data.graph()), expected, "{name}");
        assert!(data.ids().is_sequential());
    }
}

#[test]
fn a_citation_list_keeps_its_paper_ids() {
    let Some(path) = published("cora/linqs/cora.cites") else { return };
    let data = nodes(&path, &as_edge_list()).unwrap();
    assert_eq!(counts(data.graph()), (2_708, 5_278));
    assert_eq!(data.ids().get(0).to_string(), "35");
}

#[test]
fn formats_are_recognised() {
    for (name, expected) in [
        ("large/cnr-2000.arcs.tsv.gz", Format::EdgeList),
        ("large/soc-Epinions1.txt.gz", Format::EdgeList),
        ("large/ego-twitter-undirected.jlg", Format::Jlg),
        ("ppi/ppi_pairs.tar.gz", Format::Pairs),
    ] {
        let Some(path) = published(name) else { return };
        let bundle = Bundle::from_path(&path, Default::default()).unwrap();
        assert_eq!(detect(&bundle).unwrap(), expected, "{name}");
    }
}
