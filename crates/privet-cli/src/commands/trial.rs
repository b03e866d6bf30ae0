//! What every `privet run` does around its system: seeds, a bar, a release if one is wanted, the report.
//!
//! Scores are simulations: they need the truth, which a collector does not have. A release is a run of its
//! own, with noise from the operating system unless a seed was given.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use privet::doubts::{Doubt, Terms};
use privet::privacy::Card;
use privet::privacy::card::Key;
use privet::{Books, Noise, Run};
use privet_lab::report::Report;

use super::release_folder::ReleaseFolder;
use crate::args::TrialOptions;
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::output::{refuse_existing, write_whole};
use crate::simulated::Written;

/// How to measure, and what to write.
#[derive(Debug)]
pub(super) struct Trial {
    runs: usize,
    seed: Option<u64>,
    html: Option<PathBuf>,
    folder: Option<ReleaseFolder>,
    key: Option<Key>,
    accepted: Vec<Doubt>,
    /// As it was typed.
    pub(super) command: String,
}

impl Trial {
    /// # Errors
    /// If nothing would be measured, or something is in the way.
    pub(super) fn new(typed: &TrialOptions) -> Result<Self> {
        seeds(typed.seed.unwrap_or(0), typed.runs)?;
        if let Some(path) = &typed.html {
            refuse_existing(path, "name another file")?;
        }
        Ok(Self {
            runs: typed.runs,
            seed: typed.seed,
            html: typed.html.clone(),
            folder: typed.output.as_deref().map(ReleaseFolder::new).transpose()?,
            key: typed.signing.key()?,
            accepted: typed.releasing.accept.clone(),
            command: typed_command(),
        })
    }

    /// The seeds of the simulations.
    ///
    /// # Errors
    /// If there are none.
    pub(super) fn seeds(&self) -> Result<Vec<u64>> {
        seeds(self.seed.unwrap_or(0), self.runs)
    }

    /// The run that makes a release, its ledgers in `account`.
    pub(super) fn release_run<'a>(&self, account: &Path, interrupt: &'a AtomicBool) -> Run<'a> {
        Run {
            noise: self.seed.map_or(Noise::OperatingSystem, Noise::Replay),
            books: Books::Folder(account.into()),
            seed: self.seed.unwrap_or(0),
            interrupt,
        }
    }

    /// What the card of the release must repeat, because nothing but the word of whoever ran this speaks for
    /// it; nothing if no release is wanted. `facts` asks whether what the release shows is public.
    ///
    /// # Errors
    /// If the release would show what the records happen to contain, or protect nobody.
    pub(super) fn questions(
        &self,
        terms: &[Terms],
        facts: impl FnOnce() -> privet::graph::Result<Vec<String>>,
    ) -> Result<Vec<String>> {
        if self.folder.is_none() {
            return Ok(Vec::new());
        }
        let mut lines = facts()?;
        for terms in terms {
            lines.extend(terms.settle(&self.accepted)?);
        }
        Ok(lines)
    }

    /// Makes the release if one is wanted, and writes the report where it is wanted. `make` gets the folder
    /// for ledgers and the one for everything else that may be shared, and answers with the card to issue.
    ///
    /// # Errors
    /// If either fails.
    pub(super) fn write_up(
        &self,
        console: &Console,
        make: impl FnOnce(&Path, &Path) -> Result<Card>,
        report: impl FnOnce(Option<Card>) -> Report,
    ) -> Result<Written> {
        let (release, report) = match &self.folder {
            None => (None, report(None)),
            Some(folder) => {
                let _alive = console.spinner("making the release");
                let (released, report) =
                    folder.fill(self.key.as_ref(), make, |card| report(Some(card)))?;
                (Some(released), report)
            }
        };
        let html = self.html.as_deref().map(|path| write_html(path, &report)).transpose()?;
        Ok(Written { release, html })
    }
}

/// So many seeds from the first on.
///
/// # Errors
/// If there are none.
pub(super) fn seeds(first: u64, runs: usize) -> Result<Vec<u64>> {
    match runs {
        0 => Err(Failure::usage("--runs 0 measures nothing").hint("at least 1; 5 tell more")),
        runs => Ok((0..runs as u64).map(|run| first.wrapping_add(run)).collect()),
    }
}

/// Measures under a bar. `compare` gets what would stop it, and whom to tell how many of how many runs are
/// done.
///
/// # Errors
/// Those of `compare`.
pub(super) fn under_a_bar<C, E>(
    console: &Console,
    compare: impl FnOnce(&AtomicBool, &(dyn Fn(usize, usize) + Sync)) -> std::result::Result<C, E>,
) -> Result<C>
where
    Failure: From<E>,
{
    // Ctrl-C ends the process, see `interrupt`; nothing is on disk yet.
    let never = AtomicBool::new(false);
    let bar = console.runs("measuring");
    let compared = compare(&never, &|done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    Ok(compared?)
}

/// Writes a report to a file, and says which.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write_html(path: &Path, report: &Report) -> Result<String> {
    write_whole(path, report.html().as_bytes())?;
    Ok(path.display().to_string())
}

/// The command as it was typed, for a shell.
pub(super) fn typed_command() -> String {
    let words = std::env::args().skip(1).map(|word| {
        let plain = |letter: char| letter.is_alphanumeric() || "-_./,=:+@%".contains(letter);
        match !word.is_empty() && word.chars().all(plain) {
            true => word,
            false => format!("'{}'", word.replace('\'', r"'\''")),
        }
    });
    std::iter::once("privet".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}
