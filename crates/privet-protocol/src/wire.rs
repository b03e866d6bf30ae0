//! Numbers in bytes: seven bits each, the lowest first, as few as possible. A number has one encoding, so a report has one.

use crate::{Error, Result};

/// The most bytes of one number.
const MOST: usize = 10;

/// Appends a number.
pub fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a number with a sign: small ones of either sign are short.
pub fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    // Zigzag: small numbers of either sign take few bytes.
    put(bytes, ((number << 1) ^ (number >> 63)) as u64);
}

/// Bytes that are being read.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// All of them.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// So many bytes as they are.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8]> {
        match self.rest.split_at_checked(count) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(Error::refused(what, "the end of the report", "more bytes")),
        }
    }

    /// A number.
    ///
    /// # Errors
    /// If there is none, it is longer than need be, or does not fit.
    pub fn number(&mut self, what: &'static str) -> Result<u64> {
        let mut number = 0u64;
        for at in 0..MOST {
            let byte = self.take(1, what)?[0];
            let bits = u64::from(byte & 0x7f);
            // The tenth byte holds the 64th bit alone.
            if at == MOST - 1 && bits > 1 {
                break;
            }
            number |= bits << (7 * at);
            if byte & 0x80 == 0 {
                // A trailing zero byte would be a second encoding of the same number.
                return match byte == 0 && at > 0 {
                    true => Err(Error::refused(
                        what,
                        "a number with bytes to spare",
                        "as few as it needs",
                    )),
                    false => Ok(number),
                };
            }
        }
        Err(Error::refused(what, "a number beyond 64 bits", "a smaller one"))
    }

    /// A number with a sign.
    ///
    /// # Errors
    /// As for [`number`](Self::number).
    pub fn signed(&mut self, what: &'static str) -> Result<i64> {
        let number = self.number(what)?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Ascending numbers below an end, each as its distance from the one before.
    ///
    /// # Errors
    /// If one does not ascend or is not below the end.
    pub fn ascending(&mut self, count: usize, end: u64, what: &'static str) -> Result<Vec<u32>> {
        let mut next = 0u64;
        (0..count)
            .map(|_| {
                // Gaps are sent, so ascending order and distinctness need no check of their own.
                let number = next.saturating_add(self.number(what)?);
                if number >= end {
                    return Err(Error::refused(what, number, format!("below {end}")));
                }
                next = number + 1;
                u32::try_from(number).map_err(|_| Error::refused(what, number, "32 bits"))
            })
            .collect()
    }

    /// That nothing follows.
    ///
    /// # Errors
    /// If something does.
    pub fn end(&self) -> Result<()> {
        match self.rest.len() {
            0 => Ok(()),
            more => Err(Error::refused("report", format!("{more} bytes after its end"), "none")),
        }
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }
}

/// Appends ascending numbers, as [`Reader::ascending`] reads them.
pub fn put_ascending(bytes: &mut Vec<u8>, numbers: impl Iterator<Item = u32>) {
    let mut next = 0u64;
    for number in numbers {
        put(bytes, u64::from(number).wrapping_sub(next));
        next = u64::from(number) + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The lengths where one more byte is needed, and both ends.
    #[test]
    fn numbers_have_known_bytes() {
        for (number, known) in [
            (0u64, &[0u8][..]),
            (127, &[127]),
            (128, &[0x80, 1]),
            (300, &[0xac, 2]),
            (u64::MAX, &[255, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
        ] {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            assert_eq!(bytes, known);
            assert_eq!(Reader::new(known).number("n"), Ok(number));
        }
        let mut bytes = Vec::new();
        [0, -1, 1, i64::MIN].iter().for_each(|&number| put_signed(&mut bytes, number));
        assert_eq!(bytes[..3], [0, 1, 2]);
    }

    #[test]
    fn a_number_has_one_encoding() {
        for bytes in [
            &[0x80u8, 0][..],
            &[0xff, 0x80, 0],
            &[0x80; 11],
            &[255, 255, 255, 255, 255, 255, 255, 255, 255, 2],
            &[0x80],
            &[],
        ] {
            assert!(Reader::new(bytes).number("n").is_err(), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_put_is_read(numbers in prop::collection::vec(any::<i64>(), 0..20)) {
            let mut bytes = Vec::new();
            numbers.iter().for_each(|&number| put_signed(&mut bytes, number));
            let mut reader = Reader::new(&bytes);
            for number in numbers {
                prop_assert_eq!(reader.signed("n").unwrap(), number);
            }
            prop_assert!(reader.end().is_ok());
        }

        #[test]
        fn whatever_is_read_is_what_would_be_put(bytes in prop::collection::vec(any::<u8>(), 0..12)) {
            let mut reader = Reader::new(&bytes);
            if let Ok(number) = reader.number("n") {
                let mut again = Vec::new();
                put(&mut again, number);
                prop_assert_eq!(&again[..], &bytes[..bytes.len() - reader.left()]);
            }
        }
    }
}
