//! [`Mistake`]: what is wrong with a declaration, and under which key it stands.

use std::fmt;

use crate::Error;

/// Something wrong with a schema, found before any record is looked at. Nothing of it is secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where: `people.columns.age.low`, `edges[0].weight.low`. Names of columns stand as they are, unquoted.
    pub key: String,
    /// What stands there.
    pub found: String,
    /// What would be right.
    pub expected: String,
}

impl Mistake {
    pub(super) fn new(
        key: impl Into<String>,
        found: impl fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        Self { key: key.into(), found: found.to_string(), expected: expected.into() }
    }

    /// Something that must be there is not.
    pub(super) fn absent(key: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::new(key, "nothing", expected)
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: found {}; expected {}", self.key, self.found, self.expected)
    }
}

impl std::error::Error for Mistake {}

impl From<Mistake> for Error {
    fn from(mistake: Mistake) -> Self {
        Self::invalid(mistake.key, mistake.found, mistake.expected)
    }
}

/// The first value that occurs a second time.
pub(super) fn repeated<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = rustc_hash::FxHashSet::default();
    values.into_iter().find(|value| !seen.insert(*value))
}

/// A list in which every value stands once, and none can be written in a cell in another way.
pub(super) fn check_values(key: &str, values: &[String], least: usize) -> Result<(), Mistake> {
    if values.len() < least {
        let (found, what) = (values.len(), if least == 1 { "value" } else { "values" });
        return Err(Mistake::new(
            key,
            format!("{found} of them"),
            format!("at least {least} {what}"),
        ));
    }
    if let Some(value) = repeated(values.iter().map(String::as_str)) {
        return Err(Mistake::new(key, format!("'{value}' twice"), "every value once"));
    }
    match values.iter().find(|value| value.trim() != value.as_str()) {
        None => Ok(()),
        Some(value) => {
            let expected = "no blanks around a value: those around a cell are dropped";
            Err(Mistake::new(key, format!("'{value}'"), expected))
        }
    }
}
