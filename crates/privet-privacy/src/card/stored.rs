//! Reading a card from a file that anybody may have written.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;

use super::{Card, FORMAT};
use crate::error::{Error, Result};

/// A longer file is no card.
const MOST_BYTES: u64 = 1 << 24;

impl Card {
    /// Reads a card.
    ///
    /// # Errors
    /// If it cannot be read, is no card, or is of another format.
    pub fn read(path: &Path) -> Result<Self> {
        let failed = |reason: &dyn std::fmt::Display| Error::card(path.display(), reason);
        let file = File::open(path).map_err(|error| failed(&error))?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(failed(&"not a privacy card: far too long for one"));
        }
        Self::parse(&bytes).map_err(|reason| failed(&reason))
    }

    /// The card that [`Card::to_json`] wrote.
    ///
    /// # Errors
    /// If it is no card, or is of another format.
    pub fn from_json(text: &[u8]) -> Result<Self> {
        Self::parse(text).map_err(|reason| Error::card("a text", reason))
    }

    /// The card as people and programs read it.
    ///
    /// # Errors
    /// If a number cannot be written.
    pub fn to_json(&self) -> Result<Vec<u8>> {
        let mut text =
            serde_json::to_vec_pretty(self).map_err(|error| Error::card(&self.subject, error))?;
        text.push(b'\n');
        Ok(text)
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let no_card = |error: serde_json::Error| format!("not a privacy card: {error}");
        let Format { format } = serde_json::from_slice(bytes).map_err(no_card)?;
        match format {
            FORMAT => serde_json::from_slice(bytes).map_err(no_card),
            1 => Err(
                "a card of format 1, which does not say what files it was issued for, so nothing \
                      can be promised about a file beside it; its ledger still counts"
                    .into(),
            ),
            other => {
                Err(format!("a card of format {other}, but this version knows format {FORMAT}"))
            }
        }
    }
}
