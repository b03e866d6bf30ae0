//! Accountants: from what happened to what it costs.
//!
//! An [`Accountant`] turns an [`Event`] into an `(epsilon, delta)` guarantee by a theorem. Each file here
//! is one theorem family; none of them guesses: an event without a theorem is an error that names the
//! part it is missing for. Numbers are upper bounds: discretisation, truncation and rounding only ever
//! make them larger. An accountant whose arithmetic cannot resolve an event, or that would need more than a second
//! or some hundred megabytes for it, says so instead, and another one answers.
//!
//! | accountant | tight for | events |
//! |---|---|---|
//! | [`Basic`] | a few pure releases | everything with an (epsilon, delta) of its own |
//! | [`Optimal`] | many equal (epsilon, delta) releases | one kind of (epsilon, delta) event |
//! | [`AnalyticGaussian`] | Gaussian noise (exact) | Gaussian |
//! | [`ZeroConcentrated`] | many picks, many Gaussians | pure, bounded range, Gaussian, zCDP |
//! | [`Renyi`] | mixed compositions at small delta, any number of tiny losses | all of these, and sampled Gaussians |
//! | [`Pld`] | everything it supports | all but zCDP |
//!
//! [`best`] asks [`all`] of them and keeps the smallest number: each is a theorem, so the minimum is one.
//!
//! ```
//! use privet_privacy::accountant::{Accountant, Pld};
//! use privet_privacy::event::Event;
//! use privet_privacy::loss::Delta;
//!
//! let training = Event::Gaussian { noise_multiplier: 1.0 }.poisson_sampled(0.01).repeated(1000);
//! let epsilon = Pld::default().epsilon(&training, Delta::new(1e-5)?)?;
//! assert!(epsilon.get() > 1.828 && epsilon.get() < 1.829);
//! # Ok::<(), privet_privacy::error::Error>(())
//! ```

use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::{Delta, Epsilon};

pub mod amplification;
pub mod calibrate;
pub mod convert;

mod analytic_gaussian;
mod basic;
mod coarser;
#[cfg(test)]
mod exact;
mod leaves;
mod mixture;
mod optimal;
mod pld;
mod rdp;
mod replaced;
mod rows;
mod tail;
mod zcdp;

pub use analytic_gaussian::AnalyticGaussian;
pub use basic::Basic;
pub use optimal::{Optimal, advanced_composition, closed_form_share};
pub use pld::Pld;
pub use rdp::Renyi;
pub use zcdp::ZeroConcentrated;

use leaves::{Leaf, leaves};

/// A way to turn an event into numbers, backed by a theorem.
pub trait Accountant {
    /// The name that is printed beside the number.
    fn name(&self) -> &'static str;

    /// The smallest epsilon this accountant can prove at the given delta.
    fn epsilon(&self, event: &Event, delta: Delta) -> Result<Epsilon>;

    /// The smallest delta this accountant can prove at the given epsilon.
    fn delta(&self, event: &Event, epsilon: Epsilon) -> Result<Delta>;

    /// Whether its answers are exact, so that no other accountant need be asked.
    fn is_exact(&self) -> bool {
        false
    }

    /// An accountant of the same kind that answers sooner and somewhat higher, if there is one. Searches
    /// look around with it; what they return is proved by the accountant itself.
    fn coarser(&self) -> Option<Box<dyn Accountant>> {
        None
    }
}

/// A number together with the accountant that proved it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProvedBound<T> {
    /// The number.
    pub value: T,
    /// [`Accountant::name`] of the accountant that proved it.
    pub accountant: &'static str,
}

/// Every accountant, in the order [`best`] asks them: cheap and exact ones first, and a later one must
/// be strictly better to take over.
pub fn all() -> [Box<dyn Accountant>; 6] {
    with_share(ALL_OF_IT)
}

/// The share of the time an answer may take that a single question gets.
const ALL_OF_IT: f64 = 1.0;

/// Every accountant, with this share of the time an answer may take.
fn with_share(share: f64) -> [Box<dyn Accountant>; 6] {
    [
        Box::new(Basic),
        Box::new(AnalyticGaussian),
        Box::new(Optimal),
        Box::new(ZeroConcentrated),
        Box::new(Renyi::default().within(share)),
        Box::new(Pld::default().within(share)),
    ]
}

/// The smallest epsilon that any accountant can prove at this delta, and which one proved it.
///
/// ```
/// use privet_privacy::{accountant, event::Event, loss::Delta};
/// let event = Event::Gaussian { noise_multiplier: 1.0 };
/// let proved = accountant::best(&event, Delta::new(1e-5)?)?;
/// assert_eq!(proved.accountant, "analytic Gaussian");
/// assert!((proved.value.get() - 4.377_178_096).abs() < 1e-8);
/// # Ok::<(), privet_privacy::error::Error>(())
/// ```
pub fn best(event: &Event, delta: Delta) -> Result<ProvedBound<Epsilon>> {
    best_of(event, all(), |accountant| accountant.epsilon(event, delta))
}

/// [`best`], when so many questions are asked at once, as by a ledger with many groups of users: each gets its share
/// of the time an answer may take, and a bound that is looser, never wrong, where that does not suffice.
pub(crate) fn best_among(
    event: &Event,
    delta: Delta,
    questions: usize,
) -> Result<ProvedBound<Epsilon>> {
    let share = (questions as f64).recip().min(ALL_OF_IT);
    best_of(event, with_share(share), |accountant| accountant.epsilon(event, delta))
}

/// The smallest delta that any accountant can prove at this epsilon, and which one proved it.
pub fn best_delta(event: &Event, epsilon: Epsilon) -> Result<ProvedBound<Delta>> {
    best_of(event, all(), |accountant| accountant.delta(event, epsilon))
}

/// [`best_delta`], when so many questions are asked at once ([`best_among`]).
pub(crate) fn best_delta_among(
    event: &Event,
    epsilon: Epsilon,
    questions: usize,
) -> Result<ProvedBound<Delta>> {
    let share = (questions as f64).recip().min(ALL_OF_IT);
    best_of(event, with_share(share), |accountant| accountant.delta(event, epsilon))
}

fn best_of<T: PartialOrd + Copy>(
    event: &Event,
    accountants: impl IntoIterator<Item = Box<dyn Accountant>>,
    ask: impl Fn(&dyn Accountant) -> Result<T>,
) -> Result<ProvedBound<T>> {
    let mut winner: Option<ProvedBound<T>> = None;
    let mut refusal: Option<Error> = None;
    for accountant in accountants {
        let answer = ask(&*accountant);
        let is_last = answer.is_ok() && accountant.is_exact();
        match answer {
            Ok(value) if winner.is_none_or(|so_far| value < so_far.value) => {
                winner = Some(ProvedBound { value, accountant: accountant.name() });
            }
            Ok(_) => {}
            // Who has a theorem but no means says more than who has none.
            Err(error) if error.leaves_it_to_others() => {
                let lacks_theorem = |error: &Error| matches!(error, Error::NoTheorem { .. });
                if !lacks_theorem(&error) || refusal.as_ref().is_none_or(lacks_theorem) {
                    refusal = Some(error);
                }
            }
            Err(error) => return Err(error),
        }
        if is_last {
            break;
        }
    }
    winner.ok_or_else(|| refusal.unwrap_or_else(|| no_theorem("best", event)))
}

fn no_theorem(accountant: &'static str, event: &Event) -> Error {
    Error::NoTheorem { accountant, event: event.to_string() }
}

/// What all accountants share for `epsilon`: checking, the one amplification by a data subsample that
/// may surround everything, and the events that cost nothing or cannot be bounded.
fn settle_epsilon(
    event: &Event,
    delta: Delta,
    solve: &dyn Fn(&[Leaf], f64) -> Result<f64>,
) -> Result<Epsilon> {
    event.validate()?;
    if let Event::SubsampledOnce { rate, event } = leaves::unwrap_single(event) {
        let before = amplification::delta_before(*rate, delta);
        return match before {
            Some(before) => {
                let inner = settle_epsilon(event, before, solve)?;
                if fault::on(Fault::HalvesAmplifiedApart) {
                    let half = Epsilon::new(inner.get() / 2.0)?;
                    return Ok(amplification::amplified_epsilon(*rate, half)?.times(2));
                }
                amplification::amplified_epsilon(*rate, inner)
            }
            None => Ok(Epsilon::ZERO),
        };
    }
    let leaves = leaves(event)?;
    if leaves.is_empty() {
        Ok(Epsilon::ZERO)
    } else if leaves.iter().any(Leaf::is_unbounded) {
        Ok(Epsilon::INFINITE)
    } else {
        Epsilon::new(solve(&leaves, delta.get())?)
    }
}

/// The same for `delta`.
fn settle_delta(
    event: &Event,
    epsilon: Epsilon,
    solve: &dyn Fn(&[Leaf], f64) -> Result<f64>,
) -> Result<Delta> {
    event.validate()?;
    if let Event::SubsampledOnce { rate, event } = leaves::unwrap_single(event) {
        let inner = settle_delta(event, amplification::epsilon_before(*rate, epsilon)?, solve)?;
        return Ok(Delta::saturating(crate::loss::multiply_up(inner.get(), *rate)));
    }
    let leaves = leaves(event)?;
    if leaves.is_empty() || !epsilon.is_finite() {
        Ok(Delta::ZERO)
    } else if leaves.iter().any(Leaf::is_unbounded) {
        Ok(Delta::VACUOUS)
    } else {
        Ok(Delta::saturating(solve(&leaves, epsilon.get())?))
    }
}

mod effort {
    //! How much work an answer may take, so that every question has an answer soon.
    //!
    //! Work is counted in evaluations of an exponential, about ten nanoseconds each, and estimated *before*
    //! anything is computed or allocated. An accountant that would need more looks at fewer orders or a coarser
    //! grid, each of which is a bound as well, or refuses with [`Error::TooCostly`](crate::error::Error::TooCostly).

    /// Evaluations for one question to the Rényi accountant: some tenths of a second.
    pub(crate) const RENYI: f64 = 3e7;
    /// Evaluations for one grid of the PLD accountant: some tenths of a second, and a few grids may be tried.
    pub(crate) const GRID: f64 = 3e7;
    /// The most cells for one release: two megabytes.
    pub(crate) const MAX_CELLS: f64 = 131_072.0;
    /// The largest Fourier transform: sixteen megabytes, a few of which are alive at a time.
    pub(crate) const MAX_BINS: f64 = 1_048_576.0;
    /// Fewer cells or bins than this are not worth an answer.
    pub(crate) const FEWEST: f64 = 1_024.0;
}

#[cfg(test)]
mod tests {
    //! What all accountants share.

    use super::*;

    fn gaussian(noise_multiplier: f64) -> Event {
        Event::Gaussian { noise_multiplier }
    }

    fn pure(epsilon: f64) -> Event {
        Event::Pure { epsilon: Epsilon::new(epsilon).unwrap() }
    }

    /// The names that cards print, who is exact, and who has a quick cousin.
    #[test]
    fn every_accountant_has_its_name() {
        let found = all().map(|one| (one.name(), one.is_exact(), one.coarser().map(|c| c.name())));
        assert_eq!(
            found,
            [
                ("basic", false, None),
                ("analytic Gaussian", true, None),
                ("optimal composition", false, None),
                ("zCDP", false, None),
                ("Rényi DP", false, None),
                ("PLD", false, Some("PLD")),
            ]
        );
    }

    /// An event that cannot have happened has no price from any accountant, however deep it is.
    #[test]
    fn no_accountant_prices_what_cannot_be() {
        let impossible = [
            gaussian(-1.0),
            gaussian(1.0).then(gaussian(f64::NAN)),
            pure(1.0).subsampled_once(1.5),
            gaussian(0.0).repeated(3).subsampled_once(0.5),
        ];
        let (delta, epsilon) = (Delta::new(1e-5).unwrap(), Epsilon::new(1.0).unwrap());
        for event in impossible {
            for accountant in all() {
                let name = accountant.name();
                let range = |error| matches!(error, Some(Error::OutOfRange { .. }));
                assert!(range(accountant.epsilon(&event, delta).err()), "{name}: {event}");
                assert!(range(accountant.delta(&event, epsilon).err()), "{name}: {event}");
            }
            assert!(
                best(&event, delta).is_err() && best_delta(&event, epsilon).is_err(),
                "{event}"
            );
            assert!(Renyi::default().divergence(&event, 2.0).is_err(), "{event}");
        }
        assert!(Renyi::default().divergence(&gaussian(1.0), 1.0).is_err());
    }

    /// One release without protection among protected ones is no protection, and an infinite epsilon holds always.
    #[test]
    fn one_open_door_is_enough() {
        let delta = Delta::new(1e-5).unwrap();
        for open in [Event::NonPrivate, pure(f64::INFINITY)] {
            let event = pure(0.5).then(open).then(pure(0.25));
            for accountant in all() {
                assert_eq!(accountant.epsilon(&event, delta), Ok(Epsilon::INFINITE));
                assert_eq!(accountant.delta(&event, Epsilon::ZERO), Ok(Delta::VACUOUS));
                assert_eq!(accountant.delta(&event, Epsilon::INFINITE), Ok(Delta::ZERO));
                assert_eq!(accountant.delta(&pure(0.5), Epsilon::INFINITE), Ok(Delta::ZERO));
            }
        }
    }

    /// An accountant with a fixed answer.
    struct FixedAnswer(Result<f64>, bool);

    impl Accountant for FixedAnswer {
        fn name(&self) -> &'static str {
            "stub"
        }

        fn epsilon(&self, _: &Event, _: Delta) -> Result<Epsilon> {
            self.0.clone().and_then(Epsilon::new)
        }

        fn delta(&self, _: &Event, _: Epsilon) -> Result<Delta> {
            self.0.clone().and_then(Delta::new)
        }

        fn is_exact(&self) -> bool {
            self.1
        }
    }

    fn best_of_all(answers: Vec<(Result<f64>, bool)>) -> Result<f64> {
        let boxed = |(answer, exact)| Box::new(FixedAnswer(answer, exact)) as Box<dyn Accountant>;
        let event = Event::Nothing;
        let asked = answers.into_iter().map(boxed);
        Ok(best_of(&event, asked, |one| one.epsilon(&event, Delta::ZERO))?.value.get())
    }

    /// The smallest number wins, an exact one ends the search, and of the refusals the one that says most is kept.
    #[test]
    fn the_best_answer_is_the_smallest_and_the_best_refusal_the_most_telling() {
        let unknown = || Err(no_theorem("stub", &Event::Nothing));
        let costly = || Err(Error::TooCostly { accountant: "stub", needs: "a year".to_owned() });
        let fatal = || Err(Error::range("rate", 2.0, "at most 1"));
        let open = |answer| (answer, false);
        assert_eq!(best_of_all(vec![open(Ok(3.0)), open(Ok(1.0)), open(Ok(2.0))]), Ok(1.0));
        assert_eq!(best_of_all(vec![open(Ok(3.0)), (Ok(2.0), true), open(Ok(1.0))]), Ok(2.0));
        assert_eq!(best_of_all(vec![(unknown(), true), open(costly()), open(Ok(1.0))]), Ok(1.0));
        assert_eq!(best_of_all(vec![open(Ok(1.0)), open(fatal())]), fatal());
        for refusals in [
            vec![unknown(), costly(), unknown()],
            vec![costly(), unknown()],
            vec![unknown(), unknown(), costly()],
        ] {
            assert_eq!(best_of_all(refusals.into_iter().map(open).collect()), costly());
        }
        assert_eq!(best_of_all(vec![open(unknown())]), unknown());
        let no_accountant = best_of_all(Vec::new());
        assert_eq!(no_accountant, Err(no_theorem("best", &Event::Nothing)));
    }

    /// Many questions at once share the time: their answers are never lower than that of a single one, and a release for
    /// which only a whole share suffices is answered by another accountant.
    #[test]
    fn many_questions_share_the_time() {
        let delta = Delta::new(1e-6).unwrap();
        let event = gaussian(2.0).poisson_sampled(0.05).repeated(50);
        let alone = best(&event, delta).unwrap();
        assert_eq!(best_among(&event, delta, 1).unwrap(), alone);
        assert_eq!(best_among(&event, delta, 0).unwrap(), alone);
        let crowded = best_among(&event, delta, 2_000).unwrap();
        assert_eq!((alone.accountant, crowded.accountant), ("PLD", "Rényi DP"));
        assert!(crowded.value > alone.value);
    }

    /// What failures leave of a delta, and what sampling makes of it: rounded to the safe side.
    #[test]
    fn a_subsample_is_amplified_as_a_whole() {
        let event = pure(1.0).repeated(2).subsampled_once(0.25);
        let one = Event::Approximate {
            epsilon: Epsilon::new(1.0).unwrap(),
            delta: Delta::new(0.125).unwrap(),
        };
        // (2, 0) on a quarter: log(1 + (e^2 - 1)/4).
        let expected = (0.25 * 2f64.exp_m1()).ln_1p();
        let found = Basic.epsilon(&event, Delta::ZERO).unwrap().get();
        assert!((found / expected - 1.0).abs() < 1e-14);
        // Rounded down before sampling, so nothing is promised there, to a quarter.
        assert_eq!(Basic.delta(&event, Epsilon::new(found).unwrap()).unwrap().get(), 0.25);
        let larger = Epsilon::new(found * (1.0 + 1e-12)).unwrap();
        assert_eq!(Basic.delta(&event, larger), Ok(Delta::ZERO));
        assert_eq!(Basic.delta(&one.subsampled_once(0.25), larger).unwrap().get(), 0.031_25);
    }
}
