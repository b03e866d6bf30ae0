//! The audits of DP-SGD: a canary as large as clipping lets it be, in every place; its batches; and the two
//! networks of DPAR and SAGE with a person whom several rows read.

use super::{Audit, Run};
use crate::Result;
use crate::audit::canary::{Trial, batches};
use crate::audit::finding::Finding;
use crate::audit::hub::Hub;
use crate::audit::neighbourhood::Neighbourhood;
use crate::audit::seeds::Seeds;
use crate::audit::trials::statistical;

pub(super) const AUDITS: [Audit; 4] = [
    Audit { name: "dp-sgd", of: &["DpSgd"], tight: false, run: Run::Seeded(canary) },
    Audit { name: "dp-sgd-batches", of: &["DpSgd"], tight: false, run: Run::Seeded(batch) },
    Audit { name: "dpar-training", of: &["DpSgd"], tight: false, run: Run::Seeded(hub) },
    Audit { name: "sage-training", of: &["DpSgd"], tight: false, run: Run::Seeded(neighbourhood) },
];

/// The canary is the first row, the second or the last; beside it rows without a gradient, or without a norm.
fn canary(seeds: Seeds) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (place, clip_norm, noise_multiplier) in [(0, 4.0, 2.0), (1, 0.1, 0.8), (2, 4.0, 2.0)] {
        // Without the canary a sum lies below three deviations once in 741 steps.
        let line = -3.0 * clip_norm * noise_multiplier;
        let trial = Trial { clip_norm, noise_multiplier, line };
        let mut without = [0.0, 0.0, 0.0];
        without[(place + 1) % 3] = f32::NAN;
        let mut with = without;
        with[place] = -1e6;
        let measured = trial.epsilon(&with, &without, seeds.part(place as u64))?;
        let subject = format!(
            "a canary in row {place}, clip norm {clip_norm}, noise multiplier {noise_multiplier}"
        );
        findings.push(statistical(subject, trial.claimed(3)?, measured));
    }
    Ok(findings)
}

/// A batch has everybody with the probability that is charged for, and two batches are independent.
fn batch(seeds: Seeds) -> Result<Vec<Finding>> {
    let rate = 0.1;
    let [one, two] = batches(rate, seeds)?;
    let subject = |what| format!("rate {rate}: the probability of being in {what}, at least");
    Ok(vec![
        statistical(subject("a batch"), one.0, one.1),
        statistical(subject("two batches running"), two.0, two.1),
    ])
}

/// A hub that three rows read, with and without it, through DPAR's own network.
fn hub(seeds: Seeds) -> Result<Vec<Finding>> {
    let trials = [(1.0, 2.0, 3.0), (0.5, 1.0, 2.5)];
    let finding = |((rate, noise_multiplier, line), part)| {
        let hub = Hub { rows: 3, rate, noise_multiplier, line };
        let subject = format!("a hub in 3 rows, rate {rate}, noise multiplier {noise_multiplier}");
        Ok(statistical(subject, hub.claimed()?, hub.measured(seeds.part(part))?))
    };
    trials.into_iter().zip(0..).map(finding).collect()
}

/// A person whom several rows read, because they are neighbours, with and without.
fn neighbourhood(seeds: Seeds) -> Result<Vec<Finding>> {
    let finding = |((degree, noise_multiplier), part)| {
        Neighbourhood { degree, noise_multiplier }.finding(seeds.part(part))
    };
    [(3, 8.0), (10, 12.0)].into_iter().zip(0..).map(finding).collect()
}
