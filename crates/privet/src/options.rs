//! Settings as options of a command line (feature `clap`): values that are lists, shares or names, as they are typed.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::Serialize;

use crate::Method;
use crate::privacy::edges::Merge;
use crate::privacy::edges::comparison::hrg::Wiring;
use crate::privacy::features::Decoding;
use crate::settings::{Radii, Widths, name};

/// How reports can be read.
pub const DECODINGS: [Decoding; 2] = [Decoding::Unbiased, Decoding::Paper];
/// How two people's reports can become an edge.
pub const MERGES: [Merge; 4] = [Merge::Directed, Merge::Or, Merge::And, Merge::OneSided];
/// Which pairs of a group can become its edges.
pub const WIRINGS: [Wiring; 3] = [Wiring::Uniform, Wiring::Closing, Wiring::ClosingOnly];

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

/// Numbers that all keep a rule, separated by commas; `none` for an empty list.
fn list<T: std::str::FromStr>(
    typed: &str,
    keeps: impl Fn(&T) -> bool,
    expected: &str,
) -> Result<Vec<T>, String> {
    if typed == "none" {
        return Ok(Vec::new());
    }
    let number = |word: &str| word.trim().parse().ok().filter(|number| keeps(number));
    let numbers: Option<Vec<T>> = typed.split(',').map(number).collect();
    numbers.ok_or_else(|| expected.to_owned())
}

/// # Errors
/// If they are none.
pub fn widths(typed: &str) -> Result<Widths, String> {
    list(typed, |&width| width > 0, "expected widths such as 128 or 128,64, or `none`")
}

/// # Errors
/// If they are none.
pub fn radii(typed: &str) -> Result<Radii, String> {
    let expected = "expected shares between 0 and 1, such as 0.5,0.1, or `none`";
    list(typed, |&alpha: &f64| alpha > 0.0 && alpha < 1.0, expected)
}

/// # Errors
/// If it is none.
pub fn homophily(typed: &str) -> Result<f64, String> {
    let share = typed.parse().ok().filter(|share: &f64| (0.0..1.0).contains(share));
    share.ok_or_else(|| "expected a share from 0 to below 1, such as 0.7".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_numbers_or_none() {
        assert_eq!((widths("none"), widths("128, 64")), (Ok(vec![]), Ok(vec![128, 64])));
        assert_eq!((radii("none"), radii("0.3,0.1")), (Ok(vec![]), Ok(vec![0.3, 0.1])));
        for typed in ["", "0", "1,,2", "-1", "a"] {
            assert!(widths(typed).is_err() && radii(typed).is_err(), "{typed}");
        }
        assert!(radii("1").is_err() && homophily("1").is_err() && homophily("0").is_ok());
    }
}
