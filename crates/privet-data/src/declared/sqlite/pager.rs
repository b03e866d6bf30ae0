//! [`Pager`]: the pages of a SQLite file, and whether what they hold is all there is.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::damaged;
use crate::{FoundValue, Result, SourceLocation};

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
        let page_size = if be16(16) == 1 { 1 << 16 } else { be16(16) };
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
        page.resize(self.page_size, 0);
        let start = u64::from(number - 1) * self.page_size as u64;
        let read = self.file.seek(SeekFrom::Start(start)).and_then(|_| self.file.read_exact(page));
        read.map_err(|error| self.place.io(error))
    }

    /// Whether nobody wrote to the file in the meantime: what was read would be of two minds.
    pub fn check_unchanged(&mut self) -> Result<()> {
        let header = header(&mut self.file, &self.place)?;
        match header[24..28] == self.changes {
            true => Ok(()),
            false => {
                let found = "a file that was written to while it was read";
                Err(self
                    .place
                    .malformed(found, "one that nobody changes: copy it, and read the copy"))
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
