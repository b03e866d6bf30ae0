//! [`Budget`]: an epsilon that is an integer, so that what is claimed is exactly what runs.
//!
//! One unit is 2⁻⁴⁰ nat (about 9·10⁻¹³). What a user types is rounded *down* to a unit, and every
//! division rounds down, so the parts of a budget never add up to more than the whole.

use crate::error::{Error, Result};

/// Binary digits behind the point.
const FRACTION_BITS: u32 = 40;

/// The largest budget in units: 2¹³ nats. Every budget up to it is exactly an `f64`.
const MAX_UNITS: u64 = 1 << 53;

/// A positive epsilon, counted in units of 2⁻⁴⁰ nat.
///
/// ```
/// use privet_privacy::Budget;
/// let budget = Budget::from_epsilon(1.0)?;
/// assert_eq!(budget.as_f64(), 1.0);
/// let third = budget.divided_by(3)?;
/// assert!(3.0 * third.as_f64() <= 1.0);
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Budget(u64);

impl Budget {
    /// The smallest budget: 2⁻⁴⁰ nat.
    pub const SMALLEST: Self = Self(1);
    /// The largest budget: 8192 nats.
    pub const LARGEST: Self = Self(MAX_UNITS);

    /// The largest budget that is at most `epsilon`.
    pub fn from_epsilon(epsilon: f64) -> Result<Self> {
        // Scaling by a power of two is exact, so the only rounding is the floor.
        let units = (epsilon * (1u64 << FRACTION_BITS) as f64).floor();
        if (1.0..=MAX_UNITS as f64).contains(&units) {
            Ok(Self(units as u64))
        } else {
            Err(Error::range("epsilon", epsilon, "a number from 2^-40 to 8192"))
        }
    }

    /// The budget of so many units of 2⁻⁴⁰ nat.
    pub fn from_units(units: u64) -> Result<Self> {
        if (1..=MAX_UNITS).contains(&units) {
            Ok(Self(units))
        } else {
            Err(Error::range("budget", units, "1 to 2^53 units of 2^-40 nat"))
        }
    }

    /// How many units of 2⁻⁴⁰ nat.
    pub fn units(self) -> u64 {
        self.0
    }

    /// The epsilon, without rounding.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / (1u64 << FRACTION_BITS) as f64
    }

    /// One of `parts` equal parts, rounded down; an error where nothing would be left.
    pub fn divided_by(self, parts: u64) -> Result<Self> {
        self.share(1, parts)
    }

    /// The share `numerator / denominator` of this budget, rounded down.
    pub fn share(self, numerator: u64, denominator: u64) -> Result<Self> {
        if numerator > denominator || denominator == 0 {
            let found = format!("{numerator}/{denominator}");
            return Err(Error::range("share of a budget", found, "a fraction up to 1"));
        }
        let units = u128::from(self.0) * u128::from(numerator) / u128::from(denominator);
        // The fraction is at most 1, so the share fits where the whole did.
        Self::from_units(units as u64)
    }

    /// Both budgets together; an error beyond the largest.
    pub fn checked_add(self, other: Self) -> Result<Self> {
        Self::from_units(self.0.saturating_add(other.0))
    }

    /// What is left after spending `other`; an error where nothing would be left.
    pub fn checked_sub(self, other: Self) -> Result<Self> {
        Self::from_units(self.0.saturating_sub(other.0))
    }
}

impl std::fmt::Display for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_f64().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_ends_of_the_range() {
        assert_eq!(Budget::from_epsilon(2f64.powi(-40)), Ok(Budget::SMALLEST));
        assert_eq!(Budget::from_epsilon(8192.0), Ok(Budget::LARGEST));
        for bad in [0.0, -1.0, 9e-13, 8192.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Budget::from_epsilon(bad).is_err(), "{bad}");
        }
        assert!(Budget::LARGEST.checked_add(Budget::SMALLEST).is_err());
        assert!(Budget::SMALLEST.checked_sub(Budget::SMALLEST).is_err());
        assert!(Budget::SMALLEST.divided_by(2).is_err());
        assert!(Budget::SMALLEST.share(0, 0).is_err());
        assert!(Budget::SMALLEST.share(3, 2).is_err());
    }

    proptest! {
        #[test]
        fn rounding_is_down_and_by_less_than_a_unit(epsilon in 1e-11f64..8192.0) {
            let back = Budget::from_epsilon(epsilon).unwrap().as_f64();
            prop_assert!(back <= epsilon && epsilon - back < 2f64.powi(-40));
        }

        #[test]
        fn parts_never_exceed_the_whole(units in 1u64..=MAX_UNITS, parts in 1u64..1_000_000) {
            let whole = Budget::from_units(units).unwrap();
            if let Ok(part) = whole.divided_by(parts) {
                prop_assert!(u128::from(part.units()) * u128::from(parts) <= u128::from(units));
                prop_assert!((u128::from(part.units()) + 1) * u128::from(parts) > u128::from(units));
            }
        }

        #[test]
        fn a_share_and_its_complement_stay_within(units in 2u64..=MAX_UNITS, cut in 1u64..1000) {
            let whole = Budget::from_units(units).unwrap();
            if let Ok(first) = whole.share(cut, 1000) {
                let rest = whole.checked_sub(first).unwrap();
                prop_assert_eq!(first.checked_add(rest), Ok(whole));
            }
        }
    }
}
