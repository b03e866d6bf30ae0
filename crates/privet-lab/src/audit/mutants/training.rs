//! Broken ways to train.

use super::Mutant;
use crate::Result;
use crate::audit::canary::{Rows, Trial, claimed};
use crate::audit::finding::{Finding, Method};

pub(super) const MUTANTS: [Mutant; 2] = [
    Mutant {
        number: 34,
        mutation: "clipping the sum of the batch instead of every row",
        expected: None,
        run: || {
            // The canary turns a clipped sum of +4 into one of -4: twice the clip norm.
            let (clip_norm, noise_multiplier) = (4.0, 2.0);
            let line = 4.0 - 3.0 * clip_norm * noise_multiplier;
            let trial = Trial { rows: Rows::WholeBatch, clip_norm, noise_multiplier, line };
            found("a canary against the rest", &[5.0, -1e6], &[5.0], trial, noise_multiplier)
        },
    },
    Mutant {
        number: 41,
        mutation: "DP-SGD noise of deviation sigma, whatever the clip norm",
        expected: None,
        run: || {
            let (clip_norm, sigma) = (4.0, 2.0);
            let (rows, noise_multiplier) = (Rows::Records, sigma / clip_norm);
            let trial = Trial { rows, clip_norm, noise_multiplier, line: -3.0 * sigma };
            found("a canary at clip norm 4", &[-1e6, 0.0], &[0.0, 0.0], trial, sigma)
        },
    },
];

fn found(
    subject: &str,
    with: &[f32],
    without: &[f32],
    trial: Trial,
    noise_multiplier: f64,
) -> Result<Finding> {
    Ok(Finding {
        subject: subject.into(),
        method: Method::Statistical,
        claimed: claimed(noise_multiplier)?,
        measured: trial.epsilon(with, without)?,
        tolerance: 0.0,
    })
}
