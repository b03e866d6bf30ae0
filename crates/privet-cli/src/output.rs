//! [`Target`]: a file or folder to write, whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use privet::privacy::Card;
use privet_graph::Loaded;
use privet_graph::io::Format;
use privet_graph::io::write::{self, Overwrite};
use serde::Serialize;

use crate::console::Answer;
use crate::failure::{Failure, Kind, Result};
use crate::interrupt::HalfWritten;
use crate::style::{GOOD, printable};

/// Where to write, in which format, and whether to replace what is there.
#[derive(Debug, Clone)]
pub struct Target {
    /// The file or folder.
    pub path: PathBuf,
    /// The format; `None`: the one the path's name ends in.
    pub format: Option<Format>,
    /// Whether to replace what is there.
    pub overwrite: Overwrite,
}

impl Target {
    /// A target from what was typed.
    ///
    /// # Errors
    /// If the format is unclear, or something is there that may not be replaced: better now than
    /// after an hour of reading.
    pub fn new(path: &Path, format: Option<Format>, overwrite: bool) -> Result<Self> {
        let overwrite = if overwrite { Overwrite::Replace } else { Overwrite::Refuse };
        if overwrite == Overwrite::Refuse && path.symlink_metadata().is_ok() {
            let message = format!("{}: refused: it exists already", path.display());
            let hint = "name another file, or replace it with --overwrite";
            return Err(Failure::new(Kind::Refused, message).hint(hint));
        }
        write::check(path, format).map_err(|error| Failure::from(error).of_kind(Kind::Usage))?;
        Ok(Self { path: path.into(), format, overwrite })
    }

    /// Writes everything, or fails and leaves nothing.
    ///
    /// # Errors
    /// If something is there already, cannot be written, or would be lost.
    pub fn write(&self, loaded: &Loaded) -> Result<Written> {
        let _unfinished = write::temporary(&self.path).map(HalfWritten::new);
        let files = write::write(loaded, &self.path, self.format, self.overwrite)?;
        let files = files.iter().map(|path| path.display().to_string()).collect();
        Ok(Written { name: name_of(loaded).into(), files })
    }
}

/// Writes data by `write`, and its card beside it. The card is ready before the data is: no data is
/// ever there without one.
///
/// # Errors
/// If either cannot be written; then there is no card.
pub fn with_card(
    path: &Path,
    card: &Card,
    write: impl FnOnce() -> Result<Vec<String>>,
) -> Result<Vec<String>> {
    let path = beside(path, "card.json");
    let draft = beside(&path, "part");
    let _unfinished = HalfWritten::new(&draft);
    let failed =
        |path: &Path, error: io::Error| Failure::data(format!("{}: {error}", path.display()));
    let mut text = serde_json::to_vec_pretty(card)?;
    text.push(b'\n');
    std::fs::write(&draft, text).map_err(|error| failed(&draft, error))?;
    let written = write().and_then(|files| {
        std::fs::rename(&draft, &path).map_err(|error| failed(&path, error))?;
        Ok(files)
    });
    if written.is_err() {
        // The draft says nothing that is true any more; if it stays, it is only litter.
        let _ = std::fs::remove_file(&draft);
    }
    let mut files = written?;
    files.push(path.display().to_string());
    Ok(files)
}

/// Writes a file whole or not at all.
///
/// # Errors
/// If the disk refuses.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let draft = write::temporary(path).unwrap_or_else(|| path.into());
    let _unfinished = HalfWritten::new(&draft);
    std::fs::write(&draft, bytes).and_then(|()| std::fs::rename(&draft, path)).map_err(|error| {
        let _ = std::fs::remove_file(&draft);
        Failure::data(format!("{}: {error}", path.display()))
    })
}

/// Refuses to replace what is there.
///
/// # Errors
/// If something is.
pub fn refuse_existing(path: &Path, hint: &str) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        let message = format!("{}: refused: it exists already", path.display());
        return Err(Failure::new(Kind::Refused, message).hint(hint));
    }
    Ok(())
}

/// `people.npz` and `ledger` give `people.npz.ledger`, in the same folder.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

fn name_of(loaded: &Loaded) -> &str {
    match loaded {
        Loaded::Nodes(dataset) => dataset.name(),
        Loaded::Graphs(set) => set.name(),
    }
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Written {
    /// What the data is called.
    pub name: String,
    /// The files.
    pub files: Vec<String>,
}

impl Answer for Written {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for file in &self.files {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        Ok(())
    }
}
