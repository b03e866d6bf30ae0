//! One error type for the crate: every variant says where, what was found, and what would be right.
//!
//! What was found may be private, so it is withheld: `{error}` says where and what would be
//! right, [`Error::with_values`] (or `{error:#}`) adds the value, for readers who may see the data.

mod found_value;
mod location;

use std::fmt;

pub use found_value::FoundValue;
pub use location::SourceLocation;

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
        source: std::io::Error,
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
fn explain_io(source: &std::io::Error) -> String {
    match source.kind() {
        // A place that knows what is missing says so, see `SourceLocation::io`.
        std::io::ErrorKind::NotFound if source.get_ref().is_none() => "no such file".into(),
        std::io::ErrorKind::StorageFull => "no space left on the disk".into(),
        std::io::ErrorKind::IsADirectory => "found a directory; expected a file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::UnexpectedEof => {
            "the file ends in the middle of its data; expected the rest (truncated download?)"
                .into()
        }
        _ => source.to_string(),
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
