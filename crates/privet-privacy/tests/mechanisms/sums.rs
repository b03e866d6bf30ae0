//! Noisy sums over neighbours: the noise that is charged is the noise that is added, and nothing that a
//! row or a sum holds passes its bound.

use privet_graph::{DenseMatrix, Direction, Graph, GraphBuilder};
use privet_privacy::aggregation::{AttributedGraph, NoisySums, SumSettings, SummedUnit};
use privet_privacy::noise::NoiseRng;
use privet_privacy::unit::{Edge, Node, ReplacedNode};
use privet_privacy::{Delta, Epsilon, Ledger, Loss, Result, Secret};

const SETTINGS: SumSettings =
    SumSettings { hops: 2, max_degree: 3, clip: 1.5, noise_multiplier: 0.5 };
/// Noise of less than a step of the lattice.
const SILENT: SumSettings = SumSettings { hops: 1, noise_multiplier: 1e-15, ..SETTINGS };

fn graph(nodes: usize, edges: &[(u32, u32)]) -> Graph {
    let builder = GraphBuilder::new(nodes, Direction::Undirected);
    builder.edges(edges.iter().copied()).build().unwrap().0
}

fn release<U: SummedUnit>(
    settings: SumSettings,
    nodes: usize,
    data: AttributedGraph,
    seed: u64,
) -> Result<Vec<DenseMatrix>> {
    let limit = Loss { epsilon: Epsilon::INFINITE, delta: Delta::new(1e-5)? };
    let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(seed))?;
    let mechanism = NoisySums::<U>::new(settings, nodes)?;
    Ok(ledger.release(&Secret::new(data), &mechanism)?.into_inner())
}

fn norm(row: &[f32]) -> f64 {
    row.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt()
}

/// Without edges, sums are the noise alone: its deviation is σΔ, with Δ by the proof.
fn check_deviation<U: SummedUnit>(sensitivity: f64) {
    let rows = DenseMatrix::new(6000, 2, vec![1.0; 12_000]).unwrap();
    let data = AttributedGraph { graph: graph(6000, &[]), rows };
    let hops = release::<U>(SETTINGS, 6000, data, 1).unwrap();
    assert_eq!(hops.len(), 2);
    for hop in &hops {
        let values = hop.values();
        let square: f64 = values.iter().map(|&value| f64::from(value).powi(2)).sum();
        let deviation = (square / values.len() as f64).sqrt();
        assert!((deviation / (0.5 * sensitivity) - 1.0).abs() < 0.04, "{deviation} {sensitivity}");
    }
    // Every hop reads the graph anew and has noise of its own.
    assert_ne!(hops[0].values(), hops[1].values());
}

#[test]
fn the_noise_has_the_deviation_that_is_charged() {
    check_deviation::<Edge>(2f64.sqrt());
    check_deviation::<Node>((3.0 + 1.5 * 1.5f64).sqrt());
    check_deviation::<ReplacedNode>(2.0 * (3.0 + 1.5 * 1.5f64).sqrt());
}

/// Rounding must not lift a row above norm 1 nor a sum above R, and the slack for it stays small.
#[test]
fn rows_and_sums_stay_just_below_their_bounds() {
    let edges = [(0, 1), (2, 3), (2, 4), (2, 5)];
    let mut values = Vec::new();
    for node in 0..6 {
        let size = 10f32.powi(3 * node - 8);
        values.extend([0.6 * size, 0.7 * size, -0.1 * size]);
    }
    let rows = DenseMatrix::new(6, 3, values).unwrap();
    let data = AttributedGraph { graph: graph(6, &edges), rows };
    let sums = &release::<Node>(SILENT, 6, data, 2).unwrap()[0];
    for (node, bound) in [(0, 1.0), (1, 1.0), (2, 1.5), (3, 1.0)] {
        let found = norm(sums.row(node));
        assert!(found <= bound * (1.0 + 1e-6) && found > bound * (1.0 - 1.5e-6), "{node}: {found}");
    }
}

#[test]
fn a_row_of_zeros_adds_nothing() {
    let rows = DenseMatrix::new(3, 2, vec![0.0, 0.0, 0.3, 0.4, 0.0, 0.0]).unwrap();
    let data = AttributedGraph { graph: graph(3, &[(0, 1), (0, 2)]), rows };
    let sums = &release::<Edge>(SILENT, 3, data, 3).unwrap()[0];
    assert!((norm(sums.row(0)) - 1.0).abs() < 1e-5);
    assert!(norm(sums.row(1)) < 1e-7 && norm(sums.row(2)) < 1e-7);
}

/// Which surplus neighbours are dropped is drawn: each of eight has the same chance to be among three.
#[test]
fn dropping_neighbours_bounds_no_node() {
    let star: Vec<(u32, u32)> = (1..9).map(|leaf| (0, leaf)).collect();
    let star = graph(9, &star);
    let settings = SumSettings { clip: 100.0, ..SILENT };
    let mut kept = [0u32; 9];
    for seed in 0..2000 {
        let rows = DenseMatrix::new(9, 1, vec![1.0; 9]).unwrap();
        let data = AttributedGraph { graph: star.clone(), rows };
        let sums = &release::<Node>(settings, 9, data, seed).unwrap()[0];
        (1..9).for_each(|leaf| kept[leaf] += u32::from(sums.row(leaf)[0] > 0.5));
    }
    assert_eq!(kept.iter().sum::<u32>(), 6000);
    assert!(kept[1..].iter().all(|&count| count.abs_diff(750) < 110), "{kept:?}");
}

#[test]
fn numbers_out_of_range_are_refused() {
    let valid = |settings: SumSettings| NoisySums::<Node>::new(settings, 3).is_ok();
    assert!(valid(SETTINGS));
    assert!(valid(SumSettings { max_degree: 1, hops: 1, clip: 0.5, ..SETTINGS }));
    assert!(!valid(SumSettings { max_degree: 0, ..SETTINGS }));
    assert!(!valid(SumSettings { hops: 0, ..SETTINGS }));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(!valid(SumSettings { clip: bad, ..SETTINGS }), "{bad}");
        assert!(!valid(SumSettings { noise_multiplier: bad, ..SETTINGS }), "{bad}");
    }
}

#[test]
fn data_of_another_shape_is_refused() {
    let data = |nodes, rows| AttributedGraph {
        graph: graph(nodes, &[(0, 1)]),
        rows: DenseMatrix::zeros(rows, 2),
    };
    for (nodes, rows) in [(3, 4), (4, 3), (3, 3), (5, 5)] {
        let error = release::<Edge>(SETTINGS, 4, data(nodes, rows), 1).unwrap_err().to_string();
        assert!(error.contains("noisy-sums"), "{error}");
    }
    assert!(release::<Edge>(SETTINGS, 4, data(4, 4), 1).is_ok());
}
