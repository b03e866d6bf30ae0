//! What would it cost? Events priced by every accountant, without data and without a ledger.
//!
//! ```
//! use privet::account::GaussianSteps;
//! use privet::privacy::{Delta, Loss};
//! let steps = GaussianSteps { rate: 0.01, count: 1000 };
//! let noise = steps.noise_for(Loss::new(1.0, 1e-5)?)?;
//! let quotes = privet::account::price(steps.event(noise), Delta::new(1e-5)?)?;
//! assert!(quotes.epsilon.get() <= 1.0 && quotes.accountant == "PLD");
//! # Ok::<(), privet::Error>(())
//! ```

use crate::privacy::accountant::{self, Accountant, AnalyticGaussian, Pld, Renyi, calibrate};
use crate::privacy::{self, Delta, Epsilon, Event, Loss};
use crate::{Error, Result};

/// What one accountant says.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// The accountant.
    pub accountant: &'static str,
    /// Its bound; none if it has no theorem, or does not say.
    pub epsilon: Option<Epsilon>,
    /// Why it does not say.
    pub refusal: Option<String>,
}

/// What all accountants say.
#[derive(Debug, Clone, PartialEq)]
pub struct Quotes {
    /// Each was asked once.
    pub all: Vec<Quote>,
    /// The best bound.
    pub epsilon: Epsilon,
    /// Whose that is.
    pub accountant: &'static str,
}

/// Asks every accountant what an event costs.
///
/// # Errors
/// If none has a theorem for it, or a number in it makes no sense.
pub fn price(event: Event, delta: Delta) -> Result<Quotes> {
    let mut all = Vec::new();
    let mut best: Option<(Epsilon, &'static str)> = None;
    for accountant in accountant::all() {
        let name = accountant.name();
        let (epsilon, refusal) = match accountant.epsilon(&event, delta) {
            Ok(epsilon) => (Some(epsilon), None),
            Err(privacy::Error::NoTheorem { .. }) => (None, None),
            Err(privacy::Error::TooCostly { needs, .. }) => {
                (None, Some(format!("would need {needs}")))
            }
            Err(privacy::Error::Imprecise { reason, .. }) => {
                (None, Some(format!("cannot resolve {reason}")))
            }
            Err(error) => return Err(error.into()),
        };
        let better = |&epsilon: &Epsilon| best.is_none_or(|(so_far, _)| epsilon < so_far);
        best = epsilon.filter(better).map(|epsilon| (epsilon, name)).or(best);
        all.push(Quote { accountant: name, epsilon, refusal });
    }
    match best {
        Some((epsilon, accountant)) => Ok(Quotes { all, epsilon, accountant }),
        None => Err(Error::invalid("event", event, "one that an accountant has a theorem for")),
    }
}

/// Steps with Gaussian noise, on samples of the records.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GaussianSteps {
    /// Sampling rate of each step; 1 disables sampling.
    pub rate: f64,
    /// Number of steps.
    pub count: u64,
}

impl GaussianSteps {
    /// All of them, with noise of this deviation over the sensitivity.
    pub fn event(self, noise_multiplier: f64) -> Event {
        let step = Event::Gaussian { noise_multiplier };
        // Sampling everything is no sampling, and then exact theorems apply.
        let step = if self.rate == 1.0 { step } else { step.poisson_sampled(self.rate) };
        if self.count == 1 { step } else { step.repeated(self.count) }
    }

    /// What they cost, by the tightest accountant there is for them.
    ///
    /// # Errors
    /// If a number makes no sense.
    pub fn epsilon(self, noise_multiplier: f64, delta: Delta) -> Result<Epsilon> {
        let event = self.event(noise_multiplier);
        match self.accountant().epsilon(&event, delta) {
            Err(error) if error.leaves_it_to_others() => Ok(accountant::best(&event, delta)?.value),
            found => Ok(found?),
        }
    }

    /// The least noise that keeps a guarantee.
    ///
    /// # Errors
    /// If a number makes no sense, or no noise keeps it.
    pub fn noise_for(self, target: Loss) -> Result<f64> {
        let family = |noise| self.event(noise);
        match calibrate::noise_multiplier(&*self.accountant(), target, family) {
            // More steps than the tight accountant resolves: the next one down resolves any number.
            Err(error) if error.leaves_it_to_others() => {
                Ok(calibrate::noise_multiplier(&Renyi::default(), target, family)?)
            }
            found => Ok(found?),
        }
    }

    fn accountant(self) -> Box<dyn Accountant> {
        if self.rate == 1.0 { Box::new(AnalyticGaussian) } else { Box::new(Pld::default()) }
    }
}
