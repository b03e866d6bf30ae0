//! LPGNN with private features: multi-bit reports, averaged over many neighbours before a network reads them.
//!
//! Sajadmanesh, Gatica-Perez, "Locally Private Graph Neural Networks" (2021). Every device reports some columns of its row by
//! the multi-bit mechanism; the server applies K steps of sums over neighbours (KProp) to the unbiased rows, and trains a graph
//! network with one hidden layer of 16. Graph and labels are public here, so the paper's denoising of labels is not needed.
//!
//! Fixed in public: K is the best of 2, 4, 8 and 16 on validation labels, which are public; the network averages over neighbours.

use privet::graph::DenseMatrix;
use privet::hetero_rr::GcnLearner;
use privet::learn::propagate::{AddedLoops, Aggregation, Hops};
use privet::privacy::features::{Scale, decode_chosen};
use privet::privacy::noise::NoiseRng;
use privet::privacy::unit::FeatureRow;
use privet::privacy::{Ledger, Secret};
use privet::protect::FeatureProtection;
use privet::{Protected, Result, Run};

use super::{PeerInput, dense};
use crate::experiments::trial::data::accuracy_on;
use privet::learn::models::likeliest;

/// Numbers of steps to choose from.
const STEPS: [usize; 4] = [2, 4, 8, 16];

/// What the network says of every node.
///
/// # Errors
/// If no range was declared for the features, or training fails.
pub(super) fn classify(input: PeerInput<'_>, run: &Run<'_>) -> Result<Protected<DenseMatrix>> {
    let PeerInput { dataset, features, labels, split, epsilon } = input;
    let protection =
        FeatureProtection { mechanism: "multi-bit".into(), ..FeatureProtection::new(epsilon) };
    let mechanism = protection.mechanism(Scale::new(features.columns(), features.bounds())?)?;
    let secret = Secret::new(features.clone());
    let mut ledger: Ledger<FeatureRow> =
        Ledger::in_memory(protection.limit()?, NoiseRng::replay(run.seed))?;
    let said = ledger.release_each(&secret, &mechanism)?.try_map(|reports| -> Result<_> {
        let reported = dense(&decode_chosen(&reports, |_| &mechanism, protection.decoding)?);
        let hops = Hops::new(dataset.graph(), Aggregation::Symmetric, AddedLoops::None)?;
        let mut best: Option<(f64, DenseMatrix)> = None;
        for steps in STEPS {
            let mut rows = hops.last(&reported, steps)?;
            to_unit_deviation(&mut rows);
            let gcn = GcnLearner::default().train(
                dataset.graph(),
                (&rows).into(),
                labels,
                split,
                run.seed,
                run.watch,
            )?;
            let said = gcn.scores(&gcn.input(dataset.graph(), (&rows).into())?)?;
            let found = accuracy_on(&split.validation, &likeliest(&said), labels);
            if best.as_ref().is_none_or(|(score, _)| found > *score) {
                best = Some((found, said));
            }
        }
        Ok(best.map_or_else(|| DenseMatrix::zeros(0, 0), |(_, said)| said))
    })?;
    Ok(said.protected(&ledger)?)
}

/// Columns in units of their deviation from their mean: reports are released, so both are known.
fn to_unit_deviation(rows: &mut DenseMatrix) {
    let (count, columns) = (rows.rows().max(1) as f64, rows.columns());
    let (mut sum, mut squares) = (vec![0.0f64; columns], vec![0.0f64; columns]);
    for row in 0..rows.rows() {
        for (at, &value) in rows.row(row).iter().enumerate() {
            sum[at] += f64::from(value);
            squares[at] += f64::from(value).powi(2);
        }
    }
    let scale: Vec<(f64, f64)> = sum
        .iter()
        .zip(&squares)
        .map(|(sum, squares)| {
            let mean = sum / count;
            (mean, (squares / count - mean * mean).max(0.0).sqrt().max(1e-9))
        })
        .collect();
    for row in 0..rows.rows() {
        for (value, (mean, deviation)) in rows.row_mut(row).iter_mut().zip(&scale) {
            *value = ((f64::from(*value) - mean) / deviation) as f32;
        }
    }
}
