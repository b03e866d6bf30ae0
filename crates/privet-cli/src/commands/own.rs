//! `privet self`: is everything here that the program needs, and what is it?

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use privet::Project;
use privet::data::catalog;
use privet::privacy::noise::NoiseRng;
use privet::privacy::{card, ledger};
use privet::project::outside::Outside;
use serde::Serialize;

use crate::args::ProgramCommand;
use crate::failure::{Failure, Result};
use crate::output::console::{Answer, Console};
use crate::output::style::{BAD, FAINT, GOOD, NOTE, bytes, counted, printable};
use crate::output::{WrittenData, write_whole};

/// Less room than this is worth a word.
const LITTLE: u64 = 1 << 30;

/// Checks, or writes.
///
/// # Errors
/// If something is broken, or a file cannot be written.
pub(super) fn run(typed: ProgramCommand, console: &Console) -> Result<()> {
    match typed {
        ProgramCommand::Check => check(console),
        ProgramCommand::Man { folder } => {
            let pages = crate::reference::pages()?;
            write_all(&folder, pages, "manual pages", console)
        }
        ProgramCommand::Reference { folder } => {
            let files = crate::reference::files().into_iter();
            let files = files.map(|(name, text)| (name.to_owned(), text.into_bytes())).collect();
            write_all(&folder, files, "the reference", console)
        }
    }
}

fn write_all(
    folder: &Path,
    files: Vec<(String, Vec<u8>)>,
    name: &str,
    console: &Console,
) -> Result<()> {
    let failed = |error: io::Error| Failure::data(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut written = Vec::new();
    for (file, bytes) in files {
        let path = folder.join(file);
        write_whole(&path, &bytes)?;
        written.push(path.display().to_string());
    }
    console.answer(&WrittenData { name: name.into(), files: written, retired: None })
}

fn check(console: &Console) -> Result<()> {
    let found =
        Checks { checks: vec![program(), randomness(), state(), data(), project(), room()] };
    let broken = found.checks.iter().filter(|check| check.is == Is::Broken).count();
    console.answer(&found)?;
    match broken {
        0 => Ok(()),
        _ => Err(Failure::data(format!("{} broken", counted(broken, "thing is", "things are")))),
    }
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Is {
    Fine,
    /// It works, with a limit that the operator should know.
    Noteworthy,
    Broken,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Check {
    what: &'static str,
    is: Is,
    found: String,
}

impl Check {
    fn new(what: &'static str, is: Is, found: impl Into<String>) -> Self {
        Self { what, is, found: found.into() }
    }
}

/// Everything that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Checks {
    checks: Vec<Check>,
}

impl Answer for Checks {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for Check { what, is, found } in &self.checks {
            let (style, word) = match is {
                Is::Fine => (GOOD, "fine"),
                Is::Noteworthy => (NOTE, "note"),
                Is::Broken => (BAD, "BROKEN"),
            };
            writeln!(
                out,
                "{style}{word:<7}{style:#}{what:<12}{FAINT}{}{FAINT:#}",
                printable(found)
            )?;
        }
        Ok(())
    }
}

fn program() -> Check {
    let (version, card, ledger) = (env!("CARGO_PKG_VERSION"), card::FORMAT, ledger::FORMAT);
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    Check::new(
        "program",
        Is::Fine,
        format!(
            "privet {version} for {system}; cards of format {card}, ledgers of format {ledger}"
        ),
    )
}

/// Noise is what protects: without the operating system's there is none.
fn randomness() -> Check {
    match NoiseRng::from_operating_system() {
        Ok(_) => Check::new("randomness", Is::Fine, "the operating system gives it"),
        Err(error) => Check::new("randomness", Is::Broken, error.to_string()),
    }
}

/// Where charges are counted a second time.
fn state() -> Check {
    match Outside::folder() {
        Some(folder) => {
            let there = if folder.is_dir() { "" } else { ", made by the first project" };
            Check::new(
                "accounts",
                Is::Fine,
                format!("charges are counted in {}{there}", folder.display()),
            )
        }
        None => Check::new(
            "accounts",
            Is::Noteworthy,
            "nothing outside of projects counts their charges: set PRIVET_STATE_DIR or HOME",
        ),
    }
}

fn data() -> Check {
    let folders = catalog::data_dirs(None);
    let there = folders.iter().filter(|folder| folder.is_dir()).count();
    let names: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    match there {
        0 => Check::new(
            "benchmarks",
            Is::Fine,
            format!(
                "none here yet (`privet data fetch cora` gets one); looked in {}",
                names.join(", ")
            ),
        ),
        _ => Check::new("benchmarks", Is::Fine, format!("in {}", names.join(", "))),
    }
}

/// The project that the current folder is in: are its accounts whole?
fn project() -> Check {
    let here = std::env::current_dir().unwrap_or_default();
    let project = match Project::find(&here) {
        Ok(Some(project)) => project,
        Ok(None) => return Check::new("project", Is::Fine, "none here"),
        Err(error) => return Check::new("project", Is::Broken, error.to_string()),
    };
    match project.status() {
        Ok(status) => {
            let charges = counted(status.charges.len(), "charge", "charges");
            Check::new(
                "project",
                Is::Fine,
                format!("{}: {charges}, and every ledger is whole", status.name),
            )
        }
        Err(error) => Check::new("project", Is::Broken, error.to_string()),
    }
}

/// Room for what is written here, where the system tells.
fn room() -> Check {
    let told = Command::new("df").args(["-Pk", "."]).output().ok();
    let text = told.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let free = text.as_deref().and_then(free_kilobytes).map(|kilobytes| 1024 * kilobytes);
    match free {
        Some(free) if free < LITTLE => {
            Check::new("disk", Is::Noteworthy, format!("only {} free here", bytes(free)))
        }
        Some(free) => Check::new("disk", Is::Fine, format!("{} free here", bytes(free))),
        None => Check::new("disk", Is::Fine, "unknown: `df` does not tell"),
    }
}

/// The fourth column of the second line of `df -Pk`.
fn free_kilobytes(told: &str) -> Option<u64> {
    told.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_read_off_what_df_prints() {
        let told = "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/vda 263112 20 69000 25% /\n";
        assert_eq!(free_kilobytes(told), Some(69_000));
        assert_eq!(free_kilobytes("df: no such thing"), None);
    }

    #[test]
    fn a_machine_that_runs_tests_has_randomness() {
        assert_eq!(randomness().is, Is::Fine);
        assert!(program().found.starts_with("privet "));
    }
}
