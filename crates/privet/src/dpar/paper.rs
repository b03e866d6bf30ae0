//! The noise that the paper prints, and what it truly costs.
//!
//! Printed (Theorems 1 to 3): the total is q' times the sum of the halves; a half for M vectors is shared out by
//! `ε_g / (2 √(M ln(e + ε_g/δ_g)))` and `δ_g / 2M`; training is DP-SGD with q = B/N and sensitivity C, columns of weights
//! being clipped to sum to `tau`.
//!
//! True: a node may be read by all M rows and owns one (`M + 1` rows of gradient C each), and the sample counts as
//! known, because its ids are what can be picked.

use super::plan::{PrintedCost, cost};
use super::{Dpar, Person, Plan, PrintedNoise};
use crate::Method;
use crate::privacy::accountant::{Pld, calibrate};
use crate::privacy::appr::RowNoise;
use crate::privacy::event::{BatchSampling, Event};
use crate::privacy::sgd::{self, RowShare};
use crate::privacy::{Epsilon, Loss};
use crate::{Error, Result};

/// What a printed total leaves for the structure and for training, before the printed amplification: shares of
/// `ε/q'`, and half of `δ/q'` each.
///
/// # Errors
/// If the sampling rate is no share.
pub fn parts(target: Loss, sample: f64, share: f64) -> Result<(Loss, Loss)> {
    if !(sample > 0.0 && sample <= 1.0) {
        return Err(Error::invalid("share of people sampled", sample, "above 0 and at most 1"));
    }
    let (epsilon, delta) = (target.epsilon.get() / sample, target.delta.get() / (2.0 * sample));
    Ok((Loss::new(share * epsilon, delta)?, Loss::new((1.0 - share) * epsilon, delta)?))
}

/// The printed share of one of M vectors.
pub fn vector_share(half: Loss, vectors: usize) -> (f64, f64) {
    let (epsilon, delta, m) = (half.epsilon.get(), half.delta.get(), vectors as f64);
    let share = epsilon / (2.0 * (m * (std::f64::consts::E + epsilon / delta).ln()).sqrt());
    (share, delta / (2.0 * m))
}

/// The Gumbel epsilon whose K picks cost `epsilon_1` by the paper's Corollary 1.
pub fn gumbel_epsilon(epsilon_1: f64, delta: f64, keep: usize) -> f64 {
    let k = keep as f64;
    let cost = |e: f64| {
        let second = k * e * e.tanh() + e * (2.0 * k * (1.0 / delta).ln()).sqrt();
        2.0 * (k * e).min(second)
    };
    let (mut low, mut high) = (0.0, epsilon_1);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if cost(middle) > epsilon_1 { high = middle } else { low = middle }
    }
    low
}

/// The printed noise of rows.
pub fn row_noise(method: Method, half: Loss, vectors: usize, keep: usize) -> RowNoise {
    let (epsilon, delta) = vector_share(half, vectors);
    match method {
        Method::Em1 => RowNoise::GumbelAndValues {
            epsilon: gumbel_epsilon(epsilon / 2.0, delta, keep),
            values: epsilon / 2.0,
        },
        // sigma = sqrt(2 ln(1.25/delta)) C1 / epsilon.
        Method::Gm => {
            RowNoise::Gaussian { deviation: (2.0 * (1.25 / delta).ln()).sqrt() / epsilon }
        }
        _ => RowNoise::Gumbel { epsilon: gumbel_epsilon(epsilon, delta, keep) },
    }
}

/// The noise of Theorem 2: DP-SGD with q = B/N, as if each node were one row, times tau; or its formula, with 1 for
/// the constant that it leaves open.
///
/// # Errors
/// If no noise reaches the target.
pub fn training_noise(
    reading: PrintedNoise,
    half: Loss,
    rate: f64,
    steps: u64,
    tau: f64,
) -> Result<f64> {
    if reading == PrintedNoise::Formula {
        // sigma = c2 q tau sqrt(T log(1/delta)) / epsilon.
        let (epsilon, delta) = (half.epsilon.get(), half.delta.get());
        return Ok(rate * tau * (steps as f64 * (1.0 / delta).ln()).sqrt() / epsilon);
    }
    let family = |noise_multiplier| {
        Event::Gaussian { noise_multiplier }.poisson_sampled(rate).repeated(steps)
    };
    Ok(tau * calibrate::noise_multiplier(&Pld::default(), half, family)?)
}

/// The plan of the printed algorithm.
///
/// # Errors
/// If a setting makes no sense, or no noise reaches the printed target.
pub fn plan<U: Person>(system: &Dpar, people: usize) -> Result<Plan> {
    if matches!(
        system.method,
        Method::ClassSums
            | Method::GradientDescent
            | Method::HiddenLayer
            | Method::NeighbourVotes
            | Method::Gap
            | Method::Sage
    ) {
        let (what, expected) = match system.method {
            Method::ClassSums => ("mode of class-sums", "rigorous: the paper has no such sums"),
            Method::GradientDescent => {
                ("mode of gradient-descent", "rigorous: the paper has no such training")
            }
            Method::HiddenLayer => {
                ("mode of hidden-layer", "rigorous: the paper has no such training")
            }
            Method::NeighbourVotes => {
                ("mode of neighbour-votes", "rigorous: the paper has no such votes")
            }
            Method::Gap => {
                ("mode of gap", "rigorous: aggregation perturbation has no printed noise here")
            }
            _ => ("mode of sage", "rigorous: subgraphs have no printed noise here"),
        };
        return Err(Error::invalid(what, "paper", expected));
    }
    let (settings, target) = (&system.settings, system.target);
    let rows = ((people as f64 * settings.sample).round() as usize).clamp(2, people);
    let structure = &settings.structure;
    let sources = structure.sources.min(rows);
    let (of_structure, mut half) = parts(target, settings.sample, structure.share)?;
    if !system.method.reads_structure() {
        // Without a structure to pay for, training has all of it.
        half = parts(target, settings.sample, 0.0)?.1;
        half = Loss::new(half.epsilon.get(), (2.0 * half.delta.get()).min(0.999))?;
    }
    let rate = settings.model.rate(rows);
    let steps = settings.model.steps * (1.0 / rate).ceil() as u64;
    let tau = if system.method.reads_structure() { structure.tau } else { 1.0 };
    let mut plan = system.no_noise(people);
    plan.training = sgd::SgdSettings {
        steps,
        rows: rows as u64,
        batch: BatchSampling::Poisson { rate },
        share: RowShare::Alone,
        noise_multiplier: training_noise(settings.printed_noise, half, rate, steps, tau)?,
        ..plan.training
    };
    let mut before = Event::Nothing;
    if system.method.reads_structure() {
        let noise = row_noise(system.method, of_structure, sources, structure.keep);
        plan.training.share = RowShare::UpTo(sources as u32 + 1);
        plan.structure = Some(noise);
        before = system.appr(sources, noise).event()?;
    }
    let step = plan.training.step_event(U::NEIGHBOURS)?;
    plan.event = before.then(step.repeated(steps));
    plan.loss = cost(&plan.event, target)?;
    (plan.rows, plan.sources) = (rows, sources);
    let structure =
        if system.method.reads_structure() { of_structure.epsilon } else { Epsilon::ZERO };
    plan.printed = Some(PrintedCost { total: target.epsilon, structure, training: half.epsilon });
    Ok(plan)
}
