//! What can go wrong in a download, and what to do about it.

use std::path::PathBuf;

/// Why a benchmark was not downloaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The benchmark has no verified download, or is unknown, or a file cannot be read.
    #[error(transparent)]
    Catalog(Box<privet::graph::Error>),
    /// A file cannot be written.
    #[error("{}: cannot write: {source}", path.display())]
    Disk {
        /// Which file.
        path: PathBuf,
        /// The system's own reason.
        source: std::io::Error,
    },
    /// Another file is where the download belongs.
    #[error(
        "{}: found sha256 {found}; expected {expected}; if nobody needs that file, replace it with \
         --force, or choose another folder with --data-dir", path.display()
    )]
    Occupied {
        /// Which file.
        path: PathBuf,
        /// Its checksum.
        found: String,
        /// The catalog's checksum.
        expected: &'static str,
    },
    /// Another process is downloading the same file.
    #[error("{}: another download is writing this file; wait for it to end", path.display())]
    Busy {
        /// The unfinished file.
        path: PathBuf,
    },
    /// The server did not deliver.
    #[error("{url}: {failure}; {remedy}")]
    Network {
        /// What was asked for.
        url: String,
        /// What happened.
        failure: NetworkFault,
        /// What to do.
        remedy: String,
    },
}

impl FetchError {
    /// Whether the server has no such file.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Network { failure: NetworkFault::Status(404 | 410), .. })
    }
}

impl From<privet::graph::Error> for FetchError {
    fn from(error: privet::graph::Error) -> Self {
        Self::Catalog(Box::new(error))
    }
}

/// What a server, or the way to it, did.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkFault {
    /// It answered with an error.
    #[error("the server answered {}", describe(*.0))]
    Status(u16),
    /// There was no connection.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// It fell silent.
    #[error("the server said nothing for {0} seconds")]
    Silent(u64),
    /// It stopped in the middle.
    #[error("the connection ended after {received} of {total} bytes")]
    Cut {
        /// Bytes that are there.
        received: u64,
        /// Bytes the file has.
        total: u64,
    },
    /// It was asked for the rest of a file and sent something else.
    #[error("the server cannot continue this file where an earlier download stopped")]
    WrongRange,
    /// It sent more than the file has.
    #[error("the server sent more than the {0} bytes of the published file")]
    TooLong(u64),
    /// It sent another file of the same length.
    #[error("what arrived has sha256 {found}; expected {expected}; it was thrown away")]
    Checksum {
        /// The checksum of what arrived.
        found: String,
        /// The catalog's checksum.
        expected: String,
    },
}

impl NetworkFault {
    /// Whether the bytes so far are good, so that it makes sense to ask for the rest.
    pub(super) fn can_continue(&self) -> bool {
        matches!(self, Self::Cut { .. } | Self::Silent(_))
    }
}

fn describe(status: u16) -> String {
    match status {
        401 | 403 => format!("{status} (access denied)"),
        404 | 410 => format!("{status} (not found)"),
        429 => format!("{status} (too many requests: wait a while)"),
        500.. => format!("{status} (a fault of the server: try again later)"),
        _ => status.to_string(),
    }
}
