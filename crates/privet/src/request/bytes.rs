//! [`Bytes`]: a number of bytes as users write it.

use std::fmt;
use std::str::FromStr;

/// A number of bytes: `512`, `64KiB`, `2M`, `16 GiB`, in binary units, as memory is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(pub u64);

/// Prefixes of binary units, each 1024 times the one before.
const UNITS: [&str; 5] = ["", "k", "m", "g", "t"];

impl FromStr for Bytes {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let digits = typed.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit = typed[digits.len()..].trim().to_ascii_lowercase();
        let unit = unit.trim_end_matches('b').trim_end_matches('i');
        let shift = UNITS.iter().position(|known| *known == unit).map(|at| 10 * at);
        let number: Option<u64> = digits.parse().ok();
        let bytes = number.zip(shift).and_then(|(number, shift)| number.checked_mul(1 << shift));
        bytes
            .map(Self)
            .ok_or_else(|| "expected a number of bytes, such as 4096, 64MiB or 2G".into())
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |at: &usize| self.0.trailing_zeros() as usize >= 10 * at;
        match (1..UNITS.len()).rev().find(whole).filter(|_| self.0 > 0) {
            Some(at) => write!(out, "{}{}iB", self.0 >> (10 * at), UNITS[at].to_uppercase()),
            None => write!(out, "{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        for (typed, bytes) in
            [("4096", 4096), ("64KiB", 65536), ("2m", 2 << 20), ("16 GiB", 16 << 30)]
        {
            assert_eq!(typed.parse(), Ok(Bytes(bytes)), "{typed}");
        }
        assert_eq!(
            (Bytes(16 << 30).to_string(), Bytes(1500).to_string()),
            ("16GiB".into(), "1500".into())
        );
        for typed in ["", "GiB", "1 parsec", "-1", "99999999999T"] {
            assert!(typed.parse::<Bytes>().is_err(), "{typed}");
        }
    }
}
