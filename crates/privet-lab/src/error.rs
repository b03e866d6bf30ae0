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
    /// The run was interrupted. The cells that finished are stored.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_where_and_what_to_do() {
        let told = Error::cells("cells.jsonl, line 3", "not a cell").to_string();
        assert_eq!(told, "experiment cells cells.jsonl, line 3: not a cell");
        let told = Error::Interrupted { done: 3, total: 7 }.to_string();
        assert!(told.contains("3 of 7") && told.contains("the same command"), "{told}");
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        let told = Error::write(Path::new("out/report.html"))(missing).to_string();
        assert!(told.starts_with("cannot write out/report.html: "), "{told}");
    }

    /// Only what a system said is told without the cell; other errors stay what they are.
    #[test]
    fn a_failure_of_the_system_is_told_by_itself() {
        let refused = privet::Error::invalid("epsilon", 0, "above 0");
        let message = refused.to_string();
        let failed = Error::Work { key: "n=1".into(), source: Box::new(refused) };
        assert_eq!(failed.of_system().to_string(), message);
        let stopped = Error::Interrupted { done: 0, total: 1 };
        assert!(matches!(stopped.of_system(), Error::Interrupted { .. }));
    }
}
