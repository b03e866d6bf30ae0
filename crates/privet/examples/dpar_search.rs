//! Which settings a node-private classifier does best with, at an honest epsilon.
//!
//! `cargo run --release -p privet --example dpar_search -- NAME|FILE EPSILON DELTA [test | default | votes | paper | gap | class-sums | rule]`
//!
//! Settings are compared on validation people (seeds 100 to 104), who are no part of the test; with `test` the
//! rigorous defaults are measured on the test people of seeds 0 to 9, with `default` the method that public facts choose, with `votes`
//! `neighbour-votes`, with `paper` the printed noise. `gap` and `class-sums` search
//! the settings of those methods, nothing the settings of `smoothed-sgd`. `rule` compares the methods that
//! [`Method::for_people`](privet::Method::for_people) chooses from. `groups` is a dataset of 250,000 generated people.

use std::error::Error;

use privet::Facts;
use privet::Method;
use privet::Run;
use privet::data::catalog;
use privet::data::formats::ReadOptions;
use privet::dpar::{Dpar, HeldOut, Inductive, Inference, Mode, Settings};
use privet::graph::{
    Bounds, BoundsOrigin, Dataset, DenseMatrix, Direction, Features, Graph, Labels, NodeIds, SimRng,
};
use privet::learn::metrics::{Summary, accuracy};
use privet::privacy::Loss;
use privet::privacy::unit::Node;
use rand::RngExt;

fn main() -> Result<(), Box<dyn Error>> {
    let typed: Vec<String> = std::env::args().skip(1).collect();
    let [name, epsilon, delta, rest @ ..] = typed.as_slice() else {
        return Err("expected DATASET EPSILON DELTA".into());
    };
    let dataset = load(name)?;
    let target = Loss::new(epsilon.parse()?, delta.parse()?)?;
    let word = rest.first().map_or("", String::as_str);
    if let "test" | "paper" = word {
        let mode = if word == "test" { Mode::Rigorous } else { Mode::Paper };
        let plain = Method::DPAR.map(|method| (method, 0));
        for (method, projection) in [(Method::SmoothedSgd, 64)].into_iter().chain(plain) {
            let printed = method.reads_structure() || method == Method::Features;
            if mode == Mode::Paper && !printed {
                continue;
            }
            let mut settings = Settings { projection, ..Settings::of(mode) };
            if method == Method::Gm {
                settings.structure.clip = 0.01;
            }
            let system = Dpar { method, mode, target, settings };
            let what = format!("{mode:?} projection {projection}");
            measure(&dataset, &system, HeldOut::Test, 0..10, &what)?;
        }
        return Ok(());
    }
    if let "default" | "votes" = word {
        let people = Inductive::split(&dataset, HeldOut::Test, 0)?.training.len();
        let Facts { columns, classes, .. } = Facts::of(&dataset);
        let method = match word {
            "votes" => Method::NeighbourVotes,
            _ => Method::for_people(target, people, columns, classes)?,
        };
        let (mode, settings) = (Mode::Rigorous, Settings::rigorous());
        let system = Dpar { method, mode, target, settings };
        return measure(&dataset, &system, HeldOut::Test, 0..10, name);
    }
    if word == "rule" {
        for method in
            [Method::GradientDescent, Method::HiddenLayer, Method::ClassSums, Method::SmoothedSgd]
        {
            let (mode, settings) = (Mode::Rigorous, Settings::rigorous());
            let system = Dpar { method, mode, target, settings };
            measure(&dataset, &system, HeldOut::Validation, 100..103, "defaults")?;
        }
        return Ok(());
    }
    if word == "class-sums" {
        return means(&dataset, target);
    }
    let method = match rest.first().map(String::as_str) {
        Some("gap") => Method::Gap,
        _ => Method::SmoothedSgd,
    };
    let mild = Inference { rounds: 2, alpha: 0.5, agreement: 0.0 };
    let inferences = [(1, 0.5), (2, 0.25), (2, 0.7), (10, 0.5), (10, 0.25), (10, 0.1)];
    let inferences = inferences.map(|(rounds, alpha)| Inference { rounds, alpha, agreement: 0.0 });
    let trainings = [
        (0, 600.0, 60, 0.05),
        (0, 0.25, 60, 0.1),
        (0, 0.25, 150, 0.05),
        (0, 1.0, 60, 0.05),
        (64, 600.0, 60, 0.05),
        (64, 0.25, 150, 0.05),
        (256, 0.25, 150, 0.05),
    ];
    let first = trainings.map(|training| (training, mild));
    let second = inferences.map(|inference| (trainings[2], inference));
    for ((projection, batch, steps, learning_rate), inference) in first.into_iter().chain(second) {
        let mut settings = Settings { projection, inference, ..Settings::rigorous() };
        (settings.model.batch, settings.model.steps) = (batch, steps);
        settings.model.learning_rate = learning_rate;
        let system = Dpar { method, mode: Mode::Rigorous, target, settings };
        let what = format!(
            "projection {projection} batch {batch} steps {steps} rate {learning_rate}, rounds {} alpha {}",
            inference.rounds, inference.alpha
        );
        measure(&dataset, &system, HeldOut::Validation, 100..105, &what)?;
    }
    Ok(())
}

/// Noisy sums: how much answers are drawn together, and how they are spread.
fn means(dataset: &Dataset, target: Loss) -> Result<(), Box<dyn Error>> {
    let method = Method::ClassSums;
    for (rounds, alpha) in [(0, 0.5), (2, 0.5), (4, 0.3)] {
        for likeness in [0.0, 0.03, 0.1, 0.3, 1.0, 3.0] {
            let inference = Inference { rounds, alpha, agreement: 0.0 };
            let settings = Settings { likeness, inference, ..Settings::rigorous() };
            let system = Dpar { method, mode: Mode::Rigorous, target, settings };
            let what = format!("likeness {likeness}, rounds {rounds} alpha {alpha}");
            measure(dataset, &system, HeldOut::Validation, 100..105, &what)?;
        }
    }
    Ok(())
}

fn measure(
    dataset: &Dataset,
    system: &Dpar,
    held: HeldOut,
    seeds: std::ops::Range<u64>,
    what: &str,
) -> Result<(), Box<dyn Error>> {
    let people = Inductive::split(dataset, held, 0)?.training.len();
    let plan = system.plan::<Node>(people)?;
    let (mut scores, mut seconds) = (Vec::new(), Vec::new());
    for seed in seeds {
        let people = Inductive::split(dataset, held, seed)?;
        let run = Run::simulation(seed);
        let begun = std::time::Instant::now();
        let result = system.classify::<Node>(&plan, &people, &run)?;
        seconds.push(begun.elapsed().as_secs_f64());
        scores.push(accuracy(&result.get().predicted, &people.visitors.classes).unwrap_or(0.0));
    }
    let (Some(score), Some(seconds)) = (Summary::of(&scores), Summary::of(&seconds)) else {
        return Err("no seeds".into());
    };
    println!(
        "{} {what}: {:.4} ± {:.4}, sigma {:.3}, true epsilon {:.3}, {:.2} s",
        system.method.name(),
        score.mean,
        score.deviation,
        plan.training.noise_multiplier,
        plan.loss.epsilon.get(),
        seconds.mean
    );
    Ok(())
}

fn load(name: &str) -> Result<Dataset, Box<dyn Error>> {
    if name == "synthetic" {
        return Ok(privet::data::synthetic::StochasticBlocks::default().generate(7)?);
    }
    if name == "groups" {
        return groups(250_000);
    }
    if std::path::Path::new(name).is_file() {
        return Ok(privet::data::read(name)?.into_nodes()?);
    }
    let folders = catalog::data_dirs(None);
    Ok(catalog::select(name)?.load(&folders, &ReadOptions::default())?.into_nodes()?)
}

/// People of four classes, each of three Gaussian groups in 20 columns: no plane tells the classes apart.
fn groups(people: usize) -> Result<Dataset, Box<dyn Error>> {
    const COLUMNS: usize = 20;
    let mut rng = SimRng::new(5);
    let mut normal = || -> f32 { (0..12).map(|_| rng.random_range(-0.5f32..0.5)).sum() };
    let middles: Vec<f32> = (0..12 * COLUMNS).map(|_| 0.8 * normal()).collect();
    let mut rows = DenseMatrix::zeros(people, COLUMNS);
    for row in 0..people {
        let middle = &middles[row % 12 * COLUMNS..][..COLUMNS];
        let values = rows.row_mut(row).iter_mut().zip(middle);
        values.for_each(|(value, middle)| *value = (middle + normal()).clamp(-6.0, 6.0));
    }
    let classes = (0..people).map(|row| Some((row % 4) as u32)).collect();
    let names = ["a", "b", "c", "d"].map(String::from).to_vec();
    let bounds = Bounds::uniform(-6.0, 6.0, BoundsOrigin::Declared)?;
    let graph = Graph::empty(people, Direction::Undirected)?;
    Ok(Dataset::new("groups", graph, NodeIds::sequential(people))?
        .with_features(Features::dense(rows).with_bounds(bounds)?)?
        .with_labels(Labels::single(classes, names)?)?)
}
