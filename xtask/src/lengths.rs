//! No file of code longer than a reader takes in: a file that grows over the limit has a second idea in it.
//!
//! What a file says of itself first (`//!`) does not count: a mechanism's proof belongs beside its sampler.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Lines that a file of code may have.
const MOST: usize = 400;

/// Tables, not code: an enum with a line for each of its values can only be declared at once.
const TABLES: [&str; 1] = ["crates/privet-privacy/src/fault/list.rs"];

/// Fails if a file of ours is too long; names all that are.
pub fn check() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut long = Vec::new();
    for folder in ["crates", "xtask"] {
        for file in sources(&root.join(folder))? {
            let name = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
            let lines = length(&fs::read_to_string(&file)?);
            if lines > MOST && !TABLES.contains(&name.as_str()) {
                long.push(format!("{name} has {lines}"));
            }
        }
    }
    if !long.is_empty() {
        bail!("at most {MOST} lines a file, split along its ideas: {}", long.join(", "));
    }
    Ok(())
}

fn length(text: &str) -> usize {
    text.lines().skip_while(|line| line.starts_with("//!")).count()
}

/// All files of Rust in a folder, without what was built there.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            files.extend(sources(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_is_too_long() {
        check().unwrap();
    }

    #[test]
    fn what_a_file_says_of_itself_does_not_count() {
        assert_eq!(length("//! Idea\n//!\n//! Proof\n\nuse x;\n//! late\n"), 3);
    }
}
