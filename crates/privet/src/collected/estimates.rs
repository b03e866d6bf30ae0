//! [`Estimates`]: what reports say about all users together, each with how far it may be off. Averages remove
//! the noise of single reports; this has no privacy cost.

use serde::Serialize;

use super::Collection;
use crate::Result;

/// What is learned without any model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimates {
    /// How many people sent a report.
    pub reports: usize,
    /// Of each answer, its share among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<NoisyEstimate>,
    /// How many contacts a person has, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contacts: Option<NoisyEstimate>,
}

/// A number that is not known exactly.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoisyEstimate {
    /// Of what.
    pub name: String,
    /// The estimate: on average right, and single ones may lie outside what is possible.
    pub value: f64,
    /// Its standard error: two in three estimates are no further off, 95 in 100 no further than twice that.
    pub error: f64,
}

impl Collection {
    /// What the reports say about every user who sent one.
    ///
    /// # Errors
    /// If no user did.
    pub fn estimates(&self) -> Result<Estimates> {
        let labels: Vec<Option<u32>> = self.reports.values().map(|report| report.label).collect();
        let count = labels.len() as f64;
        let mut answers = Vec::new();
        if let (Some(mechanism), Some(asked)) = (&self.asked.label, &self.asked.task.asks.label) {
            let keep = mechanism.keep_probability();
            let other = (1.0 - keep) / (asked.classes.len() - 1) as f64;
            for (name, value) in asked.classes.iter().zip(mechanism.frequencies(&labels)?) {
                // What was reported is a share of independent answers: binomial, then stretched.
                let reported = other + value * (keep - other);
                let error = (reported * (1.0 - reported) / count).sqrt() / (keep - other);
                answers.push(NoisyEstimate { name: name.clone(), value, error });
            }
        }
        let lists = self.reports.values().filter_map(|report| report.contacts.as_ref());
        let degrees: Vec<f64> = lists.map(|list| list.degree as f64).collect();
        let contacts = (degrees.len() > 1).then(|| {
            // Noise on a degree has mean 0, so the mean of noisy ones is right on average.
            let value = degrees.iter().sum::<f64>() / count;
            let spread = degrees.iter().map(|degree| (degree - value).powi(2)).sum::<f64>();
            let error = (spread / (count - 1.0) / count).sqrt();
            NoisyEstimate { name: "contacts".into(), value, error }
        });
        Ok(Estimates { reports: labels.len(), answers, contacts })
    }
}
