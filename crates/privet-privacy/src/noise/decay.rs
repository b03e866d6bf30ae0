//! [`Decay`]: e^-x as a fraction `numerator / 2⁶²`, rounded **up** by certified integer arithmetic.
//!
//! # Idea
//! A weight of e^-epsilon is irrational, so no finite sampler has exactly that odds ratio in one
//! draw. We run a nearby *rational* law instead, and round so that it is the more private one: if
//! `λ ≥ e^-ε` is the ratio of the smallest to the largest weight, the log ratio of the law is
//! `-log λ ≤ ε`. Everything after this file is exact integer arithmetic on λ.
//!
//! # Why the number is an upper bound
//! With `y = x / 2¹⁵ < 2⁻⁸` (x was rounded down, and so is y; both raise e^-x):
//! 1. e^-y is an alternating series with falling terms, so a partial sum that ends with an added
//!    term is above it. Added terms are rounded up, subtracted terms down.
//! 2. e^-x = (e^-y)^(2¹⁵): fifteen squarings, each rounded up.
//!
//! Tests compare with 60-digit arithmetic: the result is never below e^-x, and above it by less
//! than two units of 2⁻⁶². There is no floating point anywhere in this file's claim.
//!
//! # Domain
//! Any budget. The numerator is at least 1, so budgets above `62 log 2 ≈ 42.97` nats act as 42.97:
//! the clamp makes outputs more private, never less.

use crate::budget::Budget;
use crate::fault::{self, Fault};

/// Fraction bits of the numbers inside the computation; 1.0 is 2¹²⁷.
const WORK_BITS: u32 = 127;
/// Squarings that undo the division of the argument by 2¹⁵.
const SQUARINGS: u32 = 15;
/// The last, added, term of the series: y¹⁶/16! < 2⁻¹⁷², far below a unit.
const LAST_TERM: u128 = 16;

/// A rational upper bound of e^-x: `numerator / 2⁶²`, with `1 ≤ numerator ≤ 2⁶²`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decay(u64);

impl Decay {
    /// The denominator of every decay, and the weight of what is most likely: 2⁶².
    pub const UNIT: u64 = 1 << 62;

    /// e^-budget, rounded up.
    pub fn of(budget: Budget) -> Self {
        Self::of_part(budget, 1)
    }

    /// e^(-budget / parts), rounded up: `parts` such steps cost at most the budget.
    pub fn of_part(budget: Budget, parts: u64) -> Self {
        // x in units of 2⁻¹²⁰, below 2⁷; a budget has at most 53 bits and 40 of them behind the
        // point, so shifting by 74 and then by 6 keeps every step inside 128 bits.
        let parts = u128::from(parts.max(1));
        let budget = u128::from(budget.units()) << 74;
        let fine = (budget / parts).min(u128::MAX >> 7) << 6;
        Self::from_work(exp_minus(fine))
    }

    /// A ratio that the caller has rounded to the private side; brought into 1..=2⁶².
    pub(crate) fn from_numerator(numerator: u64) -> Self {
        Self(numerator.clamp(1, Self::UNIT))
    }

    /// The numerator over 2⁶².
    pub fn numerator(self) -> u64 {
        self.0
    }

    /// The ratio as a float: within 2⁻⁵³ of itself.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / Self::UNIT as f64
    }

    /// `1 - ratio` as a float, without cancellation.
    pub fn complement_f64(self) -> f64 {
        (Self::UNIT - self.0) as f64 / Self::UNIT as f64
    }

    /// `weight · ratio`, rounded up: never more than the weight, never less than the product.
    pub fn shrink(self, weight: u64) -> u64 {
        (u128::from(weight) * u128::from(self.0)).div_ceil(u128::from(Self::UNIT)) as u64
    }

    /// The square of the ratio, rounded up.
    pub fn squared(self) -> Self {
        Self(self.shrink(self.0))
    }

    /// From 127 fraction bits to 62, upwards.
    fn from_work(value: u128) -> Self {
        if fault::on(Fault::DecayRoundedDown) {
            return Self(((value >> (WORK_BITS - 62)) as u64).clamp(1, Self::UNIT));
        }
        Self((value.div_ceil(1 << (WORK_BITS - 62)) as u64).clamp(1, Self::UNIT))
    }
}

/// An upper bound of e^-x with 127 fraction bits, for x in units of 2⁻¹²⁰ (below 2⁷).
fn exp_minus(x: u128) -> u128 {
    // y = x / 2¹⁵ with 127 fraction bits: 7 bits more behind the point, 15 less in value.
    // Cutting digits off x makes it smaller and e^-x larger: the safe side.
    let y = x >> 8;
    let mut sum = 1u128 << WORK_BITS;
    let (mut low, mut high) = (sum, sum); // the term y^n / n! lies between them
    for n in 1..=LAST_TERM {
        low = product(low, y, Rounding::Down) / n;
        high = product(high, y, Rounding::Up).div_ceil(n);
        // Taylor series of e^-y: odd terms are subtracted rounded down, even terms added rounded up, and the last one
        // is added, so the sum is an upper bound.
        sum = if n % 2 == 1 { sum - low } else { sum + high };
    }
    for _ in 0..SQUARINGS {
        // (e^-y)^(2^15) = e^-x; squaring an upper bound upwards keeps it one.
        sum = product(sum, sum, Rounding::Up);
    }
    sum
}

/// Which neighbour of the exact value to take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rounding {
    Down,
    Up,
}

impl Rounding {
    /// The opposite direction.
    pub(super) fn other(self) -> Self {
        match self {
            Self::Down => Self::Up,
            Self::Up => Self::Down,
        }
    }
}

/// `a · b / 2¹²⁷` for a, b ≤ 2¹²⁷, by schoolbook multiplication of 64-bit halves.
fn product(a: u128, b: u128, round: Rounding) -> u128 {
    const LOW: u128 = u64::MAX as u128;
    // (a1 2^64 + a0)(b1 2^64 + b0); of 254 bits the upper 127 are kept, and `low` holds the rest.
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let lowest = a0 * b0;
    let (cross_a, cross_b) = (a1 * b0, a0 * b1);
    let middle = (lowest >> 64) + (cross_a & LOW) + (cross_b & LOW);
    let high = a1 * b1 + (cross_a >> 64) + (cross_b >> 64) + (middle >> 64);
    let low = (middle << 64) | (lowest & LOW);
    let floor = (high << 1) | (low >> 127);
    let exact = low << 1 == 0;
    if round == Rounding::Up && !exact { floor + 1 } else { floor }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::testing::{exp_minus_ball, rational};
    use dashu::integer::IBig;
    use dashu::rational::RBig;
    use proptest::prelude::*;

    /// `λ ≥ e^-x` and `λ < e^-x + 2·2⁻⁶²`, by a rational interval around e^-x.
    fn check(units: u64, parts: u64) {
        let budget = Budget::from_units(units).unwrap();
        let decay = Decay::of_part(budget, parts);
        let x = RBig::from_parts(IBig::from(units), (dashu::integer::UBig::from(parts)) << 40);
        let (below, above) = exp_minus_ball(&x);
        let found = rational(u128::from(decay.numerator()), 1 << 62);
        let unit = rational(1, 1 << 62);
        assert!(found >= above, "{units}/{parts}: below e^-x");
        assert!(found <= below + unit.clone() + unit, "{units}/{parts}: too far above");
    }

    #[test]
    fn known_values() {
        let decay = |epsilon| Decay::of(Budget::from_epsilon(epsilon).unwrap()).numerator();
        // ceil(2⁶² e^-1), ceil(2⁶² e^-0.5) from 50-digit arithmetic.
        assert_eq!(decay(1.0), 1_696_544_475_317_221_319);
        assert_eq!(decay(0.5), 2_797_128_963_144_291_325);
        assert_eq!(decay(1000.0), 1);
        assert_eq!(decay(8192.0), 1);
        assert!(Decay::of(Budget::SMALLEST).numerator() < Decay::UNIT);
    }

    #[test]
    fn certified_at_the_ends_and_where_the_argument_overflows() {
        for units in [1, 2, 3, 1 << 20, 1 << 40, (1 << 40) + 1, 42 << 40, 43 << 40, 127 << 40] {
            check(units, 1);
        }
        for units in [(128 << 40) - 1, 128 << 40, (128 << 40) + 1, 1 << 53] {
            check(units, 1);
            check(units, 3);
            check(units, 1 << 20);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn certified(units in 1u64..(64 << 40), parts in 1u64..5000) {
            check(units, parts);
        }

        #[test]
        fn tiny_budgets_are_certified(units in 1u64..(1 << 20), parts in 1u64..40) {
            check(units, parts);
        }

        #[test]
        fn products_round_to_the_neighbours(a in 0u128..=1 << 127, b in 0u128..=1 << 127) {
            let exact = IBig::from(a) * IBig::from(b);
            let floor = product(a, b, Rounding::Down);
            let ceil = product(a, b, Rounding::Up);
            prop_assert!(IBig::from(floor) << 127 <= exact);
            prop_assert!(IBig::from(ceil) << 127 >= exact);
            prop_assert!(ceil - floor <= 1);
        }

        #[test]
        fn shrinking_stays_between(weight in 0u64..=1 << 62, numerator in 1u64..=1 << 62) {
            let shrunk = Decay(numerator).shrink(weight);
            prop_assert!(shrunk <= weight);
            prop_assert!(u128::from(shrunk) << 62 >= u128::from(weight) * u128::from(numerator));
        }
    }
}
