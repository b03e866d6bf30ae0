//! Files as an argument names them: are two of them one, and does a text hold the records of numbered people?

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::chance::ChanceTest;
use super::people::ProtectedPeople;
use crate::apart::is_same_file;
use crate::data::declared::TableCell;
use crate::data::formats::{Bundle, Limits};
use crate::graph::Id;
use crate::{Error, Result};

/// No row of a table is longer.
const LONGEST_LINE: u64 = 1 << 24;

/// Whether two paths lead to one file: the same path once links are followed, or the same inode of the same device.
pub(super) fn is_same(table: &Path, path: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(table).is_some_and(|table| Some(table) == real(path)) || is_same_file(table, path)
}

/// Whether two files hold the same bytes. Files of different length are not read.
pub(super) fn has_same_bytes(table: &Path, path: &Path) -> bool {
    let length = |path: &Path| path.metadata().ok().filter(|file| file.is_file()).map(|f| f.len());
    let Some(bytes) = length(table).filter(|&bytes| bytes > 0 && Some(bytes) == length(path))
    else {
        return false;
    };
    let open = |path| File::open(path).ok().map(|file| BufReader::new(file).take(bytes).bytes());
    match (open(table), open(path)) {
        (Some(one), Some(other)) => one.zip(other).all(|(one, other)| match (one, other) {
            (Ok(one), Ok(other)) => one == other,
            _ => false,
        }),
        _ => false,
    }
}

/// Whether a text names a protected person by an id that tells, in any column.
pub(super) fn holds_ids(path: &Path, people: &ProtectedPeople) -> Result<bool> {
    let mut found = false;
    each_row(path, |_, cells| {
        found = found || cells.iter().any(|cell| people.is_told_by(Id::parse(cell)));
    })?;
    Ok(found)
}

/// Whether a text holds the records of numbered people. No column is known by its name here, so each is tried as the
/// column of ids, and a person's declared cells may stand anywhere in the row.
pub(super) fn holds_records(path: &Path, people: &ProtectedPeople) -> Result<bool> {
    if !people.have_numbers() {
        return Ok(false);
    }
    // One for every column of every member.
    let mut tests: Vec<Vec<ChanceTest>> = Vec::new();
    each_row(path, |member, cells| {
        if !people.fits_width(cells.len().saturating_sub(1)) {
            return;
        }
        tests.resize(tests.len().max(member + 1), Vec::new());
        let tests = &mut tests[member];
        tests.resize(tests.len().max(cells.len()), ChanceTest::default());
        for (at, cell) in cells.iter().enumerate() {
            let id = Id::parse(cell);
            if matches!(id, Id::Integer(_)) {
                let rest = cells.iter().enumerate().filter(|(other, _)| *other != at);
                let rest = rest.map(|(_, cell)| TableCell::text(cell).fingerprint());
                people.compare(id, rest.collect(), &mut tests[at]);
            }
        }
    })?;
    Ok(tests.iter().any(|tests| tests.iter().any(|test| test.is_beyond_chance(tests.len()))))
}

/// The cells of every line of a text, and the member it is in: folders and archives have several. A member that is no text
/// ends where that shows.
fn each_row(path: &Path, mut see: impl FnMut(usize, &[&str])) -> Result<()> {
    let Ok(bundle) = Bundle::from_path(path, Limits::default()) else {
        // What is no data at all is told by the reader that is asked for it.
        return Ok(());
    };
    for (at, member) in bundle.members().iter().enumerate() {
        let mut reader = BufReader::new(bundle.open(member)?.reader);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line);
            let read = read.map_err(|error| Error::file(path, error))?;
            // A line without an end belongs to no table.
            if read == 0 || read as u64 == LONGEST_LINE {
                break;
            }
            let Ok(line) = std::str::from_utf8(&line) else { break };
            let cells = line.split([',', ';', '\t', '|']);
            let cells: Vec<&str> = cells.map(|cell| cell.trim().trim_matches('"')).collect();
            see(at, &cells);
        }
    }
    Ok(())
}
