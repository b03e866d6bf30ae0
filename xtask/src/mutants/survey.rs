//! One mutant after the other: which of the tests that reach it notices?

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;

use super::find::Mutant;
use super::state::{Fate, State, Verdict};
use super::suite::{Outcome, Test};

/// What a survey needs.
pub struct Survey<'a> {
    /// All mutants.
    pub mutants: &'a [&'a Mutant],
    /// All tests.
    pub tests: &'a [Test],
    /// Where tests run.
    pub folder: &'a Path,
    /// The most time that may be spent on the tests of one mutant, going by their normal times. Tests
    /// that do not fit are not run: a mutant that only they would notice counts as a survivor.
    pub seconds: f64,
}

impl Survey<'_> {
    /// Runs the tests on these mutants on so many threads, and keeps every verdict.
    ///
    /// # Errors
    /// If a test cannot be started or a verdict cannot be written.
    pub fn run(&self, chosen: &[usize], threads: usize, state: &mut State) -> Result<()> {
        let hints = state.hints();
        let (next, state) = (AtomicUsize::new(0), Mutex::new(state));
        let work = || -> Result<()> {
            while let Some(&number) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                let verdict = self.verdict(number, &hints)?;
                let mut state = state.lock().map_err(|_| anyhow::anyhow!("a thread failed"))?;
                state.keep(verdict)?;
                if state.count() % 100 == 0 {
                    println!("{} of {} judged", state.count(), self.mutants.len());
                }
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| match worker.join() {
                Ok(outcome) => outcome,
                Err(_) => anyhow::bail!("a thread failed"),
            })
        })
    }

    fn verdict(&self, number: usize, hints: &HashMap<String, String>) -> Result<Verdict> {
        let mutant = self.mutants[number];
        let (key, line) = (mutant.key(), mutant.line);
        let tests = self.in_order(number, hints.get(&key));
        if tests.is_empty() {
            return Ok(Verdict { key, line, fate: Fate::Unreached, test: String::new() });
        }
        let mut spent = 0.0;
        for test in tests {
            spent += test.seconds;
            if spent > self.seconds && spent > test.seconds {
                continue;
            }
            let fate = match test.run(number, self.folder)? {
                Outcome::Passed => continue,
                Outcome::Failed => Fate::Killed,
                Outcome::Stopped => Fate::Stopped,
            };
            return Ok(Verdict { key, line, fate, test: test.name.clone() });
        }
        Ok(Verdict { key, line, fate: Fate::Survived, test: String::new() })
    }

    /// The tests that reach a mutant: the one that killed it before, then the quickest; tests of the
    /// same file count as ten times as quick, because they look more closely.
    fn in_order(&self, number: usize, hint: Option<&String>) -> Vec<&Test> {
        let mut tests: Vec<&Test> =
            self.tests.iter().filter(|test| test.reaches.contains(&number)).collect();
        let home = self.mutants[number].file.trim_end_matches(".rs").replace('/', "::");
        let rank = |test: &Test| {
            if Some(&test.name) == hint {
                return 0.0;
            }
            test.seconds * if test.name.starts_with(&home) { 0.1 } else { 1.0 }
        };
        tests.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        tests
    }
}
