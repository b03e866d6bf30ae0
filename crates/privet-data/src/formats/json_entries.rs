//! One large JSON object with integer keys, read entry by entry: no tree of the whole is built.

use std::fmt;
use std::io::BufReader;
use std::marker::PhantomData;

use rustc_hash::FxHashSet;
use serde::de::{self, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::error::Category;

use super::Input;
use crate::{Error, Result, SourceLocation};

/// Hands every `"17": value` of the object to `visit`, in the order of the file.
///
/// # Errors
/// If the bytes are no such object, or a key occurs twice. `expected` says what the object should
/// look like.
pub(crate) fn for_each<T: DeserializeOwned>(
    input: Input,
    expected: &'static str,
    visit: impl FnMut(u64, T),
) -> Result<()> {
    let Input { place, reader } = input;
    let reader = BufReader::with_capacity(1 << 16, reader);
    let mut json = serde_json::Deserializer::from_reader(reader);
    let object = Object { expected, visit, value: PhantomData };
    let read = json.deserialize_map(object).and_then(|()| json.end());
    read.map_err(|error| explain(&place, error, expected))
}

struct Object<F, T> {
    expected: &'static str,
    visit: F,
    value: PhantomData<T>,
}

impl<'de, T: DeserializeOwned, F: FnMut(u64, T)> Visitor<'de> for Object<F, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        let mut seen = FxHashSet::default();
        while let Some(key) = entries.next_key::<u64>()? {
            if !seen.insert(key) {
                return Err(de::Error::custom(format_args!("key \"{key}\" twice")));
            }
            (self.visit)(key, entries.next_value()?);
        }
        Ok(())
    }
}

fn explain(place: &SourceLocation, error: serde_json::Error, expected: &str) -> Error {
    match error.classify() {
        Category::Io => place.io(error.into()),
        Category::Eof => {
            let found = format!("JSON that ends early ({error})");
            place.malformed(found, format!("{expected} (truncated download?)"))
        }
        Category::Syntax | Category::Data => {
            place.line(error.line() as u64).malformed(error.to_string(), expected)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: impl Into<Vec<u8>>) -> Result<Vec<(u64, Vec<u32>)>> {
        let input = Input::new(SourceLocation::file("x.json"), std::io::Cursor::new(text.into()));
        let mut all = Vec::new();
        for_each(input, "an object", |key, value| all.push((key, value)))?;
        Ok(all)
    }

    #[test]
    fn entries_come_in_the_order_of_the_file() {
        let all = entries(r#" {"7": [2, 0], "0": [] } "#).unwrap();
        assert_eq!(all, [(7, vec![2, 0]), (0, vec![])]);
        assert_eq!(entries("{}").unwrap(), []);
    }

    #[test]
    fn every_kind_of_damage_is_told_with_its_place() {
        let deep = format!("{{\"0\": {}", "[".repeat(100_000));
        for (text, told) in [
            (r#"{"1": [0], "1": [2]}"#, "x.json, line 1: found key \"1\" twice"),
            (r#"{"1": [0], "#, "ends early"),
            (r#"{"one": [0]}"#, "number in quotes"),
            (r#"{"-1": [0]}"#, "-1"),
            (r#"{"1": [-1]}"#, "-1"),
            (r#"{"1": [1.5]}"#, "1.5"),
            (r#"{"1": [4294967296]}"#, "4294967296"),
            (r#"{"18446744073709551616": []}"#, "x.json, line 1: found"),
            (r#"{"1": {}}"#, "invalid type: map"),
            ("[1]", "expected an object"),
            ("{} {}", "trailing characters"),
            ("", "ends early"),
            (&deep, "expected u32"),
        ] {
            let error = entries(text).unwrap_err().with_values();
            assert!(error.contains(told), "{text:.40}: {error}");
        }
        assert!(entries(b"{\"1\": [\xff]}".to_vec()).is_err());
    }
}
