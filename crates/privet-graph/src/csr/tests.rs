use super::*;
use proptest::prelude::*;

#[test]
fn rejects_a_node_out_of_range() {
    let error = GraphBuilder::new(3, Direction::Directed).edges([(0, 3)]).build().unwrap_err();
    assert_eq!(error.with_values(), "edge is 0 - 3; expected nodes below 3");
}

#[test]
fn no_nodes_no_edges() {
    let graph = Graph::empty(0, Direction::Undirected).unwrap();
    assert_eq!((graph.node_count(), graph.edge_count()), (0, 0));
}

#[test]
fn rows_are_checked() {
    for (rows, message) in [
        (vec![vec![1, 1], vec![]], "row is 1 before 1; expected row 0 ascending"),
        (vec![vec![], vec![1, 0]], "row is 1 before 0; expected row 1 ascending"),
        (vec![vec![0, 2], vec![]], "row is 2; expected in row 0, nodes below 2"),
    ] {
        assert_eq!(Graph::from_rows(rows).unwrap_err().with_values(), message);
    }
    assert_eq!(Graph::from_rows(Vec::new()).unwrap().node_count(), 0);
    assert_eq!(Graph::from_rows(vec![vec![0]]).unwrap().self_loop_count(), 1);
}

#[test]
fn kept_self_loops_count_once() {
    let (graph, report) = GraphBuilder::new(2, Direction::Undirected)
        .self_loops(SelfLoops::Keep)
        .edges([(0, 0), (0, 0), (0, 1)])
        .build()
        .unwrap();
    assert_eq!((graph.edge_count(), graph.arc_count(), graph.self_loop_count()), (2, 3, 1));
    assert_eq!(report, BuildReport { duplicates: 1, self_loops: 0 });
}

proptest! {
    /// The builder agrees with a set of pairs, and its rows keep every invariant.
    #[test]
    fn agrees_with_a_set_of_pairs(
        n in 1u32..40,
        raw in proptest::collection::vec((0u32..40, 0u32..40), 0..200),
        directed: bool,
        keep: bool,
    ) {
        let direction = if directed { Direction::Directed } else { Direction::Undirected };
        let pairs: Vec<_> = raw.iter().map(|&(u, v)| (u % n, v % n)).collect();
        let expected: std::collections::BTreeSet<_> = pairs
            .iter()
            .filter(|(u, v)| keep || u != v)
            .map(|&(u, v)| if directed || u <= v { (u, v) } else { (v, u) })
            .collect();
        let policy = if keep { SelfLoops::Keep } else { SelfLoops::Drop };
        let (graph, report) = GraphBuilder::new(n as usize, direction)
            .self_loops(policy)
            .edges(pairs.iter().copied())
            .build()
            .unwrap();
        prop_assert_eq!(graph.edges().collect::<Vec<_>>(), expected.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!(graph.edge_count() + report.duplicates + report.self_loops, pairs.len());
        for u in graph.nodes() {
            prop_assert!(graph.neighbors(u).windows(2).all(|w| w[0] < w[1]));
            for &v in graph.neighbors(u) {
                prop_assert!(directed || graph.has_edge(v, u));
            }
        }
        let rows = graph.nodes().map(|u| graph.neighbors(u).to_vec()).collect();
        prop_assert_eq!(Graph::from_rows(rows).unwrap(), graph.clone().to_directed());
        prop_assert_eq!(graph.transposed().transposed(), graph);
    }
}
