//! Wrong numbers for right noise: amplification, sampling rates, sensitivities.

use privet::privacy::accountant::{Accountant, Optimal, Pld, amplification};
use privet::privacy::{Delta, Epsilon, Event};

use super::Printed;
use crate::Result;
use crate::audit::finding::{AuditMethod, Finding};

pub(super) const PRINTED: [Printed; 9] = [
    Printed {
        number: 25,
        claim: "amplification by subsampling as q times epsilon",
        expected: Some(8.703_317),
        run: || {
            let (rate, before) = (0.09, 1.0 / 0.09);
            let after = amplification::amplified_epsilon(rate, Epsilon::new(before)?)?;
            found("9 % of the nodes, epsilon 11.11 before", rate * before, after.get())
        },
    },
    Printed {
        number: 26,
        claim: "two stages on one subsample amplified separately",
        expected: Some(8.703_317),
        run: || {
            let half = amplification::amplified_epsilon(0.09, Epsilon::new(0.5 / 0.09)?)?;
            let whole = amplification::amplified_epsilon(0.09, Epsilon::new(1.0 / 0.09)?)?;
            found("the sum of the amplified halves", 2.0 * half.get(), whole.get())
        },
    },
    Printed {
        number: 27,
        claim: "sampling rate B/N although rows come from the M drawn nodes",
        expected: Some(90.15),
        run: || found("batches of 60 of 70 rows", 1.0, rows(1.127, 1, 60.0 / 70.0, 200)?),
    },
    Printed {
        number: 29,
        claim: "a node's own row not counted",
        // On a grid of 1e-3 the same accountant says 1.6398.
        expected: Some(1.6365),
        run: || found("three rows, two counted", 1.0, rows(10.713, 3, 60.0 / 2396.0, 8000)?),
    },
    Printed {
        number: 30,
        claim: "the batches of the first epoch used again in every epoch",
        // Each row takes part 200 times, for certain: nothing is sampled.
        expected: Some(12.7856),
        run: || {
            let event = Event::Gaussian { noise_multiplier: 4.162 }.repeated(200);
            let truth = Pld::default().epsilon(&event, Delta::new(0.0111)?)?;
            found("sigma 4.162, 200 epochs of fixed batches", 1.0 / 0.18, truth.get())
        },
    },
    Printed {
        number: 31,
        claim: "Gumbel noise of scale C/eps charged as eps per pick",
        expected: Some(1.989_146),
        run: || {
            // One entry rises by C while all others fall: e^eps (1 + (N-1) e^eps) / (e^eps + N-1).
            let (n, e) = (216.0f64, 1f64.exp());
            found("one pick among 216", 1.0, (e * (1.0 + (n - 1.0) * e) / (e + n - 1.0)).ln())
        },
    },
    Printed {
        number: 32,
        claim: "only the nodes that are present can be picked",
        expected: Some(0.4786),
        run: || {
            // An index that exists on one side only: delta is at least the chance to name it.
            let (nodes, k, vectors) = (216.0f64, 2.0, 70);
            found("delta of 70 vectors, top 2 each", 1e-3, 1.0 - (1.0 - k / nodes).powi(vectors))
        },
    },
    Printed {
        number: 33,
        claim: "sensitivity C1 for rows clipped to norm C1",
        expected: Some(1.3384),
        run: || found("distance over C1, star with 400 leaves", 1.0, star_distance(400, 0.05)),
    },
    Printed {
        number: 37,
        claim: "the closed formula for equal shares beyond its range",
        expected: Some(0.010_707),
        run: || {
            // eps0 = eps_g / (2 sqrt(M log(e + eps_g/delta_g))), delta0 = delta_g / (2M).
            let (epsilon, delta, vectors) = (80.0f64, 1e-3f64, 70u64);
            let m = vectors as f64;
            let one = epsilon / (2.0 * (m * (1f64.exp() + epsilon / delta).ln()).sqrt());
            let event = Event::Approximate {
                epsilon: Epsilon::new(one)?,
                delta: Delta::new(delta / (2.0 * m))?,
            };
            let truth = Optimal.delta(&event.repeated(vectors), Epsilon::new(epsilon)?)?;
            found("delta of 70 shares of epsilon 80", delta, truth.get())
        },
    },
];

fn found(subject: &str, claimed: f64, measured: f64) -> Result<Finding> {
    let method = AuditMethod::Theorem;
    Ok(Finding { subject: subject.into(), method, claimed, measured, tolerance: 1e-9 })
}

/// The epsilon, at delta 2e-3, of noisy sums over rows of which a node owns `max_rows`.
fn rows(noise_multiplier: f64, max_rows: u32, rate: f64, steps: u64) -> Result<f64> {
    let event = Event::MixtureOfGaussians { noise_multiplier, max_rows, rate }.repeated(steps);
    Ok(Pld::default().epsilon(&event, Delta::new(2e-3)?)?.get())
}

/// How far the PageRank vector of an isolated node moves when a hub with many leaves joins it, both
/// scaled to norm 1: `p = a e_seed + (1 - a) W^T p`, an isolated node keeping its mass.
fn star_distance(leaves: usize, alpha: f64) -> f64 {
    // By symmetry all leaves are alike: masses of the seed, the hub and each leaf.
    let (mut seed, mut hub, mut leaf) = (1.0, 0.0, 0.0);
    let spread = 1.0 / (leaves as f64 + 1.0);
    for _ in 0..2000 {
        let keep = 1.0 - alpha;
        (seed, hub, leaf) = (
            alpha + keep * hub * spread,
            keep * (seed + leaves as f64 * leaf),
            keep * hub * spread,
        );
    }
    let norm = (seed * seed + hub * hub + leaves as f64 * leaf * leaf).sqrt();
    let (s, h, l) = (seed / norm, hub / norm, leaf / norm);
    ((1.0 - s).powi(2) + h * h + leaves as f64 * l * l).sqrt()
}
