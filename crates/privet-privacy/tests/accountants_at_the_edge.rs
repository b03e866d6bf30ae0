//! Accountants at the edge of floating-point numbers, of memory and of patience: a true bound, or a refusal.
#![expect(clippy::unwrap_used, reason = "a helper that fails should fail the test that called it")]

use std::time::Instant;

use privet_privacy::accountant::{self, Accountant, AnalyticGaussian, Pld, Renyi};
use privet_privacy::error::Error;
use privet_privacy::event::{BatchSampling, Event};
use privet_privacy::loss::{Delta, Epsilon};

fn delta(value: f64) -> Delta {
    Delta::new(value).unwrap()
}

fn gaussian(noise_multiplier: f64) -> Event {
    Event::Gaussian { noise_multiplier }
}

fn best(event: &Event, at: f64) -> f64 {
    let start = Instant::now();
    let proved = accountant::best(event, delta(at)).unwrap();
    println!("{event} at {at}: {:?} in {:?}", proved, start.elapsed());
    proved.value.get()
}

fn assert_between(found: f64, truth: f64, factor: f64) {
    assert!(found >= truth * (1.0 - 1e-9) && found <= truth * factor, "{found} for {truth}");
}

/// What a Gaussian at distance 1 costs at delta 1e-5.
const ONE_GAUSSIAN: f64 = 4.377_178_096;

/// A rate of 1e-3, noise of 1e6 and 1e18 steps move by `1e-3 sqrt(1e18)/1e6 = 1` in all.
#[test]
fn many_tiny_steps_are_not_free() {
    let steps = gaussian(1e6).poisson_sampled(1e-3).repeated(1_000_000_000_000_000_000);
    assert_between(best(&steps, 1e-5), ONE_GAUSSIAN, 1.1);
    assert!(matches!(
        Pld::default().epsilon(&steps, delta(1e-5)),
        Err(Error::Imprecise { .. } | Error::TooCostly { .. })
    ));
    // Fewer and larger ones, on both sides of the number at which the PLD accountant stops.
    for count in [1_000_000_000_u64, 2_000_000_000] {
        let noise = 1e-3 * (count as f64).sqrt();
        let steps = gaussian(noise).poisson_sampled(1e-3).repeated(count);
        assert_between(best(&steps, 1e-5), ONE_GAUSSIAN, 1.12);
    }
}

/// `2 rate sqrt(steps)/sigma = 1`.
#[test]
fn many_tiny_replacements_are_not_free() {
    for (batch, sigma) in [
        (BatchSampling::Poisson { rate: 1e-2 }, 1e6),
        (BatchSampling::FixedSize { size: 10, population: 1000 }, 1e6),
        (
            BatchSampling::FixedSize {
                size: 10_000_000_000_000,
                population: 1_000_000_000_000_000,
            },
            1e6,
        ),
    ] {
        let row = Event::ReplacedRows { noise_multiplier: sigma, max_rows: 1, batch };
        let steps = row.repeated(2_500_000_000_000_000);
        assert_between(best(&steps, 1e-5), ONE_GAUSSIAN, 1.12);
    }
}

/// 1e16 picks of range 1e-8: exactly one worst-case Gaussian at distance 1/2 would cost 2; memory must not.
#[test]
fn many_picks_fit_into_memory() {
    let picks = Event::BoundedRange { eta: 1e-8 }.repeated(10_000_000_000_000_000);
    let gaussian = AnalyticGaussian.epsilon(&gaussian(2.0), delta(1e-5)).unwrap().get();
    assert_between(best(&picks, 1e-5), gaussian, 1.15);
    let response = Epsilon::new(1e-8).unwrap();
    let pure = Event::Pure { epsilon: response }.repeated(10_000_000_000_000_000);
    assert_between(best(&pure, 1e-5), ONE_GAUSSIAN, 1.1);
}

/// mu = 1e-16: delta(0) is 3.99e-17, so at 1e-18 there is something to pay. Sixty digits say 1.938e-16.
#[test]
fn enormous_noise_is_not_infinite() {
    assert_between(best(&gaussian(1e16), 1e-18), 1.938_356_307_290e-16, 1.0 + 1e-6);
    assert_eq!(best(&gaussian(1e16), 4e-17), 0.0);
}

/// Every leaf of its own, in one ledger: too many for a grid each, never too many for an answer.
#[test]
fn many_different_releases_have_a_price() {
    for count in [30, 2_000, 100_000] {
        let event = |index: u32| {
            let part = f64::from(index) / f64::from(count);
            gaussian(5.0 + 2.0 * part).poisson_sampled(0.01 + 0.003 * part)
        };
        let events = (0..count).map(event).collect();
        let found = best(&Event::Sequence { events }, 1e-10);
        let worst = gaussian(5.0).poisson_sampled(0.013).repeated(u64::from(count));
        assert!(found > 0.0 && found <= 2.0 * best(&worst, 1e-10), "{count}: {found}");
    }
}

/// Thousands of rows of one node.
#[test]
fn many_rows_have_a_price() {
    for rate in [1e-4, 0.01, 0.5, 0.999] {
        let rows = Event::MixtureOfGaussians { noise_multiplier: 1e5, max_rows: 10_000, rate };
        let found = best(&rows.repeated(100), 1e-6);
        // The mean of the rows alone, without their spread, is a lower bound.
        let mean = gaussian(1e5 / (1e4 * rate)).repeated(100);
        let lower = AnalyticGaussian.epsilon(&mean, delta(1e-6)).unwrap().get();
        assert_between(found, lower, 1.5);
        let batch = BatchSampling::Poisson { rate };
        let replaced =
            Event::ReplacedRows { noise_multiplier: 1e5, max_rows: 10_000, batch }.repeated(100);
        let twice = gaussian(1e5 / (2e4 * rate)).repeated(100);
        let lower = AnalyticGaussian.epsilon(&twice, delta(1e-6)).unwrap().get();
        assert_between(best(&replaced, 1e-6), lower, 1.6);
    }
}

/// Hardly any noise, hardly any delta.
#[test]
fn no_noise_and_no_delta_end_soon() {
    for at in [1e-10, 1e-100, 1e-300] {
        for noise in [1e-100, 1e-3, 1.0, 1e100] {
            let steps = gaussian(noise).poisson_sampled(0.3).repeated(1000);
            let lower =
                AnalyticGaussian.epsilon(&gaussian(noise).repeated(100), delta(at)).unwrap().get();
            let found = best(&steps, at);
            assert!(found >= lower, "{noise} {at}: {found} {lower}");
            let laplace = Event::Laplace { noise_multiplier: noise }.repeated(u64::MAX);
            // With enormous noise even so many releases are distinguished less often than delta.
            assert!(best(&laplace, at) > 0.0 || noise > 1.0);
        }
    }
}

/// The answers of other accountants, with their names.
#[test]
fn refusals_say_why() {
    let steps = gaussian(1.0).poisson_sampled(0.1).repeated(u64::MAX);
    let error = Pld::default().epsilon(&steps, delta(1e-5)).unwrap_err().to_string();
    assert!(error.contains("no bound to this precision"), "{error}");
    assert_eq!(accountant::best(&steps, delta(1e-5)).unwrap().accountant, "Rényi DP");
    assert!(Renyi::default().epsilon(&steps, delta(1e-5)).unwrap().get() > 1e15);
}
