//! `privet verify CARD`: hash its files and compute everything it promises again, from its ledgers.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use privet::collected::verified::check_card;
use privet::privacy::Card;
use privet::privacy::card::Checked;
use privet::privacy::ledger::Contents;
use serde::Serialize;

use crate::args::Verify;
use crate::cardfile::{OF_FOLDER, beside, folder_of};
use crate::console::{Answer, Console};
use crate::failure::{Failure, Result};
use crate::style::{BAD, FAINT, GOOD, NOTE, counted, printable};

/// Reads, recomputes, compares.
///
/// # Errors
/// If a file cannot be read or was edited, or the card does not hold.
pub(super) fn run(typed: Verify, console: &Console) -> Result<()> {
    let key = typed.signing.key()?;
    let card = Card::read(&typed.card)?;
    if let Some(task) = &typed.task {
        let task = super::collect::read(task)?;
        let checked = check_card(&card, &task, folder_of(&typed.card))?;
        return conclude(&typed, &card, checked, &[], console);
    }
    let paths = match typed.ledgers.is_empty() {
        true => in_project(ledgers_of(&typed.card, &card))?,
        false => typed.ledgers.clone(),
    };
    let ledgers = paths.iter().map(|path| read_ledger(path)).collect::<Result<Vec<_>>>()?;
    let mut checked = card.check(folder_of(&typed.card), &ledgers, key.as_ref())?;
    for (path, ledger) in paths.iter().zip(&ledgers) {
        checked.differences.extend(ledger.check_count(path).err().map(|e| e.to_string()));
    }
    if typed.card.file_name().is_some_and(|name| name == OF_FOLDER) {
        checked.unchecked.extend(bystanders(folder_of(&typed.card), &card));
    }
    conclude(&typed, &card, checked, &paths, console)
}

/// Says what became of it.
fn conclude(
    typed: &Verify,
    card: &Card,
    checked: Checked,
    ledgers: &[PathBuf],
    console: &Console,
) -> Result<()> {
    let count = checked.differences.len();
    let Checked { differences, notes, unchecked } = checked;
    console.answer(&Verdict {
        card: typed.card.display().to_string(),
        files: card.files.len(),
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Verdict {
    /// Who has no protection at all.
    warnings: Vec<String>,
    card: String,
    /// How many files it was issued for.
    files: usize,
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
    /// For whoever the data are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<String>,
    /// For whoever checks every number.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<String>,
}

impl Answer for Verdict {
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
        for warning in &self.warnings {
            writeln!(out, "{BAD}{}{BAD:#}", printable(warning))?;
        }
        for note in &self.notes {
            writeln!(out, "{NOTE}note:{NOTE:#} {}", printable(note))?;
        }
        if self.simulation {
            writeln!(out, "{NOTE}SIMULATION{NOTE:#} noise from a seed protects nobody")?;
        }
        writeln!(out, "{FAINT}stated, and not to be checked here:{FAINT:#}")?;
        for stated in &self.unverifiable {
            writeln!(out, "{FAINT}  {}{FAINT:#}", printable(stated))?;
        }
        Ok(())
    }
}

/// The ledgers a card names, beside it; if it names none, the one that is called like it.
fn ledgers_of(path: &Path, card: &Card) -> Vec<PathBuf> {
    let names = card.guarantees.iter().filter_map(|guarantee| guarantee.ledger.file.as_deref());
    // A name is a name: a card must not send us elsewhere.
    let plain = names.filter(|name| Path::new(name).file_name().is_some_and(|file| file == *name));
    let mut paths: Vec<PathBuf> = plain.map(|name| folder_of(path).join(name)).collect();
    paths.sort();
    paths.dedup();
    if paths.is_empty() { vec![ledger_of(path)] } else { paths }
}

/// The same, where what is not beside the card is an account of the project that the current folder is in.
fn in_project(paths: Vec<PathBuf>) -> Result<Vec<PathBuf>> {
    if paths.iter().all(|path| path.exists()) {
        return Ok(paths);
    }
    let Some(project) = super::project::found()? else { return Ok(paths) };
    let of_project = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let account = project.ledger(&name);
        if !path.exists() && account.exists() { account } else { path }
    };
    Ok(paths.into_iter().map(of_project).collect())
}

/// `people.npz.card.json` was made from `people.npz.ledger`.
fn ledger_of(card: &Path) -> PathBuf {
    let name = card.file_name().unwrap_or_default().to_string_lossy();
    let plain = name.strip_suffix(".card.json").or(name.strip_suffix(".json")).unwrap_or(&name);
    beside(&card.with_file_name(plain), "ledger")
}

/// What lies in the folder of a release and is no part of it.
fn bystanders(folder: &Path, card: &Card) -> Vec<String> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(here).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let known = |name: &String| {
        let own = name == OF_FOLDER || name.ends_with(".ledger") || name.ends_with(".ledger.count");
        let below = format!("{name}/");
        own || card.files.iter().any(|f| f.name == *name || f.name.starts_with(&below))
    };
    let mut names: Vec<String> = names.filter(|name| !known(name)).collect();
    names.sort();
    names
        .into_iter()
        .map(|name| format!("{name}, which is in the folder but not on the card"))
        .collect()
}

fn read_ledger(path: &Path) -> Result<Contents> {
    if !path.exists() {
        let message = format!("{}: there is no such ledger", path.display());
        return Err(Failure::data(message).hint("name the card's ledger with --ledger FILE, or with --task FILE the task that devices answered"));
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

    #[test]
    fn a_card_names_ledgers_beside_it_and_nowhere_else() {
        let path = Path::new("a/b.npz.card.json");
        let named = |file: &str| {
            let ledger = privet::privacy::Ledger::<privet::privacy::unit::Label>::in_memory(
                privet::privacy::Loss::new(1.0, 0.0).unwrap(),
                privet::privacy::noise::NoiseRng::replay(1),
            )
            .unwrap();
            let mut card = Card::new("x").with_ledger(&ledger).unwrap();
            card.guarantees[0].ledger.file = Some(file.into());
            ledgers_of(path, &card)
        };
        assert_eq!(named("year.ledger"), [Path::new("a/year.ledger")]);
        for elsewhere in ["../year.ledger", "/dev/zero", "..", ""] {
            assert_eq!(named(elsewhere), [Path::new("a/b.npz.ledger")]);
        }
    }
}
