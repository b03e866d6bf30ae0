//! [`Failure`]: anything that ends a command early, as one clear line, a hint, and an exit code.

use std::io::{self, Write};

use privet::graph::Error;

use crate::hints::RunningCommand;
use crate::output::style::{ACCENT, BAD, printable};

/// The result of any step of a command.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why a command ended early. Decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The data or the machine: a missing or damaged file, a failed download.
    Data,
    /// What was typed makes no sense.
    Usage,
    /// It could be done, and is not, on purpose.
    Refused,
    /// The reader of our output has closed it. Not an error.
    ClosedPipe,
    /// Ctrl-C.
    Interrupted,
}

/// What went wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    kind: FailureKind,
    message: String,
    /// The message with what was found in the data, if that is not the same.
    with_values: Option<String>,
    hint: Option<String>,
    /// Said where nothing of the hint can be followed.
    otherwise: Option<&'static str>,
}

impl Failure {
    /// A failure of a kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), with_values: None, hint: None, otherwise: None }
    }

    /// The data or the machine is at fault.
    pub fn data(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Data, message)
    }

    /// What was typed is at fault.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Usage, message)
    }

    /// A command whose feature this build was made without.
    #[cfg(not(all(feature = "cluster", feature = "collector")))]
    pub fn missing_feature(feature: &str) -> Self {
        Self::usage(format!("this build has no {feature}"))
            .hint(format!("build with --features {feature}, or install the released binary"))
    }

    /// The same failure with a word on what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What to do in commands that do not have the options of the hint.
    fn otherwise(self, advice: &'static str) -> Self {
        Self { otherwise: Some(advice), ..self }
    }

    /// The same failure as this command tells it: advice that it has no option for is left out.
    #[must_use]
    pub fn for_command(mut self, command: &RunningCommand) -> Self {
        self.message = command.message(&self.message);
        self.with_values = self.with_values.map(|message| command.message(&message));
        self.hint = self.hint.and_then(|hint| command.hint(&hint));
        self.hint = self.hint.or_else(|| self.otherwise.map(str::to_owned));
        self
    }

    /// The same failure with one more thing to try.
    pub fn or_hint(mut self, other: &str) -> Self {
        self.hint = Some(match self.hint {
            Some(hint) => format!("{hint}, or {other}"),
            None => other.into(),
        });
        self
    }

    /// The same failure, after noise was drawn: what was charged stays charged.
    pub fn charged(self, ledgers: &[String]) -> Self {
        self.hint(format!(
            "noise was drawn already, so the charge in {} stays, although nothing else was written",
            ledgers.join(" and ")
        ))
    }

    /// The same failure, taken as another kind: a bad number is the user's, not the file's.
    pub fn of_kind(mut self, kind: FailureKind) -> Self {
        self.kind = kind;
        self
    }

    /// The same failure, with a message that quotes the data, for callers that ask for it.
    fn quoting(mut self, with_values: String) -> Self {
        self.with_values = (with_values != self.message).then_some(with_values);
        self
    }

    /// What kind it is.
    pub fn kind(&self) -> FailureKind {
        self.kind
    }

    /// What went wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it, if there is a word on that.
    pub fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The exit code, as `privet --help` documents it.
    pub fn code(&self) -> u8 {
        match self.kind {
            FailureKind::ClosedPipe => 0,
            FailureKind::Data => 1,
            FailureKind::Usage => 2,
            FailureKind::Refused => 3,
            FailureKind::Interrupted => 130,
        }
    }

    /// Tells standard error, and gives the exit code. What was found in the data is told only to the caller that
    /// asked for it.
    pub fn report(&self, show_values: bool) -> u8 {
        if !matches!(self.kind, FailureKind::ClosedPipe | FailureKind::Interrupted) {
            // If even this cannot be written there is no channel left for messages.
            let _ = self.write(&mut anstream::stderr(), show_values);
        }
        self.code()
    }

    fn write(&self, out: &mut dyn Write, show_values: bool) -> io::Result<()> {
        let message = match (&self.with_values, show_values) {
            (Some(with_values), true) => with_values,
            _ => &self.message,
        };
        writeln!(out, "{BAD}error:{BAD:#} {}", printable(message))?;
        let withheld = self.with_values.is_some() && !show_values;
        let showing = "use --show-values to see what is hidden, if you may see the data";
        match (&self.hint, withheld) {
            (Some(hint), _) => writeln!(out, "{ACCENT}hint:{ACCENT:#} {}", printable(hint)),
            (None, true) => writeln!(out, "{ACCENT}hint:{ACCENT:#} {showing}"),
            (None, false) => Ok(()),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        if let Error::Absent { name, missing, searched, remedy } = &error {
            let folders =
                if searched.is_empty() { "no folder".into() } else { searched.join(", ") };
            let message = format!(
                "dataset {name} is not on this machine: {} absent; searched {folders}",
                missing.join(", ")
            );
            return Self::data(message).hint(remedy.clone());
        }
        if let Error::UnknownName { kind, name, suggestion: Some(near), known } = &error {
            let message = format!("unknown {kind} '{name}' (did you mean '{near}'?)");
            let failure = Self::usage(message);
            // A long list would bury the suggestion.
            return match known.len() {
                0..=8 => failure.hint(format!("known: {}", known.join(", "))),
                _ => failure,
            };
        }
        if let Error::Memory { .. } = &error {
            // The library names settings, not options.
            return Self::new(FailureKind::Refused, format!("--{error}"));
        }
        let kind = match &error {
            Error::Refused { .. } | Error::OverLimit { .. } => FailureKind::Refused,
            Error::UnknownName { .. } => FailureKind::Usage,
            _ => FailureKind::Data,
        };
        Self::new(kind, error.to_string()).quoting(error.with_values())
    }
}

impl From<privet::privacy::Error> for Failure {
    fn from(error: privet::privacy::Error) -> Self {
        use privet::privacy::Error as Privacy;
        let kind = match &error {
            // A ledger that is damaged, edited or in use is not spent from; a missing one never
            // gets here.
            Privacy::OverLimit { .. } | Privacy::Ledger { .. } => FailureKind::Refused,
            Privacy::OutOfRange { .. }
            | Privacy::FormulaFails { .. }
            | Privacy::Unreachable { .. }
            | Privacy::NoTheorem { .. } => FailureKind::Usage,
            _ => FailureKind::Data,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<privet::learn::Error> for Failure {
    fn from(error: privet::learn::Error) -> Self {
        use privet::learn::Error as Learn;
        match error {
            Learn::Graph(error) => error.into(),
            Learn::Privacy(error) => error.into(),
            Learn::Interrupted => Self::new(FailureKind::Interrupted, "interrupted"),
            Learn::Invalid { .. } => Self::usage(error.to_string()),
            error => Self::data(error.to_string()),
        }
    }
}

impl From<privet::Error> for Failure {
    fn from(error: privet::Error) -> Self {
        match error {
            privet::Error::Graph(error) => error.into(),
            privet::Error::Privacy(error) => error.into(),
            privet::Error::Learn(error) => error.into(),
            // The library names no options: what to type is said here.
            privet::Error::Doubtful { why, doubt } => {
                let taken =
                    format!("take it all the same with --accept {doubt}, which the card repeats");
                Self::new(FailureKind::Refused, format!("refused: {why}; {taken}"))
            }
            privet::Error::Missing { what: what @ ("features" | "labels"), .. } => {
                let failure = Self::usage(error.to_string());
                failure
                    .hint(format!("give them with --{what} FILE"))
                    .otherwise("declare them in privet.toml, or name data that have them")
            }
            privet::Error::Setting { .. } => Self::usage(format!("--{error}")),
            privet::Error::Request { name, reason, remedy } => {
                Self::usage(format!("--{name}: {reason}")).hint(remedy)
            }
            privet::Error::Unsaid { name, why } => {
                Self::usage(format!("--{} is missing: {why}", name.replace(" or ", " or --")))
            }
            privet::Error::Refused { message, remedy } => {
                Self::new(FailureKind::Refused, message).hint(remedy)
            }
            privet::Error::UndeclaredRange => Self::new(FailureKind::Refused, error.to_string())
                .hint("if you know it without looking, say so with --bounds LOW,HIGH")
                .otherwise("if you know it without looking, declare low and high in privet.toml"),
            privet::Error::DirectedGraph => Self::usage(error.to_string())
                .hint("read it with --undirected, or use dprr or rr with --merge directed"),
            privet::Error::OtherLimit { .. } => {
                let advice = "put back the budget that privet.toml had when the account was made";
                Self::new(FailureKind::Refused, error.to_string())
                    .hint("leave out --limit")
                    .otherwise(advice)
            }
            privet::Error::Charged { error, ledgers } => Self::from(*error).charged(&ledgers),
            privet::Error::Protocol(privet::protocol::Error::OverLifetime { .. }) => {
                Self::new(FailureKind::Refused, error.to_string())
            }
            privet::Error::Protocol(privet::protocol::Error::Held { .. }) => {
                Self::usage(error.to_string())
            }
            privet::Error::File { .. }
            | privet::Error::Protocol(_)
            | privet::Error::Elsewhere(_) => Self::data(error.to_string()),
            error => Self::usage(error.to_string()),
        }
    }
}

#[cfg(feature = "cluster")]
impl From<privet_cluster::Error> for Failure {
    fn from(error: privet_cluster::Error) -> Self {
        use privet_cluster::Error as Cluster;
        match error {
            Cluster::Learn(error) => error.into(),
            Cluster::Graph(error) => error.into(),
            Cluster::Privacy(error) => error.into(),
            Cluster::Privet(error) => error.into(),
            Cluster::Invalid { .. } => Self::usage(error.to_string()),
            error => Self::data(error.to_string()),
        }
    }
}

impl From<privet_lab::Error> for Failure {
    fn from(error: privet_lab::Error) -> Self {
        match error {
            privet_lab::Error::System(error) => error.into(),
            privet_lab::Error::Interrupted { .. } => {
                Self::new(FailureKind::Interrupted, "interrupted")
            }
            error => Self::data(error.to_string()),
        }
    }
}

/// Errors of our own output streams; files have places and come as [`Error`].
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::new(FailureKind::ClosedPipe, ""),
            _ => Self::data(format!("cannot write the result: {error}")),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        match error.io_error_kind() {
            Some(kind) => io::Error::from(kind).into(),
            None => Self::data(format!("cannot write the result: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet::graph::SourceLocation;

    #[test]
    fn codes_are_the_documented_ones() {
        let place = SourceLocation::file("x");
        assert_eq!(Failure::from(place.malformed("a", "b")).code(), 1);
        assert_eq!(Failure::from(Error::unknown_name("dataset", "x", ["y"])).code(), 2);
        assert_eq!(Failure::from(place.refused("a pickle")).code(), 3);
        assert_eq!(Failure::from(io::Error::from(io::ErrorKind::BrokenPipe)).code(), 0);
        assert_eq!(Failure::new(FailureKind::Interrupted, "").code(), 130);
    }

    #[test]
    fn what_was_found_is_shown_only_to_whoever_asks() {
        let cell = SourceLocation::file("x.csv").line(2);
        let failure = Failure::from(cell.malformed("'ssn 123'".to_owned(), "a number"));
        let told = |show_values| {
            let mut out = Vec::new();
            failure.write(&mut anstream::StripStream::new(&mut out), show_values).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert!(!told(false).contains("ssn") && told(false).contains("--show-values"));
        assert_eq!(told(true), "error: x.csv, line 2: found 'ssn 123'; expected a number\n");
    }

    #[test]
    fn a_message_stays_one_line_whatever_the_file_held() {
        let failure = Failure::data("x: found 'a\nerror: b\x1b[2J'").hint("look");
        let mut out = Vec::new();
        failure.write(&mut anstream::StripStream::new(&mut out), false).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "error: x: found 'a\\nerror: b\\u{1b}[2J'\nhint: look\n");
    }
}
