//! One error type for the crate: every variant names what was given, what was found and what would
//! be right.

/// The result of anything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why learning could not go on.
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
    /// An iteration stopped before it reached the accuracy asked for.
    #[error(
        "{what} did not converge: residual {residual:e} after {rounds} rounds, wanted {wanted:e}"
    )]
    NotConverged {
        /// Which iteration.
        what: &'static str,
        /// What was left.
        residual: f64,
        /// How many rounds were run.
        rounds: usize,
        /// What was asked for.
        wanted: f64,
    },
    /// A loss or a parameter became infinite or undefined.
    #[error("{what} became {found} in epoch {epoch}: a smaller learning rate may help")]
    Diverged {
        /// What went wrong.
        what: &'static str,
        /// Its value.
        found: f64,
        /// When.
        epoch: usize,
    },
    /// The caller's watch asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The message of the operating system.
        source: std::io::Error,
    },
    /// The graph or its features were at fault.
    #[error(transparent)]
    Graph(#[from] privet_graph::Error),
    /// The trusted base refused.
    #[error(transparent)]
    Privacy(#[from] privet_privacy::Error),
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
