//! No file of code longer than a reader takes in: past the limit a file probably has a second idea in it. The limit is
//! generous, so that no idea is torn apart to keep it.
//!
//! And no laboratory without tests of its own.
//!
//! What a file says of itself first (`//!`) does not count: a mechanism's proof belongs beside its sampler.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Lines that a file of code may have.
const MOST: usize = 800;

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

/// Fails if less than a fifth of the laboratory's lines are tests: what speaks for others must itself be spoken for.
pub fn check_tests() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut all, mut tests) = (0, 0);
    for file in sources(&root.join("crates/privet-lab"))? {
        let text = fs::read_to_string(&file)?;
        all += text.lines().count();
        tests += match file.file_name().is_some_and(|name| name == "tests.rs") {
            true => text.lines().count(),
            false => tested(&text),
        };
    }
    if 5 * tests < all {
        bail!("{tests} of {all} lines of privet-lab are tests: at least a fifth should be");
    }
    Ok(())
}

/// Lines from the module of tests at the end of a file on.
fn tested(text: &str) -> usize {
    let rest: Vec<&str> = text.lines().skip_while(|line| *line != "#[cfg(test)]").collect();
    match rest.get(1) {
        Some(module) if module.ends_with(" {") => rest.len(),
        _ => 0,
    }
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
    fn a_fifth_of_the_laboratory_is_tests() {
        check_tests().unwrap();
    }

    #[test]
    fn only_a_module_that_stands_there_counts_as_tests() {
        assert_eq!(tested("fn x() {}\n\n#[cfg(test)]\nmod tests {\n    x();\n}\n"), 4);
        assert_eq!(tested("fn x() {}\n\n#[cfg(test)]\nmod tests;\n"), 0, "counted where it is");
        assert_eq!(tested("fn x() {}\n"), 0);
    }

    #[test]
    fn what_a_file_says_of_itself_does_not_count() {
        assert_eq!(length("//! Idea\n//!\n//! Proof\n\nuse x;\n//! late\n"), 3);
    }
}
