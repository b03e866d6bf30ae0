//! Basic composition: epsilons add, deltas add.
//!
//! **Idea.** The log-likelihood ratio of a sequence is the sum of the ratios of its parts.
//!
//! **Theorem** (Dwork, Kenthapadi, McSherry, Mironov and Naor 2006): an adaptive sequence of
//! `(epsilon_i, delta_i)`-DP releases is `(sum epsilon_i, sum delta_i)`-DP. Tight for pure releases that
//! can all be at their worst at once, in particular for a handful of local reports; for many releases
//! at a positive delta every other accountant does better.
//!
//! **Numerics.** Sums round up.

use super::leaves::Leaf;
use super::{Accountant, no_theorem, settle_delta, settle_epsilon};
use crate::error::Result;
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::{Delta, Epsilon, Loss};

/// The accountant that adds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Basic;

const NAME: &str = "basic";

impl Accountant for Basic {
    fn name(&self) -> &'static str {
        NAME
    }

    fn epsilon(&self, event: &Event, delta: Delta) -> Result<Epsilon> {
        settle_epsilon(event, delta, &|leaves, delta| {
            let total = sum(leaves)?;
            // Such events have one (epsilon, delta) each: for a smaller delta this theorem has no finite epsilon.
            Ok(if total.delta.get() <= delta { total.epsilon.get() } else { f64::INFINITY })
        })
    }

    fn delta(&self, event: &Event, epsilon: Epsilon) -> Result<Delta> {
        settle_delta(event, epsilon, &|leaves, epsilon| {
            let total = sum(leaves)?;
            Ok(if total.epsilon.get() <= epsilon { total.delta.get() } else { f64::INFINITY })
        })
    }
}

fn sum(leaves: &[Leaf]) -> Result<Loss> {
    let mut total = Loss { epsilon: Epsilon::ZERO, delta: Delta::ZERO };
    for leaf in leaves {
        let one = elementary(&leaf.event).ok_or_else(|| no_theorem(NAME, &leaf.event))?;
        total = total + times(one, leaf.times);
    }
    Ok(total)
}

fn times(loss: Loss, count: u64) -> Loss {
    // Basic composition (Dwork et al. 2006): epsilons add and deltas add.
    let failures = if fault::on(Fault::DeltasNotAdded) { 1 } else { count };
    Loss { epsilon: loss.epsilon.times(count), delta: loss.delta.times(failures) }
}

/// The (epsilon, delta) of an event by basic composition, if all its parts have one.
pub(crate) fn guarantee(event: &Event) -> Option<Loss> {
    let zero = Loss { epsilon: Epsilon::ZERO, delta: Delta::ZERO };
    match event {
        Event::Repeated { event, times: count } => Some(times(guarantee(event)?, *count)),
        Event::Sequence { events } => {
            events.iter().try_fold(zero, |total, event| Some(total + guarantee(event)?))
        }
        // The same theorem as for a data subsample; `leaves` applies it.
        Event::PoissonSampled { .. }
        | Event::FixedSizeSampled { .. }
        | Event::SubsampledOnce { .. } => {
            let leaves = super::leaves::leaves(event).ok()?;
            leaves.iter().try_fold(zero, |total, leaf| {
                Some(total + times(elementary(&leaf.event)?, leaf.times))
            })
        }
        other => elementary(other),
    }
}

fn elementary(event: &Event) -> Option<Loss> {
    let (epsilon, delta) = match *event {
        Event::Nothing => (Epsilon::ZERO, Delta::ZERO),
        Event::NonPrivate => (Epsilon::INFINITE, Delta::ZERO),
        Event::Pure { epsilon } | Event::RandomizedResponse { epsilon, .. } => {
            (epsilon, Delta::ZERO)
        }
        Event::Approximate { epsilon, delta } => (epsilon, delta),
        // An interval of length eta that contains a value of each sign lies within [-eta, eta].
        Event::BoundedRange { eta } => (Epsilon::new(eta).ok()?, Delta::ZERO),
        Event::Laplace { noise_multiplier } => {
            // Laplace noise of scale b on a sum of sensitivity 1 is 1/b-DP; the reciprocal is rounded up.
            (Epsilon::new(noise_multiplier.recip().next_up()).ok()?, Delta::ZERO)
        }
        _ => return None,
    };
    Some(Loss { epsilon, delta })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::exact::{above, big};
    use crate::error::Error;

    fn approximate(epsilon: f64, delta: f64) -> Event {
        let loss = Loss::new(epsilon, delta).unwrap();
        Event::Approximate { epsilon: loss.epsilon, delta: loss.delta }
    }

    #[test]
    fn adds() {
        let event =
            approximate(0.5, 1e-6).repeated(4).then(Event::Laplace { noise_multiplier: 2.0 });
        let epsilon = Basic.epsilon(&event, Delta::new(5e-6).unwrap()).unwrap().get();
        assert!((2.5..2.500_000_000_000_002).contains(&epsilon), "{epsilon}");
        assert_eq!(Basic.epsilon(&event, Delta::new(3e-6).unwrap()).unwrap(), Epsilon::INFINITE);
        assert_eq!(Basic.delta(&event, Epsilon::new(3.0).unwrap()).unwrap().get(), 4e-6);
        assert_eq!(Basic.delta(&event, Epsilon::new(2.0).unwrap()).unwrap(), Delta::VACUOUS);
    }

    /// The epsilon of Laplace noise is the reciprocal of its scale, and not a bit less.
    #[test]
    fn reciprocals_are_rounded_up() {
        for step in 1..100 {
            let noise_multiplier = 0.3 * f64::from(step);
            let found = elementary(&Event::Laplace { noise_multiplier }).unwrap().epsilon.get();
            let exact = big(1.0) / big(noise_multiplier);
            assert!((0.0..2.0).contains(&above(found, &exact)), "{noise_multiplier}");
        }
    }

    /// The guarantee holds at the very epsilon it states, and at its very delta.
    #[test]
    fn bounds_hold_where_they_are_met() {
        let event = approximate(0.5, 0.25).repeated(2);
        assert_eq!(Basic.delta(&event, Epsilon::new(1.0).unwrap()).unwrap().get(), 0.5);
        assert_eq!(Basic.epsilon(&event, Delta::new(0.5).unwrap()).unwrap().get(), 1.0);
    }

    /// A sample protects who is not in it, however bad the release; who reads nothing, learns nothing.
    #[test]
    fn samples_of_the_extremes() {
        let open = Event::NonPrivate.poisson_sampled(0.25);
        assert_eq!(Basic.epsilon(&open, Delta::ZERO).unwrap(), Epsilon::INFINITE);
        let guarantees = [Event::Nothing, Event::NonPrivate].map(|event| guarantee(&event));
        let known = |epsilon| Some(Loss { epsilon, delta: Delta::ZERO });
        assert_eq!(guarantees, [known(Epsilon::ZERO), known(Epsilon::INFINITE)]);
        let both = Event::Nothing.then(approximate(1.0, 0.0)).then(Event::Nothing);
        let sampled = Event::Sequence { events: vec![Event::Nothing, both] }.poisson_sampled(0.5);
        let found = guarantee(&sampled).unwrap().epsilon.get();
        assert!((found - (0.5 * 1f64.exp_m1()).ln_1p()).abs() < 1e-14, "{found}");
    }

    #[test]
    fn says_what_it_cannot_price() {
        let event = approximate(1.0, 0.0).then(Event::ZeroConcentrated { rho: 0.25 }.repeated(3));
        let error = Basic.epsilon(&event, Delta::ZERO).unwrap_err();
        assert_eq!(error, no_theorem("basic", &Event::ZeroConcentrated { rho: 0.25 }));
        assert!(matches!(error, Error::NoTheorem { .. }));
    }

    #[test]
    fn unprotected_releases_are_infinite_and_nothing_is_free() {
        let event = Event::Nothing.then(Event::NonPrivate);
        assert_eq!(Basic.epsilon(&event, Delta::ZERO).unwrap(), Epsilon::INFINITE);
        assert_eq!(Basic.delta(&event, Epsilon::ZERO).unwrap(), Delta::VACUOUS);
        assert_eq!(
            Basic.epsilon(&Event::NonPrivate.repeated(0), Delta::ZERO).unwrap(),
            Epsilon::ZERO
        );
    }
}
