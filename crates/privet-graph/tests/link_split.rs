//! Splits of links on graphs made up by `privet-data`, which a unit test of this crate could not use.

use privet_data::synthetic::{BarabasiAlbert, karate_club};
use privet_graph::{Direction, GraphBuilder, LinkSplit};

#[test]
fn nothing_held_out_can_be_seen() {
    let dataset = BarabasiAlbert { nodes: 300, edges_per_node: 4 }.generate(5).unwrap();
    let whole = dataset.graph();
    let split = LinkSplit::random(whole, 0.05, 0.10, 3).unwrap();
    let groups = [&split.train, &split.validation, &split.test];
    let mut edges: Vec<_> = groups.iter().flat_map(|g| g.edges.clone()).collect();
    let mut non_edges: Vec<_> = groups.iter().flat_map(|g| g.non_edges.clone()).collect();
    assert_eq!(edges.len(), whole.edge_count());
    assert_eq!(edges.len(), non_edges.len());
    edges.sort_unstable();
    non_edges.sort_unstable();
    assert!(edges.windows(2).all(|w| w[0] != w[1]));
    assert!(non_edges.windows(2).all(|w| w[0] != w[1]));
    assert!(edges.iter().all(|&(u, v)| whole.has_edge(u, v)));
    assert!(non_edges.iter().all(|&(u, v)| u < v && !whole.has_edge(u, v)));
    assert_eq!(split.graph.edge_count(), split.train.edges.len());
    assert!(split.train.edges.iter().all(|&(u, v)| split.graph.has_edge(u, v)));
    assert!(split.test.edges.iter().all(|&(u, v)| !split.graph.has_edge(u, v)));
    assert_eq!(split, LinkSplit::random(whole, 0.05, 0.10, 3).unwrap());
    assert_ne!(split, LinkSplit::random(whole, 0.05, 0.10, 4).unwrap());
}

#[test]
fn impossible_requests_are_refused() {
    let club = karate_club().unwrap();
    assert!(LinkSplit::random(club.graph(), 0.5, 0.5, 1).is_err());
    assert!(LinkSplit::random(&club.graph().clone().to_directed(), 0.1, 0.1, 1).is_err());
    let clique = (0..5).flat_map(|u| (0..u).map(move |v| (u, v)));
    let (clique, _) = GraphBuilder::new(5, Direction::Undirected).edges(clique).build().unwrap();
    let error = LinkSplit::random(&clique, 0.1, 0.1, 1).unwrap_err().with_values();
    assert!(error.contains("non-edges"), "{error}");
}
