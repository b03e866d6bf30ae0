//! [`TaskDraft`]: a task as its author writes it, in TOML. The author chooses the questions, the participants and the prices.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::protocol::{ContactsAsked, FeaturesAsked, LabelAsked, Task, TaskQuestions, Universe};
use crate::{Error, Result};

/// What stands in the file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskDraft {
    /// What it is called.
    pub title: String,
    /// What it is for, in plain words.
    pub purpose: String,
    /// Who can be asked about it.
    pub contact: String,
    /// The file of those who can take part, an id a line, relative to this one.
    pub people: String,
    /// Numbers.
    pub features: Option<FeaturesAsked>,
    /// One of several answers.
    pub label: Option<LabelAsked>,
    /// Whom one knows.
    pub contacts: Option<ContactsAsked>,
    /// The last moment, in seconds since 1970.
    pub until: Option<u64>,
}

impl TaskDraft {
    /// The task that a file says.
    ///
    /// # Errors
    /// If it makes no sense, or the people cannot be read.
    pub fn read(path: &Path) -> Result<Task> {
        let draft = Self::of_file(path)?;
        let people = people(&beside(path, &draft.people))?;
        let Self { title, purpose, contact, features, label, contacts, until, .. } = draft;
        let asks = TaskQuestions { features, label, contacts };
        let task = Task { title, purpose, contact, people: Universe::of(&people), asks, until };
        task.check().map_err(|error| Error::Mistake {
            place: path.display().to_string(),
            reason: error.to_string(),
        })?;
        Ok(task)
    }

    /// The file that says who can take part, as a description names it.
    ///
    /// # Errors
    /// If the description cannot be read.
    pub fn people_of(path: &Path) -> Result<PathBuf> {
        Ok(beside(path, &Self::of_file(path)?.people))
    }

    fn of_file(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::file(path, error))?;
        toml::from_str(&text).map_err(|error| {
            let before = error.span().map_or(0, |span| span.start).min(text.len());
            let line = text.as_bytes()[..before].iter().filter(|&&byte| byte == b'\n').count() + 1;
            let place = format!("{}, line {line}", path.display());
            Error::Mistake { place, reason: error.message().replace('\n', "; ") }
        })
    }
}

/// A file that a description names, relative to it.
fn beside(draft: &Path, name: &str) -> PathBuf {
    draft.parent().unwrap_or(Path::new("")).join(name)
}

/// The ids of a file, one a line, each once: their order gives every user a place.
///
/// # Errors
/// If it cannot be read, a line is empty, or an id comes twice. The id is not shown.
pub fn people(path: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::file(path, error))?;
    let mut seen = std::collections::HashSet::new();
    let mut ids = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let wrong = |found: &str| Error::Mistake {
            place: format!("{}, line {}", path.display(), at + 1),
            reason: format!("found {found}, expected an id of its own"),
        };
        let id = line.trim();
        if id.is_empty() {
            return Err(wrong("nothing"));
        }
        if !seen.insert(id.to_owned()) {
            return Err(wrong("a duplicate id"));
        }
        ids.push(id.to_owned());
    }
    match ids.is_empty() {
        true => Err(Error::file(path, "the file is empty; write one id per line")),
        false => Ok(ids),
    }
}
