//! Writing `.npy`: values are streamed, so the array never stands in memory twice.

use std::io::{self, Write};

/// A number with a type code.
pub(crate) trait Number: Copy {
    /// numpy's name of the type.
    const DESCR: &'static str;
    /// The little-endian bytes.
    fn put(self, out: &mut Vec<u8>);
}

impl Number for bool {
    const DESCR: &'static str = "|b1";
    fn put(self, out: &mut Vec<u8>) {
        out.push(self.into());
    }
}

macro_rules! number {
    ($($kind:ty: $descr:literal),*) => {$(
        impl Number for $kind {
            const DESCR: &'static str = $descr;
            fn put(self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }
        }
    )*};
}
number!(i32: "<i4", i64: "<i8", u64: "<u8", f32: "<f4");

/// Writes a whole array; there must be as many values as `shape` says.
pub(crate) fn write_numbers<T: Number>(
    out: &mut impl Write,
    shape: &[usize],
    values: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    write_header(out, T::DESCR, shape)?;
    let mut block = Vec::new();
    // The header is written first, so the number of values must be what it says.
    let mut left: usize = shape.iter().product();
    for value in values {
        left = left.checked_sub(1).ok_or_else(wrong_count)?;
        value.put(&mut block);
        flush_if_full(&mut block, out)?;
    }
    if left > 0 {
        return Err(wrong_count());
    }
    out.write_all(&block)
}

/// Writes text; a single value if `shape` is empty. numpy pads text with zeros, so text that ends
/// in one cannot be kept and is an error.
pub(crate) fn write_texts<S: AsRef<str>>(
    out: &mut impl Write,
    shape: &[usize],
    texts: impl IntoIterator<Item = S> + Clone,
) -> io::Result<()> {
    // Two passes: the width of the longest text comes before all texts.
    let mut width = 1;
    for text in texts.clone() {
        let text = text.as_ref();
        if text.ends_with('\0') {
            let message =
                format!("numpy cannot keep text that ends in NUL: '{}'", text.escape_debug());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        width = width.max(text.chars().count());
    }
    write_header(out, &format!("<U{width}"), shape)?;
    let mut block = Vec::new();
    for text in texts {
        let mut characters = text.as_ref().chars();
        for _ in 0..width {
            let character = characters.next().map_or(0, u32::from);
            block.extend(character.to_le_bytes());
            flush_if_full(&mut block, out)?;
        }
    }
    out.write_all(&block)
}

fn write_header(out: &mut impl Write, descr: &str, shape: &[usize]) -> io::Result<()> {
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    // A tuple of one element has a comma in Python.
    let comma = if shape.len() == 1 { "," } else { "" };
    let shape = format!("({}{comma})", lengths.join(", "));
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version, length and text together fill a multiple of 64 bytes, as numpy does it.
    let filled = (10 + text.len() + 1).next_multiple_of(64);
    text.extend(std::iter::repeat_n(' ', filled - 11 - text.len()));
    text.push('\n');
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(text.len() as u16).to_le_bytes())?;
    out.write_all(text.as_bytes())
}

fn flush_if_full(block: &mut Vec<u8>, out: &mut impl Write) -> io::Result<()> {
    const BLOCK: usize = 1 << 16;
    if block.len() >= BLOCK {
        out.write_all(block)?;
        block.clear();
    }
    Ok(())
}

fn wrong_count() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "another number of values than the shape says")
}
