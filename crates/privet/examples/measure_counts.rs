//! How far noisy counts are from the true ones, and how often their intervals hold them.
//!
//! ```text
//! cargo run --release -p privet --example measure_counts -- 200 ../shared/data/pgb/Facebook.txt.gz ...
//! ```
//! For every graph, question and epsilon: the median error in percent, the median width of the interval in percent, how
//! many of the draws had the truth inside, and the seconds of a draw. Noise comes from seeds: nothing here is a release.

use std::path::Path;
use std::time::Instant;

use privet::count::{Count, GraphQuestion};
use privet::graph::Fact;
use privet::graph::subgraph_counts::PlainGraph;
use privet::{Run, System};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let draws: u64 = arguments.next().ok_or("how many draws?")?.parse()?;
    println!("| graph | epsilon | question | truth | error % | width % | inside % | s a draw |");
    println!("|---|---:|---|---:|---:|---:|---:|---:|");
    for path in arguments {
        let path = Path::new(&path);
        let dataset = privet::data::read(path)?.into_nodes()?.taken_for_public(Fact::Ids);
        let plain = PlainGraph::of(dataset.graph());
        let paths = plain.two_step_counts();
        for epsilon in [0.1, 0.5, 1.0, 2.0] {
            for question in GraphQuestion::ALL {
                let truth = match question {
                    GraphQuestion::Connections => plain.edges(),
                    GraphQuestion::TwoStars => plain.stars(2),
                    GraphQuestion::ThreeStars => plain.stars(3),
                    GraphQuestion::Triangles => plain.triangles(),
                    GraphQuestion::FourCycles => paths.four_cycles,
                    GraphQuestion::TwoSteps => paths.pairs_within_two,
                    GraphQuestion::Degrees | GraphQuestion::Mixing => continue,
                } as f64;
                let asked = Count::new(vec![question], epsilon);
                let (mut errors, mut widths, mut inside) = (Vec::new(), Vec::new(), 0);
                let began = Instant::now();
                for seed in 0..draws {
                    let told = asked.run(dataset.clone(), &Run::simulation(seed))?;
                    let told = &told.get().answers[0].estimates[0];
                    errors.push((told.value - truth).abs());
                    widths.push(told.high - told.low);
                    inside += usize::from(told.low <= truth && truth <= told.high);
                }
                let share = |values: &mut Vec<f64>| {
                    values.sort_by(f64::total_cmp);
                    100.0 * values[values.len() / 2] / truth.max(1.0)
                };
                println!(
                    "| {} | {epsilon} | {} | {truth} | {:.3} | {:.2} | {:.1} | {:.3} |",
                    dataset.name(),
                    question.name(),
                    share(&mut errors),
                    share(&mut widths),
                    100.0 * inside as f64 / draws as f64,
                    began.elapsed().as_secs_f64() / draws as f64,
                );
            }
        }
    }
    Ok(())
}
