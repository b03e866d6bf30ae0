//! `csr.json`: what the arrays of a folder are, and how to tell that they are still what was written.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{FoundValue, Result, SourceLocation};

/// What the header is called.
pub(crate) const FILE: &str = "csr.json";
const FORMAT: &str = "privet-csr";
/// The version of the folder.
pub const VERSION: u32 = 1;
/// Bytes under one checksum: whoever needs a part of an array can check that part.
pub(super) const BLOCK: usize = 16 << 20;

/// The header of a folder.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    format: String,
    version: u32,
    /// The arrays, by name.
    pub files: BTreeMap<String, Array>,
}

/// One array.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Array {
    bytes: u64,
    /// SHA-256 of every block of 16 MiB, in order.
    sha256: Vec<String>,
}

impl Header {
    pub fn new(files: BTreeMap<String, Array>) -> Self {
        Self { format: FORMAT.into(), version: VERSION, files }
    }

    pub fn parse(place: &SourceLocation, bytes: &[u8]) -> Result<Self> {
        let header: Self = serde_json::from_slice(bytes).map_err(|error| {
            let found = FoundValue::words(format!("a header that cannot be read ({error})"));
            place.line(error.line() as u64).malformed(found, "the JSON of a graph on disk")
        })?;
        if (&*header.format, header.version) != (FORMAT, VERSION) {
            let found = FoundValue::words(format!("{} version {}", header.format, header.version));
            let expected = format!("{FORMAT} version {VERSION} (is it newer than this program?)");
            return Err(place.malformed(found, expected));
        }
        Ok(header)
    }
}

impl Array {
    /// Takes the next bytes into account: whole blocks, but for the last ones.
    pub fn add(&mut self, block: &[u8]) {
        self.bytes += block.len() as u64;
        self.sha256.push(checksum(block));
    }

    /// Whether these are the bytes; `done` is told of every range that has been looked at.
    ///
    /// # Errors
    /// If not; the message says where the first block begins that is another.
    pub fn check(
        &self,
        bytes: &[u8],
        place: &SourceLocation,
        done: impl Fn(Range<usize>) + Sync,
    ) -> Result<()> {
        if bytes.len() as u64 != self.bytes {
            let found = FoundValue::words(format!("{} bytes", bytes.len()));
            return Err(place.malformed(found, format!("{}, as the header says", self.bytes)));
        }
        let blocks = bytes.par_chunks(BLOCK).zip(&self.sha256);
        let wrong = blocks.enumerate().find_first(|(at, (block, sum))| {
            let right = checksum(block) == **sum;
            done(at * BLOCK..at * BLOCK + block.len());
            !right
        });
        let short = bytes.len().div_ceil(BLOCK) != self.sha256.len();
        match wrong {
            None if !short => Ok(()),
            None => Err(place.malformed("another number of checksums", "one for every 16 MiB")),
            Some((at, _)) => {
                let found = FoundValue::words(format!("other bytes from {} on", at * BLOCK));
                Err(place.malformed(found, "those that the header was written for"))
            }
        }
    }
}

fn checksum(bytes: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}
