//! From a guarantee to the noise that keeps it.
//!
//! A family of events is given by a closure from its noise parameter to the event; more noise must never
//! cost more. The search begins where a quick accountant meets the target, steps until the target lies
//! between two tries, then closes in from both sides, and returns the end at which the accountant that was
//! asked has *proved* the guarantee, never a point between.

use super::{Accountant, Renyi};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::loss::{Epsilon, Loss};

/// The smallest and the largest noise tried.
const SMALLEST: f64 = 1e-6;
const LARGEST: f64 = 1e9;
/// A noise below the smallest one: where even that holds, there is nothing to look for.
const TOO_SMALL: f64 = 0.5 * SMALLEST;
/// Where to begin if nothing is known.
const START: f64 = 1.0;
/// The relative width at which the search stops.
const TOLERANCE: f64 = 1e-4;
/// The same for searches with a quick accountant, which only say where to begin: the first one, and the last.
const ROUGHLY: f64 = 1e-2;
const FINELY: f64 = 0.5 * TOLERANCE;

/// The smallest noise (up to one part in ten thousand) whose event keeps the target.
///
/// ```
/// use privet_privacy::accountant::{Pld, calibrate};
/// use privet_privacy::{event::Event, loss::Loss};
///
/// let steps = |noise_multiplier| {
///     Event::MixtureOfGaussians { noise_multiplier, max_rows: 3, rate: 60.0 / 2396.0 }.repeated(200)
/// };
/// let sigma = calibrate::noise_multiplier(&Pld::default(), Loss::new(1.0, 2e-3)?, steps)?;
/// assert!((sigma - 2.687).abs() < 2e-3);
/// # Ok::<(), privet_privacy::error::Error>(())
/// ```
pub fn noise_multiplier(
    accountant: &dyn Accountant,
    target: Loss,
    family: impl Fn(f64) -> Event,
) -> Result<f64> {
    let ask = |accountant: &dyn Accountant, noise: f64| -> Result<NoiseCandidate> {
        // Far off the target the losses may be too far apart for an accountant: then it proves nothing.
        let epsilon = match accountant.epsilon(&family(noise), target.delta) {
            Err(Error::TooCostly { .. }) => Epsilon::INFINITE,
            found => found?,
        };
        let excess = (epsilon.get() / target.epsilon.get()).ln();
        Ok(NoiseCandidate { noise, excess, holds: epsilon <= target.epsilon })
    };
    // Whatever the quick searches say, or fail to say, the accountant that was asked decides.
    let start = beginning(accountant, ask).ok().flatten().unwrap_or(START);
    search(start, TOLERANCE, |noise| ask(accountant, noise))?.ok_or_else(|| Error::Unreachable {
        parameter: "noise multiplier",
        low: SMALLEST,
        high: LARGEST,
        target: target.to_string(),
    })
}

/// Where to begin: near the noise at which `accountant` meets the target.
///
/// A coarser accountant is too high by a factor that hardly changes with the noise, so both are asked
/// at one place, and the coarse one is searched again with that factor taken off.
fn beginning(
    accountant: &dyn Accountant,
    ask: impl Fn(&dyn Accountant, f64) -> Result<NoiseCandidate>,
) -> Result<Option<f64>> {
    let Some(coarser) = accountant.coarser() else {
        return search(START, ROUGHLY, |noise| ask(&Renyi::default(), noise));
    };
    let near = search(START, ROUGHLY, |noise| ask(&*coarser, noise))?;
    let Some(near) = near else { return Ok(None) };
    // Near the target the two accountants differ by an almost constant factor, so one exact answer corrects the cheap
    // one.
    let offset = ask(accountant, near)?.excess - ask(&*coarser, near)?.excess;
    search(near, FINELY, |noise| {
        let tried = ask(&*coarser, noise)?;
        let excess = tried.excess + offset;
        Ok(NoiseCandidate { excess, holds: excess <= 0.0, ..tried })
    })
}

/// The smallest noise that holds, up to the tolerance, looked for from `start` on.
fn search(
    start: f64,
    tolerance: f64,
    attempt: impl Fn(f64) -> Result<NoiseCandidate>,
) -> Result<Option<f64>> {
    let Some((mut low, mut high)) = bracket(start, tolerance, &attempt)? else { return Ok(None) };
    for turn in 0.. {
        if high.noise <= low.noise * (1.0 + tolerance) {
            break;
        }
        let tried = attempt(between(low, high, tolerance, turn))?;
        if tried.holds { high = tried } else { low = tried }
    }
    Ok(Some(high.noise))
}

/// A noise that was tried: how far off its epsilon is, as a logarithm, and whether it is small enough.
#[derive(Clone, Copy)]
struct NoiseCandidate {
    noise: f64,
    excess: f64,
    holds: bool,
}

/// The next noise to try. Epsilon is almost a power of the noise, so on logarithmic scales a straight
/// line through both ends tells where to look; every third turn is a bisection, so that the search ends
/// whatever the curve is like.
fn between(low: NoiseCandidate, high: NoiseCandidate, tolerance: f64, turn: u32) -> f64 {
    let width = (high.noise / low.noise).ln();
    // False position in (log noise, log excess); every third turn halves, so that a bent curve cannot stall the
    // search.
    let crossing = low.excess / (low.excess - high.excess);
    // Close to an end, step across the target: then both ends are within the tolerance.
    let margin = (tolerance / 4.0 / width).min(0.5);
    let share = match crossing.is_finite() && turn % 3 != 2 {
        true => crossing.clamp(margin, 1.0 - margin),
        false => 0.5,
    };
    low.noise * (share * width).exp()
}

/// The longest first step, as a logarithm.
const LONGEST: f64 = 1.0;

/// A noise that fails (or the smallest one) and a larger one that holds.
///
/// Epsilon falls about as the noise rises, so the distance to the target is a good first step; every
/// further step is twice as long.
fn bracket(
    start: f64,
    tolerance: f64,
    attempt: impl Fn(f64) -> Result<NoiseCandidate>,
) -> Result<Option<(NoiseCandidate, NoiseCandidate)>> {
    let mut last = attempt(start)?;
    let found = last.holds;
    let shortest = (1.0 + tolerance).ln();
    // Not a number if nothing was asked for and nothing is paid.
    let mut step = last.excess.abs().min(LONGEST).max(shortest);
    while (SMALLEST..LARGEST).contains(&last.noise) {
        // Epsilon falls about like 1/noise, so the excess itself is a first guess of the step in log noise.
        let factor = (if found { -step } else { step }).exp();
        let next = attempt((last.noise * factor).clamp(TOO_SMALL, LARGEST))?;
        if next.holds != found {
            return Ok(Some(if found { (next, last) } else { (last, next) }));
        }
        last = next;
        step *= 2.0;
    }
    Ok(found.then_some((last, last)))
}

#[cfg(test)]
mod tests;
