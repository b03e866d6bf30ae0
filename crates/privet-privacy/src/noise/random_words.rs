//! [`RandomWords`]: where random bits come from, and the choices everything else is built of.
//!
//! Every sampler is generic over this trait. In production it is a stream of the cipher; an audit
//! passes a source that walks through *all* outcomes with their exact probabilities instead. So that
//! it can, a sampler asks for *choices* (an integer below a bound, a coin, a place in a window, a
//! repetition until something is accepted), not for words. Each choice says how it is made of words
//! once, here or beside the type it is about, and is compiled into the sampler that asks.

use super::bernoulli::{self, Bernoulli};
use super::window::PlacedCoin;
use crate::fault::{self, Fault};

/// A source of independent, uniform 64-bit words.
pub trait RandomWords {
    /// The next word, uniform on all 2⁶⁴ values.
    fn next_u64(&mut self) -> u64;

    /// A uniform integer below `bound` (0 where the bound is 0), without bias.
    ///
    /// Lemire's method: the high half of `word · bound`, redrawn while the low half lies in the
    /// incomplete last round. A redraw has probability below `bound / 2⁶⁴`.
    #[inline]
    fn below(&mut self, bound: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(bound);
        // Only a low half below `bound` can lie in the incomplete round: the division is rare.
        if (product as u64) < bound {
            let incomplete = bound.wrapping_neg() % bound; // 2⁶⁴ mod bound
            while (product as u64) < incomplete && !fault::on(Fault::IncompleteRoundKept) {
                product = u128::from(self.next_u64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// The next half word, uniform on all 2³² values.
    #[inline]
    fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// The same law as [`below`](Self::below) from half a word: a redraw has probability below
    /// `bound / 2³²`. For draws that depend on nothing secret, so that redraws may show.
    #[inline]
    fn below_u32(&mut self, bound: u32) -> u32 {
        let mut product = u64::from(self.next_u32()) * u64::from(bound);
        if (product as u32) < bound {
            let incomplete = bound.wrapping_neg() % bound; // 2³² mod bound
            while (product as u32) < incomplete {
                product = u64::from(self.next_u32()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }

    /// The same law as [`below`](Self::below) from 128 bits: a redraw has probability below
    /// `bound / 2¹²⁸`, so that even for a large bound the time says nothing about it.
    #[inline]
    fn below_steadily(&mut self, bound: u64) -> u64 {
        loop {
            let high = u128::from(self.next_u64()) * u128::from(bound);
            let low = u128::from(self.next_u64()) * u128::from(bound);
            // A 128-bit random fraction times the bound: the integer part is the draw, the fraction decides on a
            // redraw.
            let upper = high + (low >> 64); // at most (2⁶⁴-1)² + 2⁶⁴, which fits
            let fraction = (upper << 64) | (low & u128::from(u64::MAX));
            if fraction >= u128::from(bound) || fraction >= incomplete_round(bound) {
                return (upper >> 64) as u64;
            }
        }
    }

    /// True with probability `numerator / denominator`, for any two integers. Exact and slow;
    /// [`Bernoulli`] is the same coin with its division done once.
    #[inline]
    fn coin(&mut self, numerator: u128, denominator: u128) -> bool {
        if numerator == 0 || numerator >= denominator {
            return numerator > 0;
        }
        // A uniform integer below the denominator is below the numerator with exactly the wanted probability.
        let drawn = match u64::try_from(denominator) {
            Ok(bound) => u128::from(self.below(bound)),
            Err(_) => below_wide(self, denominator),
        };
        drawn < numerator || drawn == numerator && fault::on(Fault::CoinOneTooMany)
    }

    /// The next 64 half words at once, which may be faster than one by one.
    #[inline]
    fn next_block(&mut self) -> [u32; 64] {
        std::array::from_fn(|_| self.next_u32())
    }

    /// A word that is no part of what is protected: the seed of later post-processing.
    #[inline]
    fn seed(&mut self) -> u64 {
        self.next_u64()
    }

    /// Tosses a coin, from one word.
    #[inline]
    fn toss(&mut self, coin: &Bernoulli) -> bool {
        let word = self.next_u64();
        coin.decide(word, self)
    }

    /// Tosses at most 64 different coins, two from the halves of each word: bit `i` is coin `i`.
    #[inline]
    fn toss_digits(&mut self, coins: &[Bernoulli]) -> u64 {
        let (pairs, last) = coins.as_chunks::<2>();
        let (mut tossed, mut place) = (0, 0);
        for [low, high] in pairs {
            let word = self.next_u64();
            // Disjoint halves of a uniform word are independent.
            let low = u64::from(low.draw_from_half(word as u32, self));
            let high = u64::from(high.draw_from_half((word >> 32) as u32, self));
            tossed |= (low | high << 1) << place;
            place += 2;
        }
        if let [coin] = last {
            let word = self.next_u64();
            tossed |= u64::from(coin.draw_from_half(word as u32, self)) << place;
        }
        tossed
    }

    /// Tosses a coin and a fair one, from the halves of one word.
    #[inline]
    fn toss_and_fair(&mut self, coin: &Bernoulli) -> (bool, bool) {
        let word = self.next_u64();
        (coin.draw_from_half((word >> 32) as u32, self), word & 1 == 1)
    }

    /// Tosses 64 independent coins at once: bit `i` is the `i`-th coin. The caller drops all but the
    /// first `lanes`; an audit leaves those that will be dropped at `false`.
    #[inline]
    fn toss_lanes(&mut self, coin: &Bernoulli, _lanes: u32) -> u64 {
        coin.draw_lanes(self)
    }

    /// True with probability exactly e^-γ for `γ = numerator / denominator ≥ 0`, the denominator
    /// positive.
    #[inline]
    fn coin_exp(&mut self, numerator: u128, denominator: u128) -> bool {
        bernoulli::bernoulli_exp(self, numerator, denominator)
    }

    /// Tosses a coin and draws a uniform place of its outcome.
    #[inline]
    fn toss_and_place(&mut self, coin: &PlacedCoin) -> (bool, u64) {
        coin.draw_word(self)
    }

    /// What `value` makes of a uniform integer below `bound`, drawn like
    /// [`below_steadily`](Self::below_steadily). Equal values must belong to consecutive integers:
    /// an audit finds the ends of these runs and weighs them.
    #[inline]
    fn below_in_runs<T: PartialEq>(&mut self, bound: u64, value: impl Fn(u64) -> T) -> T {
        value(self.below_steadily(bound))
    }

    /// What `value` makes of 53 random bits, the precision of a float. Equal values must belong to
    /// consecutive integers, as for [`below_in_runs`](Self::below_in_runs).
    #[inline]
    fn bits_in_runs<T: PartialEq>(&mut self, value: impl Fn(u64) -> T) -> T {
        value(self.next_u64() >> 11)
    }

    /// Attempts until one is accepted. Attempts must not depend on those before.
    #[inline(always)]
    fn until<T: Ord + Clone + 'static>(
        &mut self,
        mut attempt: impl FnMut(&mut Self) -> Option<T>,
    ) -> T {
        loop {
            if let Some(value) = attempt(self) {
                return value;
            }
        }
    }

    /// A draw of which nothing but the value is used: an audit walks through its values, not through
    /// the many ways to each.
    #[inline]
    fn lumped<T: Ord + Clone + 'static>(&mut self, mut draw: impl FnMut(&mut Self) -> T) -> T {
        draw(self)
    }
}

/// 2¹²⁸ mod `bound`.
#[cold]
fn incomplete_round(bound: u64) -> u128 {
    u128::from(bound).wrapping_neg() % u128::from(bound)
}

/// A uniform integer below a bound of more than 64 bits: as many bits as the bound has, redrawn
/// until they are below it (at most two tries on average).
fn below_wide<W: RandomWords + ?Sized>(words: &mut W, bound: u128) -> u128 {
    let mask = u128::MAX >> bound.leading_zeros();
    loop {
        let bits = (u128::from(words.next_u64()) << 64) | u128::from(words.next_u64());
        if bits & mask < bound {
            return bits & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::testing::StrictWords;

    /// The value of the first accepted word, or `None` where a lone word is refused.
    fn lone(word: u64, bound: u64) -> Option<u64> {
        let mut script = StrictWords::new([word, u64::MAX]);
        let value = script.below(bound);
        (script.used() == 1).then_some(value)
    }

    /// The words that give a value are consecutive; count the accepted ones by their ends.
    #[test]
    fn every_value_below_a_bound_has_equally_many_words() {
        for bound in [2u64, 3, 5, 7, 10, 255, 1 << 32, (1 << 63) + 1, u64::MAX] {
            let each = ((1u128 << 64) / u128::from(bound)) as u64;
            for value in [0, 1, bound / 2, bound - 1].into_iter().filter(|&v| v < bound) {
                // The first word whose product reaches the value, and the first not refused.
                let mut first =
                    (u128::from(value) << 64).div_ceil(u128::from(bound)).min(1 << 64) as u64;
                if lone(first, bound).is_none() {
                    first += 1;
                }
                assert_eq!(lone(first, bound), Some(value), "bound {bound}");
                assert_eq!(lone(first + (each - 1), bound), Some(value), "bound {bound}");
                if let Some(before) = first.checked_sub(1) {
                    assert_ne!(lone(before, bound), Some(value), "bound {bound}");
                }
                if let Some(after) = first.checked_add(each) {
                    assert_ne!(lone(after, bound), Some(value), "bound {bound}");
                }
            }
        }
    }

    #[test]
    fn the_steady_draw_is_the_quotient_of_128_bits() {
        for bound in [1u64, 3, 1000, (1 << 63) + 12345, u64::MAX] {
            for (high, low) in [(0, 1 << 20), (u64::MAX, u64::MAX), (1 << 40, 7), (u64::MAX / 3, 5)]
            {
                // floor(bits · bound / 2¹²⁸), by long multiplication in another order.
                let cross = u128::from(low) * u128::from(bound);
                let expected = (u128::from(high) * u128::from(bound) + (cross >> 64)) >> 64;
                let mut script = StrictWords::new([high, low]);
                let value = script.below_steadily(bound);
                assert_eq!(u128::from(value), expected);
                assert!(value < bound);
            }
        }
    }

    /// 2¹²⁸ mod 3 = 1: of all 128-bit strings exactly one, zero, is refused.
    #[test]
    fn the_steady_draw_refuses_the_incomplete_round() {
        let mut script = StrictWords::new([0, 0, u64::MAX, u64::MAX]);
        assert_eq!(script.below_steadily(3), 2);
        assert_eq!(script.used(), 4);
    }

    #[test]
    fn a_wide_draw_masks_and_refuses() {
        let bound = (1u128 << 65) + 1;
        // 66 bits are kept: the high word keeps its two low bits.
        let mut script = StrictWords::new([0b1111, 5, 0b110, 0, 0b100, 9]);
        assert_eq!(below_wide(&mut script, bound), 1 << 65);
        let mut script = StrictWords::new([0b101, 9]);
        assert_eq!(below_wide(&mut script, bound), (1 << 64) + 9);
    }

    #[test]
    fn a_bound_of_zero_is_answered() {
        assert_eq!(StrictWords::new([5]).below(0), 0);
        assert!(StrictWords::new([]).coin(1, 0));
        assert!(!StrictWords::new([]).coin(0, 1));
    }

    /// Where the low half carries into the high one, and where only one digit of the middle is set.
    #[test]
    fn the_steady_draw_carries() {
        let steadily = |bound, words: [u64; 2]| StrictWords::new(words).below_steadily(bound);
        // (2¹²⁷ + 6 · 2⁶⁴ - 1) (2⁶⁴ - 1) / 2¹²⁸, by hand: 2⁶³ + 5 and almost one half.
        assert_eq!(steadily(u64::MAX, [(1 << 63) + 5, u64::MAX]), (1 << 63) + 5);
        // 2¹²⁷ · 3 / 2¹²⁸ is one and a half.
        assert_eq!(steadily(3, [1 << 63, 0]), 1);
    }

    /// 2¹²⁸ mod 7 = 4: what is left of a product below 4 is refused, and 4 is not. Of three, 1 is not.
    #[test]
    fn the_steady_draw_refuses_no_more_than_the_incomplete_round() {
        let lone = |bound, (high, low): (u64, u64)| {
            let mut script = StrictWords::new([high, low, u64::MAX, u64::MAX]);
            let value = script.below_steadily(bound);
            (script.used() == 2).then_some(value)
        };
        // 7 times these are 3 and 4 more than a multiple of 2¹²⁸.
        assert_eq!(lone(7, (0x2492_4924_9249_2492, 0x4924_9249_2492_4925)), None);
        assert_eq!(lone(7, (0xdb6d_b6db_6db6_db6d, 0xb6db_6db6_db6d_b6dc)), Some(6));
        // 3 times (2¹²⁹ + 1) / 3.
        assert_eq!(lone(3, (0xaaaa_aaaa_aaaa_aaaa, 0xaaaa_aaaa_aaaa_aaab)), Some(2));
    }

    #[test]
    fn half_a_word_is_its_upper_half() {
        assert_eq!(StrictWords::new([0x0123_4567_89ab_cdef]).next_u32(), 0x0123_4567);
        assert_eq!(StrictWords::new([77]).seed(), 77);
    }

    /// 2³² mod 5 = 1: of the half words that give 0, the first is refused.
    #[test]
    fn half_a_word_has_an_incomplete_round_too() {
        let lone = |half: u64| {
            let mut script = StrictWords::new([half << 32, u64::MAX]);
            (script.below_u32(5), script.used())
        };
        assert_eq!(lone(0), (4, 2));
        assert_eq!(lone(1), (0, 1));
        // 5 times this is 2³² + 4: the first half word that gives 1.
        assert_eq!([lone(858_993_459), lone(858_993_460)], [(0, 1), (1, 1)]);
    }

    /// The bound itself is not below it.
    #[test]
    fn a_wide_draw_refuses_its_bound() {
        let mut script = StrictWords::new([0b10, 1, 0b01, 7]);
        assert_eq!(below_wide(&mut script, (1 << 65) + 1), (1 << 64) + 7);
    }
}
