//! Epsilon and delta: the two numbers of a guarantee, validated once, added so that they never shrink.
//!
//! A stored epsilon is a promise, so arithmetic on it rounds up: `a + b` is the smallest float that is
//! not below the exact sum. Infinity is a legal epsilon (a release without noise is recorded as such);
//! NaN and negative numbers are not. Delta lies in `[0, 1)`; the only exception is [`Delta::VACUOUS`],
//! the honest answer of an accountant that can promise nothing.

use std::fmt;
use std::ops::Add;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// A privacy loss bound, in nats: at least 0, possibly infinite.
///
/// ```
/// use privet_privacy::loss::Epsilon;
/// let total = Epsilon::new(0.1)? + Epsilon::new(0.2)?;
/// assert!(total.get() >= 0.1 + 0.2);
/// assert!(Epsilon::new(-1.0).is_err());
/// # Ok::<(), privet_privacy::error::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Epsilon(f64);

/// The probability with which the epsilon bound may fail: in `[0, 1)`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Delta(f64);

/// An `(epsilon, delta)` guarantee.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loss {
    /// The bound on the privacy loss.
    pub epsilon: Epsilon,
    /// Failure probability (delta).
    pub delta: Delta,
}

impl Epsilon {
    /// No loss at all.
    pub const ZERO: Self = Self(0.0);
    /// No protection at all.
    pub const INFINITE: Self = Self(f64::INFINITY);

    /// Checks `value >= 0`; positive infinity is allowed.
    pub fn new(value: f64) -> Result<Self> {
        if value >= 0.0 {
            // `-0.0 + 0.0` is `0.0`: one zero, so that equal guarantees print equally.
            Ok(Self(value + 0.0))
        } else {
            Err(Error::range("epsilon", value, "a number of at least 0, or infinity"))
        }
    }

    /// The number itself.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Whether the bound says anything.
    pub const fn is_finite(self) -> bool {
        self.0.is_finite()
    }

    /// The loss of `count` repetitions by basic composition, rounded up.
    pub fn times(self, count: u64) -> Self {
        if count == 0 { Self::ZERO } else { Self(multiply_up(self.0, count_up(count))) }
    }
}

impl Delta {
    /// The bound never fails.
    pub const ZERO: Self = Self(0.0);
    /// The answer "nothing can be promised" (delta is 1). An answer only: [`Delta::new`] refuses it.
    pub const VACUOUS: Self = Self(1.0);

    /// Checks `0 <= value < 1`.
    pub fn new(value: f64) -> Result<Self> {
        if (0.0..1.0).contains(&value) {
            Ok(Self(value + 0.0))
        } else {
            Err(Error::range("delta", value, "at least 0 and below 1"))
        }
    }

    /// The number itself.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// A bound computed by an accountant: anything from 1 upwards promises nothing.
    pub(crate) fn saturating(value: f64) -> Self {
        if value < 1.0 { Self(value.max(0.0)) } else { Self::VACUOUS }
    }

    /// The failure probability of `count` repetitions by the union bound, rounded up.
    pub fn times(self, count: u64) -> Self {
        Self::saturating(multiply_up(self.0, count_up(count)))
    }
}

impl Loss {
    /// A guarantee from plain numbers, both checked.
    pub fn new(epsilon: f64, delta: f64) -> Result<Self> {
        Ok(Self { epsilon: Epsilon::new(epsilon)?, delta: Delta::new(delta)? })
    }
}

impl From<crate::budget::Budget> for Epsilon {
    /// Exact: a budget is a finite positive number that `f64` holds without rounding.
    fn from(budget: crate::budget::Budget) -> Self {
        Self(budget.as_f64() * if fault::on(Fault::ClaimsHalved) { 0.5 } else { 1.0 })
    }
}

impl Add for Epsilon {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(add_up(self.0, other.0))
    }
}

impl Add for Delta {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::saturating(add_up(self.0, other.0))
    }
}

impl Add for Loss {
    type Output = Self;

    /// Basic composition.
    fn add(self, other: Self) -> Self {
        Self { epsilon: self.epsilon + other.epsilon, delta: self.delta + other.delta }
    }
}

/// The smallest float that is not below `a + b` (for finite sums).
pub(crate) fn add_up(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // Knuth's two-sum: `error` is exactly (a + b) - sum.
    let shadow = sum - a;
    let error = (a - (sum - shadow)) + (b - shadow);
    if error > 0.0 { sum.next_up() } else { sum }
}

/// A float that is not below `a * b`.
pub(crate) fn multiply_up(a: f64, b: f64) -> f64 {
    let product = a * b;
    if a.mul_add(b, -product) > 0.0 || (product == 0.0 && a != 0.0 && b != 0.0) {
        product.next_up()
    } else {
        product
    }
}

/// A float that is not below the count.
pub(crate) fn count_up(count: u64) -> f64 {
    let float = count as f64;
    // Above 2^53 the conversion rounds to nearest; below, it is exact.
    if count > 1 << 53 { float.next_up() } else { float }
}

impl fmt::Display for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(epsilon {}, delta {})", self.epsilon, self.delta)
    }
}

/// JSON has no infinity, so an infinite epsilon is written as the word `inf`.
#[derive(Deserialize)]
#[serde(untagged)]
enum EpsilonText {
    Number(f64),
    Word(String),
}

impl Serialize for Epsilon {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_finite() {
            serializer.serialize_f64(self.0)
        } else {
            serializer.serialize_str("inf")
        }
    }
}

impl<'de> Deserialize<'de> for Epsilon {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match EpsilonText::deserialize(deserializer)? {
            EpsilonText::Number(value) => Self::new(value).map_err(serde::de::Error::custom),
            EpsilonText::Word(word) if word == "inf" => Ok(Self::INFINITE),
            EpsilonText::Word(word) => Err(serde::de::Error::custom(format!(
                "epsilon is \"{word}\", but must be a number of at least 0, or \"inf\""
            ))),
        }
    }
}

impl Serialize for Delta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Delta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        if value == 1.0 {
            return Ok(Self::VACUOUS);
        }
        Self::new(value).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn refuses_what_is_not_a_guarantee() {
        for bad in [-1e-300, -1.0, f64::NAN, f64::NEG_INFINITY] {
            assert!(Epsilon::new(bad).is_err(), "{bad}");
        }
        for bad in [-1e-300, 1.0, 2.0, f64::NAN, f64::INFINITY] {
            assert!(Delta::new(bad).is_err(), "{bad}");
        }
        assert_eq!(Epsilon::new(f64::INFINITY), Ok(Epsilon::INFINITE));
        assert!(Epsilon::new(-0.0).unwrap().get().is_sign_positive());
    }

    #[test]
    fn sums_round_up() {
        // 0.1 + 0.2 in floats is already above the exact sum of the two floats; 0.1 + 0.7 is below it.
        assert_eq!(add_up(0.1, 0.2), 0.1 + 0.2);
        assert_eq!(add_up(0.1, 0.7), (0.1_f64 + 0.7).next_up());
        // 2^53 + 1 is halfway between two floats and the addition would round down.
        assert_eq!(add_up(9_007_199_254_740_992.0, 1.0), 9_007_199_254_740_994.0);
        assert_eq!(Epsilon::new(0.1).unwrap().times(3).get(), 0.1 * 3.0);
        assert_eq!(Epsilon::INFINITE + Epsilon::ZERO, Epsilon::INFINITE);
        assert_eq!(Epsilon::INFINITE.times(0), Epsilon::ZERO);
        assert_eq!(Delta::new(0.6).unwrap() + Delta::new(0.6).unwrap(), Delta::VACUOUS);
    }

    #[test]
    fn travels_through_json_and_is_checked_on_the_way_in() {
        let loss = Loss::new(0.1, 1e-5).unwrap();
        let text = serde_json::to_string(&loss).unwrap();
        assert_eq!(text, r#"{"epsilon":0.1,"delta":0.00001}"#);
        assert_eq!(serde_json::from_str::<Loss>(&text).unwrap(), loss);
        assert_eq!(serde_json::to_string(&Epsilon::INFINITE).unwrap(), r#""inf""#);
        assert_eq!(serde_json::from_str::<Epsilon>(r#""inf""#).unwrap(), Epsilon::INFINITE);
        for bad in ["-1", "null", r#""infinite""#, "[]"] {
            assert!(serde_json::from_str::<Epsilon>(bad).is_err(), "{bad}");
        }
        assert!(serde_json::from_str::<Delta>("1.5").is_err());
    }

    proptest! {
        #[test]
        fn a_sum_is_never_below_either_order(a in 0.0..1e3_f64, b in 0.0..1e3_f64, c in 0.0..1e3_f64) {
            let sum = add_up(add_up(a, b), c);
            prop_assert!(sum >= a + b + c);
            prop_assert!(sum <= (a + b + c) * (1.0 + 1e-15));
            prop_assert!(multiply_up(a, 3.0) >= a * 3.0);
        }
    }
}
