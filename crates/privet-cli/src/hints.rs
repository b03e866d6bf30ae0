//! Hints for the command that failed: an option is named only if that command, or the command the hint names, has it.
//!
//! Errors come from libraries that do not know which command is running, and the same error reaches many commands. So the
//! rule is applied where a failure is told: every `--option` in it is looked up in the parsed definition of the command line,
//! and advice that cannot be followed is left out.

use clap::{ArgMatches, Command, CommandFactory};

use crate::args::Args;

/// The definition of the command that was typed, and of all of them.
#[derive(Debug)]
pub struct RunningCommand {
    root: Command,
    /// The names that lead to it: `cluster`, `run`, `protect`.
    path: Vec<String>,
}

impl RunningCommand {
    /// The command that these words, with the program first, ask for; none if they ask for none.
    pub fn of(words: &[std::ffi::OsString]) -> Option<Self> {
        let mut root = Args::command();
        root.build();
        let matches = root.clone().try_get_matches_from(words).ok()?;
        let mut path = Vec::new();
        let mut matches: &ArgMatches = &matches;
        while let Some((name, inner)) = matches.subcommand() {
            path.push(name.to_owned());
            matches = inner;
        }
        Some(Self { root, path })
    }

    /// What a failure says, as far as it can be followed here. A message keeps what happened and loses advice; an
    /// option at its beginning becomes the setting that it stands for.
    pub fn message(&self, message: &str) -> String {
        let mut kept = message.to_owned();
        if kept.starts_with("--") && !self.fits(kept.split([':', ' ']).next().unwrap_or_default()) {
            kept.drain(..2);
        }
        let mut clauses = kept.split("; ");
        let first = clauses.next().unwrap_or_default().to_owned();
        clauses.filter(|clause| self.fits(clause)).fold(first, |told, clause| told + "; " + clause)
    }

    /// The alternatives of a hint that can be followed here: `a, or b, or c`. None if there is none.
    pub fn hint(&self, hint: &str) -> Option<String> {
        let fitting: Vec<&str> = hint.split(", or ").filter(|way| self.fits(way)).collect();
        (!fitting.is_empty()).then(|| fitting.join(", or "))
    }

    /// Whether every option in a text is one of the command that the text names before it, or else of this one.
    fn fits(&self, text: &str) -> bool {
        options(text).all(|(at, option)| {
            let here = self.path.iter().map(String::as_str).collect::<Vec<_>>();
            let named = self.named_before(&text[..at]);
            self.has(named.as_deref().unwrap_or(&here), option)
        })
    }

    /// The last command that a text names: after `privet`, or beside this one (`create --at`).
    fn named_before<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        let words: Vec<&str> = text
            .split(|letter: char| letter.is_whitespace() || "`'\"();,".contains(letter))
            .filter(|word| !word.is_empty())
            .collect();
        let at = words.iter().rposition(|word| *word == "privet")?;
        let (mut command, mut path) = (&self.root, Vec::new());
        for word in &words[at + 1..] {
            let Some(inner) = command.find_subcommand(word) else { break };
            (command, path) = (inner, [path, vec![*word]].concat());
        }
        Some(path)
    }

    /// Whether the command of these names has an option, or one of those that it is a part of: `cluster run
    /// --checkpoint FOLDER embed`.
    fn has(&self, path: &[&str], option: &str) -> bool {
        let mut command = &self.root;
        let mut found = has_option(command, option);
        for name in path {
            match command.find_subcommand(name) {
                Some(inner) => command = inner,
                None => return false,
            }
            found |= has_option(command, option);
        }
        found
    }
}

/// Whether a command has an option of this name, by any of its names.
fn has_option(command: &Command, option: &str) -> bool {
    command.get_arguments().any(|argument| {
        let aliases = argument.get_all_aliases().unwrap_or_default();
        argument.get_long() == Some(option) || aliases.contains(&option)
    }) || matches!(option, "help" | "version")
}

/// The options that a text names, without their dashes, and where each begins.
fn options(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices("--").filter_map(|(at, _)| {
        let begins =
            text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '-');
        let rest = &text[at + 2..];
        let length =
            rest.find(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '-');
        let name = &rest[..length.unwrap_or(rest.len())];
        (begins && name.starts_with(|c: char| c.is_ascii_lowercase()))
            .then(|| (at, name.trim_end_matches('-')))
    })
}

#[cfg(test)]
mod tests {
    //! No command is told to use an option that it does not have.

    use std::path::Path;

    use privet::doubts::Doubt;

    use super::*;
    use crate::failure::Failure;

    /// Every command, by the names that lead to it.
    fn commands() -> Vec<RunningCommand> {
        fn below(command: &Command, path: &[String], all: &mut Vec<Vec<String>>) {
            let inner: Vec<&Command> =
                command.get_subcommands().filter(|inner| inner.get_name() != "help").collect();
            if inner.is_empty() {
                all.push(path.to_vec());
            }
            for inner in inner {
                let name = inner.get_name().to_owned();
                below(inner, &[path, &[name]].concat(), all);
            }
        }
        let mut root = Args::command();
        root.build();
        let mut all = Vec::new();
        below(&root, &[], &mut all);
        all.into_iter().map(|path| RunningCommand { root: root.clone(), path }).collect()
    }

    fn named(path: &[&str]) -> RunningCommand {
        commands().into_iter().find(|command| command.path == path).unwrap()
    }

    /// Failures that many commands share, and that name options.
    fn shared_failures() -> Vec<Failure> {
        let doubt = Doubt::WeakDelta.name();
        let missing = |what| {
            let dataset = "people".to_owned();
            Failure::from(privet::Error::Missing { dataset, what, remedy: "they are learned from" })
        };
        let limit = privet::privacy::Loss::new(1.0, 0.0).unwrap();
        let setting = |name| {
            let (found, expected) = ("-1".to_owned(), "a number above 0");
            Failure::from(privet::Error::Setting { name, found, expected })
        };
        vec![
            Failure::from(privet::Error::Doubtful { why: "delta is large".into(), doubt }),
            missing("features"),
            missing("labels"),
            Failure::from(privet::Error::UndeclaredRange),
            Failure::from(privet::Error::DirectedGraph),
            Failure::from(privet::Error::OtherLimit {
                path: "a.ledger".into(),
                limit,
                wanted: 2.0,
            }),
            setting("epsilon"),
            setting("batch"),
            setting("sensitive-columns"),
            Failure::data("x.zip: found 2 datasets; expected one; choose it with --member NAME"),
            Failure::usage("nothing to embed").hint("give them with --features FILE"),
        ]
    }

    #[test]
    fn c11_no_hint_names_an_option_that_the_command_does_not_have() {
        let (mut told, mut left_out) = (0, 0);
        for command in commands() {
            for failure in shared_failures() {
                let fitting = failure.clone().for_command(&command);
                let text =
                    format!("{} {}", fitting.message(), fitting.advice().unwrap_or_default());
                for (_, option) in options(&text) {
                    let path: Vec<&str> = command.path.iter().map(String::as_str).collect();
                    assert!(command.has(&path, option), "{path:?} has no --{option}: {text}");
                    told += 1;
                }
                left_out += usize::from(fitting != failure);
            }
        }
        assert!(told > 100 && left_out > 100, "{told} options named, {left_out} failures changed");
    }

    /// What issue 34 saw: a project's commands were told of options for files.
    #[test]
    fn c11_a_project_is_told_what_to_do_in_its_own_words() {
        let train = named(&["train"]);
        let limit = privet::privacy::Loss::new(1.0, 0.0).unwrap();
        let told = privet::Error::OtherLimit { path: "a.ledger".into(), limit, wanted: 2.0 };
        let advice = Failure::from(told).for_command(&train).advice().map(str::to_owned).unwrap();
        assert!(advice.contains("privet.toml") && !advice.contains("--"), "{advice}");
        let doubt = privet::Error::Doubtful {
            why: "delta is large".into(),
            doubt: Doubt::WeakDelta.name(),
        };
        let failure = Failure::from(doubt);
        assert!(failure.message().contains("--accept weak-delta"), "{}", failure.message());
        assert_eq!(failure.for_command(&train).message(), "refused: delta is large");
        // Other commands that a hint names are looked up by themselves.
        assert!(train.hint("`privet init --here` makes one").is_some());
        assert!(train.hint("`privet init --no-such-option` makes one").is_none());
        assert_eq!(train.hint("use --merge directed, or --seed 1").as_deref(), Some("--seed 1"));
    }

    /// Every option in a hint or a remedy of the sources is one that some command has: a renamed option is noticed here.
    #[test]
    fn c11_every_option_in_the_sources_hints_exists() {
        let commands = commands();
        let known = |option: &str| {
            commands.iter().any(|command| {
                let path: Vec<&str> = command.path.iter().map(String::as_str).collect();
                command.has(&path, option)
            })
        };
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut seen = 0;
        for name in
            ["privet", "privet-cli", "privet-cluster", "privet-data", "privet-graph", "privet-lab"]
        {
            let mut left = vec![crates.join(name).join("src")];
            while let Some(path) = left.pop() {
                if path.is_dir() {
                    left.extend(
                        std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()),
                    );
                    continue;
                }
                if path.extension().is_none_or(|ending| ending != "rs")
                    || path.ends_with("tests.rs")
                {
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
                // A long text stands in the line after the call.
                let lines: Vec<&str> = shipped.lines().collect();
                let tells = |line: &str| line.contains("hint(") || line.contains("remedy");
                let advice = (0..lines.len())
                    .filter(|&at| tells(lines[at]) || (at > 0 && tells(lines[at - 1])))
                    .map(|at| lines[at]);
                for line in advice {
                    for (_, option) in options(line) {
                        assert!(
                            known(option),
                            "{}: no command has --{option}: {line}",
                            path.display()
                        );
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 15, "{seen} options were looked up");
    }
}
