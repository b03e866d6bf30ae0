//! The header of a `.npy` file: a magic, a version, a length, and a Python dict literal of exactly
//! three keys, read by a parser that knows nothing else of Python.

use std::io::Read;

use super::Order;
use crate::{FoundValue, Result, SourceLocation};

/// Real headers have some hundred bytes; version 2 could declare 4 GiB.
const LONGEST: usize = 1 << 16;

pub(super) struct Header {
    pub descr: String,
    pub order: Order,
    pub shape: Vec<usize>,
}

impl Header {
    pub fn read(reader: &mut impl Read, place: &SourceLocation) -> Result<Self> {
        let mut start = [0; 8];
        reader.read_exact(&mut start).map_err(|error| place.io(error))?;
        if !start.starts_with(b"\x93NUMPY") {
            let found = format!("a file that begins with '{}'", start.escape_ascii());
            return Err(place.malformed(found, "a numpy array (.npy)"));
        }
        let mut length = [0; 4];
        let width = match start[6] {
            1 => 2,
            2 | 3 => 4,
            version => {
                return Err(place
                    .malformed(FoundValue::words(format!("npy version {version}")), "1, 2 or 3"));
            }
        };
        reader.read_exact(&mut length[..width]).map_err(|error| place.io(error))?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LONGEST {
            let expected = format!("at most {LONGEST}");
            return Err(
                place.malformed(FoundValue::words(format!("a header of {length} bytes")), expected)
            );
        }
        let mut text = vec![0; length];
        reader.read_exact(&mut text).map_err(|error| place.io(error))?;
        Dict { text: &text, at: 0, place }.parse()
    }
}

/// A cursor over `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
struct Dict<'a> {
    text: &'a [u8],
    at: usize,
    place: &'a SourceLocation,
}

impl<'a> Dict<'a> {
    fn parse(mut self) -> Result<Header> {
        let (mut descr, mut order, mut shape) = (None, None, None);
        self.expect(b'{')?;
        while !self.skip(b'}') {
            let key = self.string()?;
            self.expect(b':')?;
            match key {
                b"descr" if descr.is_none() => descr = Some(self.descr()?),
                b"fortran_order" if order.is_none() => order = Some(self.order()?),
                b"shape" if shape.is_none() => shape = Some(self.shape()?),
                _ => return Err(self.unexpected("the keys descr, fortran_order, shape, once each")),
            }
            if !self.skip(b',') {
                self.expect(b'}')?;
                break;
            }
        }
        self.skip_blanks();
        if self.at < self.text.len() {
            return Err(self.unexpected("nothing after the header's '}'"));
        }
        match (descr, order, shape) {
            (Some(descr), Some(order), Some(shape)) => Ok(Header { descr, order, shape }),
            _ => Err(self.unexpected("the keys descr, fortran_order and shape")),
        }
    }

    fn descr(&mut self) -> Result<String> {
        self.skip_blanks();
        if self.text.get(self.at) == Some(&b'[') {
            return Err(self
                .place
                .malformed("an array of records", "one of plain numbers or text"));
        }
        let descr = self.string()?;
        Ok(String::from_utf8_lossy(descr).into_owned())
    }

    fn order(&mut self) -> Result<Order> {
        for (word, order) in [("False", Order::C), ("True", Order::Fortran)] {
            if self.text[self.at..].trim_ascii_start().starts_with(word.as_bytes()) {
                self.skip_blanks();
                self.at += word.len();
                return Ok(order);
            }
        }
        Err(self.unexpected("True or False"))
    }

    fn shape(&mut self) -> Result<Vec<usize>> {
        self.expect(b'(')?;
        let mut shape = Vec::new();
        while !self.skip(b')') {
            shape.push(self.number()?);
            if !self.skip(b',') {
                self.expect(b')')?;
                break;
            }
        }
        Ok(shape)
    }

    fn number(&mut self) -> Result<usize> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let number = std::str::from_utf8(&rest[..digits]).ok().and_then(|text| text.parse().ok());
        let number = number.ok_or_else(|| self.unexpected("a length that fits in memory"))?;
        self.at += digits;
        // Python 2 wrote long integers as `3L`.
        self.skip(b'L');
        Ok(number)
    }

    /// What stands between quotes; the three keys and the type codes need no escapes.
    fn string(&mut self) -> Result<&'a [u8]> {
        self.skip_blanks();
        let quote = match self.text.get(self.at) {
            Some(&quote @ (b'\'' | b'"')) => quote,
            _ => return Err(self.unexpected("a quoted string")),
        };
        let rest = &self.text[self.at + 1..];
        let length = rest.iter().position(|&b| b == quote || b == b'\\' || b == b'\n');
        match length.filter(|&length| rest[length] == quote) {
            Some(length) => {
                self.at += length + 2;
                Ok(&rest[..length])
            }
            None => Err(self.unexpected("a quoted string that ends")),
        }
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_ascii_start().len();
    }

    fn skip(&mut self, wanted: u8) -> bool {
        self.skip_blanks();
        let found = self.text.get(self.at) == Some(&wanted);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: u8) -> Result<()> {
        if self.skip(wanted) {
            return Ok(());
        }
        Err(self.unexpected(&format!("'{}'", wanted as char)))
    }

    fn unexpected(&self, expected: &str) -> crate::Error {
        let rest = &self.text[self.at.min(self.text.len())..];
        let shown = rest[..rest.len().min(20)].escape_ascii();
        let found = format!("'{shown}' at byte {} of the header", self.at);
        self.place.malformed(found, expected)
    }
}
