//! [`expected`]: how good what is learned can be with so many reports. It follows from the task and the number of reports
//! alone, so it costs nobody anything.

use privet::privacy::features::Decoding;
use privet_protocol::CheckedTask;

/// How far an answer of the whole may be from the truth.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// What is estimated.
    pub what: String,
    /// One standard error at most, in its own unit.
    pub error: f64,
    /// The unit.
    pub unit: &'static str,
    /// What the error would be without noise: chance alone, of who was asked.
    pub without_noise: f64,
}

/// The standard errors of what can be estimated, at most; nothing without a report.
///
/// * The share of an answer: reports say it with `q + s (p - q)`, which is inverted, so the error is that of a share of
///   `reports` coins, at most `1/2 / sqrt(n)`, by `p - q`.
/// * The mean of a column: the variance of a decoded entry in closed form, at the worse end or the middle of the range,
///   and at most a quarter of the squared range for how people differ.
/// * The mean number of contacts: the variance of the noise of a degree. How people differ has no bound that is public.
pub fn expected(asked: &CheckedTask, reports: u64) -> Vec<Expected> {
    let mut all = Vec::new();
    if reports == 0 {
        return all;
    }
    let n = (reports as f64).sqrt();
    let asks = &asked.task.asks;
    if let (Some(mechanism), Some(label)) = (&asked.label, &asks.label) {
        let keep = mechanism.keep_probability();
        let other = (1.0 - keep) / (label.classes.len().max(2) - 1) as f64;
        let what = "the share of each answer".into();
        let without_noise = 50.0 / n;
        let error = without_noise / (keep - other);
        all.push(Expected { what, error, unit: "percentage points", without_noise });
    }
    if let (Some(mechanism), Some(features)) = (&asked.features, &asks.features) {
        for (at, column) in (0..).zip(&features.columns) {
            let half = f64::from(column.high - column.low) / 2.0;
            let middle = column.low + (column.high - column.low) / 2.0;
            let variance = [column.low, middle, column.high]
                .into_iter()
                .filter_map(|value| mechanism.moments(at, value, Decoding::Unbiased))
                .map(|moments| moments.variance)
                .fold(0.0, f64::max);
            let what = format!("the mean of {}", column.name);
            let (error, without_noise) = ((variance + half * half).sqrt() / n, half / n);
            all.push(Expected { what, error, unit: "", without_noise });
        }
    }
    if let Some(mechanism) = &asked.contacts {
        let what = "the mean number of contacts".into();
        let error = mechanism.degree_variance().sqrt() / n;
        all.push(Expected { what, error, unit: "contacts", without_noise: 0.0 });
    }
    all
}
