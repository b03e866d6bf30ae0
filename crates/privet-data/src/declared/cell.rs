//! [`TableCell`]: what a table holds in one place, whatever the file's types are.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::moment::Instant;
use crate::formats::shown;

/// What a table holds in one place. Text is without the blanks around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TableCell<'a> {
    /// A null.
    Nothing,
    /// Text, as all cells of delimited files are.
    Text(&'a str),
    /// An integer.
    Integer(i128),
    /// A real number; one that is not finite is as good as a null.
    Real(f64),
    /// A point in time.
    Instant(Instant),
}

impl<'a> TableCell<'a> {
    /// A cell of a delimited file.
    #[inline]
    pub fn text(text: &'a str) -> Self {
        Self::Text(trimmed(text))
    }

    /// Whether there is nothing, or what means nothing: the same text, or the same number in a file that has numbers.
    #[inline]
    pub(super) fn is_among(&self, markers: &[String]) -> bool {
        match *self {
            Self::Nothing => true,
            Self::Text(text) => markers.iter().any(|marker| marker == text),
            Self::Integer(_) | Self::Real(_) => match self.as_number() {
                // A marker such as -1 may stand in the table as -1.0: numbers are compared as
                // numbers.
                None => true,
                number => {
                    markers.iter().any(|marker| TableCell::Text(marker).as_number() == number)
                }
            },
            Self::Instant(_) => false,
        }
    }

    /// As text: what a delimited file of the same table would hold. Whole numbers have no point, because
    /// integers with gaps become reals in many hands.
    pub(super) fn as_text(&self) -> Cow<'a, str> {
        match *self {
            Self::Nothing => Cow::Borrowed(""),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Integer(number) => number.to_string().into(),
            // A whole float has no decimal point here, so "3" and 3.0 name the same id.
            Self::Real(value) => value.to_string().into(),
            Self::Instant(instant) => instant.seconds.to_string().into(),
        }
    }

    /// The finite number that it writes.
    #[inline]
    pub(super) fn as_number(&self) -> Option<f64> {
        let number = match *self {
            // Decimal notation first: most cells are short numbers, and this path is several times
            // as fast.
            Self::Text(text) => decimal(text).or_else(|| text.parse().ok())?,
            Self::Integer(number) => number as f64,
            Self::Real(value) => value,
            Self::Nothing | Self::Instant(_) => return None,
        };
        number.is_finite().then_some(number)
    }

    /// The point in time that it writes.
    pub(super) fn as_instant(&self) -> Option<Instant> {
        match *self {
            Self::Text(text) => Instant::parse(text),
            Self::Integer(seconds) => Instant::from_seconds(seconds as f64),
            Self::Real(seconds) => Instant::from_seconds(seconds),
            Self::Instant(instant) => Some(instant),
            Self::Nothing => None,
        }
    }

    /// A hash that equal cells share, whatever the types of the files that they are in: `33`, `33.0` and an integer 33 are
    /// equal. Numbers are compared as `f32`, because arrays of features hold them so.
    pub fn fingerprint(&self) -> u64 {
        match self.as_number() {
            // In f32, as features are kept: a copy that went through Privet has the same prints.
            Some(number) => Self::fingerprint_of(number as f32),
            None => {
                let mut hasher = DefaultHasher::new();
                self.as_text().hash(&mut hasher);
                hasher.finish()
            }
        }
    }

    /// The same of a number in an array.
    pub fn fingerprint_of(number: f32) -> u64 {
        let mut hasher = DefaultHasher::new();
        // 0 and -0 are equal, and differ in their bits.
        (1u8, (number + 0.0).to_bits()).hash(&mut hasher);
        hasher.finish()
    }

    /// As an error quotes it, for those who may see it.
    pub(super) fn quoted(&self) -> String {
        shown(self.as_text().as_bytes())
    }
}

/// The text without the blanks around it. Most cells have none, and are recognised by their first and last byte.
#[inline]
fn trimmed(text: &str) -> &str {
    // Bytes from 0x80 may begin a blank of Unicode; only then is the slow trim asked.
    let blank = |byte: Option<&u8>| byte.is_some_and(|&byte| byte <= b' ' || byte >= 0x80);
    let bytes = text.as_bytes();
    if blank(bytes.first()) || blank(bytes.last()) { text.trim() } else { text }
}

/// The number that up to 15 digits write, perhaps with a sign and a point. Digits and the power of ten are exact, so their
/// quotient is rounded once, as it should be; it takes a third of the time that all other numbers take.
#[inline]
fn decimal(text: &str) -> Option<f64> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let bytes = text.as_bytes();
    let (negative, bytes) = match bytes.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, bytes),
    };
    // Up to 15 digits fit a double exactly, and so does the power below: one division, rounded
    // once.
    if bytes.len() > 15 {
        return None;
    }
    let (mut number, mut digits, mut point) = (0_u64, 0, None);
    for &byte in bytes {
        match byte.wrapping_sub(b'0') {
            digit @ 0..=9 => {
                number = number * 10 + u64::from(digit);
                digits += 1;
            }
            // A second point falls through, and the text is no number.
            _ if byte == b'.' && point.is_none() => point = Some(digits),
            _ => return None,
        }
    }
    if digits == 0 {
        return None;
    }
    let magnitude = number as f64 / POWERS[digits - point.unwrap_or(digits)];
    Some(if negative { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn short_decimals_and_what_only_looks_like_them() {
        for (text, expected) in [("0", 0.0), ("-0.5", -0.5), ("7.", 7.0), (".25", 0.25)] {
            assert_eq!(decimal(text), Some(expected), "{text}");
        }
        for text in ["", "-", ".", "1.2.3", "1e5", "+1", "1,5", "--1", "1234567890123456"] {
            assert_eq!(decimal(text), None, "{text}");
        }
        assert_eq!(TableCell::text("+1e2").as_number(), Some(100.0));
    }

    proptest! {
        #[test]
        fn the_same_bits_as_the_standard_library(text in "-?[0-9]{0,9}(\\.[0-9]{0,9})?") {
            if let Some(number) = decimal(&text) {
                prop_assert_eq!(number.to_bits(), text.parse::<f64>().unwrap().to_bits());
            }
        }
    }
}
