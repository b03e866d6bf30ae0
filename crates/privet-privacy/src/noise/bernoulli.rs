//! Coins: [`Bernoulli`] with a rational probability, and coins with probability e^-γ.
//!
//! # Exactness of `Bernoulli`
//! For `p = a / b` the constructor divides once, `a · 2⁶⁴ = threshold · b + remainder`. A random
//! word below the threshold means true, above it false, and the one equal word (probability 2⁻⁶⁴)
//! asks a second coin of probability `remainder / b`. So
//!
//! `P(true) = (threshold + remainder / b) / 2⁶⁴ = a / b`
//!
//! without any rounding, at the price of one comparison. Time does not depend on the outcome
//! except in that one case in 2⁶⁴.

use super::random_words::RandomWords;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// A coin that is true with probability exactly `numerator / denominator`.
///
/// ```
/// use privet_privacy::noise::{Bernoulli, NoiseRng};
/// let third = Bernoulli::new(1, 3)?;
/// let mut noise = NoiseRng::replay(7).next_release().into_stream();
/// let heads = (0..30_000).filter(|_| third.draw(&mut noise)).count();
/// assert!((9_500..10_500).contains(&heads));
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bernoulli {
    threshold: u64,
    remainder: u128,
    denominator: u128,
}

/// Rounds of the 64-lane coin that are always made. After them all lanes are decided except with
/// probability 64 · 2⁻³², so that time says next to nothing about the lanes.
const STEADY_ROUNDS: u32 = 32;

impl Bernoulli {
    /// The coin of probability `numerator / denominator`; the denominator is at most 2¹²⁶.
    pub fn new(numerator: u128, denominator: u128) -> Result<Self> {
        if denominator == 0 || denominator > 1 << 126 {
            return Err(Error::range("denominator of a coin", denominator, "1 to 2^126"));
        }
        if numerator > denominator {
            let found = format!("{numerator}/{denominator}");
            return Err(Error::range("probability of a coin", found, "at most 1"));
        }
        Ok(Self::divided(numerator, denominator))
    }

    /// The coin that chooses between two weights: true with probability `first / (first + second)`.
    pub(crate) fn between(first: u64, second: u64) -> Self {
        let total = u128::from(first) + u128::from(second);
        Self::divided(u128::from(first), total.max(1))
    }

    /// Long division of `numerator · 2⁶⁴`, one binary digit at a time. A certain coin keeps the
    /// largest threshold and a remainder of the whole denominator.
    fn divided(numerator: u128, denominator: u128) -> Self {
        if numerator >= denominator {
            return Self { threshold: u64::MAX, remainder: denominator, denominator };
        }
        let (mut threshold, mut remainder) = (0u64, numerator);
        for _ in 0..64 {
            remainder <<= 1;
            // Invariant: numerator/denominator = (threshold + remainder/denominator) / 2^(digits so far).
            let digit = remainder >= denominator;
            threshold = threshold << 1 | u64::from(digit);
            remainder -= if digit { denominator } else { 0 };
        }
        let threshold =
            threshold.saturating_add(u64::from(fault::on(Fault::ThresholdOffByOne)) << 50);
        Self { threshold, remainder, denominator }
    }

    /// Tosses the coin, from one word.
    #[inline]
    pub fn draw<W: RandomWords + ?Sized>(&self, words: &mut W) -> bool {
        words.toss(self)
    }

    /// What a word says; the one that says nothing asks for more.
    #[inline]
    pub(crate) fn decide<W: RandomWords + ?Sized>(&self, word: u64, words: &mut W) -> bool {
        // P(true) = threshold/2^64 + 2^-64 remainder/denominator: the one undecided word tosses a coin for the rest.
        if word == self.threshold { self.refine(words) } else { word < self.threshold }
    }

    /// Words below it are true, words above it false.
    #[inline]
    pub(crate) fn threshold(&self) -> u64 {
        self.threshold
    }

    /// Tosses the coin from half a word of the caller's; the other half is drawn only if the
    /// first does not decide (probability 2⁻³²).
    #[inline]
    pub(crate) fn draw_from_half<W: RandomWords + ?Sized>(&self, half: u32, words: &mut W) -> bool {
        let top = (self.threshold >> 32) as u32;
        if half == top { self.draw_lower_half(words) } else { half < top }
    }

    /// Once in 2³² tosses, and never inlined: its numbers would be fetched before every toss of a loop.
    #[cold]
    #[inline(never)]
    fn draw_lower_half<W: RandomWords + ?Sized>(&self, words: &mut W) -> bool {
        let (half, bottom) = ((words.next_u64() >> 32) as u32, self.threshold as u32);
        if half == bottom { self.refine(words) } else { half < bottom }
    }

    /// Tosses 64 independent coins at once, from half a word each: bit `i` is the `i`-th coin. The
    /// caller uses the first `lanes` of them.
    #[inline]
    pub fn draw_mask<W: RandomWords + ?Sized>(&self, lanes: u32, words: &mut W) -> u64 {
        words.toss_lanes(self, lanes)
    }

    /// All lanes compare their own random digits with the digits of the probability, from the
    /// first; a lane is decided at its first differing digit.
    pub(super) fn draw_lanes<W: RandomWords + ?Sized>(&self, words: &mut W) -> u64 {
        let (mut truths, mut undecided) = (0u64, u64::MAX);
        for round in 0..64 {
            if round >= STEADY_ROUNDS && undecided == 0 {
                return truths;
            }
            // One binary digit of the probability, spread over all lanes. A lane is true where its first differing
            // random digit is 0 and the probability's is 1.
            let digit = (self.threshold >> (63 - round) & 1).wrapping_neg();
            let differs = undecided & (words.next_u64() ^ digit);
            truths |= differs & digit;
            undecided &= if fault::on(Fault::LanesShareADigit) { 0 } else { !differs };
        }
        while undecided != 0 {
            let lane = undecided & undecided.wrapping_neg();
            truths |= if self.refine(words) { lane } else { 0 };
            undecided ^= lane;
        }
        truths
    }

    #[cold]
    #[inline(never)]
    fn refine<W: RandomWords + ?Sized>(&self, words: &mut W) -> bool {
        words.coin(self.remainder, self.denominator)
    }

    /// The probability, as `(threshold + remainder / denominator) / 2⁶⁴`.
    #[cfg(any(test, feature = "audit"))]
    pub(crate) fn parts(&self) -> (u64, u128, u128) {
        (self.threshold, self.remainder, self.denominator)
    }

    /// The probability as a float.
    pub fn probability(&self) -> f64 {
        (self.threshold as f64 + self.remainder as f64 / self.denominator as f64) / 2f64.powi(64)
    }
}

/// True with probability exactly e^-γ for `γ = numerator / denominator ≥ 0`.
///
/// Canonne, Kamath and Steinke (2020), algorithm 1: with γ ≤ 1 toss coins of probability γ/1,
/// γ/2, γ/3, ... until the first failure, at toss K; then `P(K odd) = e^-γ`. A larger γ is first
/// reduced by as many coins of probability e⁻¹ as it has whole units. Its running time depends on
/// γ and on the outcome, so it is used where γ and the outcome are not secrets from a clock.
/// The denominator is positive.
pub(crate) fn bernoulli_exp<W: RandomWords + ?Sized>(
    words: &mut W,
    numerator: u128,
    denominator: u128,
) -> bool {
    // e^-γ = (e^-1)^whole e^-(rest): one coin for each factor, and all must succeed.
    let whole = numerator / denominator.max(1);
    for _ in 0..whole {
        if !parity_coin(words, 1, 1) {
            return false;
        }
    }
    parity_coin(words, numerator - whole * denominator, denominator)
}

/// e^-γ for γ ≤ 1.
fn parity_coin<W: RandomWords + ?Sized>(words: &mut W, numerator: u128, denominator: u128) -> bool {
    let mut tosses = 1u128;
    // A product beyond 2¹²⁸ would need a run of tosses of probability below 1/2⁶⁰!.
    while words.coin(numerator, denominator.saturating_mul(tosses)) {
        tosses += 1;
    }
    tosses % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::noise::testing::{StrictWords, assert_fits, enumerate, exp_minus_ball, rational};
    use dashu::integer::UBig;
    use dashu::rational::RBig;
    use proptest::prelude::*;

    proptest! {
        /// The identity that makes the coin exact: threshold · b + remainder = a · 2⁶⁴.
        #[test]
        fn one_division_loses_nothing(a in 0u128..=1 << 126, b in 1u128..=1 << 126) {
            let coin = Bernoulli::new(a.min(b), b).unwrap();
            let left = UBig::from(coin.threshold) * UBig::from(b) + UBig::from(coin.remainder);
            prop_assert_eq!(left, UBig::from(a.min(b)) << 64);
            prop_assert!(coin.remainder < b || a >= b);
            prop_assert!((coin.probability() - a.min(b) as f64 / b as f64).abs() < 1e-15);
        }

        /// Whole word, halves and mask read the same digits.
        #[test]
        fn all_readings_agree(a in 0u64..1000, word in any::<u64>(), low in any::<u32>()) {
            let coin = Bernoulli::new(a.into(), 1000).unwrap();
            let (threshold, low) = (coin.threshold, u64::from(low));
            for word in [word, (threshold & !0xffff_ffff) | low, threshold.wrapping_add(1)] {
                prop_assume!(word != threshold);
                prop_assert_eq!(coin.draw(&mut StrictWords::new([word])), word < threshold);
                let mut rest = StrictWords::new([word << 32]);
                prop_assert_eq!(coin.draw_from_half((word >> 32) as u32, &mut rest), word < threshold);
                // The same word in all 64 lanes, digit by digit.
                let digits = (0..64).map(|i| (word >> (63 - i) & 1).wrapping_neg());
                let mask = coin.draw_mask(64, &mut StrictWords::new(digits));
                prop_assert_eq!(mask, u64::from(word < threshold).wrapping_neg());
            }
        }
    }

    #[test]
    fn the_equal_word_asks_the_remainder() {
        let coin = Bernoulli::new(1, 3).unwrap();
        // 2⁶⁴ = 3 · threshold + 1: the second coin is again 1/3.
        assert_eq!((coin.threshold, coin.remainder), (u64::MAX / 3, 1));
        assert!(coin.draw(&mut StrictWords::new([coin.threshold, 1])));
        assert!(!coin.draw(&mut StrictWords::new([coin.threshold, u64::MAX / 2])));
        let digits = (0..64).map(|i| (coin.threshold >> (63 - i) & 1).wrapping_neg());
        let mut second = vec![u64::MAX; 64];
        second[5] = 1;
        let mask = coin.draw_mask(64, &mut StrictWords::new(digits.chain(second)));
        assert_eq!(mask, 1 << 5);
    }

    #[test]
    fn certain_and_impossible_coins() {
        let (never, always) = (Bernoulli::new(0, 9).unwrap(), Bernoulli::new(9, 9).unwrap());
        for word in [0, 1, u64::MAX / 2, u64::MAX - 1, u64::MAX] {
            assert!(!never.draw(&mut StrictWords::new([word, 0])));
            assert!(always.draw(&mut StrictWords::new([word, 0])));
        }
        assert!(Bernoulli::new(2, 1).is_err());
        assert!(Bernoulli::new(0, 0).is_err());
        assert!(Bernoulli::new(0, u128::MAX).is_err());
    }

    #[test]
    fn drawn_coins_fit() {
        let mut noise = NoiseRng::replay(1).next_release().into_stream();
        let coin = Bernoulli::new(3, 10).unwrap();
        let mut counts = [0u64; 2];
        for _ in 0..1_000_000 {
            counts[usize::from(coin.draw(&mut noise))] += 1;
        }
        assert_fits(&counts, &[0.7, 0.3]);
        let mut lanes = [0u64; 64];
        for _ in 0..20_000 {
            let mask = coin.draw_mask(64, &mut noise);
            (0..64).for_each(|lane| lanes[lane] += mask >> lane & 1);
        }
        assert_fits(&lanes, &[1.0 / 64.0; 64]);
        let truths: u64 = lanes.iter().sum();
        assert_fits(&[1_280_000 - truths, truths], &[0.7, 0.3]);
    }

    /// Every path of the algorithm, with its exact probability, against e^-γ.
    #[test]
    fn the_exponential_coin_has_its_law() {
        for (n, d) in [(0u128, 1u128), (1, 1000), (1, 2), (3, 4), (1, 1), (7, 5), (5, 2)] {
            let (law, lost) = enumerate(60, |words| bernoulli_exp(words, n, d));
            let (below, above) = exp_minus_ball(&rational(n, d));
            let truth = law.get(&true).cloned().unwrap_or(RBig::ZERO);
            assert!(truth <= above && truth.clone() + lost.clone() >= below, "{n}/{d}");
            assert!(lost < rational(1, 1 << 45), "{n}/{d}");
        }
    }

    /// Lanes that are decided at once still take 32 rounds; one that never is asks the remainder.
    #[test]
    fn lanes_take_their_time_and_their_remainder() {
        let coin = Bernoulli::new(1, 3).unwrap();
        let digit = |round: u32| coin.threshold >> (63 - round) & 1;
        let mut script = StrictWords::new((0..64).map(|_| digit(0).wrapping_sub(1)));
        coin.draw_lanes(&mut script);
        assert_eq!(script.used(), 32);
        // Lane 0 repeats the digits of the probability, the others differ in the first round.
        let first = (digit(0).wrapping_sub(1) & !1) | digit(0);
        for (word, expected) in [(1, 1), (u64::MAX, 0)] {
            let words = [first].into_iter().chain((1..64).map(digit)).chain([word]);
            let mut script = StrictWords::new(words);
            assert_eq!(coin.draw_lanes(&mut script) & 1, expected);
            assert_eq!(script.used(), 65);
        }
    }
}
