//! [`Protected`]: what was written, what it promises and what it does not.

use std::io::{self, Write};
use std::path::PathBuf;

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
    /// Accounts charged before, for parts of the data that were randomised then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier_ledgers: Vec<String>,
    /// Whether the noise came from a seed, so that nobody is protected.
    pub simulation: bool,
    /// What travels with the data.
    pub card: Card,
}

impl Protected {
    /// What was written; the first ledger is the one that was charged.
    pub fn new(card: Card, files: Vec<String>, ledgers: &[PathBuf]) -> Self {
        let simulation = card.is_simulation();
        let mut ledgers = ledgers.iter().map(|path| path.display().to_string());
        let ledger = ledgers.next().unwrap_or_default();
        Self { files, ledger, earlier_ledgers: ledgers.collect(), simulation, card }
    }
}

impl Answer for Protected {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for file in &self.files {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        let ledger = printable(&self.ledger);
        let last = self.card.guarantees.len().saturating_sub(1);
        for (at, guarantee) in self.card.guarantees.iter().enumerate() {
            writeln!(out, "\n{STRONG}protected{STRONG:#}: {}", guarantee.protects)?;
            writeln!(out, "  {}: {}", guarantee.relation, guarantee.loss)?;
            for other in &guarantee.also {
                writeln!(out, "  {}: {}", other.relation, other.loss)?;
            }
            match at == last {
                true => writeln!(out, "  charged to {ledger}, limit {}", guarantee.limit)?,
                false => writeln!(out, "  as the card of the input says")?,
            }
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
        let mut elsewhere = match beside && self.earlier_ledgers.is_empty() {
            true => String::new(),
            false => format!(" --ledger {ledger}"),
        };
        for earlier in &self.earlier_ledgers {
            elsewhere += &format!(" --ledger {}", printable(earlier));
        }
        writeln!(
            out,
            "{FAINT}check and read it: privet verify {card}{elsewhere} --explain{FAINT:#}"
        )
    }
}
