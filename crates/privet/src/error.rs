//! One error type for the systems: their own mistakes, and those of the crates below.

/// The result of anything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a system could not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting or an input that makes no sense.
    #[error("{what}: found {found}, expected {expected}")]
    Invalid {
        /// What was given.
        what: &'static str,
        /// What it was.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// A number that would protect nobody, and nobody said to take it all the same.
    #[error("refused: {why}; take it all the same with --accept {doubt}, which the card repeats")]
    Doubtful {
        /// What is wrong with it.
        why: String,
        /// The name of the doubt.
        doubt: &'static str,
    },
    /// The data lacks something the system needs.
    #[error("{dataset} has no {what}: {remedy}")]
    Missing {
        /// Which data.
        dataset: String,
        /// What is not there.
        what: &'static str,
        /// What would help.
        remedy: &'static str,
    },
    /// The data was at fault.
    #[error(transparent)]
    Graph(#[from] privet_graph::Error),
    /// The trusted base refused.
    #[error(transparent)]
    Privacy(#[from] privet_privacy::Error),
    /// Learning failed.
    #[error(transparent)]
    Learn(#[from] privet_learn::Error),
}

impl Error {
    /// An [`Error::Invalid`] from anything printable.
    pub fn invalid(
        what: &'static str,
        found: impl std::fmt::Display,
        expected: impl std::fmt::Display,
    ) -> Self {
        Self::Invalid { what, found: found.to_string(), expected: expected.to_string() }
    }
}
