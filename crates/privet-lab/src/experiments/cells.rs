//! [`Cells`]: finished experiment cells in an append-only file, so that a sweep continues where it stopped.
//!
//! ```text
//! {"format":1,"experiment":"ldp-ge/table3","version":"0.1.0-9f3c1a7be2d04456"}
//! {"key":{"dataset":"cora","epsilon":"1","run":"0"},"value":{"accuracy":0.813}}
//! ```
//! A cell counts once its newline is on disk. A crash can leave at most one line without a newline;
//! opening the file drops it. Anything else that does not fit is damage, and the file is refused, as
//! is one made by other code or for another experiment: its numbers may mean something else. The version
//! is that of the package and a checksum of all code that can decide a figure, made by `build.rs`.

mod run;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error;

pub use run::Sweep;

/// The version of the file format.
const FORMAT: u32 = 1;

/// The code that figures come from.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "-", env!("PRIVET_CODE"));

/// The settings of one cell, by name. Two keys are equal if all their settings are; order does not
/// matter.
///
/// ```
/// use privet_lab::experiments::cells::Key;
/// let key = Key::new().with("epsilon", f64::INFINITY).with("dataset", "cora");
/// assert_eq!(key.to_string(), "dataset=cora epsilon=inf");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(BTreeMap<String, String>);

impl Key {
    /// No settings yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a setting; one of the same name is replaced.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl fmt::Display) -> Self {
        // Settings of all types are compared by their text.
        self.0.insert(name.into(), value.to_string());
        self
    }

    /// All settings that serde knows, each as it is written in JSON: what a struct gains, its key gains.
    pub fn of(settings: &impl Serialize) -> Self {
        match serde_json::to_value(settings).unwrap_or_default() {
            Value::Object(fields) => fields
                .into_iter()
                .fold(Self::new(), |key, (name, value)| key.with(name, word(&value))),
            value => Self::new().with("settings", word(&value)),
        }
    }

    /// The same with the settings of another key.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// A setting.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// A word without its quotation marks, and everything else as JSON.
fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.0.iter().map(|(name, value)| format!("{name}={value}"));
        f.write_str(&pairs.collect::<Vec<_>>().join(" "))
    }
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: u32,
    experiment: String,
    version: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CellLine {
    key: Key,
    value: Value,
}

/// A store of finished cells. No other process can open it until this one is done. One [in
/// memory](Cells::in_memory) is for what is measured once.
///
/// ```
/// use privet_lab::experiments::cells::{Cells, Key};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("table3.cells");
/// let key = Key::new().with("dataset", "cora").with("epsilon", 1.0);
/// let mut cells = Cells::open(&path, "ldp-ge/table3")?;
/// cells.put(&key, &0.813)?;
/// drop(cells);
/// assert_eq!(Cells::open(&path, "ldp-ge/table3")?.get::<f64>(&key)?, Some(0.813));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Cells {
    path: PathBuf,
    file: Option<File>,
    /// How many bytes of the file count.
    length: u64,
    values: BTreeMap<Key, Value>,
}

impl Cells {
    /// A store that ends with the process.
    pub fn in_memory() -> Self {
        Self { path: "in memory".into(), file: None, length: 0, values: BTreeMap::new() }
    }

    /// Opens a store, or makes a new one, for an experiment. The name should change when the
    /// experiment does: cells of another name are refused.
    ///
    /// # Errors
    /// If another process has it open, it is damaged, or it was made by another version of the
    /// program or for another experiment.
    pub fn open(path: &Path, experiment: &str) -> Result<Self, Error> {
        let failed = |error: std::io::Error| Error::cells(path.display(), error);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(failed)?;
        // Locked before it is read: two runs must not append to one file.
        lock(&file, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let header =
            Header { format: FORMAT, experiment: experiment.into(), version: VERSION.into() };
        let mut first = serde_json::to_vec(&header).map_err(|error| failed(error.into()))?;
        first.push(b'\n');
        let mut cells =
            Self { path: path.into(), file: Some(file), length: 0, values: BTreeMap::new() };
        // Only a file we had just begun may be begun again: any other file was there before.
        if first.starts_with(&bytes) {
            cells.append(&first).map_err(failed)?;
            return Ok(cells);
        }
        let (length, values) = parse(&bytes, &header).map_err(|(line, reason)| {
            Error::cells(format!("{}, line {line}", path.display()), reason)
        })?;
        (cells.length, cells.values) = (length, values);
        Ok(cells)
    }

    /// How many cells it holds.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether a cell is finished.
    pub fn contains(&self, key: &Key) -> bool {
        self.values.contains_key(key)
    }

    /// The value of a cell, if it is finished.
    ///
    /// # Errors
    /// If what is stored is not a `V`.
    pub fn get<V: DeserializeOwned>(&self, key: &Key) -> Result<Option<V>, Error> {
        let Some(value) = self.values.get(key) else { return Ok(None) };
        let read = V::deserialize(value).map_err(|error| self.error(key, error))?;
        Ok(Some(read))
    }

    /// Stores a finished cell, and waits until it is on disk. Storing it again changes nothing.
    ///
    /// # Errors
    /// If the value does not come back as it was written (JSON has no NaN and no infinity), another
    /// value is stored for the key, or the disk refuses.
    pub fn put<V: Serialize + DeserializeOwned>(
        &mut self,
        key: &Key,
        value: &V,
    ) -> Result<(), Error> {
        let value = serde_json::to_value(value).map_err(|error| self.error(key, error))?;
        let unreadable = "it cannot be read back; NaN and infinities cannot be stored";
        V::deserialize(&value)
            .map_err(|error| self.error(key, format!("{unreadable} ({error})")))?;
        match self.values.get(key) {
            Some(stored) if *stored == value => return Ok(()),
            Some(_) => return Err(self.error(key, "it is stored already, with another value")),
            None => {}
        }
        let line = CellLine { key: key.clone(), value };
        let mut bytes = serde_json::to_vec(&line).map_err(|error| self.error(key, error))?;
        bytes.push(b'\n');
        self.append(&bytes).map_err(|error| self.error(key, error))?;
        self.values.insert(line.key, line.value);
        Ok(())
    }

    /// Writes behind what counts, over whatever a failed write may have left there.
    fn append(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.set_len(self.length)?;
        file.seek(SeekFrom::Start(self.length))?;
        file.write_all(bytes)?;
        file.sync_data()?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn error(&self, key: &Key, reason: impl fmt::Display) -> Error {
        Error::cells(format!("{}, cell {key}", self.path.display()), reason)
    }
}

fn lock(file: &File, path: &Path) -> Result<(), Error> {
    file.try_lock().map_err(|error| {
        let reason = match error {
            TryLockError::WouldBlock => "another process is using it".to_owned(),
            TryLockError::Error(error) => error.to_string(),
        };
        Error::cells(path.display(), reason)
    })
}

/// The bytes that count, and the cells in them; or the number of a bad line, and what is wrong.
fn parse(bytes: &[u8], wanted: &Header) -> Result<(u64, BTreeMap<Key, Value>), (usize, String)> {
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let mut lines = bytes[..whole].split_inclusive(|&byte| byte == b'\n').zip(1..);
    let (first, _) = lines.next().ok_or((1, "not a store of cells: no first line".to_owned()))?;
    check_header(first, wanted).map_err(|reason| (1, reason))?;
    let mut values = BTreeMap::new();
    for (line, number) in lines {
        let CellLine { key, value } = serde_json::from_slice(line)
            .map_err(|error| (number, format!("not a cell: {error}")))?;
        match values.get(&key) {
            Some(stored) if *stored != value => {
                return Err((number, format!("the cell {key} has another value further up")));
            }
            _ => values.insert(key, value),
        };
    }
    Ok((whole as u64, values))
}

/// The format is looked at first: a later format may have other fields.
fn check_header(line: &[u8], wanted: &Header) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let not_ours = |error: serde_json::Error| format!("not a store of cells: {error}");
    let Format { format } = serde_json::from_slice(line).map_err(not_ours)?;
    if format != FORMAT {
        return Err(format!("format {format}, but this program reads format {FORMAT}"));
    }
    let found: Header = serde_json::from_slice(line).map_err(not_ours)?;
    let pairs = [
        ("version", &found.version, &wanted.version),
        ("experiment", &found.experiment, &wanted.experiment),
    ];
    match pairs.into_iter().find(|(_, found, wanted)| found != wanted) {
        None => Ok(()),
        Some((what, found, wanted)) => Err(format!(
            "made for {what} '{found}', but this is '{wanted}'; name another file, or delete this one"
        )),
    }
}

#[cfg(test)]
mod tests;
