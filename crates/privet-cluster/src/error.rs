//! What can go wrong between processes. Messages name a process by its number and address.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A process of the job, as messages name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    /// Its number, from 0.
    pub index: usize,
    /// Where it listens.
    pub address: String,
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "worker {} ({})", self.index, self.address)
    }
}

/// Why a job cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A setting makes no sense.
    #[error("{what}: found {found}, expected {expected}")]
    Invalid {
        /// Which.
        what: &'static str,
        /// What was found.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// A line of a hosts file.
    #[error("{}, line {line}: found {found:?}, expected {expected}", path.display())]
    Hosts {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What stands there.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// This process cannot listen where the others will look for it.
    #[error("cannot listen on {address}: {cause}; is another job running on this port?")]
    Listen {
        /// Where.
        address: String,
        /// What the system says.
        cause: std::io::Error,
    },
    /// A process did not come.
    #[error("{peer} is not there: waited {} s ({cause})", patience.as_secs())]
    Absent {
        /// Which.
        peer: Peer,
        /// How long it was waited for.
        patience: Duration,
        /// What was seen last.
        cause: String,
    },
    /// A process works on something else.
    #[error("{peer} cannot take part: {reason}")]
    Disagrees {
        /// Which.
        peer: Peer,
        /// What differs.
        reason: String,
    },
    /// A process died, or its machine or network did.
    #[error("{peer} is gone ({reason}): the job was stopped")]
    Lost {
        /// Which.
        peer: Peer,
        /// What was seen of it.
        reason: String,
    },
    /// A process that was started here ended before the job did.
    #[error("worker {index} (process {process}) died: {status}{}; the job was stopped", last.as_ref().map(|last| format!(" ({last})")).unwrap_or_default())]
    Died {
        /// Its number, from 0.
        index: usize,
        /// The system's number for it.
        process: u32,
        /// How it ended.
        status: String,
        /// Its last error, if it printed one.
        last: Option<String>,
    },
    /// Another process could not go on and sent its reason.
    #[error("{peer} stopped: {reason}")]
    Stopped {
        /// Which.
        peer: Peer,
        /// In its words.
        reason: String,
    },
    /// What arrived is not what this program sends.
    #[error("a message from worker {from}: {reason}")]
    Message {
        /// The number of the sender.
        from: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A checkpoint that must not be used.
    #[error("{}: {reason}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file or a connection.
    #[error("{place}: {cause}")]
    Io {
        /// Where.
        place: String,
        /// What the system says.
        cause: std::io::Error,
    },
    /// The part of a job that runs in this process panicked.
    #[error("the job broke off: {0}")]
    Broken(String),
    /// A step of the caller of the job failed; the message is the caller's.
    #[error("{0}")]
    Caller(String),
    /// Learning.
    #[error(transparent)]
    Learn(#[from] privet::learn::Error),
    /// Data.
    #[error(transparent)]
    Graph(#[from] privet::graph::Error),
    /// Releasing.
    #[error(transparent)]
    Privacy(#[from] privet::privacy::Error),
    /// The systems.
    #[error(transparent)]
    Privet(#[from] privet::Error),
}

impl Error {
    pub(crate) fn invalid(
        what: &'static str,
        found: impl ToString,
        expected: impl Into<String>,
    ) -> Self {
        Self::Invalid { what, found: found.to_string(), expected: expected.into() }
    }

    pub(crate) fn io(place: impl ToString, cause: std::io::Error) -> Self {
        Self::Io { place: place.to_string(), cause }
    }

    pub(crate) fn file(path: &Path, cause: std::io::Error) -> Self {
        Self::io(path.display(), cause)
    }

    pub(crate) fn message(from: usize, reason: impl Into<String>) -> Self {
        Self::Message { from, reason: reason.into() }
    }
}

/// What came of it, or why not.
pub type Result<T, E = Error> = std::result::Result<T, E>;
