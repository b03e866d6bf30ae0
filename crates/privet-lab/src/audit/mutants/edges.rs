//! Broken neighbour-list mechanisms.

use privet::privacy::Budget;
use privet::privacy::edges::local::Dprr;
use privet::privacy::noise::{BitResponse, DiscreteLaplace, NoiseRng};

use super::Mutant;
use crate::Result;
use crate::audit::finding::{Finding, Method};
use crate::audit::mechanisms::dprr_system::{private_pair, reports_about};
use crate::audit::toy_dprr::{Reports, ToyDprr, relationship_dp};

const TOY: ToyDprr = ToyDprr { degree: 0.1, bits: 0.9 };

pub(super) const MUTANTS: [Mutant; 9] = [
    Mutant {
        number: 1,
        mutation: "DPRR with the printed budget split, epsilon 0.2, 957 nodes",
        expected: Some(0.271_478),
        run: || {
            // eps1 = max(sqrt(8/(n-1)), (1-a) eps), eps2 = a eps, with a = 0.9.
            let (epsilon, n) = (0.2f64, 957.0f64);
            let spent = (8.0 / (n - 1.0)).sqrt().max(0.1 * epsilon) + 0.9 * epsilon;
            found("printed split", Method::Theorem, epsilon, spent)
        },
    },
    Mutant {
        number: 2,
        mutation: "DPRR's edge-LDP epsilon claimed for relationships",
        expected: Some(2.0),
        run: || exact("both reports", 1.0, relationship_dp(TOY, Reports::Both)),
    },
    Mutant {
        number: 3,
        mutation: "lower triangle steered by the full degree, claimed as eps1 + eps2",
        expected: Some(1.1),
        run: || exact("lower triangle", 1.0, relationship_dp(TOY, Reports::LaterFullDegree)),
    },
    Mutant {
        number: 4,
        mutation: "DPRR with the exact degree",
        expected: Some(f64::INFINITY),
        run: || {
            let toy = ToyDprr { degree: f64::INFINITY, bits: 0.9 };
            exact("no degree noise", 1.0, toy.edge_ldp(4))
        },
    },
    Mutant {
        number: 5,
        mutation: "randomised response at eps instead of eps2",
        expected: Some(1.1),
        run: || {
            let toy = ToyDprr { degree: 0.1, bits: 1.0 };
            exact("whole budget on the bits", 1.0, toy.edge_ldp(4))
        },
    },
    Mutant {
        number: 6,
        mutation: "keep probability divided before the noisy degree is clipped",
        expected: Some(1.0),
        run: || {
            // A very negative noisy degree must give the emptiest report, not the fullest.
            let (d, m, p) = (-40.0f64, 9.0, 1.0 / (1.0 + (-0.9f64).exp()));
            let printed = (d / (d * (2.0 * p - 1.0) + m * (1.0 - p))).clamp(0.0, 1.0);
            exact("density at a noisy degree of -40", 0.0, printed)
        },
    },
    Mutant {
        number: 35,
        mutation: "the same random words for the degree and for the bits",
        expected: None,
        run: reused_words,
    },
    Mutant {
        number: 101,
        mutation: "an edge with a user who publishes, claimed at the sum of two epsilons",
        expected: Some(f64::INFINITY),
        run: || {
            let both = [Dprr::new(1.0, 3)?, Dprr::new(1.0, 3)?];
            // Bit 1 is the edge between user 0 and user 2, who publishes.
            let measured = reports_about(&both).epsilon_between(|a, b| a ^ b == 2);
            exact("a mixed edge", 2.0, measured)
        },
    },
    Mutant {
        number: 102,
        mutation: "users of epsilon 0.2 and 2, their edge claimed at twice the smaller",
        expected: Some(2.2),
        run: || {
            let both = [Dprr::new(0.2, 3)?, Dprr::new(2.0, 3)?];
            exact("two strengths", 0.4, private_pair(&both))
        },
    },
];

fn exact(subject: &str, claimed: f64, measured: f64) -> Result<Finding> {
    found(subject, Method::Exact, claimed, measured)
}

fn found(subject: &str, method: Method, claimed: f64, measured: f64) -> Result<Finding> {
    Ok(Finding { subject: subject.into(), method, claimed, measured, tolerance: 1e-9 })
}

/// Chi-square of the joint law of (degree noise is positive, bit was flipped): independent in the
/// real mechanism, tied together if both read the same words.
fn reused_words() -> Result<Finding> {
    const TRIALS: u64 = 20_000;
    let degree = DiscreteLaplace::new(Budget::from_epsilon(0.5)?, 1)?;
    let bit = BitResponse::new(Budget::from_epsilon(0.5)?);
    let mut joint = [[0u64; 2]; 2];
    // Two replays of one seed hand out the same words: what the types make impossible in one.
    let streams = || NoiseRng::replay(3).next_release().into_streams(0..TRIALS);
    for (mut first, mut second) in streams().zip(streams()) {
        let positive = usize::from(degree.draw(&mut first) > 0);
        let flipped = usize::from(bit.draw(false, &mut second));
        joint[positive][flipped] += 1;
    }
    // 5 standard deviations of a chi-square with one degree of freedom.
    found("independence of degree noise and bits", Method::Statistical, 25.0, chi_square(joint))
}

fn chi_square(joint: [[u64; 2]; 2]) -> f64 {
    let total: u64 = joint.iter().flatten().sum();
    let row = |r: usize| (joint[r][0] + joint[r][1]) as f64;
    let column = |c: usize| (joint[0][c] + joint[1][c]) as f64;
    let cell = |r: usize, c: usize| {
        let expected = row(r) * column(c) / total as f64;
        (joint[r][c] as f64 - expected).powi(2) / expected
    };
    (0..2).flat_map(|r| (0..2).map(move |c| (r, c))).map(|(r, c)| cell(r, c)).sum()
}
