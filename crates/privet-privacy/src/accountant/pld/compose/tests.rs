use std::f64::consts::LN_2;

use super::*;
use crate::accountant::exact::{Big, big};

fn coin(times: u64) -> Losses {
    // Loss +1 with probability 0.7 and -1 with probability 0.3, on a grid of 1/2.
    Losses { first: -2, mass: vec![0.3, 0.0, 0.0, 0.0, 0.7], infinite: 0.0, times, shift: 0.0 }
}

fn exact_delta(times: i32, epsilon: f64) -> f64 {
    let mut weight = 0.7_f64.powi(times);
    let mut total = 0.0;
    for downs in 0..=times {
        let loss = f64::from(times - 2 * downs);
        total += weight * (1.0 - (epsilon - loss).exp()).max(0.0);
        weight *= 0.3 / 0.7 * f64::from(times - downs) / f64::from(downs + 1);
    }
    total
}

#[test]
fn convolves_exactly_and_on_the_safe_side() {
    for (times, epsilon) in [(1, 0.3), (10, 3.0), (60, 30.0), (60, 59.0), (400, 395.5)] {
        let exact = exact_delta(times, epsilon);
        let query = Query::DeltaAt(epsilon);
        let GridOutcome::Value(found) = compose(&[coin(times as u64)], 0.5, query, 1e6) else {
            panic!()
        };
        assert!(found >= exact && found <= exact * (1.0 + 1e-6), "{times}: {found:e} {exact:e}");
        let query = Query::EpsilonAt(found);
        let GridOutcome::Value(back) = compose(&[coin(times as u64)], 0.5, query, 1e6) else {
            panic!()
        };
        assert!((back - epsilon).abs() < 1e-3, "{times}: {back} {epsilon}");
    }
}

/// Losses above the window re-enter at its bottom, where they count for less: their probability is added to delta.
#[test]
fn b9_losses_beyond_the_window_are_paid_for() {
    let times = 400;
    let parts = [coin(times)];
    let sum = Sum { parts: &parts, step: 0.5 };
    for delta in [1e-2, 1e-3, 1e-6] {
        let query = Query::EpsilonAt(delta);
        let (tilt, log_delta) = sum.tilt(query);
        let (_, high) = sum.window(tilt, log_delta, query);
        let (mut beyond, mut weight) = (0.0, 0.7_f64.powi(times as i32));
        for downs in 0..=times as i32 {
            let loss = f64::from(times as i32 - 2 * downs);
            beyond += if loss > high { weight } else { 0.0 };
            weight *= 0.3 / 0.7 * f64::from(times as i32 - downs) / f64::from(downs + 1);
        }
        assert!(beyond > 0.0, "delta {delta}: the window holds all losses, so nothing is tried");
        assert!(beyond <= beyond_window(log_delta), "delta {delta}: {beyond:e} leaves the window");
    }
}

/// The binomial law of a coin, to many digits.
fn flips(times: u32) -> Vec<Big> {
    let mut weight = big(0.3).powi(times.into());
    let mut law = Vec::new();
    for ups in 0..=times {
        law.push(weight.clone());
        weight =
            weight * big(f64::from(times - ups)) / big(f64::from(ups + 1)) * big(0.7) / big(0.3);
    }
    law
}

/// Every bin holds at least its probability, tilted or not, and no more than a few units of rounding on top.
#[test]
fn no_bin_is_too_low() {
    for times in [1_u32, 7, 30] {
        for tilt in [0.0, 0.4, 1.7] {
            let parts = [coin(times.into())];
            let sum = Sum { parts: &parts, step: 0.5 };
            let bins = 256_usize;
            let (masses, log_scale) = sum.tilted_convolution(tilt, bins);
            assert_eq!(masses.len(), bins);
            let mut total = 0.0;
            for (ups, exact) in flips(times).iter().enumerate() {
                let loss = 2.0 * ups as f64 - f64::from(times);
                let slot = (2 * loss as i64).rem_euclid(bins as i64) as usize;
                let tilted = exact * (big(tilt) * big(loss) - big(log_scale)).exp();
                let over = (big(masses[slot]) - tilted).to_f64().value();
                assert!(
                    (0.0..2e-13 * f64::from(times)).contains(&over),
                    "{times} {tilt}: {over:e}"
                );
                total += masses[slot];
            }
            assert!((total - 1.0).abs() < 1e-10, "{times} {tilt}: {total}");
            // Bins that cannot happen hold the bound on the error alone.
            let error = masses[1];
            assert!(error > 1e-17 && error < 1e-13 * f64::from(times), "{times}: {error:e}");
        }
    }
}

/// `log E[e^(s L)]` to many digits, and the stated bound on its error.
#[test]
fn moments_know_their_error() {
    for (times, s) in [(1, 0.3), (5, 2.0), (9, 17.0), (400, 0.01)] {
        let parts = [coin(times), coin(2 * times)];
        let sum = Sum { parts: &parts, step: 0.5 };
        let moment = big(0.7) * big(s).exp() + big(0.3) * big(-s).exp();
        let exact = moment.ln() * big(3.0 * times as f64);
        let error = (big(sum.log_moment(s)) - &exact).to_f64().value().abs();
        let stated = sum.log_moment_error(s);
        assert!(error <= stated, "{times} {s}: {error:e} {stated:e}");
        let expected = 3.0 * times as f64 * ROUNDING * (5.0 + 0.5 * s * 7.0);
        assert!((stated / expected - 1.0).abs() < 1e-12, "{stated:e}");
        let back = moment.to_f64().value();
        assert!(
            (log_moment(&parts[0], 0.5, -s) - (0.7 * (-s).exp() + 0.3 * s.exp()).ln()).abs()
                < 1e-13 * back.ln().abs() + 1e-15
        );
    }
}

/// Chernoff's bounds hold for the coin, and are met up to a factor that a sum of so many coins explains.
#[test]
fn ends_are_exceeded_rarely() {
    let parts = [coin(60)];
    let sum = Sum { parts: &parts, step: 0.5 };
    let exceeded = |end: f64| -> f64 {
        let law = flips(60);
        let above = law.iter().enumerate().filter(|(ups, _)| 2.0 * *ups as f64 - 60.0 > end);
        above.map(|(_, mass)| mass.to_f64().value()).sum()
    };
    for tail in [2.0, 5.0, 12.0_f64] {
        let end = sum.exceeded(tail);
        assert!(exceeded(end) <= (-tail).exp(), "{tail}: {end}");
        assert!(exceeded(end - 8.0) > (-tail).exp(), "{tail}: {end}");
        assert!((sum.chernoff(0.0, 1.0, tail) - end).abs() < 1e-6, "{tail}");
        // Downwards the loss is minus this.
        let low = -sum.chernoff(0.0, -1.0, tail);
        assert!(low > -60.0 && 1.0 - exceeded(low - 2.0) <= 1.2 * (-tail).exp(), "{tail}: {low}");
    }
}

/// The tilt is that of the best Rényi bound, and the window holds what was promised.
#[test]
fn the_tilt_looks_at_the_right_place() {
    let parts = [coin(60)];
    let sum = Sum { parts: &parts, step: 0.5 };
    for query in [Query::DeltaAt(45.0), Query::EpsilonAt(1e-4)] {
        let (tilt, log_delta) = sum.tilt(query);
        let value = |s: f64| match query {
            Query::EpsilonAt(delta) => rdp::epsilon_at(s, sum.log_moment(s) / s, delta),
            Query::DeltaAt(epsilon) => rdp::log_delta_at(s, sum.log_moment(s) / s, epsilon),
        };
        for other in [0.9, 0.99, 1.01, 1.1] {
            // Beyond the reciprocal of the step there is nothing to see.
            assert!(tilt * other > 2.0 || value(tilt) <= value(tilt * other) + 1e-9, "{query:?}");
        }
        let expected = match query {
            Query::EpsilonAt(delta) => delta.ln(),
            Query::DeltaAt(_) => value(tilt),
        };
        assert!((log_delta - expected).abs() < 1e-9, "{query:?}: {log_delta}");
        assert!(tilt <= 2.000_001, "{query:?}: {tilt}");
        let (low, high) = sum.window(tilt, log_delta, query);
        assert!(high >= sum.exceeded(WINDOW_SLACK - log_delta), "{query:?}");
        assert!(high >= sum.chernoff(tilt, 1.0, WINDOW_TAIL), "{query:?}");
        assert!(low <= -sum.chernoff(tilt, -1.0, WINDOW_TAIL), "{query:?}");
        assert!(high < 75.0 && low > -75.0, "{query:?}: {low} {high}");
    }
    let nothing = sum.tilt(Query::DeltaAt(-200.0));
    assert_eq!(nothing.1, 0.0);
    let (tilt, log_delta) = sum.tilt(Query::DeltaAt(-50.0));
    assert!(sum.window(tilt, log_delta, Query::DeltaAt(-50.0)).0 <= -50.0);
}

/// Infinite losses add to delta, shifts to epsilon, each as often as it happens.
#[test]
fn infinite_losses_and_shifts_are_counted() {
    let value = |part: &Losses, query| {
        let GridOutcome::Value(value) = compose(std::slice::from_ref(part), 0.5, query, 1e6) else {
            panic!()
        };
        value
    };
    let plain = coin(6);
    let broken = Losses { infinite: 1e-3, ..coin(6) };
    let delta = |part: &Losses, epsilon| value(part, Query::DeltaAt(epsilon));
    let more = delta(&broken, 2.2) - delta(&plain, 2.2);
    assert!((more / 6e-3 - 1.0).abs() < 1e-9, "{more}");
    let shifted = Losses { shift: 0.01, ..coin(6) };
    assert!((delta(&shifted, 2.26) / delta(&plain, 2.2) - 1.0).abs() < 1e-12);
    let epsilon = |part: &Losses| value(part, Query::EpsilonAt(0.05));
    assert!((epsilon(&shifted) - epsilon(&plain) - 0.06).abs() < 1e-12);
    let two = [coin(3), broken];
    let GridOutcome::Value(both) = compose(&two, 0.5, Query::DeltaAt(100.0), 1e6) else { panic!() };
    assert!((both / 6e-3 - 1.0).abs() < 1e-7, "{both}");
    // Rounded up, with what leaving the window costs.
    assert!(both > 6e-3, "{both}");
}

/// Powers by squaring.
#[test]
fn powers() {
    let base = Complex::new(0.6, -0.7);
    for exponent in [0_u64, 1, 2, 3, 10, 37] {
        let error = (power(base, exponent) - base.powu(exponent as u32)).norm();
        assert!(error < 1e-14, "{exponent}: {error}");
    }
}

/// Masses that are tilted are normalised, folded into the window, and their error is that of their logarithms.
#[test]
fn tilted_masses_are_a_law() {
    let part = coin(1);
    let Tilted { buffer, log_mass, error } = tilted(&part, 0.5, 0.8, 4);
    let norm = 0.7 * 0.8_f64.exp() + 0.3 * (-0.8_f64).exp();
    // Losses of -2 and 2 grid points meet in one bin of a window of four.
    let masses: Vec<f64> = buffer.iter().map(|value| value.re).collect();
    assert!((masses[2] - 1.0).abs() < 1e-15 && masses[0] + masses[1] + masses[3] == 0.0);
    assert!((log_mass - norm.ln()).abs() < 1e-15);
    let largest = (0.7_f64.ln().abs() + 0.8).max(0.3_f64.ln().abs() + 0.8);
    assert!((error / (ROUNDING * (1.0 + largest + norm.ln().abs())) - 1.0).abs() < 1e-12);
}

/// A law that stands in one bin has nothing but the error of a logarithm.
#[test]
fn the_error_of_one_mass() {
    for (mass, expected) in [(1.0, 1.0), (0.5, 1.0 + 2.0 * LN_2)] {
        let part = Losses { first: 0, mass: vec![mass], infinite: 0.0, times: 1, shift: 0.0 };
        let found = tilted(&part, 0.5, 0.0, 4).error;
        assert!((found / (ROUNDING * expected) - 1.0).abs() < 1e-12, "{mass}: {found:e}");
    }
}

/// Where every rounding can be followed by hand: a fair coin of losses 0 and 1, twice, in a window of four, whose transform
/// is 1, (1 - i)/2, 0, (1 + i)/2.
#[test]
fn the_error_of_a_bin_by_hand() {
    let parts = [Losses { first: 0, mass: vec![0.5; 2], infinite: 0.0, times: 2, shift: 0.0 }];
    let (masses, log_scale) = Sum { parts: &parts, step: 1.0 }.tilted_convolution(0.0, 4);
    let g = ROUNDING * (2.0 + 2.0);
    // |F|^2 (e^(2 g/|F|) - 1) + g |F|^2 where F is 1 and where |F|^2 is 1/2; g^2 where F is 0.
    let total = (2.0 * g + g) + 0.5 * (2.0 * g / 0.5_f64.sqrt() + g) + g * g;
    let error = 2.0 * total / 4.0;
    assert!((masses[3] / error - 1.0).abs() < 0.05, "{:e} {error:e}", masses[3]);
    for (found, exact) in masses.iter().zip([0.25, 0.5, 0.25, 0.0]) {
        assert!(((found - exact) / error - 1.0).abs() < 0.05, "{found} {exact}");
    }
    // Twice the error of the coin's masses; their sum is 1.
    let expected = 2.0 * ROUNDING * (1.0 + LN_2);
    assert!((log_scale / expected - 1.0).abs() < 0.2, "{log_scale:e} {expected:e}");
}

/// The bins of a window, and what a scale is raised by.
#[test]
fn windows_are_rounded_outwards() {
    assert_eq!(bins_needed((-1.0, 1.0), 0.5), 8.0);
    assert_eq!([-0.35, 0.0, 0.99, 1.0].map(|low| lowest_bin((low, 9.0), 0.1)), [-5, -1, 8, 9]);
    for (ends, farthest) in [((-5.0, -3.5), 5.0), ((-1.0, 2.5), 2.5), ((1.0, 2.5), 2.5)] {
        let by = (raised(-3.0, 2.0, ends) + 3.0) / ROUNDING;
        assert!((by - (3.0 + 2.0 * farthest)).abs() < 0.3, "{ends:?}: {by}");
    }
}

/// An end of the window is rounded up by the errors of the moments; that of a tilted law is seen from its own start.
#[test]
fn ends_by_definition() {
    let parts = [coin(1_000_000_000_000)];
    let sum = Sum { parts: &parts, step: 0.5 };
    let end = |log_s: f64| (sum.log_moment(log_s.exp()) + 40.0) / log_s.exp();
    let (log_s, without_error) = minimize(-23.0, 23.0, ROUNDS, end);
    let s = log_s.exp();
    let more = sum.exceeded(40.0) - without_error;
    assert!(more > 0.5 * sum.log_moment_error(s) / s, "{more}");
    let parts = [coin(300)];
    let sum = Sum { parts: &parts, step: 0.5 };
    for sign in [-1.0, 1.0] {
        let end = |s: f64| (sum.log_moment(0.7 + sign * s) - sum.log_moment(0.7) + 9.0) / s;
        let best = (-500..500).map(|k| end((0.01 * f64::from(k)).exp())).fold(f64::MAX, f64::min);
        let found = sum.chernoff(0.7, sign, 9.0);
        assert!((found - best).abs() < 1e-3 * best.abs(), "{sign}: {found} {best}");
    }
}

/// Small deltas of many coins: the tilted law leaves the window rarely, above and below.
#[test]
fn windows_by_definition() {
    let parts = [coin(2000)];
    let sum = Sum { parts: &parts, step: 0.5 };
    let query = Query::EpsilonAt(1e-30);
    let (tilt, log_delta) = sum.tilt(query);
    let (low, high) = sum.window(tilt, log_delta, query);
    let [below, above] = [-1.0, 1.0].map(|sign| sum.chernoff(tilt, sign, WINDOW_TAIL));
    assert_eq!((low, high), (-below, above));
    // Bounded losses: the best exponent runs away, and is held where the grid ends.
    let parts = [coin(60)];
    let tilt = Sum { parts: &parts, step: 0.5 }.tilt(Query::DeltaAt(59.5)).0;
    assert!(tilt > 1.9 && tilt < 2.000_001, "{tilt}");
}

#[test]
fn side_by_side_is_one_after_the_other() {
    for length in [1, 5, 16, 17, 100] {
        let mass: Vec<f64> = (0..length).map(|i| f64::from(i % 7) + 0.25).collect();
        for ratio in [1.0, 0.99, 0.3, 0.0] {
            let forward = mass.iter().fold(0.0, |total, mass| total * ratio + mass);
            let backward = mass.iter().rev().fold(0.0, |total, mass| total * ratio + mass);
            assert!((falling_from_the_end(&mass, ratio) / forward - 1.0).abs() < 1e-13);
            assert!((falling_from_the_start(&mass, ratio) / backward - 1.0).abs() < 1e-13);
        }
    }
}

#[test]
fn different_parts_convolve() {
    let query = Query::DeltaAt(4.5);
    let split = compose(&[coin(3), coin(7)], 0.5, query, 1e6);
    let joint = compose(&[coin(10)], 0.5, query, 1e6);
    let (GridOutcome::Value(split), GridOutcome::Value(joint)) = (split, joint) else { panic!() };
    assert!((split / joint - 1.0).abs() < 1e-9);
}

#[test]
fn a_window_that_does_not_fit_is_reported() {
    let mut mass = vec![0.0; 800_001];
    (mass[0], mass[800_000]) = (0.5, 0.5);
    let wide = Losses { first: -400_000, mass, infinite: 0.0, times: 900, shift: 0.0 };
    assert!(
        matches!(compose(&[wide], 1.0, Query::EpsilonAt(1e-5), 1e6), GridOutcome::TooFine(f) if f > 1.0)
    );
}

/// Nothing but rounding where a transform vanishes: an even law on all of sixteen bins, whose transform is 1 and then 0.
#[test]
fn the_error_where_nothing_is_left_of_a_law() {
    let parts =
        [Losses { first: 0, mass: vec![1.0 / 16.0; 16], infinite: 0.0, times: 1, shift: 0.0 }];
    let (masses, _) = Sum { parts: &parts, step: 1.0 }.tilted_convolution(0.0, 16);
    let g = ROUNDING * (2.0 + 4.0);
    // Of nine frequencies the first is off by 2 g, and eight by g.
    let error = 2.0 * (2.0 * g + 8.0 * g) / 16.0;
    for mass in masses {
        assert!(((mass - 1.0 / 16.0) / error - 1.0).abs() < 0.1, "{mass} {error:e}");
    }
}

/// On a grid of a hundred thousandth the tilt is taken back at losses of a twentieth, not at their numbers.
#[test]
fn a_fine_grid_costs_no_accuracy() {
    let mut mass = vec![0.0; 10_001];
    (mass[0], mass[10_000]) = (0.3, 0.7);
    let part = Losses { first: -5_000, mass, infinite: 0.0, times: 1, shift: 0.0 };
    let outcome = compose(&[part], 1e-5, Query::DeltaAt(0.03), 1e6);
    let GridOutcome::Value(found) = outcome else { panic!("{outcome:?}") };
    let exact = 0.7 * -(-0.02_f64).exp_m1();
    assert!((0.0..1e-7).contains(&(found / exact - 1.0)), "{:e}", found / exact - 1.0);
}
