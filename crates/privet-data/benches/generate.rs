//! How long the generators take, as a ratio to merely writing the same number of pairs.
//!
//! `cargo bench -p privet-data --bench generate`

use std::hint::black_box;
use std::time::Instant;

use privet_data::synthetic::{BarabasiAlbert, ErdosRenyi, PowerLaw, StochasticBlocks};
use privet_graph::{Dataset, Result};

const EDGES: usize = 10_000_000;

fn main() -> Result<()> {
    let start = Instant::now();
    black_box((0..EDGES as u32).map(|i| [i, i ^ 1]).collect::<Vec<_>>());
    let writing = start.elapsed().as_secs_f64();
    println!("{:<28} {writing:>8.3} s   (baseline)", "write 10 M pairs");

    type Model = (&'static str, fn() -> Result<Dataset>);
    let nodes = EDGES / 5;
    assert_eq!(nodes, 2_000_000);
    let models: [Model; 4] = [
        ("Barabási-Albert, m = 5", || {
            BarabasiAlbert { nodes: 2_000_005, edges_per_node: 5 }.generate(1)
        }),
        ("Erdős-Rényi", || ErdosRenyi { nodes: 2_000_000, edges: EDGES }.generate(1)),
        ("power law, exponent 2.5", || {
            PowerLaw { nodes: 2_000_000, mean_degree: 10.0, exponent: 2.5 }.generate(1)
        }),
        ("stochastic blocks", || {
            let model = StochasticBlocks {
                nodes: 2_000_000,
                mean_degree: 10.0,
                features: 0,
                ..Default::default()
            };
            model.generate(1)
        }),
    ];
    for (name, generate) in models {
        let start = Instant::now();
        let dataset = generate()?;
        let seconds = start.elapsed().as_secs_f64();
        let edges = dataset.graph().edge_count();
        println!(
            "{name:<28} {seconds:>8.3} s   {edges:>10} edges, {:>5.0}x writing",
            seconds / writing
        );
    }
    Ok(())
}
