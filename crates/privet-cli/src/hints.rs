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
mod tests;
