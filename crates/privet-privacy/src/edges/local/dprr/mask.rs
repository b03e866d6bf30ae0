//! [`Mask`]: which positions are kept, found by skipping over the others.
//!
//! The gap before the next kept position is geometric: `floor(log(u) / log(1 - q))` for a uniform `u`
//! in (0, 1]. It is computed in floats (with logarithms that are the same on every machine), which
//! the proof of DPRR allows: the mask depends on the data through `q` alone.

use crate::noise::RandomWords;

/// Positions kept independently, each with the same probability.
pub(super) struct Mask {
    /// `1 / log(1 - q)`: minus zero where everything is kept.
    scale: f64,
}

impl Mask {
    /// The mask that keeps with probability `rate`; `None` if it keeps nothing.
    pub(super) fn new(rate: f64) -> Option<Self> {
        let kept = rate.min(1.0);
        (kept > 0.0).then(|| Self { scale: 1.0 / libm::log1p(-kept) })
    }

    /// How many positions to skip before the next kept one; more than `most` are as good as `most`.
    #[inline]
    pub(super) fn gap(&self, most: u64, words: &mut impl RandomWords) -> u64 {
        words.bits_in_runs(|bits| {
            // In (0, 1], never 0, so the logarithm is finite; floor(log U / log(1 - q)) is geometric. The mask
            // depends on the noisy degree alone: its law is post-processing, and may be a float's.
            let uniform = (bits + 1) as f64 * 2f64.powi(-53);
            // Beyond u64 the cast saturates.
            ((libm::log(uniform) * self.scale) as u64).min(most)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::noise::testing::assert_fits;

    #[test]
    fn gaps_are_geometric() {
        let mut noise = NoiseRng::replay(51).next_release().into_stream();
        for rate in [0.01, 0.3, 0.9] {
            let mask = Mask::new(rate).unwrap();
            let cells = 12usize;
            let mut counts = vec![0u64; cells];
            for _ in 0..200_000 {
                counts[(mask.gap(u64::MAX, &mut noise) as usize).min(cells - 1)] += 1;
            }
            let mut law: Vec<f64> =
                (0..cells - 1).map(|g| rate * (1.0 - rate).powi(g as i32)).collect();
            law.push((1.0 - rate).powi(cells as i32 - 1));
            assert_fits(&counts, &law);
        }
    }

    #[test]
    fn everything_and_nothing() {
        let mut noise = NoiseRng::replay(52).next_release().into_stream();
        let all = Mask::new(1.0).unwrap();
        assert!((0..1000).all(|_| all.gap(u64::MAX, &mut noise) == 0));
        assert!(Mask::new(0.0).is_none());
        assert!(Mask::new(1e-300).unwrap().gap(u64::MAX, &mut noise) > 1 << 40);
    }
}
