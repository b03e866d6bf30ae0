//! An event as a list of elementary releases with multiplicities.
//!
//! Composition is flattened, equal releases are counted, and sampling is resolved where a theorem turns
//! a sampled release into an elementary one:
//! * a Poisson-sampled Gaussian is a mixture of Gaussians with one row;
//! * a sampled release with an (epsilon, delta) of its own is amplified in the log form (Balle, Barthe
//!   and Gaboardi 2018) and stays a release with an (epsilon, delta).
//!
//! What remains sampled has no such theorem, and it is for each accountant to know better.

use std::collections::HashMap;

use super::{amplification, basic};
use crate::error::{Error, Result};
use crate::event::{BatchSampling, Event};
use crate::fault::{self, Fault};
use crate::loss::{Delta, Epsilon, Loss};

/// An elementary release, and how often it happened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Leaf {
    pub(crate) event: Event,
    pub(crate) times: u64,
}

impl Leaf {
    /// Whether no finite bound exists.
    pub(crate) fn is_unbounded(&self) -> bool {
        match self.event {
            Event::NonPrivate => true,
            Event::Pure { epsilon }
            | Event::Approximate { epsilon, .. }
            | Event::RandomizedResponse { epsilon, .. } => !epsilon.is_finite(),
            _ => false,
        }
    }

    /// How often, as a float.
    pub(crate) fn count(&self) -> f64 {
        crate::loss::count_up(self.times)
    }

    /// The probability that some (epsilon, delta) release of this leaf fails outright.
    pub(crate) fn failure(&self) -> f64 {
        match self.event {
            Event::Approximate { delta, .. } if !fault::on(Fault::DeltasForgotten) => {
                delta.times(self.times).get()
            }
            _ => 0.0,
        }
    }

    /// The same for several leaves, rounded up.
    pub(crate) fn failures(leaves: &[Self]) -> f64 {
        leaves.iter().fold(0.0, |sum, leaf| crate::loss::add_up(sum, leaf.failure()))
    }
}

/// What failures leave of delta, rounded down; negative if nothing.
pub(crate) fn without(delta: f64, failures: f64) -> f64 {
    if failures == 0.0 { delta } else { (delta - failures).next_down() }
}

/// Strips compositions of exactly one event.
pub(crate) fn unwrap_single(event: &Event) -> &Event {
    match event {
        Event::Repeated { event, times: 1 } => unwrap_single(event),
        Event::Sequence { events } if events.len() == 1 => unwrap_single(&events[0]),
        other => other,
    }
}

/// The elementary releases of a valid event; releases that cost nothing are left out.
pub(crate) fn leaves(event: &Event) -> Result<Vec<Leaf>> {
    let mut list = LeafList::default();
    list.push(event, 1)?;
    Ok(list.leaves)
}

#[derive(Default)]
struct LeafList {
    leaves: Vec<Leaf>,
    // Events hold floats, which have no hash: their debug text identifies them exactly.
    known: HashMap<String, usize>,
}

impl LeafList {
    fn push(&mut self, event: &Event, times: u64) -> Result<()> {
        if times == 0 {
            return Ok(());
        }
        match event {
            Event::Repeated { event, times: inner } => {
                let total = times.checked_mul(*inner).ok_or_else(|| {
                    Error::range("times", format!("{times} * {inner}"), "below 2^64 in total")
                })?;
                self.push(event, total)
            }
            Event::Sequence { events } => {
                events.iter().try_for_each(|event| self.push(event, times))
            }
            // A sample of everything is no sample: the event inside is priced with its own theorem.
            Event::PoissonSampled { rate: 1.0, event }
            | Event::SubsampledOnce { rate: 1.0, event } => self.push(event, times),
            Event::FixedSizeSampled { size, population, event } if size == population => {
                self.push(event, times)
            }
            other => match elementary(other)? {
                Some(leaf) => self.add(leaf, times),
                None => Ok(()),
            },
        }
    }

    fn add(&mut self, event: Event, times: u64) -> Result<()> {
        let key = format!("{event:?}");
        if let Some(&index) = self.known.get(&key) {
            let leaf = &mut self.leaves[index];
            leaf.times = leaf.times.checked_add(times).ok_or_else(|| {
                Error::range("times", format!("{} + {times}", leaf.times), "below 2^64 in total")
            })?;
        } else {
            self.known.insert(key, self.leaves.len());
            self.leaves.push(Leaf { event, times });
        }
        Ok(())
    }
}

/// The elementary form of an event that is not a composition; nothing for one that costs nothing.
fn elementary(event: &Event) -> Result<Option<Event>> {
    let leaf = match event {
        Event::Nothing => None,
        Event::Pure { epsilon } | Event::RandomizedResponse { epsilon, .. }
            if *epsilon == Epsilon::ZERO =>
        {
            None
        }
        Event::BoundedRange { eta: 0.0 } | Event::ZeroConcentrated { rho: 0.0 } => None,
        Event::PoissonSampled { rate: 0.0, .. } | Event::SubsampledOnce { rate: 0.0, .. } => None,
        Event::MixtureOfGaussians { rate: 0.0, .. } | Event::FixedSizeSampled { size: 0, .. } => {
            None
        }
        Event::PoissonSampled { event, .. }
        | Event::SubsampledOnce { event, .. }
        | Event::FixedSizeSampled { event, .. }
            if leaves(event)?.is_empty() =>
        {
            None
        }
        // All rows are always present: they move the sum together, by max_rows.
        Event::MixtureOfGaussians { noise_multiplier, max_rows, rate: 1.0 } => {
            Some(Event::Gaussian { noise_multiplier: noise_multiplier / f64::from(*max_rows) })
        }
        Event::ReplacedRows { batch: BatchSampling::Poisson { rate: 0.0 }, .. }
        | Event::ReplacedRows { batch: BatchSampling::FixedSize { size: 0, .. }, .. } => None,
        Event::ReplacedRows { noise_multiplier, max_rows, batch } if is_full(*batch) => {
            Some(Event::Gaussian {
                // Each row moves across the ball, by two units.
                noise_multiplier: noise_multiplier / (2.0 * f64::from(*max_rows)),
            })
        }
        Event::PoissonSampled { rate, event: inner } => match one_gaussian(inner) {
            Some(noise_multiplier) => {
                Some(Event::MixtureOfGaussians { noise_multiplier, max_rows: 1, rate: *rate })
            }
            None => amplified(event, *rate, inner)?,
        },
        Event::SubsampledOnce { rate, event: inner } => amplified(event, *rate, inner)?,
        Event::FixedSizeSampled { size, population, event: inner } => match one_gaussian(inner) {
            Some(noise_multiplier) => {
                let inner = Box::new(Event::Gaussian { noise_multiplier });
                Some(Event::FixedSizeSampled { size: *size, population: *population, event: inner })
            }
            None => amplified(event, *size as f64 / *population as f64, inner)?,
        },
        other => Some(other.clone()),
    };
    Ok(leaf)
}

fn is_full(batch: BatchSampling) -> bool {
    match batch {
        BatchSampling::Poisson { rate } => rate == 1.0,
        BatchSampling::FixedSize { size, population } => size == population,
    }
}

/// The sampled event in the log form, if what was sampled has an (epsilon, delta) of its own.
fn amplified(sampled: &Event, rate: f64, inner: &Event) -> Result<Option<Event>> {
    // Balle, Barthe and Gaboardi 2018: (eps, delta) on a sample of rate q is (log(1 + q(e^eps - 1)), q delta).
    let Some(Loss { epsilon, delta }) = basic::guarantee(inner) else {
        return Ok(Some(sampled.clone()));
    };
    let epsilon = amplification::amplified_epsilon(rate, epsilon)?;
    let delta = Delta::saturating(crate::loss::multiply_up(delta.get(), rate));
    Ok(match (epsilon, delta) {
        (Epsilon::ZERO, Delta::ZERO) => None,
        (epsilon, Delta::ZERO) => Some(Event::Pure { epsilon }),
        (epsilon, delta) => Some(Event::Approximate { epsilon, delta }),
    })
}

/// The noise multiplier of the one Gaussian that a composition of Gaussians amounts to:
/// `1/s^2 = sum 1/s_i^2` (Dong, Roth and Su 2022).
fn one_gaussian(event: &Event) -> Option<f64> {
    match event {
        Event::Gaussian { noise_multiplier } => Some(*noise_multiplier),
        // On one sample, repeated Gaussians are one Gaussian with the precisions added.
        Event::Repeated { event, times } => Some(one_gaussian(event)? / (*times as f64).sqrt()),
        Event::Sequence { events } => {
            let add = |root: f64, event| Some(root.hypot(one_gaussian(event)?.recip()));
            Some(events.iter().try_fold(0.0, add)?.recip())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
