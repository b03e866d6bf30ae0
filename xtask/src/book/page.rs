//! A page as a list of steps: files that it shows, and commands with what they print.

use anyhow::{Result, bail};

/// Something that a reader does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Writes a file: a block after `<!-- file: NAME -->`.
    File { name: String, text: String },
    /// Types a command: a line of a block of `console` after `$ `.
    Command { line: String, shown: String },
}

/// What blocks of code may be called, beside `console`. Those of `text` show what cannot be run; `python` is run with the
/// package, by `cargo xtask python`.
const SHOWN: [&str; 6] = ["text", "python", "toml", "csv", "json", "html"];
/// Rust is included from sources that are compiled and tested.
const INCLUDED: &str = "{{#include ";

/// The steps of a page.
///
/// # Errors
/// If a block of code has no language, or is not closed.
pub fn steps(text: &str) -> Result<Vec<Step>> {
    let (mut steps, mut named) = (Vec::new(), None);
    let mut lines = (1..).zip(text.lines());
    while let Some((number, line)) = lines.next() {
        if let Some(name) =
            line.strip_prefix("<!-- file: ").and_then(|rest| rest.strip_suffix(" -->"))
        {
            named = Some(name.to_owned());
            continue;
        }
        let Some(language) = line.trim_start().strip_prefix("```") else { continue };
        let mut body = String::new();
        loop {
            match lines.next() {
                Some((_, line)) if line.trim_start() == "```" => break,
                Some((_, line)) => {
                    body += line;
                    body.push('\n');
                }
                None => bail!("line {number}: this block is not closed"),
            }
        }
        match (named.take(), language) {
            (Some(name), _) => steps.push(Step::File { name, text: body }),
            (None, "console") => steps.extend(commands(&body)),
            (None, "rust") if body.starts_with(INCLUDED) => {}
            (None, "rust") => bail!("line {number}: include Rust from a source that is tested"),
            (None, language)
                if SHOWN.contains(&language.split([',', ' ']).next().unwrap_or_default()) => {}
            (None, other) => {
                bail!("line {number}: a block of '{other}'; say console to have it run, or text")
            }
        }
    }
    Ok(steps)
}

/// Commands of a block: a line after `$ ` that goes on while it ends in a backslash, and what is shown below.
fn commands(block: &str) -> Vec<Step> {
    let mut steps: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in block.lines() {
        match (steps.last_mut(), line.strip_prefix("$ ")) {
            (Some((command, _)), _) if open => {
                command.push('\n');
                command.push_str(line);
            }
            (_, Some(typed)) => steps.push((typed.to_owned(), String::new())),
            (Some((_, shown)), None) => {
                shown.push_str(line);
                shown.push('\n');
                continue;
            }
            (None, None) => continue,
        }
        open = line.ends_with('\\');
    }
    steps.into_iter().map(|(line, shown)| Step::Command { line, shown }).collect()
}

/// Words that noise may put in each other's place: those of `<!-- any: A B C -->`.
pub fn exchangeable(text: &str) -> Vec<String> {
    let lists =
        text.lines().filter_map(|line| line.strip_prefix("<!-- any: ")?.strip_suffix(" -->"));
    lists.flat_map(str::split_whitespace).map(String::from).collect()
}

/// Whether what was printed is what is shown: numbers and exchangeable words may differ, and a line `...` stands for any
/// lines.
pub fn alike(shown: &str, printed: &str, any: &[String]) -> bool {
    let same =
        |line: &str| any.iter().fold(masked(line), |line, word| line.replace(word.as_str(), "ANY"));
    let lines = |text: &str| -> Vec<String> { text.trim().lines().map(same).collect() };
    fits(&lines(shown), &lines(printed))
}

fn fits(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..]))
        }
        Some((first, rest)) => printed.first() == Some(first) && fits(rest, &printed[1..]),
    }
}

/// Every number and every hash as `#`, every bar as `=`, blanks as one: what noise and clocks may change.
fn masked(line: &str) -> String {
    let mut out = String::new();
    let hash = |word: &&str| {
        let bare = word.trim_end_matches([')', ',', '.', ';']);
        bare.len() >= 16 && bare.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let words =
        line.trim_end().split(' ').map(|word| Some(word).filter(|word| !hash(word)).unwrap_or("#"));
    for letter in words.collect::<Vec<_>>().join(" ").chars() {
        let letter = match letter {
            '0'..='9' => '#',
            '░' | '▁'..='▏' => '=',
            other => other,
        };
        let joins = matches!(letter, '#' | '=' | ' ') && out.ends_with(letter);
        // 1.5 and 1e-6 are numbers, too.
        let number = out.ends_with('#') && matches!(letter, '.' | ',' | 'e');
        if !joins && !number {
            out.push(letter);
        }
    }
    out.replace("#-#", "#").replace("-#", "#").replace("−#", "#")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_lists_of_steps() {
        let text = "# A page\n<!-- file: a.csv -->\n```csv\nx,y\n1,2\n```\n```console\n$ privet one \\\n    two\nsaid\n$ privet three\n```\n";
        let command =
            |line: &str, shown: &str| Step::Command { line: line.into(), shown: shown.into() };
        let file = Step::File { name: "a.csv".into(), text: "x,y\n1,2\n".into() };
        let expected =
            [file, command("privet one \\\n    two", "said\n"), command("privet three", "")];
        assert_eq!(steps(text).unwrap(), expected);
        assert!(steps("```\nx\n```\n").is_err(), "no language");
        assert!(steps("```console\n$ x\n").is_err(), "not closed");
        assert!(steps("```rust\n{{#include a.rs}}\n```\n").is_ok());
        assert!(steps("```rust\nlet a = 1;\n```\n").is_err(), "it is not compiled");
    }

    #[test]
    fn numbers_may_differ_and_words_may_not() {
        let any = exchangeable("# A page\n<!-- any: retail business -->\n");
        let same = |shown: &str, printed: &str| alike(shown, printed, &any);
        assert!(same("epsilon 1.5 of 3\n", "epsilon 0.25 of 3"));
        assert!(same("a\n...\nz", "a\nb\nc\nz") && same("...", "") && !same("a", "b"));
        assert!(!same("epsilon 1 spent", "epsilon 1 left"));
        assert!(same("task 09f840c908414d71", "task c0ffee12c0ffee12") && same("█████░ 1", "▍ 2"));
        assert!(same("all people, retail", "all people, business") && !same("retail", "student"));
    }
}
