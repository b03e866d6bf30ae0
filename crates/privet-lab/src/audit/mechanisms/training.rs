//! The audit of DP-SGD: a canary as large as clipping lets it be, through a ledger.

use privet::privacy::sgd::RowShare;

use super::Audit;
use crate::Result;
use crate::audit::canary::{Trial, claimed};
use crate::audit::finding::{Finding, Method};
use crate::audit::hub::Hub;
use crate::audit::neighbourhood::Neighbourhood;

pub(super) const AUDITS: [Audit; 3] = [
    Audit { name: "dp-sgd", tight: false, run: canary },
    Audit { name: "dpar-training", tight: false, run: hub },
    Audit { name: "sage-training", tight: false, run: neighbourhood },
];

/// A hub that three rows read, with and without it, through DPAR's own network.
fn hub() -> Result<Vec<Finding>> {
    let trials = [(1.0, 2.0, 3.0), (0.5, 1.0, 2.5)];
    let finding = |(rate, noise_multiplier, line)| {
        let hub = Hub { rows: 3, rate, noise_multiplier, line };
        Ok(Finding {
            subject: format!("a hub in 3 rows, rate {rate}, noise multiplier {noise_multiplier}"),
            method: Method::Statistical,
            claimed: hub.claimed(3)?,
            measured: hub.measured()?,
            tolerance: 0.0,
        })
    };
    trials.into_iter().map(finding).collect()
}

/// A person whom several rows read, because they are neighbours, with and without.
fn neighbourhood() -> Result<Vec<Finding>> {
    let finding = |(degree, noise_multiplier)| {
        Neighbourhood { degree, noise_multiplier }.charged(RowShare::Neighbours(degree))
    };
    [(3, 8.0), (10, 12.0)].into_iter().map(finding).collect()
}

fn canary() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (clip_norm, noise_multiplier) in [(4.0, 2.0), (0.1, 0.8)] {
        // Without the canary a sum lies below three deviations once in 741 steps.
        let line = -3.0 * clip_norm * noise_multiplier;
        let trial = Trial { clip_norm, noise_multiplier, line };
        findings.push(Finding {
            subject: format!(
                "a canary at clip norm {clip_norm}, noise multiplier {noise_multiplier}"
            ),
            method: Method::Statistical,
            claimed: claimed(noise_multiplier)?,
            measured: trial.epsilon(&[0.0, -1e6, f32::NAN], &[0.0, 0.0, f32::NAN])?,
            tolerance: 0.0,
        });
    }
    Ok(findings)
}
