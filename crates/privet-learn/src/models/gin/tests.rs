//! The network against an independent program, finite differences, and itself in other circumstances.

use privet_data::synthetic::BarabasiAlbert;
use privet_graph::{Direction, Graph, GraphBuilder, GraphSet, Labels};

use super::*;
use crate::finite_differences::{assert_model_gradient, filled, weighted_sum};
use crate::models::vectors::{assert_near, set_by_formula, vectors};
use crate::parameters::Snapshot;
use crate::train::{BatchSize, EarlyStopping, Fit, FitConfig, Schedule};

fn small() -> GinConfig {
    GinConfig { hidden: 3, rounds: 2, dropout: 0.0, ..GinConfig::new(3, 2) }
}

fn vector_set(directed: bool) -> GraphSet {
    let vectors = vectors();
    GraphSet::new("vectors", (0..3).map(|at| vectors.graph(at, directed)).collect())
}

fn batch_of(inputs: &GraphInputs, readout: Readout) -> GraphBatch {
    let mut batch = GraphBatch::default();
    let picked: Vec<u32> = (0..inputs.len() as u32).collect();
    batch.fill(inputs, &picked, readout);
    batch
}

#[test]
fn scores_match_an_independent_program() {
    for vector in vectors().gin {
        let set = vector_set(vector.directed);
        let inputs = GraphInputs::new(&set, NodeFeatures::Degree { cap: 2 }, 2).unwrap();
        let mut gin = Gin::new(GinConfig { readout: vector.readout, ..small() }).unwrap();
        set_by_formula(&mut gin);
        assert_near(&gin.scores(&inputs, &[0, 1, 2]).unwrap(), &vector.evaluation);
        let mut scores = DenseMatrix::zeros(0, 0);
        gin.forward(&batch_of(&inputs, vector.readout), 0, &mut scores);
        assert_near(&scores, &vector.training);
    }
}

#[test]
fn gradients_match_finite_differences() {
    for (directed, readout) in [(false, Readout::Mean), (true, Readout::Sum)] {
        let set = vector_set(directed);
        let inputs = GraphInputs::new(&set, NodeFeatures::Degree { cap: 2 }, 2).unwrap();
        let batch = batch_of(&inputs, readout);
        let mut gin = Gin::new(GinConfig { readout, dropout: 0.3, seed: 4, ..small() }).unwrap();
        set_by_formula(&mut gin);
        let start = gin.clone();
        let (weights, mut scores) = (filled(3, 2, 7), DenseMatrix::zeros(0, 0));
        gin.forward(&batch, 5, &mut scores);
        gin.backward(&batch, 5, &weights);
        assert_model_gradient(&start, &gin, |mut changed| {
            let mut scores = DenseMatrix::zeros(0, 0);
            changed.forward(&batch, 5, &mut scores);
            weighted_sum(&scores, &weights)
        });
    }
}

fn random_graphs(count: u64, nodes: usize) -> Vec<Graph> {
    let graph = |seed: u64| {
        let edges_per_node = 1 + seed as usize % 3;
        let generated = BarabasiAlbert { nodes, edges_per_node }.generate(seed).unwrap();
        generated.graph().clone()
    };
    (0..count).map(graph).collect()
}

#[test]
fn the_order_of_nodes_does_not_matter() {
    let graphs = random_graphs(4, 40);
    let turned: Vec<u32> = (0..40).map(|u| (u * 7 + 3) % 40).collect();
    let relabeled = graphs.iter().map(|graph| graph.relabeled(&turned).unwrap()).collect();
    let sets = [GraphSet::new("a", graphs), GraphSet::new("b", relabeled)];
    let mut gin = Gin::new(GinConfig { hidden: 16, ..GinConfig::new(1, 2) }).unwrap();
    let [a, b] = sets.map(|set| {
        let inputs = GraphInputs::new(&set, NodeFeatures::Constant, 4).unwrap();
        let mut scores = DenseMatrix::zeros(0, 0);
        gin.forward(&batch_of(&inputs, Readout::Sum), 1, &mut scores);
        scores
    });
    for (a, b) in a.values().iter().zip(b.values()) {
        assert!((a - b).abs() < 1e-3 * a.abs().max(1.0), "{a} {b}");
    }
    assert_ne!(a.row(0), a.row(1));
}

/// Colours share rows, and more rounds tell more nodes apart.
#[test]
fn equal_nodes_share_a_row() {
    let star = |leaves: u32| {
        let builder = GraphBuilder::new(leaves as usize + 1, Direction::Undirected);
        builder.edges((1..=leaves).map(|leaf| (0, leaf))).build().unwrap().0
    };
    let set = GraphSet::new("stars", vec![star(5), star(9), star(5)]);
    let inputs = GraphInputs::new(&set, NodeFeatures::Constant, 2).unwrap();
    assert_eq!([0, 1, 2].map(|round| inputs.colours(round)), [1, 3, 4]);
    let batch = batch_of(&inputs, Readout::Sum);
    assert_eq!(batch.rows().collect::<Vec<_>>(), [1, 3, 4]);
    assert_eq!((batch.graphs(), inputs.width(), inputs.rounds()), (3, 1, 2));
}

fn labels(count: usize) -> Labels {
    Labels::from_integers(&(0..count).map(|at| Some((at % 3 == 1) as i64)).collect::<Vec<_>>())
        .unwrap()
}

fn trained(inputs: &GraphInputs, fit: Fit<'_>) -> (Result<()>, Snapshot) {
    let config = GinConfig { hidden: 8, rounds: 2, ..GinConfig::new(1, 2) };
    let mut gin = Gin::new(config).unwrap();
    let (train, validation): (Vec<u32>, Vec<u32>) =
        (0..inputs.len() as u32).partition(|graph| graph % 4 != 0);
    let labels = labels(inputs.len());
    let mut task =
        GraphClassification::new(&mut gin, inputs, &labels, &train, &validation).unwrap();
    let result = fit.run(&mut task).map(|_| ());
    (result, gin.snapshot())
}

fn fit_config(epochs: usize) -> FitConfig {
    FitConfig {
        epochs,
        batch: BatchSize::Examples(5),
        schedule: Schedule::Step { every: 2, factor: 0.5 },
        early_stopping: Some(EarlyStopping { patience: 50 }),
        ..FitConfig::default()
    }
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    // Wide enough for several blocks of rows, and of arcs.
    let set = GraphSet::new("large", random_graphs(8, 4000));
    let inputs = GraphInputs::new(&set, NodeFeatures::Constant, 2).unwrap();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (result, snapshot) = pool.install(|| trained(&inputs, Fit::new(fit_config(2))));
        result.unwrap();
        snapshot
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(3));
}

#[test]
fn it_comes_back_from_a_file_and_refuses_what_does_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gin.safetensors");
    let gin = Gin::new(small()).unwrap();
    gin.save(&path).unwrap();
    let loaded = Gin::load(&path).unwrap();
    assert_eq!((loaded.config(), loaded.snapshot()), (gin.config(), gin.snapshot()));
    let inputs = GraphInputs::new(&vector_set(false), NodeFeatures::Constant, 2).unwrap();
    let error = gin.scores(&inputs, &[0]).unwrap_err().to_string();
    assert_eq!(error, "graph inputs: found 1 features, 2 rounds, expected 3 features, 2 rounds");
    let fitting = GraphInputs::new(&vector_set(false), NodeFeatures::Degree { cap: 2 }, 2).unwrap();
    assert!(gin.scores(&fitting, &[3]).is_err());
    assert!(Gin::new(GinConfig { hidden: 0, ..small() }).is_err());
    assert!(Gin::new(GinConfig { rounds: usize::MAX, ..small() }).is_err());
}

#[test]
fn tags_and_attributes_become_features() {
    let set = vector_set(false);
    let tags = vec![vec![0, 1, 0, 1, 1], vec![2; 4], vec![0; 6]];
    let missing = GraphInputs::new(&set, NodeFeatures::Tags { count: 3 }, 1).unwrap_err();
    assert!(missing.to_string().contains("no tags in 'vectors'"), "{missing}");
    let tagged = set.clone().with_node_tags(tags.clone()).unwrap();
    let inputs = GraphInputs::new(&tagged, NodeFeatures::Tags { count: 3 }, 1).unwrap();
    assert!(GraphInputs::new(&tagged, NodeFeatures::Tags { count: 2 }, 1).is_err());
    // The same as attributes: both give the same scores.
    let one_hot = tags.iter().map(|tags| {
        let mut rows = DenseMatrix::zeros(tags.len(), 3);
        tags.iter().enumerate().for_each(|(row, &tag)| rows.row_mut(row)[tag as usize] = 1.0);
        privet_graph::Features::dense(rows)
    });
    let with_rows = set.with_node_attributes(one_hot.collect()).unwrap();
    let attributes = GraphInputs::new(&with_rows, NodeFeatures::Attributes, 1).unwrap();
    let gin = Gin::new(GinConfig { rounds: 1, ..small() }).unwrap();
    let scores = |inputs: &GraphInputs| gin.scores(inputs, &[0, 1, 2]).unwrap();
    assert_eq!(scores(&inputs), scores(&attributes));
}
