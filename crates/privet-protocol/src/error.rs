//! What can be wrong with bytes.

/// Why something is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// Something that no honest side would send.
    #[error("{what}: found {found}, expected {expected}")]
    Refused {
        /// The part of it.
        what: &'static str,
        /// What is there. Numbers and sizes: never a value of a person.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// What a person holds or says is not what is asked.
    #[error("{what}: found {found}, expected {expected}")]
    Held {
        /// The part of it.
        what: &'static str,
        /// What is there: never a value.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// An answer would cost more than the person allowed over a lifetime.
    #[error(
        "refused: this would bring what answers cost your {what} from epsilon {before} to {after}, and you allowed \
         {lifetime} in all; do not take part"
    )]
    OverLifetime {
        /// What of the person's it is about.
        what: &'static str,
        /// What it has cost.
        before: f64,
        /// What it would have cost.
        after: f64,
        /// What the person allowed.
        lifetime: f64,
    },
    /// A mechanism does not take its settings.
    #[error("{0}")]
    Mechanism(String),
}

impl Error {
    pub(crate) fn refused(
        what: &'static str,
        found: impl ToString,
        expected: impl ToString,
    ) -> Self {
        Self::Refused { what, found: found.to_string(), expected: expected.to_string() }
    }

    /// A [`Held`](Self::Held), unless it fits.
    pub(crate) fn unless(
        fits: bool,
        what: &'static str,
        found: impl ToString,
        expected: impl ToString,
    ) -> Result<()> {
        match fits {
            true => Ok(()),
            false => {
                let (found, expected) = (found.to_string(), expected.to_string());
                Err(Self::Held { what, found, expected })
            }
        }
    }
}

impl From<privet_privacy::Error> for Error {
    fn from(error: privet_privacy::Error) -> Self {
        Self::Mechanism(error.to_string())
    }
}

impl From<privet_graph::Error> for Error {
    fn from(error: privet_graph::Error) -> Self {
        Self::Mechanism(error.to_string())
    }
}

/// What came of it, or why not.
pub type Result<T, E = Error> = std::result::Result<T, E>;
