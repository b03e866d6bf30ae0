//! Cards beside files: issued for exactly what was written, refused where the file is another, retired when
//! the file is replaced. A card never stays beside a file it was not issued for.

use std::io;
use std::path::{Path, PathBuf};

use privet::privacy::Card;
use privet::privacy::card::Key;

use crate::failure::{Failure, Kind, Result};
use crate::interrupt::HalfWritten;
use crate::output::beside;

/// The card that speaks of a whole folder lies in it, under this name.
pub const OF_FOLDER: &str = "card.json";

/// `people.npz.card.json`.
pub fn card_of(path: &Path) -> PathBuf {
    beside(path, "card.json")
}

/// Writes data by `write`, then the card, issued for exactly the files that were written.
///
/// # Errors
/// If either cannot be written; then there is no card.
pub fn issue(
    path: &Path,
    card: Card,
    key: Option<&Key>,
    write: impl FnOnce() -> Result<Vec<String>>,
) -> Result<(Card, Vec<String>)> {
    let path = card_of(path);
    let draft = beside(&path, "part");
    let _unfinished = HalfWritten::new(&draft);
    // Better to know now than when the data is there that a card cannot be.
    std::fs::write(&draft, b"").map_err(|error| failed(&draft, &error))?;
    let issued = write().and_then(|mut files| {
        let written: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        let card = sealed(card, folder_of(&path), &written, key)?;
        std::fs::write(&draft, text(&card)?).map_err(|error| failed(&draft, &error))?;
        std::fs::rename(&draft, &path).map_err(|error| failed(&path, &error))?;
        files.push(path.display().to_string());
        Ok((card, files))
    });
    if issued.is_err() {
        // The draft says nothing that is true any more; if it stays, it is only litter.
        let _ = std::fs::remove_file(&draft);
    }
    issued
}

/// Issues a card for everything that lies in a folder, and writes it there.
///
/// # Errors
/// If a file cannot be read, or the card cannot be written.
pub fn issue_for_folder(folder: &Path, card: Card, key: Option<&Key>) -> Result<Card> {
    let mut files = Vec::new();
    list(folder, &mut files).map_err(|error| failed(folder, &error))?;
    let card = sealed(card, folder, &files, key)?;
    let path = folder.join(OF_FOLDER);
    std::fs::write(&path, text(&card)?).map_err(|error| failed(&path, &error))?;
    Ok(card)
}

/// The card beside an input, if there is one: it must have been issued for what is read.
///
/// # Errors
/// If it cannot be read, or its file was changed since.
pub fn of_input(path: &Path) -> Result<Option<(PathBuf, Card)>> {
    let card_path = card_of(path);
    if !card_path.exists() {
        return Ok(None);
    }
    let card = Card::read(&card_path)?;
    match card.changed_files(folder_of(&card_path)).first() {
        None => Ok(Some((card_path, card))),
        Some(change) => {
            let message = format!(
                "{}: refused: the card was not issued for this file: {change}",
                card_path.display()
            );
            let hint =
                "restore the file, or take the card away: it promises nothing about this one";
            Err(Failure::new(Kind::Refused, message).hint(hint))
        }
    }
}

/// A card that was taken away, because its file is about to be replaced.
#[derive(Debug)]
pub struct Retired {
    from: PathBuf,
    to: PathBuf,
}

/// Takes the card of a file away before the file is replaced.
///
/// # Errors
/// If it cannot be renamed.
pub fn retire(path: &Path) -> Result<Option<Retired>> {
    let from = card_of(path);
    if from.symlink_metadata().is_err() {
        return Ok(None);
    }
    let to = beside(&from, "retired");
    std::fs::rename(&from, &to).map_err(|error| failed(&from, &error))?;
    Ok(Some(Retired { from, to }))
}

impl Retired {
    /// Puts the card back: its file was not replaced after all.
    pub fn restore(self) {
        // If this fails the file is there without a card, and nobody is promised anything.
        let _ = std::fs::rename(self.to, self.from);
    }

    /// What happened, for whoever asked to replace the file.
    pub fn note(&self) -> String {
        format!(
            "{} spoke of what was there before and is {} now; what was charged stays charged",
            self.from.display(),
            self.to.display()
        )
    }
}

/// Refuses to replace one file out of a release of many.
///
/// # Errors
/// If a card of the file's folder was issued for it.
pub fn refuse_part_of_release(path: &Path) -> Result<()> {
    let folder = folder_of(path);
    for card_path in [folder.join(OF_FOLDER), card_of(folder)] {
        let Ok(card) = Card::read(&card_path) else { continue };
        let Ok(name) = path.strip_prefix(folder_of(&card_path)) else { continue };
        if card.files.iter().any(|file| Path::new(&file.name) == name) {
            let message = format!(
                "{}: refused: it is part of a release, and {} was issued for it",
                path.display(),
                card_path.display()
            );
            return Err(Failure::new(Kind::Refused, message).hint("name another file"));
        }
    }
    Ok(())
}

fn sealed(card: Card, folder: &Path, files: &[PathBuf], key: Option<&Key>) -> Result<Card> {
    let card = card.for_files(folder, files)?;
    Ok(match key {
        Some(key) => card.signed(key)?,
        None => card,
    })
}

/// A card as people and programs read it.
fn text(card: &Card) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(card)?;
    text.push(b'\n');
    Ok(text)
}

/// The folder a path lies in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// All files below a folder, but cards and accounts.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            list(&path, files)?;
        } else if name != OF_FOLDER
            && !name.ends_with(".ledger")
            && !name.ends_with(".ledger.count")
        {
            files.push(path);
        }
    }
    Ok(())
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::data(format!("{}: {error}", path.display()))
}
