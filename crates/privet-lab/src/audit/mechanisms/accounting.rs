//! The accountants against values that were computed elsewhere, to many digits: what an accountant answers is
//! the claim, the value elsewhere is the truth.

use privet::privacy::accountant::{
    Accountant, AnalyticGaussian, Basic, Optimal, Pld, Renyi, ZeroConcentrated, amplification,
};
use privet::privacy::audit;
use privet::privacy::noise::{
    BitResponse, DiscreteGaussian, DiscreteLaplace, ExponentialSelection, ScoreChange,
};
use privet::privacy::{Budget, Delta, Epsilon, Event, accountant};

use super::{Audit, Procedure};
use crate::Result;
use crate::audit::enumerated::exact;
use crate::audit::finding::{Finding, Method};

pub(super) const AUDITS: [Audit; 9] = [
    Audit { name: "amplification", of: &["Basic"], tight: true, run: Procedure::Exact(amplified) },
    Audit {
        name: "gaussian",
        of: &["AnalyticGaussian"],
        tight: true,
        run: Procedure::Exact(gaussian),
    },
    Audit { name: "renyi", of: &["Renyi"], tight: false, run: Procedure::Exact(renyi) },
    Audit {
        name: "composition",
        of: &["Basic", "Optimal"],
        tight: true,
        run: Procedure::Exact(composition),
    },
    Audit { name: "zcdp", of: &["ZeroConcentrated"], tight: true, run: Procedure::Exact(zcdp) },
    Audit {
        name: "mixture-of-gaussians",
        of: &["Pld"],
        tight: true,
        run: Procedure::Exact(mixtures),
    },
    Audit { name: "selection", of: &[], tight: false, run: Procedure::Exact(selection) },
    Audit {
        name: "discrete-laplace",
        of: &[],
        tight: true,
        run: Procedure::Exact(discrete_laplace),
    },
    Audit {
        name: "discrete-gaussian",
        of: &[],
        tight: false,
        run: Procedure::Exact(discrete_gaussian),
    },
];

fn theorem(subject: &str, answered: f64, truth: f64, tolerance: f64) -> Finding {
    let (subject, method) = (subject.into(), Method::Theorem);
    Finding { subject, method, claimed: answered, measured: truth, tolerance }
}

fn priced(event: &Event, delta: f64) -> Result<f64> {
    Ok(accountant::best(event, Delta::new(delta)?)?.value.get())
}

fn amplified() -> Result<Vec<Finding>> {
    let after = |before| Ok(amplification::amplified_epsilon(0.09, Epsilon::new(before)?)?.get());
    Ok(vec![
        theorem("rate 0.09, epsilon 11.11", after(1.0 / 0.09)?, 8.703_316_605, 1e-8),
        theorem("rate 0.09, epsilon 88.89", after(8.0 / 0.09)?, 86.480_943, 1e-5),
    ])
}

fn gaussian() -> Result<Vec<Finding>> {
    let event = Event::Gaussian { noise_multiplier: 1.0 };
    let epsilon = AnalyticGaussian.epsilon(&event, Delta::new(1e-5)?)?;
    Ok(vec![theorem("Gaussian, mu 1, delta 1e-5", epsilon.get(), 4.377_178_096, 1e-6)])
}

/// Four releases at multiplier 2 are one at multiplier 1, of which the truth is known.
fn renyi() -> Result<Vec<Finding>> {
    let event = Event::Gaussian { noise_multiplier: 2.0 }.repeated(4);
    let epsilon = Renyi::default().epsilon(&event, Delta::new(1e-5)?)?;
    Ok(vec![theorem("four Gaussians of mu 1/2, delta 1e-5", epsilon.get(), 4.377_178_096, 1e-6)])
}

/// Many answers of one person by randomised response: how many are yes has a law that is walked through, and
/// nothing is lost by counting them.
fn composition() -> Result<Vec<Finding>> {
    let (answers, strength) = (8, Budget::from_epsilon(0.5)?);
    let response = BitResponse::new(strength);
    let yes = |truth: bool| {
        audit::drawn(audit::DEPTH, |walk| {
            (0..answers).filter(|_| response.draw(truth, walk)).count()
        })
    };
    let (one, other) = (yes(true)?, yes(false)?);
    let epsilon = Epsilon::from(strength);
    let event = Event::RandomizedResponse { epsilon, categories: 2 }.repeated(answers);
    let basic = Basic.epsilon(&event, Delta::ZERO)?.get();
    let mut findings = vec![exact("8 answers at 0.5, delta 0, basic", basic, one.loss(&other))];
    for delta in [1e-3, 0.05] {
        let optimal = Optimal.epsilon(&event, Delta::new(delta)?)?.get();
        let subject = format!("8 answers at 0.5, delta {delta}, optimal");
        findings.push(Finding {
            tolerance: 1e-6,
            ..exact(subject, optimal, one.loss_at(&other, delta))
        });
    }
    Ok(findings)
}

fn zcdp() -> Result<Vec<Finding>> {
    let event = Event::ZeroConcentrated { rho: 0.1 };
    let epsilon = ZeroConcentrated.epsilon(&event, Delta::new(1e-5)?)?;
    Ok(vec![theorem("rho 0.1, delta 1e-5", epsilon.get(), 1.914_238_832, 1e-6)])
}

fn mixtures() -> Result<Vec<Finding>> {
    let pld = Pld::default();
    let cost = |noise_multiplier, max_rows, rate, steps| -> Result<f64> {
        let event = Event::MixtureOfGaussians { noise_multiplier, max_rows, rate };
        Ok(pld.epsilon(&event.repeated(steps), Delta::new(2e-3)?)?.get())
    };
    let rate = 60.0 / 2396.0;
    Ok(vec![
        theorem("sigma 3, 3 rows, rate 0.1, 100 steps", cost(3.0, 3, 0.1, 100)?, 3.139_58, 1e-3),
        theorem("sigma 1, 1 row, 8000 steps", cost(1.0, 1, rate, 8000)?, 12.0021, 3e-3),
    ])
}

/// Scores that may each move by 1 either way, at a range of 2 per pick: one and the top two of five, on the
/// worst pair of scores.
fn selection() -> Result<Vec<Finding>> {
    let pick = ExponentialSelection::new(Budget::from_epsilon(2.0)?, 1, ScoreChange::EitherWay)?;
    let (up, down) = ([1, 1, 0, 0, 0], [0, 0, 1, 1, 1]);
    let audit = |picks: usize| {
        let law = |scores: &[i64]| {
            audit::drawn(audit::DEPTH, |walk| pick.choose_several(scores, picks, walk))
        };
        let claimed = priced(&Event::BoundedRange { eta: 2.0 }.repeated(picks as u64), 0.0)?;
        let subject = format!("the best {picks} of 5 by the exponential mechanism");
        Ok(exact(subject, claimed, law(&up)?.loss(&law(&down)?)))
    };
    [1, 2].into_iter().map(audit).collect()
}

/// Noise for a count that a neighbour moves by the sensitivity.
fn discrete_laplace() -> Result<Vec<Finding>> {
    let audit = |(epsilon, sensitivity): (f64, u64)| {
        let budget = Budget::from_epsilon(epsilon)?;
        let noise = DiscreteLaplace::new(budget, sensitivity)?;
        let law = |count: i64| audit::drawn(audit::DEPTH, |walk| count + noise.draw(walk));
        let claimed = priced(&Event::Pure { epsilon: Epsilon::from(budget) }, 0.0)?;
        let subject = format!("a count of sensitivity {sensitivity}, epsilon {epsilon}");
        Ok(exact(subject, claimed, law(0)?.loss(&law(sensitivity as i64)?)))
    };
    [(0.3, 1), (1.0, 3), (4.0, 2)].into_iter().map(audit).collect()
}

/// Discrete Gaussian noise on a count of sensitivity 1 is `1/(2 sigma^2)`-zCDP.
fn discrete_gaussian() -> Result<Vec<Finding>> {
    let audit = |(numerator, denominator, delta): (u64, u64, f64)| {
        let noise = DiscreteGaussian::new(numerator, denominator)?;
        let law = |count: i64| audit::drawn(audit::DEPTH, |walk| count + noise.draw(walk));
        let rho = 0.5 / noise.sigma_squared();
        let claimed = priced(&Event::ZeroConcentrated { rho }, delta)?;
        let subject = format!("a count, variance {numerator}/{denominator}, delta {delta}");
        Ok(exact(subject, claimed, law(0)?.loss_at(&law(1)?, delta)))
    };
    [(1, 1, 1e-3), (25, 4, 1e-5)].into_iter().map(audit).collect()
}
