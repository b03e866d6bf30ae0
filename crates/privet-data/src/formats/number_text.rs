//! Feature values as text: the shortest decimal that reads back to the same `f32`.

use std::fmt;

/// Prints a value so that [`parse`] gives the same bits back, the sign of zero included.
pub(crate) struct Shortest(pub f32);

impl fmt::Display for Shortest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = self;
        // Without an exponent the smallest values would fill half a line with zeros.
        match value.abs() {
            0.0 | 1e-5..1e9 => write!(f, "{value}"),
            _ => write!(f, "{value:e}"),
        }
    }
}

/// What is right where a value is not: features are kept in 32 bits, which end at 3.4e38.
pub(crate) const EXPECTED: &str = "a finite number below 3.4e38";

/// The finite number that `text` writes; surrounding blanks do not matter.
pub(crate) fn parse(text: &str) -> Option<f32> {
    text.trim().parse().ok().filter(|value: &f32| value.is_finite())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn short_where_it_can_be() {
        let printed = [0.0, -0.0, 1.0, 0.1, 1e-45, f32::MAX].map(|v| Shortest(v).to_string());
        assert_eq!(printed, ["0", "-0", "1", "0.1", "1e-45", "3.4028235e38"]);
    }

    #[test]
    fn only_finite_numbers() {
        assert_eq!(parse(" 2.5 "), Some(2.5));
        for text in ["", "inf", "NaN", "1e39", "1,5", "0x1"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_same_bits_come_back(value in prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL) {
            let back = parse(&Shortest(value).to_string()).map(f32::to_bits);
            prop_assert_eq!(back, Some(value.to_bits()));
        }
    }
}
