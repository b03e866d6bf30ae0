//! Amplification by one data subsample, in the log form.
//!
//! **Idea.** If everything that reads the data reads only a random subsample, a person who is not in it
//! pays nothing. Applied once, to the composition of everything that read that subsample.
//!
//! **Theorem** (Balle, Barthe and Gaboardi 2018, Theorem 8; add or remove one record, Poisson sampling):
//! an `(epsilon, delta)`-DP mechanism on a sample of rate `q` is `(log(1 + q (e^epsilon - 1)), q delta)`-DP.
//! Tight: one record and a Bernoulli output attain it. The linear form `q epsilon` is *below* it for
//! every epsilon above 0 and is not a theorem; nor is amplifying the parts of a composition one by one,
//! because they read the same sample. The sample itself must stay secret.
//!
//! **Numerics.** `log1p` and `expm1`, and logarithms of both beyond the range of doubles.

use crate::error::{Error, Result};
use crate::fault::{self, Fault};
use crate::loss::{Delta, Epsilon};
use crate::special::{ROUNDING, UP, log_expm1, log_one_plus_exp, log_one_plus_rate_expm1};

/// The epsilon after sampling, from the epsilon before; rounded up.
///
/// ```
/// use privet_privacy::{accountant::amplification, loss::Epsilon};
/// let after = amplification::amplified_epsilon(0.09, Epsilon::new(1.0 / 0.09)?)?;
/// assert!((after.get() - 8.703_316_605).abs() < 1e-9); // not 1, as the linear form would have it
/// # Ok::<(), privet_privacy::error::Error>(())
/// ```
pub fn amplified_epsilon(rate: f64, epsilon: Epsilon) -> Result<Epsilon> {
    check(rate)?;
    if fault::on(Fault::LinearAmplification) {
        return Epsilon::new(rate * epsilon.get());
    }
    if rate == 0.0 {
        return Ok(Epsilon::ZERO);
    }
    if !epsilon.is_finite() {
        return Ok(Epsilon::INFINITE);
    }
    // Sampling never hurts, so what is rounded up need not pass the epsilon before.
    let after = log_one_plus_rate_expm1(rate, epsilon.get()) * UP;
    Epsilon::new(after.max(f64::MIN_POSITIVE).min(epsilon.get()))
}

/// The largest epsilon before sampling that gives this epsilon after it; rounded down.
pub fn epsilon_before(rate: f64, epsilon: Epsilon) -> Result<Epsilon> {
    check(rate)?;
    if epsilon == Epsilon::ZERO {
        return Ok(Epsilon::ZERO);
    }
    if !epsilon.is_finite() || rate == 0.0 {
        return Ok(Epsilon::INFINITE);
    }
    Epsilon::new(before(rate, epsilon.get()))
}

/// `log(1 + (e^epsilon - 1)/rate)` for a positive epsilon, in logarithms so that nothing overflows; rounded down.
pub(crate) fn before(rate: f64, epsilon: f64) -> f64 {
    let (log_gain, log_rate) = (log_expm1(epsilon), rate.ln());
    // eps = log(1 + (e^eps' - 1)/rate), in logarithms so that tiny rates do not overflow.
    let exact = log_one_plus_exp(log_gain - log_rate);
    // The error of the exponent is absolute, and the result is at most as steep as it, or as its power of e.
    exact - ROUNDING * (1.0 + log_gain.abs() + log_rate.abs()) * exact.min(1.0)
}

/// The delta to spend before sampling for this delta after it; nothing if the sampling alone does it.
pub(crate) fn delta_before(rate: f64, delta: Delta) -> Option<Delta> {
    // A record is in the sample with probability `rate`: (0, rate)-DP whatever happens to it.
    if rate <= delta.get() {
        None
    } else {
        Delta::new((delta.get() / rate).next_down().max(0.0)).ok()
    }
}

fn check(rate: f64) -> Result<()> {
    if (0.0..=1.0).contains(&rate) {
        Ok(())
    } else {
        Err(Error::range("rate", rate, "from 0 to 1"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::exact::{above, big};
    use crate::accountant::{Accountant, Basic};
    use crate::event::Event;
    use proptest::prelude::*;

    fn amplify(rate: f64, epsilon: f64) -> f64 {
        amplified_epsilon(rate, Epsilon::new(epsilon).unwrap()).unwrap().get()
    }

    /// The printed totals 1 and 8 at rate 0.09 and what they really are.
    #[test]
    fn linear_amplification_is_not_a_theorem() {
        assert!((amplify(0.09, 1.0 / 0.09) - 8.703_316_605).abs() < 1e-9);
        assert!((amplify(0.09, 8.0 / 0.09) - 86.480_943).abs() < 1e-6);
        for (after, before) in [(1.0, 3.000_323), (8.0, 10.407_640)] {
            let found = epsilon_before(0.09, Epsilon::new(after).unwrap()).unwrap().get();
            assert!((found - before).abs() < 1e-6, "{found}");
        }
    }

    /// Two halves of a composition that read the same sample may not be amplified separately.
    #[test]
    fn amplifying_halves_separately_understates() {
        let half = Event::Pure { epsilon: Epsilon::new(0.5 / 0.09).unwrap() };
        let whole = half.clone().repeated(2).subsampled_once(0.09);
        let truth = Basic.epsilon(&whole, Delta::ZERO).unwrap().get();
        let wrong = 2.0 * amplify(0.09, 0.5 / 0.09);
        assert!((truth - 8.703_316_605).abs() < 1e-9, "{truth}");
        assert!((wrong - 6.372).abs() < 5e-4, "{wrong}");
    }

    /// One record, output Bernoulli: the ratio after sampling is exactly 1 + q (e^epsilon - 1).
    #[test]
    fn one_record_attains_the_bound() {
        let (rate, epsilon, low) = (0.09, 2.0_f64, 1e-3);
        let present = rate * (epsilon.exp() * low) + (1.0 - rate) * low;
        assert!((amplify(rate, epsilon) - (present / low).ln()).abs() < 1e-14);
    }

    /// Rates and epsilons of all sizes.
    fn grid() -> impl Iterator<Item = (f64, f64)> {
        let rates = [1.0, 0.999, 0.5, 0.3, 0.09, 1e-3, 1e-9, 1e-100, 1e-300];
        let epsilons =
            [1e-300, 1e-20, 1e-3, 0.1, 0.5, 0.7, 1.0, 3.0, 20.0, 36.5, 60.0, 690.0, 710.0, 1e4];
        rates.into_iter().flat_map(move |rate| {
            epsilons.into_iter().map(move |epsilon| (rate, epsilon * (1.0 + 0.1 * rate)))
        })
    }

    /// The formula to many digits: what is stated is above it (before: below it), by no more than the bound on the error.
    #[test]
    fn both_directions_are_rounded_to_the_safe_side() {
        for (rate, epsilon) in grid() {
            let gain = big(epsilon).exp_m1();
            let after = (&gain * big(rate)).ln_1p();
            let found = above(amplify(rate, epsilon), &after);
            // What is too small for a float is not nothing.
            let most = if after < big(1e-307) { f64::INFINITY } else { 12.0 };
            assert!((0.0..most).contains(&found), "{rate} {epsilon}: {found}");
            let logarithms = gain.ln().to_f64().value().abs() + rate.ln().abs();
            let truth = (gain / big(rate)).ln_1p();
            let found = above(before(rate, epsilon), &truth);
            let small = truth.to_f64().value().recip().min(1.0);
            let allowed = 8.0 * (1.0 + logarithms) * small + 3.0 + 0.6 * logarithms;
            assert!(found <= 0.0 && found > -allowed, "{rate} {epsilon}: {found} {allowed}");
        }
    }

    /// The delta before sampling, times the rate, is exactly at most the one after, and almost that.
    #[test]
    fn deltas_are_divided_down() {
        for step in 1..200 {
            let (rate, after) = (1.0 / f64::from(3 * step), 1e-7 * f64::from(step).sqrt());
            let before = delta_before(rate, Delta::new(after).unwrap()).unwrap().get();
            let back = big(before) * big(rate);
            assert!(back <= big(after) && above(after, &back) < 3.0, "{rate} {after}");
        }
        assert_eq!(delta_before(0.25, Delta::new(0.25).unwrap()), None);
        assert_eq!(delta_before(0.25, Delta::ZERO), Some(Delta::ZERO));
    }

    /// No row in the sample, every row in it, no loss, no protection, and rates that are none.
    #[test]
    fn the_ends_are_what_they_are() {
        let (none, all) = (Epsilon::ZERO, Epsilon::INFINITE);
        for (rate, before, after) in
            [(0.0, all, none), (0.5, none, none), (0.5, all, all), (1.0, all, all)]
        {
            assert_eq!(amplified_epsilon(rate, before), Ok(after), "{rate}");
        }
        for (rate, after, before) in [
            (0.0, none, none),
            (0.0, Epsilon::new(1.0).unwrap(), all),
            (0.5, none, none),
            (0.5, all, all),
        ] {
            assert_eq!(epsilon_before(rate, after), Ok(before), "{rate}");
        }
        for rate in [-0.1, 1.1, f64::NAN] {
            assert!(amplified_epsilon(rate, none).is_err(), "{rate}");
            assert!(epsilon_before(rate, none).is_err(), "{rate}");
        }
    }

    proptest! {
        #[test]
        fn before_inverts_after(rate in 1e-6..1.0_f64, epsilon in 1e-6..1e4_f64) {
            let before = epsilon_before(rate, Epsilon::new(epsilon).unwrap()).unwrap().get();
            prop_assert!((amplify(rate, before) - epsilon).abs() <= 1e-12 * (1.0 + epsilon));
            prop_assert!(amplify(rate, epsilon) >= rate * epsilon);
            prop_assert!(amplify(rate, epsilon) <= epsilon * (1.0 + 1e-15));
        }
    }
}
