use super::*;

fn changes(text: &str) -> Vec<String> {
    mutants_of("a.rs", text).unwrap().into_iter().map(|mutant| mutant.change).collect()
}

#[test]
fn finds_operators_literals_calls_and_bodies() {
    let text = "fn f(a: f64) -> f64 { g(a.max(2.0).sqrt()); a - 1.0 }";
    let expected = [
        "body with `0.0`",
        "body with `1.0`",
        "without `g(a.max(2.0).sqrt());`",
        "`a.max(2.0)` with `min`",
        "`a.max(2.0).sqrt()` without `sqrt`",
        "`2.0` with `4.0`",
        "`a - 1.0` with `+`",
        "`1.0` with `2.0`",
    ];
    assert_eq!(changes(text), expected);
}

#[test]
fn leaves_constants_tests_patterns_and_texts_alone() {
    for text in [
        "const A: u8 = 1 + 2;",
        "const fn f() -> u8 { 1 + 2 }",
        "#[cfg(test)] mod tests { fn f() -> u8 { 1 + 2 } }",
        "#[test] fn f() { assert!(g(1 + 2)); }",
        "impl Debug for A { fn fmt(&self) -> u8 { 1 + 2 } }",
        "fn f() -> &T { Error::range(\"a\", 1 + 2) }",
        "fn f() -> &T { match a { 1 => b, 2..3 => c } }",
    ] {
        assert!(changes(text).is_empty(), "{text}: {:?}", changes(text));
    }
}

#[test]
fn equal_changes_are_told_apart() {
    let text = "fn f() -> &T { g(a + b, a + b) }";
    assert_eq!(changes(text), ["`a + b` with `-`", "`a + b` with `-` (2)"]);
}
