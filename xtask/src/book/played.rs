//! A page as a reader plays it: in a folder of its own, command by command.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::page::{Step, alike, exchangeable, steps};

/// Where readers are told that they are.
const HOME: &str = "/home/ann/shop";

/// Plays a page; with `write` puts what was printed where something else is shown. Says how many commands it has.
///
/// # Errors
/// If a command fails that is not shown to fail, or prints something else.
pub fn play(page: &Path, program: &Path, write: bool) -> Result<usize> {
    let text = std::fs::read_to_string(page)?;
    let steps = steps(&text)?;
    let commands = steps.iter().filter(|step| matches!(step, Step::Command { .. })).count();
    if commands == 0 {
        return Ok(0);
    }
    let (folder, any) = (Folder::new(page)?, exchangeable(&text));
    let (mut now, mut wrong) = (text.clone(), Vec::new());
    for step in &steps {
        match step {
            Step::File { name, text } => std::fs::write(folder.0.join(name), text)?,
            Step::Command { line, shown } => {
                let (printed, fine) = folder.type_in(line, program)?;
                let fails = shown.lines().any(|line| line.starts_with("error:"));
                if fine == fails {
                    bail!(
                        "$ {line}\n{printed}{}",
                        if fine { "it should fail" } else { "it failed" }
                    );
                }
                // What is left open while a page is written is filled in.
                let open = write && shown.trim_start_matches("error: ").trim() == "...";
                if !open && alike(shown, &printed, &any) {
                    continue;
                }
                if write {
                    now = now.replacen(&block(line, shown), &block(line, &printed), 1);
                } else {
                    wrong.push(format!("$ {line}\n--- shown\n{shown}--- printed\n{printed}"));
                }
            }
        }
    }
    if now != text {
        std::fs::write(page, now)?;
    }
    match wrong.as_slice() {
        [] => Ok(commands),
        wrong => bail!("{}", wrong.join("\n")),
    }
}

fn block(line: &str, shown: &str) -> String {
    format!("$ {line}\n{shown}")
}

/// A folder that is gone in the end.
struct Folder(PathBuf);

impl Folder {
    /// With the files of a folder that is called as the page is, where there is one beside it.
    fn new(page: &Path) -> Result<Self> {
        let name = format!(
            "privet-book-{}-{}",
            std::process::id(),
            page.file_stem().unwrap_or_default().to_string_lossy()
        );
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder)?;
        let made = Self(folder.canonicalize()?);
        let beside = page.canonicalize()?.with_extension("");
        for entry in std::fs::read_dir(beside).into_iter().flatten() {
            let path = entry?.path();
            if path.is_file() {
                std::fs::copy(&path, made.0.join(path.file_name().unwrap_or_default()))?;
            }
        }
        Ok(made)
    }

    /// What a command prints, both streams together, and whether it succeeds.
    fn type_in(&self, line: &str, program: &Path) -> Result<(String, bool)> {
        let programs = program.parent().unwrap_or(program).display().to_string();
        let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
        let output = Command::new("bash")
            .args(["-c", &format!("set -o pipefail; {{ {line}\n}} 2>&1")])
            .current_dir(&self.0)
            .env("PATH", path)
            .env("HOME", &self.0)
            .env("COLUMNS", "100")
            .env_remove("PRIVET_STATE_DIR")
            .env_remove("XDG_STATE_HOME")
            .output()
            .context("cannot start bash")?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let printed = printed.replace(&self.0.display().to_string(), HOME);
        let trimmed: String =
            printed.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        Ok((trimmed, output.status.success()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
