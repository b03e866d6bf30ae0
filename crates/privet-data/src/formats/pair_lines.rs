//! Lines of two integers, streamed: what edge lists, `.jlg` and `.pairs` files mostly consist of.
//!
//! The text is never held as a whole. A second thread decompresses ahead ([`blocks`]) while this one
//! parses: a line that is plainly `integer separator integer` goes to [`PairSink::pair`] at the cost
//! of its digits; every other line (comments, headers, names, damage) goes to [`PairSink::line`],
//! whose format decides what it means.

mod blocks;

use super::limits::long_line;
use super::{Input, Limits};
use crate::Result;

/// What stands between two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    /// This byte; blanks around the columns do not count.
    Byte(u8),
    /// Any run of spaces and tabs.
    Blanks,
}

impl Separator {
    /// Whether `byte` may pad a column without ending it.
    pub fn pads(self, byte: u8) -> bool {
        matches!(byte, b' ' | b'\t') && self != Self::Byte(byte)
    }
}

/// What a format does with the lines of its file.
pub(crate) trait PairSink {
    /// What stands between the integers of a plain line; `None`: no line is plain (yet).
    fn separator(&self) -> Option<Separator>;

    /// Takes the integers of a plain line.
    fn pair(&mut self, number: u64, ids: [u64; 2]) -> Result<()>;

    /// Takes any other line, without its line end.
    fn line(&mut self, number: u64, line: &[u8]) -> Result<()>;
}

/// Feeds every line of `input` to `sink`, in order, numbered from 1.
pub(crate) fn read_pairs(input: Input, limits: &Limits, sink: &mut impl PairSink) -> Result<()> {
    let Input { place, reader } = input;
    let mut number = 0;
    blocks::for_each(reader, limits.line_bytes, |block| {
        let mut rest = block.map_err(|error| place.line(number + 1).io(error))?;
        while !rest.is_empty() {
            number += 1;
            let plain = sink.separator().and_then(|separator| plain_pair(rest, separator));
            let length = plain.map_or_else(|| line_length(rest), |(_, length)| length);
            let line = &rest[..length];
            if length > limits.line_bytes && without_line_end(line).len() > limits.line_bytes {
                return Err(long_line(limits.line_bytes).at(&place.line(number)));
            }
            match plain {
                Some((ids, _)) => sink.pair(number, ids)?,
                None => sink.line(number, without_line_end(line))?,
            }
            rest = &rest[length..];
        }
        Ok(())
    })
}

/// The length of the first line, its `\n` included.
fn line_length(text: &[u8]) -> usize {
    memchr::memchr(b'\n', text).map_or(text.len(), |end| end + 1)
}

fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The integers of a first line that holds two and nothing else, and the line's whole length.
/// This and the two below are one loop's body: inlined, they take a fifth less time.
#[inline(always)]
fn plain_pair(text: &[u8], separator: Separator) -> Option<([u64; 2], usize)> {
    let (from, mut at) = plain_integer(text)?;
    let apart = match separator {
        Separator::Byte(byte) => text.get(at) == Some(&byte),
        Separator::Blanks => matches!(text.get(at), Some(b' ' | b'\t')),
    };
    if !apart {
        return None;
    }
    at += 1;
    while text.get(at).is_some_and(|&byte| separator.pads(byte)) {
        at += 1;
    }
    let (to, length) = plain_integer(&text[at..])?;
    at += length;
    match text.get(at..)? {
        [b'\n', ..] => Some(([from, to], at + 1)),
        [b'\r', b'\n', ..] => Some(([from, to], at + 2)),
        _ => None,
    }
}

/// The integer that the text begins with, and how many digits it has. `None` for what needs a
/// closer look: no digit, a leading zero, or more digits than certainly fit 64 bits.
#[inline(always)]
fn plain_integer(text: &[u8]) -> Option<(u64, usize)> {
    let (value, length) = short_integer(text).unwrap_or_else(|| {
        let (mut value, mut length) = (0u64, 0);
        for digit in text.iter().map(|byte| byte.wrapping_sub(b'0')).take_while(|&d| d < 10) {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
            length += 1;
        }
        (value, length)
    });
    let padded = length > 1 && text[0] == b'0';
    ((1..=19).contains(&length) && !padded).then_some((value, length))
}

/// The integer that the text begins with if it has one to seven digits, all at once: eight bytes are
/// loaded, and the digits among them added up in pairs, fours and eights.
#[inline(always)]
fn short_integer(text: &[u8]) -> Option<(u64, usize)> {
    const EVERY: u64 = 0x0101_0101_0101_0101;
    let digits = u64::from_le_bytes(*text.first_chunk()?) ^ (EVERY * b'0' as u64);
    // The high bit of each byte that is not 0..=9. A carry can only spoil bytes behind the first.
    let others = (digits.wrapping_add(EVERY * (128 - 10)) | digits) & (EVERY * 128);
    let length = others.trailing_zeros() / 8;
    if !(1..8).contains(&length) {
        return None;
    }
    // The first digit is in the lowest byte; shifting up puts zeros before it.
    let ones = digits << (64 - 8 * length);
    let pairs = (ones * 10 + (ones >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let value = (fours * 10_000 + (fours >> 32)) & 0xffff_ffff;
    Some((value, length as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceLocation;
    use proptest::prelude::*;

    /// A numbered line: its two integers, or else its bytes.
    type Told = (u64, std::result::Result<[u64; 2], Vec<u8>>);

    /// Writes down what it is told.
    #[derive(Default)]
    struct Notebook(Vec<Told>);

    impl PairSink for Notebook {
        fn separator(&self) -> Option<Separator> {
            Some(Separator::Byte(b','))
        }
        fn pair(&mut self, number: u64, ids: [u64; 2]) -> Result<()> {
            self.0.push((number, Ok(ids)));
            Ok(())
        }
        fn line(&mut self, number: u64, line: &[u8]) -> Result<()> {
            self.0.push((number, Err(line.to_vec())));
            Ok(())
        }
    }

    fn told(bytes: Vec<u8>, limits: Limits) -> Result<Notebook> {
        let mut notebook = Notebook::default();
        let input = Input::new(SourceLocation::file("x"), std::io::Cursor::new(bytes));
        read_pairs(input, &limits, &mut notebook)?;
        Ok(notebook)
    }

    #[test]
    fn plain_lines_are_pairs_and_the_rest_is_handed_over() {
        let text =
            b"1,2\r\n# x\n0, 9999999999999999999\n\n01,2\n3,4,5\n3\n10000000000000000000,1\n5,6";
        let line = |number, text: &[u8]| (number, Err(text.to_vec()));
        let expected = [
            (1, Ok([1, 2])),
            line(2, b"# x"),
            (3, Ok([0, 9_999_999_999_999_999_999])),
            line(4, b""),
            line(5, b"01,2"),
            line(6, b"3,4,5"),
            line(7, b"3"),
            line(8, b"10000000000000000000,1"),
            (9, Ok([5, 6])),
        ];
        assert_eq!(told(text.to_vec(), Limits::default()).unwrap().0, expected);
    }

    #[test]
    fn a_line_beyond_the_limit_is_named() {
        let limits = Limits { line_bytes: 4, ..Limits::default() };
        assert!(told(b"1,22\nabcd\r\n".to_vec(), limits).is_ok());
        for text in ["1,2\n11,22\n", "1,2\nabcde\n", "1,2\nabcde"] {
            let error = told(text.into(), limits).err().unwrap().with_values();
            assert!(error.starts_with("x, line 2: line length exceeds"), "{error}");
        }
    }

    #[test]
    fn blanks_separate_in_runs() {
        let pair = |text: &[u8]| plain_pair(text, Separator::Blanks).map(|(ids, _)| ids);
        assert_eq!(pair(b"1 \t 2\n"), Some([1, 2]));
        assert_eq!(pair(b"12\n"), None);
        assert_eq!(pair(b"1 2"), None, "blocks end every line");
    }

    proptest! {
        /// The integer parser agrees with the standard library's, wherever the digits end.
        #[test]
        fn integers_agree_with_the_standard_library(
            number: u64,
            shift in 0u32..64,
            tail in proptest::collection::vec(any::<u8>(), 0..12),
        ) {
            let mut text = (number >> shift).to_string().into_bytes();
            text.extend(&tail);
            let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let digits = std::str::from_utf8(&text[..length]).unwrap();
            let plain = length <= 19 && (length == 1 || !digits.starts_with('0'));
            let expected = plain.then(|| (digits.parse().unwrap(), length));
            prop_assert_eq!(plain_integer(&text), expected);
            prop_assert_eq!(plain_integer(&tail).is_some(), plain_prefix(&tail));
        }
    }

    fn plain_prefix(text: &[u8]) -> bool {
        let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (1..=19).contains(&length) && (length == 1 || text[0] != b'0')
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Blocks do not show: any text falls into the lines that splitting at `\n` gives.
        #[test]
        fn lines_survive_the_blocks(
            lines in proptest::collection::vec((0u64..1000, 0u64..1000, 0usize..20_000), 0..60),
        ) {
            let mut text = Vec::new();
            let mut expected = Vec::new();
            for (number, &(u, v, comment)) in (1..).zip(&lines) {
                if comment % 3 == 0 {
                    text.extend(vec![b'#'; comment + 1]);
                    expected.push((number, Err(vec![b'#'; comment + 1])));
                } else {
                    text.extend(format!("{u},{v}").bytes());
                    expected.push((number, Ok([u, v])));
                }
                text.push(b'\n');
            }
            prop_assert_eq!(told(text, Limits::default()).unwrap().0, expected);
        }
    }
}
