//! What the paper leaves open, read one way and another: which reading gives its figures?
//!
//! Everything here adds the noise that one reading of the paper prescribes, and says what it truly costs. What is not
//! searched: initial weights, the optimizer (Adam) and batches that are drawn once and kept, as in the published code.

use privet::Method;
use privet::dpar::{PrintedNoise, Settings};

use super::lines::{MethodKind, SystemLine};
use crate::experiments::reproduce::Wanted;
use crate::experiments::trial::Variant;

/// One reading: what it is called, what it changes, and what rows are scaled to.
type Reading = (&'static str, fn(&mut Settings), f64);

const READINGS: &[Reading] = &[
    ("noise by an accountant (table 1)", |_| {}, 1.0),
    ("noise by an accountant, rows of norm 10", |_| {}, 10.0),
    ("noise by the formula", formula, 1.0),
    ("noise by the formula, rows of norm 10", formula, 10.0),
    ("noise by the formula, rate 0.001", |settings| with_rate(settings, 0.001), 1.0),
    ("noise by the formula, rate 0.02", |settings| with_rate(settings, 0.02), 1.0),
    ("noise by the formula, 50 epochs", |settings| with_epochs(settings, 50), 1.0),
    ("noise by the formula, two layers of 32", |settings| with_layers(settings, vec![32, 32]), 1.0),
    ("noise by the formula, a linear model", |settings| with_layers(settings, Vec::new()), 1.0),
    ("noise by the formula, answers not spread", |settings| with_rounds(settings, 0), 1.0),
    ("noise by the formula, nobody left out", everybody, 1.0),
];

const METHODS: [Method; 3] = [Method::Em0, Method::Em1, Method::Features];

fn formula(settings: &mut Settings) {
    settings.printed_noise = PrintedNoise::Formula;
}

fn with_rate(settings: &mut Settings, rate: f64) {
    formula(settings);
    settings.model.learning_rate = rate;
}

fn with_epochs(settings: &mut Settings, epochs: u64) {
    formula(settings);
    settings.model.steps = epochs;
}

fn with_layers(settings: &mut Settings, hidden: Vec<usize>) {
    formula(settings);
    settings.model.hidden = hidden;
}

fn with_rounds(settings: &mut Settings, rounds: usize) {
    formula(settings);
    settings.inference.rounds = rounds;
}

/// All people are trained on, and nothing is gained by a sample.
fn everybody(settings: &mut Settings) {
    formula(settings);
    settings.sample = 1.0;
}

/// Every method in every reading, along epsilon.
pub(super) fn lines(wanted: &Wanted, dataset: &str) -> privet::Result<Vec<SystemLine>> {
    let mut lines = Vec::new();
    for (reading, change, row_norm) in READINGS {
        for method in METHODS {
            let at = |&epsilon: &f64| {
                let mut system = MethodKind::printed(method).at(epsilon, dataset)?;
                change(&mut system.settings);
                Ok(system)
            };
            let places = wanted.epsilons.iter().map(at).collect::<privet::Result<_>>()?;
            let name = format!("{}: {reading}", method.name());
            let line = SystemLine::new(name, places, Variant::Private);
            lines.push(SystemLine { row_norm: *row_norm, ..line });
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::reproduce::Item;

    /// Every line is another search: no two readings of a method are the same system on the same rows.
    #[test]
    fn readings_differ() {
        let wanted = Item::find("dpar/readings").unwrap().wanted(false);
        let lines = lines(&wanted, "cora_ml").unwrap();
        assert_eq!(lines.len(), READINGS.len() * METHODS.len());
        for (at, line) in lines.iter().enumerate() {
            let same = |other: &&SystemLine| {
                other.places == line.places && other.row_norm == line.row_norm
            };
            assert_eq!(lines[at + 1..].iter().filter(same).count(), 0, "{}", line.name);
        }
    }
}
