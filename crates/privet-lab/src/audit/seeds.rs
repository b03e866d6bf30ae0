//! [`Seeds`]: as many unrelated seeds for an audit's noise as it needs, all from one.

use privet::privacy::noise::NoiseRng;

/// Seeds of one run of an audit.
#[derive(Debug, Clone, Copy)]
pub struct Seeds(u64);

impl Seeds {
    /// The seeds that follow from one number.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Seeds for a part of an audit, unrelated to those of any other part.
    #[must_use]
    pub fn part(self, part: u64) -> Self {
        // A bijection that mixes well (splitmix64), of a number that differs for every part.
        let mut mixed =
            self.0.wrapping_add(part.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self(mixed ^ mixed >> 31)
    }

    /// The seed itself.
    pub fn seed(self) -> u64 {
        self.0
    }

    /// Noise that is replayed from it.
    pub fn noise(self) -> NoiseRng {
        NoiseRng::replay(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_parts_differ() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..20 {
            for part in 0..20 {
                let first = Seeds::new(seed).part(part);
                assert!(seen.insert(first.seed()));
                assert!((0..20).all(|inner| seen.insert(first.part(inner).seed())));
            }
        }
    }
}
