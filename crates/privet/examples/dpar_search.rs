//! Which settings a node-private classifier does best with, at an honest epsilon.
//!
//! `cargo run --release -p privet --example dpar_search -- DATASET EPSILON DELTA [test]`
//!
//! Settings are compared on validation people (seeds 100 to 104), who are no part of the test; with `test` the
//! rigorous defaults are measured on the test people of seeds 0 to 9, beside the other methods.

use std::error::Error;
use std::sync::atomic::AtomicBool;

use privet::dpar::{Books, Dpar, Held, Inductive, Method, Mode, Noise, Run, Settings};
use privet::graph::io::ReadOptions;
use privet::graph::{Dataset, catalog};
use privet::learn::metrics::{Summary, accuracy};
use privet::privacy::Loss;
use privet::privacy::unit::Node;

fn main() -> Result<(), Box<dyn Error>> {
    let typed: Vec<String> = std::env::args().skip(1).collect();
    let [name, epsilon, delta, rest @ ..] = typed.as_slice() else {
        return Err("expected DATASET EPSILON DELTA".into());
    };
    let dataset = load(name)?;
    let target = Loss::new(epsilon.parse()?, delta.parse()?)?;
    if rest.first().is_some_and(|word| word == "test") {
        for (mode, method) in [
            (Mode::Rigorous, Method::Spread),
            (Mode::Rigorous, Method::Features),
            (Mode::Rigorous, Method::Em0),
            (Mode::Rigorous, Method::Em1),
            (Mode::Rigorous, Method::Gm),
            (Mode::Rigorous, Method::Gap),
            (Mode::Paper, Method::Em0),
            (Mode::Paper, Method::Em1),
            (Mode::Paper, Method::Gm),
            (Mode::Paper, Method::Features),
        ] {
            let mut settings = Settings::of(mode);
            if method == Method::Gm {
                settings.structure.clip = 0.01;
            }
            let system = Dpar { method, mode, target, settings };
            measure(&dataset, &system, Held::Test, 0..10, &format!("{mode:?}"))?;
        }
        return Ok(());
    }
    let method = match rest.first().map(String::as_str) {
        Some("gap") => Method::Gap,
        _ => Method::Spread,
    };
    for projection in [0, 32, 128] {
        for (batch, steps, learning_rate) in
            [(1.0, 20, 0.2), (1.0, 60, 0.05), (0.25, 60, 0.2), (0.25, 150, 0.05), (0.25, 150, 0.02)]
        {
            let mut settings = Settings { projection, ..Settings::rigorous() };
            (settings.model.batch, settings.model.steps) = (batch, steps);
            settings.model.learning_rate = learning_rate;
            let system = Dpar { method, mode: Mode::Rigorous, target, settings };
            let what =
                format!("projection {projection} batch {batch} steps {steps} rate {learning_rate}");
            measure(&dataset, &system, Held::Validation, 100..105, &what)?;
        }
    }
    Ok(())
}

fn measure(
    dataset: &Dataset,
    system: &Dpar,
    held: Held,
    seeds: std::ops::Range<u64>,
    what: &str,
) -> Result<(), Box<dyn Error>> {
    let never = AtomicBool::new(false);
    let people = Inductive::split(dataset, held, 0)?.training.len();
    let plan = system.plan::<Node>(people)?;
    let (mut scores, mut seconds) = (Vec::new(), Vec::new());
    for seed in seeds {
        let people = Inductive::split(dataset, held, seed)?;
        let run = Run { noise: Noise::Replay(seed), books: Books::Memory, seed, interrupt: &never };
        let begun = std::time::Instant::now();
        let result = system.classify::<Node>(&plan, &people, &run)?;
        seconds.push(begun.elapsed().as_secs_f64());
        scores.push(accuracy(&result.predicted, &people.visitors.classes).unwrap_or(0.0));
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
        return Ok(privet::graph::synthetic::StochasticBlocks::default().generate(7)?);
    }
    let folders = catalog::data_dirs(None);
    Ok(catalog::select(name)?.load(&folders, &ReadOptions::default())?.into_nodes()?)
}
