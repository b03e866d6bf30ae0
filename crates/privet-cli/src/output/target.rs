//! [`OutputTarget`]: a file or folder to write, whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use privet::data::formats::Format;
use privet::data::formats::write::{self, Overwrite};
use privet::graph::LoadedData;
use privet::graph::files::is_special;
use serde::Serialize;

use crate::failure::{Failure, FailureKind, Result};
use crate::interrupt::HalfWritten;
use crate::output::cardfile;
use crate::output::console::Answer;
use crate::output::style::{GOOD, NOTE, printable};

/// Where to write, in which format, and whether to replace what is there.
#[derive(Debug, Clone)]
pub struct OutputTarget {
    /// The file or folder.
    pub path: PathBuf,
    /// The format; `None`: the one the path's name ends in.
    pub format: Option<Format>,
    /// Whether to replace what is there.
    pub overwrite: Overwrite,
}

impl OutputTarget {
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
            return Err(Failure::new(FailureKind::Refused, message).hint(hint));
        }
        refuse_special(path)?;
        cardfile::refuse_part_of_release(path)?;
        write::check(path, format)
            .map_err(|error| Failure::from(error).of_kind(FailureKind::Usage))?;
        Ok(Self { path: path.into(), format, overwrite })
    }

    /// Writes everything, or fails and leaves nothing. A card of what was there before is retired first.
    ///
    /// # Errors
    /// If something is there already, cannot be written, or would be lost.
    pub fn write(&self, loaded: &LoadedData) -> Result<WrittenData> {
        let _unfinished = write::temporary(&self.path).map(HalfWritten::new);
        let retired = cardfile::retire(&self.path)?;
        match write::write(loaded, &self.path, self.format, self.overwrite) {
            Ok(files) => {
                let files = files.iter().map(|path| path.display().to_string()).collect();
                let retired = retired.map(|card| card.note());
                Ok(WrittenData { name: name_of(loaded).into(), files, retired })
            }
            Err(error) => {
                retired.into_iter().for_each(cardfile::RetiredCard::restore);
                Err(error.into())
            }
        }
    }
}

/// Writes a file whole or not at all.
///
/// # Errors
/// If the disk refuses.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    refuse_special(path)?;
    let draft = write::temporary(path).unwrap_or_else(|| path.into());
    let _unfinished = HalfWritten::new(&draft);
    std::fs::write(&draft, bytes).and_then(|()| std::fs::rename(&draft, path)).map_err(|error| {
        let _ = std::fs::remove_file(&draft);
        Failure::data(format!("{}: {error}", path.display()))
    })
}

/// Refuses to replace what is no file.
fn refuse_special(path: &Path) -> Result<()> {
    if is_special(path) {
        let message = format!("{}: refused: it is a device or a pipe", path.display());
        return Err(Failure::new(FailureKind::Refused, message).hint("name a file"));
    }
    Ok(())
}

/// Refuses to replace what is there.
///
/// # Errors
/// If something is.
pub fn refuse_existing(path: &Path, hint: &str) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        let message = format!("{}: refused: it exists already", path.display());
        return Err(Failure::new(FailureKind::Refused, message).hint(hint));
    }
    Ok(())
}

fn name_of(loaded: &LoadedData) -> &str {
    match loaded {
        LoadedData::Nodes(dataset) => dataset.name(),
        LoadedData::Graphs(set) => set.name(),
    }
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenData {
    /// What the data is called.
    pub name: String,
    /// The files.
    pub files: Vec<String>,
    /// What became of the card of an earlier file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retired: Option<String>,
}

impl Answer for WrittenData {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for file in &self.files {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        if let Some(retired) = &self.retired {
            writeln!(out, "{NOTE}retired{NOTE:#} {}", printable(retired))?;
        }
        Ok(())
    }
}
