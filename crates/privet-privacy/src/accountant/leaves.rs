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
                // Checked: an event from a file may nest repetitions whose product wraps around to a small number.
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
            // Precisions 1/σ² add, so the roots 1/σ add as sides of a right angle.
            let add = |root: f64, event| Some(root.hypot(one_gaussian(event)?.recip()));
            Some(events.iter().try_fold(0.0, add)?.recip())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::exact::{above, big};

    #[test]
    fn counts_and_resolves() {
        let gaussian = Event::Gaussian { noise_multiplier: 2.0 };
        let event = gaussian
            .clone()
            .repeated(3)
            .then(gaussian.clone().poisson_sampled(0.5).repeated(4))
            .then(Event::Nothing)
            .repeated(2)
            .then(gaussian.clone());
        let mixture = Event::MixtureOfGaussians { noise_multiplier: 2.0, max_rows: 1, rate: 0.5 };
        assert_eq!(
            leaves(&event).unwrap(),
            [Leaf { event: gaussian.clone(), times: 7 }, Leaf { event: mixture, times: 8 }]
        );
        let four = gaussian.repeated(4).poisson_sampled(0.5);
        assert_eq!(
            leaves(&four).unwrap()[0].event,
            Event::MixtureOfGaussians { noise_multiplier: 1.0, max_rows: 1, rate: 0.5 }
        );
        let overflow = Event::NonPrivate.repeated(u64::MAX).repeated(2);
        assert!(leaves(&overflow).is_err());
    }

    fn pure(epsilon: f64) -> Event {
        Event::Pure { epsilon: Epsilon::new(epsilon).unwrap() }
    }

    fn gaussian(noise_multiplier: f64) -> Event {
        Event::Gaussian { noise_multiplier }
    }

    /// The one elementary release of an event.
    fn only(event: &Event) -> Event {
        let [leaf] = &leaves(event).unwrap()[..] else { panic!("{event}") };
        leaf.event.clone()
    }

    /// What costs nothing is not listed, whatever it is called, wherever it stands.
    #[test]
    fn what_is_free_is_left_out() {
        let zero = Epsilon::ZERO;
        let fixed = |size| BatchSampling::FixedSize { size, population: 9 };
        let rows = |batch| Event::ReplacedRows { noise_multiplier: 1.0, max_rows: 2, batch };
        for free in [
            pure(0.0),
            Event::RandomizedResponse { epsilon: zero, categories: 3 },
            Event::BoundedRange { eta: 0.0 },
            Event::ZeroConcentrated { rho: 0.0 },
            gaussian(1.0).poisson_sampled(0.0),
            gaussian(1.0).subsampled_once(0.0),
            Event::MixtureOfGaussians { noise_multiplier: 1.0, max_rows: 2, rate: 0.0 },
            Event::FixedSizeSampled { size: 0, population: 9, event: Box::new(gaussian(1.0)) },
            rows(BatchSampling::Poisson { rate: 0.0 }),
            rows(fixed(0)),
            gaussian(1.0).repeated(0).poisson_sampled(0.5),
            Event::Sequence { events: Vec::new() }.subsampled_once(0.5),
            pure(0.0).poisson_sampled(0.5),
        ] {
            assert_eq!(leaves(&free).unwrap(), [], "{free}");
            let event = free.clone().then(gaussian(1.0)).then(free.repeated(3));
            assert_eq!(only(&event), gaussian(1.0));
        }
    }

    /// Samples that hold everything are none, and rows that are all there are one long row.
    #[test]
    fn full_samples_are_no_samples() {
        let noise_multiplier = 12.0;
        let fixed = |size| BatchSampling::FixedSize { size, population: 9 };
        let rows = |batch| Event::ReplacedRows { noise_multiplier, max_rows: 3, batch };
        assert_eq!(only(&gaussian(2.0).subsampled_once(1.0)), gaussian(2.0));
        let all = Event::FixedSizeSampled { size: 9, population: 9, event: Box::new(pure(1.0)) };
        assert_eq!(only(&all), pure(1.0));
        let mixture = Event::MixtureOfGaussians { noise_multiplier, max_rows: 3, rate: 1.0 };
        assert_eq!(only(&mixture), gaussian(4.0));
        for full in [BatchSampling::Poisson { rate: 1.0 }, fixed(9)] {
            assert_eq!(only(&rows(full)), gaussian(2.0));
        }
        for part in [BatchSampling::Poisson { rate: 0.5 }, fixed(8)] {
            assert_eq!(only(&rows(part)), rows(part));
        }
    }

    /// `1/s^2 = sum 1/s_i^2`, also where one of them happened no time at all and where squares overflow.
    #[test]
    fn sampled_gaussians_become_one() {
        let noise = |event: Event| match only(&event.poisson_sampled(0.5)) {
            Event::MixtureOfGaussians { noise_multiplier, max_rows: 1, rate: 0.5 } => {
                noise_multiplier
            }
            other => panic!("{other}"),
        };
        assert!((noise(gaussian(3.0).then(gaussian(4.0))) - 2.4).abs() < 1e-15);
        assert_eq!(noise(gaussian(3.0).repeated(9)), 1.0);
        assert_eq!(noise(gaussian(7.0).repeated(0).then(gaussian(3.0))), 3.0);
        let huge = noise(gaussian(3e200).then(gaussian(4e200)));
        assert!((huge / 2.4e200 - 1.0).abs() < 1e-15, "{huge}");
        let drawn = Event::FixedSizeSampled {
            size: 2,
            population: 8,
            event: Box::new(gaussian(3.0).repeated(9)),
        };
        let one = Box::new(gaussian(1.0));
        assert_eq!(only(&drawn), Event::FixedSizeSampled { size: 2, population: 8, event: one });
        // Nothing else is taken for a Gaussian.
        let mixed = gaussian(1.0).then(pure(1.0)).poisson_sampled(0.5);
        assert_eq!(only(&mixed), mixed);
    }

    /// Samples of fixed size amplify like Poisson samples of the same rate; deltas shrink with the rate.
    #[test]
    fn drawn_releases_are_amplified() {
        let one = Event::Approximate {
            epsilon: Epsilon::new(1.0).unwrap(),
            delta: Delta::new(0.25).unwrap(),
        };
        let drawn = |event: Event| Event::FixedSizeSampled {
            size: 2,
            population: 8,
            event: Box::new(event),
        };
        assert_eq!(only(&drawn(one.clone())), only(&one.clone().poisson_sampled(0.25)));
        assert_eq!(only(&drawn(pure(1.0))), only(&pure(1.0).subsampled_once(0.25)));
        let Event::Approximate { epsilon, delta } = only(&drawn(one)) else { panic!() };
        assert_eq!(delta.get(), 0.0625);
        assert!((epsilon.get() - (0.25 * 1f64.exp_m1()).ln_1p()).abs() < 1e-14);
    }

    /// Which releases have no bound at all, and how likely some of them fail.
    #[test]
    fn leaves_know_what_they_are() {
        let leaf = |event| Leaf { event, times: 3 };
        let approximate = |epsilon: f64, delta: f64| Event::Approximate {
            epsilon: Epsilon::new(epsilon).unwrap(),
            delta: Delta::new(delta).unwrap(),
        };
        let infinite = f64::INFINITY;
        let response = |epsilon| Event::RandomizedResponse { epsilon, categories: 3 };
        for open in [
            Event::NonPrivate,
            pure(infinite),
            approximate(infinite, 0.1),
            response(Epsilon::INFINITE),
        ] {
            assert!(leaf(open).is_unbounded());
        }
        for bounded in [pure(1.0), approximate(1.0, 0.1), response(Epsilon::ZERO), gaussian(1.0)] {
            assert!(!leaf(bounded).is_unbounded());
        }
        let all = [leaf(approximate(1.0, 0.125)), leaf(pure(1.0)), leaf(approximate(2.0, 0.0625))];
        assert_eq!(Leaf::failures(&all), 0.5625);
    }

    /// What is left of a delta is never more than the exact difference.
    #[test]
    fn differences_are_rounded_down() {
        assert_eq!(without(0.3, 0.0), 0.3);
        assert!(without(0.3, 0.3) < 0.0);
        for step in 1..200 {
            let (delta, failures) = (1e-3 * f64::from(step).sqrt(), 1e-5 * f64::from(step).cbrt());
            let exact = big(delta) - big(failures);
            assert!((-2.0..0.0).contains(&above(without(delta, failures), &exact)), "{step}");
        }
    }

    /// A composition of one event is that event.
    #[test]
    fn single_events_are_unwrapped() {
        let one = pure(1.0).subsampled_once(0.5);
        let wrapped = Event::Sequence { events: vec![one.clone().repeated(1)] }.repeated(1);
        assert_eq!(unwrap_single(&wrapped), &one);
        for several in [one.clone().repeated(2), one.clone().then(Event::Nothing)] {
            assert_eq!(unwrap_single(&several), &several);
        }
    }

    #[test]
    fn sampling_a_pure_release_amplifies_it() {
        let pure = Event::Pure { epsilon: Epsilon::new(1.0).unwrap() };
        let sampled = leaves(&pure.repeated(2).poisson_sampled(0.1)).unwrap();
        let Event::Pure { epsilon } = sampled[0].event else { panic!("{sampled:?}") };
        assert!((epsilon.get() - (0.1 * 2f64.exp_m1()).ln_1p()).abs() < 1e-15);
    }
}
