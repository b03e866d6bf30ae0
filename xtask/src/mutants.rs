//! `cargo xtask mutants`: would the tests notice? Every operator, literal, call, statement, arm and body
//! of the trusted base is broken once, and the tests that reach it are run.
//!
//! Tools that build once per mutant need hours here; this one builds once. All mutants are compiled
//! into one copy of the crate (see [`schemata`]) and an environment variable says which one lives. A first
//! run of every test notes which mutants it reaches; only those tests are run on a mutant, the quickest
//! first, until one fails.

mod faults;
mod find;
mod modules;
mod operators;
mod options;
mod report;
mod schemata;
mod scratch;
mod state;
mod suite;
mod survey;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use find::Mutant;
use options::Options;
use report::Reasons;
use scratch::Scratch;
use state::{Fate, State, Verdict};
use survey::Survey;

/// The modules that the figure is about.
const GOAL: [&str; 8] =
    ["ledger", "noise", "features", "edges", "sgd", "appr", "aggregation", "accountant"];

/// Where the page is.
const PAGE: &str = "docs/results/mutants.md";

/// Where the reasons of survivors are.
const REASONS: &str = "xtask/src/mutants/reasons.txt";

/// Everything above this line of the page is written by hand.
const MARK: &str = "<!-- written by `cargo xtask mutants --write` -->\n";

/// The crate under survey.
pub struct Subject {
    root: PathBuf,
    package: String,
    folder: PathBuf,
    target: PathBuf,
}

impl Subject {
    fn state(&self) -> PathBuf {
        self.target.join("mutants")
    }

    fn scratch(&self) -> PathBuf {
        self.state().join("copy")
    }
}

/// Runs the command with these arguments.
///
/// # Errors
/// If an option is unknown, the crate does not compile, or a test fails without a mutant.
pub fn run(arguments: &[String]) -> Result<()> {
    if arguments.iter().any(|word| word == "--help") {
        println!("{}", options::HELP);
        return Ok(());
    }
    let options = Options::parse(arguments)?;
    let root = std::env::current_dir().context("no current folder")?;
    let subject = Subject {
        target: root.join("target"),
        package: "privet-privacy".to_owned(),
        folder: "crates/privet-privacy".into(),
        root,
    };
    let mut scratch = Scratch::new(&subject)?;
    if options.list {
        scratch
            .mutants()
            .for_each(|mutant| println!("{}:{} {}", mutant.file, mutant.line, mutant.key()));
        return Ok(());
    }
    let mut state = State::open(&subject.state(), scratch.fingerprint()?)?;
    if options.write {
        return write(&scratch, &subject.root, &state);
    }
    survey(&mut scratch, &subject, &options, &mut state)?;
    println!("{}", page(&scratch, &subject.root, &state));
    Ok(())
}

/// Judges the mutants that are asked for and have no verdict yet.
fn survey(
    scratch: &mut Scratch,
    subject: &Subject,
    options: &Options,
    state: &mut State,
) -> Result<()> {
    scratch.leave_out(|mutant| {
        state.of(&mutant.key()).is_some_and(|verdict| verdict.fate == Fate::Unviable)
    });
    if options.chosen(scratch.mutants(), state).is_empty() {
        return Ok(());
    }
    let programs = scratch.build()?;
    let mutants: Vec<&Mutant> = scratch.mutants().collect();
    for &number in scratch.unviable() {
        let (key, line) = (mutants[number].key(), mutants[number].line);
        if state.of(&key).is_none() {
            state.keep(Verdict { key, line, fate: Fate::Unviable, test: String::new() })?;
        }
    }
    let folder = subject.scratch().join(&subject.folder);
    let tests = suite::learn(&programs, &folder, &subject.state(), options.patience)?;
    let seconds: f64 = tests.iter().map(|test| test.seconds).sum();
    println!("{} mutants, {} tests of {seconds:.0} s", mutants.len(), tests.len());
    let survey =
        Survey { mutants: &mutants, tests: &tests, folder: &folder, seconds: options.seconds };
    survey.run(&options.chosen(scratch.mutants(), state), options.threads, state)
}

/// The table and the survivors, with the reasons that are known.
fn page(scratch: &Scratch, root: &Path, state: &State) -> String {
    let path = root.join(REASONS);
    let reasons = Reasons::parse(&std::fs::read_to_string(&path).unwrap_or_default());
    for key in reasons.without_use(state) {
        println!("a reason for a mutant that is dead or gone: {key}");
    }
    let mutants: Vec<&Mutant> = scratch.mutants().collect();
    report::page(&mutants, state, &reasons, &GOAL)
}

/// Replaces what stands below the mark of the page.
fn write(scratch: &Scratch, root: &Path, state: &State) -> Result<()> {
    let path = root.join(PAGE);
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let by_hand = before.split(MARK).next().unwrap_or_default();
    let text = format!("{by_hand}{MARK}\n{}", page(scratch, root, state));
    std::fs::write(&path, text).with_context(|| format!("cannot write {PAGE}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = r"
        pub fn larger(a: u32, b: u32) -> u32 {
            if a < b { b } else { a }
        }

        pub fn halvings(mut of: u32) -> Count {
            let mut count = 0;
            while of > 1 {
                of = half(of);
                count += 1;
            }
            Count(count)
        }

        fn half(of: u32) -> u32 {
            of / 2
        }

        pub fn forgotten(a: bool) -> bool {
            !a
        }

        #[derive(Debug, PartialEq)]
        pub struct Count(pub u32);

        #[test]
        fn the_larger_of_two() {
            assert_eq!((larger(2, 3), larger(3, 2), larger(2, 2)), (3, 3, 2));
        }

        #[test]
        fn halves_until_one_is_left() {
            assert_eq!(halvings(9), Count(3));
        }
    ";

    /// What becomes of every mutant of a crate so small that one can see it.
    #[test]
    fn tells_who_lives_and_who_dies() {
        let root = tempfile::tempdir().unwrap();
        let manifest = "[package]\nname = \"tiny\"\nedition = \"2024\"\n[workspace]\n";
        std::fs::write(root.path().join("Cargo.toml"), manifest).unwrap();
        std::fs::create_dir(root.path().join("src")).unwrap();
        std::fs::write(root.path().join("src/lib.rs"), CODE).unwrap();
        let subject = Subject {
            root: root.path().to_owned(),
            package: "tiny".to_owned(),
            folder: PathBuf::new(),
            target: root.path().join("target"),
        };
        let mut scratch = Scratch::new(&subject).unwrap();
        let mut state = State::open(&subject.state(), scratch.fingerprint().unwrap()).unwrap();
        let options = Options::parse(&["--patience".to_owned(), "1".to_owned()]).unwrap();
        survey(&mut scratch, &subject, &options, &mut state).unwrap();

        let fate = |function: &str, change: &str| {
            state.of(&format!("lib.rs | {function} | {change}")).map(|verdict| verdict.fate)
        };
        // Of two equal numbers either is the larger: no test can tell.
        assert_eq!(fate("larger", "`a < b` with `<=`"), Some(Fate::Survived));
        assert_eq!(fate("larger", "`a < b` with `>=`"), Some(Fate::Killed));
        assert_eq!(fate("larger", "body with `0`"), Some(Fate::Killed));
        assert_eq!(fate("halvings", "without `of = half(of);`"), Some(Fate::Stopped));
        assert_eq!(fate("halvings", "body with `Default::default()`"), Some(Fate::Unviable));
        assert_eq!(fate("forgotten", "`!a` without its sign"), Some(Fate::Unreached));
        assert_eq!(fate("the_larger_of_two", "`2` with `3`"), None);

        let page = page(&scratch, root.path(), &state);
        assert!(page.contains("`larger`: `a < b` with `<=`"), "{page}");
        assert!(!page.contains("`a < b` with `>=`"), "{page}");
    }
}
