//! [`Unpaid`]: random words for work on public data, which no ledger has to pay for.

use privet_graph::SimRng;
use rand_core::Rng;

use crate::noise::RandomWords;

/// Seeded words. Nothing private may depend on how they fall.
pub(crate) struct Unpaid(SimRng);

impl Unpaid {
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        Self(SimRng::stream(seed, stream))
    }

    /// Uniform on [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * 2f64.powi(-53)
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let at = self.below(last as u64 + 1) as usize;
            items.swap(at, last);
        }
    }
}

impl RandomWords for Unpaid {
    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
}
