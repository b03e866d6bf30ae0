//! `privet verify CARD`: recompute what a card promises from its ledgers.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use privet::privacy::Card;
use privet::privacy::ledger::Contents;
use serde::Serialize;

use crate::console::{Answer, Console};
use crate::failure::{Failure, Result};
use crate::output::beside;
use crate::style::{BAD, FAINT, GOOD, NOTE, counted, printable};

/// A card to check.
#[derive(Debug)]
pub struct Plan {
    /// The card's file.
    pub card: PathBuf,
    /// Its ledgers; none: those beside it.
    pub ledgers: Vec<PathBuf>,
    /// How much to say.
    pub words: Words,
}

/// How much to say about a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Whether it is true.
    Verdict,
    /// What it means, too.
    Explain,
}

impl Plan {
    /// Reads, recomputes, compares.
    ///
    /// # Errors
    /// If a file cannot be read or was edited, or the card does not hold.
    pub fn run(self, console: &Console) -> Result<()> {
        let card = read_card(&self.card)?;
        let paths = if self.ledgers.is_empty() { ledgers_of(&self.card) } else { self.ledgers };
        let ledgers = paths.iter().map(|path| read_ledger(path)).collect::<Result<Vec<_>>>()?;
        let differences = card.differences(&ledgers)?;
        let count = differences.len();
        console.answer(&Verdict {
            card: self.card.display().to_string(),
            ledgers: paths.iter().map(|path| path.display().to_string()).collect(),
            holds: differences.is_empty(),
            differences,
            simulation: card.is_simulation(),
            unverifiable: unverifiable(&card),
            explanation: (self.words == Words::Explain).then(|| card.explain()),
        })?;
        match count {
            0 => Ok(()),
            _ => Err(Failure::data(format!(
                "{}: the card does not hold: {}",
                self.card.display(),
                counted(count, "difference", "differences")
            ))),
        }
    }
}

/// What became of a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Verdict {
    card: String,
    ledgers: Vec<String>,
    holds: bool,
    differences: Vec<String>,
    simulation: bool,
    /// Statements of the card that no ledger can confirm.
    unverifiable: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<String>,
}

impl Answer for Verdict {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(explanation) = &self.explanation {
            for line in explanation.lines() {
                writeln!(out, "{}", printable(line))?;
            }
            writeln!(out)?;
        }
        let card = printable(&self.card);
        if self.holds {
            writeln!(out, "{GOOD}OK{GOOD:#} {card}: every number follows from the ledger")?;
        } else {
            writeln!(out, "{BAD}DIFFERS{BAD:#} {card}")?;
            for difference in &self.differences {
                writeln!(out, "  {}", printable(difference))?;
            }
        }
        if self.simulation {
            writeln!(out, "{NOTE}SIMULATION{NOTE:#} noise from a seed protects nobody")?;
        }
        let stated = self.unverifiable.join(", ");
        writeln!(out, "{FAINT}stated on the card, not in the ledger: {stated}{FAINT:#}")
    }
}

fn unverifiable(card: &Card) -> Vec<&'static str> {
    let mut stated = vec!["its subject", "what is not protected"];
    if card.guarantees.iter().any(|guarantee| !guarantee.also.is_empty()) {
        stated.push("what it means under other relations");
    }
    stated
}

/// Reads a card.
pub(super) fn read_card(path: &Path) -> Result<Card> {
    let failed =
        |reason: &dyn std::fmt::Display| Failure::data(format!("{}: {reason}", path.display()));
    let bytes = std::fs::read(path).map_err(|error| failed(&error))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        failed(&format!("not a privacy card: {error}")).hint("cards end in .card.json")
    })
}

/// A `card.json` speaks of its whole folder, so of all ledgers in it; other cards have one beside them.
fn ledgers_of(card: &Path) -> Vec<PathBuf> {
    let folder = match card.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let is_ledger = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "ledger");
    let mut ledgers: Vec<PathBuf> = match (card.file_name(), std::fs::read_dir(folder)) {
        (Some(name), Ok(entries)) if name == "card.json" => {
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_ledger).collect()
        }
        _ => Vec::new(),
    };
    ledgers.sort();
    if ledgers.is_empty() { vec![ledger_of(card)] } else { ledgers }
}

/// `people.npz.card.json` was made from `people.npz.ledger`.
fn ledger_of(card: &Path) -> PathBuf {
    let name = card.file_name().unwrap_or_default().to_string_lossy();
    let plain = name.strip_suffix(".card.json").or(name.strip_suffix(".json")).unwrap_or(&name);
    beside(&card.with_file_name(plain), "ledger")
}

fn read_ledger(path: &Path) -> Result<Contents> {
    if !path.exists() {
        let message = format!("{}: there is no such ledger", path.display());
        return Err(Failure::data(message).hint("name the card's ledger with --ledger FILE"));
    }
    Ok(Contents::read(path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_lies_beside_its_card() {
        assert_eq!(ledger_of(Path::new("a/b.npz.card.json")), Path::new("a/b.npz.ledger"));
        assert_eq!(ledger_of(Path::new("b.json")), Path::new("b.ledger"));
        assert_eq!(ledger_of(Path::new("b")), Path::new("b.ledger"));
    }
}
