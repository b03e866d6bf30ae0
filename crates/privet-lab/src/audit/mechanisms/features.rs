//! Exact audits of the feature and label randomizers: `randomize` itself, on every toy record.

use privet::graph::{Bounds, BoundsOrigin, DenseMatrix, Features};
use privet::privacy::Population;
use privet::privacy::audit::{self, OutcomeLaw};
use privet::privacy::features::duchi::DuchiScheme;
use privet::privacy::features::hds::HdsScheme;
use privet::privacy::features::hybrid::HybridScheme;
use privet::privacy::features::laplace::LaplaceScheme;
use privet::privacy::features::multi_bit::MultiBitScheme;
use privet::privacy::features::piecewise::PiecewiseScheme;
use privet::privacy::features::pm_sub::PmSubScheme;
use privet::privacy::features::square_wave::SquareWaveScheme;
use privet::privacy::features::three_outputs::ThreeOutputsScheme;
use privet::privacy::features::{
    AnswerRr, FeatureMechanism, FeatureReport, FeatureRr, FeatureSettings, LabelRr, LinearModel,
    SampledCoordinates, Scale, Scheme, Theta,
};
use privet::privacy::mechanism::Local;
use privet::privacy::public::Public;
use privet::privacy::template::CoinFlip;

use super::{Audit, Procedure};
use crate::Result;
use crate::audit::enumerated::{all, exact, price, worst};
use crate::audit::finding::Finding;
use crate::audit::refused;

const EPSILONS: [f64; 5] = [0.1, 0.3, 0.7, 1.0, 3.0];

pub(super) const AUDITS: [Audit; 13] = [
    Audit {
        name: "square-wave",
        of: &["SampledCoordinates"],
        tight: true,
        run: Procedure::Exact(rows::<SquareWaveScheme>),
    },
    Audit {
        name: "piecewise",
        of: &["SampledCoordinates"],
        tight: true,
        run: Procedure::Exact(rows::<PiecewiseScheme>),
    },
    Audit {
        name: "pm-sub",
        of: &["SampledCoordinates"],
        tight: true,
        run: Procedure::Exact(rows::<PmSubScheme>),
    },
    Audit {
        name: "duchi",
        of: &["SampledCoordinates"],
        tight: true,
        run: Procedure::Exact(rows::<DuchiScheme>),
    },
    Audit {
        name: "multi-bit",
        of: &["SampledCoordinates"],
        tight: true,
        run: Procedure::Exact(rows::<MultiBitScheme>),
    },
    Audit {
        name: "hybrid",
        of: &["SampledCoordinates"],
        tight: true,
        run: Procedure::Exact(rows::<HybridScheme>),
    },
    Audit {
        name: "three-outputs",
        of: &["SampledCoordinates"],
        tight: true,
        run: Procedure::Exact(rows::<ThreeOutputsScheme>),
    },
    Audit {
        name: "hds",
        of: &["SampledCoordinates", "FeatureMechanism"],
        tight: true,
        run: Procedure::Exact(hds),
    },
    Audit {
        name: "laplace",
        of: &["SampledCoordinates"],
        tight: true,
        run: Procedure::Exact(laplace),
    },
    Audit {
        name: "feature-rr",
        of: &["FeatureRr"],
        tight: true,
        run: Procedure::Exact(feature_rr),
    },
    Audit { name: "label-rr", of: &["LabelRr"], tight: true, run: Procedure::Exact(label_rr) },
    Audit { name: "answer-rr", of: &["AnswerRr"], tight: true, run: Procedure::Exact(answer_rr) },
    Audit { name: "coin-flip", of: &["CoinFlip"], tight: true, run: Procedure::Exact(coin_flip) },
];

/// Columns with values from -1 to 1, on a lattice of `steps` on either side of zero.
pub(super) fn scale(columns: usize, steps: u32) -> Result<Scale> {
    let bounds = Bounds::uniform(-1.0, 1.0, BoundsOrigin::Declared).map_err(refused)?;
    Scale::new(columns, Some(&bounds))?.with_steps(steps)
}

/// All that a report says, as something that can be ordered: columns and levels.
type LatticeReport = Vec<(u32, i64)>;

/// What a report says.
pub(super) fn said(report: FeatureReport) -> LatticeReport {
    match report {
        FeatureReport::Sampled(entries) => entries,
        FeatureReport::All(levels) => (0..).zip(levels).collect(),
        // Raw values: as far from any level as can be.
        FeatureReport::Disclosed(entries) => entries
            .into_iter()
            .map(|(column, value)| (column, i64::MIN + i64::from(value.to_bits())))
            .collect(),
    }
}

/// The law of the report about every row whose values are among `values`.
pub(super) fn of_rows<M: Local<Population = Features, Report = FeatureReport>>(
    mechanism: &M,
    columns: usize,
    values: &[f32],
) -> Result<Vec<OutcomeLaw<LatticeReport>>> {
    let law = |number: usize| {
        // Every row over the given values, numbered in their base.
        let place = |column: u32| number / values.len().pow(column) % values.len();
        let row = (0..columns as u32).map(|column| values[place(column)]).collect();
        let row = Features::dense(DenseMatrix::new(1, columns, row).map_err(refused)?);
        audit::randomized(mechanism, row.record(0), said)
    };
    (0..values.len().pow(columns as u32)).map(law).collect()
}

/// Values at every point of a lattice.
fn lattice(steps: u32) -> Vec<f32> {
    let steps = steps as i32;
    (-steps..=steps).map(|at| at as f32 / steps as f32).collect()
}

/// One column with every input of a lattice; then two columns, or two of three, at the ends and in the
/// middle: rows may differ everywhere, and which columns are reported must not depend on them.
fn rows<S: Scheme>() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for epsilon in EPSILONS {
        // One step and eight: the smallest lattice, and one with points in between.
        for steps in [1, 8] {
            let mechanism = SampledCoordinates::<S>::with_k(epsilon, scale(1, steps)?, 1)?;
            let laws = of_rows(&mechanism, 1, &lattice(steps))?;
            let subject = format!("{}, {} inputs, epsilon {epsilon}", S::NAME, 2 * steps + 1);
            findings.push(exact(subject, price(&mechanism, 0.0)?, worst(&laws, all)));
        }
    }
    // Two of three columns: the budget is split, and which columns are sampled is part of the
    // report.
    let mechanism = SampledCoordinates::<S>::with_k(6.0, scale(3, 1)?, 2)?;
    let laws = of_rows(&mechanism, 3, &[-1.0, 1.0])?;
    let subject = format!("{}, 2 of 3 columns, epsilon 6", S::NAME);
    findings.push(exact(subject, price(&mechanism, 0.0)?, worst(&laws, all)));
    Ok(findings)
}

/// Reports without end: on small lattices, since every level down to 2^-60 is looked at.
fn laplace() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (columns, steps, epsilon) in [(1, 1, 0.3), (1, 2, 1.0), (1, 4, 3.0), (2, 1, 6.0)] {
        let scale = scale(columns, steps)?;
        let mechanism = SampledCoordinates::<LaplaceScheme>::with_k(epsilon, scale, columns)?;
        let laws = of_rows(&mechanism, columns, &[-1.0, 0.0, 1.0])?;
        let subject = format!("laplace, {columns} columns of {steps} steps, epsilon {epsilon}");
        findings.push(exact(subject, price(&mechanism, 0.0)?, worst(&laws, all)));
    }
    Ok(findings)
}

/// Two of three columns at half the budget each, as systems make it: by name.
fn hds() -> Result<Vec<Finding>> {
    let mut findings = rows::<HdsScheme>()?;
    for epsilon in EPSILONS {
        let settings = FeatureSettings { k: Some(2), ..FeatureSettings::default() };
        let mechanism = FeatureMechanism::build("hds", epsilon, scale(3, 1)?, &settings)?;
        let laws = of_rows(&mechanism, 3, &[-1.0, 1.0])?;
        let subject = format!("hds by name, 2 of 3 columns, epsilon {epsilon}");
        findings.push(exact(subject, price(&mechanism, 0.0)?, worst(&laws, all)));
    }
    Ok(findings)
}

/// A value in the middle of every bin; then two columns with unequal shares.
fn feature_rr() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let middles = |bins: u32| -> Vec<f32> {
        // The middle of each bin.
        (0..bins).map(|bin| (2.0 * bin as f32 + 1.0) / bins as f32 - 1.0).collect()
    };
    let mut found = |bins: u32, epsilon: f64, shares: &[f64]| -> Result<()> {
        let theta = Public::declared(Theta::new(shares.to_vec())?);
        let columns = shares.len();
        let mechanism = FeatureRr::new(epsilon, bins, &theta, scale(columns, 1 << 16)?)?;
        let laws = of_rows(&mechanism, columns, &middles(bins))?;
        let subject = format!("FeatureRR, {bins} bins, shares {shares:?}, epsilon {epsilon}");
        findings.push(exact(subject, price(&mechanism, 0.0)?, worst(&laws, all)));
        Ok(())
    };
    for bins in [2, 4, 10, 32] {
        for epsilon in [0.1, 1.0, 5.0] {
            // From two bins to more than a byte has digits for.
            found(bins, epsilon, &[1.0])?;
        }
    }
    found(3, 1.0, &[0.25, 0.75])?;
    Ok(findings)
}

fn label_rr() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for classes in [2, 7] {
        for epsilon in EPSILONS {
            let mechanism = LabelRr::new(epsilon, classes)?;
            let law = |class| audit::randomized(&mechanism, Some(class), |report| report);
            let laws = (0..classes as u32).map(law).collect::<Result<Vec<_>>>()?;
            let subject = format!("label response, {classes} classes, epsilon {epsilon}");
            findings.push(exact(subject, price(&mechanism, 0.0)?, worst(&laws, all)));
        }
    }
    Ok(findings)
}

/// Rows for which the model on the device names every class, near the border and far from it: the
/// report may depend on the named class and on nothing else of the row.
fn answer_rr() -> Result<Vec<Finding>> {
    let weights = DenseMatrix::new(2, 3, vec![1.0, -1.0, 0.0, 0.0, 0.0, 1.0]).map_err(refused)?;
    let model = LinearModel::new(weights, vec![0.0; 3])?;
    // Rows whose answers lie on both sides of every boundary of the model.
    let values = vec![1.0, 0.0, 9.0, 0.0, -1.0, 0.0, -9.0, 0.0, 0.0, 1.0, 0.0, 9.0];
    let rows = Features::dense(DenseMatrix::new(6, 2, values).map_err(refused)?);
    let audit = |epsilon: f64| {
        let mechanism = AnswerRr::new(epsilon, Public::declared(model.clone()))?;
        let law = |user| audit::randomized(&mechanism, rows.record(user), |report| report);
        let laws = (0..rows.rows()).map(law).collect::<Result<Vec<_>>>()?;
        let subject = format!("answer response, 3 classes, epsilon {epsilon}");
        Ok(exact(subject, price(&mechanism, 0.0)?, worst(&laws, all)))
    };
    EPSILONS.into_iter().map(audit).collect()
}

fn coin_flip() -> Result<Vec<Finding>> {
    let audit = |epsilon: f64| {
        let mechanism = CoinFlip::new(epsilon)?;
        let law = |answer| audit::randomized(&mechanism, answer, |report| report);
        let laws = [law(0.0)?, law(1.0)?];
        Ok(exact(
            format!("one answer, epsilon {epsilon}"),
            price(&mechanism, 0.0)?,
            worst(&laws, all),
        ))
    };
    EPSILONS.into_iter().map(audit).collect()
}
