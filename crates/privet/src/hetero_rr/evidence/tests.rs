use super::*;
use crate::data::synthetic::StochasticBlocks;
use crate::graph::{Direction, Graph, GraphBuilder, SplitShares};
use crate::hetero_rr::votes::panel;
use crate::privacy::edges::central::EdgeVotes;
use crate::privacy::noise::NoiseRng;
use crate::privacy::public::Public;
use crate::privacy::{Ledger, Loss, Secret};

/// What votes of this graph make of a prior.
fn voted(
    graph: &Graph,
    prior: &DenseMatrix,
    labels: &Labels,
    split: &Split,
    epsilon: f64,
) -> (DenseMatrix, Option<VoteWeights>) {
    let mechanism = EdgeVotes::new(epsilon, Public::declared(panel(prior, labels, split))).unwrap();
    let limit = Loss::new(epsilon, 0.0).unwrap();
    let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(5)).unwrap();
    let counts = ledger.release(&Secret::new(graph.clone()), &mechanism).unwrap();
    let (rules, noise) = (mechanism.rules(), mechanism.noise());
    VoteEvidence { counts: counts.get(), rules, noise }.applied(prior, labels, split)
}

fn right(says: &DenseMatrix, labels: &Labels, nodes: &[u32]) -> f64 {
    let classes = likeliest(says);
    let right = nodes.iter().filter(|&&node| labels.class(node) == Some(classes[node as usize]));
    right.count() as f64 / nodes.len() as f64
}

fn even(nodes: usize, classes: usize) -> DenseMatrix {
    DenseMatrix::new(nodes, classes, vec![1.0 / classes as f32; nodes * classes]).unwrap()
}

fn half(graph: &Graph) -> Split {
    Split::random(graph.nodes(), SplitShares::HALF_QUARTER_QUARTER, 1).unwrap()
}

/// A prior that knows nothing, and edges that know much: in proportion to how loud the noise is.
#[test]
fn votes_decide_where_nothing_else_is_known() {
    let blocks = StochasticBlocks {
        nodes: 900,
        classes: 3,
        features: 0,
        mean_degree: 30.0,
        ..StochasticBlocks::default()
    };
    let people = blocks.generate(1).unwrap();
    let (graph, labels) = (people.graph(), people.labels().unwrap());
    let split = half(graph);
    let reached = [0.1, 0.5, 4.0].map(|epsilon| {
        let (after, _) = voted(graph, &even(900, 3), labels, &split, epsilon);
        right(&after, labels, &split.test)
    });
    assert!(reached[2] > 0.9 && reached[1] > 0.7, "{reached:?}");
    assert!(reached[0] < reached[1] && reached[1] < reached[2], "{reached:?}");
}

/// Neighbours of the other class say as much as neighbours of one's own.
#[test]
fn votes_decide_where_neighbours_differ() {
    const NODES: u32 = 600;
    // Two sides, and edges only from one to the other.
    let edges = (0..NODES).flat_map(|node| {
        (1..=9u32).map(move |step| (node, (node + 2 * step * (node % 7 + 3) + 1) % NODES))
    });
    let graph = GraphBuilder::new(NODES as usize, Direction::Undirected).edges(edges);
    let graph = graph.build().unwrap().0;
    let classes: Vec<Option<i64>> = (0..NODES).map(|node| Some(i64::from(node % 2))).collect();
    let labels = Labels::from_integers(&classes).unwrap();
    let split = half(&graph);
    let (after, weights) = voted(&graph, &even(NODES as usize, 2), &labels, &split, 1.0);
    assert!(weights.is_some());
    assert!(right(&after, &labels, &split.test) > 0.9);
}

/// Where there is no edge, counts are noise and public data have the last word.
#[test]
fn votes_of_no_edge_are_left_out() {
    let graph = Graph::empty(600, Direction::Undirected).unwrap();
    let classes: Vec<Option<i64>> = (0..600).map(|node| Some(node % 3)).collect();
    let labels = Labels::from_integers(&classes).unwrap();
    let split = half(&graph);
    let prior = even(600, 3);
    for epsilon in [0.25, 1.0, 8.0] {
        let (after, weights) = voted(&graph, &prior, &labels, &split, epsilon);
        assert_eq!((after, weights), (prior.clone(), None), "{epsilon}");
    }
}

/// A prior that is right about all people is not talked out of it.
#[test]
fn votes_never_cost_a_right_answer_on_validation_nodes() {
    let blocks = StochasticBlocks {
        nodes: 400,
        classes: 2,
        features: 0,
        mean_degree: 4.0,
        ..StochasticBlocks::default()
    };
    let people = blocks.generate(3).unwrap();
    let (graph, labels) = (people.graph(), people.labels().unwrap());
    let split = half(graph);
    // Right about each of them, and hardly sure of it.
    let sure = (0..400).flat_map(|node| match labels.class(node) {
        Some(0) => [0.52, 0.48],
        _ => [0.48, 0.52],
    });
    let prior = DenseMatrix::new(400, 2, sure.collect()).unwrap();
    let (after, _) = voted(graph, &prior, labels, &split, 1.0);
    assert_eq!(right(&after, labels, &split.validation), 1.0);
}
