//! [`Report`]: what a device sends. The task's name, the participant's place, randomised values, and nothing else: no clock,
//! no name of a program, no length that says more than the values do.
//!
//! ```text
//! 1 byte     the version, 1
//! 32 bytes   the task's name
//! number     the participant's place among those who can take part
//! features   of every reported column its distance from the one before, then all levels (those of all columns, if all
//!            are reported)
//! label      the number of the class
//! contacts   the noisy degree, how many are named, and of each its distance from the one before
//! ```
//! Parts that the task does not ask for are not there. Numbers are those of [`wire`](crate::wire).

use privet_privacy::edges::local::DegreeReport;
use privet_privacy::fault::{self, Fault};
use privet_privacy::features::{DecodeRows as _, Decoding, FeatureMechanism, FeatureReport};

use crate::wire::{Reader, put, put_ascending, put_signed};
use crate::{CheckedTask, Error, Result, TaskName};

/// What one person sends.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// What was asked.
    pub task: TaskName,
    /// Who answers: a place among those who can take part.
    pub participant: u32,
    /// Levels of columns.
    pub features: Option<FeatureReport>,
    /// A class.
    pub label: Option<u32>,
    /// A noisy list, and its noisy length.
    pub contacts: Option<DegreeReport>,
}

/// The version of a report, its first byte.
pub const VERSION: u8 = 1;
/// Noise beyond this is never drawn: its probability is below that of a broken machine.
const LARGEST_DEGREE: i64 = 1 << 40;

impl Report {
    /// The bytes: one encoding for each report.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&self.task.0);
        put(&mut bytes, u64::from(self.participant));
        match &self.features {
            Some(FeatureReport::Sampled(entries)) => {
                put_ascending(&mut bytes, entries.iter().map(|&(column, _)| column));
                entries.iter().for_each(|&(_, level)| put_signed(&mut bytes, level));
            }
            Some(FeatureReport::All(levels)) => {
                levels.iter().for_each(|&level| put_signed(&mut bytes, level));
            }
            // No task lets people publish: decoding would refuse it.
            Some(FeatureReport::Disclosed(_)) | None => {}
        }
        if let Some(class) = self.label {
            put(&mut bytes, u64::from(class));
        }
        if let Some(DegreeReport { degree, neighbors }) = &self.contacts {
            put_signed(&mut bytes, *degree);
            put(&mut bytes, neighbors.len() as u64);
            put_ascending(&mut bytes, neighbors.iter().copied());
        }
        bytes
    }

    /// The report that bytes say, if an honest device could have sent it for this task.
    ///
    /// # Errors
    /// Why no honest device could have.
    pub fn decode(asked: &CheckedTask, bytes: &[u8]) -> Result<Self> {
        let CheckedTask { task, name, .. } = asked;
        let mut reader = Reader::new(bytes);
        let version = reader.take(1, "version")?[0];
        if version != VERSION {
            return Err(Error::refused("version", version, VERSION));
        }
        let named = reader.take(32, "task")?;
        if named != name.0 && !fault::on(Fault::ReportOfAnotherTaskTaken) {
            return Err(Error::refused("task", "the name of another one", name));
        }
        let count = task.people.count;
        let participant = reader.ascending(1, u64::from(count), "participant")?[0];
        let asked = asked.features.as_ref();
        let features = asked.map(|asked| features(asked, &mut reader)).transpose()?;
        let label = match &task.asks.label {
            Some(asked) => Some(reader.ascending(1, asked.classes.len() as u64, "label")?[0]),
            None => None,
        };
        let contacts = match &task.asks.contacts {
            Some(_) => Some(contacts(&mut reader, participant, count)?),
            None => None,
        };
        // Bytes after the end would give one report several encodings.
        reader.end()?;
        Ok(Self { task: *name, participant, features, label, contacts })
    }
}

fn features(asked: &FeatureMechanism, reader: &mut Reader<'_>) -> Result<FeatureReport> {
    let (k, columns) = (asked.k(), asked.scale().columns());
    let level = |reader: &mut Reader<'_>, column: u32| {
        // Refused unless the mechanism could have drawn it: an honest device sends nothing else.
        let level = reader.signed("level")?;
        let largest = asked.largest_entry(column, Decoding::Paper).unwrap_or(0.0);
        let size = asked.value(column, level, Decoding::Paper).abs();
        // Rounding moves the last digit; a step of the lattice is larger by far.
        match size <= largest * (1.0 + 1e-9) {
            true => Ok(level),
            false => Err(Error::refused("level", level, "one that the mechanism draws")),
        }
    };
    if k == columns {
        let levels = (0..columns as u32).map(|column| level(reader, column));
        return Ok(FeatureReport::All(levels.collect::<Result<_>>()?));
    }
    let chosen = reader.ascending(k, columns as u64, "column")?;
    let entries = chosen.into_iter().map(|column| Ok((column, level(reader, column)?)));
    Ok(FeatureReport::Sampled(entries.collect::<Result<_>>()?))
}

fn contacts(reader: &mut Reader<'_>, participant: u32, count: u32) -> Result<DegreeReport> {
    let degree = reader.signed("degree")?;
    if degree.abs() > LARGEST_DEGREE {
        return Err(Error::refused("degree", degree, "a list's length and noise"));
    }
    let named = reader.number("contacts")?;
    let others = u64::from(count) - 1;
    // Each takes a byte at least, so a hostile number reserves no more room than the bytes that came.
    if named > others || named > reader.left() as u64 {
        return Err(Error::refused("contacts", named, format!("at most {others}")));
    }
    // A list is thinned to its noisy length; where that is nothing, nothing stays.
    if degree <= 0 && named > 0 {
        return Err(Error::refused("contacts", named, "none: the noisy degree leaves none"));
    }
    let neighbors = reader.ascending(named as usize, u64::from(count), "contact")?;
    match neighbors.binary_search(&participant) {
        Ok(_) => Err(Error::refused("contact", "the participant", "another person")),
        Err(_) => Ok(DegreeReport { degree, neighbors }),
    }
}

#[cfg(test)]
mod tests;
