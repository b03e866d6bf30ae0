//! One error type for the systems: their own mistakes, and those of the crates below.

use crate::privacy::Loss;

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
    /// A setting that makes no sense.
    #[error("{name}: found {found}, expected {expected}")]
    Setting {
        /// Which, as it is typed and shown ([`settings`](crate::settings)).
        name: &'static str,
        /// What it was.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A setting of a request that does not fit the rest of it.
    #[error("{name}: {reason}; {remedy}")]
    Request {
        /// Which setting, as it is typed and shown ([`settings`](crate::settings)).
        name: String,
        /// Why it does not fit.
        reason: String,
        /// What would fit.
        remedy: String,
    },
    /// Something that must be said and was not.
    #[error("{name} is missing: {why}")]
    Unsaid {
        /// What, by the name of its setting; or one of two, joined by `or`.
        name: &'static str,
        /// What it means.
        why: &'static str,
    },
    /// Something in a file that people write makes no sense.
    #[error("{place}: {reason}")]
    Mistake {
        /// The file and the line.
        place: String,
        /// What was found, and what would be right.
        reason: String,
    },
    /// People's own budgets where reports are to be made part by part.
    #[error(
        "budgets of people's own need all reports in one process's memory: give one to all, or set no limit"
    )]
    OwnBudgetsInParts,
    /// A mechanism that needs all of the graph at once.
    #[error(
        "{mechanism:?} needs the whole graph in one process's memory: use dprr or rr, or set no limit"
    )]
    NotInParts {
        /// Which.
        mechanism: crate::protect::EdgeMechanism,
    },
    /// A number that would give no protection, and that the caller did not accept.
    #[error("refused: {why}; accept the warning {doubt} to go on; the card repeats it")]
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
    /// A file or folder could not be read or written.
    #[error("{path}: {reason}")]
    File {
        /// Which.
        path: String,
        /// Why not.
        reason: String,
    },
    /// It could be done, and is not, on purpose.
    #[error("{message}; {remedy}")]
    Refused {
        /// What is refused, and why.
        message: String,
        /// What would help.
        remedy: &'static str,
    },
    /// The range of features is not public.
    #[error(
        "refused: the range of the features was not declared, and a range taken from the records would give the \
         largest of them away"
    )]
    UndeclaredRange,
    /// Rules about the two lists of a pair do not apply to arcs.
    #[error("the graph is directed, and this way of making a graph is for undirected ones")]
    DirectedGraph,
    /// An account has its limit already.
    #[error("{path}: refused: its limit is {limit} and cannot become epsilon {wanted}")]
    OtherLimit {
        /// The account.
        path: String,
        /// Its limit.
        limit: Loss,
        /// The epsilon that was asked for.
        wanted: f64,
    },
    /// Something failed after noise was drawn: what was charged stays charged.
    #[error("{error}; noise was drawn already, so the charge in {} stays", .ledgers.join(" and "))]
    Charged {
        /// What failed.
        error: Box<Self>,
        /// The accounts that were charged.
        ledgers: Vec<String>,
    },
    /// Another process of the same release could not go on.
    #[error("{0}")]
    Elsewhere(String),
    /// A task or a report that is not what it should be.
    #[error(transparent)]
    Protocol(#[from] crate::protocol::Error),
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
    /// An [`Error::File`].
    pub fn file(path: &std::path::Path, reason: impl std::fmt::Display) -> Self {
        Self::File { path: path.display().to_string(), reason: reason.to_string() }
    }

    /// An [`Error::Setting`] unless it fits.
    ///
    /// # Errors
    /// If it does not.
    pub fn unless(
        fits: bool,
        name: &'static str,
        found: impl std::fmt::Display,
        expected: &'static str,
    ) -> Result<()> {
        match fits {
            true => Ok(()),
            false => Err(Self::Setting { name, found: found.to_string(), expected }),
        }
    }

    /// An [`Error::Request`].
    pub fn request(
        name: impl Into<String>,
        reason: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::Request { name: name.into(), reason: reason.into(), remedy: remedy.into() }
    }

    /// An [`Error::Invalid`] from anything printable.
    pub fn invalid(
        what: &'static str,
        found: impl std::fmt::Display,
        expected: impl std::fmt::Display,
    ) -> Self {
        Self::Invalid { what, found: found.to_string(), expected: expected.to_string() }
    }
}
