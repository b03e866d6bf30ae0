//! `privet verify CARD`: hash its files and compute everything it promises again, from its ledgers.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use privet::cardfile::verify;
use privet::collected::verified::check_card;
use privet::privacy::Card;
use privet::privacy::card::{CardCheck, StatedLoss};
use serde::Serialize;

use crate::args::Verify;
use crate::failure::{Failure, Result};
use crate::output::console::{Answer, Console};
use crate::output::style::{BAD, FAINT, GOOD, NOTE, counted, printable};

/// Reads, recomputes, compares.
///
/// # Errors
/// If a file cannot be read or was edited, or the card does not hold.
pub(super) fn run(typed: Verify, console: &Console) -> Result<()> {
    let key = typed.signing.key()?;
    let card = Card::read(&typed.card)?;
    if let Some(task) = &typed.task {
        let task = super::collect::read(task)?;
        let checked = check_card(&card, &task, &typed.card)?;
        return conclude(&typed, &card, checked, &[], console);
    }
    let paths = match typed.ledgers.is_empty() {
        true => of_card(&typed.card, &card)?,
        false => typed.ledgers.clone(),
    };
    if let Some(path) = paths.iter().find(|path| !path.exists()) {
        let message = format!("{}: there is no such ledger", path.display());
        return Err(Failure::data(message).hint("name the card's ledger with --ledger FILE, or with --task FILE the task that devices answered"));
    }
    let checked = verify::check(&typed.card, &card, &paths, key.as_ref())?;
    conclude(&typed, &card, checked, &paths, console)
}

/// Says what became of it.
fn conclude(
    typed: &Verify,
    card: &Card,
    checked: CardCheck,
    ledgers: &[PathBuf],
    console: &Console,
) -> Result<()> {
    let count = checked.differences.len();
    let CardCheck { differences, notes, unchecked } = checked;
    console.answer(&CardVerdict {
        card: typed.card.display().to_string(),
        files: card.files.len(),
        issued_for: card.files.iter().map(|file| file.name.clone()).collect(),
        losses: card.stated(),
        source: if typed.task.is_some() { "task" } else { "ledger" },
        ledgers: ledgers.iter().map(|path| path.display().to_string()).collect(),
        holds: differences.is_empty(),
        warnings: card.warnings(),
        differences,
        notes,
        simulation: card.is_simulation(),
        unverifiable: unchecked,
        explanation: typed.explain.then(|| card.in_plain_words()),
        details: typed.details.then(|| card.explain()),
    })?;
    match count {
        0 => Ok(()),
        _ => Err(Failure::data(format!(
            "{}: the card does not hold: {}",
            typed.card.display(),
            counted(count, "difference", "differences")
        ))),
    }
}

/// What became of a card.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct CardVerdict {
    /// Who has no protection at all.
    warnings: Vec<String>,
    card: String,
    /// How many files it was issued for.
    files: usize,
    /// Their names, from the card's folder on.
    issued_for: Vec<String>,
    /// Every loss on the card, with its conditions.
    losses: Vec<StatedLoss>,
    /// What its numbers follow from.
    #[serde(skip)]
    source: &'static str,
    ledgers: Vec<String>,
    holds: bool,
    differences: Vec<String>,
    /// What is true and worth knowing.
    notes: Vec<String>,
    simulation: bool,
    /// Statements of the card that nothing at hand can confirm.
    unverifiable: Vec<String>,
    /// For the people in the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<String>,
    /// For a reviewer who checks every number.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<String>,
}

impl Answer for CardVerdict {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for text in [&self.explanation, &self.details].into_iter().flatten() {
            for line in text.lines() {
                writeln!(out, "{}", printable(line))?;
            }
            writeln!(out)?;
        }
        let card = printable(&self.card);
        if self.holds {
            let files = counted(self.files, "file is", "files are");
            writeln!(
                out,
                "{GOOD}OK{GOOD:#} {card}: {files} what it was issued for, and every number follows \
                 from the {}",
                self.source
            )?;
        } else {
            writeln!(out, "{BAD}DIFFERS{BAD:#} {card}")?;
            for difference in &self.differences {
                writeln!(out, "  {}", printable(difference))?;
            }
        }
        if !self.issued_for.is_empty() {
            writeln!(out, "issued for {}", printable(&self.issued_for.join(", ")))?;
        }
        if self.holds {
            for stated in &self.losses {
                writeln!(out, "  {}", printable(&stated.to_string()))?;
            }
        }
        for warning in &self.warnings {
            writeln!(out, "{BAD}{}{BAD:#}", printable(warning))?;
        }
        for note in &self.notes {
            writeln!(out, "{NOTE}note:{NOTE:#} {}", printable(note))?;
        }
        if self.simulation {
            writeln!(out, "{NOTE}SIMULATION{NOTE:#} noise from a seed gives no protection")?;
        }
        writeln!(out, "{FAINT}not verifiable here:{FAINT:#}")?;
        for stated in &self.unverifiable {
            writeln!(out, "{FAINT}  {}{FAINT:#}", printable(stated))?;
        }
        Ok(())
    }
}

/// The ledgers that a card names, beside it or in the project that the current folder is in.
fn of_card(path: &Path, card: &Card) -> Result<Vec<PathBuf>> {
    let paths = verify::ledgers_of(path, card);
    if paths.iter().all(|path| path.exists()) {
        return Ok(paths);
    }
    Ok(match super::project::found()? {
        Some(project) => verify::in_project(paths, &project),
        None => paths,
    })
}
