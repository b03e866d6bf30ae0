//! What answers of a public model add on Cora, over people whose rows are all the same.
//!
//! `cargo run --release -p privet-lab --example answers -- [RUNS]`, with the data in `PRIVET_DATA_DIR`.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use privet::graph::{catalog, io::ReadOptions};
use privet::ldp_ge::Answers;
use privet::learn::metrics::{Paired, Summary};
use privet_lab::experiments::answers;
use privet_lab::experiments::ldp_ge::Variant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runs: u64 = std::env::args().nth(1).map_or(Ok(20), |typed| typed.parse())?;
    let folder = std::env::var_os("PRIVET_DATA_DIR").ok_or("set PRIVET_DATA_DIR")?;
    let folders = [PathBuf::from(folder)];
    let cora = catalog::select("cora")?.load(&folders, &ReadOptions::default())?.into_nodes()?;
    let stop = AtomicBool::new(false);
    println!("| epsilon | private | noise only | features added | 95 % interval | p |");
    println!("|---:|---:|---:|---:|---:|---:|");
    for epsilon in [0.5, 1.0, 2.0, 4.0] {
        let system = Answers { epsilon, ..Answers::default() };
        let score = |variant| {
            let run = |seed| answers::run(&cora, &system, 0.1, variant, seed, &stop);
            (0..runs)
                .map(|seed| run(seed).map(|score| 100.0 * score.test))
                .collect::<Result<_, _>>()
        };
        let (private, control): (Vec<f64>, Vec<f64>) =
            (score(Variant::Private)?, score(Variant::Control)?);
        let mean = |values: &[f64]| Summary::of(values).map_or(f64::NAN, |summary| summary.mean);
        let added = Paired::of(&private, &control).ok_or("at least one run")?;
        println!(
            "| {epsilon} | {:.1} | {:.1} | {:+.2} | {:+.2} to {:+.2} | {:.4} |",
            mean(&private),
            mean(&control),
            added.difference.mean,
            added.difference.low,
            added.difference.high,
            added.p_value
        );
    }
    Ok(())
}
