//! [`FoundValue`]: what was found at a place, which may be private.

use std::fmt;

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
    pub(super) fn called(self, what: &str) -> Self {
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
