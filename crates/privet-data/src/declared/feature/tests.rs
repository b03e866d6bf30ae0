use proptest::prelude::*;

use super::*;
use crate::declared::{Encoder, PeopleTable};

fn encoder(columns: &str) -> Encoder {
    let json = format!(
        r#"{{"file": "p.csv", "id": "id", "missing": ["", "NA", "-999"], "columns": {columns}}}"#
    );
    let people: PeopleTable = serde_json::from_str(&json).unwrap();
    Encoder::new(&people).unwrap()
}

fn row(columns: &str, cells: &[&str]) -> Vec<f32> {
    encoder(columns).encode(cells).unwrap()
}

#[test]
fn numbers_are_clipped_and_scaled() {
    let age = r#"{"age": {"kind": "number", "low": 20, "high": 60, "missing": "middle"}}"#;
    for (cell, expected) in [
        ("20", 0.0),
        ("60", 1.0),
        ("30", 0.25),
        (" 30 ", 0.25),
        ("3e1", 0.25),
        ("-1e300", 0.0),
        ("61", 1.0),
        ("NA", 0.5),
        ("", 0.5),
        // A marker that looks like a number is a marker.
        ("-999", 0.5),
        // Another that does is not.
        ("-998", 0.0),
    ] {
        assert_eq!(row(age, &[cell]), [expected], "{cell}");
    }
    for cell in ["x", "inf", "1,5", "0x10", "NaN"] {
        let error = encoder(age).encode(&[cell]).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("age is an invalid value (hidden); expected a finite number"),
            "{message}"
        );
        assert!(error.with_values().contains(&format!("'{cell}'")));
    }
}

#[test]
fn every_rule_for_gaps() {
    let number = |rule: &str| {
        format!(r#"{{"a": {{"kind": "number", "low": 0, "high": 10, "missing": {rule}}}}}"#)
    };
    assert_eq!(row(&number("\"low\""), &["NA"]), [0.0]);
    assert_eq!(row(&number("\"high\""), &["NA"]), [1.0]);
    assert_eq!(row(&number("2.5"), &["NA"]), [0.25]);
    assert_eq!(row(&number("\"column\""), &["NA"]), [0.5, 1.0]);
    assert_eq!(row(&number("\"column\""), &["10"]), [1.0, 0.0]);
    assert_eq!(encoder(&number("\"column\"")).columns(), ["a", "a:missing"]);
    let message = encoder(&number("\"refuse\"")).encode(&["NA"]).unwrap_err().to_string();
    assert!(message.contains("a missing value") && message.contains("missing = "), "{message}");

    let ordinal =
        r#"{"o": {"kind": "ordinal", "values": ["low", "mid", "high"], "missing": "column"}}"#;
    assert_eq!(row(ordinal, &["mid"]), [0.5, 0.0]);
    assert_eq!(row(ordinal, &["high"]), [1.0, 0.0]);
    assert_eq!(row(ordinal, &[""]), [0.5, 1.0]);
    assert!(encoder(ordinal).encode(&["huge"]).is_err());
}

#[test]
fn categories_in_declared_order() {
    let region = |rules: &str| {
        format!(r#"{{"r": {{"kind": "category", "values": ["south", "north"]{rules}}}}}"#)
    };
    assert_eq!(row(&region(""), &["north"]), [0.0, 1.0]);
    assert!(encoder(&region("")).encode(&["east"]).is_err());
    assert!(encoder(&region("")).encode(&["NA"]).is_err());
    let both = region(r#", "other": "column", "missing": "column""#);
    assert_eq!(encoder(&both).columns(), ["r=south", "r=north", "r:other", "r:missing"]);
    assert_eq!(row(&both, &["south"]), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(row(&both, &["east"]), [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(row(&both, &["NA"]), [0.0, 0.0, 0.0, 1.0]);
    let none = region(r#", "other": "none", "missing": "none""#);
    assert_eq!(row(&none, &["east"]), [0.0, 0.0]);
    assert_eq!(row(&none, &[""]), [0.0, 0.0]);
}

#[test]
fn words_are_counted_up_to_the_most() {
    let notes = r#"{"n": {"kind": "text", "columns": 32, "most": 4, "missing": "column"}}"#;
    let encoded = row(notes, &["Late again, late; late late late"]);
    assert_eq!((encoded[6], encoded[17], encoded[32]), (1.0, 0.25, 0.0));
    assert_eq!(encoded.iter().sum::<f32>(), 1.25);
    let missing = row(notes, &["NA"]);
    assert_eq!((missing[32], missing.iter().sum::<f32>()), (1.0, 1.0));
    let plain = r#"{"n": {"kind": "text", "columns": 4}}"#;
    assert_eq!(row(plain, &[""]), [0.0; 4]);
}

#[test]
fn cells_of_typed_files_read_as_their_text_would() {
    let columns = r#"{"r": {"kind": "category", "values": ["3", "4.5"]}}"#;
    let encoder = encoder(columns);
    let encode = |cell: TableCell<'_>| {
        let mut row = vec![0.0; 2];
        encoder.encode_into(|_| cell, &mut row).map(|()| row).ok()
    };
    assert_eq!(encode(TableCell::Integer(3)), Some(vec![1.0, 0.0]));
    assert_eq!(encode(TableCell::Real(3.0)), Some(vec![1.0, 0.0]));
    assert_eq!(encode(TableCell::Real(4.5)), Some(vec![0.0, 1.0]));
    assert_eq!(encode(TableCell::Nothing), None);
    assert_eq!(encode(TableCell::Real(f64::NAN)), None);
    for marker in [
        TableCell::Integer(-999),
        TableCell::Real(-999.0),
        TableCell::Text("-999"),
        TableCell::Nothing,
    ] {
        assert!(marker.is_among(&["NA".into(), "-999".into()]), "{marker:?}");
    }
    assert!(!TableCell::Integer(0).is_among(&["".into(), "NA".into()]));
}

#[test]
fn an_encoder_survives_being_saved() {
    let encoder = encoder(
        r#"{"z": {"kind": "number", "low": 0, "high": 1, "missing": 0.5},
            "a": {"kind": "text", "columns": 3}}"#,
    );
    let value = serde_json::to_value(&encoder).unwrap();
    let back: Encoder = serde_json::from_value(value).unwrap();
    assert_eq!(back, encoder);
    assert_eq!(back.columns(), ["z", "a:0", "a:1", "a:2"]);
    let forged = r#"{"missing": [], "columns": [{"name": "a", "column": {"kind": "number"}}]}"#;
    assert!(serde_json::from_str::<Encoder>(forged).unwrap_err().to_string().contains("a.low"));
}

proptest! {
    /// Whatever a number's cell says, it is refused or lands in the range.
    #[test]
    fn no_cell_leaves_the_range(cell in "\\PC{0,12}|-?[0-9.e]{1,8}", low in -1e6..1e6f64, width in 1e-3..1e6f64) {
        let mut column = DeclaredColumn::new(ColumnKind::Number);
        (column.low, column.high, column.missing) = (Some(low), Some(low + width), Some(MissingRule::Middle));
        let feature = Feature::new("x", &column, &[]).unwrap();
        let mut out = [0.0];
        if feature.encode(TableCell::text(&cell), &MissingMarkers::new(&[]), &mut out).is_ok() {
            prop_assert!((0.0..=1.0).contains(&out[0]), "{:?}", out);
        }
    }

    /// Declared cells are never refused, and every column stays in 0..1.
    #[test]
    fn encoding_is_total_on_what_is_declared(
        age in prop_oneof![any::<f64>().prop_filter("finite", |v| v.is_finite()).prop_map(|v| v.to_string()), Just("NA".into())],
        region in prop::sample::select(vec!["north", "south", "", "elsewhere"]),
        rating in prop::sample::select(vec!["low", "mid", "high", "NA"]),
        notes in "\\PC{0,40}",
    ) {
        let encoder = encoder(r#"{
            "age": {"kind": "number", "low": -1e308, "high": 0, "missing": "column"},
            "region": {"kind": "category", "values": ["north", "south"], "other": "column", "missing": "none"},
            "rating": {"kind": "ordinal", "values": ["low", "mid", "high"], "missing": "middle"},
            "notes": {"kind": "text", "columns": 7, "most": 3}
        }"#);
        let row = encoder.encode(&[&age, region, rating, &notes]).unwrap();
        prop_assert_eq!(row.len(), encoder.width());
        prop_assert_eq!(row.len(), encoder.columns().len());
        prop_assert!(row.iter().all(|value| (0.0..=1.0).contains(value)), "{:?}", row);
    }
}
