//! [`Protected`]: what was written, what it promises and what it does not.

use std::io::{self, Write};
use std::path::Path;

use privet::privacy::Card;
use serde::Serialize;

use crate::console::Answer;
use crate::style::{FAINT, GOOD, NOTE, STRONG, printable};

/// What became of a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Protected {
    /// The files of the dataset and its card.
    pub files: Vec<String>,
    /// The account that was charged.
    pub ledger: String,
    /// Whether the noise came from a seed, so that nobody is protected.
    pub simulation: bool,
    /// What travels with the data.
    pub card: Card,
}

impl Protected {
    /// What was written.
    pub fn new(card: Card, files: Vec<String>, ledger: &Path) -> Self {
        let simulation = card.is_simulation();
        Self { files, ledger: ledger.display().to_string(), simulation, card }
    }
}

impl Answer for Protected {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for file in &self.files {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        let ledger = printable(&self.ledger);
        for guarantee in &self.card.guarantees {
            writeln!(out, "\n{STRONG}protected{STRONG:#}: {}", guarantee.protects)?;
            writeln!(out, "  {}: {}", guarantee.relation, guarantee.loss)?;
            for other in &guarantee.also {
                writeln!(out, "  {}: {}", other.relation, other.loss)?;
            }
            writeln!(out, "  charged to {ledger}, limit {}", guarantee.limit)?;
        }
        writeln!(out, "{STRONG}NOT protected{STRONG:#}:")?;
        for what in &self.card.unprotected {
            writeln!(out, "  {}", printable(what))?;
        }
        if self.simulation {
            writeln!(out, "{NOTE}SIMULATION{NOTE:#}: noise from a seed protects nobody")?;
        }
        let card = self.files.last().map(|path| printable(path)).unwrap_or_default();
        let beside =
            card.strip_suffix(".card.json").is_some_and(|of| format!("{of}.ledger") == ledger);
        let elsewhere = if beside { String::new() } else { format!(" --ledger {ledger}") };
        writeln!(
            out,
            "{FAINT}check and read it: privet verify {card}{elsewhere} --explain{FAINT:#}"
        )
    }
}
