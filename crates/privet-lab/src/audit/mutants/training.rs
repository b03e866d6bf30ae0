//! Broken ways to train.

use privet::dpar::{self, Dpar};
use privet::privacy::Loss;
use privet::privacy::sgd::RowShare;
use privet::privacy::unit::Node;

use super::Mutant;
use crate::Result;
use crate::audit::canary::{Rows, Trial, claimed};
use crate::audit::finding::{Finding, Method};
use crate::audit::hub::Hub;
use crate::audit::neighbourhood::Neighbourhood;
use crate::audit::trainer::{Other, Trainer};

pub(super) const MUTANTS: [Mutant; 8] = [
    Mutant {
        number: 28,
        mutation: "the sum of a node's weights clipped, instead of the rows that read it counted",
        expected: None,
        run: || {
            // Sixty rows of weight 1/70 each: by the paper the sum of gradients moves by C at most.
            let (rows, weight) = (60, 1.0 / 70.0);
            let measured = column_witness(rows, weight, 1e4);
            let subject = "what one node moves a batch of 60 by, over C".into();
            let method = Method::Exact;
            Ok(Finding { subject, method, claimed: 1.0, measured, tolerance: 1e-9 })
        },
    },
    Mutant {
        number: 43,
        mutation: "a node that three rows read, charged as one row",
        expected: None,
        run: || {
            let hub = Hub { rows: 3, rate: 1.0, noise_multiplier: 2.0, line: 3.0 };
            Ok(Finding {
                subject: "a hub with and without, one step".into(),
                method: Method::Statistical,
                claimed: hub.claimed(1)?,
                measured: hub.measured()?,
                tolerance: 0.0,
            })
        },
    },
    Mutant {
        number: 51,
        mutation: "subgraphs of people with twelve neighbours, charged as if nobody had more than two",
        expected: None,
        run: || {
            let around = Neighbourhood { degree: 12, noise_multiplier: 12.0 };
            around.charged(RowShare::Neighbours(2))
        },
    },
    Mutant {
        number: 52,
        mutation: "neighbours' rows charged as if they vanished; without the person they say something else",
        expected: None,
        run: || {
            let around = Neighbourhood { degree: 20, noise_multiplier: 42.0 };
            around.charged(RowShare::UpTo(21))
        },
    },
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
    Mutant {
        number: 57,
        mutation: "DPAR as printed: the rows that read a node are not counted",
        expected: None,
        run: || {
            // Sixteen rows name everybody, so that each reads the hub at a weight of 1/16: columns sum to 1.
            let mut settings = dpar::Settings { sample: 1.0, ..dpar::Settings::paper() };
            (settings.structure.sources, settings.structure.keep) = (16, 16);
            as_printed(dpar::Method::Em0, Loss::new(1.0, 2e-3)?, settings, 16, 900)
        },
    },
    Mutant {
        number: 58,
        mutation: "DPAR's training as printed: amplification as q times epsilon",
        expected: None,
        run: || {
            // Nobody reads anybody else; each run trains on 3 of 100 people, drawn anew.
            let settings = dpar::Settings { sample: 0.03, ..dpar::Settings::paper() };
            as_printed(dpar::Method::Features, Loss::new(2.0, 1e-4)?, settings, 100, 12_000)
        },
    },
];

/// The whole of DPAR as printed, one step, with and without a hub, against the printed epsilon.
fn as_printed(
    method: dpar::Method,
    target: Loss,
    mut settings: dpar::Settings,
    people: usize,
    trials: u64,
) -> Result<Finding> {
    settings.model = dpar::Model {
        hidden: Vec::new(),
        batch: 1.0,
        steps: 1,
        learning_rate: 1.0,
        ..settings.model
    };
    let system = Dpar { method, mode: dpar::Mode::Paper, target, settings };
    let trainer = Trainer { system, people, other: Other::Absent, trials };
    let found = trainer.audit::<Node>()?;
    Ok(Finding {
        subject: format!("{}, thousands of trainings", method.name()),
        method: Method::Statistical,
        claimed: found.printed.unwrap_or(f64::INFINITY),
        measured: found.at_least,
        tolerance: 0.0,
    })
}

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

/// How far a sum of gradients of a linear softmax at W = 0, each clipped to norm 1, moves when a node of weight
/// `weight` in every row goes from nothing to a feature of `size`. Every row has a feature of its own direction
/// of norm 1 - `weight` as well, two classes, and no bias.
fn column_witness(rows: u32, weight: f64, size: f64) -> f64 {
    // p - y = (-1/2, 1/2), so a gradient is that times (weight size, 1 - weight).
    let half = 0.5f64.sqrt();
    let clipped = |hub: f64| {
        let gradient = [half * hub, half * (1.0 - weight)];
        let norm = (gradient[0].powi(2) + gradient[1].powi(2)).sqrt();
        gradient.map(|part| part * (1.0 / norm).min(1.0))
    };
    let (with, without) = (clipped(weight * size), clipped(0.0));
    // The hub's parts add up; everybody's own directions are orthogonal to one another.
    let hub = f64::from(rows) * (with[0] - without[0]);
    let own = f64::from(rows) * (with[1] - without[1]).powi(2);
    (hub * hub + own).sqrt()
}
