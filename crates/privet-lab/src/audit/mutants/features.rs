//! Broken feature mechanisms.

use super::Mutant;
use crate::Result;
use crate::audit::finding::{Finding, Method};
use crate::audit::law::FloatLaw;
use crate::audit::support;

pub(super) const MUTANTS: [Mutant; 12] = [
    Mutant {
        number: 7,
        mutation: "FeatureRR with sigma = 1/(k eps)",
        expected: Some(9.0),
        run: || exact("10 bins at epsilon 1", 1.0, graded(10, 1.0).epsilon()),
    },
    Mutant {
        number: 8,
        mutation: "FeatureRR with exponent |u - t| / sigma",
        expected: Some(10.0),
        run: || exact("10 bins at epsilon 1", 1.0, graded(10, 10.0 / 9.0).epsilon()),
    },
    Mutant {
        number: 9,
        mutation: "FeatureRR with budget shares computed from the record",
        expected: Some(1.045_315),
        run: || exact("10 bins, 10 columns, epsilon 1", 1.0, per_record_shares(10, 10, 1.0)),
    },
    Mutant {
        number: 10,
        mutation: "columns scaled by everybody's minimum and maximum",
        expected: Some(2.0),
        run: || {
            // Of two nodes one is the minimum and the other the maximum, whatever they hold: moving
            // one record past the other swaps both bins, and both reports tell.
            let bins = graded(4, 1.0 / 3.0);
            let both = |a: usize, b: usize| -> Vec<f64> {
                bins.rows[a].iter().flat_map(|x| bins.rows[b].iter().map(move |y| x * y)).collect()
            };
            exact("two nodes", 1.0, FloatLaw::new(vec![both(0, 3), both(3, 0)]).epsilon())
        },
    },
    Mutant {
        number: 19,
        mutation: "HDS at eps instead of eps/k per coordinate, k = 2",
        expected: Some(2.0),
        run: || {
            let one = window(4, 2, 1.0);
            let row = |i: usize| -> Vec<f64> {
                one.rows[i].iter().flat_map(|x| one.rows[i].iter().map(move |y| x * y)).collect()
            };
            let rows = (0..one.rows.len()).map(row).collect();
            exact("two coordinates at epsilon 1 in all", 1.0, FloatLaw::new(rows).epsilon())
        },
    },
    Mutant {
        number: 20,
        mutation: "square wave in floating point",
        expected: None,
        run: || {
            let share = support::float_square_wave_share(0.3, 0.31, 1.0, 20_000);
            found("outputs one input can give and the other cannot", Method::Exact, 0.0, share)
        },
    },
    Mutant {
        number: 21,
        mutation: "multi-bit mechanism as printed",
        expected: Some(f64::INFINITY),
        run: || {
            let e = 1f64.exp();
            let slope = |x: f64| (x + 1.0) / 2.0 * (e - 1.0) / (e + 1.0);
            let row = |x: f64| vec![1.0 / (e + 1.0) + slope(x), (e - 1.0) / (e + 1.0) - slope(x)];
            exact("eq. 6 at epsilon 1", 1.0, FloatLaw::new(vec![row(-1.0), row(1.0)]).epsilon())
        },
    },
    Mutant {
        number: 22,
        mutation: "window cut off at the ends of the domain",
        expected: Some(1.264_319),
        run: || {
            let (n, h, outside) = (64i64, 33i64, (-1f64).exp());
            let weight = |i: i64, j: i64| if (i - j).abs() <= h { 1.0 } else { outside };
            let row = |i: i64| (-n..=n).map(|j| weight(i, j)).collect();
            exact("129 levels", 1.0, FloatLaw::from_weights((-n..=n).map(row).collect()).epsilon())
        },
    },
    Mutant {
        number: 23,
        mutation: "half the window's width",
        expected: None,
        run: || {
            // As private as before, but the mean is no longer kappa x.
            let (right, halved) = (window(64, 33, 1.0), window(64, 16, 1.0));
            let mean = |law: &FloatLaw, h: i64| -> f64 {
                law.rows[128].iter().zip(-(64 + h)..).map(|(p, j)| p * j as f64 / 64.0).sum()
            };
            let error = (mean(&halved, 16) - mean(&right, 33)).abs();
            exact("mean of the report at x = 1", 0.0, error)
        },
    },
    Mutant {
        number: 24,
        mutation: "Laplace noise of scale 1/eps for values in [-1, 1]",
        expected: Some(2.0),
        run: || {
            // On a lattice of n steps per unit the scale is n/eps steps, and the range 2n of them.
            let (n, epsilon) = (8i32, 1.0f64);
            let step = (-epsilon / f64::from(n)).exp();
            let row = |x: i32| (-99..=99).map(|y: i32| step.powi((y - x).abs())).collect();
            exact(
                "both ends of the range",
                1.0,
                FloatLaw::from_weights(vec![row(-n), row(n)]).epsilon(),
            )
        },
    },
    Mutant {
        number: 40,
        mutation: "width of the square wave by the printed formula at epsilon 1e-8",
        expected: None,
        run: || {
            let (x, e) = (1e-8f64, 1e-8f64.exp());
            let printed = (x * e - e + 1.0) / (e * (e - x - 1.0));
            // The true width is 1 - 2 eps / 3.
            exact("relative error of the width", 1e-9, (printed - 1.0).abs())
        },
    },
    Mutant {
        number: 42,
        mutation: "answer-rr that is firmer where the model is sure",
        expected: Some(2.0),
        run: || {
            // Twice the epsilon for a sure row: the report tells more than the named class.
            let row = |answer: usize, epsilon: f64| {
                (0..3).map(|report| if report == answer { epsilon.exp() } else { 1.0 }).collect()
            };
            let rows = vec![row(0, 1.0), row(0, 2.0), row(1, 1.0), row(1, 2.0)];
            exact("3 classes at epsilon 1", 1.0, FloatLaw::from_weights(rows).epsilon())
        },
    },
];

fn exact(subject: &str, claimed: f64, measured: f64) -> Result<Finding> {
    found(subject, Method::Exact, claimed, measured)
}

fn found(subject: &str, method: Method, claimed: f64, measured: f64) -> Result<Finding> {
    Ok(Finding { subject: subject.into(), method, claimed, measured, tolerance: 1e-9 })
}

/// `P(u | t) ~ exp(-rate |u - t|)` on `bins` bins.
fn graded(bins: usize, rate: f64) -> FloatLaw {
    let row = |t: usize| (0..bins).map(|u| (-rate * u.abs_diff(t) as f64).exp()).collect();
    FloatLaw::from_weights((0..bins).map(row).collect())
}

/// The window mechanism on `2 steps + 1` inputs.
fn window(steps: i64, half_width: i64, epsilon: f64) -> FloatLaw {
    let outside = (-epsilon).exp();
    let weight = |i: i64, j: i64| if (i - j).abs() <= half_width { 1.0 } else { outside };
    let outputs = -(steps + half_width)..=steps + half_width;
    let row = |i: i64| outputs.clone().map(|j| weight(i, j)).collect();
    FloatLaw::from_weights((-steps..=steps).map(row).collect())
}

/// The worst ratio when one record puts all of its budget on one column and its neighbour spreads
/// it evenly; columns are independent, so their worst ratios add.
fn per_record_shares(bins: usize, columns: usize, epsilon: f64) -> f64 {
    let law = |share: f64| graded(bins, share * epsilon / (bins - 1) as f64);
    let (all, even, none) = (law(1.0), law(1.0 / columns as f64), law(0.0));
    // One column with an even share against the whole budget, the others against none of it.
    worst(&even, &all) + (columns - 1) as f64 * worst(&even, &none)
}

fn worst(one: &FloatLaw, other: &FloatLaw) -> f64 {
    let ratio = |a: &Vec<f64>, b: &Vec<f64>| {
        a.iter().zip(b).map(|(p, q)| (p / q).ln()).fold(f64::NEG_INFINITY, f64::max)
    };
    let pairs = one.rows.iter().flat_map(|a| other.rows.iter().map(move |b| ratio(a, b)));
    pairs.fold(f64::NEG_INFINITY, f64::max)
}
