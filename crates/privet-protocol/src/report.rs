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
mod tests {
    use privet_graph::{DenseMatrix, Features, Graph, Labels};
    use privet_privacy::noise::NoiseRng;
    use privet_privacy::unit::{FeatureRow, Label, NeighborBit};
    use privet_privacy::{Ledger, Loss, Secret};
    use proptest::prelude::*;

    use super::*;
    use crate::task::tests::survey;

    fn asked() -> CheckedTask {
        CheckedTask::from_bytes(&survey().to_bytes().unwrap()).unwrap()
    }

    /// What an honest device of this participant sends, by noise of this seed.
    fn honest(asked: &CheckedTask, participant: u32, seed: u64) -> Report {
        let rng = || NoiseRng::replay(seed);
        let limit = Loss::new(20.0, 0.0).unwrap();
        let rows = DenseMatrix::new(1, 3, vec![3.0, 99.0, 7.5]).unwrap();
        let mut ledger: Ledger<FeatureRow> = Ledger::in_memory(limit, rng()).unwrap();
        let features = asked.features.as_ref().unwrap();
        let features = ledger.release_each(&Secret::new(Features::dense(rows)), features).unwrap();
        let names = asked.task.asks.label.as_ref().unwrap().classes.clone();
        let mut ledger: Ledger<Label> = Ledger::in_memory(limit, rng()).unwrap();
        let labels = Secret::new(Labels::single(vec![Some(2)], names).unwrap());
        let label = ledger.release_each(&labels, asked.label.as_ref().unwrap()).unwrap();
        let mut rows = vec![Vec::new(); 50];
        rows[participant as usize] = vec![(participant + 1) % 50, (participant + 9) % 50];
        rows[participant as usize].sort_unstable();
        let mut ledger: Ledger<NeighborBit> = Ledger::in_memory(limit, rng()).unwrap();
        let lists = Secret::new(Graph::from_rows(rows).unwrap());
        let contacts = ledger.release_each(&lists, asked.contacts.as_ref().unwrap()).unwrap();
        Report {
            task: asked.name,
            participant,
            features: features.get().first().cloned(),
            label: label.get()[0],
            contacts: contacts.get().get(participant as usize).cloned(),
        }
    }

    /// Whatever honest devices draw comes back as it was.
    #[test]
    fn honest_reports_are_taken() {
        let asked = asked();
        for seed in 0..500 {
            let report = honest(&asked, (seed % 50) as u32, seed);
            let bytes = report.encode();
            assert_eq!(Report::decode(&asked, &bytes).unwrap(), report);
        }
    }

    /// Changed in one place, each in a way that no device would.
    #[test]
    fn reports_that_no_device_could_send_are_refused() {
        let asked = asked();
        let report = honest(&asked, 7, 3);
        let refused = |change: &dyn Fn(&mut Report), message: &str| {
            let mut changed = report.clone();
            change(&mut changed);
            let error = Report::decode(&asked, &changed.encode()).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        };
        let sampled = |entries: &[(u32, i64)]| Some(FeatureReport::Sampled(entries.to_vec()));
        refused(&|report| report.task.0[0] ^= 1, "task: ");
        refused(&|report| report.participant = 50, "participant: ");
        refused(&|report| report.features = sampled(&[(0, 0), (3, 0)]), "column: ");
        refused(&|report| report.features = sampled(&[(0, 0), (1, 1 << 40)]), "level: ");
        refused(&|report| report.features = sampled(&[(0, i64::MIN), (1, 0)]), "level: ");
        refused(&|report| report.label = Some(3), "label: ");
        let list = |degree, neighbors: &[u32]| {
            Some(DegreeReport { degree, neighbors: neighbors.to_vec() })
        };
        refused(&|report| report.contacts = list(3, &[7]), "contact: ");
        refused(&|report| report.contacts = list(3, &[50]), "contact: ");
        refused(&|report| report.contacts = list(-1, &[1]), "contacts: ");
        refused(&|report| report.contacts = list(i64::MIN / 2, &[]), "degree: ");
        refused(&|report| report.contacts = list(9, &[9; 60]), "contact");
        let bytes = report.encode();
        for cut in 0..bytes.len() {
            assert!(Report::decode(&asked, &bytes[..cut]).is_err(), "{cut} bytes are not a report");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(Report::decode(&asked, &longer).unwrap_err().to_string().contains("after its end"));
        let older = [&[0], &bytes[1..]].concat();
        assert!(Report::decode(&asked, &older).unwrap_err().to_string().starts_with("version: "));
    }

    /// A number of contacts that is not followed by as many reserves no memory.
    #[test]
    fn a_length_is_not_believed() {
        let asked = asked();
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&asked.name.0);
        bytes.extend([7, 0, 0, 0, 0, 1, 6]);
        put(&mut bytes, u64::MAX);
        assert!(Report::decode(&asked, &bytes).is_err());
    }

    proptest! {
        /// Whatever is taken has these bytes and no others.
        #[test]
        fn a_report_has_one_encoding(seed in 0u64..50, at in 33usize..60, to in any::<u8>()) {
            let asked = asked();
            let mut bytes = honest(&asked, 7, seed).encode();
            let at = at % bytes.len();
            bytes[at] = to;
            if let Ok(report) = Report::decode(&asked, &bytes) {
                prop_assert_eq!(report.encode(), bytes);
            }
        }

        #[test]
        fn bytes_of_any_kind_are_no_danger(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let asked = asked();
            let _ = Report::decode(&asked, &bytes);
            let named = [&[VERSION], &asked.name.0[..], &bytes[..]].concat();
            let _ = Report::decode(&asked, &named);
        }
    }

    /// Makes `tests/vectors.json` anew, after a deliberate change of the format: run with `--ignored`.
    #[test]
    #[ignore = "writes the vectors that tests/vectors.rs compares with"]
    fn write_vectors() {
        let hex = crate::task::hex;
        let key = crate::SigningKey::from_bytes(&[42; 32]);
        let sealed = key.seal(&survey()).unwrap();
        let (asked, _) = sealed.open().unwrap();
        let reports: Vec<_> = (0..6u32)
        .map(|at| {
            let report = honest(&asked, 9 * at, u64::from(at));
            let contacts = report.contacts.clone().unwrap();
            serde_json::json!({
                "participant": report.participant, "features": report.features, "label": report.label,
                "degree": contacts.degree, "contacts": contacts.neighbors, "bytes": hex(&report.encode()),
            })
        })
        .collect();
        let report = honest(&asked, 7, 3);
        let with = |change: &dyn Fn(&mut Report)| {
            let mut changed = report.clone();
            change(&mut changed);
            hex(&changed.encode())
        };
        let list = |degree, neighbors: &[u32]| {
            Some(DegreeReport { degree, neighbors: neighbors.to_vec() })
        };
        let refused = serde_json::json!([
            {"why": "task: ", "bytes": with(&|report| report.task.0[31] ^= 1)},
            {"why": "participant: ", "bytes": with(&|report| report.participant = 50)},
            {"why": "level: ", "bytes": with(&|report| {
                report.features = Some(FeatureReport::Sampled(vec![(0, 0), (1, 1 << 40)]));
            })},
            {"why": "label: ", "bytes": with(&|report| report.label = Some(3))},
            {"why": "contact: ", "bytes": with(&|report| report.contacts = list(3, &[7]))},
            {"why": "contacts: ", "bytes": with(&|report| report.contacts = list(-1, &[1]))},
            {"why": "report: ", "bytes": hex(&[&report.encode()[..], &[0]].concat())},
            {"why": "version: ", "bytes": hex(&[&[2], &report.encode()[1..]].concat())},
        ]);
        let vectors = serde_json::json!({
            "task": sealed.task, "name": asked.name.to_string(), "secret": hex(&[42; 32]),
            "collector": sealed.collector, "signature": sealed.signature,
            "reports": reports, "refused": refused,
        });
        let text = serde_json::to_string_pretty(&vectors).unwrap() + "\n";
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors.json"), text).unwrap();
    }
}
