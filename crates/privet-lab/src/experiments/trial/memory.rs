//! How many runs fit into memory side by side.

use std::num::NonZeroUsize;

/// What may be used of the memory that is free: others live here too.
const SHARE: f64 = 0.7;

/// As many threads as wanted, or fewer if runs of so many bytes would not fit into `available` ones.
pub fn threads_that_fit(bytes: u64, threads: NonZeroUsize, available: Option<u64>) -> NonZeroUsize {
    let Some(available) = available else { return threads };
    let fitting = (available as f64 * SHARE / bytes.max(1) as f64) as usize;
    NonZeroUsize::new(fitting).map_or(NonZeroUsize::MIN, |fitting| fitting.min(threads))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_runs_get_fewer_threads() {
        let four = NonZeroUsize::new(4).unwrap();
        let fit = |available| threads_that_fit(1000, four, available).get();
        assert_eq!((fit(None), fit(Some(100_000)), fit(Some(3000)), fit(Some(1))), (4, 4, 2, 1));
    }
}
