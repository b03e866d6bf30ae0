//! Dropout: in training each entry is zero with the probability `rate`, and the others are divided by
//! `1 - rate`, so that evaluation needs no change.
//!
//! Whether an entry is dropped is a hash of (seed, step, row, column): no state, no memory for a mask,
//! the same decision in forward and backward, and the same on any number of threads.

use privet_graph::DenseMatrix;

use crate::kernels::each_block;
use crate::{Error, Result};

/// Sets random entries to zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dropout {
    rate: f32,
    seed: u64,
}

impl Dropout {
    /// A layer with its own seed: two layers with the same seed would drop the same entries.
    ///
    /// # Errors
    /// If `rate` is not in [0, 1).
    pub fn new(rate: f32, seed: u64) -> Result<Self> {
        match (0.0..1.0).contains(&rate) {
            true => Ok(Self { rate, seed }),
            false => Err(Error::invalid("dropout rate", rate, "at least 0 and below 1")),
        }
    }

    /// The share of entries that is dropped.
    pub fn rate(&self) -> f32 {
        self.rate
    }

    /// Drops entries in place; `step` numbers the batches of a training run.
    pub fn forward(&self, step: u64, values: &mut DenseMatrix) {
        if self.rate == 0.0 || values.columns() == 0 {
            return;
        }
        let columns = values.columns();
        let (scale, key) = (1.0 / (1.0 - self.rate), mixed(self.seed ^ mixed(step)));
        // An entry stays if its hash, uniform on 32 bits, is not below this.
        let threshold = (f64::from(self.rate) * 4_294_967_296.0) as u32;
        each_block(
            values,
            #[inline(always)]
            |first, values| {
                for (row, values) in values.chunks_exact_mut(columns).enumerate() {
                    // Whether an entry is dropped is a hash of seed, step, row and column: backward needs no mask,
                    // and threads no order.
                    let key = mixed(key.wrapping_add((first + row) as u64));
                    drop_row(values, key, threshold, scale);
                }
            },
        );
    }

    /// Turns the gradient by the output into the gradient by the input, in place: the same entries
    /// are dropped and the others are scaled alike.
    pub fn backward(&self, step: u64, gradient: &mut DenseMatrix) {
        self.forward(step, gradient);
    }
}

#[inline(always)]
fn drop_row(values: &mut [f32], key: u64, threshold: u32, scale: f32) {
    let (low, high) = (key as u32, (key >> 32) as u32);
    for (column, value) in (0_u32..).zip(values) {
        // Two rounds of multiply-and-shift on 32 bits, which vectorises.
        let mut hash = (column ^ low).wrapping_mul(0x9e37_79b1);
        hash = (hash ^ (hash >> 15)).wrapping_add(high).wrapping_mul(0x85eb_ca77);
        hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae3d);
        hash ^= hash >> 16;
        // Inverted dropout: kept values are scaled by 1/(1 - rate), so evaluation needs no factor.
        *value = if hash >= threshold { *value * scale } else { 0.0 };
    }
}

/// The finalizer of `SplitMix64`, after one step of its counter.
fn mixed(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finite_differences::{assert_gradient, filled, weighted_sum};

    fn ones(rows: usize, columns: usize) -> DenseMatrix {
        DenseMatrix::new(rows, columns, vec![1.0; rows * columns]).unwrap()
    }

    fn dropped(rate: f32, seed: u64, step: u64) -> DenseMatrix {
        let mut values = ones(400, 250);
        Dropout::new(rate, seed).unwrap().forward(step, &mut values);
        values
    }

    #[test]
    fn gradient_matches_finite_differences() {
        let layer = Dropout::new(0.4, 7).unwrap();
        let (input, weights) = (filled(5, 4, 1), filled(5, 4, 2));
        let mut gradient = weights.clone();
        layer.backward(3, &mut gradient);
        assert_gradient(&input, &gradient, |input| {
            let mut output = input.clone();
            layer.forward(3, &mut output);
            weighted_sum(&output, &weights)
        });
    }

    /// 100,000 decisions: six standard deviations of the count are 6 sqrt(n p q).
    #[test]
    fn the_rate_is_right_in_all_and_in_every_row_and_column() {
        for rate in [0.1_f32, 0.5, 0.8] {
            let values = dropped(rate, 1, 1);
            let far = |zeros: usize, of: usize| {
                let (n, p) = (of as f64, f64::from(rate));
                (zeros as f64 - n * p).abs() > 6.0 * (n * p * (1.0 - p)).sqrt()
            };
            let zeros =
                |entries: &mut dyn Iterator<Item = f32>| entries.filter(|&v| v == 0.0).count();
            assert!(!far(zeros(&mut values.values().iter().copied()), 100_000));
            for row in 0..400 {
                assert!(!far(zeros(&mut values.row(row).iter().copied()), 250));
            }
            for column in 0..250 {
                assert!(!far(zeros(&mut (0..400).map(|row| values.row(row)[column])), 400));
            }
            let kept = 1.0 / (1.0 - rate);
            assert!(values.values().iter().all(|&v| v == 0.0 || v == kept));
        }
    }

    #[test]
    fn steps_and_seeds_are_independent() {
        let base = dropped(0.5, 1, 1);
        for other in [dropped(0.5, 1, 2), dropped(0.5, 2, 1)] {
            let pairs = base.values().iter().zip(other.values());
            let agreeing = pairs.filter(|(a, b)| a == b).count() as f64;
            assert!((agreeing - 50_000.0).abs() < 6.0 * 25_000.0_f64.sqrt());
        }
        assert_eq!(base, dropped(0.5, 1, 1));
    }

    #[test]
    fn the_mask_does_not_depend_on_threads_and_a_rate_of_zero_changes_nothing() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| dropped(0.5, 4, 4))
        };
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(3));
        assert_eq!(dropped(0.0, 4, 4), ones(400, 250));
        assert!(Dropout::new(1.0, 0).is_err() && Dropout::new(f32::NAN, 0).is_err());
    }
}
