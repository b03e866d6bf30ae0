use serde_json::{Value, json};

use crate::declared::Schema;

fn right() -> Value {
    json!({
        "people": {
            "file": "customers.csv", "id": "id", "label": "segment", "classes": ["retail", "business"],
            "columns": {
                "age": {"kind": "number", "low": 18, "high": 100},
                "region": {"kind": "category", "values": ["north", "south"]},
                "rating": {"kind": "ordinal", "values": ["low", "high"]},
                "notes": {"kind": "text", "columns": 8},
            },
        },
        "edges": [{
            "file": "payments.csv", "source": "from", "target": "to",
            "weight": {"column": "amount", "low": 10, "high": 1000},
            "time": {"column": "date", "from": "2026-01-01", "until": 1_790_000_000},
            "type": {"column": "kind", "keep": ["card"]},
        }],
    })
}

/// Sets what `path` points at; null removes it.
fn with(path: &str, value: Value) -> Value {
    let mut schema = right();
    let (parent, name) = path.rsplit_once('/').unwrap();
    let parent = schema.pointer_mut(parent).and_then(Value::as_object_mut).unwrap();
    match value {
        Value::Null => parent.remove(name),
        value => parent.insert(name.into(), value),
    };
    schema
}

fn mistake(path: &str, value: Value) -> String {
    let schema: Schema = serde_json::from_value(with(path, value)).unwrap();
    schema.check().unwrap_err().to_string()
}

#[test]
fn what_is_right_is_right() {
    let schema: Schema = serde_json::from_value(right()).unwrap();
    assert_eq!(schema.check(), Ok(()));
    let back: Schema = serde_json::from_str(&serde_json::to_string(&schema).unwrap()).unwrap();
    assert_eq!(back, schema);
}

#[test]
fn every_mistake_names_its_key_and_what_would_be_right() {
    for (path, value, key, message) in [
        ("/people/file", json!(""), "people.file", "the name of a file"),
        ("/people/file", json!("bank.duckdb"), "people.file", "COPY t TO 't.parquet'"),
        ("/people/file", json!("people.xlsx"), "people.file", "saved as CSV"),
        ("/people/file", json!("bank.sqlite"), "people.table", "which table"),
        ("/people/table", json!("t"), "people.table", "SQLite files alone"),
        ("/people/id", json!(" id"), "people.id", "without blanks"),
        ("/people/label", json!("id"), "people.label", "another column"),
        ("/people/label", json!("age"), "people.columns.age", "a feature and nothing else"),
        ("/people/id", json!("age"), "people.columns.age", "the column of ids"),
        ("/people/label", Value::Null, "people.classes", "people.label beside it"),
        ("/people/classes", Value::Null, "people.classes", "the classes there are"),
        ("/people/classes", json!(["one"]), "people.classes", "at least 2"),
        ("/people/classes", json!(["a", "a"]), "people.classes", "'a' twice"),
        ("/people/classes", json!(["a", ""]), "people.classes", "people.no_label"),
        ("/people/separator", json!(""), "people.separator", "an empty text"),
        ("/people/separator", json!("s"), "people.classes", "holds the separator"),
        ("/people/columns/age/low", json!(100), "people.columns.age.low", "less than high"),
        ("/people/columns/age/low", json!(-1e308), "", ""),
        ("/people/columns/age/high", Value::Null, "people.columns.age.high", "highest value"),
        ("/people/columns/age/low", Value::Null, "people.columns.age.low", "lowest value"),
        (
            "/people/columns/age/values",
            json!(["1"]),
            "people.columns.age.values",
            "category or ordinal",
        ),
        ("/people/columns/age/columns", json!(3), "people.columns.age.columns", "a text alone"),
        ("/people/columns/age/missing", json!("none"), "people.columns.age.missing", "\"middle\""),
        (
            "/people/columns/age/missing",
            json!(7),
            "people.columns.age.missing",
            "a number in range",
        ),
        ("/people/columns/region/values", json!([]), "people.columns.region.values", "at least 1"),
        (
            "/people/columns/region/values",
            Value::Null,
            "people.columns.region.values",
            "the values",
        ),
        (
            "/people/columns/region/values",
            json!(["a", "a"]),
            "people.columns.region.values",
            "twice",
        ),
        (
            "/people/columns/region/values",
            json!(["a "]),
            "people.columns.region.values",
            "no blanks",
        ),
        (
            "/people/columns/region/values",
            json!(["NA"]),
            "people.columns.region.values",
            "people.missing",
        ),
        (
            "/people/columns/region/missing",
            json!("middle"),
            "people.columns.region.missing",
            "\"none\"",
        ),
        ("/people/columns/region/low", json!(1), "people.columns.region.low", "a number alone"),
        (
            "/people/columns/rating/values",
            json!(["one"]),
            "people.columns.rating.values",
            "at least 2",
        ),
        (
            "/people/columns/rating/other",
            json!("none"),
            "people.columns.rating.other",
            "a category",
        ),
        ("/people/columns/rating/missing", json!(1), "people.columns.rating.missing", "\"low\""),
        ("/people/columns/notes/columns", json!(0), "people.columns.notes.columns", "from 1 to"),
        (
            "/people/columns/notes/columns",
            json!(1e9 as u32),
            "people.columns.notes.columns",
            "65536",
        ),
        ("/people/columns/notes/columns", Value::Null, "people.columns.notes.columns", "nothing"),
        ("/people/columns/notes/most", json!(0), "people.columns.notes.most", "at least 1"),
        (
            "/people/columns/ x",
            json!({"kind": "text", "columns": 1}),
            "people.columns. x",
            "blanks",
        ),
        ("/people/columns/notes:0", json!({"kind": "text", "columns": 1}), "", ""),
        (
            "/people/columns/notes:0",
            json!({"kind": "number", "low": 0, "high": 1}),
            "people.columns",
            "different names",
        ),
        ("/edges/0/file", json!("x.ddb"), "edges[0].file", "COPY t TO"),
        ("/edges/0/file", json!("x.db"), "edges[0].table", "which table"),
        ("/edges/0/source", json!(""), "edges[0].source", "one end"),
        ("/edges/0/target", json!("from"), "edges[0].target", "another column"),
        ("/edges/0/weight/low", json!(1000), "edges[0].weight.low", "less than high"),
        ("/edges/0/weight/low", json!(0), "edges[0].weight.low", "above 0"),
        ("/edges/0/weight/low", json!(-1), "edges[0].weight.low", "above 0"),
        ("/edges/0/weight/column", json!(""), "edges[0].weight.column", "weights"),
        ("/edges/0/time/from", json!("yesterday"), "edges[0].time.from", "2026-01-31"),
        ("/edges/0/time/until", json!("2025-01-01"), "edges[0].time.from", "before until"),
        (
            "/edges/0/time/until",
            json!(1_790_000_000_000_i64),
            "edges[0].time.until",
            "seconds since 1970",
        ),
        ("/edges/0/time", json!({"column": "date"}), "edges[0].time.from", "from, until or both"),
        ("/edges/0/type/keep", json!([]), "edges[0].type.keep", "at least 1"),
        ("/edges/0/type/column", json!(""), "edges[0].type.column", "types"),
    ] {
        if key.is_empty() {
            let schema: Schema = serde_json::from_value(with(path, value)).unwrap();
            assert_eq!(schema.check(), Ok(()), "{path}");
            continue;
        }
        let found = mistake(path, value.clone());
        assert!(found.starts_with(&format!("{key}: ")), "{path} {value}: {found}");
        assert!(found.contains(message), "{path} {value}: {found}");
    }
}

#[test]
fn unknown_keys_and_words_are_refused_where_they_stand() {
    for (path, value, message) in [
        ("/people/colums", json!({}), "colums"),
        ("/people/columns/age/lo", json!(1), "lo"),
        ("/people/columns/age/kind", json!("float"), "number"),
        ("/people/columns/age/missing", json!("mean"), "\"middle\""),
        ("/people/columns/region/other", json!("keep"), "refuse"),
        ("/edges/0/weights", json!(1), "weights"),
        ("/edges/0/strangers", json!("ignore"), "leave-out"),
        ("/edges/0/weight/cap", json!(1), "cap"),
        ("/edges/0/time/to", json!("2026-01-01"), "to"),
        ("/edges/0/type/drop", json!([]), "drop"),
    ] {
        let error = serde_json::from_value::<Schema>(with(path, value)).unwrap_err().to_string();
        assert!(error.contains(message), "{path}: {error}");
    }
}
