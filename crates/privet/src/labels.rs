//! One class each: what the systems here learn. A person with several would be dropped silently, so data with
//! several is refused as a whole.

use crate::graph::Labels;
use crate::{Error, Result};

/// The labels, if there are any and no one has several.
///
/// # Errors
/// If there are none, or they are lists of classes.
pub fn one_each<'a>(
    labels: Option<&'a Labels>,
    dataset: &str,
    remedy: &'static str,
) -> Result<&'a Labels> {
    let labels = labels.ok_or_else(|| Error::Missing {
        dataset: dataset.to_owned(),
        what: "labels",
        remedy,
    })?;
    if !labels.is_multi() {
        return Ok(labels);
    }
    let message = format!(
        "{dataset}: refused: items have several labels each, and what is learned and randomised here is one class \
         each: those with several would be left out"
    );
    Err(Error::Refused {
        message,
        remedy: "give each one label, or take one class at a time as yes or no",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_are_refused_not_dropped() {
        let names = || vec!["a".to_owned(), "b".to_owned()];
        let one = Labels::single(vec![Some(0), None], names()).unwrap();
        let several = Labels::multi(vec![vec![0, 1], vec![1]], names()).unwrap();
        assert!(one_each(Some(&one), "x", "y").is_ok(), "a person without a label does not train");
        assert!(matches!(one_each(Some(&several), "x", "y"), Err(Error::Refused { .. })));
        assert!(matches!(one_each(None, "x", "y"), Err(Error::Missing { .. })));
    }
}
