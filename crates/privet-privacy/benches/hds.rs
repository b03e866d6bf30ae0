//! HDS on generated feature matrices of two published shapes, through a ledger, on one thread: seconds
//! of processor time (best of several rounds) and draws per second.
//!
//! One line of `key=value` words per shape, which `benches/hds_torch.py` compares with dense tensors.
//!
//! `cargo bench -p privet-privacy --bench hds -- [ROUNDS]`

use std::time::Instant;

use privet_graph::{Bounds, BoundsOrigin, Features, SimRng, SparseBuilder};
use privet_privacy::features::{Hds, Scale};
use privet_privacy::noise::NoiseRng;
use privet_privacy::{Ledger, Loss, Secret};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

const K: usize = 20;

fn main() -> Result<(), AnyError> {
    let rounds = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(5);
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    // Rows, columns and values other than zero per row, as in Pubmed and in Wikipedia's squirrels.
    for (rows, columns, nonzeros) in [(19_717, 500, 50), (11_631, 13_183, 190)] {
        let secret = Secret::new(generated(rows, columns, nonzeros)?);
        let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?;
        let hds = Hds::with_k(1.0, Scale::new(columns, Some(&bounds))?, K)?;
        let mut best = f64::INFINITY;
        for round in 0..rounds {
            best = best.min(one_thread.install(|| release(&secret, &hds, round))?);
        }
        let draws = (rows * K) as f64 / best / 1e6;
        println!(
            "rows={rows} columns={columns} k={K} cpu_seconds={best:.5} million_draws={draws:.1}"
        );
    }
    Ok(())
}

/// Seconds of processor time for one release.
fn release(secret: &Secret<Features>, hds: &Hds, seed: u64) -> Result<f64, AnyError> {
    let mut ledger = Ledger::in_memory(Loss::new(1.0, 0.0)?, NoiseRng::replay(seed))?;
    let start = Instant::now();
    let before = seconds(start);
    let reports = ledger.release_each(secret, hds)?;
    let used = seconds(start) - before;
    assert_eq!(reports.get().len(), secret.user_count());
    Ok(used)
}

/// Seconds of processor time this thread has used where Linux tells, of wall time elsewhere.
fn seconds(start: Instant) -> f64 {
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = used.as_deref().and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanos.map_or_else(|| start.elapsed().as_secs_f64(), |nanos| nanos / 1e9)
}

/// Sparse rows of fractions.
fn generated(rows: usize, columns: usize, nonzeros: usize) -> Result<Features, AnyError> {
    let mut builder = SparseBuilder::new(columns);
    for row in 0..rows {
        let mut rng = SimRng::stream(1, row as u64);
        let mut word = move || {
            let Ok(word) = rand_core::TryRng::try_next_u64(&mut rng);
            word
        };
        let mut entries: Vec<(u32, f32)> = (0..nonzeros)
            .map(|_| ((word() % columns as u64) as u32, (word() >> 40) as f32 / (1 << 24) as f32))
            .collect();
        entries.sort_by_key(|entry| entry.0);
        entries.dedup_by_key(|entry| entry.0);
        builder.push_row(&mut entries)?;
    }
    Ok(Features::sparse(builder.finish()))
}
