//! Settings as options of a command line (feature `clap`): values that are lists, shares or names, as they are typed.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::Serialize;

use crate::Method;
pub use crate::settings::{DECODINGS, MERGES, WIRINGS};
use crate::settings::{Radii, Widths, name};

/// Choices by their names, for those that live in the trusted base, which knows of no command line.
pub fn by_name<T>(choices: &'static [T]) -> impl TypedValueParser<Value = T>
where
    T: Serialize + Clone + Send + Sync,
{
    PossibleValuesParser::new(choices.iter().map(name)).try_map(move |typed| {
        let found = choices.iter().find(|choice| name(*choice) == typed);
        found.cloned().ok_or("expected one of the names")
    })
}

/// Some of the methods, by their names.
pub fn methods(choices: &'static [Method]) -> impl TypedValueParser<Value = Method> {
    let value = |method: &Method| PossibleValue::new(method.name()).help(method.about());
    PossibleValuesParser::new(choices.iter().map(value))
        .try_map(move |typed| Method::named(&typed, choices).ok_or("expected one of the names"))
}

/// Numbers separated by commas; `none` for an empty list.
fn list<T: std::str::FromStr>(typed: &str, expected: &str) -> Result<Vec<T>, String> {
    if typed == "none" {
        return Ok(Vec::new());
    }
    let numbers: Option<Vec<T>> = typed.split(',').map(|word| word.trim().parse().ok()).collect();
    numbers.ok_or_else(|| expected.to_owned())
}

/// # Errors
/// If they are none.
pub fn widths(typed: &str) -> Result<Widths, String> {
    list(typed, "expected widths such as 128 or 128,64, or `none`")
}

/// # Errors
/// If they are none.
pub fn radii(typed: &str) -> Result<Radii, String> {
    list(typed, "expected shares such as 0.5,0.1, or `none`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_numbers_or_none() {
        assert_eq!((widths("none"), widths("128, 64")), (Ok(vec![]), Ok(vec![128, 64])));
        assert_eq!((radii("none"), radii("0.3,0.1")), (Ok(vec![]), Ok(vec![0.3, 0.1])));
        for typed in ["", "1,,2", "a"] {
            assert!(widths(typed).is_err() && radii(typed).is_err(), "{typed}");
        }
    }
}
