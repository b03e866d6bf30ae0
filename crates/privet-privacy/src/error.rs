//! One error type for the crate: every variant names what was wrong and what would be right.

/// The result of anything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong in the trusted base.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter lies outside the range for which the guarantee is proved.
    #[error("{name} is {found}, expected {expected}")]
    OutOfRange {
        /// The parameter, as the caller knows it.
        name: &'static str,
        /// The offending value.
        found: String,
        /// What would be right.
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
    /// A parameter `name` has the value `found` where `expected` was needed.
    pub(crate) fn out_of_range(
        name: &'static str,
        found: impl std::fmt::Display,
        expected: &'static str,
    ) -> Self {
        Self::OutOfRange { name, found: found.to_string(), expected }
    }
}
