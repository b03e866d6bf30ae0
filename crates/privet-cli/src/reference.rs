//! The reference of the book, made from the program: commands, formats, exit codes, the schema of cards.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command, CommandFactory};
use privet::data::formats::{CSR_FOLDER_VERSION, DATASET_VERSION, Format};
use privet::privacy::card::FORMAT;
use privet::privacy::ledger;
use privet::privacy::unit::Relation;
use privet::{model, protocol};
use serde_json::{Value, json};

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
        ("card.schema.json", card() + "\n"),
        ("requests.json", format!("{:#}\n", crate::requests::requests())),
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
        ("`*.card.json`, `card.json`", "a privacy card ([schema](card.schema.json))", FORMAT),
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

// The schema of privacy cards, in the language of JSON Schema. Tests hold real cards against it.

/// The schema of a card, as text.
fn card() -> String {
    let mut schema = object(
        "A privacy card: what was promised about released files, and what was not.",
        &[
            ("format", "The version of the format.", json!({"const": FORMAT})),
            ("subject", "What was released.", text()),
            ("files", "The files it was issued for, and no others.", list("file")),
            ("totals", "What guarantees of one relation cost one person together.", list("total")),
            ("guarantees", "One for each ledger.", list("guarantee")),
            ("unprotected", "What has no protection.", list("unprotected")),
            ("software", "What made it.", text()),
        ],
        &[("mac", "HMAC-SHA256 of everything else by the issuer's key.", text())],
    );
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["$id"] = json!(format!("privet-card-{FORMAT}"));
    schema["$defs"] = definitions();
    serde_json::to_string_pretty(&schema).unwrap_or_default()
}

fn definitions() -> Value {
    let relations: Vec<&str> = Relation::ALL.iter().map(|relation| relation.name()).collect();
    json!({
        "relation": {"description": "What two neighbouring inputs differ in.", "enum": relations},
        "loss": object("What a release costs at most.", &[
            ("epsilon", "At least 0; \"inf\" is no protection.", json!({"anyOf": [{"type": "number", "minimum": 0}, {"const": "inf"}]})),
            ("delta", "From 0 to 1.", json!({"type": "number", "minimum": 0, "maximum": 1})),
        ], &[]),
        "file": object("A file as it was when the card was issued.", &[
            ("name", "From the card's folder on.", text()),
            ("bytes", "Its length.", count()),
            ("sha256", "Its SHA-256, in hexadecimal digits.", text()),
        ], &[]),
        "total": object("What several ledgers cost one person together.", &[
            ("relation", "The relation they share.", of("relation")),
            ("units", "Their units.", json!({"type": "array", "items": text()})),
            ("protects", "What they protect together, in words.", text()),
            ("loss", "The sum of their losses.", of("loss")),
        ], &[]),
        "unprotected": object("Something that is not protected.", &[
            ("what", "In words.", text()),
        ], &[("about", "The part of a dataset that lies open.", json!({"enum": ["features", "labels", "edges"]}))]),
        "guarantee": guarantee(),
        "group": object("What one group of people is left with.", &[
            ("users", "How many they are, where the ledger knows.", json!({"anyOf": [count(), {"type": "null"}]})),
            ("loss", "Their guarantee.", of("loss")),
            ("opted_out", "Whether they chose to publish.", json!({"type": "boolean"})),
        ], &[]),
        "release": release(),
        "theorem": object("Why it costs that.", &[
            ("statement", "What is proved.", text()),
            ("proof", "Where the proof stands.", text()),
        ], &[]),
        "conversion": object("The same releases under another relation.", &[
            ("relation", "The other relation.", of("relation")),
            ("loss", "The guarantee there.", of("loss")),
            ("theorem", "By which theorem.", text()),
        ], &[(
            "between",
            "Which pairs of people it is about; any two if it is not said.",
            json!({"enum": ["any-two", "with-publisher", "two-private"]}),
        )]),
        "seal": object("The ledger that a guarantee was computed from.", &[
            ("file", "The name of its file, if it has one.", json!({"anyOf": [text(), {"type": "null"}]})),
            ("entries", "How many entries it had.", count()),
            ("chain", "The hash after the last of them.", text()),
        ], &[]),
    })
}

fn guarantee() -> Value {
    object(
        "What one ledger promises.",
        &[
            ("published", "How many people chose to publish, and have no protection.", count()),
            ("unit", "The protected unit.", text()),
            ("protects", "What that protects, in words.", text()),
            ("relation", "What neighbouring inputs differ in.", of("relation")),
            ("trust", "Who sees the raw data.", json!({"enum": ["nobody", "curator"]})),
            ("loss", "The guarantee of all who did not choose otherwise.", of("loss")),
            ("accountant", "Which accountant computed it.", text()),
            ("limit", "What may be spent in all.", of("loss")),
            ("groups", "Groups with guarantees of their own.", list("group")),
            ("releases", "What was done, in order.", list("release")),
            ("also", "The same under other relations.", list("conversion")),
            ("ledger", "Which ledger this follows from.", of("seal")),
        ],
        &[("profile", "Other guarantees of the same releases, at smaller epsilons.", list("loss"))],
    )
}

fn release() -> Value {
    let status = json!({
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"enum": ["holds", "holds-at-stationarity", "conditional", "paper-mode"]}}
    });
    let noise = json!({"anyOf": [
        {"const": "operating-system"},
        {"type": "object", "required": ["simulation"], "properties": {"simulation": {"type": "object"}}}
    ]});
    object(
        "One release.",
        &[
            ("mechanism", "The mechanism.", text()),
            ("parameters", "Its public settings.", json!({"type": "object"})),
            ("event", "What happened, in words.", text()),
            ("theorem", "Why it costs that.", of("theorem")),
            ("status", "How far the claim can be trusted.", status),
            (
                "numerics",
                "Whether the proof is about the very arithmetic that ran.",
                json!({"enum": ["exact", "idealized"]}),
            ),
            (
                "noise",
                "Where the noise came from; replayed from a seed it gives no protection.",
                noise,
            ),
            (
                "assumes_public",
                "What was taken for public.",
                json!({"type": "array", "items": text()}),
            ),
        ],
        &[(
            "audited",
            "Whether Privet ships the mechanism; true if it is not said.",
            json!({"type": "boolean"}),
        )],
    )
}

type SchemaField<'a> = (&'a str, &'a str, Value);

/// An object with these fields and no others.
fn object(about: &str, required: &[SchemaField<'_>], optional: &[SchemaField<'_>]) -> Value {
    let mut properties = serde_json::Map::new();
    for (name, about, kind) in required.iter().chain(optional) {
        let mut kind = kind.clone();
        // What is defined elsewhere has its own words beside these.
        kind["description"] = json!(about);
        properties.insert((*name).to_owned(), kind);
    }
    let required: Vec<&str> = required.iter().map(|(name, ..)| *name).collect();
    json!({
        "description": about,
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    })
}

fn text() -> Value {
    json!({"type": "string"})
}

fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

fn of(definition: &str) -> Value {
    json!({"$ref": format!("#/$defs/{definition}")})
}

fn list(definition: &str) -> Value {
    json!({"type": "array", "items": of(definition)})
}

// The manual: a page in the format of `man` for every command.

/// Pages by the names of their files, `privet.1` first.
///
/// # Errors
/// If a page cannot be rendered.
pub fn pages() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut pages = Vec::new();
    collect(&whole(), "privet", &mut pages)?;
    Ok(pages)
}

fn collect(
    command: &Command,
    name: &str,
    pages: &mut Vec<(String, Vec<u8>)>,
) -> std::io::Result<()> {
    let mut page = Vec::new();
    // `man` has one word a page.
    let named = command.clone().name(name.to_owned()).display_name(name);
    clap_mangen::Man::new(named).title(name.to_uppercase()).render(&mut page)?;
    pages.push((format!("{name}.1"), page));
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        collect(below, &format!("{name}-{}", below.get_name()), pages)?;
    }
    Ok(())
}

/// The whole command line, as clap knows it.
pub fn command() -> Command {
    Args::command()
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

    #[test]
    fn every_command_has_a_page() {
        let pages = pages().unwrap();
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        for name in ["privet.1", "privet-protect-edges.1", "privet-self-check.1"] {
            assert!(names.contains(&name), "{names:?}");
        }
        assert!(!names.iter().any(|name| name.contains("reference")), "hidden");
        let edges = pages.iter().find(|(name, _)| name == "privet-protect-edges.1").unwrap();
        let text = String::from_utf8(edges.1.clone()).unwrap();
        assert!(text.contains(".TH") && text.contains("epsilon"), "{text}");
    }
}
