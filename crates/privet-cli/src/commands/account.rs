//! `privet account`: what would it cost? No data, no ledger.

use std::path::Path;

use privet::account::{GaussianSteps, Quote, Quotes};
use privet::graph::files::read_text;
use privet::privacy::{Delta, Epsilon, Event, Loss};

use crate::args::{Account, GaussianArgs};
use crate::failure::{Failure, FailureKind, Result};
use crate::output::console::Console;
use crate::output::price::{AccountantPrice, PriceOutput, PricePoint};

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

fn gaussian(typed: &GaussianArgs) -> Result<PriceOutput> {
    let steps = GaussianSteps { rate: typed.rate, count: typed.steps };
    let target = typed.epsilon.map(Epsilon::new).transpose()?;
    let delta = Delta::new(typed.delta)?;
    let (noise, found) = match (typed.noise, target) {
        (Some(noise), _) => (noise, None),
        (None, Some(epsilon)) => {
            let noise = steps.noise_for(Loss { epsilon, delta })?;
            (noise, Some(noise))
        }
        (None, None) => return Err(Failure::usage("give --noise or --epsilon")),
    };
    let curve = if typed.plot { curve(steps, noise, delta)? } else { Vec::new() };
    Ok(PriceOutput { noise_multiplier: found, curve, ..price(steps.event(noise), delta)? })
}

/// Epsilon after a share of the steps. Every point is independent, so they share the cores.
fn curve(steps: GaussianSteps, noise: f64, delta: Delta) -> Result<Vec<PricePoint>> {
    let mut counts: Vec<u64> =
        (1..=POINTS).map(|at| steps.count.div_ceil(POINTS).saturating_mul(at)).collect();
    counts.iter_mut().for_each(|count| *count = (*count).min(steps.count));
    counts.dedup();
    let point = |&count: &u64| -> Result<PricePoint> {
        let epsilon = GaussianSteps { count, ..steps }.epsilon(noise, delta)?;
        Ok(PricePoint { steps: count, epsilon })
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = counts.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let work = |part| {
            scope.spawn(move || -> Result<Vec<PricePoint>> {
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

/// Every accountant's answer, and the best of them.
fn price(event: Event, delta: Delta) -> Result<PriceOutput> {
    let description = event.to_string();
    let Quotes { all, epsilon, accountant } = privet::account::price(event.clone(), delta)?;
    let price =
        |Quote { accountant, epsilon, refusal }| AccountantPrice { accountant, epsilon, refusal };
    let prices = all.into_iter().map(price).collect();
    let (noise_multiplier, curve) = (None, Vec::new());
    Ok(PriceOutput {
        description,
        event,
        delta,
        epsilon,
        accountant,
        noise_multiplier,
        prices,
        curve,
    })
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
        failed(&error)
            .of_kind(FailureKind::Data)
            .hint("`privet account compose --help` shows an example")
    })
}
