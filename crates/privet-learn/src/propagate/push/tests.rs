use proptest::prelude::*;

use super::*;
use crate::propagate::oracle::{self, PropagationCase};

/// The embedding is as near to the dense inverse as the bound says, in every entry.
fn check(case: &PropagationCase, threshold: f64) -> PushedRows {
    let operator = case.propagation.on(&case.graph).unwrap();
    let push = BackwardPush { threshold };
    let found = push.run(&operator, &FeatureMatrix::Dense(case.features().clone())).unwrap();
    let sparse = push.run(&operator, &FeatureMatrix::Sparse(case.sparse_features())).unwrap();
    assert_eq!(found, sparse, "{case}");
    if case.graph.direction() == Direction::Undirected {
        assert!(found.error_bound <= threshold);
    }
    let expected = case.expected(case.features());
    for node in case.graph.nodes() {
        // Rounding to 32-bit floats comes on top.
        let bound = operator.entry_bound(node, found.error_bound) + 1e-6;
        let found = found.embedding.row(node as usize).iter();
        for (z, e) in found.zip(expected.row(node as usize)) {
            assert!(f64::from((z - e).abs()) <= bound, "{case}: {z}, {e}, {bound}");
        }
    }
    found
}

#[test]
fn every_kind_of_graph_is_within_the_bound() {
    for case in oracle::cases() {
        let (rough, fine) = (check(&case, 0.1), check(&case, 1e-9));
        assert!(rough.pushes <= fine.pushes, "{case}");
    }
}

proptest! {
    #[test]
    fn random_graphs_are_within_the_bound(case in oracle::any_case(), digits in 0.0f64..7.0) {
        check(&case, 10f64.powf(-digits));
    }
}

#[test]
fn same_bytes_for_any_number_of_threads() {
    let case = oracle::cases().pop().unwrap();
    let operator = case.propagation.on(&case.graph).unwrap();
    let x = FeatureMatrix::Dense(case.features().clone());
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| BackwardPush::default().run(&operator, &x)).unwrap()
    };
    assert_eq!(on(1), on(2));
    assert_eq!(on(1), on(3));
}

#[test]
fn a_high_threshold_moves_nothing_and_says_what_is_missing() {
    let case = &oracle::cases()[0];
    let operator = case.propagation.on(&case.graph).unwrap();
    let x = FeatureMatrix::Dense(case.features().clone());
    let found = BackwardPush { threshold: 100.0 }.run(&operator, &x).unwrap();
    assert_eq!(found.pushes, 0);
    assert!(found.embedding.values().iter().all(|&z| z == 0.0));
    assert_eq!(found.error_bound, f64::from(crate::kernels::max_abs(case.features().values())));
    for threshold in [0.0, -1.0, f64::NAN] {
        assert!(BackwardPush { threshold }.run(&operator, &x).is_err());
    }
}
