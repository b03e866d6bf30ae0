//! [`ReportView`]: what a report says, in numbers that a page can draw beside what the person holds.

use privet_privacy::features::{DecodeRows as _, Decoding, FeatureMechanism, FeatureReport};
use privet_protocol::{CheckedTask, Report};
use serde::Serialize;

/// What a report says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReportView {
    /// Whose place it names.
    pub participant: u32,
    /// The answer that is sent.
    pub label: Option<u32>,
    /// The noisy number of contacts.
    pub degree: Option<i64>,
    /// The contacts that are named.
    pub contacts: Option<Vec<u32>>,
    /// Levels of columns, as they are sent.
    pub features: Option<FeatureReport>,
    /// What these levels stand for.
    pub columns: Vec<ReportColumn>,
}

/// A column that is sent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ReportColumn {
    /// Which.
    pub column: u32,
    /// What is sent, in the units of the question.
    pub value: f64,
    /// The least and the most that could be sent.
    pub range: [f64; 2],
}

impl ReportView {
    /// What this report for a task says.
    pub fn of(asked: &CheckedTask, report: &Report) -> Self {
        let (degree, contacts) = match &report.contacts {
            Some(list) => (Some(list.degree), Some(list.neighbors.clone())),
            None => (None, None),
        };
        let columns = match (&asked.features, &report.features) {
            (Some(mechanism), Some(sent)) => columns(mechanism, sent),
            _ => Vec::new(),
        };
        let (participant, label) = (report.participant, report.label);
        Self { participant, label, degree, contacts, features: report.features.clone(), columns }
    }
}

fn columns(mechanism: &FeatureMechanism, sent: &FeatureReport) -> Vec<ReportColumn> {
    let shown = |(column, level): (u32, i64)| {
        let place = mechanism.value(column, level, Decoding::Paper);
        let end = mechanism.largest_entry(column, Decoding::Paper).unwrap_or(1.0);
        let value = |place| mechanism.scale().original(column, place);
        ReportColumn { column, value: value(place), range: [value(-end), value(end)] }
    };
    match sent {
        FeatureReport::Sampled(entries) => entries.iter().copied().map(shown).collect(),
        FeatureReport::All(levels) => (0..).zip(levels.iter().copied()).map(shown).collect(),
        // No task lets people publish.
        FeatureReport::Disclosed(_) => Vec::new(),
    }
}
