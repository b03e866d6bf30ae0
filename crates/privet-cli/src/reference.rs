//! The reference of the book, made from the program: commands, formats, exit codes, the schema of cards.

mod schema;

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command, CommandFactory};
use privet::data::formats::{CSR_FOLDER_VERSION, DATASET_VERSION, Format};
use privet::privacy::{card, ledger};
use privet::{model, protocol};

use crate::args::Args;

/// What every page of it begins with.
const MADE: &str = "<!-- Made by `cargo xtask book --write` from the program. Do not edit. -->\n\n";

/// The command line, with everything filled in that parsing would fill in.
pub fn whole() -> Command {
    let mut command = Args::command();
    command.build();
    command
}

/// Its files, by name.
pub fn files() -> Vec<(&'static str, String)> {
    vec![
        ("commands.md", commands()),
        ("exit-codes.md", exit_codes()),
        ("formats.md", formats()),
        ("card.schema.json", schema::card() + "\n"),
    ]
}

fn commands() -> String {
    let mut out = format!("{MADE}# Commands\n\n");
    let whole = whole();
    out += "Every command and every option, as the program itself knows them. What all commands take:\n\n";
    let global = |arg: &&Arg| arg.is_global_set() && !arg.is_hide_set();
    options(&mut out, whole.get_arguments().filter(global));
    for below in whole.get_subcommands() {
        write_command(&mut out, below, "privet");
    }
    out
}

fn write_command(out: &mut String, command: &Command, above: &str) {
    if command.is_hide_set() {
        return;
    }
    let name = format!("{above} {}", command.get_name());
    let about = command.get_about().map(plain).unwrap_or_default();
    let _ = writeln!(out, "## {name}\n\n{about}.\n");
    let below: Vec<&Command> = command.get_subcommands().filter(|c| !c.is_hide_set()).collect();
    if below.is_empty() {
        let usage = plain(&command.clone().render_usage());
        let usage = usage.trim_start_matches("Usage: ").trim();
        let _ = writeln!(out, "```text\n{usage}\n```\n");
        let own = |arg: &&Arg| !arg.is_global_set() && !arg.is_hide_set() && arg.get_id() != "help";
        options(out, command.get_arguments().filter(own));
    }
    let after = command.get_after_long_help().or(command.get_after_help());
    if let Some(after) = after.map(plain).filter(|after| !after.trim().is_empty()) {
        let _ = writeln!(out, "```text\n{}\n```\n", after.trim());
    }
    for one in below {
        write_command(out, one, &name);
    }
}

/// A line for every option: how it is typed, and what it is for.
fn options<'a>(out: &mut String, arguments: impl Iterator<Item = &'a Arg>) {
    let mut any = false;
    for argument in arguments {
        let help = argument.get_long_help().or(argument.get_help()).map(plain).unwrap_or_default();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut more = Vec::new();
        let takes = matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
        if takes && !argument.is_hide_default_value_set() {
            let defaults = argument.get_default_values().iter();
            let defaults: Vec<String> =
                defaults.map(|value| value.to_string_lossy().into()).collect();
            if !defaults.is_empty() {
                more.push(format!("default `{}`", defaults.join(" ")));
            }
        }
        let values = argument.get_possible_values();
        let names: Vec<String> = values
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| format!("`{}`", value.get_name()))
            .collect();
        if takes && !names.is_empty() {
            more.push(format!("one of {}", names.join(", ")));
        }
        let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join("; ")) };
        let _ = writeln!(out, "- `{}`: {}{more}", typed(argument), escaped(&help));
        any = true;
    }
    if any {
        out.push('\n');
    }
}

/// `-o, --output <FILE>`, or `<INPUT>`.
fn typed(argument: &Arg) -> String {
    let names: Vec<String> = argument
        .get_value_names()
        .unwrap_or_default()
        .iter()
        .map(|name| format!("<{name}>"))
        .collect();
    let takes = matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
    let values = match (takes, names.is_empty()) {
        (false, _) => String::new(),
        (true, true) => format!("<{}>", argument.get_id().as_str().to_uppercase()),
        (true, false) => names.join(" "),
    };
    let short = argument.get_short().map(|letter| format!("-{letter}"));
    let long = argument.get_long().map(|name| format!("--{name}"));
    let flags: Vec<String> = [short, long].into_iter().flatten().collect();
    [flags.join(", "), values]
        .iter()
        .filter(|part| !part.is_empty())
        .cloned()
        .collect::<Vec<_>>()
        .join(" ")
}

fn plain(text: &StyledStr) -> String {
    text.to_string()
}

/// What Markdown would take for a tag.
fn escaped(text: &str) -> String {
    text.replace('<', "&lt;").replace('|', "\\|")
}

fn exit_codes() -> String {
    let help = Args::command().get_after_help().map(plain).unwrap_or_default();
    let codes = help.split_once("Exit codes:\n").map_or("", |(_, codes)| codes);
    format!(
        "{MADE}# Exit codes\n\nThe same for every command; scripts may rely on them.\n\n```text\n{}\n```\n",
        codes.trim_end()
    )
}

fn formats() -> String {
    let mut out = format!("{MADE}# File formats\n\n");
    out += "What Privet writes for itself has a version in it; a file of a later version is refused, by name.\n\n";
    out += "| file | what it holds | version |\n|---|---|---|\n";
    let own: [(&str, &str, u32); 6] = [
        ("`*.card.json`, `card.json`", "a privacy card ([schema](card.schema.json))", card::FORMAT),
        (
            "`*.ledger`",
            "what was charged: a header, then an entry a line, each with the hash of those before",
            ledger::FORMAT,
        ),
        (
            "`model.json`",
            "what a model knows about columns and classes, beside `model.safetensors`",
            model::FORMAT,
        ),
        ("`*.report`", "what a person's device sends", u32::from(protocol::report::VERSION)),
        ("`dataset.json`", "facts about tables of csv or Parquet beside it", DATASET_VERSION),
        ("`csr.json`", "a folder of arrays that are read where they lie", CSR_FOLDER_VERSION),
    ];
    for (file, what, version) in own {
        let _ = writeln!(out, "| {file} | {what} | {version} |");
    }
    out += "\nGraphs of others are recognised by their names and first bytes, or named with `--format`:\n\n";
    for format in Format::ALL {
        let _ = writeln!(out, "- `{}`", format.name());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_names_every_command_and_option() {
        let text = commands();
        for part in
            ["## privet protect edges", "`-o, --output", "`--epsilon", "## privet self check"]
        {
            assert!(text.contains(part), "no {part}");
        }
        assert!(!text.contains("privet self reference"), "hidden");
        assert!(text.len() < 200_000, "{}", text.len());
        assert!(exit_codes().contains("130  interrupted"));
        assert!(formats().contains("| `*.ledger` |"));
    }
}
