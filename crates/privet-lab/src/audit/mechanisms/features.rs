//! Exact audits of the feature and label randomizers: integer weights, compared as fractions.

use privet::graph::{DenseMatrix, Features};
use privet::privacy::features::duchi::DuchiScheme;
use privet::privacy::features::hybrid::HybridScheme;
use privet::privacy::features::multi_bit::MultiBitScheme;
use privet::privacy::features::piecewise::PiecewiseScheme;
use privet::privacy::features::pm_sub::PmSubScheme;
use privet::privacy::features::square_wave::SquareWaveScheme;
use privet::privacy::features::three_outputs::ThreeOutputsScheme;
use privet::privacy::features::{AnswerRr, FiniteLaw, LinearModel, Scheme};
use privet::privacy::noise::{DiscreteLaplace, Graded, RandomizedResponse};
use privet::privacy::public::Public;
use privet::privacy::{Budget, Population};

use super::Audit;
use crate::Result;
use crate::audit::finding::{Finding, Method};
use crate::audit::law::ExactLaw;
use crate::audit::refused;

/// Rationals stand in for e^-eps, rounded to the private side by less than this.
const TOLERANCE: f64 = 1e-9;
const EPSILONS: [f64; 5] = [0.1, 0.3, 0.7, 1.0, 3.0];

pub(super) const AUDITS: [Audit; 12] = [
    Audit {
        name: "square-wave",
        tight: true,
        run: || coordinate::<SquareWaveScheme>("square wave"),
    },
    Audit { name: "piecewise", tight: true, run: || coordinate::<PiecewiseScheme>("piecewise") },
    Audit { name: "pm-sub", tight: true, run: || coordinate::<PmSubScheme>("PM-SUB") },
    Audit { name: "duchi", tight: true, run: || coordinate::<DuchiScheme>("Duchi") },
    Audit { name: "multi-bit", tight: true, run: || coordinate::<MultiBitScheme>("multi-bit") },
    Audit { name: "hybrid", tight: true, run: || coordinate::<HybridScheme>("hybrid") },
    Audit {
        name: "three-outputs",
        tight: true,
        run: || coordinate::<ThreeOutputsScheme>("three outputs"),
    },
    Audit { name: "hds", tight: true, run: hds },
    Audit { name: "feature-rr", tight: true, run: feature_rr },
    Audit { name: "label-rr", tight: true, run: label_rr },
    Audit { name: "answer-rr", tight: true, run: answer_rr },
    Audit { name: "laplace", tight: true, run: laplace },
];

fn exact(subject: String, claimed: f64, measured: f64) -> Finding {
    Finding { subject, method: Method::Exact, claimed, measured, tolerance: TOLERANCE }
}

/// The law of one coordinate on a lattice of `steps`, all inputs and all outputs.
fn law<S: Scheme<Law: FiniteLaw>>(steps: u32, epsilon: f64) -> Result<ExactLaw> {
    let law = S::law(steps, Budget::from_epsilon(epsilon)?)?;
    let rows: Vec<Vec<(i64, u128)>> =
        (-i64::from(steps)..=i64::from(steps)).map(|input| law.weights(input)).collect();
    let mut levels: Vec<i64> = rows.iter().flatten().map(|&(level, _)| level).collect();
    levels.sort_unstable();
    levels.dedup();
    let dense = |row: &Vec<(i64, u128)>| {
        let mut weights = vec![0; levels.len()];
        for &(level, weight) in row {
            weights[levels.partition_point(|&l| l < level)] += weight;
        }
        weights
    };
    Ok(ExactLaw::from_weights(rows.iter().map(dense)))
}

fn coordinate<S: Scheme<Law: FiniteLaw>>(name: &str) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for epsilon in EPSILONS {
        for steps in [1, 16] {
            let law = law::<S>(steps, epsilon)?;
            let subject = format!("{name}, {} inputs, epsilon {epsilon}", 2 * steps + 1);
            findings.push(exact(subject, epsilon, law.epsilon()));
        }
    }
    Ok(findings)
}

/// Two of three columns at half the budget each. Which two is data independent, so the worst case is
/// that of two independent coordinates.
fn hds() -> Result<Vec<Finding>> {
    let audit = |epsilon: f64| {
        let one = law::<SquareWaveScheme>(2, epsilon / 2.0)?;
        let subject = format!("HDS, 2 of 3 columns, epsilon {epsilon}");
        Ok(exact(subject, epsilon, one.and(&one).epsilon()))
    };
    EPSILONS.into_iter().map(audit).collect()
}

fn feature_rr() -> Result<Vec<Finding>> {
    let law = |bins: u32, epsilon: f64| -> Result<ExactLaw> {
        let graded = Graded::new(bins, Budget::from_epsilon(epsilon)?)?;
        let row = |t: u32| (0..bins).map(|u| u128::from(graded.weight(t, u))).collect();
        Ok(ExactLaw::from_weights((0..bins).map(row)))
    };
    let mut findings = Vec::new();
    for bins in [2, 4, 10, 32] {
        for epsilon in [0.1, 1.0, 5.0] {
            let subject = format!("FeatureRR, {bins} bins, epsilon {epsilon}");
            findings.push(exact(subject, epsilon, law(bins, epsilon)?.epsilon()));
        }
    }
    let both = law(3, 0.3)?.and(&law(3, 0.7)?);
    findings.push(exact(
        "FeatureRR, 2 columns with shares 0.3 and 0.7".into(),
        1.0,
        both.epsilon(),
    ));
    Ok(findings)
}

fn label_rr() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for classes in [2, 7] {
        for epsilon in EPSILONS {
            let response = RandomizedResponse::new(classes, Budget::from_epsilon(epsilon)?)?;
            let row = |t: u32| (0..classes).map(|u| u128::from(response.weight(t, u))).collect();
            let law = ExactLaw::from_weights((0..classes).map(row));
            let subject = format!("label response, {classes} classes, epsilon {epsilon}");
            findings.push(exact(subject, epsilon, law.epsilon()));
        }
    }
    Ok(findings)
}

/// Rows for which the model on the device names every class, near the border and far from it: the
/// report may depend on the named class and on nothing else of the row.
fn answer_rr() -> Result<Vec<Finding>> {
    let weights = DenseMatrix::new(2, 3, vec![1.0, -1.0, 0.0, 0.0, 0.0, 1.0]).map_err(refused)?;
    let model = LinearModel::new(weights, vec![0.0; 3])?;
    let values = vec![1.0, 0.0, 9.0, 0.0, -1.0, 0.0, -9.0, 0.0, 0.0, 1.0, 0.0, 9.0];
    let rows = Features::dense(DenseMatrix::new(6, 2, values).map_err(refused)?);
    let audit = |epsilon: f64| {
        let mechanism = AnswerRr::new(epsilon, Public::declared(model.clone()))?;
        let row = |user: usize| {
            let record = rows.record(user);
            (0..3).map(|report| u128::from(mechanism.weight(&record, report))).collect()
        };
        let law = ExactLaw::from_weights((0..rows.rows()).map(row));
        Ok(exact(format!("answer response, 3 classes, epsilon {epsilon}"), epsilon, law.epsilon()))
    };
    EPSILONS.into_iter().map(audit).collect()
}

/// Discrete Laplace noise on a lattice of 8 steps: both ends of the range, 16 steps apart, and every
/// output near them. The weights come as floats, so ratios are good to about 1e-12.
fn laplace() -> Result<Vec<Finding>> {
    let audit = |epsilon: f64| {
        let noise = DiscreteLaplace::new(Budget::from_epsilon(epsilon)?, 16)?;
        let ratio = |y: i64| (noise.probability(y + 8) / noise.probability(y - 8)).ln().abs();
        let worst = (-200..=200).map(ratio).fold(0.0, f64::max);
        Ok(exact(format!("Laplace, 17 inputs, epsilon {epsilon}"), epsilon, worst))
    };
    EPSILONS.into_iter().map(audit).collect()
}
