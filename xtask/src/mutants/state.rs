//! What a survey has found so far, one line per mutant, so that it can be stopped and go on.

use std::collections::{BTreeMap, HashMap};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// What became of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// A test failed.
    Killed,
    /// A test had to be stopped.
    Stopped,
    /// All tests that reach it passed.
    Survived,
    /// No test reaches it.
    Unreached,
    /// It does not compile.
    Unviable,
}

impl Fate {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Killed, "killed"),
        (Self::Stopped, "stopped"),
        (Self::Survived, "survived"),
        (Self::Unreached, "unreached"),
        (Self::Unviable, "unviable"),
    ];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(fate, _)| *fate == self).map_or("", |(_, name)| name)
    }

    fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(fate, _)| *fate)
    }

    /// Whether the tests noticed.
    pub fn is_dead(self) -> bool {
        matches!(self, Self::Killed | Self::Stopped)
    }
}

/// What became of one mutant.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The mutant.
    pub key: String,
    /// Its line.
    pub line: usize,
    /// What became of it.
    pub fate: Fate,
    /// The test that noticed.
    pub test: String,
}

/// All verdicts so far, in memory and in a file.
pub struct State {
    file: File,
    verdicts: BTreeMap<String, Verdict>,
    /// What killed whom when the sources were others.
    earlier: Vec<Verdict>,
}

impl State {
    /// Goes on with the survey of exactly these sources, or begins a new one.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn open(folder: &Path, fingerprint: u64) -> Result<Self> {
        let (path, old) = (folder.join("verdicts.jsonl"), folder.join("earlier.jsonl"));
        let first = json!({ "sources": fingerprint }).to_string();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let same = text.lines().next() == Some(&first);
        if !same && !text.is_empty() {
            // Newer verdicts come later and win.
            let before = std::fs::read_to_string(&old).unwrap_or_default();
            std::fs::write(&old, before + &text)?;
            std::fs::remove_file(&path)?;
        }
        let mut file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.as_mut().map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
        if !same {
            writeln!(file, "{first}")?;
        }
        let verdicts = if same { verdicts(&text) } else { Vec::new() };
        let earlier = verdicts_of(&old);
        let verdicts = verdicts.into_iter().map(|verdict| (verdict.key.clone(), verdict)).collect();
        Ok(Self { file: file.try_clone()?, verdicts, earlier })
    }

    /// Keeps a verdict.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep(&mut self, verdict: Verdict) -> Result<()> {
        let Verdict { key, line, fate, test } = &verdict;
        let text = json!({ "mutant": key, "line": line, "fate": fate.name(), "test": test });
        writeln!(self.file, "{text}").context("cannot write the verdicts")?;
        self.verdicts.insert(key.clone(), verdict);
        Ok(())
    }

    /// The verdict on a mutant.
    pub fn of(&self, key: &str) -> Option<&Verdict> {
        self.verdicts.get(key)
    }

    /// How many were judged.
    pub fn count(&self) -> usize {
        self.verdicts.len()
    }

    /// Which test killed a mutant before.
    pub fn hints(&self) -> HashMap<String, String> {
        let dead = self.earlier.iter().filter(|verdict| verdict.fate.is_dead());
        dead.map(|verdict| (verdict.key.clone(), verdict.test.clone())).collect()
    }
}

fn verdicts_of(path: &Path) -> Vec<Verdict> {
    verdicts(&std::fs::read_to_string(path).unwrap_or_default())
}

fn verdicts(text: &str) -> Vec<Verdict> {
    let verdict = |line: &str| {
        let value: Value = serde_json::from_str(line).ok()?;
        let word = |name: &str| value[name].as_str().map(str::to_owned);
        let fate = Fate::of(&word("fate")?)?;
        let line = value["line"].as_u64()? as usize;
        Some(Verdict { key: word("mutant")?, line, fate, test: word("test")? })
    };
    text.lines().filter_map(verdict).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_survey_goes_on_while_the_sources_stay_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let killed = Verdict {
            key: "a.rs | f | `1` with `0`".to_owned(),
            line: 7,
            fate: Fate::Killed,
            test: "tests::one".to_owned(),
        };
        State::open(folder.path(), 1).unwrap().keep(killed.clone()).unwrap();
        assert_eq!(State::open(folder.path(), 1).unwrap().of(&killed.key).unwrap().line, 7);
        let anew = State::open(folder.path(), 2).unwrap();
        assert!(anew.of(&killed.key).is_none());
        assert_eq!(anew.hints()[&killed.key], "tests::one");
    }
}
