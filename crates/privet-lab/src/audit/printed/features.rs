//! What is printed about features.

use super::Printed;
use crate::Result;
use crate::audit::finding::{AuditMethod, Finding};
use crate::audit::law::FloatLaw;
use crate::audit::support;

pub(super) const PRINTED: [Printed; 4] = [
    Printed {
        number: 9,
        claim: "FeatureRR with budget shares computed from the record",
        expected: Some(1.045_315),
        run: || exact("10 bins, 10 columns, epsilon 1", 1.0, per_record_shares(10, 10, 1.0)),
    },
    Printed {
        number: 20,
        claim: "square wave in floating point",
        expected: None,
        run: || {
            let share = support::float_square_wave_share(0.3, 0.31, 1.0, 20_000);
            found("outputs one input can give and the other cannot", AuditMethod::Exact, 0.0, share)
        },
    },
    Printed {
        number: 21,
        claim: "multi-bit mechanism as printed",
        expected: Some(f64::INFINITY),
        run: || {
            let e = 1f64.exp();
            let slope = |x: f64| (x + 1.0) / 2.0 * (e - 1.0) / (e + 1.0);
            let row = |x: f64| vec![1.0 / (e + 1.0) + slope(x), (e - 1.0) / (e + 1.0) - slope(x)];
            exact("eq. 6 at epsilon 1", 1.0, FloatLaw::new(vec![row(-1.0), row(1.0)]).epsilon())
        },
    },
    Printed {
        number: 40,
        claim: "width of the square wave by the printed formula at epsilon 1e-8",
        expected: None,
        run: || {
            let (x, e) = (1e-8f64, 1e-8f64.exp());
            let printed = (x * e - e + 1.0) / (e * (e - x - 1.0));
            // The true width is 1 - 2 eps / 3.
            exact("relative error of the width", 1e-9, (printed - 1.0).abs())
        },
    },
];

fn exact(subject: &str, claimed: f64, measured: f64) -> Result<Finding> {
    found(subject, AuditMethod::Exact, claimed, measured)
}

fn found(subject: &str, method: AuditMethod, claimed: f64, measured: f64) -> Result<Finding> {
    Ok(Finding { subject: subject.into(), method, claimed, measured, tolerance: 1e-9 })
}

/// `P(u | t) ~ exp(-rate |u - t|)` on `bins` bins.
fn graded(bins: usize, rate: f64) -> FloatLaw {
    let row = |t: usize| (0..bins).map(|u| (-rate * u.abs_diff(t) as f64).exp()).collect();
    FloatLaw::from_weights((0..bins).map(row).collect())
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
