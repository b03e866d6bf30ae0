//! [`Lattice`]: sums of integers, with Gaussian noise that is exact, up to the release.
//!
//! # Idea
//! What one record contributes becomes a vector of integers, its norm checked in integers. Sums of integers are exact, and
//! so is their noise ([`RoundedGaussian`]). The only float is the last: the released integer times a public step.
//!
//! # Guarantee
//! *Lemma.* Let the sums of neighbouring inputs be integers at most [`reach`](Lattice::reach) apart in the Euclidean norm. Then
//! what [`noisy`](Lattice::noisy) gives costs no more than `Gaussian(σ)`.
//! *Proof.* `s + floor(2^b Z) = floor(s + 2^b Z)` for integers s: the release is a function of the Gaussian mechanism with
//! deviation 2^b. Its deviation over its sensitivity is `2^b / reach`, and `reach ≤ 2^b / σ`. Multiplying a released integer
//! by the step, and rounding that, is post-processing. ∎
//!
//! A noisy integer n stands for the middle of what was rounded to it, n + 1/2, so that noise has mean 0.
//!
//! # Why not floats
//! The sum of two `f32` is a multiple of the finer of their last places. Noise alone has digits that noise on 1/8 cannot have:
//! in 64 columns, one release in three tells with certainty that nothing was added.

use crate::error::{Error, Result};
use crate::fault::{self, Fault};
use crate::noise::rng::ReleaseNoise;
use crate::noise::{NoiseSource, RandomWords, RoundedGaussian};

/// Digits of noise that come from a draw's first word: a finer lattice costs a second one.
const ONE_WORD: i32 = 43;
/// How much coarser than asked for a lattice may be, in binary digits, to spare that word.
const SPARED: i32 = 8;

/// A lattice on which noise of multiplier σ has deviation 2^b steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lattice {
    noise: RoundedGaussian,
    reach: u64,
}

impl Lattice {
    /// The lattice for a noise multiplier on which neighbouring sums are about `2^finest` steps apart.
    ///
    /// # Errors
    /// If no lattice is that fine, or that coarse.
    pub fn new(noise_multiplier: f64, finest: i32) -> Result<Self> {
        let expected = "from 1e-15 to 1e15";
        let refused = || Error::range("noise multiplier", noise_multiplier, expected);
        if !(1e-18..=1e18).contains(&noise_multiplier) {
            return Err(refused());
        }
        // σ is at least 2^magnitude.
        let magnitude = (noise_multiplier.to_bits() >> 52) as i32 - 1023;
        let wanted = finest + magnitude;
        let spared = wanted.min((wanted - SPARED).max(ONE_WORD));
        let bits = spared.min(RoundedGaussian::MOST_BITS);
        let noise = RoundedGaussian::new(bits).map_err(|_| refused())?;
        // The quotient is rounded, so that the number below it is the one that is certainly not too large.
        // Noise of deviation 2^bits on sums at most `reach` apart has multiplier 2^bits/reach >= σ.
        let reach = (2f64.powi(bits) / noise_multiplier).next_down() as u64;
        if reach == 0 { Err(refused()) } else { Ok(Self { noise, reach }) }
    }

    /// How many steps neighbouring sums may be apart.
    pub fn reach(&self) -> u64 {
        self.reach
    }

    /// One draw of noise, in steps.
    pub fn draw<W: RandomWords + ?Sized>(&self, words: &mut W) -> i64 {
        self.noise.draw(words)
    }

    /// Sums with noise, as multiples of a public step.
    pub fn noisy(&self, mut sums: Vec<i64>, step: f64, noise: impl NoiseSource) -> Vec<f32> {
        if fault::on(Fault::NoiseAddedInFloats) {
            let mut drawn = vec![0; sums.len()];
            self.noise.add_to(&mut drawn, noise);
            let pairs = sums.iter().zip(&drawn);
            return pairs
                .map(|(&sum, &z)| (sum as f64 * step) as f32 + released(z, step))
                .collect();
        }
        // Integers are added to integers: nothing is rounded between the sum and its release.
        self.noise.add_to(&mut sums, noise);
        sums.iter().map(|&sum| released(sum, step)).collect()
    }

    /// The part that begins at `first` of what [`noisy`](Self::noisy) would give for all. The caller sees to it that no part
    /// comes twice.
    pub fn noisy_part(
        &self,
        mut sums: Vec<i64>,
        first: usize,
        step: f64,
        noise: ReleaseNoise,
    ) -> Vec<f32> {
        self.noise.add_to_part(&mut sums, first, noise);
        sums.iter().map(|&sum| released(sum, step)).collect()
    }
}

/// What a noisy integer stands for.
pub(crate) fn released(steps: i64, step: f64) -> f32 {
    middle(steps, step) as f32
}

/// The same in all digits.
pub(crate) fn middle(steps: i64, step: f64) -> f64 {
    // The noise is floor(2^b Z), half a step below 2^b Z on average.
    (steps as f64 + 0.5) * step
}

/// Numbers times a factor, cut towards zero: integers, whose norm is at most `radius`.
///
/// Where the factor was too large every coordinate is moved towards zero until they fit: what comes out is a function of
/// these numbers alone, and its norm is compared in integers.
pub(crate) fn within(radius: u64, values: impl Iterator<Item = f64>, factor: f64) -> Vec<i64> {
    let mut steps: Vec<i64> = values.map(|value| (value * factor) as i64).collect();
    let most = u128::from(radius).pow(2);
    loop {
        let found = square(&steps);
        if found.is_some_and(|square| square <= most) {
            return steps;
        }
        // Each round shrinks the norm, and the extra step towards zero makes sure that rounding cannot stall it.
        let shorter = radius as f64 / (found.unwrap_or(u128::MAX) as f64).sqrt();
        for step in &mut steps {
            *step = (*step as f64 * shorter.min(1.0)) as i64;
            *step -= step.signum();
        }
    }
}

/// The square of the norm, if 128 bits hold it.
pub(crate) fn square(steps: &[i64]) -> Option<u128> {
    let squares = steps.iter().map(|step| u128::from(step.unsigned_abs()).pow(2));
    let mut sum = 0u128;
    for square in squares {
        sum = sum.checked_add(square)?;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu::rational::RBig;
    use proptest::prelude::*;

    proptest! {
        /// reach · σ ≤ 2^b, in exact arithmetic, and not far below.
        #[test]
        fn the_multiplier_is_kept(log in -38.0f64..38.0, finest in 20i32..44) {
            let sigma = log.exp();
            prop_assume!((1e-15..1e15).contains(&sigma));
            let Ok(lattice) = Lattice::new(sigma, finest) else { return Ok(()) };
            let bits = lattice.noise.bits();
            let reach = RBig::from(lattice.reach()) * RBig::try_from(sigma).unwrap();
            let deviation = RBig::try_from(2f64.powi(bits)).unwrap();
            prop_assert!(reach <= deviation);
            prop_assert!(lattice.reach() <= 1 << finest);
            if bits < RoundedGaussian::MOST_BITS {
                prop_assert!(lattice.reach() >= 1 << (finest - SPARED - 1), "{}", lattice.reach());
            }
        }

        #[test]
        fn what_is_within_is_within(
            values in prop::collection::vec(-1e3f64..1e3, 0..40), radius in 0u64..1 << 40, more in 0.5f64..1.5
        ) {
            let norm = values.iter().map(|v| v * v).sum::<f64>().sqrt().max(1e-9);
            let steps = within(radius, values.iter().copied(), more * radius as f64 / norm);
            prop_assert!(square(&steps).unwrap() <= u128::from(radius).pow(2));
            for (step, value) in steps.iter().zip(&values) {
                prop_assert!(*step == 0 || (*step > 0) == (*value > 0.0));
            }
        }
    }

    #[test]
    fn the_usual_multipliers_need_one_word_and_extreme_ones_are_refused() {
        for sigma in [0.5, 1.0, 5.0, 100.0, 400.0] {
            assert!(Lattice::new(sigma, 40).unwrap().noise.bits() <= ONE_WORD, "{sigma}");
        }
        assert_eq!(Lattice::new(1.0, 40).unwrap().reach(), (1 << 40) - 1);
        for sigma in [0.0, -1.0, 1e-19, 1e19, f64::NAN, f64::INFINITY] {
            assert!(Lattice::new(sigma, 40).is_err(), "{sigma}");
        }
        assert_eq!(within(3, [f64::NAN, 2.9, -2.9].into_iter(), 1.0), [0, 2, -2]);
    }
}
