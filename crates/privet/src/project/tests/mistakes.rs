//! Mistakes in `privet.toml`: each is told with its line, what was found and what would be right.

use std::path::Path;

use super::TEXT;
use crate::project::Config;

/// The text with one thing changed, and what must be said.
fn told(change: (&str, &str)) -> String {
    let (from, to) = change;
    assert!(TEXT.contains(from), "{from}");
    let text = TEXT.replacen(from, to, 1);
    Config::parse(&text, Path::new("privet.toml")).expect_err(to).to_string()
}

#[test]
fn what_is_right_is_taken() {
    Config::parse(TEXT, Path::new("privet.toml")).unwrap();
}

#[test]
fn every_mistake_is_told_with_its_line_and_a_remedy() {
    let graphs = |rest: &str| {
        format!(
            "target = \"payee\"\n\n[graphs]\nfile = \"g.csv\"\nid = \"g\"\nlabel = \"kind\"\nclasses = [\"a\", \"b\"]\n{rest}"
        )
    };
    let (twice, feature, absent) =
        (graphs("member = \"customer\"\n"), graphs("member = \"age\"\n"), graphs(""));
    let one_class = graphs("member = \"ward\"\n").replace("[\"a\", \"b\"]", "[\"a\"]");
    let cases = [
        (("target = \"payee\"\n", &*twice), "line 36", "names a person's graph"),
        (("target = \"payee\"\n", &feature), "line 36", "has no other use"),
        (("target = \"payee\"\n", &absent), "line 31", "member"),
        (("target = \"payee\"\n", &one_class), "line 35", "graphs.classes"),
        (("label = \"segment\"", "label = \"segment\"\nwhether = \"gold\""), "line 14", "retail"),
        (("name = \"shop\"", "name = \"\""), "line 2", "a few words"),
        (("name = \"shop\"", "nane = \"shop\""), "line 2", "nane"),
        (("name = \"shop\"", "name = 7"), "line 2", "string"),
        (("trust = \"curator\"", "trust = \"nobody\""), "line 3", "curator"),
        (("trust = \"curator\"", "trust = \"devices\""), "line 4", "contacts, features or labels"),
        (("[\"people\"]", "[]"), "line 4", "at least one of people"),
        (("[\"people\"]", "[\"person\"]"), "line 4", "people"),
        (("[\"people\"]", "[\"people\", \"features\"]"), "line 4", "people alone"),
        (("[\"people\"]", "[\"features\", \"features\"]"), "line 4", "each of them once"),
        (("[\"people\"]", "[\"contacts\"]"), "line 4", "trust = \"devices\""),
        (("[\"people\"]", "[\"labels\"]"), "people", "no_label = []"),
        (("[\"people\"]", "\"people\""), "line 4", "sequence"),
        (("epsilon = 4.0", "epsilon = -1"), "line 7", "a number above 0"),
        (("epsilon = 4.0", "epsilon = inf"), "line 7", "a number above 0"),
        (("epsilon = 4.0", "epsilon = 100"), "line 7", "at most 20"),
        (("epsilon = 4.0", "epsilon = \"4\""), "line 7", "f"),
        (("epsilon = 4.0\n", ""), "line 6", "epsilon"),
        (("delta = 1e-4", "delta = 0.5"), "line 8", "far below one over the number"),
        (("delta = 1e-4", "delta = 0"), "line 8", "above 0"),
        (("delta = 1e-4", "delta = 1e-4\n[test]\nshare = 2"), "line 10", "from 0 to 0.9"),
        (("id = \"customer\"\n", ""), "line 10", "id"),
        (("label = \"segment\"\n", ""), "line", "label"),
        (("classes = [\"retail\", \"business\"]\n", ""), "line", "classes"),
        (("[\"retail\", \"business\"]", "[\"retail\"]"), "line 14", "classes"),
        (("[\"retail\", \"business\"]", "[\"retail\", \"retail\"]"), "line 14", "classes"),
        (("kind = \"number\"", "kind = \"numeric\""), "line", "number"),
        (("low = 18", "low = 180"), "line 1", "low"),
        (("low = 18", "low = \"18\""), "line 1", ""),
        (("high = 100\n", ""), "line 1", "high"),
        (("missing = \"middle\"", "missing = \"mean\""), "line 2", "middle"),
        (("missing = \"middle\"", "missing = 7"), "line 2", ""),
        (("[\"north\", \"south\"]", "[]"), "line 2", "values"),
        (("[\"north\", \"south\"]", "[\"north\", \"north\"]"), "line 2", "values"),
        (("values = [\"north\", \"south\"]\n", ""), "line 2", "values"),
        (("source = \"payer\"\n", ""), "line 2", "source"),
        (
            (
                "target = \"payee\"",
                "target = \"payee\"\nweight = { column = \"amount\", low = 5, high = 1 }",
            ),
            "line 3",
            "high",
        ),
        (
            (
                "target = \"payee\"",
                "target = \"payee\"\ntime = { column = \"d\", from = \"tomorrow\" }",
            ),
            "line 3",
            "",
        ),
        (("[budget]", "[budget"), "line 6", ""),
        (("[[edges]]", "[edges]"), "line 2", ""),
        (("[people.columns.region]", "[people.columns.customer]"), "people.columns.customer", "id"),
    ];
    assert!(cases.len() >= 30);
    for (change, place, remedy) in cases {
        let told = told(change);
        assert!(told.starts_with("privet.toml, line "), "{change:?}: {told}");
        assert!(told.contains(place) && told.contains(remedy), "{change:?}: {told}");
    }
}
