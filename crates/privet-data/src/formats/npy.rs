//! numpy `.npy` arrays: the header, and numbers and text of every plain type.
//!
//! A reader of our own rather than a crate, because the format is one header and a block of bytes,
//! and because the checks are the point: lengths are compared before anything is believed, and
//! object arrays, which are pickles and could run code in Python, are refused by name.
//!
//! An [`NpyArray`] keeps the bytes as they came, in C order and little endian, and converts once, into
//! the type that is asked for.

mod header;
mod item;
mod write;

use std::io::Read;

pub use item::NpyItem;
pub(crate) use write::{Number, write_numbers, write_texts};

use super::NamedInput;
use crate::{FoundValue, Result, SourceLocation};

/// How the values of a two-dimensional array follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayOrder {
    /// Row after row.
    C,
    /// Column after column.
    Fortran,
}

/// An array of numbers or text with at most two dimensions.
///
/// ```
/// use privet_data::formats::{NamedInput, npy};
/// use privet_graph::SourceLocation;
/// let header = b"{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n";
/// let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
/// bytes.extend((header.len() as u16).to_le_bytes());
/// bytes.extend(header);
/// bytes.extend([7, 0, 0xff, 0xff]);
/// let array = npy::NpyArray::read(NamedInput::new(SourceLocation::file("x.npy"), std::io::Cursor::new(bytes)))?;
/// assert_eq!(array.integers::<i64>("any integer")?, [7, -1]);
/// # Ok::<(), privet_graph::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NpyArray {
    place: SourceLocation,
    shape: Vec<usize>,
    item: NpyItem,
    /// C order, little endian; as long as shape and item say.
    bytes: Vec<u8>,
}

impl NpyArray {
    /// Reads a whole `.npy` stream.
    ///
    /// # Errors
    /// If it is no `.npy`, holds objects or records, or is shorter or longer than its header says.
    pub fn read(input: NamedInput) -> Result<Self> {
        let NamedInput { place, mut reader } = input;
        let header = header::NpyHeader::read(&mut reader, &place)?;
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
        order: ArrayOrder,
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
        let (item, endian) = NpyItem::parse(descr, place)?;
        if endian == item::Endian::Big {
            // Text is swapped by character of four bytes, not as a whole.
            let unit = item.unit();
            bytes.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
        }
        if let (ArrayOrder::Fortran, &[rows, columns]) = (order, &shape[..]) {
            // One order in memory, so that every reader indexes rows alike.
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
    pub fn item(&self) -> NpyItem {
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
            NpyItem::Bool | NpyItem::Unsigned(1) => self.each(expected, u8::from_le_bytes),
            NpyItem::Signed(1) => self.each(expected, i8::from_le_bytes),
            NpyItem::Signed(2) => self.each(expected, i16::from_le_bytes),
            NpyItem::Signed(4) => self.each(expected, i32::from_le_bytes),
            NpyItem::Signed(_) => self.each(expected, i64::from_le_bytes),
            NpyItem::Unsigned(2) => self.each(expected, u16::from_le_bytes),
            NpyItem::Unsigned(4) => self.each(expected, u32::from_le_bytes),
            NpyItem::Unsigned(_) => self.each(expected, u64::from_le_bytes),
            NpyItem::Float(_) | NpyItem::Bytes(_) | NpyItem::Text(_) => Err(self
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
            // Through 128 bits: every signed and unsigned integer of numpy fits, so nothing wraps.
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
            NpyItem::Float(2) => self.decoded(|b| item::half_to_single(u16::from_le_bytes(b))),
            NpyItem::Float(4) => self.decoded(f32::from_le_bytes),
            NpyItem::Float(_) => {
                let values = self.bytes.as_chunks::<8>().0.iter().map(|&b| f64::from_le_bytes(b));
                // A double that is finite must not become infinite in single precision; NaN is refused later,
                // by its column.
                let beyond = |value: f64| value.is_finite() && !(value as f32).is_finite();
                if let Some((at, value)) = values.enumerate().find(|&(_, value)| beyond(value)) {
                    let expected = "a number within 32-bit range, 3.4e38 either way";
                    return Err(self.bad_value(value, at, expected));
                }
                self.decoded(|b| f64::from_le_bytes(b) as f32)
            }
            NpyItem::Bytes(_) | NpyItem::Text(_) => {
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
            NpyItem::Float(2) => {
                self.decoded(|b| f64::from(item::half_to_single(u16::from_le_bytes(b))))
            }
            NpyItem::Float(4) => self.decoded(|b| f64::from(f32::from_le_bytes(b))),
            NpyItem::Float(_) => self.decoded(f64::from_le_bytes),
            _ => Vec::new(),
        }
    }

    fn decoded<const N: usize, T>(&self, decode: impl Fn([u8; N]) -> T) -> Vec<T> {
        self.bytes.as_chunks::<N>().0.iter().map(|&value| decode(value)).collect()
    }

    /// Whether the values are text.
    pub fn is_text(&self) -> bool {
        matches!(self.item, NpyItem::Bytes(_) | NpyItem::Text(_))
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
        let wide = matches!(self.item, NpyItem::Text(_));
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
    let (item, _) = NpyItem::parse(descr, place)?;
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
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    fn npy(version: u8, dict: &str, values: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        match version {
            1 => bytes.extend((dict.len() as u16).to_le_bytes()),
            _ => bytes.extend((dict.len() as u32).to_le_bytes()),
        }
        bytes.extend(dict.as_bytes());
        bytes.extend(values);
        bytes
    }

    fn plain(descr: &str, shape: &str, values: &[u8]) -> Vec<u8> {
        let dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        npy(1, &dict, values)
    }

    fn place() -> SourceLocation {
        SourceLocation::file("x.npy")
    }

    fn read(bytes: Vec<u8>) -> Result<NpyArray> {
        NpyArray::read(NamedInput::new(place(), Cursor::new(bytes)))
    }

    fn integers(bytes: Vec<u8>) -> Vec<i64> {
        read(bytes).unwrap().integers("an i64").unwrap()
    }

    #[test]
    fn every_integer_type_in_both_byte_orders() {
        assert_eq!(integers(plain("|b1", "(2,)", &[0, 1])), [0, 1]);
        assert_eq!(integers(plain("|i1", "(2,)", &[255, 1])), [-1, 1]);
        assert_eq!(integers(plain("|u1", "(1,)", &[255])), [255]);
        for width in [2usize, 4, 8] {
            let big: Vec<u8> = (0..width as u8).collect();
            let little: Vec<u8> = big.iter().rev().copied().collect();
            let value = big.iter().fold(0i64, |sum, &b| (sum << 8) | i64::from(b));
            for kind in ['i', 'u'] {
                assert_eq!(integers(plain(&format!("<{kind}{width}"), "(1,)", &little)), [value]);
                assert_eq!(integers(plain(&format!(">{kind}{width}"), "(1,)", &big)), [value]);
            }
        }
        let huge = read(plain("<u8", "()", &[255; 8])).unwrap();
        assert_eq!(huge.shape(), &[] as &[usize]);
        assert_eq!(huge.integers::<u64>("").unwrap(), [u64::MAX]);
        let message = huge.integers::<i64>("an i64").unwrap_err().with_values();
        assert_eq!(
            message,
            "x.npy: found the value 18446744073709551615 at position 0; expected an i64"
        );
    }

    #[test]
    fn every_float_type_and_integers_as_floats() {
        let floats = |bytes| read(bytes).unwrap().floats().unwrap();
        assert_eq!(floats(plain("<f4", "(1,)", &1.5f32.to_le_bytes())), [1.5]);
        assert_eq!(floats(plain(">f8", "(1,)", &(-0.1f64).to_be_bytes())), [-0.1]);
        assert_eq!(floats(plain("<i2", "(1,)", &[3, 0])), [3.0]);
        // 1, -2, the smallest subnormal, the largest finite half, infinity.
        let halves = [0x3c00u16, 0xc000, 0x0001, 0x7bff, 0x7c00].map(u16::to_le_bytes).concat();
        let expected = [1.0, -2.0, 2f32.powi(-24), 65504.0, f32::INFINITY];
        assert_eq!(floats(plain("<f2", "(5,)", &halves)), expected);
        assert!(item::half_to_single(0x7e00).is_nan());
        // Neither infinite nor a number that fits.
        let large = read(plain("<f8", "(2,)", &[0.5f64, 1e300].map(f64::to_le_bytes).concat()));
        let message = large.unwrap().floats().unwrap_err().to_string();
        assert!(
            message.contains("within 32-bit range") && !message.contains("finite"),
            "{message}"
        );
    }

    #[test]
    fn text_in_both_encodings() {
        let wide =
            |order: fn(u32) -> [u8; 4]| ['é', '\0', 'a', 'b'].map(|c| order(u32::from(c))).concat();
        for bytes in [
            plain("<U2", "(2,)", &wide(u32::to_le_bytes)),
            plain(">U2", "(2,)", &wide(u32::to_be_bytes)),
            plain("|S2", "(2,)", "éab".as_bytes()),
        ] {
            assert_eq!(read(bytes).unwrap().texts().unwrap(), ["é", "ab"]);
        }
        let array = read(plain("<U1", "(1,)", &[0, 0xd8, 0, 0])).unwrap();
        assert!(array.texts().unwrap_err().with_values().contains("position 0"));
        assert!(array.floats().is_err());
        assert!(read(plain("|S1", "(1,)", &[0xff])).unwrap().texts().is_err());
    }

    #[test]
    fn fortran_order_becomes_c_order() {
        let dict = "{'shape': (2, 3), 'fortran_order': True, 'descr': '|u1'}";
        for version in [1, 2, 3] {
            let array = read(npy(version, dict, &[1, 4, 2, 5, 3, 6])).unwrap();
            assert_eq!(array.shape(), [2, 3]);
            assert_eq!(array.integers::<u8>("").unwrap(), [1, 2, 3, 4, 5, 6]);
        }
        let empty = "{'shape': (9000000000000000000, 0), 'fortran_order': True, 'descr': '|u1'}";
        assert!(read(npy(1, empty, &[])).unwrap().is_empty());
    }

    #[test]
    fn what_is_not_plain_is_refused_by_name() {
        let message = |bytes| read(bytes).unwrap_err().with_values();
        let object = message(plain("|O", "()", b"\x80\x02N."));
        assert!(
            object.contains("refused") && object.contains("object array is a pickle"),
            "{object}"
        );
        assert!(message(plain("<c8", "(1,)", &[0; 8])).contains("the type '<c8'"));
        assert!(message(plain("<U0", "(999999999999,)", &[])).contains("the type '<U0'"));
        assert!(message(plain("|u1", "(1, 1, 1)", &[0])).contains("3 dimensions"));
        let records = "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }";
        assert!(message(npy(1, records, &[0; 4])).contains("records"));
        assert!(message(npy(4, "{}", &[])).contains("version 4"));
        assert!(message(b"PK\x03\x04 and so on".to_vec()).contains("begins with 'PK"));
    }

    #[test]
    fn shapes_that_lie_are_found_out() {
        let message = |bytes| read(bytes).unwrap_err().with_values();
        assert!(message(plain("<f8", "(4294967296, 4294967296)", &[])).contains("fits in memory"));
        assert!(message(plain("<f8", "(99999999999999999999,)", &[])).contains("fits in memory"));
        assert!(message(plain("<f8", "(100000000000,)", &[0; 8])).contains("8 bytes of values"));
        assert!(message(plain("|u1", "(1,)", &[0, 0])).contains("at least 2 bytes"));
        let mut header = b"\x93NUMPY\x02\x00".to_vec();
        header.extend(u32::MAX.to_le_bytes());
        assert!(message(header).contains("header of 4294967295 bytes"));
    }

    #[test]
    fn headers_are_read_strictly() {
        for dict in [
            "",
            "{",
            "{}",
            "{'descr': '<f4'}",
            "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
            "{'descr': '<f4', 'fortran_order': Maybe, 'shape': ()}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'more': 1}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': ()} + x",
            "{'descr: '<f4', 'fortran_order': False, 'shape': ()}",
            "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': ()}",
        ] {
            assert!(read(npy(1, dict, &[0; 4])).is_err(), "{dict}");
        }
        assert!(read(plain("<f4", "(1L,)", &[0; 4])).is_ok());
    }

    #[test]
    fn a_file_cut_anywhere_is_an_error() {
        let mut whole = Vec::new();
        write_numbers(&mut whole, &[2, 3], [1i32, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(integers(whole.clone()), [1, 2, 3, 4, 5, 6]);
        for length in 0..whole.len() {
            assert!(read(whole[..length].to_vec()).is_err(), "cut at {length}");
        }
    }

    #[test]
    fn written_headers_are_what_numpy_writes() {
        let mut bytes = Vec::new();
        write_numbers(&mut bytes, &[2], [1.0f32, 2.0]).unwrap();
        let mut expected = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        expected.extend(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }");
        expected.resize(127, b' ');
        expected.extend(b"\n\x00\x00\x80\x3f\x00\x00\x00\x40");
        assert_eq!(bytes, expected);
        assert!(write_numbers(&mut Vec::new(), &[2], [1.0f32]).is_err());
        assert!(write_numbers(&mut Vec::new(), &[2], [1.0f32; 3]).is_err());
        assert!(write_texts(&mut Vec::new(), &[1], ["a\0"]).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_and_mutated_bytes_never_panic(
            noise in prop::collection::vec(any::<u8>(), 0..300),
            position in 0usize..200,
            byte in any::<u8>(),
        ) {
            let _ = read(noise.clone());
            let mut framed = plain("<U3", "(5, 2)", &[b'a'; 120]);
            let at = position % framed.len();
            framed[at] = byte;
            framed.extend(noise);
            for bytes in [framed.clone(), framed[..framed.len().min(180)].to_vec()] {
                if let Ok(array) = read(bytes) {
                    let _ = (array.texts(), array.floats());
                    let _ = array.integers::<u32>("");
                }
            }
        }

        #[test]
        fn texts_round_trip(texts in prop::collection::vec("[^\0]{0,6}", 0..8)) {
            let mut bytes = Vec::new();
            write_texts(&mut bytes, &[texts.len()], &texts).unwrap();
            prop_assert_eq!(read(bytes).unwrap().texts().unwrap(), texts);
        }
    }
}
