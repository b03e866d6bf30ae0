//! What would it cost? No data, no ledger.

use privet::account::{GaussianSteps, Quotes, price};
use privet::privacy::{Delta, Event, Loss, accountant};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::work::working;

/// The event in words, the best epsilon, whose that is, and what each accountant says.
type Priced = (String, f64, &'static str, Vec<(&'static str, Option<f64>, Option<String>)>);

/// The names of the accountants.
#[pyfunction]
pub(crate) fn accountants() -> Vec<&'static str> {
    accountant::all().iter().map(|accountant| accountant.name()).collect()
}

/// What every accountant says of a list of events, in JSON, one after the other.
#[pyfunction]
pub(crate) fn compose(py: Python<'_>, events: &str, delta: f64) -> PyResult<Priced> {
    let events: Vec<Event> = serde_json::from_str(events)
        .map_err(|error| PyValueError::new_err(format!("events: {error}")))?;
    working(py, None, move |_| {
        let event = Event::Sequence { events };
        Ok(told(&event, price(event.clone(), Delta::new(delta)?)?))
    })
}

/// Gaussian noise, so many times, on samples of this rate: the noise, and what it costs. Without noise, the least that
/// keeps an epsilon.
#[pyfunction]
pub(crate) fn gaussian(
    py: Python<'_>,
    noise: Option<f64>,
    epsilon: f64,
    rate: f64,
    steps: u64,
    delta: f64,
) -> PyResult<(f64, Priced)> {
    working(py, None, move |_| {
        let steps = GaussianSteps { rate, count: steps };
        let noise = match noise {
            Some(noise) => noise,
            None => steps.noise_for(Loss::new(epsilon, delta)?)?,
        };
        let event = steps.event(noise);
        Ok((noise, told(&event, price(event.clone(), Delta::new(delta)?)?)))
    })
}

fn told(event: &Event, quotes: Quotes) -> Priced {
    let Quotes { all, epsilon, accountant } = quotes;
    let one = |quote: privet::account::Quote| {
        (quote.accountant, quote.epsilon.map(|epsilon| epsilon.get()), quote.refusal)
    };
    (event.to_string(), epsilon.get(), accountant, all.into_iter().map(one).collect())
}
