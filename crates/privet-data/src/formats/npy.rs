//! numpy `.npy` arrays: the header, and numbers and text of every plain type.
//!
//! A reader of our own rather than a crate, because the format is one header and a block of bytes,
//! and because the checks are the point: lengths are compared before anything is believed, and
//! object arrays, which are pickles and could run code in Python, are refused by name.
//!
//! An [`Array`] keeps the bytes as they came, in C order and little endian, and converts once, into
//! the type that is asked for.

mod header;
mod item;
mod write;

use std::io::Read;

pub use item::Item;
pub(crate) use write::{Number, write_numbers, write_texts};

use super::Input;
use crate::{FoundValue, Result, SourceLocation};

/// How the values of a two-dimensional array follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Row after row.
    C,
    /// Column after column.
    Fortran,
}

/// An array of numbers or text with at most two dimensions.
///
/// ```
/// use privet_data::formats::{Input, npy};
/// use privet_graph::SourceLocation;
/// let header = b"{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n";
/// let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
/// bytes.extend((header.len() as u16).to_le_bytes());
/// bytes.extend(header);
/// bytes.extend([7, 0, 0xff, 0xff]);
/// let array = npy::Array::read(Input::new(SourceLocation::file("x.npy"), std::io::Cursor::new(bytes)))?;
/// assert_eq!(array.integers::<i64>("any integer")?, [7, -1]);
/// # Ok::<(), privet_graph::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Array {
    place: SourceLocation,
    shape: Vec<usize>,
    item: Item,
    /// C order, little endian; as long as shape and item say.
    bytes: Vec<u8>,
}

impl Array {
    /// Reads a whole `.npy` stream.
    ///
    /// # Errors
    /// If it is no `.npy`, holds objects or records, or is shorter or longer than its header says.
    pub fn read(input: Input) -> Result<Self> {
        let Input { place, mut reader } = input;
        let header = header::Header::read(&mut reader, &place)?;
        let expected = byte_count(&header.shape, &header.descr, &place)?;
        // One byte more than expected is enough to know that there is too much; the buffer grows
        // with what really arrives, whatever the header claims.
        let mut bytes = Vec::new();
        let mut limited = reader.take(expected.saturating_add(1) as u64);
        limited.read_to_end(&mut bytes).map_err(|error| place.io(error))?;
        Self::from_parts(header.shape, &header.descr, header.order, bytes, &place)
    }

    /// An array from its parts, as a header or a pickle states them.
    ///
    /// # Errors
    /// If the type is not plain, there are more than two dimensions, or the length differs.
    pub fn from_parts(
        shape: Vec<usize>,
        descr: &str,
        order: Order,
        mut bytes: Vec<u8>,
        place: &SourceLocation,
    ) -> Result<Self> {
        let expected = byte_count(&shape, descr, place)?;
        if bytes.len() != expected {
            let more = if bytes.len() > expected { "at least " } else { "" };
            let found = FoundValue::words(format!("{more}{} bytes of values", bytes.len()));
            let wanted = format!("{expected} (shape {shape:?} of type {descr})");
            return Err(place.malformed(found, wanted));
        }
        let (item, endian) = Item::parse(descr, place)?;
        if endian == item::Endian::Big {
            let unit = item.unit();
            bytes.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
        }
        if let (Order::Fortran, &[rows, columns]) = (order, &shape[..]) {
            bytes = transposed(&bytes, rows, columns, item.size());
        }
        Ok(Self { place: place.clone(), shape, item, bytes })
    }

    /// Where the array came from, for errors.
    pub fn place(&self) -> &SourceLocation {
        &self.place
    }

    /// The length of each dimension; empty for a single value.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// What the values are.
    pub fn item(&self) -> Item {
        self.item
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.item.size()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Integers and truth values (0 and 1), in C order.
    ///
    /// # Errors
    /// If the array holds something else, or a value does not fit `T`; `expected` says what would.
    pub fn integers<T: TryFrom<i128>>(&self, expected: &str) -> Result<Vec<T>> {
        match self.item {
            Item::Bool | Item::Unsigned(1) => self.each(expected, u8::from_le_bytes),
            Item::Signed(1) => self.each(expected, i8::from_le_bytes),
            Item::Signed(2) => self.each(expected, i16::from_le_bytes),
            Item::Signed(4) => self.each(expected, i32::from_le_bytes),
            Item::Signed(_) => self.each(expected, i64::from_le_bytes),
            Item::Unsigned(2) => self.each(expected, u16::from_le_bytes),
            Item::Unsigned(4) => self.each(expected, u32::from_le_bytes),
            Item::Unsigned(_) => self.each(expected, u64::from_le_bytes),
            Item::Float(_) | Item::Bytes(_) | Item::Text(_) => Err(self
                .place
                .malformed(FoundValue::words(format!("an array of {}", self.item)), "integers")),
        }
    }

    fn each<const N: usize, S: Into<i128>, T: TryFrom<i128>>(
        &self,
        expected: &str,
        decode: impl Fn([u8; N]) -> S,
    ) -> Result<Vec<T>> {
        let (values, _) = self.bytes.as_chunks::<N>();
        let mut out = Vec::with_capacity(values.len());
        for (at, &value) in values.iter().enumerate() {
            let value: i128 = decode(value).into();
            let fitting = T::try_from(value);
            out.push(fitting.map_err(|_| self.bad_value(value, at, expected))?);
        }
        Ok(out)
    }

    /// The error of a value that makes no sense where it stands.
    pub(crate) fn bad_value(
        &self,
        value: impl std::fmt::Display,
        at: usize,
        expected: impl std::fmt::Display,
    ) -> crate::Error {
        self.place.malformed(format!("the value {value} at position {at}"), expected)
    }

    /// Numbers of any kind in single precision, in C order.
    ///
    /// # Errors
    /// If the array holds text, or a number beyond that precision's range.
    pub fn floats(&self) -> Result<Vec<f32>> {
        Ok(match self.item {
            Item::Float(2) => self.decoded(|b| item::half_to_single(u16::from_le_bytes(b))),
            Item::Float(4) => self.decoded(f32::from_le_bytes),
            Item::Float(_) => {
                let values = self.bytes.as_chunks::<8>().0.iter().map(|&b| f64::from_le_bytes(b));
                let beyond = |value: f64| value.is_finite() && !(value as f32).is_finite();
                if let Some((at, value)) = values.enumerate().find(|&(_, value)| beyond(value)) {
                    let expected = "a number within 32-bit range, 3.4e38 either way";
                    return Err(self.bad_value(value, at, expected));
                }
                self.decoded(|b| f64::from_le_bytes(b) as f32)
            }
            Item::Bytes(_) | Item::Text(_) => {
                return Err(self.place.malformed(
                    FoundValue::words(format!("an array of {}", self.item)),
                    "numbers",
                ));
            }
            _ => self.integers::<i128>("any integer")?.iter().map(|&v| v as f32).collect(),
        })
    }

    /// Floating-point numbers as they are, NaN included; nothing if the array holds something else.
    pub(crate) fn doubles(&self) -> Vec<f64> {
        match self.item {
            Item::Float(2) => {
                self.decoded(|b| f64::from(item::half_to_single(u16::from_le_bytes(b))))
            }
            Item::Float(4) => self.decoded(|b| f64::from(f32::from_le_bytes(b))),
            Item::Float(_) => self.decoded(f64::from_le_bytes),
            _ => Vec::new(),
        }
    }

    fn decoded<const N: usize, T>(&self, decode: impl Fn([u8; N]) -> T) -> Vec<T> {
        self.bytes.as_chunks::<N>().0.iter().map(|&value| decode(value)).collect()
    }

    /// Whether the values are text.
    pub fn is_text(&self) -> bool {
        matches!(self.item, Item::Bytes(_) | Item::Text(_))
    }

    /// Texts, in C order, without the zeros that pad them.
    ///
    /// # Errors
    /// If the array holds numbers, or something that is not Unicode.
    pub fn texts(&self) -> Result<Vec<String>> {
        if !self.is_text() {
            return Err(self
                .place
                .malformed(FoundValue::words(format!("an array of {}", self.item)), "text"));
        }
        let wide = matches!(self.item, Item::Text(_));
        let text = |(at, value): (usize, &[u8])| {
            let decoded = if wide { item::utf32(value) } else { item::utf8(value) };
            let not_text = || {
                self.place
                    .malformed(FoundValue::words(format!("no Unicode at position {at}")), "text")
            };
            decoded.ok_or_else(not_text)
        };
        self.bytes.chunks_exact(self.item.size()).enumerate().map(text).collect()
    }
}

/// How many bytes of values the header promises.
fn byte_count(shape: &[usize], descr: &str, place: &SourceLocation) -> Result<usize> {
    let (item, _) = Item::parse(descr, place)?;
    if shape.len() > 2 {
        let found = FoundValue::words(format!("an array of {} dimensions", shape.len()));
        return Err(place.malformed(found, "at most 2 dimensions"));
    }
    let values = shape.iter().try_fold(1usize, |count, &length| count.checked_mul(length));
    let bytes = values.and_then(|count| count.checked_mul(item.size()));
    bytes.filter(|&bytes| bytes <= isize::MAX as usize).ok_or_else(|| {
        place.malformed(
            FoundValue::words(format!("the shape {shape:?} of type {descr}")),
            "one that fits in memory",
        )
    })
}

/// Column after column into row after row.
fn transposed(bytes: &[u8], rows: usize, columns: usize, size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    if bytes.is_empty() {
        return out;
    }
    for row in 0..rows {
        for column in 0..columns {
            let at = (column * rows + row) * size;
            out.extend_from_slice(&bytes[at..at + size]);
        }
    }
    out
}

#[cfg(test)]
mod tests;
