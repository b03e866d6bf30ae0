//! The tests of the crate under survey, each run in a process of its own, within limits.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// A test program: the unit tests, or one file of `tests/`.
#[derive(Debug)]
pub struct Program {
    /// The program.
    pub path: PathBuf,
    /// What goes before the names of its tests: nothing for unit tests, else `tests/NAME::`.
    pub prefix: String,
}

/// A test, how long it takes, and which mutants' places it reaches.
#[derive(Debug)]
pub struct Test {
    program: PathBuf,
    /// Its name, after that of the program it is in (none for unit tests).
    pub name: String,
    filter: String,
    /// Its normal time.
    pub seconds: f64,
    /// The processor time after which it is stopped.
    patience: f64,
    /// The mutants whose places it runs through.
    pub reaches: BTreeSet<usize>,
}

/// What became of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It had to be stopped.
    Stopped,
}

/// Lists the tests of these programs and runs each once, to time it and to see what it reaches. A test that
/// does not pass while no mutant lives is left out: it would kill them all.
///
/// # Errors
/// If a program cannot be started.
pub fn learn(
    programs: &[Program],
    folder: &Path,
    state: &Path,
    patience: f64,
) -> Result<Vec<Test>> {
    let mut tests = Vec::new();
    for program in programs {
        for filter in names(&program.path)? {
            if let Some(test) = learn_one(program, filter, folder, state)? {
                let patience = (5.0 * test.seconds).max(patience);
                tests.push(Test { patience, ..test });
            }
        }
    }
    Ok(tests)
}

fn names(program: &Path) -> Result<Vec<String>> {
    let output = Command::new(program).args(["--list", "--format", "terse"]).output();
    let output = output.with_context(|| format!("cannot start {}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

fn learn_one(
    program: &Program,
    filter: String,
    folder: &Path,
    state: &Path,
) -> Result<Option<Test>> {
    let reached = state.join("reached.txt");
    let _ = std::fs::remove_file(&reached);
    let mut test = Test {
        program: program.path.clone(),
        name: format!("{}{filter}", program.prefix),
        filter,
        seconds: 0.0,
        patience: 0.0,
        reaches: BTreeSet::new(),
    };
    // The shell knows the processor time of what it ran; the clock of a busy machine does not.
    let timed = "\"$0\" \"$@\" > /dev/null 2>&1; status=$?; times; exit $status";
    let output = test.command(timed, folder).env("MUTANTS_REACHED", &reached).output()?;
    if !output.status.success() {
        println!("left out, because it does not pass without any mutant: {}", test.name);
        return Ok(None);
    }
    test.seconds = processor_seconds(&String::from_utf8_lossy(&output.stdout));
    let text = std::fs::read_to_string(&reached).unwrap_or_default();
    test.reaches = text.lines().flat_map(str::parse).collect();
    Ok(Some(test))
}

impl Test {
    /// Runs it while this mutant lives.
    ///
    /// The limit is on processor time, so that a busy machine kills no mutant. Memory is limited,
    /// because loops that never end eat it.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn run(&self, mutant: usize, folder: &Path) -> Result<Outcome> {
        let seconds = self.patience.ceil();
        let limited = format!("ulimit -t {seconds}; ulimit -v 8388608; exec \"$0\" \"$@\"");
        let mut child = self
            .command(&limited, folder)
            .env("MUTANT_ALIVE", mutant.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        let patience = Duration::from_secs_f64(20.0 * seconds);
        let start = Instant::now();
        let mut pause = Duration::from_micros(500);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(outcome(status));
            }
            // A test that waits for a lock uses no processor time.
            if start.elapsed() > patience {
                child.kill()?;
                child.wait()?;
                return Ok(Outcome::Stopped);
            }
            std::thread::sleep(pause);
            pause = (pause * 5 / 4).min(Duration::from_millis(20));
        }
    }

    /// This test alone, as `$0 $@` of a shell's script.
    fn command(&self, script: &str, folder: &Path) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .arg(&self.program)
            .args(["--exact", &self.filter, "--test-threads", "1"])
            .current_dir(folder)
            // The same cases every time, and no search for the smallest one that fails.
            .envs([("PROPTEST_MAX_SHRINK_ITERS", "0"), ("PROPTEST_RNG_SEED", "1")])
            .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1")
            // Looking up the names of a stack takes longer than most tests.
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null());
        command
    }
}

/// Adds up the second line of the shell's `times`: `1m2.50s 0m0.25s`, user and system.
fn processor_seconds(times: &str) -> f64 {
    let seconds = |word: &str| {
        let (minutes, seconds) = word.trim_end_matches('s').split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
    };
    let children = times.lines().nth(1).unwrap_or_default();
    children.split_whitespace().filter_map(seconds).sum()
}

fn outcome(status: ExitStatus) -> Outcome {
    use std::os::unix::process::ExitStatusExt;
    const OUT_OF_TIME: [i32; 2] = [9, 24]; // SIGKILL, SIGXCPU
    match status.signal() {
        Some(signal) if OUT_OF_TIME.contains(&signal) => Outcome::Stopped,
        _ if status.success() => Outcome::Passed,
        _ => Outcome::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_children_are_minutes_and_seconds() {
        assert_eq!(processor_seconds("0m9.00s 0m9.00s\n1m2.50s 0m0.25s\n"), 62.75);
    }
}
