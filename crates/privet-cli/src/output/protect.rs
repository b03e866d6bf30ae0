//! [`ProtectionOutput`]: what was written, what it promises and what it does not.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use privet::privacy::Card;
use privet::privacy::card::Guarantee;
use serde::Serialize;

use crate::output::cardfile::folder_of;
use crate::output::console::Answer;
use crate::output::style::{BAD, FAINT, GOOD, NOTE, STRONG, printable};

/// What became of a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProtectionOutput {
    /// The files of the dataset and its card.
    pub files: Vec<String>,
    /// The account that was charged.
    pub ledger: String,
    /// Accounts charged before, for parts of the data that were randomised then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier_ledgers: Vec<String>,
    /// Whether the noise came from a seed, so that there is no protection.
    pub simulation: bool,
    /// What travels with the data.
    pub card: Card,
}

impl ProtectionOutput {
    /// What was written; the first ledger is the one that was charged.
    pub fn new(card: Card, files: Vec<String>, ledgers: &[PathBuf]) -> Self {
        let simulation = card.is_simulation();
        let mut ledgers = ledgers.iter().map(|path| path.display().to_string());
        let ledger = ledgers.next().unwrap_or_default();
        Self { files, ledger, earlier_ledgers: ledgers.collect(), simulation, card }
    }
}

impl Answer for ProtectionOutput {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for file in &self.files {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        let ledger = printable(&self.ledger);
        let last = self.card.guarantees.len().saturating_sub(1);
        write_promises(out, &self.card, |out, at, guarantee| match at == last {
            true if ledger.is_empty() => writeln!(out, "  charged by each person's own device"),
            true => writeln!(out, "  charged to {ledger}, limit {}", guarantee.limit),
            false => writeln!(out, "  as the card of the input says"),
        })?;
        write_unprotected(out, &self.card)?;
        if self.simulation {
            writeln!(out, "{NOTE}SIMULATION{NOTE:#}: noise from a seed gives no protection")?;
        }
        let card = self.files.last().map(|path| printable(path)).unwrap_or_default();
        let elsewhere = elsewhere(&card, [&self.ledger].into_iter().chain(&self.earlier_ledgers));
        writeln!(
            out,
            "{FAINT}check and read it: privet verify {card}{elsewhere} --explain{FAINT:#}"
        )
    }
}

/// What `privet verify` must be told: ledgers that do not lie beside the card.
pub fn elsewhere<'a>(card: &str, ledgers: impl Iterator<Item = &'a String>) -> String {
    let mut options = String::new();
    let all: Vec<&String> = ledgers.collect();
    if all.iter().any(|ledger| folder_of(Path::new(ledger)) != folder_of(Path::new(card))) {
        all.iter().for_each(|ledger| options += &format!(" --ledger {}", printable(ledger)));
    }
    options
}

// What a card promises, on the screen: first who has no protection at all, then what one person pays in
// all, then every guarantee with all its groups.

/// Writes the promises of a card; `after` adds a line to each guarantee, by its position.
///
/// # Errors
/// If the stream fails.
pub fn write_promises(
    out: &mut dyn Write,
    card: &Card,
    mut after: impl FnMut(&mut dyn Write, usize, &Guarantee) -> io::Result<()>,
) -> io::Result<()> {
    for warning in card.warnings() {
        writeln!(out, "\n{BAD}{}{BAD:#}", printable(&warning))?;
    }
    for total in &card.totals {
        writeln!(
            out,
            "\n{STRONG}in all, for one person{STRONG:#}: {}",
            printable(&total.protects)
        )?;
        writeln!(out, "  {}", printable(&card.stated_total(total).to_string()))?;
    }
    for (at, guarantee) in card.guarantees.iter().enumerate() {
        writeln!(out, "\n{STRONG}protected{STRONG:#}: {}", printable(&guarantee.protects))?;
        let losses = guarantee.also.iter().map(|other| guarantee.stated_as(other));
        let (infinite, finite): (Vec<_>, Vec<_>) =
            losses.partition(|stated| !stated.loss.epsilon.is_finite());
        // What is not protected at all is read before any number that is small.
        for stated in infinite.iter().chain([&guarantee.stated()]) {
            writeln!(out, "  {}", printable(&stated.to_string()))?;
        }
        for group in &guarantee.groups {
            writeln!(out, "    {group}")?;
        }
        for stated in &finite {
            writeln!(out, "  {}", printable(&stated.to_string()))?;
        }
        after(out, at, guarantee)?;
    }
    Ok(())
}

/// The line that names what is not protected.
///
/// # Errors
/// If the stream fails.
pub fn write_unprotected(out: &mut dyn Write, card: &Card) -> io::Result<()> {
    writeln!(out, "{STRONG}NOT protected{STRONG:#}:")?;
    for what in &card.unprotected {
        writeln!(out, "  {}", printable(&what.what))?;
    }
    Ok(())
}
