//! What can go wrong in the service itself. What a sender did wrong is a [`Refusal`](crate::refusal::Refusal).

/// Why the service cannot do something.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store failed; nothing was acknowledged.
    #[error("store: {0}")]
    CollectorStore(#[from] sqlx::Error),
    /// The store was made by a newer program.
    #[error(
        "store: found version {found}, expected {expected} or older: a newer privet made it, use that one"
    )]
    Newer {
        /// Its version.
        found: i64,
        /// The newest that is known here.
        expected: i64,
    },
    /// What the store should be is not understood.
    #[error("--store: found {found}, expected {expected}")]
    Address {
        /// The address; a password in it is not shown.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
    /// The store holds something that this program would not have written.
    #[error("store: {0}")]
    Damaged(String),
    /// The network or a file.
    #[error("{place}: {error}")]
    Io {
        /// Where.
        place: String,
        /// What was found.
        error: std::io::Error,
    },
    /// A certificate or its key.
    #[error("{place}: {reason}")]
    Certificate {
        /// The file.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A task, or a part of it.
    #[error("{0}")]
    Privet(#[from] privet::Error),
    /// The service is stopping.
    #[error("the service is stopping")]
    Stopping,
}

impl Error {
    pub(crate) fn io(place: impl ToString, error: std::io::Error) -> Self {
        Self::Io { place: place.to_string(), error }
    }
}

/// What came of it, or why not.
pub type Result<T, E = Error> = std::result::Result<T, E>;
