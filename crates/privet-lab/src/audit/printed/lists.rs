//! What is printed about neighbour lists.

use privet::privacy::edges::local::{BudgetSplit, Dprr};
use privet::privacy::{Delta, Mechanism, accountant, audit};

use super::Printed;
use crate::Result;
use crate::audit::finding::{Finding, Method};
use crate::audit::toy_dprr::{ReportedPairs, ToyDprr, relationship_dp};

const TOY: ToyDprr = ToyDprr { degree: 0.1, bits: 0.9 };

pub(super) const PRINTED: [Printed; 5] = [
    Printed {
        number: 1,
        claim: "DPRR with the printed budget split, epsilon 0.2, 957 nodes",
        expected: Some(0.271_478),
        run: || {
            // eps1 = max(sqrt(8/(n-1)), (1-a) eps), eps2 = a eps, with a = 0.9.
            let dprr = Dprr::with_split(0.2, 957, BudgetSplit::Paper { alpha: 0.9 })?;
            let spent = accountant::best(&dprr.event(), Delta::ZERO)?.value;
            found("printed split", Method::Theorem, 0.2, spent.get())
        },
    },
    Printed {
        number: 2,
        claim: "DPRR's edge-LDP epsilon claimed for relationships",
        expected: Some(2.0),
        run: || exact("both reports", 1.0, relationship_dp(TOY, ReportedPairs::Both)),
    },
    Printed {
        number: 3,
        claim: "lower triangle steered by the full degree, claimed as eps1 + eps2",
        expected: Some(1.1),
        run: || exact("lower triangle", 1.0, relationship_dp(TOY, ReportedPairs::LaterFullDegree)),
    },
    Printed {
        number: 6,
        claim: "keep probability divided before the noisy degree is clipped",
        expected: Some(1.0),
        run: || {
            // A very negative noisy degree must give the emptiest report, not the fullest.
            let (d, m, p) = (-40.0f64, 9.0, 1.0 / (1.0 + (-0.9f64).exp()));
            let printed = (d / (d * (2.0 * p - 1.0) + m * (1.0 - p))).clamp(0.0, 1.0);
            exact("density at a noisy degree of -40", 0.0, printed)
        },
    },
    Printed {
        number: 101,
        claim: "an edge with a user who publishes, claimed at the sum of two epsilons",
        expected: Some(f64::INFINITY),
        run: || {
            // Whoever publishes sends the list itself, which the edge is a part of.
            let published = |list: &[u32]| audit::drawn(audit::DEPTH, |_| list.to_vec());
            exact("a mixed edge", 2.0, published(&[0])?.loss(&published(&[])?))
        },
    },
];

fn exact(subject: &str, claimed: f64, measured: f64) -> Result<Finding> {
    found(subject, Method::Exact, claimed, measured)
}

fn found(subject: &str, method: Method, claimed: f64, measured: f64) -> Result<Finding> {
    Ok(Finding { subject: subject.into(), method, claimed, measured, tolerance: 1e-9 })
}
