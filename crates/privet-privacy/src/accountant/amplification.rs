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
use crate::special::{log_expm1, log_one_plus_rate_expm1};

/// The relative rounding error of the formulas below.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

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
    if !epsilon.is_finite() && rate > 0.0 {
        return Ok(Epsilon::INFINITE);
    }
    // Sampling never hurts, so what is rounded up need not pass the epsilon before.
    let after = log_one_plus_rate_expm1(rate, epsilon.get()) * (1.0 + ROUNDING);
    Epsilon::new(after.min(epsilon.get()))
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
    // epsilon_before = log(1 + (e^epsilon - 1)/q), in logarithms so that nothing overflows.
    let (log_gain, log_rate) = (log_expm1(epsilon.get()), rate.ln());
    let log_ratio = log_gain - log_rate;
    // Where it is small it has the absolute error of its logarithm.
    let (before, error) = if log_ratio > 36.0 {
        (log_ratio + (-log_ratio).exp().ln_1p(), ROUNDING)
    } else {
        (log_ratio.exp().ln_1p(), ROUNDING * (1.0 + log_gain.abs() + log_rate.abs()))
    };
    Epsilon::new(before * (1.0 - error))
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
