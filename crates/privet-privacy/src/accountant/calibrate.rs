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
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;
    use crate::accountant::{AnalyticGaussian, Basic, ZeroConcentrated};
    use crate::loss::Delta;

    #[test]
    fn the_guarantee_holds_at_what_is_returned() {
        let family = |noise_multiplier| Event::Gaussian { noise_multiplier }.repeated(70);
        for (epsilon, delta) in [(0.5, 1e-3), (8.0, 1e-9), (100.0, 1e-5)] {
            let target = Loss::new(epsilon, delta).unwrap();
            let sigma = noise_multiplier(&AnalyticGaussian, target, family).unwrap();
            let cost = |s| AnalyticGaussian.epsilon(&family(s), target.delta).unwrap();
            assert!(cost(sigma) <= target.epsilon);
            assert!(cost(sigma * 0.999) > target.epsilon);
        }
    }

    /// 70 rows of sensitivity sqrt(2): sigma/C1 of the table.
    #[test]
    fn matches_the_table_for_matrix_releases() {
        for (epsilon, sigma) in [(0.5, 54.548), (1.0, 30.464), (2.0, 17.100), (4.0, 9.739)] {
            let family =
                |s: f64| Event::Gaussian { noise_multiplier: s / 2f64.sqrt() }.repeated(70);
            let target = Loss::new(epsilon, 1e-3).unwrap();
            let found = noise_multiplier(&AnalyticGaussian, target, family).unwrap();
            assert!((found - sigma).abs() < 1e-3, "{found} {sigma}");
        }
    }

    /// An accountant that reads the noise of a Laplace event and counts how often it is asked.
    #[derive(Clone)]
    struct Formula {
        epsilon: fn(f64) -> Result<f64>,
        asked: Rc<Cell<u32>>,
        /// How much higher the quick cousin answers, and how often it was asked.
        coarser: Option<(f64, Rc<Cell<u32>>)>,
    }

    impl Formula {
        fn new(epsilon: fn(f64) -> Result<f64>) -> Self {
            Self { epsilon, asked: Rc::default(), coarser: None }
        }
    }

    struct Coarse(Formula);

    fn noise_of(event: &Event) -> f64 {
        let Event::Laplace { noise_multiplier } = event else { panic!("{event}") };
        *noise_multiplier
    }

    impl Accountant for Formula {
        fn name(&self) -> &'static str {
            "formula"
        }

        fn epsilon(&self, event: &Event, _: Delta) -> Result<Epsilon> {
            self.asked.set(self.asked.get() + 1);
            Epsilon::new((self.epsilon)(noise_of(event))?)
        }

        fn delta(&self, _: &Event, _: Epsilon) -> Result<Delta> {
            Ok(Delta::ZERO)
        }

        fn coarser(&self) -> Option<Box<dyn Accountant>> {
            self.coarser.is_some().then(|| Box::new(Coarse(self.clone())) as Box<dyn Accountant>)
        }
    }

    impl Accountant for Coarse {
        fn name(&self) -> &'static str {
            "coarse formula"
        }

        fn epsilon(&self, event: &Event, _: Delta) -> Result<Epsilon> {
            let (factor, asked) = self.0.coarser.as_ref().unwrap();
            asked.set(asked.get() + 1);
            Epsilon::new(factor * (self.0.epsilon)(noise_of(event))?)
        }

        fn delta(&self, _: &Event, _: Epsilon) -> Result<Delta> {
            Ok(Delta::ZERO)
        }
    }

    fn laplace(noise_multiplier: f64) -> Event {
        Event::Laplace { noise_multiplier }
    }

    fn target(epsilon: f64) -> Loss {
        Loss::new(epsilon, 0.0).unwrap()
    }

    /// An accountant whose answers are not quite a power of the noise.
    fn bent(noise: f64) -> Result<f64> {
        Ok(3.0 / noise + 0.2 / (noise * noise))
    }

    /// With a quick cousin that is five per cent off, the slow accountant is asked three or four times, whatever the
    /// target is; the noise is within one part in ten thousand of the smallest.
    #[test]
    fn a_slow_accountant_is_asked_a_few_times() {
        let mut questions = (0, 0);
        for epsilon in [1e-3, 0.09, 0.7, 2.9, 11.0, 400.0] {
            let coarse = Rc::default();
            let slow = Formula { coarser: Some((1.05, Rc::clone(&coarse))), ..Formula::new(bent) };
            let found = noise_multiplier(&slow, target(epsilon), laplace).unwrap();
            assert!(bent(found).unwrap() <= epsilon, "{epsilon}: {found}");
            assert!(bent(found * (1.0 - 1.01e-4)).unwrap() > epsilon, "{epsilon}: {found}");
            println!("{epsilon}: {} and {}", slow.asked.get(), coarse.get());
            questions = (questions.0 + slow.asked.get(), questions.1 + coarse.get());
        }
        assert!(questions.0 <= 20 && questions.1 <= 73, "{questions:?}");
    }

    /// Without one, the line through both ends finds the place in some ten questions.
    #[test]
    fn any_accountant_is_asked_some_ten_times() {
        let mut questions = 0;
        for epsilon in [1e-3, 0.09, 0.7, 2.9, 11.0, 400.0] {
            let slow = Formula::new(bent);
            let search = |start: f64| {
                search(start, TOLERANCE, |noise| {
                    let found = slow.epsilon(&laplace(noise), Delta::ZERO)?;
                    let excess = (found.get() / epsilon).ln();
                    Ok(NoiseCandidate { noise, excess, holds: found.get() <= epsilon })
                })
            };
            for start in [1e-3, 1.0, 30.0] {
                let found = search(start).unwrap().unwrap();
                assert!(bent(found).unwrap() <= epsilon);
                assert!(bent(found * (1.0 - 1.01e-4)).unwrap() > epsilon);
            }
            println!("{epsilon}: {}", slow.asked.get());
            questions += slow.asked.get();
        }
        assert!(questions <= 165, "{questions}");
    }

    /// Steps instead of a line, answers that cost too much, and a target that is met exactly.
    #[test]
    fn cliffs_are_found_by_halving() {
        let cliff = |noise: f64| Ok(if noise < 3.0 { 2.0 } else { 1.0 });
        let costly = |noise: f64| match noise < 3.0 {
            true => Err(Error::TooCostly { accountant: "formula", needs: String::new() }),
            false => Ok(1.0),
        };
        for formula in [Formula::new(cliff), Formula::new(costly)] {
            let found = noise_multiplier(&formula, target(1.0), laplace).unwrap();
            assert!((3.0..3.0 * (1.0 + 1.01e-4)).contains(&found), "{found}");
            assert!(formula.asked.get() < 60, "{}", formula.asked.get());
        }
    }

    /// From half a millionth to a thousand million, and no further.
    #[test]
    fn the_ends_of_the_search() {
        let search = |epsilon| {
            noise_multiplier(&Formula::new(|noise| Ok(noise.recip())), target(epsilon), laplace)
        };
        assert_eq!(search(1e8).unwrap(), 0.5e-6);
        let largest = search(1.5e-9).unwrap();
        assert!((1.0 / 1.5e-9..1.0001 / 1.5e-9).contains(&largest), "{largest}");
        assert_eq!(search(1.0 / 1e9).unwrap(), 1e9);
        let Err(Error::Unreachable { low, high, .. }) = search(0.5e-9) else { panic!() };
        assert_eq!((low, high), (1e-6, 1e9));
        // Nothing is asked for, and nothing is paid.
        let free = Formula::new(|noise| Ok(if noise < 7.0 { 1.0 } else { 0.0 }));
        let found = noise_multiplier(&free, target(0.0), laplace).unwrap();
        assert!((7.0..7.001).contains(&found), "{found}");
    }

    #[test]
    fn says_when_no_noise_is_enough() {
        let target = Loss { epsilon: Epsilon::ZERO, delta: Delta::ZERO };
        let family = |noise_multiplier| Event::Laplace { noise_multiplier };
        assert!(matches!(noise_multiplier(&Basic, target, family), Err(Error::Unreachable { .. })));
        let unpriced = |noise_multiplier| Event::Gaussian { noise_multiplier }.poisson_sampled(0.5);
        let error = noise_multiplier(&ZeroConcentrated, Loss::new(1.0, 1e-5).unwrap(), unpriced);
        assert!(matches!(error, Err(Error::NoTheorem { .. })));
    }
}
