//! The network against an independent program, finite differences, and itself in other circumstances.

use privet_data::synthetic::StochasticBlocks;
use privet_graph::{Direction, Labels, SparseBuilder};

use super::*;
use crate::finite_differences::{assert_model_gradient, filled, weighted_sum};
use crate::models::vectors::{assert_near, entry, set_by_formula, vectors};
use crate::train::{Fit, FitConfig};

fn small(aggregation: GcnAggregation) -> GcnConfig {
    GcnConfig { hidden: vec![5, 3], aggregation, ..GcnConfig::new(4, 2) }
}

#[test]
fn scores_match_an_independent_program_with_dense_and_with_sparse_rows() {
    let vectors = vectors();
    let dense = DenseMatrix::new(6, 4, (0..24).map(|at| entry(99, at)).collect()).unwrap();
    let mut sparse = SparseBuilder::new(4);
    for row in 0..6 {
        let mut entries: Vec<_> = (0..).zip(dense.row(row).iter().copied()).collect();
        sparse.push_row(&mut entries).unwrap();
    }
    let sparse = sparse.finish();
    for vector in &vectors.gcn {
        let graph = vectors.graph(2, vector.directed);
        let mut gcn = Gcn::new(small(vector.aggregation)).unwrap();
        set_by_formula(&mut gcn);
        for rows in [ItemRows::Dense(&dense), ItemRows::Sparse(&sparse)] {
            let input = gcn.input(&graph, rows).unwrap();
            assert_near(&gcn.scores(&input).unwrap(), &vector.scores);
        }
    }
}

#[test]
fn gradients_match_finite_differences() {
    let dense = filled(6, 4, 1);
    for (directed, aggregation) in [
        (false, GcnAggregation::Mean),
        (true, GcnAggregation::Mean),
        (true, GcnAggregation::Symmetric),
    ] {
        let graph = vectors().graph(2, directed);
        let mut gcn = Gcn::new(GcnConfig { dropout: 0.3, ..small(aggregation) }).unwrap();
        set_by_formula(&mut gcn);
        let start = gcn.clone();
        let input = gcn.input(&graph, (&dense).into()).unwrap();
        let weights = filled(6, 2, 7);
        gcn.forward(&input, 5, &mut DenseMatrix::zeros(0, 0));
        gcn.backward(&input, 5, &weights);
        assert_model_gradient(&start, &gcn, |mut changed| {
            let mut scores = DenseMatrix::zeros(0, 0);
            changed.forward(&input, 5, &mut scores);
            weighted_sum(&scores, &weights)
        });
    }
}

fn blocks() -> privet_graph::Dataset {
    let config = StochasticBlocks {
        nodes: 3000,
        classes: 3,
        mean_degree: 6.0,
        homophily: 0.8,
        features: 30,
        ..StochasticBlocks::default()
    };
    config.generate(1).unwrap()
}

#[test]
fn it_learns_blocks_with_the_same_bytes_on_any_number_of_threads() {
    let data = blocks();
    let (labels, rows) =
        (data.labels().unwrap(), ItemRows::from(data.features().unwrap().matrix()));
    let (train, rest): (Vec<u32>, Vec<u32>) = (0..3000).partition(|node| node % 10 == 0);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut gcn = Gcn::new(GcnConfig::new(rows.columns(), 3)).unwrap();
        let input = gcn.input(data.graph(), rows).unwrap();
        let mut task = NodeClassification::new(&mut gcn, &input, labels, &train, &rest).unwrap();
        let config = FitConfig { epochs: 30, ..FitConfig::default() };
        let report = pool.install(|| Fit::new(config).run(&mut task)).unwrap();
        (report.best_metric, gcn.snapshot())
    };
    let one = on(1);
    assert!(one.0.unwrap() > 0.7, "{:?}", one.0);
    assert_eq!(one, on(2));
    assert_eq!(one, on(3));
}

/// Two labels per node, which are the two coordinates of its features.
#[test]
fn it_learns_several_labels_per_node() {
    let graph = Graph::empty(40, Direction::Undirected).unwrap();
    let rows = filled(40, 2, 5);
    let positive = |row: usize| (0..2).filter(|&c| rows.row(row)[c as usize] > 0.0).collect();
    let names = vec!["first".to_owned(), "second".to_owned()];
    let labels = Labels::multi((0..40).map(positive).collect(), names).unwrap();
    let mut gcn = Gcn::new(GcnConfig { hidden: vec![], ..GcnConfig::new(2, 2) }).unwrap();
    let input = gcn.input(&graph, (&rows).into()).unwrap();
    let (train, rest): (Vec<u32>, Vec<u32>) = (0..40).partition(|node| node % 2 == 0);
    let mut task = NodeClassification::new(&mut gcn, &input, &labels, &train, &rest).unwrap();
    let fit = Fit::new(FitConfig { epochs: 100, learning_rate: 0.1, ..FitConfig::default() });
    let report = fit.run(&mut task).unwrap();
    assert!(report.best_metric.unwrap() > 0.9, "{:?}", report.best_metric);
}

#[test]
fn it_comes_back_from_a_file_and_refuses_what_does_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gcn.safetensors");
    let gcn = Gcn::new(small(GcnAggregation::Mean)).unwrap();
    gcn.save(&path).unwrap();
    let loaded = Gcn::load(&path).unwrap();
    assert_eq!((loaded.config(), loaded.snapshot()), (gcn.config(), gcn.snapshot()));
    assert!(crate::models::Gin::load(&path).is_err());
    let (graph, rows) = (vectors().graph(2, false), filled(6, 3, 1));
    let error = gcn.input(&graph, (&rows).into()).unwrap_err().to_string();
    assert_eq!(error, "features: found 6 x 3, expected 6 x 4");
    let rows = filled(6, 4, 1);
    let other = Gcn::new(small(GcnAggregation::Symmetric)).unwrap();
    let input = other.input(&graph, (&rows).into()).unwrap();
    assert!(gcn.scores(&input).is_err());
}
