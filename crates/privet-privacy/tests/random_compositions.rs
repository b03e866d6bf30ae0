//! Random compositions against the oracle: no accountant answers below the truth.
//!
//! `cargo run --release -p privet-privacy --example accountants -- 10000` does the same for many more.

mod oracle;

use oracle::Composition;
use oracle::law::Law;
use oracle::random::{Random, case};
use privet_privacy::accountant;
use privet_privacy::loss::{Delta, Epsilon};

/// More than the oracle is off by.
const TOLERANCE: f64 = 1e-6;

fn alone(law: Law, times: f64) -> Composition {
    Composition { parts: vec![(law, times)], failure: 0.0, subsample: 1.0 }
}

/// The oracle itself, on published values and sums that are known.
#[test]
fn the_oracle_knows_what_is_known() {
    let gaussian = alone(Law::Gaussian { mu: 1.0 }, 1.0).delta(4.377_178_096).unwrap();
    assert!((gaussian / 1e-5 - 1.0).abs() < 1e-7, "{gaussian:e}");
    // One Gaussian as ten thousand, with deltas from 0.1 to 1e-30 (sixty digits, by erfc).
    for (epsilon, expected) in [(1.0, 0.126_936_737_506_643_95), (12.0, 5.208_442_068_950_466e-32)]
    {
        let found = alone(Law::Gaussian { mu: 0.01 }, 1e4).delta(epsilon).unwrap();
        assert!((found / expected - 1.0).abs() < 1e-8, "{found:e} {expected:e}");
    }
    // The published epsilon of 1000 sampled steps is an upper bound on a grid of 1e-4.
    let steps = alone(Law::mixtures(1.0, &[(0.0, 0.99), (1.0, 0.01)], &[(0.0, 1.0)]), 1000.0);
    let found = steps.delta(1.828_243_645_585_509).unwrap();
    assert!(found < 1e-5 && found > 0.999e-5, "{found:e}");
    // Laplace noise twice, by hand: integral of d(epsilon - l) over the law of the first.
    let once = |epsilon: f64| {
        if epsilon >= 1.0 {
            0.0
        } else if epsilon >= -1.0 {
            1.0 - (0.5 * (epsilon - 1.0)).exp()
        } else {
            1.0 - epsilon.exp()
        }
    };
    let epsilon = 0.7;
    let cells = 200_000;
    let inside: f64 = (0..cells)
        .map(|cell| -1.0 + 2.0 * (f64::from(cell) + 0.5) / f64::from(cells))
        .map(|loss| 0.25 * (0.5 * (loss - 1.0)).exp() * once(epsilon - loss))
        .sum::<f64>()
        * 2.0
        / f64::from(cells);
    let twice = 0.5 * once(epsilon - 1.0) + 0.5 * (-1.0_f64).exp() * once(epsilon + 1.0) + inside;
    // A Gaussian that hides almost nothing makes the same pair smooth.
    let both = Composition {
        parts: vec![(Law::laplace(1.0), 2.0), (Law::Gaussian { mu: 0.03 }, 1.0)],
        failure: 0.0,
        subsample: 1.0,
    };
    let found = both.delta(epsilon).unwrap();
    assert!((found / twice - 1.0).abs() < 3e-3, "{found} {twice}");
}

/// Delta falls with epsilon, so the smallest answer is the one to compare; now and then every accountant is asked for
/// its delta there.
#[test]
fn no_accountant_answers_below_the_truth() {
    let mut compared = 0;
    for seed in 0..100_u64 {
        let case = case(&mut Random::new(seed));
        let best = accountant::best(&case.event, Delta::new(case.delta).unwrap()).unwrap();
        let epsilon = best.value.get();
        // Failures alone may be likelier than delta: then no epsilon is claimed.
        let truth = best.value.is_finite().then(|| case.truth.worst_delta(epsilon)).flatten();
        let Some(truth) = truth else { continue };
        compared += 1;
        assert!(
            truth <= case.delta * (1.0 + TOLERANCE),
            "seed {seed}, {}: {epsilon} at {}, where delta is {truth:e}: {}",
            best.accountant,
            case.delta,
            case.event
        );
        if !seed.is_multiple_of(4) {
            continue;
        }
        for asked in accountant::all() {
            let Ok(claimed) = asked.delta(&case.event, Epsilon::new(epsilon).unwrap()) else {
                continue;
            };
            assert!(
                claimed.get() >= truth * (1.0 - TOLERANCE),
                "seed {seed}, {}: delta {claimed} at {epsilon}, where it is {truth:e}: {}",
                asked.name(),
                case.event
            );
        }
    }
    assert!(compared > 70, "{compared}");
}
