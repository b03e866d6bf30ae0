//! Records: a header of types, then the values.

/// A value as it is stored.
#[derive(Debug, PartialEq)]
pub(super) enum RecordValue<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a [u8]),
    Blob,
}

/// The variable-length integer at the beginning, and what follows it.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0_u64;
    for (at, &byte) in bytes.iter().take(9).enumerate() {
        if at == 8 {
            // The ninth byte counts in full.
            return Some((value << 8 | u64::from(byte), &bytes[9..]));
        }
        value = value << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

/// The fields of a record: of what type each is, and where it begins.
#[derive(Debug, Default)]
pub(super) struct RecordFields {
    fields: Vec<(u64, usize)>,
}

impl RecordFields {
    /// Reads the header of a record.
    pub fn read(&mut self, record: &[u8]) -> Option<()> {
        self.fields.clear();
        let (header, after) = varint(record)?;
        let header = usize::try_from(header).ok()?;
        let prefix = record.len() - after.len();
        let mut types = record.get(prefix..header)?;
        let mut start = header;
        while !types.is_empty() {
            let (kind, rest) = varint(types)?;
            self.fields.push((kind, start));
            start = start.checked_add(size(kind)?)?;
            types = rest;
        }
        (start <= record.len()).then_some(())
    }

    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// The value of a field.
    pub fn value<'a>(&self, record: &'a [u8], at: usize) -> Option<RecordValue<'a>> {
        let &(kind, start) = self.fields.get(at)?;
        let bytes = record.get(start..)?.get(..size(kind)?)?;
        Some(match kind {
            0 => RecordValue::Null,
            1..=6 => RecordValue::Integer(integer(bytes)),
            7 => RecordValue::Real(f64::from_be_bytes(bytes.try_into().ok()?)),
            8 => RecordValue::Integer(0),
            9 => RecordValue::Integer(1),
            kind if kind % 2 == 0 => RecordValue::Blob,
            _ => RecordValue::Text(bytes),
        })
    }
}

/// How many bytes a value of this type has.
fn size(kind: u64) -> Option<usize> {
    match kind {
        0 | 8 | 9 => Some(0),
        1..=4 => Some(kind as usize),
        5 => Some(6),
        6 | 7 => Some(8),
        10 | 11 => None,
        kind => usize::try_from((kind - 12) / 2).ok(),
    }
}

/// A signed integer of up to eight bytes.
fn integer(bytes: &[u8]) -> i64 {
    let sign = if bytes.first().is_some_and(|&byte| byte >= 0x80) { -1 } else { 0 };
    bytes.iter().fold(sign, |value, &byte| value << 8 | i64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_every_length() {
        assert_eq!(varint(&[0x7f, 1]), Some((127, &[1][..])));
        assert_eq!(varint(&[0x81, 0x00]), Some((128, &[][..])));
        assert_eq!(varint(&[0xff; 9]), Some((u64::MAX, &[][..])));
        assert_eq!(varint(&[0xff; 8]), None);
        assert_eq!(varint(&[]), None);
        for (bytes, expected) in [
            (&[0xff][..], -1),
            (&[0x00, 0x80], 128),
            (&[0x80, 0, 0], -8_388_608),
            (&[0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], i64::MAX),
        ] {
            assert_eq!(integer(bytes), expected);
        }
    }

    #[test]
    fn a_record_that_promises_more_than_it_holds_is_none() {
        let mut fields = RecordFields::default();
        // A header of three bytes: an integer of one, a text of two; and the values.
        assert_eq!(fields.read(&[3, 1, 17, 5, b'h', b'i']), Some(()));
        assert_eq!(fields.value(&[3, 1, 17, 5, b'h', b'i'], 1), Some(RecordValue::Text(b"hi")));
        for bad in [&[3, 1, 17, 5, b'h'][..], &[9, 1], &[0], &[], &[2, 10], &[2, 0x81]] {
            assert_eq!(fields.read(bad), None, "{bad:?}");
        }
    }
}
