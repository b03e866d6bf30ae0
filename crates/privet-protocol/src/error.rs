//! What can be wrong with bytes.

/// Why something is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Something that no honest side would send.
    #[error("{what}: found {found}, expected {expected}")]
    Refused {
        /// The part of it.
        what: &'static str,
        /// What is there. Numbers and sizes: never a value that somebody holds.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// A mechanism does not take its settings.
    #[error("{0}")]
    Mechanism(String),
}

impl Error {
    pub(crate) fn refused(
        what: &'static str,
        found: impl ToString,
        expected: impl ToString,
    ) -> Self {
        Self::Refused { what, found: found.to_string(), expected: expected.to_string() }
    }
}

impl From<privet_privacy::Error> for Error {
    fn from(error: privet_privacy::Error) -> Self {
        Self::Mechanism(error.to_string())
    }
}

impl From<privet_graph::Error> for Error {
    fn from(error: privet_graph::Error) -> Self {
        Self::Mechanism(error.to_string())
    }
}

/// What came of it, or why not.
pub type Result<T, E = Error> = std::result::Result<T, E>;
