//! The schema of privacy cards, in the language of JSON Schema. Tests hold real cards against it.

use privet::privacy::card::FORMAT;
use privet::privacy::unit::Relation;
use serde_json::{Value, json};

/// The schema of a card, as text.
pub fn card() -> String {
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
            ("loss", "The guarantee of everybody who did not choose otherwise.", of("loss")),
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
            ("noise", "Where the noise came from; replayed from a seed it protects nobody.", noise),
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

type Field<'a> = (&'a str, &'a str, Value);

/// An object with these fields and no others.
fn object(about: &str, required: &[Field<'_>], optional: &[Field<'_>]) -> Value {
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
