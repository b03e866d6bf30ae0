//! How long a user waits for `privet account`: the noise for an epsilon, and the epsilon of a noise.
//!
//! Wall time, best of several rounds, beside a bisection that asks the same accountant every time.
//!
//! `cargo bench -p privet-privacy --bench account`

use std::time::Instant;

use privet_privacy::accountant::{Accountant, Pld, calibrate};
use privet_privacy::{Epsilon, Event, Loss};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

const ROUNDS: usize = 7;
const WANTED_MILLISECONDS: f64 = 100.0;

fn main() -> Result<(), AnyError> {
    let accountant = Pld::default();
    for (epsilon, rate, steps, delta) in
        [(1.0, 0.01, 1000, 1e-5), (8.0, 0.1, 500, 1e-5), (2.0, 60.0 / 208.0, 800, 1e-3)]
    {
        let target = Loss::new(epsilon, delta)?;
        let family = |noise_multiplier| {
            Event::Gaussian { noise_multiplier }.poisson_sampled(rate).repeated(steps)
        };
        let (found, search) =
            best_of(ROUNDS, || Ok(calibrate::noise_multiplier(&accountant, target, family)?))?;
        let (_, price) = best_of(ROUNDS, || Ok(accountant.epsilon(&family(found), target.delta)?))?;
        let (plain, bisection) = best_of(2, || {
            bisect(target.epsilon, |noise| Ok(accountant.epsilon(&family(noise), target.delta)?))
        })?;
        assert!((found / plain - 1.0).abs() < 3e-4, "{found} and {plain}");
        println!(
            "epsilon {epsilon}, rate {rate:.3}, {steps} steps: noise {found:.4} in {search:.0} ms \
             (wanted: {WANTED_MILLISECONDS}), its price in {price:.0} ms; by bisection {bisection:.0} \
             ms, {:.1} x",
            bisection / search
        );
    }
    Ok(())
}

/// The least noise that holds, to one part in ten thousand.
fn bisect(
    target: Epsilon,
    epsilon: impl Fn(f64) -> Result<Epsilon, AnyError>,
) -> Result<f64, AnyError> {
    let (mut low, mut high) = (0.1, 100.0_f64);
    while high / low > 1.0 + 1e-4 {
        let middle = (low * high).sqrt();
        if epsilon(middle)? <= target { high = middle } else { low = middle }
    }
    Ok(high)
}

/// The answer, and the shortest of several waits for it in milliseconds.
fn best_of<T>(
    rounds: usize,
    mut work: impl FnMut() -> Result<T, AnyError>,
) -> Result<(T, f64), AnyError> {
    let mut best = f64::INFINITY;
    let mut timed = || {
        let start = Instant::now();
        let answer = work()?;
        best = best.min(1e3 * start.elapsed().as_secs_f64());
        Ok::<T, AnyError>(answer)
    };
    let mut answer = timed()?;
    for _ in 1..rounds {
        answer = timed()?;
    }
    Ok((answer, best))
}
