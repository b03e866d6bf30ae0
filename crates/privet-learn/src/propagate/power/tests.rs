use proptest::prelude::*;

use super::*;
use crate::propagate::oracle::{self, PropagationCase};

fn run(case: &PropagationCase, power: Power, x: FeatureMatrix) -> (PropagatedRows, DenseMatrix) {
    let operator = case.propagation.on(&case.graph).unwrap();
    (power.run(&operator, x).unwrap(), case.expected(case.features()))
}

#[test]
fn every_kind_of_graph_matches_the_dense_inverse() {
    for case in oracle::cases() {
        let operator = case.propagation.on(&case.graph).unwrap();
        let x = FeatureMatrix::Dense(case.features().clone());
        let tolerance = 1e-6;
        let power = Power { rounds: Rounds::Residual(tolerance), ..Default::default() };
        let (found, expected) = run(&case, power, x);
        assert!(found.error_bound <= tolerance, "{case}");
        for node in case.graph.nodes() {
            // Rounding of 32-bit floats comes on top of what is proved.
            let bound = operator.entry_bound(node, found.error_bound) + 2e-6;
            let rows = found.embedding.row(node as usize).iter();
            for (z, e) in rows.zip(expected.row(node as usize)) {
                assert!(f64::from((z - e).abs()) <= bound, "{case}: {z} is not {e}");
            }
        }
    }
}

#[test]
fn the_bound_holds_after_every_round() {
    for case in oracle::cases() {
        let operator = case.propagation.on(&case.graph).unwrap();
        for rounds in [0, 1, 2, 5] {
            let power = Power { rounds: Rounds::Exactly(rounds), ..Default::default() };
            let (found, expected) =
                run(&case, power, FeatureMatrix::Dense(case.features().clone()));
            assert_eq!(found.rounds, rounds);
            for node in case.graph.nodes() {
                let bound = operator.entry_bound(node, found.error_bound) + 2e-6;
                let rows = found.embedding.row(node as usize).iter();
                for (z, e) in rows.zip(expected.row(node as usize)) {
                    assert!(f64::from((z - e).abs()) <= bound, "{case}: {z}, {e}, {bound}");
                }
            }
        }
    }
}

#[test]
fn isolated_nodes_keep_alpha_x_and_with_loops_x() {
    use crate::propagate::{AddedLoops, Propagation};
    let graph = privet_graph::Graph::empty(2, privet_graph::Direction::Undirected).unwrap();
    let x = DenseMatrix::new(2, 1, vec![4.0, -8.0]).unwrap();
    let embed = |self_loops| {
        let propagation = Propagation { alpha: 0.25, self_loops, ..Default::default() };
        let operator = propagation.on(&graph).unwrap();
        let found = Power::default().run(&operator, FeatureMatrix::Dense(x.clone())).unwrap();
        found.embedding.into_values()
    };
    assert_eq!(embed(AddedLoops::None), [1.0, -2.0]);
    let looped = embed(AddedLoops::All);
    assert!((looped[0] - 4.0).abs() < 4e-6 && (looped[1] + 8.0).abs() < 4e-6);
}

#[test]
fn too_few_rounds_are_an_error() {
    let case = &oracle::cases()[0];
    let operator = case.propagation.on(&case.graph).unwrap();
    let x = || FeatureMatrix::Dense(case.features().clone());
    let power = Power { max_rounds: 2, ..Default::default() };
    let error = power.run(&operator, x()).unwrap_err();
    assert!(matches!(error, Error::NotConverged { rounds: 2, .. }), "{error}");
    let broken_off = Power::default().run_watched(&operator, x(), |_| ControlFlow::Break(()));
    assert!(matches!(broken_off, Err(Error::Interrupted)));
    let power = Power { rounds: Rounds::Residual(0.0), ..Default::default() };
    assert!(matches!(power.run(&operator, x()), Err(Error::Invalid { .. })));
    let other = FeatureMatrix::Dense(DenseMatrix::zeros(1, 1));
    assert!(matches!(Power::default().run(&operator, other), Err(Error::Invalid { .. })));
}

proptest! {
    #[test]
    fn sparse_features_give_what_dense_ones_give(
        case in oracle::any_case(), rounds in 0usize..6,
    ) {
        let power = Power { rounds: Rounds::Exactly(rounds), ..Default::default() };
        let dense = run(&case, power, FeatureMatrix::Dense(case.features().clone())).0;
        let sparse = FeatureMatrix::Sparse(case.sparse_features());
        for densify_above in [0.0, 1.0] {
            let power = Power { densify_above, ..power };
            let found = run(&case, power, sparse.clone()).0;
            prop_assert_eq!(found.rounds, dense.rounds);
            prop_assert!((found.error_bound - dense.error_bound).abs() < 1e-5);
            for (a, b) in found.embedding.values().iter().zip(dense.embedding.values()) {
                prop_assert!((a - b).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn same_bytes_for_any_number_of_threads() {
    let edges = (0..6_000u32).flat_map(|u| (1..5).map(move |k| (u, (u * k + 11) % 6_000)));
    for direction in [privet_graph::Direction::Undirected, privet_graph::Direction::Directed] {
        let builder = privet_graph::GraphBuilder::new(6_000, direction);
        let (graph, _) = builder.edges(edges.clone()).build().unwrap();
        let value = |i: u32| (i * 7919 % 1000) as f32 / 999.0;
        let x = DenseMatrix::new(6_000, 3, (0..18_000).map(value).collect()).unwrap();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let operator = crate::propagate::Propagation::default().on(&graph).unwrap();
            let x = FeatureMatrix::Dense(x.clone());
            pool.install(|| Power::default().run(&operator, x)).unwrap()
        };
        let one = on(1);
        assert_eq!(one, on(2));
        assert_eq!(one, on(3));
    }
}
