//! [`NpyItem`]: what one value of an array is, from numpy's type codes (`<f4`, `|b1`, `<U7`).

use std::fmt;

use crate::{FoundValue, Result, SourceLocation};

/// The type of an array's values; widths of numbers are in bytes, of text in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NpyItem {
    /// One byte, 0 or 1.
    Bool,
    /// 1, 2, 4 or 8 bytes.
    Signed(usize),
    /// 1, 2, 4 or 8 bytes.
    Unsigned(usize),
    /// 2, 4 or 8 bytes.
    Float(usize),
    /// So many bytes, padded with zeros.
    Bytes(usize),
    /// So many UTF-32 characters, padded with zeros.
    Text(usize),
}

/// The order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endian {
    Little,
    Big,
}

impl NpyItem {
    /// The type that a code names.
    pub(crate) fn parse(descr: &str, place: &SourceLocation) -> Result<(Self, Endian)> {
        let unknown = || {
            let known = "a plain type: b1, i1 to i8, u1 to u8, f2, f4, f8, S or U with a length";
            place.malformed(
                FoundValue::words(format!("the type '{}'", descr.escape_default())),
                known,
            )
        };
        let mut letters = descr.chars();
        // `|` stands for types without a byte order.
        let endian = match letters.next() {
            Some('<' | '|') => Endian::Little,
            Some('>') => Endian::Big,
            _ => return Err(unknown()),
        };
        let kind = letters.next();
        if kind == Some('O') {
            return Err(place.refused(
                "an object array is a pickle, and pickles are never read; save plain numbers or \
                 text instead (in numpy: array.astype(float) or array.astype(str))",
            ));
        }
        let width = letters.as_str();
        let digits = !width.is_empty() && width.bytes().all(|b| b.is_ascii_digit());
        // Digits only: `parse` alone would accept a sign.
        let width: usize = width.parse().ok().filter(|_| digits).ok_or_else(unknown)?;
        let item = match (kind, width) {
            (Some('b'), 1) => Self::Bool,
            (Some('i'), 1 | 2 | 4 | 8) => Self::Signed(width),
            (Some('u'), 1 | 2 | 4 | 8) => Self::Unsigned(width),
            (Some('f'), 2 | 4 | 8) => Self::Float(width),
            // Texts of no width would let a header promise any number of values for no bytes.
            (Some('S'), 1..) => Self::Bytes(width),
            (Some('U'), 1..=0x0fff_ffff) => Self::Text(width),
            _ => return Err(unknown()),
        };
        Ok((item, endian))
    }

    /// Bytes per value; never 0.
    pub fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Signed(bytes) | Self::Unsigned(bytes) | Self::Float(bytes) => bytes,
            Self::Bytes(bytes) => bytes,
            Self::Text(characters) => 4 * characters,
        }
    }

    /// The bytes that stand in another order on a machine of the other endianness.
    pub(super) fn unit(self) -> usize {
        match self {
            Self::Bytes(_) => 1,
            Self::Text(_) => 4,
            number => number.size(),
        }
    }
}

impl fmt::Display for NpyItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => write!(f, "truth values"),
            Self::Signed(bytes) => write!(f, "signed {}-bit integers", 8 * bytes),
            Self::Unsigned(bytes) => write!(f, "unsigned {}-bit integers", 8 * bytes),
            Self::Float(bytes) => write!(f, "{}-bit floats", 8 * bytes),
            Self::Bytes(_) | Self::Text(_) => write!(f, "text"),
        }
    }
}

/// IEEE 754 half precision: 1 sign, 5 exponent, 10 fraction bits.
pub(super) fn half_to_single(bits: u16) -> f32 {
    // Binary16: 10 bits of fraction, 5 of exponent with bias 15.
    let fraction = f32::from(bits & 0x3ff);
    let magnitude = match (bits >> 10) & 0x1f {
        // Subnormal: no implicit leading 1.
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        // 1024 + fraction is the mantissa with its implicit bit.
        exponent => (1024.0 + fraction) * 2f32.powi(i32::from(exponent) - 25),
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

/// Little-endian UTF-32 without its padding.
pub(super) fn utf32(value: &[u8]) -> Option<String> {
    let (characters, _) = value.as_chunks::<4>();
    // numpy fills texts up with zeros; those inside a text are kept.
    let length = characters.iter().rposition(|c| *c != [0; 4]).map_or(0, |last| last + 1);
    characters[..length].iter().map(|&c| char::from_u32(u32::from_le_bytes(c))).collect()
}

/// UTF-8 without its padding.
pub(super) fn utf8(value: &[u8]) -> Option<String> {
    let length = value.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
    String::from_utf8(value[..length].to_vec()).ok()
}
