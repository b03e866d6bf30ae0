//! What is printed about training.

use privet::Method;
use privet::dpar::{self, Dpar};
use privet::privacy::Loss;
use privet::privacy::sgd::RowShare;
use privet::privacy::unit::Node;

use super::Printed;
use crate::Result;
use crate::audit::finding::{AuditMethod, Finding};
use crate::audit::neighbourhood::Neighbourhood;
use crate::audit::seeds::Seeds;
use crate::audit::trainer::{Other, Trainer};

pub(super) const PRINTED: [Printed; 4] = [
    Printed {
        number: 28,
        claim: "the sum of a node's weights clipped, instead of the rows that read it counted",
        expected: None,
        run: || {
            // Sixty rows of weight 1/70 each: by the paper the sum of gradients moves by C at most.
            let (rows, weight) = (60, 1.0 / 70.0);
            let measured = column_witness(rows, weight, 1e4);
            let subject = "what one node moves a batch of 60 by, over C".into();
            let method = AuditMethod::Exact;
            Ok(Finding { subject, method, claimed: 1.0, measured, tolerance: 1e-9 })
        },
    },
    Printed {
        number: 51,
        claim: "subgraphs of people with twelve neighbours, charged as if nobody had more than two",
        expected: None,
        run: || {
            let around = Neighbourhood { degree: 12, noise_multiplier: 12.0 };
            around.charged(RowShare::Neighbours(2), Seeds::new(1))
        },
    },
    Printed {
        number: 57,
        claim: "DPAR as printed: the rows that read a node are not counted",
        expected: None,
        run: || {
            // Sixteen rows name everybody, so that each reads the hub at a weight of 1/16: columns sum to 1.
            let mut settings = dpar::Settings { sample: 1.0, ..dpar::Settings::paper() };
            (settings.structure.sources, settings.structure.keep) = (16, 16);
            as_printed(Method::Em0, Loss::new(1.0, 2e-3)?, settings, 16, 900)
        },
    },
    Printed {
        number: 58,
        claim: "DPAR's training as printed: amplification as q times epsilon",
        expected: None,
        run: || {
            // Nobody reads anybody else; each run trains on 3 of 100 people, drawn anew.
            let settings = dpar::Settings { sample: 0.03, ..dpar::Settings::paper() };
            as_printed(Method::Features, Loss::new(2.0, 1e-4)?, settings, 100, 30_000)
        },
    },
];

/// The whole of DPAR as printed, one step, with and without a hub, against the printed epsilon.
fn as_printed(
    method: Method,
    target: Loss,
    mut settings: dpar::Settings,
    people: usize,
    trials: u64,
) -> Result<Finding> {
    settings.model = dpar::ModelSettings {
        hidden: Vec::new(),
        batch: 1.0,
        steps: 1,
        learning_rate: 1.0,
        ..settings.model
    };
    let system = Dpar { method, mode: dpar::Mode::Paper, target, settings };
    let trainer = Trainer { system, people, other: Other::Absent, trials };
    let found = trainer.audit::<Node>(Seeds::new(1))?;
    Ok(Finding {
        subject: format!("{}, thousands of trainings", method.name()),
        method: AuditMethod::Statistical,
        claimed: found.printed.unwrap_or(f64::INFINITY),
        measured: found.at_least,
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
