//! An MLP on Cora's raw features.

use std::path::PathBuf;

use privet_data::catalog;
use privet_data::formats::ReadOptions;
use privet_graph::{Split, SplitShares};
use privet_learn::metrics::accuracy;
use privet_learn::models::{Classification, ItemRows, Mlp, MlpConfig, Network};
use privet_learn::train::{
    AdamConfig, EarlyStopping, Fit, FitConfig, OptimizerConfig, WeightDecay,
};

fn data_dir() -> Option<PathBuf> {
    let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("PRIVET_DATA_DIR").map_or_else(|| shared.into(), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no benchmark files at {} (set PRIVET_DATA_DIR)", folder.display());
    None
}

#[test]
fn an_mlp_classifies_cora_by_its_words() {
    let Some(folder) = data_dir() else { return };
    let choice = catalog::select("cora").unwrap();
    if !choice.locate(std::slice::from_ref(&folder)).is_complete() {
        println!("skipped: cora is not in {}", folder.display());
        return;
    }
    let dataset = choice.load(&[folder], &ReadOptions::default()).unwrap().into_nodes().unwrap();
    let (features, labels) = (dataset.features().unwrap(), dataset.labels().unwrap());
    let split = Split::stratified(labels, SplitShares::HALF_QUARTER_QUARTER, 1).unwrap();
    let rows = ItemRows::from(features.matrix());
    let mut mlp = Mlp::new(MlpConfig::new(features.columns(), labels.class_count())).unwrap();
    let mut task =
        Classification::new(&mut mlp, rows, labels, &split.train, &split.validation).unwrap();
    let decay = WeightDecay::L2(5e-4);
    let config = FitConfig {
        epochs: 100,
        optimizer: OptimizerConfig::Adam(AdamConfig {
            weight_decay: decay,
            ..AdamConfig::default()
        }),
        early_stopping: Some(EarlyStopping { patience: 20 }),
        ..FitConfig::default()
    };
    let report = Fit::new(config).run(&mut task).unwrap();
    let predicted = mlp.predict(rows, &split.test);
    let truth: Vec<u32> = split.test.iter().map(|&item| labels.class(item).unwrap()).collect();
    let tested = accuracy(&predicted, &truth).unwrap();
    println!("{} epochs, test accuracy {tested:.4}", report.history.len());
    assert!(tested > 0.7, "test accuracy {tested}, validation {:?}", report.best_metric);
}
