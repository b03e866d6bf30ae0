//! The book's reference: what is stored is what the program says, and real cards follow the schema.

use std::path::Path;

use serde_json::Value;

use crate::ran::Folder;

/// `cargo xtask book --write` brings it up to date.
#[test]
fn the_reference_is_up_to_date() {
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src/reference");
    for (name, text) in privet_cli::reference::files() {
        let path = stored.join(name);
        let told = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            told == text,
            "docs/book/src/reference/{name} is out of date: cargo xtask book --write"
        );
    }
}

#[test]
fn cards_follow_the_schema() {
    let files = privet_cli::reference::files();
    let (_, schema) = files.iter().find(|(name, _)| *name == "card.schema.json").unwrap();
    let schema: Value = serde_json::from_str(schema).unwrap();
    let folder = Folder::new();
    folder.ok("data generate karate -o in.npz");
    folder.ok("protect edges in.npz -o seeded.npz --epsilon 1 --seed 3");
    folder.ok("protect edges in.npz -o real.npz --mechanism dprr --epsilon 2");
    for name in ["seeded.npz.card.json", "real.npz.card.json"] {
        let mut card: Value = serde_json::from_slice(&folder.read(name)).unwrap();
        assert_eq!(mistakes(&card, &schema, &schema, "card"), Vec::<String>::new(), "{name}");
        card["guarantees"][0]["loss"]["epsilon"] = "none".into();
        card["surprise"] = 1.into();
        assert_eq!(mistakes(&card, &schema, &schema, "card").len(), 2, "{name}");
    }
}

/// Where a value is not what a schema says: as much of JSON Schema as ours uses.
fn mistakes(value: &Value, schema: &Value, root: &Value, at: &str) -> Vec<String> {
    if let Some(place) = schema["$ref"].as_str() {
        let named = root.pointer(place.trim_start_matches('#')).unwrap();
        return mistakes(value, named, root, at);
    }
    let fits = |schema: &Value| mistakes(value, schema, root, at).is_empty();
    if let Some(choices) = schema["anyOf"].as_array() {
        let any = choices.iter().any(fits);
        return if any { Vec::new() } else { vec![format!("{at}: none of the choices: {value}")] };
    }
    let mut found = Vec::new();
    let mut wrong = |what: &str| found.push(format!("{at}: {what}: {value}"));
    if schema.get("const").is_some_and(|only| only != value) {
        wrong("another constant");
    }
    if schema["enum"].as_array().is_some_and(|names| !names.contains(value)) {
        wrong("not in the list");
    }
    let is = |kind: &str| match kind {
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        _ => value.is_object(),
    };
    if schema["type"].as_str().is_some_and(|kind| !is(kind)) {
        wrong("another type");
        return found;
    }
    for (place, item) in value.as_array().into_iter().flatten().enumerate() {
        found.extend(mistakes(item, &schema["items"], root, &format!("{at}[{place}]")));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            found.push(format!("{at}: no {name}"));
        }
    }
    for (name, item) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(known) => found.extend(mistakes(item, known, root, &format!("{at}.{name}"))),
            None if schema["additionalProperties"] == false => {
                found.push(format!("{at}: {name} is not known"));
            }
            None => {}
        }
    }
    found
}

#[test]
fn the_program_checks_itself_and_writes_its_manual() {
    let folder = Folder::new();
    let told = folder.ok("self check");
    for part in ["program", "randomness", "accounts", "project", "none here", "disk"] {
        assert!(told.contains(part), "{told}");
    }
    assert!(folder.json("self check")["checks"].as_array().unwrap().len() >= 5);
    folder.ok("self man man1 --quiet");
    assert!(folder.path("man1/privet-run-ldp-ge.1").exists());
    // A ledger that was edited is found.
    folder.write("privet.toml", b"not a project");
    let ran = folder.run("self check");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stdout.contains("BROKEN"), "{}", ran.stdout);
}
