//! LDP-GE on Cora without privacy, with settings chosen for that: mean of 5 seeds.
//!
//! `cargo run --release -p privet-lab --example ceilings`, with the data in `PRIVET_DATA_DIR`.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use privet::graph::{catalog, io::ReadOptions};
use privet::ldp_ge::{
    EdgeProtection, Embedding, FeatureProtection, LdpGe, Learner, Method, Private, Protection,
    Scaling,
};
use privet::learn::metrics::Summary;
use privet::privacy::features::{Decoding, Settings};
use privet_lab::experiments::ldp_ge::{Experiment, Task, Variant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::var_os("PRIVET_DATA_DIR").ok_or("set PRIVET_DATA_DIR")?;
    let folders = [PathBuf::from(folder)];
    let cora = catalog::select("cora")?.load(&folders, &ReadOptions::default())?.into_nodes()?;
    for (task, system) in [(Task::Nodes, nodes()), (Task::Links, links())] {
        let private = Private::FEATURES;
        let volunteers = None;
        let experiment = Experiment { dataset: &cora, task, system: &system, private, volunteers };
        let stop = AtomicBool::new(false);
        let run = |seed| experiment.run(Variant::Ceiling, seed, &stop).map(|(score, _)| score.test);
        let scores: Vec<f64> = (0..5).map(run).collect::<Result<_, _>>()?;
        let summary = Summary::of(&scores).ok_or("no runs")?;
        println!("{task:?}: {:.4} +- {:.4} over 5 seeds", summary.mean, summary.deviation);
    }
    Ok(())
}

fn nodes() -> LdpGe {
    let embedding = embedding(0.2, 0.7);
    let learner = Learner { hidden: vec![256], dropout: 0.8, batch: 128, ..Learner::default() };
    LdpGe { protection: unused(), embedding, labels: None, learner }
}

fn links() -> LdpGe {
    let learner = Learner {
        hidden: vec![256],
        dropout: 0.6,
        weight_decay: 1e-4,
        learning_rate: 0.001,
        batch: 128,
        epochs: 60,
        patience: 10,
    };
    LdpGe { protection: unused(), embedding: embedding(0.3, 0.5), labels: None, learner }
}

fn embedding(alpha: f64, exponent: f64) -> Embedding {
    Embedding { alpha, exponent, method: Method::Power(1e-3), sketch: None, scaling: Scaling::Rows }
}

/// The ceiling protects nothing, so nothing of this is looked at.
fn unused() -> Protection {
    let (settings, decoding) = (Settings::default(), Decoding::Unbiased);
    let features = FeatureProtection { mechanism: "hds".into(), epsilon: 1.0, settings, decoding };
    Protection { features, label_epsilon: 1.0, edges: EdgeProtection::recommended(1.0, 1) }
}
