//! [`DataName`]: data as it was typed, by the name of a benchmark or by a path, which need not be text.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::ops::Deref;

/// A data argument as given. It reads as text; [`DataName::as_typed`] is what names the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataName {
    typed: OsString,
    text: String,
}

impl DataName {
    /// What was typed, to the last byte.
    pub fn as_typed(&self) -> &OsStr {
        &self.typed
    }
}

impl From<OsString> for DataName {
    fn from(typed: OsString) -> Self {
        Self { text: typed.to_string_lossy().into_owned(), typed }
    }
}

impl From<&str> for DataName {
    fn from(typed: &str) -> Self {
        Self { typed: typed.into(), text: typed.into() }
    }
}

impl Deref for DataName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for DataName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}
