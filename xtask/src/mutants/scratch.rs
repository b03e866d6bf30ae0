//! A copy of the workspace in which one crate holds all its mutants, and its test programs.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::modules::{Source, sources};
use super::schemata::{SWITCH, Schemata, switch};
use super::suite::Program;
use super::{Mutant, Subject};

/// What opens the copy of the crate.
const QUIET: &str = "#![allow(warnings, reason = \"mutants leave brackets that are not needed\")] ";

/// The copy.
pub struct Scratch<'a> {
    subject: &'a Subject,
    sources: Vec<Source>,
    unviable: BTreeSet<usize>,
}

/// A file with its mutants in it.
struct Written<'a> {
    file: &'a str,
    /// Bytes before its text.
    before: usize,
    schemata: Schemata,
    mutants: Vec<(usize, &'a Mutant)>,
}

impl<'a> Scratch<'a> {
    /// Copies the workspace of the subject and finds the mutants of its crate.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn new(subject: &'a Subject) -> Result<Self> {
        let folder = subject.root.join(&subject.folder);
        let sources = sources(&folder)?;
        // What will hold mutants is written once they are in it.
        let mut skipped: Vec<PathBuf> =
            sources.iter().map(|source| folder.join("src").join(&source.file)).collect();
        skipped.push(subject.target.clone());
        copy(&subject.root, &subject.scratch(), &skipped)?;
        Ok(Self { subject, sources, unviable: BTreeSet::new() })
    }

    /// All mutants; a mutant's number is its position.
    pub fn mutants(&self) -> impl Iterator<Item = &Mutant> {
        self.sources.iter().flat_map(|source| &source.mutants)
    }

    /// The mutants that do not compile.
    pub fn unviable(&self) -> &BTreeSet<usize> {
        &self.unviable
    }

    /// Leaves out mutants that are known not to compile.
    pub fn leave_out(&mut self, known: impl Fn(&Mutant) -> bool) {
        let numbers = self.mutants().enumerate().filter(|(_, mutant)| known(mutant));
        self.unviable = numbers.map(|(number, _)| number).collect();
    }

    /// A number that is another for other sources or tests.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn fingerprint(&self) -> Result<u64> {
        let mut files = Vec::new();
        for part in ["src", "tests"] {
            list(&self.subject.root.join(&self.subject.folder).join(part), &mut files);
        }
        files.sort();
        let mut hasher = DefaultHasher::new();
        for file in files {
            std::fs::read(&file).with_context(|| file.display().to_string())?.hash(&mut hasher);
        }
        Ok(hasher.finish())
    }

    /// Builds the test programs, leaving out mutants that do not compile.
    ///
    /// # Errors
    /// If the crate does not compile for a reason that is no mutant.
    pub fn build(&mut self) -> Result<Vec<Program>> {
        for _ in 0..20 {
            let written = self.write()?;
            let outcome = self.cargo(&["check", "--lib"])?;
            let blamed = blamed(&outcome, &written)?;
            if blamed.is_empty() {
                return programs(&self.cargo(&["test", "--no-run", "--lib", "--tests"])?);
            }
            println!("{} mutants do not compile", blamed.len());
            self.unviable.extend(blamed);
        }
        bail!("mutants that do not compile remain after 20 attempts")
    }

    /// Writes the crate with the mutants that may compile.
    fn write(&self) -> Result<Vec<Written<'_>>> {
        let src = self.subject.scratch().join(&self.subject.folder).join("src");
        let mut first = 0;
        let mut written = Vec::new();
        for source in &self.sources {
            let numbered =
                source.mutants.iter().enumerate().map(|(at, mutant)| (first + at, mutant));
            let viable: Vec<(usize, &Mutant)> =
                numbered.filter(|(number, _)| !self.unviable.contains(number)).collect();
            first += source.mutants.len();
            let schemata = Schemata::new(&source.text, &viable);
            let (before, after) = match source.file.as_str() {
                "lib.rs" => (QUIET, format!("\n#[doc(hidden)]\npub mod {SWITCH};\n")),
                _ => ("", String::new()),
            };
            let text = format!("{before}{}{after}", schemata.text);
            write_if_changed(&src.join(&source.file), text.as_bytes())?;
            let before = before.len();
            written.push(Written { file: &source.file, before, schemata, mutants: viable });
        }
        write_if_changed(&src.join(format!("{SWITCH}.rs")), switch(first).as_bytes())?;
        Ok(written)
    }

    /// The messages of a cargo command on the copy.
    fn cargo(&self, command: &[&str]) -> Result<Vec<Value>> {
        let debug = format!("profile.dev.package.{}.debug=false", self.subject.package);
        let output = Command::new("cargo")
            .args(command)
            .args(["--quiet", "--message-format=json", "--package", &self.subject.package])
            .args(["--all-features", "--config", &debug, "--target-dir"])
            .arg(&self.subject.target)
            .current_dir(self.subject.scratch())
            .env("CARGO_INCREMENTAL", "0")
            .stderr(Stdio::inherit())
            .output()
            .context("cannot start cargo")?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let messages: Vec<Value> = text.lines().flat_map(serde_json::from_str).collect();
        if !output.status.success() && errors(&messages).next().is_none() {
            bail!("`cargo {}` failed without an error that names a place", command.join(" "));
        }
        Ok(messages)
    }
}

fn errors(messages: &[Value]) -> impl Iterator<Item = &Value> {
    let compiler = messages.iter().filter(|message| message["reason"] == "compiler-message");
    compiler.map(|message| &message["message"]).filter(|message| message["level"] == "error")
}

/// The mutants that the errors lie in.
fn blamed(messages: &[Value], written: &[Written]) -> Result<BTreeSet<usize>> {
    let mut blamed = BTreeSet::new();
    for error in errors(messages) {
        let spans = error["spans"].as_array().map_or(&[][..], Vec::as_slice);
        if spans.is_empty() {
            continue; // "aborting due to 3 previous errors"
        }
        let places = || spans.iter().filter_map(|span| place(span, written));
        let primary = places().find(|(_, bytes, primary)| *primary && !bytes.is_empty());
        let mut found: Vec<usize> =
            primary.iter().flat_map(|(file, bytes, _)| file.schemata.blamed(bytes)).collect();
        if found.is_empty() {
            found = places().flat_map(|(file, bytes, _)| file.schemata.blamed(&bytes)).collect();
        }
        if found.is_empty() {
            let near = |file: &Written, bytes| file.schemata.near(&bytes, &file.mutants);
            found = places().flat_map(|(file, bytes, _)| near(file, bytes)).collect();
        }
        if found.is_empty() {
            bail!("an error that is no mutant's:\n{}", error["rendered"].as_str().unwrap_or("?"));
        }
        blamed.extend(found);
    }
    Ok(blamed)
}

/// The file and bytes of a compiler's span, and whether it is the error's main one.
fn place<'a, 'b>(
    span: &Value,
    written: &'a [Written<'b>],
) -> Option<(&'a Written<'b>, Range<usize>, bool)> {
    let name = span["file_name"].as_str()?;
    let file = written.iter().find(|written| name.ends_with(&format!("src/{}", written.file)))?;
    let byte = |which: &str| (span[which].as_u64()? as usize).checked_sub(file.before);
    Some((file, byte("byte_start")?..byte("byte_end")?, span["is_primary"] == true))
}

/// The test programs that cargo built.
fn programs(messages: &[Value]) -> Result<Vec<Program>> {
    if let Some(error) = errors(messages).next() {
        bail!("the tests do not compile:\n{}", error["rendered"].as_str().unwrap_or("?"));
    }
    let tests = messages.iter().filter(|message| message["profile"]["test"] == true);
    let program = |message: &Value| {
        let (path, target) = (message["executable"].as_str()?.into(), &message["target"]);
        let unit_tests = target["kind"][0] != "test";
        let name = target["name"].as_str().unwrap_or_default();
        let prefix = if unit_tests { String::new() } else { format!("tests/{name}::") };
        Some(Program { path, prefix })
    };
    Ok(tests.filter_map(program).collect())
}

/// All files below a folder that may not exist.
fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => list(&path, files),
            path => files.push(path),
        }
    }
}

/// Copies a folder, leaving files that are equal alone, so that cargo does not build them again.
fn copy(from: &Path, to: &Path, skipped: &[PathBuf]) -> Result<()> {
    let context = || format!("cannot copy {}", from.display());
    std::fs::create_dir_all(to).with_context(context)?;
    for entry in std::fs::read_dir(from).with_context(context)? {
        let entry = entry.with_context(context)?;
        let (path, name) = (entry.path(), entry.file_name());
        if skipped.contains(&path) || name == ".git" || name == "target" {
            continue;
        }
        if path.is_dir() {
            copy(&path, &to.join(name), skipped)?;
        } else {
            write_if_changed(&to.join(name), &std::fs::read(&path).with_context(context)?)?;
        }
    }
    Ok(())
}

fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<()> {
    if std::fs::read(path).is_ok_and(|before| before == bytes) {
        return Ok(());
    }
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
