//! [`TableTree`]: the rows of a table, in the order of their rowids, each with its payload put together.

use super::damaged;
use super::pager::Pager;
use super::record::varint;
use crate::formats::limits::long_line;
use crate::{Error, Result};

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
        let pointers = self.start + if self.is_leaf { 8 } else { 12 };
        be16(&self.page, pointers + 2 * self.cell).map(usize::from)
    }

    /// The next page below this one; `None` after the last.
    fn child(&mut self) -> Option<Option<u32>> {
        let child = match self.cell.cmp(&self.cells) {
            std::cmp::Ordering::Less => Some(be32(&self.page, self.cell_at()?)?),
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
        if length > self.longest {
            return Err(long_line(self.longest).at(&self.pager.place));
        }
        payload.extend_from_slice(local);
        let mut next = next;
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
