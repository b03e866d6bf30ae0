//! What can go wrong when an experiment is resumed or a report is written.

use std::path::Path;

/// What can go wrong in reports and experiments. Audits fail with the trusted base's own error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A store of experiment cells cannot be read, written or trusted.
    #[error("experiment cells {place}: {reason}")]
    Cells {
        /// The file, and the line if one is at fault.
        place: String,
        /// What is wrong with it, and what would be right.
        reason: String,
    },
    /// The work of one cell failed. The cells that finished are stored.
    #[error("the cell {key} failed: {source}")]
    Work {
        /// Which cell.
        key: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The system that was measured refused, or failed.
    #[error(transparent)]
    System(#[from] privet::Error),
    /// Somebody asked to stop. The cells that finished are stored.
    #[error("interrupted with {done} of {total} cells done; run the same command to continue")]
    Interrupted {
        /// How many are stored.
        done: usize,
        /// How many were wanted.
        total: usize,
    },
    /// A file cannot be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file or folder.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A picture cannot be made.
    #[error("cannot draw '{title}': {reason}")]
    Picture {
        /// The picture's title.
        title: String,
        /// Why not.
        reason: String,
    },
}

impl Error {
    /// What the system said, where a single run is all there is to say about a failure.
    pub(crate) fn of_system(self) -> Self {
        match self {
            Self::Work { key, source } => match source.downcast::<privet::Error>() {
                Ok(error) => Self::System(*error),
                Err(source) => Self::Work { key, source },
            },
            error => error,
        }
    }

    pub(crate) fn cells(place: impl std::fmt::Display, reason: impl std::fmt::Display) -> Self {
        Self::Cells { place: place.to_string(), reason: reason.to_string() }
    }

    pub(crate) fn write(path: &Path) -> impl Fn(std::io::Error) -> Self + '_ {
        move |source| Self::Write { path: path.display().to_string(), source }
    }
}
