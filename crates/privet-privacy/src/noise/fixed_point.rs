//! [`FixedPoint`]: numbers from 0 with as many binary digits as are asked for, and e^-t between two of them.
//!
//! # Idea
//! A comparison with e^-t that a few digits leave open is decided by more of them. Every operation says whether it rounds
//! down or up, so that a result is a proved lower or upper bound, whatever the number of digits.
//!
//! # Why the exponential is a bound
//! With `y = t / 2^s < 2⁻¹²`, e^-y is an alternating series with falling terms: a partial sum that ends with an added term is
//! above it, one that ends with a subtracted term is below it. Terms are rounded to the matching side, and so is each of
//! the s squarings that lead back to e^-t.
//!
//! # Cost
//! A microsecond for 192 digits. Samplers ask for it once in some thousands of draws.

use std::cmp::Ordering;

use super::decay::Rounding;

/// Words before the point.
const WHOLE: usize = 2;
/// e^-y is summed for y below 2^-12.
const SMALL: u32 = 12;

/// A number below 2¹²⁸, a multiple of `2^(-64 digits)`; words ascend in weight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FixedPoint {
    words: Vec<u64>,
    digits: usize,
}

impl FixedPoint {
    /// An integer, with so many words behind the point.
    pub fn integer(value: u64, digits: usize) -> Self {
        let mut words = vec![0; digits + WHOLE];
        words[digits] = value;
        Self { words, digits }
    }

    /// `Σ words[i] 2^(64 i) / 2^places`. What lies below the last digit is dropped.
    pub fn from_words(words: &[u64], places: usize, digits: usize) -> Self {
        let mut number = Self { words: vec![0; digits + WHOLE], digits };
        let up = 64 * digits - places.min(64 * digits);
        let (skip, bits) = (up / 64, up % 64);
        for (at, &word) in words.iter().enumerate() {
            let wide = u128::from(word) << bits;
            for (at, part) in [(at + skip, wide as u64), (at + skip + 1, (wide >> 64) as u64)] {
                if let Some(sum) = number.words.get_mut(at) {
                    *sum |= part;
                }
            }
        }
        number
    }

    /// Adds `2^-places`.
    pub fn step_up(mut self, places: usize) -> Self {
        let bit = 64 * self.digits - places.min(64 * self.digits);
        self.add_at(bit / 64, 1 << (bit % 64));
        self
    }

    fn add_at(&mut self, from: usize, value: u64) {
        let mut carry = value;
        for word in &mut self.words[from..] {
            let (sum, over) = word.overflowing_add(carry);
            *word = sum;
            carry = u64::from(over);
        }
    }

    fn plus(mut self, other: &Self) -> Self {
        for (at, &word) in other.words.iter().enumerate() {
            self.add_at(at, word);
        }
        self
    }

    /// `self - other`, which must not be below 0.
    fn minus(mut self, other: &Self) -> Self {
        let mut borrow = false;
        for (word, &less) in self.words.iter_mut().zip(&other.words) {
            let (difference, under) = word.overflowing_sub(less);
            let (difference, under_again) = difference.overflowing_sub(u64::from(borrow));
            (*word, borrow) = (difference, under || under_again);
        }
        self
    }

    /// The product of two numbers.
    pub fn times(&self, other: &Self, round: Rounding) -> Self {
        let mut wide = vec![0u64; 2 * self.words.len()];
        for (at, &a) in self.words.iter().enumerate() {
            let mut carry = 0u128;
            for (other_at, &b) in other.words.iter().enumerate() {
                let sum = u128::from(a) * u128::from(b) + u128::from(wide[at + other_at]) + carry;
                wide[at + other_at] = sum as u64;
                carry = sum >> 64;
            }
            wide[at + other.words.len()] = carry as u64;
        }
        let dropped = wide[..self.digits].iter().any(|&word| word != 0);
        let words = wide[self.digits..self.digits + self.words.len()].to_vec();
        Self { words, digits: self.digits }.rounded(dropped, round)
    }

    /// The product with an integer.
    pub fn times_integer(&self, factor: u64) -> Self {
        self.times(&Self::integer(factor, self.digits), Rounding::Down)
    }

    /// The quotient by an integer above 0.
    fn over(&self, divisor: u64, round: Rounding) -> Self {
        let (mut quotient, mut rest) = (self.clone(), 0u128);
        for word in quotient.words.iter_mut().rev() {
            // Long division, from the largest word down.
            let wide = rest << 64 | u128::from(*word);
            *word = (wide / u128::from(divisor)) as u64;
            rest = wide % u128::from(divisor);
        }
        quotient.rounded(rest != 0, round)
    }

    /// The quotient by a power of 2.
    pub fn halved(&self, times: u32, round: Rounding) -> Self {
        let (skip, bits) = (times as usize / 64, times % 64);
        let word = |at: usize| self.words.get(at).copied().unwrap_or(0);
        let shifted = |at: usize| {
            let wide = u128::from(word(at + skip + 1)) << 64 | u128::from(word(at + skip));
            (wide >> bits) as u64
        };
        let below = (0..skip).any(|at| word(at) != 0) || word(skip) & ((1 << bits) - 1) != 0;
        let words = (0..self.words.len()).map(shifted).collect();
        Self { words, digits: self.digits }.rounded(below, round)
    }

    fn rounded(mut self, dropped: bool, round: Rounding) -> Self {
        if dropped && round == Rounding::Up {
            self.add_at(0, 1);
        }
        self
    }

    /// e^-self, from below or from above.
    pub fn exp_minus(&self, round: Rounding) -> Self {
        let other = round.other();
        let whole = self.words[self.digits];
        let squarings = SMALL + (64 - whole.leading_zeros());
        // A larger argument has a smaller exponential.
        // Argument reduction: e^-x = (e^-(x/2^s))^(2^s), with y below 2^-12 so that the series is short.
        let y = self.halved(squarings, other);
        let one = Self::integer(1, self.digits);
        let (mut sum, mut low, mut high) = (one.clone(), one.clone(), one);
        for n in 1u64.. {
            low = low.times(&y, Rounding::Down).over(n, Rounding::Down);
            high = high.times(&y, Rounding::Up).over(n, Rounding::Up);
            let added = n % 2 == 0;
            sum = match (added, round) {
                (true, Rounding::Up) => sum.plus(&high),
                (true, Rounding::Down) => sum.plus(&low),
                (false, Rounding::Up) => sum.minus(&low),
                (false, Rounding::Down) => sum.minus(&high),
            };
            // An alternating series with falling terms lies between its partial sums: stopping after an added term
            // gives an upper bound, after a subtracted one a lower bound.
            let last = high.words.iter().skip(1).all(|&word| word == 0) && high.words[0] <= 1;
            if last && added == (round == Rounding::Up) {
                break;
            }
        }
        for _ in 0..squarings {
            sum = sum.times(&sum, round);
        }
        sum
    }

    /// `floor(self 2^places)`, for what is below `2^(64 - places)`.
    pub fn floor_at(&self, places: u32) -> u64 {
        self.halved(64 - places, Rounding::Down).words[self.digits - 1]
    }
}

impl PartialOrd for FixedPoint {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.words.iter().rev().cmp(other.words.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::testing::{exp_minus_ball, rational};
    use dashu::integer::UBig;
    use dashu::rational::RBig;
    use proptest::prelude::*;

    fn exact(number: &FixedPoint) -> RBig {
        let whole: UBig =
            number.words.iter().enumerate().map(|(at, &word)| UBig::from(word) << (64 * at)).sum();
        RBig::from_parts(whole.into(), UBig::ONE << (64 * number.digits))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Between the two, and they are near: e^-t is between these bounds.
        #[test]
        fn exponentials_are_enclosed(value in 0u64..1 << 50, places in 36usize..60, digits in 2usize..5) {
            let t = FixedPoint::from_words(&[value], places, digits);
            let (low, high) = (t.exp_minus(Rounding::Down), t.exp_minus(Rounding::Up));
            let (below, above) = exp_minus_ball(&rational(value.into(), 1 << places));
            let slack = rational(1, 1 << 60);
            prop_assert!(exact(&low) <= above && exact(&high) >= below);
            prop_assert!(exact(&high) - exact(&low) <= slack.clone() * slack / rational(1, 1 << 40));
        }

        #[test]
        fn arithmetic_rounds_as_it_says(a in 0u64.., b in 0u64.., n in 1u64..1000, times in 0u32..70) {
            let [x, y] = [a, b].map(|value| FixedPoint::from_words(&[value], 61, 2));
            let (p, q) = (rational(a.into(), 1 << 61), rational(b.into(), 1 << 61));
            let unit = RBig::from_parts(1.into(), UBig::ONE << 128);
            let mut near = vec![(x.times(&y, Rounding::Down), x.times(&y, Rounding::Up), p.clone() * q.clone())];
            near.push((x.over(n, Rounding::Down), x.over(n, Rounding::Up), p.clone() / rational(n.into(), 1)));
            let shifted = p.clone() / RBig::from(UBig::ONE << times as usize);
            near.push((x.halved(times, Rounding::Down), x.halved(times, Rounding::Up), shifted));
            for (low, high, wanted) in near {
                prop_assert!(exact(&low) <= wanted && wanted <= exact(&high));
                prop_assert!(exact(&high) - exact(&low) <= unit);
            }
            prop_assert_eq!(exact(&x.clone().plus(&y)), p.clone() + q);
            prop_assert_eq!(exact(&x.clone().plus(&y).minus(&y)), p.clone());
            prop_assert_eq!(x < y, a < b);
            prop_assert_eq!(x.clone().step_up(61) > x, true);
            prop_assert_eq!(exact(&x.times_integer(n)), p * rational(n.into(), 1));
            prop_assert_eq!(x.floor_at(40), a >> 21);
        }
    }
}
