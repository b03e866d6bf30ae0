//! GAP: sums over neighbours with noise, hop by hop (Sajadmanesh et al. 2023), as a baseline.
//!
//! An encoder is trained on features alone; its answers, one short row per person, are summed over neighbours with
//! noise; a classifier is trained on a person's own answer beside the noisy sums. Everything that reads
//! a secret is charged to one ledger. Visitors' sums carry no noise: nobody promised them any.

use super::project::Projection;
use super::train::{network, step_by_step, train};
use super::{Classified, Dpar, Person, Plan, Training, Visitors, infer};
use crate::graph::{DenseMatrix, Features, Graph};
use crate::learn::models::{Mlp, Network, Rows};
use crate::learn::train::{OptimizerConfig, PrivateMlp};
use crate::privacy::Ledger;
use crate::privacy::aggregation::{NoisySums, Settings};
use crate::{Error, Result, Run};

/// Trains and classifies.
///
/// # Errors
/// If a setting makes no sense, or the ledger refuses.
pub(super) fn classify<U: Person>(
    system: &Dpar,
    plan: &Plan,
    training: &Training,
    visitors: &Visitors,
    mut ledger: Ledger<U>,
    run: &Run<'_>,
    short: Option<&Projection>,
) -> Result<Classified> {
    let Some(sums) = plan.sums else {
        return Err(Error::invalid("plan of gap", "without sums", "one with them"));
    };
    let (optimizer, rate) = (OptimizerConfig::default(), system.settings.model.learning_rate);
    let classes = training.class_count();
    let (encoder, _) = train(system, plan, training, None, &mut ledger, run.seed, short)?;

    let secret = training.attributed(|features| answers(&encoder, features));
    let mechanism = NoisySums::<U>::new(sums, training.len())?;
    let noisy = ledger.release(&secret, &mechanism)?.into_inner();

    let config = network(system, classes * (1 + sums.hops), classes, run.seed.wrapping_add(1));
    let learner = PrivateMlp::new(config, optimizer, rate)?;
    let labelled = training.labelled(|features| beside(answers(&encoder, features), &noisy))?;
    let model = step_by_step(plan, learner, &labelled, &mut ledger)?;

    let own = answers(&encoder, &visitors.features);
    let rows = beside(own.clone(), &plain_sums(&visitors.graph, own, sums));
    let as_visitors = Visitors { features: Features::dense(rows), ..visitors.clone() };
    let no_more = super::Inference { rounds: 0, ..system.settings.inference };
    let predicted = infer::classes(&model, &as_visitors, no_more)?;
    let card = system.card(&training.name, &ledger)?;
    Ok(Classified { model, predicted, most_shared: 1, card })
}

/// The encoder's answers over their norms: what a public function makes of each row.
fn answers(encoder: &Mlp, features: &Features) -> DenseMatrix {
    let all: Vec<u32> = (0..features.rows() as u32).collect();
    let mut scores = encoder.scores(Rows::from(features.matrix()), &all);
    normalize(&mut scores);
    scores
}

/// A person's own answer, and each hop's sum over its norm.
fn beside(own: DenseMatrix, hops: &[DenseMatrix]) -> DenseMatrix {
    let width = own.columns();
    let mut all = DenseMatrix::zeros(own.rows(), width * (1 + hops.len()));
    for row in 0..own.rows() {
        all.row_mut(row)[..width].copy_from_slice(own.row(row));
    }
    for (at, hop) in hops.iter().enumerate() {
        let mut hop = hop.clone();
        normalize(&mut hop);
        for row in 0..own.rows() {
            all.row_mut(row)[(at + 1) * width..(at + 2) * width].copy_from_slice(hop.row(row));
        }
    }
    all
}

/// The sums of the visitors, without noise.
fn plain_sums(graph: &Graph, own: DenseMatrix, settings: Settings) -> Vec<DenseMatrix> {
    let (mut rows, mut hops) = (own, Vec::new());
    for _ in 0..settings.hops {
        let mut sums = DenseMatrix::zeros(rows.rows(), rows.columns());
        for (node, other) in graph.arcs() {
            let pairs = sums.row_mut(node as usize).iter_mut().zip(rows.row(other as usize));
            pairs.for_each(|(sum, value)| *sum += value);
        }
        normalize(&mut sums);
        rows = sums.clone();
        hops.push(sums);
    }
    hops
}

fn normalize(matrix: &mut DenseMatrix) {
    for row in 0..matrix.rows() {
        let values = matrix.row_mut(row);
        let norm = values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
        if norm > 0.0 {
            values.iter_mut().for_each(|value| *value = (f64::from(*value) / norm) as f32);
        }
    }
}
