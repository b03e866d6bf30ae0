//! The library's errors as Python's: what was given is a `ValueError`, what is refused on purpose is [`Refused`], and a
//! budget that does not suffice is [`BudgetExceeded`]. Messages are the library's, in words that Python knows.

use privet::learn::Error as Learn;
use privet::privacy::Error as Privacy;
use pyo3::exceptions::{
    PyException, PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyValueError,
};
use pyo3::prelude::*;

pyo3::create_exception!(privet, PrivetError, PyException, "Something that went wrong in privet.");
pyo3::create_exception!(
    privet,
    Refused,
    PrivetError,
    "It could be done, and is not, on purpose: the message says why, and what would be right."
);
pyo3::create_exception!(
    privet,
    BudgetExceeded,
    Refused,
    "A release would cost more than its account has left. Nothing was charged, and nothing was released."
);
pyo3::create_exception!(
    privet,
    LedgerError,
    Refused,
    "A ledger that is damaged, in use, or used where it does not belong. Nothing was released."
);

/// Why something failed, before Python is told.
#[derive(Debug)]
pub(crate) enum Failure {
    Library(privet::Error),
    Lab(privet_lab::Error),
}

impl From<privet_lab::Error> for Failure {
    fn from(error: privet_lab::Error) -> Self {
        Self::Lab(error)
    }
}

macro_rules! from_library {
    ($($error:ty),+) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Library(error.into())
            }
        })+
    };
}

from_library!(privet::Error, privet::graph::Error, privet::privacy::Error, privet::learn::Error);

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Library(error) => raised(&error),
            Failure::Lab(privet_lab::Error::System(error)) => raised(&error),
            Failure::Lab(privet_lab::Error::Interrupted { .. }) => interrupted(),
            Failure::Lab(error) => PrivetError::new_err(error.to_string()),
        }
    }
}

/// What Python is told.
fn raised(error: &privet::Error) -> PyErr {
    let text = in_python(&error.to_string());
    match error {
        privet::Error::Graph(error) => of_data(error, text),
        privet::Error::Privacy(error) => of_privacy(error, text),
        privet::Error::Learn(error) => match error {
            Learn::Interrupted => interrupted(),
            Learn::Graph(error) => of_data(error, text),
            Learn::Privacy(error) => of_privacy(error, text),
            Learn::Io { .. } => PyOSError::new_err(text),
            Learn::NotConverged { .. } | Learn::Diverged { .. } => PrivetError::new_err(text),
            _ => PyValueError::new_err(text),
        },
        privet::Error::Setting { name, found, expected } => {
            let name = name.replace('-', "_");
            PyValueError::new_err(format!("{name}: found {found}, expected {expected}"))
        }
        privet::Error::Request { name, reason, remedy } => {
            let name = name.replace('-', "_");
            PyValueError::new_err(in_python(&format!("{name}: {reason}; {remedy}")))
        }
        privet::Error::Doubtful { why, doubt } => Refused::new_err(format!(
            "refused: {why}; accept=['{doubt}'] takes it all the same, and the card repeats it"
        )),
        privet::Error::UndeclaredRange => Refused::new_err(format!(
            "{text}; if the range is public knowledge, pass bounds=(low, high)"
        )),
        privet::Error::Protocol(privet::protocol::Error::OverLifetime { .. }) => {
            BudgetExceeded::new_err(text)
        }
        privet::Error::Refused { .. } | privet::Error::OtherLimit { .. } => Refused::new_err(text),
        privet::Error::File { .. } => PyOSError::new_err(text),
        // Of the kind of what failed, with all that is said about it.
        privet::Error::Charged { error, .. } => {
            Python::attach(|py| PyErr::from_type(raised(error).get_type(py), text))
        }
        _ => PyValueError::new_err(text),
    }
}

fn of_data(error: &privet::graph::Error, text: String) -> PyErr {
    use privet::graph::Error;
    match error {
        Error::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
            PyFileNotFoundError::new_err(text)
        }
        Error::Io { .. } => PyOSError::new_err(text),
        Error::Absent { .. } => PyFileNotFoundError::new_err(text),
        Error::Refused { .. } | Error::OverLimit { .. } => Refused::new_err(text),
        Error::Memory { .. } => PyMemoryError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

fn of_privacy(error: &Privacy, text: String) -> PyErr {
    match error {
        Privacy::OverLimit { .. } => BudgetExceeded::new_err(text),
        Privacy::Ledger { .. } => LedgerError::new_err(text),
        Privacy::NoEntropy { .. } => PyOSError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// Ctrl-C.
pub(crate) fn interrupted() -> PyErr {
    PyKeyboardInterrupt::new_err("interrupted; what was charged stays charged")
}

/// Options of the command line as arguments: `--nodes FILE` is `nodes=`, `--k 3` is `k=3`, `--alpha:` is `alpha:`.
fn in_python(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        let (before, option) = (&rest[..at], &rest[at + 2..]);
        out.push_str(before);
        let is_name = |letter: char| letter.is_ascii_lowercase() || letter == '-';
        let end = option.find(|letter| !is_name(letter)).unwrap_or(option.len());
        let (name, after) = option.split_at(end);
        out.push_str(&if name.is_empty() { "--".into() } else { name.replace('-', "_") });
        let (word, tail) = after.strip_prefix(' ').map_or(("", after), |value| {
            value.split_at(value.find([' ', ',', ';', ':', '\'', ')']).unwrap_or(value.len()))
        });
        let placeholder =
            !word.is_empty() && word.chars().all(|c| c.is_uppercase() || "<>|.".contains(c));
        rest = match () {
            () if placeholder => {
                out.push('=');
                // `LOW,HIGH` is one placeholder.
                let more = |letter: char| letter.is_uppercase() || letter == ',';
                match tail
                    .strip_prefix(',')
                    .is_some_and(|rest| rest.starts_with(char::is_uppercase))
                {
                    true => tail.trim_start_matches(more),
                    false => tail,
                }
            }
            () if word.starts_with(|first: char| first.is_ascii_digit()) => {
                out.push('=');
                &after[1..]
            }
            () => after,
        };
    }
    out.push_str(rest);
    out
}
