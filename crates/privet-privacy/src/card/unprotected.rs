//! [`Unprotected`]: something a card does not protect, and which part of a dataset it is about.

use serde::{Deserialize, Serialize};

use crate::unit::Part;

/// Something that is not protected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unprotected {
    /// The part of a dataset that lies open; by this, not by its words, a line is found again when that
    /// part is randomised later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Part>,
    /// What it is, in words.
    pub what: String,
}

impl Unprotected {
    /// All of a part of a dataset, in words.
    pub fn part(part: Part, what: impl Into<String>) -> Self {
        Self { about: Some(part), what: what.into() }
    }
}

impl<T: Into<String>> From<T> for Unprotected {
    fn from(what: T) -> Self {
        Self { about: None, what: what.into() }
    }
}

impl std::fmt::Display for Unprotected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}
