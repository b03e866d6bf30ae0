//! One error type for the crate: every variant carries the offending name and value.

/// The result of anything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong in the trusted base.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number outside the range in which it means something.
    #[error("{field} is {found}, but must be {expected}")]
    OutOfRange {
        /// The quantity, as its field or argument is called.
        field: &'static str,
        /// The value that was given.
        found: String,
        /// The range that would be right.
        expected: &'static str,
    },
    /// The operating system gave no randomness, so no noise can be drawn.
    #[error("the operating system gave no randomness: {reason}")]
    NoEntropy {
        /// What the system said.
        reason: String,
    },
}

impl Error {
    /// An [`Error::OutOfRange`] for a number.
    pub(crate) fn range(
        field: &'static str,
        found: impl std::fmt::Display,
        expected: &'static str,
    ) -> Self {
        Self::OutOfRange { field, found: found.to_string(), expected }
    }
}
