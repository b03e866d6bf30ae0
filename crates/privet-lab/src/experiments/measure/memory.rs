//! How many runs fit into memory side by side.

use std::num::NonZeroUsize;

use super::Measurement;
use crate::experiments::ldp_ge::Variant;

/// What may be used of the memory that is free: others live here too.
const SHARE: f64 = 0.7;

impl Measurement<'_> {
    /// About how many bytes one run holds at its peak.
    fn bytes(&self) -> u64 {
        let dataset = self.data.dataset;
        let rows = dataset.graph().node_count() as u64;
        let columns = dataset.features().map_or(0, |features| features.columns()) as u64;
        let width = self.settings.embedding.sketch.map_or(columns, |s| columns.min(s as u64));
        let sent = match self.variant {
            Variant::Ceiling => 0,
            _ => self.reports.k.map_or(columns, |k| columns.min(k as u64)),
        };
        // A report's number and its decoded float; then the rounds of a propagation, three at a time,
        // and a copy for the learner.
        rows * (sent * (16 + 4) + width * 4 * 4)
    }
}

/// As many threads as wanted, or fewer if the largest runs would not fit into `available` bytes.
pub fn threads_that_fit(
    wanted: &[Measurement<'_>],
    threads: NonZeroUsize,
    available: Option<u64>,
) -> NonZeroUsize {
    let largest = wanted.iter().map(Measurement::bytes).max().unwrap_or(0).max(1);
    let Some(available) = available else { return threads };
    let fitting = (available as f64 * SHARE / largest as f64) as usize;
    NonZeroUsize::new(fitting).map_or(NonZeroUsize::MIN, |fitting| fitting.min(threads))
}

/// Bytes that programs can still have, where the system tells (Linux).
pub fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{measurement, people};
    use super::*;

    #[test]
    fn large_runs_get_fewer_threads() {
        let dataset = people();
        let run = measurement(&dataset);
        // 80 rows: 3 numbers sent, 12 columns propagated.
        assert_eq!(run.bytes(), 80 * (3 * 20 + 12 * 16));
        let four = NonZeroUsize::new(4).unwrap();
        let fit = |available| threads_that_fit(std::slice::from_ref(&run), four, available).get();
        let size = run.bytes();
        assert_eq!(
            (fit(None), fit(Some(100 * size)), fit(Some(3 * size)), fit(Some(1))),
            (4, 4, 2, 1)
        );
    }
}
