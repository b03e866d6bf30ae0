//! What is asked of a survey.

use anyhow::{Context, Result, bail};

use super::find::Mutant;
use super::state::State;

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
  --write        only write the page docs/results/mutants.md from the verdicts so far";

/// The options of the command.
#[derive(Debug, Clone)]
pub struct Options {
    /// Only mutants of these modules or files; none are all.
    paths: Vec<String>,
    shard: (usize, usize),
    /// How many tests run at once.
    pub threads: usize,
    /// The most time for the tests of one mutant.
    pub seconds: f64,
    /// The least processor time after which a test is stopped.
    pub patience: f64,
    /// Only list the mutants.
    pub list: bool,
    /// Only write the page.
    pub write: bool,
}

impl Options {
    /// Reads the words after `cargo xtask mutants`.
    ///
    /// # Errors
    /// If one is unknown or makes no sense.
    pub fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self {
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
            let mut value = || match words.next() {
                Some(value) => Ok(value.as_str()),
                None => bail!("{word} needs a value\n\n{HELP}"),
            };
            match word.as_str() {
                "--in" => options.paths = value()?.split(',').map(str::to_owned).collect(),
                "--shard" => {
                    let (index, count) = value()?.split_once('/').context("--shard is I/N")?;
                    options.shard = (number(word, index)?, number(word, count)?);
                }
                "--threads" => options.threads = number(word, value()?)?,
                "--seconds" => options.seconds = number(word, value()?)?,
                "--patience" => options.patience = number(word, value()?)?,
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

    /// The numbers of the mutants that are asked for and have no verdict yet.
    pub fn chosen<'a>(
        &self,
        mutants: impl Iterator<Item = &'a Mutant>,
        state: &State,
    ) -> Vec<usize> {
        let (index, count) = self.shard;
        let wanted = mutants.enumerate().filter(|(number, mutant)| {
            number % count == index
                && is_in(&mutant.file, &self.paths)
                && state.of(&mutant.key()).is_none()
        });
        wanted.map(|(number, _)| number).collect()
    }
}

fn number<T: std::str::FromStr>(option: &str, found: &str) -> Result<T> {
    found.parse().ok().with_context(|| format!("{option}: found '{found}', expected a number"))
}

/// Whether a file is one of these, or in one of these modules; no paths are all files.
fn is_in(file: &str, paths: &[String]) -> bool {
    let within = |path: &String| {
        file == path || file == format!("{path}.rs") || file.starts_with(&format!("{path}/"))
    };
    paths.is_empty() || paths.iter().any(within)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(Options::parse(&words("--shard 2/2")).is_err());
        assert!(Options::parse(&words("--threads")).is_err());
        assert!(Options::parse(&words("--fast")).is_err());
        assert_eq!(Options::parse(&words("--shard 1/2")).unwrap().shard, (1, 2));
    }
}
