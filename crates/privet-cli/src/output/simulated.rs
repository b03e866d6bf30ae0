//! [`Written`]: what a run leaves behind; [`Released`]: a release in a folder.

use std::io::{self, Write};
use std::path::Path;

use privet::privacy::Card;
use serde::Serialize;

use crate::output::promises::{write_promises, write_unprotected};
use crate::output::style::{FAINT, GOOD, NOTE, printable};

/// What a run leaves behind.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Written {
    /// The release, if one was made.
    pub release: Option<Released>,
    /// The report, if it was written to a file.
    pub html: Option<String>,
}

impl Written {
    pub(crate) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(released) = &self.release {
            released.write_text(out)?;
        }
        match &self.html {
            Some(file) => writeln!(out, "\n{GOOD}wrote{GOOD:#} {}", printable(file)),
            None => Ok(()),
        }
    }
}

/// A release in a folder.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Released {
    /// The folder that may be shared.
    pub folder: String,
    /// What is in it.
    pub files: Vec<String>,
    /// The folder with what was measured on the raw data: not to be shared.
    pub for_the_custodian_only: String,
    /// Whether its noise came from a seed, so that nobody is protected.
    pub simulation: bool,
    /// What is promised.
    pub card: Card,
}

impl Released {
    /// What lies in the folder that may be shared; the other one is only named.
    ///
    /// # Errors
    /// If it cannot be listed.
    pub fn new(folder: &Path, private: &Path, card: Card) -> io::Result<Self> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            files.push(entry?.file_name().to_string_lossy().into_owned());
        }
        files.sort();
        let simulation = card.is_simulation();
        let for_the_custodian_only = private.display().to_string();
        let folder = folder.display().to_string();
        Ok(Self { folder, files, for_the_custodian_only, simulation, card })
    }

    pub(crate) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let folder = printable(&self.folder);
        writeln!(out, "\n{GOOD}wrote{GOOD:#} {folder}: {}", self.files.join(", "))?;
        write_promises(out, &self.card, |_, _, _| Ok(()))?;
        write_unprotected(out, &self.card)?;
        if self.simulation {
            writeln!(out, "{NOTE}SIMULATION{NOTE:#}: noise from a seed protects nobody")?;
        }
        writeln!(
            out,
            "{GOOD}wrote{GOOD:#} {} {NOTE}(for the custodian only: scores on the raw data){NOTE:#}\n\
             {FAINT}check it: privet verify {folder}/card.json --explain{FAINT:#}",
            printable(&self.for_the_custodian_only)
        )
    }
}
