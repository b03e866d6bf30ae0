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
mod report;
mod schemata;
mod scratch;
mod state;
mod suite;
mod survey;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use find::Mutant;
use report::Reasons;
use scratch::Scratch;
use state::{Fate, State, Verdict};
use survey::Survey;

/// How to ask.
pub const HELP: &str = "\
cargo xtask mutants [OPTIONS]

Breaks the trusted base in one place after the other and looks whether a test notices.
A survey that was stopped goes on where it was, as long as no source has changed.

  --in PATHS     only these modules or files, with commas: accountant,noise/window.rs
  --shard I/N    every N-th mutant, beginning with the I-th (from 0)
  --threads N    how many tests run at once (1)
  --seconds N    the most time for the tests of one mutant (30)
  --patience N   the least processor time after which a test is stopped (5); it is 5 times the normal
  --list         the mutants, without running anything
  --write        write the page docs/results/mutants.md from the verdicts";

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

#[derive(Debug, Clone)]
struct Options {
    paths: Vec<String>,
    shard: (usize, usize),
    threads: usize,
    seconds: f64,
    patience: f64,
    list: bool,
    write: bool,
}

/// Runs the command with these arguments.
///
/// # Errors
/// If an option is unknown, the crate does not compile, or a test fails without a mutant.
pub fn run(arguments: &[String]) -> Result<()> {
    if arguments.iter().any(|word| word == "--help") {
        println!("{HELP}");
        return Ok(());
    }
    let options = options(arguments)?;
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
    survey(&mut scratch, &subject, &options, &mut state)?;
    if options.write { write(&scratch, &subject.root, &state) } else { summary(&scratch, &state) }
}

fn options(arguments: &[String]) -> Result<Options> {
    let mut options = Options {
        paths: Vec::new(),
        shard: (0, 1),
        threads: 1,
        seconds: 30.0,
        patience: 5.0,
        list: false,
        write: false,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("{word} needs a value\n\n{HELP}"));
        match word.as_str() {
            "--in" => options.paths = value()?.split(',').map(str::to_owned).collect(),
            "--shard" => {
                let (index, count) = value()?.split_once('/').context("--shard is I/N")?;
                options.shard = (index.parse()?, count.parse()?);
            }
            "--threads" => options.threads = value()?.parse().context("--threads is a number")?,
            "--seconds" => options.seconds = value()?.parse().context("--seconds is a number")?,
            "--patience" => {
                options.patience = value()?.parse().context("--patience is a number")?
            }
            "--list" => options.list = true,
            "--write" => options.write = true,
            _ => bail!("unknown option '{word}'\n\n{HELP}"),
        }
    }
    if options.shard.0 >= options.shard.1 {
        bail!("--shard {}/{}: shards are counted from 0", options.shard.0, options.shard.1);
    }
    Ok(options)
}

/// Judges the chosen mutants that have no verdict yet.
fn survey(
    scratch: &mut Scratch,
    subject: &Subject,
    options: &Options,
    state: &mut State,
) -> Result<()> {
    let known = |fate: Fate| move |verdict: &Verdict| verdict.fate == fate;
    let unviable = scratch.mutants().enumerate();
    let unviable: Vec<usize> = unviable
        .filter(|(_, mutant)| state.of(&mutant.key()).is_some_and(known(Fate::Unviable)))
        .map(|(number, _)| number)
        .collect();
    scratch.unviable.extend(unviable);
    let chosen = |state: &State, mutants: &[&Mutant]| -> Vec<usize> {
        let (index, count) = options.shard;
        let wanted = mutants.iter().enumerate().filter(|(number, mutant)| {
            number % count == index && is_in(&mutant.file, &options.paths)
        });
        wanted.filter(|(_, mutant)| state.of(&mutant.key()).is_none()).map(|(at, _)| at).collect()
    };
    let mutants: Vec<&Mutant> = scratch.mutants().collect();
    if chosen(state, &mutants).is_empty() {
        return Ok(());
    }
    let programs = scratch.build()?;
    let mutants: Vec<&Mutant> = scratch.mutants().collect();
    for &number in &scratch.unviable {
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
    survey.run(&chosen(state, &mutants), options.threads, state)
}

/// Whether a file is one of these, or in one of these modules; no paths are all files.
fn is_in(file: &str, paths: &[String]) -> bool {
    let within = |path: &String| {
        file == path || file == format!("{path}.rs") || file.starts_with(&format!("{path}/"))
    };
    paths.is_empty() || paths.iter().any(within)
}

fn page(scratch: &Scratch, root: &Path, state: &State) -> Result<String> {
    let path = root.join(REASONS);
    let reasons = Reasons::parse(&std::fs::read_to_string(&path).unwrap_or_default());
    for key in reasons.without_use(state) {
        println!("a reason for a mutant that is dead or gone: {key}");
    }
    let mutants: Vec<&Mutant> = scratch.mutants().collect();
    Ok(report::page(&mutants, state, &reasons, &GOAL))
}

fn summary(scratch: &Scratch, state: &State) -> Result<()> {
    let page = page(scratch, Path::new("."), state)?;
    println!("{page}");
    Ok(())
}

/// Replaces what stands below the mark of the page.
fn write(scratch: &Scratch, root: &Path, state: &State) -> Result<()> {
    let path = root.join(PAGE);
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let by_hand = before.split(MARK).next().unwrap_or_default();
    let text = format!("{by_hand}{MARK}\n{}", page(scratch, root, state)?);
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
        let options = Options { patience: 1.0, ..options(&[]).unwrap() };
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

        let page = page(&scratch, root.path(), &state).unwrap();
        assert!(page.contains("`larger`: `a < b` with `<=`"), "{page}");
        assert!(!page.contains("`a < b` with `>=`"), "{page}");
    }

    #[test]
    fn paths_are_modules_or_files() {
        let paths = ["noise".to_owned(), "sgd/sum.rs".to_owned()];
        for file in ["noise.rs", "noise/window.rs", "sgd/sum.rs"] {
            assert!(is_in(file, &paths), "{file}");
        }
        assert!(!is_in("sgd/clip.rs", &paths) && !is_in("noisy.rs", &paths));
    }

    #[test]
    fn options_that_make_no_sense_are_refused() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(options(&words("--shard 2/2")).is_err());
        assert!(options(&words("--threads")).is_err());
        assert!(options(&words("--fast")).is_err());
        assert_eq!(options(&words("--shard 1/2")).unwrap().shard, (1, 2));
    }
}
