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

#[cfg(test)]
mod tests {
    use super::*;

    /// All of [0, 1), evenly, and to the last of 53 digits.
    #[test]
    fn units_fill_the_unit_interval() {
        let mut rng = Unpaid::new(1, 0);
        let drawn: Vec<f64> = (0..4000).map(|_| rng.unit()).collect();
        let mean = drawn.iter().sum::<f64>() / 4000.0;
        assert!((mean - 0.5).abs() < 0.03 && drawn.iter().all(|unit| (0.0..1.0).contains(unit)));
        assert!(drawn.iter().any(|unit| (unit * 2f64.powi(53)) % 2.0 == 1.0));
    }
}
