//! The accountants against values that were computed elsewhere, to many digits.

use privet::privacy::accountant::{
    Accountant, AnalyticGaussian, Pld, ZeroConcentrated, amplification,
};
use privet::privacy::noise::{ScoreChange, Selection};
use privet::privacy::{Budget, Delta, Epsilon, Event};

use super::Audit;
use crate::Result;
use crate::audit::finding::{Finding, Method};

pub(super) const AUDITS: [Audit; 5] = [
    Audit { name: "amplification", tight: true, run: amplified },
    Audit { name: "gaussian", tight: true, run: gaussian },
    Audit { name: "zcdp", tight: true, run: zcdp },
    Audit { name: "mixture-of-gaussians", tight: true, run: mixtures },
    Audit { name: "selection", tight: false, run: selection },
];

fn theorem(subject: &str, claimed: f64, measured: f64, tolerance: f64) -> Finding {
    Finding { subject: subject.into(), method: Method::Theorem, claimed, measured, tolerance }
}

fn amplified() -> Result<Vec<Finding>> {
    let after = |before| Ok(amplification::amplified_epsilon(0.09, Epsilon::new(before)?)?.get());
    Ok(vec![
        theorem("rate 0.09, epsilon 11.11", 8.703_316_605, after(1.0 / 0.09)?, 1e-8),
        theorem("rate 0.09, epsilon 88.89", 86.480_943, after(8.0 / 0.09)?, 1e-5),
    ])
}

fn gaussian() -> Result<Vec<Finding>> {
    let event = Event::Gaussian { noise_multiplier: 1.0 };
    let epsilon = AnalyticGaussian.epsilon(&event, Delta::new(1e-5)?)?;
    Ok(vec![theorem("Gaussian, mu 1, delta 1e-5", 4.377_178_096, epsilon.get(), 1e-6)])
}

fn zcdp() -> Result<Vec<Finding>> {
    let event = Event::ZeroConcentrated { rho: 0.1 };
    let epsilon = ZeroConcentrated.epsilon(&event, Delta::new(1e-5)?)?;
    Ok(vec![theorem("rho 0.1, delta 1e-5", 1.914_238_832, epsilon.get(), 1e-6)])
}

fn mixtures() -> Result<Vec<Finding>> {
    let pld = Pld::default();
    let cost = |noise_multiplier, max_rows, rate, steps| -> Result<f64> {
        let event = Event::MixtureOfGaussians { noise_multiplier, max_rows, rate };
        Ok(pld.epsilon(&event.repeated(steps), Delta::new(2e-3)?)?.get())
    };
    let rate = 60.0 / 2396.0;
    Ok(vec![
        theorem("sigma 3, 3 rows, rate 0.1, 100 steps", 3.139_58, cost(3.0, 3, 0.1, 100)?, 1e-3),
        theorem("sigma 1, 1 row, 8000 steps", 12.0021, cost(1.0, 1, rate, 8000)?, 3e-3),
    ])
}

/// Scores that may each move by 1 either way, at a range of 2 per pick: the top two of five.
fn selection() -> Result<Vec<Finding>> {
    let pick = Selection::new(Budget::from_epsilon(2.0)?, 1, ScoreChange::EitherWay)?;
    let top_two = |scores: &[i64], first: usize, second: usize| -> f64 {
        let rest: Vec<i64> =
            scores.iter().enumerate().filter(|(at, _)| *at != first).map(|(_, &s)| s).collect();
        let second = if second > first { second - 1 } else { second };
        pick.probabilities(scores)[first] * pick.probabilities(&rest)[second]
    };
    let (up, down) = ([1, 1, 0, 0, 0], [0, 0, 1, 1, 1]);
    let measured = (top_two(&up, 0, 1) / top_two(&down, 0, 1)).ln();
    Ok(vec![Finding {
        subject: "top 2 of 5 by the exponential mechanism".into(),
        method: Method::Exact,
        claimed: 4.0,
        measured,
        tolerance: 1e-9,
    }])
}
