//! GIN on small benchmark sets: a few epochs beat the majority class. And a GCN on Cora.

use std::path::PathBuf;

use privet_data::catalog;
use privet_data::formats::ReadOptions;
use privet_graph::{LoadedData, Split, SplitShares};
use privet_learn::metrics::accuracy;
use privet_learn::models::gcn::{Gcn, GcnConfig, NodeClassification};
use privet_learn::models::gin::{
    Gin, GinConfig, GraphClassification, GraphInputs, NodeFeatures, Readout,
};
use privet_learn::train::{
    AdamConfig, BatchSize, EarlyStopping, Fit, FitConfig, OptimizerConfig, WeightDecay,
};

type AnyError = Box<dyn std::error::Error>;

fn load(name: &str) -> Result<Option<LoadedData>, AnyError> {
    let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("PRIVET_DATA_DIR").map_or_else(|| shared.into(), PathBuf::from);
    let choice = catalog::select(name)?;
    if !choice.locate(std::slice::from_ref(&folder)).is_complete() {
        println!("skipped: {name} is not in {} (set PRIVET_DATA_DIR)", folder.display());
        return Ok(None);
    }
    Ok(Some(choice.load(&[folder], &ReadOptions::default())?))
}

/// Test accuracy after some epochs, and the share of the largest class.
fn gin(
    name: &str,
    features: impl Fn(u32) -> NodeFeatures,
    epochs: usize,
) -> Result<Option<(f64, f64)>, AnyError> {
    let Some(loaded) = load(name)? else { return Ok(None) };
    let set = loaded.into_graphs()?;
    let labels = set.labels().ok_or("no classes")?;
    let tags = set.node_tags().and_then(|tags| tags.iter().flatten().max().copied());
    let base = GinConfig {
        hidden: 16,
        rounds: 3,
        readout: Readout::Sum,
        ..GinConfig::new(1, labels.class_count())
    };
    let inputs = GraphInputs::new(&set, features(tags.unwrap_or(0) + 1), base.rounds)?;
    let mut gin = Gin::new(GinConfig { inputs: inputs.width(), ..base })?;
    let shares = SplitShares { train: 0.7, validation: 0.1, test: 0.2 };
    let split = Split::stratified(labels, shares, 3)?;
    let mut task =
        GraphClassification::new(&mut gin, &inputs, labels, &split.train, &split.validation)?;
    let batch = BatchSize::Examples(32);
    Fit::new(FitConfig { epochs, batch, ..FitConfig::default() }).run(&mut task)?;
    let truth: Vec<u32> = split.test.iter().filter_map(|&graph| labels.class(graph)).collect();
    let tested = accuracy(&gin.predict(&inputs, &split.test)?, &truth).ok_or("nothing to test")?;
    let largest = labels.class_sizes().into_iter().max().unwrap_or(0);
    let majority = largest as f64 / labels.len() as f64;
    println!("{name}: test accuracy {tested:.3}, majority {majority:.3}");
    Ok(Some((tested, majority)))
}

#[test]
fn gin_tells_molecules_apart() {
    let tags = |count| NodeFeatures::Tags { count };
    let Some((tested, majority)) = gin("mutag", tags, 40).unwrap() else { return };
    assert!(tested > majority + 0.05, "{tested} against {majority}");
}

#[test]
fn gin_tells_genres_apart() {
    let degrees = |_| NodeFeatures::Degree { cap: 65 };
    let Some((tested, majority)) = gin("imdb_binary", degrees, 15).unwrap() else { return };
    assert!(tested > majority + 0.1, "{tested} against {majority}");
}

#[test]
fn gcn_classifies_cora() {
    let Some(data) = load("cora").unwrap().map(|loaded| loaded.into_nodes().unwrap()) else {
        return;
    };
    let (features, labels) = (data.features().unwrap(), data.labels().unwrap());
    let split = Split::stratified(labels, SplitShares::HALF_QUARTER_QUARTER, 1).unwrap();
    let mut gcn = Gcn::new(GcnConfig::new(features.columns(), labels.class_count())).unwrap();
    let input = gcn.input(data.graph(), features.matrix().into()).unwrap();
    let mut task =
        NodeClassification::new(&mut gcn, &input, labels, &split.train, &split.validation).unwrap();
    let weight_decay = WeightDecay::L2(5e-4);
    let config = FitConfig {
        epochs: 100,
        optimizer: OptimizerConfig::Adam(AdamConfig { weight_decay, ..AdamConfig::default() }),
        early_stopping: Some(EarlyStopping { patience: 20 }),
        ..FitConfig::default()
    };
    Fit::new(config).run(&mut task).unwrap();
    let found = gcn.predict(&input).unwrap();
    let right = |&&node: &&u32| labels.class(node) == Some(found[node as usize]);
    let tested = split.test.iter().filter(right).count() as f64 / split.test.len() as f64;
    println!("cora: test accuracy {tested:.3}");
    assert!(tested > 0.82, "test accuracy {tested}");
}
