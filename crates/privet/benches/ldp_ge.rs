//! One full run of LDP-GE on Cora: every user's reports, propagation, training, evaluation; in seconds of
//! processor time, beside the authors' Python.
//!
//! `cargo bench -p privet --bench ldp_ge`, with the data in `PRIVET_DATA_DIR`; without it, on made-up people
//! of the same number. The authors' program takes about 200 seconds of processor time for such a run
//! (measured once, on a machine like the one the documented figure is from).

use std::path::PathBuf;
use std::time::Instant;

use privet::Run;
use privet::data::synthetic::StochasticBlocks;
use privet::data::{catalog, formats::ReadOptions};
use privet::graph::{Dataset, Split, SplitShares};
use privet::ldp_ge::{
    ClassifierKind, FeatureProtection, LabelSpread, LdpGe, ListProtection, People, Preset, Private,
    Protection,
};
use privet::learn::metrics::accuracy;
use privet::privacy::features::FeatureSettings;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// The authors' processor seconds.
const AUTHORS: f64 = 200.0;
const RUNS: u64 = 5;

fn main() -> Result<(), AnyError> {
    // One thread: wall time is processor time.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let dataset = people()?;
    let system = system(dataset.graph().node_count());
    let (mut seconds, mut scores) = (Vec::new(), Vec::new());
    for seed in 0..RUNS {
        let begun = Instant::now();
        scores.push(run(&dataset, &system, seed)?);
        seconds.push(begun.elapsed().as_secs_f64());
    }
    let mean = seconds.iter().sum::<f64>() / RUNS as f64;
    let least = seconds.iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "{}: {mean:.2} s a run on one thread (least {least:.2}), accuracy {:.3}; authors' {AUTHORS} \
         processor seconds are {:.0}x that",
        dataset.name(),
        scores.iter().sum::<f64>() / RUNS as f64,
        AUTHORS / mean,
    );
    Ok(())
}

fn people() -> Result<Dataset, AnyError> {
    let Some(folder) = std::env::var_os("PRIVET_DATA_DIR") else {
        println!("PRIVET_DATA_DIR is not set: made-up people in place of Cora's");
        let people =
            StochasticBlocks { nodes: 2708, classes: 7, features: 1433, ..Default::default() };
        return Ok(people.generate(1)?);
    };
    let folders = [PathBuf::from(folder)];
    Ok(catalog::select("cora")?.load(&folders, &ReadOptions::default())?.into_nodes()?)
}

/// The preset, with HDS at epsilon 1.
fn system(people: usize) -> LdpGe {
    let preset = Preset::nodes("cora");
    let features = FeatureProtection {
        mechanism: "hds".into(),
        epsilon: 1.0,
        settings: FeatureSettings { k: Some(preset.k), ..FeatureSettings::default() },
        decoding: preset.decoding,
    };
    let edges = ListProtection::recommended(1.0, people);
    LdpGe {
        protection: Protection { features, label_epsilon: 1.0, edges },
        embedding: preset.embedding,
        labels: LabelSpread::default(),
        ways: vec![ClassifierKind::Features],
        learner: preset.learner,
    }
}

/// Everything from people to a score on test data.
fn run(dataset: &Dataset, system: &LdpGe, seed: u64) -> Result<f64, AnyError> {
    let people = People::new(dataset, Private::FEATURES)?;
    let split = Split::random(dataset.graph().nodes(), SplitShares::HALF_QUARTER_QUARTER, seed)?;
    let run = Run::simulation(seed);
    let classified = system.classify(&people, &split, &run)?;
    let labels = dataset.labels().ok_or("no labels")?;
    let test = split.test.iter();
    let truth: Vec<u32> =
        test.clone().map(|&node| labels.class(node).unwrap_or(u32::MAX)).collect();
    let predicted: Vec<u32> = test.map(|&node| classified.get().predicted[node as usize]).collect();
    accuracy(&predicted, &truth).ok_or_else(|| "no test nodes".into())
}
