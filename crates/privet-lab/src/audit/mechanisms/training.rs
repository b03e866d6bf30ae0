//! The audits of DP-SGD: a canary as large as clipping lets it be, in every place; its batches; and the two
//! networks of DPAR and SAGE with a person whom several rows read.

use super::{Audit, Procedure};
use crate::Result;
use crate::audit::canary::{CanaryStep, batches, low_bits};
use crate::audit::finding::Finding;
use crate::audit::hub::Hub;
use crate::audit::neighbourhood::Neighbourhood;
use crate::audit::seeds::Seeds;
use crate::audit::trials::statistical;

pub(super) const AUDITS: [Audit; 4] = [
    Audit { name: "dp-sgd", of: &["DpSgd"], tight: false, run: Procedure::Seeded(canary) },
    Audit { name: "dp-sgd-batches", of: &["DpSgd"], tight: false, run: Procedure::Seeded(batch) },
    Audit { name: "dpar-training", of: &["DpSgd"], tight: false, run: Procedure::Seeded(hub) },
    Audit {
        name: "sage-training",
        of: &["DpSgd"],
        tight: false,
        run: Procedure::Seeded(neighbourhood),
    },
];

/// The canary is the first row, the second or the last; beside it rows without a gradient or without a norm, or one
/// that pulls the other way.
fn canary(seeds: Seeds) -> Result<Vec<Finding>> {
    let beside = [
        (0, [0.0, f32::NAN, 0.0], (4.0, 2.0)),
        (1, [0.0, 0.0, f32::NAN], (0.1, 0.8)),
        (2, [f32::NAN, 0.0, 0.0], (4.0, 2.0)),
        // A sum that is clipped as a whole would be turned around by the canary: it would move by twice the norm.
        (2, [5e5, 0.0, 0.0], (1.0, 2.0)),
    ];
    let finding = |((place, without, (clip_norm, noise_multiplier)), part): (
        (usize, [f32; 3], _),
        _,
    )| {
        let trial = CanaryStep { clip_norm, noise_multiplier };
        let mut with = without;
        with[place] = -1e6;
        let measured = trial.epsilon(&with, &without, seeds.part(part))?;
        let others = if without.contains(&5e5) { " against another row" } else { "" };
        let subject = format!(
            "a canary in row {place}{others}, clip norm {clip_norm}, noise multiplier {noise_multiplier}"
        );
        Ok(statistical(subject, trial.claimed(3)?, measured))
    };
    let mut findings = beside.into_iter().zip(0..).map(finding).collect::<Result<Vec<_>>>()?;
    let (claimed, measured) = low_bits(seeds.part(4))?;
    let subject = "64 gradients of 1/8, by the low bits of a step";
    findings.push(statistical(subject, claimed, measured));
    Ok(findings)
}

/// A batch contains each person with the probability that is charged for, and two batches are independent.
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
    let trials = [(1.0, 2.0), (0.5, 1.0)];
    let finding = |((rate, noise_multiplier), part)| {
        let hub = Hub { rows: 3, rate, noise_multiplier };
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The same of a noisy gradient.
    #[test]
    fn a3_low_bits_of_gradients_tell_nothing() {
        let (claimed, measured) = low_bits(Seeds::new(1)).unwrap();
        assert!(measured < 0.05 && claimed > 0.5, "{measured} of {claimed}");
    }
}
