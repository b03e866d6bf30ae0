use privet_graph::{Direction, GraphBuilder};
use proptest::prelude::*;

use super::*;
use crate::loss::{Delta, Epsilon, Loss};
use crate::noise::NoiseRng;
use crate::{Ledger, Secret};

const SETTINGS: SumSettings =
    SumSettings { hops: 2, max_degree: 3, clip: 1.5, noise_multiplier: 1e-9 };

fn graph(nodes: usize, edges: &[(u32, u32)]) -> Graph {
    let builder = GraphBuilder::new(nodes, Direction::Undirected);
    builder.edges(edges.iter().copied()).build().unwrap().0
}

fn sums<U: SummedUnit>(graph: Graph, rows: Vec<f32>, settings: SumSettings) -> Vec<DenseMatrix> {
    let nodes = graph.node_count();
    let rows = DenseMatrix::new(nodes, 2, rows).unwrap();
    let limit = Loss { epsilon: Epsilon::INFINITE, delta: Delta::new(1e-5).unwrap() };
    let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
    let mechanism = NoisySums::<U>::new(settings, nodes).unwrap();
    ledger.release(&Secret::new(AttributedGraph { graph, rows }), &mechanism).unwrap().into_inner()
}

#[test]
fn sums_are_of_unit_rows_cut_to_the_ball() {
    let star = graph(4, &[(0, 1), (0, 2), (0, 3)]);
    let hops = sums::<Node>(star, vec![0.0, 9.0, 5.0, 0.0, 5.0, 0.0, 0.1, 0.0], SETTINGS);
    let near = |row: &[f32], expected: [f32; 2]| {
        assert!(row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4), "{row:?}");
    };
    near(hops[0].row(0), [1.5, 0.0]);
    near(hops[0].row(1), [0.0, 1.0]);
    near(hops[1].row(0), [0.0, 1.5]);
    near(hops[1].row(3), [1.0, 0.0]);
}

#[test]
fn every_hop_is_charged() {
    let mechanism = NoisySums::<Node>::new(SETTINGS, 4).unwrap();
    let one = Event::Gaussian { noise_multiplier: SETTINGS.noise_multiplier };
    assert_eq!(mechanism.event(), one.repeated(2));
}

#[test]
fn no_node_keeps_more_neighbours_than_declared() {
    let star = graph(9, &(1..9).map(|leaf| (0, leaf)).collect::<Vec<_>>());
    let settings = SumSettings { clip: 100.0, hops: 1, ..SETTINGS };
    let hops = sums::<Node>(star.clone(), vec![1.0; 18], settings);
    let reached = (1..9).filter(|&leaf| hops[0].row(leaf)[0] > 0.5).count();
    assert_eq!(reached, 3);
    // Edge privacy needs no such bound.
    let hops = sums::<Edge>(star, vec![1.0; 18], settings);
    assert!(hops[0].row(0)[0] > 5.0);
}

/// Why the number is conditional: one node less, and along a chain every node changes partners, so that sums move by
/// far more than the sensitivity that is charged.
#[test]
fn beyond_the_bound_there_is_no_number() {
    let settings = SumSettings { hops: 1, max_degree: 1, clip: 1.0, noise_multiplier: 1.0 };
    let chain = |first: u32| (first..40).map(|node| (node, node + 1));
    let sums = |first: u32| -> Vec<[f64; 2]> {
        // The two neighbours of a node hold different rows.
        let row = |&node: &u32| if node % 4 < 2 { [1.0, 0.0] } else { [0.0, 1.0] };
        let lists = bounded_lists(41, chain(first), settings.max_degree);
        lists.iter().map(|list| list.first().map_or([0.0; 2], row)).collect()
    };
    let (with, without) = (sums(0), sums(1));
    let square = |(a, b): (&[f64; 2], &[f64; 2])| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
    let moved = with.iter().zip(&without).map(square).sum::<f64>().sqrt();
    assert!(moved > 6.0 * Node::sensitivity(&settings), "{moved}");
    let mechanism = NoisySums::<Node>::new(settings, 41).unwrap();
    let Status::Conditional { on } = mechanism.status() else { panic!("no condition") };
    assert_eq!(on, "no person has more than 1 neighbours");
    let edges = NoisySums::<Edge>::new(settings, 41).unwrap();
    assert_eq!(edges.status(), Status::Holds);
}

proptest! {
    /// Among graphs of bounded degree, one node less moves all sums by at most the sensitivity.
    #[test]
    fn one_node_less_moves_sums_by_at_most_delta(
        pairs in prop::collection::vec((0u32..7, 0u32..7), 0..9),
        rows in prop::collection::vec(-3.0f32..3.0, 14), gone in 0u32..7
    ) {
        let all = graph(7, &pairs);
        prop_assume!((0..7).all(|node| all.degree(node) <= SETTINGS.max_degree));
        let left: Vec<_> = all.edges().filter(|&(u, v)| u != gone && v != gone).collect();
        let settings = SumSettings { hops: 1, ..SETTINGS };
        let mut without = rows.clone();
        without[2 * gone as usize..][..2].fill(0.0);
        let one = sums::<Node>(all, rows, settings);
        let other = sums::<Node>(graph(7, &left), without, settings);
        let pairs = one[0].values().iter().zip(other[0].values());
        let moved: f64 = pairs.map(|(a, b)| f64::from(a - b).powi(2)).sum();
        // What is released is rounded to `f32`.
        prop_assert!(moved.sqrt() <= Node::sensitivity(&settings) * (1.0 + 1e-6), "{moved}");
    }
}

proptest! {
    /// Sums of integers that are cut towards zero: within the norm, and no further apart than the proof says.
    #[test]
    fn a3_cutting_integers_is_nearly_a_contraction(
        z in prop::collection::vec(-400i64..400, 9), moved in prop::collection::vec(-40i64..40, 9), most in 1u64..900
    ) {
        let mut other: Vec<i64> = z.iter().zip(&moved).map(|(z, by)| z + by).collect();
        let mut one = z;
        cut(&mut one, most);
        cut(&mut other, most);
        prop_assert!(lattice::square(&one).unwrap() <= u128::from(most).pow(2));
        let norm = |steps: &[i64]| (lattice::square(steps).unwrap() as f64).sqrt();
        let apart: Vec<i64> = one.iter().zip(&other).map(|(a, b)| a - b).collect();
        prop_assert!(norm(&apart) <= norm(&moved) + 3.0 + 2.0);
    }

    /// Every row and every sum in steps, with all that one unit moves, is within reach of the noise.
    #[test]
    fn a3_the_reach_pays_for_what_cutting_integers_moves(
        max_degree in 1usize..500, clip in 0.01f64..200.0, noise_multiplier in 0.01f64..100.0, columns in 1usize..3000
    ) {
        let settings = SumSettings { hops: 1, max_degree, clip, noise_multiplier };
        let mechanism = NoisySums::<Node>::new(settings, 1000).unwrap();
        let RowSteps { row, sum } = mechanism.steps(columns);
        prop_assert!(row >= 1 << 15, "{row}");
        let slack = if clip < max_degree as f64 { (columns as f64).sqrt() + 2.0 } else { 0.0 };
        let moved = max_degree as f64 * (row as f64 + slack).powi(2) + (sum as f64).powi(2);
        prop_assert!(moved.sqrt() <= mechanism.lattice.reach() as f64);
        // And no more noise than was asked for, but for the slack.
        prop_assert!(moved.sqrt() >= mechanism.lattice.reach() as f64 * (1.0 - 1e-2));
        let edges = NoisySums::<Edge>::new(SumSettings { clip: 1000.0, ..settings }, 1000).unwrap();
        let row = edges.steps(columns).row as f64;
        prop_assert!(2f64.sqrt() * row <= edges.lattice.reach() as f64);
    }

    /// A row has the norm of a row in steps, whatever it is.
    #[test]
    fn a3_rows_have_their_norm_in_integers(row in prop::collection::vec(prop::num::f32::ANY, 0..20)) {
        let steps = on_lattice(&row, 1 << 26);
        prop_assert!(lattice::square(&steps).unwrap() <= 1 << 52);
    }
}
