//! What `(epsilon, delta)` leaves to an attacker who guesses: two lines that no test between neighbouring inputs crosses.
//!
//! **Theorem** (Wasserman and Zhou 2010; Kairouz, Oh and Viswanath 2017). A test that is wrong about a share `x` of those
//! it should not accuse finds at most `min(e^eps x + delta, 1 - e^-eps (1 - delta - x))` of those it should. Nothing
//! else is known of an `(epsilon, delta)` release, and randomised response reaches the first line at delta 0.
//!
//! ```
//! use privet_privacy::tradeoff::{found, right_guesses};
//! assert!((found(1.0, 0.0, 0.01) - 0.01 * 1f64.exp()).abs() < 1e-12);
//! assert_eq!(right_guesses(0.0, 0.0), 0.5);
//! assert_eq!(found(f64::INFINITY, 0.0, 0.01), 1.0);
//! ```

use crate::accountant;
use crate::event::Event;
use crate::loss::{Epsilon, Loss};

/// The share of people an attacker accepts to accuse wrongly, wherever a number of people found is printed.
pub const FALSE_ACCUSATIONS: f64 = 0.01;

/// The attacker of every printed number of people found, as the subject of a sentence about 100 people: the attacker
/// accuses [`FALSE_ACCUSATIONS`] of those who should not be accused.
pub const ATTACKER: &str = "an attacker who accepts 1 % false accusations";

/// The shares of an epsilon at which the same noise is priced again.
const SHARES: [f64; 8] = [0.02, 0.06, 0.12, 0.2, 0.3, 0.45, 0.6, 0.8];

/// Several `(epsilon, delta)` guarantees of the same releases: points of their privacy profile. Each is a theorem about
/// every attacker, so at every rate the smallest of their bounds is one.
///
/// Gaussian noise has a guarantee at every epsilon, each with its own delta. One point alone says much less about it than
/// all together: at epsilon 4 and delta 1e-5 it leaves 55 of 100 people, where the profile leaves 8.
///
/// ```
/// use privet_privacy::{Event, Loss, tradeoff::PrivacyProfile};
/// let event = Event::Gaussian { noise_multiplier: 1.08 };
/// let loss = Loss::new(4.0, 1e-5)?;
/// let (one, all) = (PrivacyProfile::from(loss), PrivacyProfile::of(&event, loss));
/// assert_eq!((one.found_of_100(), all.found_of_100() < 15), (55, true));
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PrivacyProfile {
    loss: Loss,
    points: Vec<Loss>,
}

impl From<Loss> for PrivacyProfile {
    fn from(loss: Loss) -> Self {
        Self { loss, points: Vec::new() }
    }
}

impl PrivacyProfile {
    /// The guarantees of an event beside `loss`, which is one of them.
    pub fn of(event: &Event, loss: Loss) -> Self {
        Self { loss, points: points(event, loss) }
    }

    /// A guarantee, and others of the same releases.
    pub(crate) fn with_points(loss: Loss, points: &[Loss]) -> Self {
        Self { loss, points: points.to_vec() }
    }

    /// The guarantee that is printed.
    pub fn loss(&self) -> Loss {
        self.loss
    }

    /// The largest share that is found, where a share `wrong` of the others is accused wrongly.
    pub fn found(&self, wrong: f64) -> f64 {
        self.least(|loss| found(loss.epsilon.get(), loss.delta.get(), wrong))
    }

    /// The most people of 100 that [`ATTACKER`] finds; rounded up.
    pub fn found_of_100(&self) -> u32 {
        of_100(self.found(FALSE_ACCUSATIONS))
    }

    /// The most right guesses of 100 between two inputs that are equally likely; rounded up.
    pub fn right_guesses_of_100(&self) -> u32 {
        of_100(self.least(|loss| right_guesses(loss.epsilon.get(), loss.delta.get())))
    }

    fn least(&self, bound: impl Fn(&Loss) -> f64) -> f64 {
        std::iter::once(&self.loss).chain(&self.points).map(bound).fold(1.0, f64::min)
    }
}

/// Other guarantees of an event at smaller epsilons; none for a pure or an infinite loss, which says all there is to say.
pub(crate) fn points(event: &Event, loss: Loss) -> Vec<Loss> {
    if loss.delta.get() == 0.0 || !loss.epsilon.is_finite() {
        return Vec::new();
    }
    let at = |share: &f64| {
        let epsilon = Epsilon::new(share * loss.epsilon.get()).ok()?;
        // All questions together may take the time of one: a bound that is cut short is larger, never wrong.
        let delta = accountant::best_delta_among(event, epsilon, SHARES.len()).ok()?.value;
        Some(Loss { epsilon, delta })
    };
    SHARES.iter().filter_map(at).collect()
}

/// A share as a number of 100, rounded up; a whole number up to the last digits of a float stays that number.
fn of_100(share: f64) -> u32 {
    (100.0 * share - 1e-9).ceil().clamp(0.0, 100.0) as u32
}

/// The largest share that is found, where a share `wrong` of the others is accused wrongly.
pub fn found(epsilon: f64, delta: f64, wrong: f64) -> f64 {
    // The two sides of the region that (epsilon, delta) leaves to tests (Kairouz, Oh and Viswanath 2015):
    // power <= e^epsilon wrong + delta, and 1 - power >= e^-epsilon (1 - delta - wrong).
    let steep = match wrong > 0.0 {
        true => epsilon.exp() * wrong + delta,
        false => delta,
    };
    let flat = 1.0 - (-epsilon).exp() * (1.0 - delta - wrong);
    steep.min(flat).clamp(0.0, 1.0)
}

/// The largest share of right guesses between two inputs that are equally likely.
///
/// Half of what is found and half of what is left alone rightly, at its largest where the two lines meet:
/// `1 - (1 - delta) / (1 + e^eps)`.
pub fn right_guesses(epsilon: f64, delta: f64) -> f64 {
    // 1 / (1 + e^eps), without an overflow for large epsilons.
    let small = (-epsilon).exp();
    (1.0 - (1.0 - delta) * small / (1.0 + small)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::best_delta;
    use crate::special::normal_cdf;

    /// The best of all thresholds on the curve is the closed form.
    #[test]
    fn right_guesses_are_those_of_the_curve() {
        for (epsilon, delta) in [(0.1, 0.0), (1.0, 1e-5), (3.0, 0.01), (8.0, 0.0)] {
            let at = |step: u32| f64::from(step) / 1e5;
            let right = |wrong: f64| 0.5 * (found(epsilon, delta, wrong) + 1.0 - wrong);
            let best = (0..=100_000).map(|step| right(at(step))).fold(0.0, f64::max);
            assert!(
                (best - right_guesses(epsilon, delta)).abs() < 2e-5,
                "{epsilon} {delta}: {best}"
            );
        }
    }

    /// A Gaussian's own curve, which is known exactly, lies below what any point of the accountant's curve says.
    #[test]
    fn no_attack_on_a_gaussian_is_above_the_accountants_curve() {
        for noise_multiplier in [0.5, 1.0, 4.0] {
            let (event, shift) = (Event::Gaussian { noise_multiplier }, 1.0 / noise_multiplier);
            for epsilon in [0.1, 0.5, 1.0, 2.0, 4.0] {
                let delta = best_delta(&event, Epsilon::new(epsilon).unwrap()).unwrap().value.get();
                // A threshold t accuses 1 - Phi(t) wrongly and 1 - Phi(t - shift) rightly.
                for threshold in [-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0] {
                    let wrong = normal_cdf(-threshold);
                    let truly = normal_cdf(shift - threshold);
                    assert!(truly <= found(epsilon, delta, wrong) + 1e-9, "{epsilon} {threshold}");
                    let guesses = 0.5 * (truly + 1.0 - wrong);
                    assert!(guesses <= right_guesses(epsilon, delta) + 1e-9);
                }
            }
        }
    }

    /// Two answers, of which the true one is given e^eps times as often: the line is reached.
    #[test]
    fn randomised_response_reaches_it() {
        for epsilon in [0.2, 1.0, 3.0] {
            let odds = f64::exp(epsilon);
            let (truly, wrong) = (odds / (1.0 + odds), 1.0 / (1.0 + odds));
            assert!((found(epsilon, 0.0, wrong) - truly).abs() < 1e-12);
            assert!((right_guesses(epsilon, 0.0) - truly).abs() < 1e-12);
        }
    }
}
