//! One error type for the crate: every variant says where, what was found, and what would be right.
//!
//! What was found may be private, so it is withheld: `{error}` says where and what would be
//! right, [`Error::with_values`] (or `{error:#}`) adds the value, for readers who may see the data.

use std::path::Path;
use std::{fmt, io};

/// The result of anything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Carries a limit that a reader ran into through [`std::io::Error`]; [`SourceLocation::io`] unpacks it again.
#[derive(Debug, thiserror::Error)]
#[error("{what} exceeds the limit of {limit}")]
pub struct LimitExceeded {
    /// The quantity that grew too large.
    pub what: String,
    /// The limit in force, with its unit.
    pub limit: String,
    /// The command-line option that raises it.
    pub option: &'static str,
}

impl LimitExceeded {
    /// The same as an error about a place.
    pub fn at(self, place: &SourceLocation) -> Error {
        let Self { what, limit, option } = self;
        Error::OverLimit { place: place.clone(), what, limit, option }
    }
}

/// What can go wrong between a file and a graph.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The operating system could not read or write a file.
    Io {
        /// The file.
        place: SourceLocation,
        /// The system's own reason.
        source: io::Error,
    },
    /// The bytes are not what their format says they are.
    Malformed {
        /// The offending place.
        place: SourceLocation,
        /// What is there.
        found: FoundValue,
        /// What would be right.
        expected: String,
    },
    /// Reading on would use more memory or time than the declared limits allow.
    OverLimit {
        /// The offending place.
        place: SourceLocation,
        /// The quantity that grew too large.
        what: String,
        /// The limit in force, with its unit.
        limit: String,
        /// The command-line option that raises it.
        option: &'static str,
    },
    /// The content is understood and refused: executable pickles, mostly.
    Refused {
        /// The offending place.
        place: SourceLocation,
        /// Why it is refused, and what to do instead.
        reason: String,
    },
    /// An argument of a function in this crate makes no sense.
    Invalid {
        /// The argument or quantity.
        what: String,
        /// Its value.
        found: FoundValue,
        /// What would be right.
        expected: String,
    },
    /// What was asked for does not fit into memory.
    Memory {
        /// The setting that asks for it, as it is typed and shown.
        name: &'static str,
        /// Its value.
        asked: String,
        /// What it would take.
        needs: String,
        /// What there is.
        free: String,
        /// The value that would fit.
        fits: String,
    },
    /// The files of a benchmark are not where they are looked for.
    Absent {
        /// The benchmark.
        name: String,
        /// The files that are missing.
        missing: Vec<String>,
        /// The folders that were searched.
        searched: Vec<String>,
        /// How to get them.
        remedy: String,
    },
    /// A name that is not in a known list.
    UnknownName {
        /// What the name should name: a dataset, a format, a model.
        kind: &'static str,
        /// The name as typed.
        name: String,
        /// The nearest known name, if one is near.
        suggestion: Option<String>,
        /// All known names.
        known: Vec<String>,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { place, source } => write!(f, "{place}: {}", explain_io(source)),
            Self::Malformed { place, found, expected } if f.alternate() => {
                write!(f, "{place}: found {found:#}; expected {expected}")
            }
            Self::Malformed { place, found, expected } => {
                write!(f, "{place}: found {found}; expected {expected}")
            }
            Self::OverLimit { place, what, limit, option } => write!(
                f,
                "{place}: {what} exceeds the limit of {limit}; raise it with {option} if you trust this file"
            ),
            Self::Refused { place, reason } => write!(f, "{place}: refused: {reason}"),
            Self::Invalid { what, found, expected } if f.alternate() => {
                write!(f, "{what} is {found:#}; expected {expected}")
            }
            Self::Invalid { what, found, expected } => {
                write!(f, "{what} is {found}; expected {expected}")
            }
            Self::Memory { name, asked, needs, free, fits } => write!(
                f,
                "{name} {asked}: needs about {needs} of memory, and {free} are free; {fits} would fit"
            ),
            Self::Absent { name, missing, searched, remedy } => {
                let (missing, folders) = (missing.join(", "), some_folders(searched));
                write!(
                    f,
                    "dataset {name} is not here: {missing} absent; looked in {folders}; {remedy}"
                )
            }
            Self::UnknownName { kind, name, suggestion, known } => {
                let (near, known) = (suggest(suggestion), known.join(", "));
                write!(f, "unknown {kind} '{name}'{near}; known: {known}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl Error {
    /// An [`Error::Invalid`] about a setting or a count, which may be printed.
    pub fn invalid(
        what: impl Into<String>,
        found: impl fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        let found = FoundValue::words(found.to_string());
        Self::Invalid { what: what.into(), found, expected: expected.into() }
    }

    /// An [`Error::Invalid`] about something in the data, which is withheld.
    pub fn invalid_data(
        what: impl Into<String>,
        found: impl fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        let found = FoundValue::from(found.to_string());
        Self::Invalid { what: what.into(), found, expected: expected.into() }
    }

    /// The message with the values that are withheld otherwise: for readers who may see the data.
    pub fn with_values(&self) -> String {
        format!("{self:#}")
    }

    /// The same error with the file it came from: what a constructor called invalid is malformed
    /// data there.
    pub fn at(self, place: &SourceLocation) -> Self {
        match self {
            Self::Invalid { what, found, expected } => {
                place.malformed(found.called(&what), expected)
            }
            other => other,
        }
    }
}

impl Error {
    /// An [`Error::UnknownName`] that suggests the nearest known name, if one is near.
    pub fn unknown_name<'a>(
        kind: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
        let distance = |other: &String| edit_distance(name, other);
        let nearest = known.iter().map(|other| (distance(other), other)).min();
        let near =
            |&(distance, other): &(usize, &String)| distance <= 1 + other.len().min(name.len()) / 4;
        let suggestion = nearest.filter(near).map(|(_, other)| other.clone());
        Self::UnknownName { kind, name: name.into(), suggestion, known }
    }
}

/// How many letters must be inserted, deleted, replaced or swapped to turn one name into the other.
fn edit_distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(&a.to_lowercase(), &b.to_lowercase())
}

fn some_folders(folders: &[String]) -> String {
    if folders.is_empty() { "no folder".into() } else { folders.join(", ") }
}

fn suggest(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map(|s| format!(" (did you mean '{s}'?)")).unwrap_or_default()
}

/// The system's words for the commonest failures leave people guessing; ours do not.
fn explain_io(source: &io::Error) -> String {
    match source.kind() {
        // A place that knows what is missing says so, see `SourceLocation::io`.
        io::ErrorKind::NotFound if source.get_ref().is_none() => "no such file".into(),
        io::ErrorKind::StorageFull => "no space left on the disk".into(),
        io::ErrorKind::IsADirectory => "found a directory; expected a file".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::UnexpectedEof => {
            "the file ends in the middle of its data; expected the rest (truncated download?)"
                .into()
        }
        _ => source.to_string(),
    }
}

/// Where in the data something went wrong: a file, and inside it a member, a line, a field.
///
/// ```
/// use privet_graph::SourceLocation;
/// let place = SourceLocation::file("cora.zip").member("cora.cites").line(17).field("citing");
/// assert_eq!(place.to_string(), "cora.zip, member cora.cites, line 17, field citing");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLocation(Box<LocationParts>);

/// Boxed, so that an [`Error`] stays small enough to pass around by value.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LocationParts {
    file: String,
    member: Option<String>,
    line: Option<u64>,
    field: Option<String>,
}

impl SourceLocation {
    /// A whole file, or whatever the bytes are called.
    pub fn file(name: impl Into<String>) -> Self {
        Self(Box::new(LocationParts { file: name.into(), member: None, line: None, field: None }))
    }

    /// The same place, narrowed to a member of an archive.
    pub fn member(&self, name: impl Into<String>) -> Self {
        Self(Box::new(LocationParts { member: Some(name.into()), ..(*self.0).clone() }))
    }

    /// The same place, narrowed to a line (the first line is 1).
    pub fn line(&self, line: u64) -> Self {
        Self(Box::new(LocationParts { line: Some(line), ..(*self.0).clone() }))
    }

    /// The same place, narrowed to a column, key or array.
    pub fn field(&self, name: impl Into<String>) -> Self {
        Self(Box::new(LocationParts { field: Some(name.into()), ..(*self.0).clone() }))
    }

    /// The file's name, without the narrower parts.
    pub fn file_name(&self) -> &str {
        &self.0.file
    }

    /// An error at this place: `found` is what the data holds, `expected` what would be right. Text put
    /// together at run time is withheld, see [`FoundValue`].
    pub fn malformed(&self, found: impl Into<FoundValue>, expected: impl fmt::Display) -> Error {
        Error::Malformed {
            place: self.clone(),
            found: found.into(),
            expected: expected.to_string(),
        }
    }

    /// An error at this place: what is there could be read, but is refused on purpose.
    pub fn refused(&self, reason: impl fmt::Display) -> Error {
        Error::Refused { place: self.clone(), reason: reason.to_string() }
    }

    /// An error at this place: the operating system could not read or write it.
    /// A limit that a reader ran into on the way comes out as [`Error::OverLimit`].
    pub fn io(&self, source: io::Error) -> Error {
        match source.downcast::<LimitExceeded>() {
            Ok(exceeded) => exceeded.at(self),
            Err(source) => Error::Io { place: self.clone(), source: self.explained(source) },
        }
    }
}

impl SourceLocation {
    /// Where the folder is missing, not the file, says which.
    fn explained(&self, source: io::Error) -> io::Error {
        let folder = Path::new(&self.0.file).ancestors().skip(1).find(|folder| {
            let here = folder.as_os_str().is_empty();
            here || folder
                .parent()
                .is_none_or(|above| above.as_os_str().is_empty() || above.is_dir())
        });
        match folder {
            Some(folder)
                if source.kind() == io::ErrorKind::NotFound
                    && !folder.as_os_str().is_empty()
                    && !folder.exists() =>
            {
                let what = format!("there is no folder {}", folder.display());
                io::Error::new(io::ErrorKind::NotFound, what)
            }
            _ => source,
        }
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.file)?;
        if let Some(member) = &self.0.member {
            write!(f, ", member {member}")?;
        }
        if let Some(line) = self.0.line {
            write!(f, ", line {line}")?;
        }
        if let Some(field) = &self.0.field {
            write!(f, ", field {field}")?;
        }
        Ok(())
    }
}

/// What was found in the data: a description, or a value that only the custodian may see.
///
/// ```
/// use privet_graph::{FoundValue, SourceLocation};
/// let cell = SourceLocation::file("people.csv").line(3).field("age");
/// let error = cell.malformed(String::from("'ssn 123-45-6789'"), "a finite number");
/// assert_eq!(
///     error.to_string(),
///     "people.csv, line 3, field age: found an invalid value (hidden); expected a finite number"
/// );
/// assert!(error.with_values().contains("found 'ssn 123-45-6789'"));
/// assert!(cell.malformed("an empty cell", "a number").to_string().contains("an empty cell"));
/// assert!(cell.malformed(FoundValue::words("3 cells"), "2").to_string().contains("3 cells"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct FoundValue {
    /// What it is called; may be empty.
    words: String,
    value: Option<String>,
}

impl FoundValue {
    /// Words about structure (counts of columns, names of formats) that reveal no record.
    pub fn words(words: impl Into<String>) -> Self {
        Self { words: words.into(), value: None }
    }

    /// A value that is withheld, after words that are not.
    pub fn value(words: impl Into<String>, value: impl fmt::Display) -> Self {
        Self { words: words.into(), value: Some(value.to_string()) }
    }

    /// The same after more words.
    fn called(self, what: &str) -> Self {
        match self.value {
            None => Self::words(format!("{what} {}", self.words)),
            Some(value) => Self::value(format!("{what} {}", self.words).trim_end(), value),
        }
    }
}

/// What stands in the program is ours.
impl From<&'static str> for FoundValue {
    fn from(words: &'static str) -> Self {
        Self::words(words)
    }
}

/// What was put together at run time may quote the data.
impl From<String> for FoundValue {
    fn from(value: String) -> Self {
        Self { words: String::new(), value: Some(value) }
    }
}

impl fmt::Display for FoundValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.words.as_str(), &self.value) {
            (words, None) => f.write_str(words),
            ("", Some(value)) if f.alternate() => f.write_str(value),
            (words, Some(value)) if f.alternate() => write!(f, "{words} {value}"),
            ("", Some(_)) => f.write_str("an invalid value (hidden)"),
            (words, Some(_)) => write!(f, "{words} (hidden)"),
        }
    }
}

/// As [`fmt::Display`]: a panic message is a message, too.
impl fmt::Debug for FoundValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_miss_is_suggested_and_a_far_one_is_not() {
        let known = ["cora", "citeseer", "pubmed"];
        let message = |name| Error::unknown_name("dataset", name, known).to_string();
        assert_eq!(
            message("citeseer2"),
            "unknown dataset 'citeseer2' (did you mean 'citeseer'?); known: cora, citeseer, pubmed"
        );
        assert!(message("pumbed").contains("did you mean 'pubmed'"));
        assert!(!message("reddit").contains("did you mean"));
    }
}
