//! Labels that are numbers: `1.0` is the class 1, and a quantity is no class at all.
//!
//! A column of whole numbers with a gap comes out of many programs as `0.0, 1.0, nan`. A column of prices or ages is
//! something else: nothing here predicts quantities, so it is refused with a word on what would be right.

use crate::{Result, SourceLocation};

/// More distinct numbers with fractions than this are a quantity, not classes.
const MOST_FRACTIONS: usize = 32;

/// The distinct names of classes as whole numbers, if all of them are some, written with a point or an exponent;
/// `None`: they are names, and stay as they are.
///
/// # Errors
/// If they are many numbers that are not whole.
pub(crate) fn whole_numbers(names: &[&str], place: &SourceLocation) -> Result<Option<Vec<String>>> {
    let numbers: Option<Vec<f64>> = names.iter().map(|name| number(name)).collect();
    let Some(numbers) = numbers.filter(|numbers| !numbers.is_empty()) else { return Ok(None) };
    if numbers.iter().all(|number| is_whole(*number)) {
        let plain = |name: &&str| name.parse::<i64>().is_ok();
        let text = |number: &f64| (*number as i64).to_string();
        return Ok((!names.iter().all(plain)).then(|| numbers.iter().map(text).collect()));
    }
    refuse_quantity(&numbers, place)?;
    Ok(None)
}

/// Refuses distinct numbers that are many, and not whole.
///
/// # Errors
/// If they are.
pub(crate) fn refuse_quantity(distinct: &[f64], place: &SourceLocation) -> Result<()> {
    if distinct.len() <= MOST_FRACTIONS || distinct.iter().all(|number| is_whole(*number)) {
        return Ok(());
    }
    Err(place.refused(
        "the labels are a quantity (many different numbers, not whole), and what is predicted here are classes; \
         cut its range into classes, by limits that you know without looking",
    ))
}

/// Whether a number is a class: whole, and small enough to be exact.
pub(crate) fn is_whole(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() < 9e15
}

fn number(name: &str) -> Option<f64> {
    name.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(names: &[&str]) -> Result<Option<Vec<String>>> {
        whole_numbers(names, &SourceLocation::file("x"))
    }

    #[test]
    fn whole_numbers_are_classes() {
        assert_eq!(whole(&["1.0", "10.0", "2"]).unwrap().unwrap(), ["1", "10", "2"]);
        assert_eq!(whole(&["1e1"]).unwrap().unwrap(), ["10"]);
        assert_eq!(whole(&["1", "2"]).unwrap(), None, "nothing to do");
        assert_eq!(whole(&["1.0", "b"]).unwrap(), None, "names");
        assert_eq!(whole(&["0.5", "1.5"]).unwrap(), None, "a few names that look like numbers");
        assert_eq!(whole(&[]).unwrap(), None);
    }

    #[test]
    fn a_quantity_is_refused() {
        let prices: Vec<String> = (0..40).map(|at| format!("{at}.5")).collect();
        let prices: Vec<&str> = prices.iter().map(String::as_str).collect();
        let told = whole(&prices).unwrap_err().to_string();
        assert!(told.contains("refused: the labels are a quantity"), "{told}");
    }
}
