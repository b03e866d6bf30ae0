//! `privet account`: what would it cost? No data, no ledger.

use std::path::Path;

use privet::graph::files::read_text;
use privet::privacy::accountant::{self, Accountant, AnalyticGaussian, Pld, Renyi, calibrate};
use privet::privacy::{Delta, Epsilon, Error, Event, Loss};

use crate::args::{Account, Gaussian};
use crate::console::Console;
use crate::failure::{Failure, Kind, Result};
use crate::priced::{Point, Price, Priced};

/// Points of the curve: as many as the plot has columns.
const POINTS: u64 = 24;

/// Asks the accountants.
pub(super) fn run(typed: Account, console: &Console) -> Result<()> {
    let answer = match typed {
        Account::Gaussian(typed) => gaussian(&typed)?,
        Account::Compose(typed) => {
            let delta = Delta::new(typed.delta)?;
            price(Event::Sequence { events: read(&typed.events)? }, delta)?
        }
    };
    console.answer(&answer)
}

fn gaussian(typed: &Gaussian) -> Result<Priced> {
    let curve = if typed.plot { Curve::Draw } else { Curve::Skip };
    let steps = Steps { rate: typed.rate, count: typed.steps, curve };
    let target = typed.epsilon.map(Epsilon::new).transpose()?;
    let delta = Delta::new(typed.delta)?;
    match (typed.noise, target) {
        (Some(noise), _) => steps.price(noise, delta),
        (None, Some(epsilon)) => {
            let noise = steps.noise_for(Loss { epsilon, delta })?;
            Ok(Priced { noise_multiplier: Some(noise), ..steps.price(noise, delta)? })
        }
        (None, None) => Err(Failure::usage("give --noise or --epsilon")),
    }
}

/// So many steps on samples of this rate.
#[derive(Debug, Clone, Copy)]
struct Steps {
    rate: f64,
    count: u64,
    curve: Curve,
}

/// Whether to price fewer steps, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Curve {
    Draw,
    Skip,
}

impl Steps {
    fn event(self, noise_multiplier: f64, count: u64) -> Event {
        let step = Event::Gaussian { noise_multiplier };
        // Sampling everything is no sampling, and then exact theorems apply.
        let step = if self.rate == 1.0 { step } else { step.poisson_sampled(self.rate) };
        if count == 1 { step } else { step.repeated(count) }
    }

    fn price(self, noise: f64, delta: Delta) -> Result<Priced> {
        let priced = price(self.event(noise, self.count), delta)?;
        let curve = match self.curve {
            Curve::Draw => self.curve(noise, delta)?,
            Curve::Skip => Vec::new(),
        };
        Ok(Priced { curve, ..priced })
    }

    /// The tightest accountant there is for these steps.
    fn accountant(self) -> Box<dyn Accountant> {
        if self.rate == 1.0 { Box::new(AnalyticGaussian) } else { Box::new(Pld::default()) }
    }

    fn noise_for(self, target: Loss) -> Result<f64> {
        let family = |noise| self.event(noise, self.count);
        match calibrate::noise_multiplier(&*self.accountant(), target, family) {
            // More steps than the tight accountant resolves: the next one down resolves any number.
            Err(error) if error.leaves_it_to_others() => {
                Ok(calibrate::noise_multiplier(&Renyi::default(), target, family)?)
            }
            found => Ok(found?),
        }
    }

    /// Epsilon after a share of the steps. Every point is independent, so they share the cores.
    fn curve(self, noise: f64, delta: Delta) -> Result<Vec<Point>> {
        let mut counts: Vec<u64> =
            (1..=POINTS).map(|at| self.count.div_ceil(POINTS).saturating_mul(at)).collect();
        counts.iter_mut().for_each(|count| *count = (*count).min(self.count));
        counts.dedup();
        let point = |&steps: &u64| -> Result<Point> {
            let event = self.event(noise, steps);
            let epsilon = match self.accountant().epsilon(&event, delta) {
                Err(error) if error.leaves_it_to_others() => accountant::best(&event, delta)?.value,
                found => found?,
            };
            Ok(Point { steps, epsilon })
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let share = counts.len().div_ceil(threads).max(1);
        std::thread::scope(|scope| {
            let work = |part| {
                scope.spawn(move || -> Result<Vec<Point>> {
                    <[u64]>::iter(part).map(point).collect()
                })
            };
            let workers: Vec<_> = counts.chunks(share).map(work).collect();
            let joined = workers.into_iter().map(|worker| {
                worker.join().unwrap_or_else(|_| Err(Failure::data("an accountant gave up")))
            });
            joined.collect::<Result<Vec<_>>>().map(|parts| parts.concat())
        })
    }
}

/// Every accountant's answer, each asked once, and the best of them.
fn price(event: Event, delta: Delta) -> Result<Priced> {
    let mut prices = Vec::new();
    let mut best: Option<(Epsilon, &'static str)> = None;
    for accountant in accountant::all() {
        let name = accountant.name();
        let (epsilon, refusal) = match accountant.epsilon(&event, delta) {
            Ok(epsilon) => (Some(epsilon), None),
            Err(Error::NoTheorem { .. }) => (None, None),
            Err(Error::TooCostly { needs, .. }) => (None, Some(format!("would need {needs}"))),
            Err(Error::Imprecise { reason, .. }) => {
                (None, Some(format!("cannot resolve {reason}")))
            }
            Err(error) => return Err(error.into()),
        };
        let better = |&epsilon: &Epsilon| best.is_none_or(|(so_far, _)| epsilon < so_far);
        best = epsilon.filter(better).map(|epsilon| (epsilon, name)).or(best);
        prices.push(Price { accountant: name, epsilon, refusal });
    }
    let Some((epsilon, accountant)) = best else {
        return Err(Failure::usage(format!("no accountant has a theorem for the event: {event}")));
    };
    let description = event.to_string();
    let (noise_multiplier, curve) = (None, Vec::new());
    Ok(Priced { description, event, delta, epsilon, accountant, noise_multiplier, prices, curve })
}

/// No list of events is longer.
const LONGEST: u64 = 1 << 28;

/// One event, or a list of them.
fn read(path: &Path) -> Result<Vec<Event>> {
    let failed =
        |reason: &dyn std::fmt::Display| Failure::data(format!("{}: {reason}", path.display()));
    let text = read_text(path, LONGEST)?;
    let parsed = match text.trim_start().starts_with('[') {
        true => serde_json::from_str(&text),
        false => serde_json::from_str(&text).map(|event| vec![event]),
    };
    parsed.map_err(|error| {
        failed(&error).of_kind(Kind::Data).hint("`privet account compose --help` shows an example")
    })
}
