//! [`TableTree`]: the rows of a table, in the order of their rowids, each with its payload put together.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::damaged;
use crate::formats::limits::long_line;
use crate::{Error, FoundValue, Result, SourceLocation};

/// No tree of SQLite's is deeper.
const DEEPEST: usize = 20;

const INTERIOR_TABLE: u8 = 0x05;
const LEAF_TABLE: u8 = 0x0d;

/// A table b-tree being walked through.
pub(super) struct TableTree {
    pager: Pager,
    stack: Vec<TreeLevel>,
    /// Pages that were visited: none is twice, in a tree.
    visited: u32,
    longest: usize,
    overflow: Vec<u8>,
}

struct TreeLevel {
    page: Vec<u8>,
    /// Where the header of the page begins.
    start: usize,
    is_leaf: bool,
    cells: usize,
    /// The next cell.
    cell: usize,
}

impl TreeLevel {
    fn new(page: Vec<u8>, number: u32) -> Option<Self> {
        // The file's own header stands before that of the first page.
        let start = if number == 1 { 100 } else { 0 };
        // The other two kinds of pages are those of indexes, which no table leads to.
        let is_leaf = match *page.get(start)? {
            LEAF_TABLE => true,
            INTERIOR_TABLE => false,
            _ => return None,
        };
        let cells = usize::from(be16(&page, start + 3)?);
        Some(Self { page, start, is_leaf, cells, cell: 0 })
    }

    /// Where the next cell lies.
    fn cell_at(&self) -> Option<usize> {
        // The header of an interior page has four bytes more: its right-most child.
        let pointers = self.start + if self.is_leaf { 8 } else { 12 };
        be16(&self.page, pointers + 2 * self.cell).map(usize::from)
    }

    /// The next page below this one; `None` after the last.
    fn child(&mut self) -> Option<Option<u32>> {
        let child = match self.cell.cmp(&self.cells) {
            std::cmp::Ordering::Less => Some(be32(&self.page, self.cell_at()?)?),
            // After the last cell comes the right-most child, which stands in the header.
            std::cmp::Ordering::Equal => Some(be32(&self.page, self.start + 8)?),
            std::cmp::Ordering::Greater => None,
        };
        self.cell += 1;
        Some(child)
    }
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

impl TableTree {
    pub fn new(pager: Pager, root: u32, longest: usize) -> Result<Self> {
        let (stack, overflow) = (Vec::new(), Vec::new());
        let mut tree = Self { pager, stack, visited: 0, longest, overflow };
        tree.descend(root)?;
        Ok(tree)
    }

    pub fn pager(&mut self) -> &mut Pager {
        &mut self.pager
    }

    pub fn into_pager(self) -> Pager {
        self.pager
    }

    fn broken(&self) -> Error {
        damaged(&self.pager.place, "a tree of pages that makes no sense")
    }

    fn descend(&mut self, number: u32) -> Result<()> {
        self.visited += 1;
        // A crafted file can point pages at each other: depth and the number of visits end every loop.
        if self.stack.len() >= DEEPEST || self.visited > self.pager.page_count {
            return Err(self.broken());
        }
        let mut page = Vec::new();
        self.pager.read(number, &mut page)?;
        let level = TreeLevel::new(page, number).ok_or_else(|| self.broken())?;
        self.stack.push(level);
        Ok(())
    }

    /// The next row: its rowid, and its payload in `payload`.
    pub fn next(&mut self, payload: &mut Vec<u8>) -> Result<Option<i64>> {
        loop {
            let Some(level) = self.stack.last_mut() else { return Ok(None) };
            if level.is_leaf && level.cell < level.cells {
                let at = level.cell_at();
                level.cell += 1;
                return self.read_cell(at, payload).map(Some);
            }
            let below = match level.is_leaf {
                true => Some(None),
                false => level.child(),
            };
            match below {
                Some(Some(child)) => self.descend(child)?,
                Some(None) => drop(self.stack.pop()),
                None => return Err(self.broken()),
            }
        }
    }

    fn read_cell(&mut self, at: Option<usize>, payload: &mut Vec<u8>) -> Result<i64> {
        payload.clear();
        let usable = self.pager.usable;
        let (rowid, length, local, next) = self
            .stack
            .last()
            .zip(at)
            .and_then(|(level, at)| start_of_payload(level, at, usable))
            .ok_or_else(|| self.broken())?;
        // The declared length is compared with the limit before a byte of it is read.
        if length > self.longest {
            return Err(long_line(self.longest).at(&self.pager.place));
        }
        payload.extend_from_slice(local);
        let mut next = next;
        // Overflow pages form a list: the next page's number, then data. Each adds bytes, so a loop ends with
        // `length`.
        while payload.len() < length {
            let mut page = std::mem::take(&mut self.overflow);
            self.pager.read(next, &mut page)?;
            let more = (length - payload.len()).min(usable - 4);
            payload.extend_from_slice(&page[4..4 + more]);
            next = be32(&page, 0).unwrap_or_default();
            self.overflow = page;
        }
        Ok(rowid)
    }
}

/// Rowid, length of the payload, the part of it on this page, and the page where the rest begins.
fn start_of_payload(
    level: &TreeLevel,
    at: usize,
    usable: usize,
) -> Option<(i64, usize, &[u8], u32)> {
    let cell = level.page.get(at..)?;
    let (length, after) = varint(cell)?;
    let (rowid, after) = varint(after)?;
    let length = usize::try_from(length).ok()?;
    // The format's own formulas: fileformat2.html, "B-tree Pages".
    let most = usable - 35;
    if length <= most {
        return Some((rowid as i64, length, after.get(..length)?, 0));
    }
    let least = (usable - 12) * 32 / 255 - 23;
    let kept = least + (length - least) % (usable - 4);
    let kept = if kept <= most { kept } else { least };
    let next = be32(after, kept)?;
    Some((rowid as i64, length, after.get(..kept)?, next))
}

const HEADER: usize = 100;

/// Pages by number; the first is 1.
pub(super) struct Pager {
    file: File,
    pub place: SourceLocation,
    page_size: usize,
    /// Bytes of a page that hold data.
    pub usable: usize,
    pub page_count: u32,
    /// Counts the transactions that changed the file.
    changes: [u8; 4],
}

impl Pager {
    pub fn open(mut file: File, path: &Path, place: &SourceLocation) -> Result<Self> {
        refuse_unfinished(path, place)?;
        let header = header(&mut file, place)?;
        let be16 = |at: usize| usize::from(u16::from_be_bytes([header[at], header[at + 1]]));
        let be32 = |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|i| header[at + i]));
        // 65,536 does not fit into two bytes and is written as 1.
        let page_size = if be16(16) == 1 { 1 << 16 } else { be16(16) };
        // The end of each page may be reserved for extensions, such as encryption.
        let usable = page_size.saturating_sub(usize::from(header[20]));
        if !(512..=1 << 16).contains(&page_size) || !page_size.is_power_of_two() || usable < 480 {
            return Err(damaged(place, "pages of a size that there is not"));
        }
        // 0: nothing was ever written.
        if !matches!(be32(56), 0 | 1) {
            return Err(place.refused(
                "its text is UTF-16; sqlite3 OLD .dump | sqlite3 -cmd 'PRAGMA encoding=\"UTF-8\"' NEW makes it UTF-8",
            ));
        }
        let length = file.metadata().map_err(|error| place.io(error))?.len();
        // Counted from the file: the header's own count is stale in files of old versions.
        let page_count = u32::try_from(length / page_size as u64)
            .map_err(|_| damaged(place, "more pages than there may be"))?;
        // The declared number of pages counts if it was written with the last change.
        if be32(24) == be32(92) && be32(28) > page_count {
            let found = FoundValue::words(format!("{page_count} pages of {}", be32(28)));
            return Err(place.malformed(found, "a complete SQLite file (truncated copy?)"));
        }
        let changes = [24, 25, 26, 27].map(|at| header[at]);
        Ok(Self { file, place: place.clone(), page_size, usable, page_count, changes })
    }

    /// Reads a page.
    pub fn read(&mut self, number: u32, page: &mut Vec<u8>) -> Result<()> {
        if number == 0 || number > self.page_count {
            return Err(damaged(&self.place, "a page that is not in the file"));
        }
        // At most 64 KiB, whatever the file declares.
        page.resize(self.page_size, 0);
        let start = u64::from(number - 1) * self.page_size as u64;
        let read = self.file.seek(SeekFrom::Start(start)).and_then(|_| self.file.read_exact(page));
        read.map_err(|error| self.place.io(error))
    }

    /// Fails if the file was written to in the meantime: pages of two versions do not fit together.
    pub fn check_unchanged(&mut self) -> Result<()> {
        let header = header(&mut self.file, &self.place)?;
        // The file change counter grows with every transaction outside of a write-ahead log.
        match header[24..28] == self.changes {
            true => Ok(()),
            false => {
                let found = "a file that was written to while it was read";
                Err(self.place.malformed(
                    found,
                    "a file that no program writes to: copy it, and read the copy",
                ))
            }
        }
    }
}

fn header(file: &mut File, place: &SourceLocation) -> Result<[u8; HEADER]> {
    let mut header = [0; HEADER];
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_exact(&mut header));
    read.map_err(|error| place.io(error))?;
    Ok(header)
}

/// Changes beside the file are part of its content, and are not read here.
fn refuse_unfinished(path: &Path, place: &SourceLocation) -> Result<()> {
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        std::fs::metadata(PathBuf::from(name)).is_ok_and(|metadata| metadata.len() > 0)
    };
    if beside("-wal") {
        return Err(place.refused(
            "changes lie in its write-ahead log; close what uses it, then sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'",
        ));
    }
    if beside("-journal") {
        return Err(place.refused(
            "a journal beside it says that a change was not finished; open it once with sqlite3, which undoes it",
        ));
    }
    Ok(())
}

// Records: a header of types, then the values.

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
    // Big-endian, seven bits a byte; a set high bit means that more follows.
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
        // The header's length counts its own bytes too.
        let mut types = record.get(prefix..header)?;
        let mut start = header;
        while !types.is_empty() {
            let (kind, rest) = varint(types)?;
            self.fields.push((kind, start));
            // Sizes come from the file: a sum that overflows must not wrap into the record.
            start = start.checked_add(size(kind)?)?;
            types = rest;
        }
        // Every later `value` stays inside the record.
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
            // Types 8 and 9 are the constants 0 and 1, without bytes.
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
        // Reserved: they never stand in a file.
        10 | 11 => None,
        kind => usize::try_from((kind - 12) / 2).ok(),
    }
}

/// A signed integer of up to eight bytes.
fn integer(bytes: &[u8]) -> i64 {
    // Two's complement, extended to 64 bits by its first bit.
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
