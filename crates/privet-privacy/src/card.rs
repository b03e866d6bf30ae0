//! [`Card`]: the guarantee that travels with what was released, and can be checked.
//!
//! A card is a JSON file beside the output. It names the files it was issued for by their SHA-256, says who
//! is protected against what, by how much, on whose word, and what is *not* protected. It quotes the hash
//! of the ledgers it was made from, so [`Card::check`] can recompute every number and notice a ledger that
//! was edited or cut, and a file that was changed.

mod check;
mod files;
mod guarantee;
mod key;
mod stated;
pub mod text;

pub use check::CardCheck;
pub use files::FileSeal;
pub use guarantee::{CombinedLoss, Conversion, GroupLine, Guarantee, LedgerSeal, ReleaseLine};
pub use key::CardKey;
pub use stated::{LossCondition, StatedLoss, stated_account, stated_conversions};
pub use text::Odds;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::ledger::{Foreseen, Ledger};
use crate::noise::NoiseOrigin;
use crate::unit::{DataPart, Unit, UnitFacts};

/// The version of the card's format.
pub const FORMAT: u32 = 2;

/// A longer file is no card.
const MOST_BYTES: u64 = 1 << 24;

/// A privacy card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The version of the format.
    pub format: u32,
    /// What was released.
    pub subject: String,
    /// The files it was issued for, and no others.
    pub files: Vec<FileSeal>,
    /// What guarantees of the same relation cost one person together.
    pub totals: Vec<CombinedLoss>,
    /// One guarantee per ledger. Those of different relations are listed, never added.
    pub guarantees: Vec<Guarantee>,
    /// What is in the released thing, or was used to make it, without any protection.
    pub unprotected: Vec<UnprotectedPart>,
    /// The software that made it.
    pub software: String,
    /// HMAC-SHA256 of everything above, by the issuer's key, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mac: Option<String>,
}

impl Card {
    /// A card with no guarantee yet.
    pub fn new(subject: impl Into<String>) -> Self {
        let software = format!("privet {}", env!("CARGO_PKG_VERSION"));
        Self {
            format: FORMAT,
            subject: subject.into(),
            files: Vec::new(),
            totals: Vec::new(),
            guarantees: Vec::new(),
            unprotected: Vec::new(),
            software,
            mac: None,
        }
    }

    /// Adds what a ledger guarantees.
    ///
    /// # Errors
    /// If an event in it has no theorem.
    pub fn with_ledger<U: Unit>(mut self, ledger: &Ledger<U>) -> Result<Self> {
        let mut guarantee = Guarantee::of(unit_facts::<U>(), ledger.contents())?;
        let file = ledger.path().and_then(|path| path.file_name());
        guarantee.ledger.file = file.map(|name| name.to_string_lossy().into_owned());
        self.guarantees.push(guarantee);
        self.totals = guarantee::totals(&self.guarantees);
        Ok(self)
    }

    /// Adds what planned releases will guarantee: a promise, before any data is read. It names no ledger, so
    /// it cannot be taken for the card of a release ([`differences`](Self::differences)).
    ///
    /// # Errors
    /// If an event has no theorem.
    pub fn foreseeing<U: Unit>(mut self, planned: &Foreseen<U>) -> Result<Self> {
        let mut guarantee = Guarantee::of(unit_facts::<U>(), planned.contents())?;
        guarantee.ledger.entries = 0;
        self.guarantees.push(guarantee);
        self.totals = guarantee::totals(&self.guarantees);
        Ok(self)
    }

    /// Adds something that is not protected, once.
    #[must_use]
    pub fn with_unprotected(mut self, what: impl Into<UnprotectedPart>) -> Self {
        let what = what.into();
        if !self.unprotected.contains(&what) {
            self.unprotected.push(what);
        }
        self
    }

    /// Goes on where the card of the input ended: what was promised and what was not, about everything
    /// but `now`, the part that is randomised now.
    #[must_use]
    pub fn continuing(mut self, earlier: &Self, now: DataPart) -> Self {
        let mut earlier = earlier.clone();
        earlier.forget(now);
        self.guarantees.extend(earlier.guarantees);
        self.totals = guarantee::totals(&self.guarantees);
        earlier.unprotected.into_iter().fold(self, Self::with_unprotected)
    }

    /// The guarantees of both, and what neither protects.
    pub(crate) fn joined(mut self, other: Self) -> Self {
        for guarantee in other.guarantees {
            if !self.guarantees.contains(&guarantee) {
                self.guarantees.push(guarantee);
            }
        }
        self.totals = guarantee::totals(&self.guarantees);
        if self.subject.is_empty() {
            self.subject = other.subject;
        }
        other.unprotected.into_iter().fold(self, Self::with_unprotected)
    }

    /// Whether anything is promised about a part of a dataset.
    pub fn protects(&self, part: DataPart) -> bool {
        self.guarantees.iter().any(|guarantee| guarantee.is_about(part))
    }

    /// Removes all statements about a part of a dataset.
    pub fn forget(&mut self, part: DataPart) {
        self.guarantees.retain(|guarantee| !guarantee.is_about(part));
        self.unprotected.retain(|what| what.about != Some(part));
        self.totals = guarantee::totals(&self.guarantees);
    }

    /// Whether any noise was replayed from a seed, so that there is no protection.
    pub fn is_simulation(&self) -> bool {
        let seeded = |r: &ReleaseLine| matches!(r.noise, NoiseOrigin::Simulation { .. });
        self.guarantees.iter().flat_map(|guarantee| &guarantee.releases).any(seeded)
    }

    /// Whether Privet ships every mechanism that made it. If not, its numbers are the word of another author.
    pub fn is_audited(&self) -> bool {
        let mut releases = self.guarantees.iter().flat_map(|guarantee| &guarantee.releases);
        releases.all(|release| release.audited)
    }
}

/// Reading and writing: a card may come from a file that an attacker wrote.
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
        struct CardFormat {
            format: u32,
        }
        let no_card = |error: serde_json::Error| format!("not a privacy card: {error}");
        let CardFormat { format } = serde_json::from_slice(bytes).map_err(no_card)?;
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

/// Something that is not protected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnprotectedPart {
    /// The part of a dataset that lies open; by this, not by its words, a line is found again when that
    /// part is randomised later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<DataPart>,
    /// What it is, in words.
    pub what: String,
}

impl UnprotectedPart {
    /// All of a part of a dataset, in words.
    pub fn part(part: DataPart, what: impl Into<String>) -> Self {
        Self { about: Some(part), what: what.into() }
    }
}

impl<T: Into<String>> From<T> for UnprotectedPart {
    fn from(what: T) -> Self {
        Self { about: None, what: what.into() }
    }
}

impl std::fmt::Display for UnprotectedPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}

/// The facts of a unit that is known by its type.
const fn unit_facts<U: Unit>() -> UnitFacts {
    UnitFacts {
        name: U::NAME,
        relation: U::RELATION,
        trust: U::TRUST,
        protects: U::PROTECTS,
        parts: U::PARTS,
    }
}

#[cfg(test)]
mod tests;
