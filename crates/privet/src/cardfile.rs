//! Cards beside files: issued for exactly what was written, refused where the file is another, retired when
//! the file is replaced. A card never stays beside a file it was not issued for.

pub mod verify;

use std::io;
use std::path::{Path, PathBuf};

use crate::privacy::Card;
use crate::privacy::card::CardKey;
use crate::{Error, Result};

/// The card that speaks of a whole folder lies in it, under this name.
pub const OF_FOLDER: &str = "card.json";

/// `people.npz` and `ledger` give `people.npz.ledger`, in the same folder.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

/// `people.npz.card.json`.
pub fn card_of(path: &Path) -> PathBuf {
    beside(path, "card.json")
}

/// The name under which a card is made: a program that is stopped meanwhile takes it away.
pub fn draft_of(path: &Path) -> PathBuf {
    beside(&card_of(path), "part")
}

/// Writes data by `write`, then the card, issued for exactly the files that were written.
///
/// # Errors
/// If either cannot be written; then there is no card.
pub fn issue<E: From<Error>>(
    path: &Path,
    card: Card,
    key: Option<&CardKey>,
    write: impl FnOnce() -> Result<Vec<String>, E>,
) -> Result<(Card, Vec<String>), E> {
    let (draft, path) = (draft_of(path), card_of(path));
    // Better to know now than when the data is there that a card cannot be.
    std::fs::write(&draft, b"").map_err(|error| Error::file(&draft, error))?;
    let issued = write().and_then(|mut files| {
        let written: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        let card = sealed(card, folder_of(&path), &written, key)?;
        let text = card.to_json().map_err(Error::from)?;
        std::fs::write(&draft, text).map_err(|error| Error::file(&draft, error))?;
        std::fs::rename(&draft, &path).map_err(|error| Error::file(&path, error))?;
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
pub fn issue_for_folder(folder: &Path, card: Card, key: Option<&CardKey>) -> Result<Card> {
    let mut files = Vec::new();
    list(folder, &mut files).map_err(|error| Error::file(folder, error))?;
    let card = sealed(card, folder, &files, key)?;
    let path = folder.join(OF_FOLDER);
    std::fs::write(&path, card.to_json()?).map_err(|error| Error::file(&path, error))?;
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
    let misplaced = verify::misplaced(&card_path, &card).into_iter();
    match misplaced.chain(card.changed_files(folder_of(&card_path))).next() {
        None => Ok(Some((card_path, card))),
        Some(change) => {
            let message = format!(
                "{}: refused: the card was not issued for this file: {change}",
                card_path.display()
            );
            let remedy =
                "restore the file, or take the card away: it promises nothing about this one";
            Err(Error::Refused { message, remedy })
        }
    }
}

/// A card that was taken away, because its file is about to be replaced.
#[derive(Debug)]
pub struct RetiredCard {
    from: PathBuf,
    to: PathBuf,
}

/// Takes the card of a file away before the file is replaced.
///
/// # Errors
/// If it cannot be renamed.
pub fn retire(path: &Path) -> Result<Option<RetiredCard>> {
    let from = card_of(path);
    if from.symlink_metadata().is_err() {
        return Ok(None);
    }
    let to = beside(&from, "retired");
    std::fs::rename(&from, &to).map_err(|error| Error::file(&from, error))?;
    Ok(Some(RetiredCard { from, to }))
}

impl RetiredCard {
    /// Puts the card back: its file was not replaced after all.
    pub fn restore(self) {
        // If this fails the file is there without a card, and nothing is promised.
        let _ = std::fs::rename(self.to, self.from);
    }

    /// What happened, for the caller that replaces the file.
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
            return Err(Error::Refused { message, remedy: "name another file" });
        }
    }
    Ok(())
}

fn sealed(card: Card, folder: &Path, files: &[PathBuf], key: Option<&CardKey>) -> Result<Card> {
    let card = card.for_files(folder, files)?;
    Ok(match key {
        Some(key) => card.signed(key)?,
        None => card,
    })
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
