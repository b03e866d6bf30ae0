//! [`LineFields`]: the columns of one line.
//!
//! Between commas or semicolons a column may be quoted as RFC 4180 says: `"a ""b"", c"`. Blanks
//! around a column do not belong to it, and a separator at the end of a line opens no new one. Unlike
//! there, a quotation ends on its line: one stray quote shall not swallow the edges below it.

use std::borrow::Cow;

use crate::formats::pair_lines::Separator;

/// Why a line does not fall into columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineProblem {
    /// A quote is still open where the line ends.
    Unclosed,
    /// Something other than a separator follows a closing quote.
    AfterQuote,
}

/// Iterates over the columns of a line.
#[derive(Debug, Clone)]
pub(super) struct LineFields<'a> {
    rest: &'a [u8],
    separator: Separator,
}

impl<'a> LineFields<'a> {
    pub fn new(line: &'a [u8], separator: Separator) -> Self {
        Self { rest: line, separator }
    }

    /// What follows the columns taken so far.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether a quote at the beginning of a column is a quotation mark.
    pub fn quoting(separator: Separator) -> bool {
        matches!(separator, Separator::Byte(b',' | b';'))
    }

    fn skip_padding(&mut self) {
        let pads = |&byte: &u8| self.separator.pads(byte);
        let padding = self.rest.iter().take_while(|&byte| pads(byte)).count();
        self.rest = &self.rest[padding..];
    }

    fn unquoted(&mut self) -> &'a [u8] {
        let end = match self.separator {
            Separator::Byte(byte) => memchr::memchr(byte, self.rest),
            Separator::Blanks => memchr::memchr2(b' ', b'\t', self.rest),
        };
        let (field, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.get(1..).unwrap_or_default();
        let padding = field.iter().rev().take_while(|&&byte| self.separator.pads(byte)).count();
        &field[..field.len() - padding]
    }

    /// A field whose opening quote is the first byte of the rest.
    fn quoted(&mut self) -> Result<Cow<'a, [u8]>, LineProblem> {
        let inside = &self.rest[1..];
        let mut field = Cow::Borrowed(&inside[..0]);
        let mut start = 0;
        loop {
            let quote =
                memchr::memchr(b'"', &inside[start..]).ok_or(LineProblem::Unclosed)? + start;
            let doubled = inside.get(quote + 1) == Some(&b'"');
            let piece = &inside[start..if doubled { quote + 1 } else { quote }];
            if start == 0 {
                field = Cow::Borrowed(piece);
            } else {
                field.to_mut().extend_from_slice(piece);
            }
            if !doubled {
                self.rest = &inside[quote + 1..];
                break;
            }
            start = quote + 2;
        }
        self.skip_padding();
        match (self.rest.split_first(), self.separator) {
            (None, _) => {}
            (Some((first, rest)), Separator::Byte(byte)) if *first == byte => self.rest = rest,
            _ => return Err(LineProblem::AfterQuote),
        }
        Ok(field)
    }
}

impl<'a> Iterator for LineFields<'a> {
    type Item = Result<Cow<'a, [u8]>, LineProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        self.skip_padding();
        match self.rest.first()? {
            b'"' if Self::quoting(self.separator) => {
                let field = self.quoted();
                if field.is_err() {
                    self.rest = &[];
                }
                Some(field)
            }
            _ => Some(Ok(Cow::Borrowed(self.unquoted()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(line: &str, separator: Separator) -> Result<Vec<String>, LineProblem> {
        let text = |field: Cow<'_, [u8]>| String::from_utf8(field.into_owned()).unwrap();
        LineFields::new(line.as_bytes(), separator).map(|field| field.map(text)).collect()
    }

    #[test]
    fn bytes_separate_and_blanks_pad() {
        let comma = |line| columns(line, Separator::Byte(b',')).unwrap();
        assert_eq!(comma(" a b ,\tc"), ["a b", "c"]);
        assert_eq!(comma("a,,b,"), ["a", "", "b"]);
        assert_eq!(comma(""), [""; 0]);
        let tab = columns("a \t b\t\tc", Separator::Byte(b'\t')).unwrap();
        assert_eq!(tab, ["a", "b", "", "c"]);
        assert_eq!(columns(" a \t b\t", Separator::Blanks).unwrap(), ["a", "b"]);
    }

    #[test]
    fn quotes_as_in_rfc_4180() {
        let comma = |line| columns(line, Separator::Byte(b','));
        assert_eq!(comma(r#""a, b" , "say ""hi""", """" "#).unwrap(), ["a, b", "say \"hi\"", "\""]);
        assert_eq!(comma(r#""a"b,c"#).unwrap_err(), LineProblem::AfterQuote);
        assert_eq!(comma(r#"a,"b""#).unwrap(), ["a", "b"]);
        assert_eq!(comma(r#"a"b,c"#).unwrap(), ["a\"b", "c"], "a quote inside is a letter");
        assert_eq!(comma(r#"a,"b"#).unwrap_err(), LineProblem::Unclosed);
        assert_eq!(columns(r#""a b" c"#, Separator::Blanks).unwrap(), ["\"a", "b\"", "c"]);
    }
}
