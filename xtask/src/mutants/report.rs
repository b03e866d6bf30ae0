//! The page about a survey: a table by module, and every survivor with the reason it may live.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::find::Mutant;
use super::state::{Fate, State};

/// Why a mutant may survive: headings of reasons in square brackets, each followed by the names of
/// mutants that it holds for.
pub struct Reasons(BTreeMap<String, String>);

impl Reasons {
    /// Reads the file of reasons.
    pub fn parse(text: &str) -> Self {
        let mut reason = String::new();
        let mut reasons = BTreeMap::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                Some(next) => reason = next.to_owned(),
                None if line.starts_with('#') => {}
                None => drop(reasons.insert(line.to_owned(), reason.clone())),
            }
        }
        Self(reasons)
    }

    fn of(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Reasons for mutants that are dead or gone.
    pub fn without_use<'a>(&'a self, state: &State) -> Vec<&'a str> {
        let lives = |key: &str| state.of(key).is_some_and(|verdict| !verdict.fate.is_dead());
        self.0.keys().map(String::as_str).filter(|key| !lives(key)).collect()
    }
}

/// How many of a module's mutants met which fate.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    killed: usize,
    stopped: usize,
    explained: usize,
    unexplained: usize,
    unviable: usize,
}

impl Tally {
    fn viable(self) -> usize {
        self.killed + self.stopped + self.explained + self.unexplained
    }

    fn share(self) -> f64 {
        100.0 * (self.killed + self.stopped) as f64 / self.viable().max(1) as f64
    }

    /// The mutation score: of those that change anything that could be noticed. Explained survivors do not.
    fn score(self) -> f64 {
        let noticeable = self.viable() - self.explained;
        100.0 * (self.killed + self.stopped) as f64 / noticeable.max(1) as f64
    }

    fn row(self, name: &str) -> String {
        let Self { killed, stopped, explained, unexplained, unviable } = self;
        let (viable, share, score) = (self.viable(), self.share(), self.score());
        format!(
            "| {name} | {viable} | {killed} | {stopped} | {explained} | {unexplained} | {share:.1} % | {score:.1} % | \
             {unviable} |\n"
        )
    }

    fn add(&mut self, other: Self) {
        self.killed += other.killed;
        self.stopped += other.stopped;
        self.explained += other.explained;
        self.unexplained += other.unexplained;
        self.unviable += other.unviable;
    }
}

/// The module of a file: the first part of its path.
pub fn module(file: &str) -> &str {
    file.split('/').next().unwrap_or(file).trim_end_matches(".rs")
}

/// The table and the list. `goal` names the modules that the figure is about.
pub fn page(mutants: &[&Mutant], state: &State, reasons: &Reasons, goal: &[&str]) -> String {
    let mut tallies: BTreeMap<(bool, &str), Tally> = BTreeMap::new();
    let mut survivors: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    let mut without_verdict = 0;
    for mutant in mutants {
        let key = mutant.key();
        let Some(verdict) = state.of(&key) else {
            without_verdict += 1;
            continue;
        };
        let name = module(&mutant.file);
        let tally = tallies.entry((!goal.contains(&name), name)).or_default();
        match (verdict.fate, reasons.of(&key)) {
            (Fate::Killed, _) => tally.killed += 1,
            (Fate::Stopped, _) => tally.stopped += 1,
            (Fate::Unviable, _) => tally.unviable += 1,
            (Fate::Survived | Fate::Unreached, Some(_)) => tally.explained += 1,
            (Fate::Survived | Fate::Unreached, None) => tally.unexplained += 1,
        }
        if matches!(verdict.fate, Fate::Survived | Fate::Unreached) {
            let unread = match verdict.fate {
                Fate::Unreached => "Not explained, and no test reaches them",
                _ => "Not explained",
            };
            let reason = reasons.of(&key).unwrap_or(unread);
            let Mutant { file, line, function, change, .. } = mutant;
            let text = format!("- {file}:{line}, `{function}`: {change}");
            survivors.entry((name, reason)).or_default().push(text);
        }
    }
    let open = match without_verdict {
        0 => String::new(),
        count => format!("\n{count} of {} mutants have no verdict yet.\n", mutants.len()),
    };
    table(&tallies) + &open + &list(&survivors)
}

fn table(tallies: &BTreeMap<(bool, &str), Tally>) -> String {
    let mut text = "| module | mutants | killed by a test | stopped | survived, explained | survived, not explained | killed | of those that can be noticed | do not compile |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n".to_owned();
    for others in [false, true] {
        let mut total = Tally::default();
        let mut count = 0;
        for ((_, name), tally) in tallies.iter().filter(|((other, _), _)| *other == others) {
            text += &tally.row(&format!("`{name}`"));
            total.add(*tally);
            count += 1;
        }
        if count > 0 {
            text += &total.row(if others { "**the rest of the crate**" } else { "**together**" });
        }
    }
    text
}

fn list(survivors: &BTreeMap<(&str, &str), Vec<String>>) -> String {
    let mut text = String::new();
    let mut current = "";
    for ((module, reason), mutants) in survivors {
        if *module != current {
            let _ = write!(text, "\n## Survivors in `{module}`\n");
            current = module;
        }
        let _ = write!(text, "\n**{reason}** ({}):\n\n{}\n", mutants.len(), mutants.join("\n"));
    }
    text
}
