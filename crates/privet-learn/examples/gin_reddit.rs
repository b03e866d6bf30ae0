//! GIN-0 on REDDIT-BINARY (or another set of graphs in the catalogue) by cross-validation.
//!
//! `cargo run --release -p privet-learn --example gin_reddit -- [--folds N] [--epochs N] [--hidden N]
//! [--batch N] [--seed N] [--set NAME] [--degrees CAP] [--fold K]`
//!
//! The authors of GIN choose one epoch for all folds by its mean accuracy on the folds it is then
//! reported for. Here nothing is chosen by what is reported: in each fold a tenth of the training
//! graphs is held out, the parameters of the epoch that does best on them are kept, and those are
//! tested, once. Folds are stratified. The graphs are read from `PRIVET_DATA_DIR`.

use std::path::PathBuf;
use std::time::Instant;

use privet_graph::io::ReadOptions;
use privet_graph::{GraphSet, Labels, Split, SplitShares, catalog};
use privet_learn::metrics::{Summary, accuracy};
use privet_learn::models::gin::{Gin, GinConfig, GraphClassification, GraphInputs, NodeFeatures};
use privet_learn::train::{BatchSize, Fit, FitConfig, Schedule};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

struct Settings {
    set: String,
    folds: usize,
    epochs: usize,
    hidden: usize,
    batch: usize,
    seed: u64,
    /// One-hot degrees up to this cap in place of constant features.
    degrees: Option<u32>,
    /// Only this fold, from 1.
    fold: Option<usize>,
}

fn main() -> Result<(), AnyError> {
    let settings = settings()?;
    let set = load(&settings.set)?;
    let labels = set.labels().ok_or("the graphs have no classes")?;
    let config = GinConfig { hidden: settings.hidden, ..GinConfig::new(1, labels.class_count()) };
    let begun = Instant::now();
    let features = match set.node_tags() {
        Some(tags) if tags.iter().flatten().any(|&tag| tag > 0) => {
            let most = tags.iter().flatten().max().copied().unwrap_or(0);
            NodeFeatures::Tags { count: most + 1 }
        }
        _ => match settings.degrees {
            Some(cap) => NodeFeatures::Degree { cap },
            None => NodeFeatures::Constant,
        },
    };
    let inputs = GraphInputs::new(&set, features, config.rounds)?;
    let config = GinConfig { inputs: inputs.width(), ..config };
    let colours: Vec<usize> = (0..=config.rounds).map(|round| inputs.colours(round)).collect();
    println!(
        "{}: {} graphs, {} nodes, colours by round {colours:?} ({:.1} s)",
        set.name(),
        set.len(),
        set.node_count(),
        begun.elapsed().as_secs_f64()
    );
    let mut tested = Vec::new();
    for (number, fold) in Split::folds(labels, 10, settings.seed)?.iter().enumerate() {
        if number == settings.folds {
            break;
        }
        if settings.fold.is_some_and(|fold| fold != number + 1) {
            continue;
        }
        let start = Instant::now();
        let seed = settings.seed.wrapping_add(number as u64);
        let gin = GinConfig { seed, ..config.clone() };
        let (accuracy, validation, epoch) = run(gin, &settings, &inputs, labels, fold)?;
        println!(
            "fold {}: {:.2} % (validation {:.2} % in epoch {epoch}), {:.1} s",
            number + 1,
            100.0 * accuracy,
            100.0 * validation,
            start.elapsed().as_secs_f64()
        );
        tested.push(accuracy);
    }
    let summary = Summary::of(&tested).ok_or("no folds")?;
    println!(
        "accuracy {:.2} % +- {:.2} (standard deviation over {} folds), {:.0} s",
        100.0 * summary.mean,
        100.0 * summary.deviation,
        tested.len(),
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Trains on a fold; returns the accuracy on its test graphs, the best on those held out, and when.
fn run(
    gin: GinConfig,
    settings: &Settings,
    inputs: &GraphInputs,
    labels: &Labels,
    fold: &Split,
) -> Result<(f64, f64, usize), AnyError> {
    let shares = SplitShares { train: 0.9, validation: 0.1, test: 0.0 };
    let inner = Split::stratified(&labels.select(&fold.train), shares, gin.seed)?;
    let pick = |items: &[u32]| items.iter().map(|&at| fold.train[at as usize]).collect::<Vec<_>>();
    let (train, held_out) = (pick(&inner.train), pick(&inner.validation));
    let config = FitConfig {
        epochs: settings.epochs,
        batch: BatchSize::Examples(settings.batch),
        learning_rate: 0.01,
        schedule: Schedule::Step { every: (settings.epochs / 5).clamp(1, 50), factor: 0.5 },
        seed: gin.seed,
        ..FitConfig::default()
    };
    let mut gin = Gin::new(gin)?;
    let mut task = GraphClassification::new(&mut gin, inputs, labels, &train, &held_out)?;
    let report = Fit::new(config).run(&mut task)?;
    let truth: Vec<u32> = fold.test.iter().filter_map(|&graph| labels.class(graph)).collect();
    let tested = accuracy(&gin.predict(inputs, &fold.test)?, &truth).ok_or("nothing to test")?;
    Ok((tested, report.best_metric.unwrap_or(0.0), report.best_epoch.unwrap_or(0)))
}

fn load(name: &str) -> Result<GraphSet, AnyError> {
    let folder = std::env::var_os("PRIVET_DATA_DIR").ok_or("set PRIVET_DATA_DIR")?;
    let choice = catalog::select(name)?;
    Ok(choice.load(&[PathBuf::from(folder)], &ReadOptions::default())?.into_graphs()?)
}

fn settings() -> Result<Settings, AnyError> {
    let set = "reddit_binary".to_owned();
    let mut settings = Settings {
        set,
        folds: 10,
        epochs: 60,
        hidden: 32,
        batch: 32,
        seed: 0,
        degrees: None,
        fold: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--folds" => settings.folds = value.parse()?,
            "--epochs" => settings.epochs = value.parse()?,
            "--hidden" => settings.hidden = value.parse()?,
            "--batch" => settings.batch = value.parse()?,
            "--seed" => settings.seed = value.parse()?,
            "--degrees" => settings.degrees = Some(value.parse()?),
            "--fold" => settings.fold = Some(value.parse()?),
            "--set" => settings.set = value,
            _ => return Err(format!("unknown option {word}").into()),
        }
    }
    Ok(settings)
}
