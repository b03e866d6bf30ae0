//! GAP: sums over neighbours with noise, hop by hop (Sajadmanesh et al. 2023), as a baseline.
//!
//! An encoder is trained on features alone; its answers, one short row per person, are summed over neighbours with
//! noise; a classifier is trained on a person's own answer beside the noisy sums. Everything that reads
//! a secret is charged to one ledger. Where connections alone are secret (`edge-dp`), the sums are all that is
//! charged, and no bound on degrees is needed. Visitors' sums carry no noise: nobody promised them any.

use super::project::Projection;
use super::train::{fitted, network, step_by_step, train};
use super::{Classified, Dpar, Inductive, Inference, Person, Plan, Training, Visitors, infer};
use crate::graph::{DenseMatrix, Features, Graph};
use crate::learn::models::Mlp;
use crate::learn::train::{OptimizerConfig, PrivateMlp};
use crate::privacy::Ledger;
use crate::privacy::aggregation::NoisySums;
use crate::privacy::unit::Edge;
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
    let sums = plan.sums.ok_or_else(without_sums)?;
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

    let predicted = predicted(system, &model, &encoder, visitors)?;
    let card = system.card(&training.name, &ledger)?;
    Ok(Classified { model, encoder: Some(encoder), predicted, most_shared: 1, card })
}

/// The same where connections alone are secret: encoder and classifier are trained without noise, on features and
/// classes as they are, and the sums over neighbours protect every edge.
///
/// # Errors
/// If a setting makes no sense, or the ledger refuses.
pub(super) fn classify_edges(
    system: &Dpar,
    plan: &Plan,
    people: &Inductive,
    mut ledger: Ledger<Edge>,
    run: &Run<'_>,
) -> Result<Classified> {
    let Inductive { training, visitors } = people;
    let sums = plan.sums.ok_or_else(without_sums)?;
    let (classes, nodes) = (training.class_count(), training.present());
    let (_, features, labels) = training.in_the_clear()?;
    let config = network(system, training.columns(), classes, run.seed);
    let encoder = fitted(config, features, &labels, &nodes, run)?;

    let secret = training.attributed(|features| answers(&encoder, features));
    let mechanism = NoisySums::<Edge>::new(sums, training.len())?;
    let noisy = ledger.release(&secret, &mechanism)?.into_inner();

    let rows = Features::dense(beside(answers(&encoder, features), &noisy));
    let config = network(system, rows.columns(), classes, run.seed.wrapping_add(1));
    let model = fitted(config, &rows, &labels, &nodes, run)?;
    let predicted = predicted(system, &model, &encoder, visitors)?;
    let card = system
        .card(&training.name, &ledger)?
        .with_unprotected("the features and classes of the people it was trained on");
    Ok(Classified { model, encoder: Some(encoder), predicted, most_shared: 1, card })
}

fn without_sums() -> Error {
    Error::invalid("plan of gap", "without sums", "one with them")
}

fn predicted(system: &Dpar, model: &Mlp, encoder: &Mlp, visitors: &Visitors) -> Result<Vec<u32>> {
    let features = rows(encoder, visitors, system.settings.structure.hops);
    let no_more = Inference { rounds: 0, ..system.settings.inference };
    infer::classes(model, &Visitors { features, ..visitors.clone() }, no_more)
}

/// What the classifier reads of nodes of any graph: sums carry no noise.
pub(super) fn rows(encoder: &Mlp, about: &Visitors, hops: usize) -> Features {
    let own = answers(encoder, &about.features);
    Features::dense(beside(own.clone(), &plain_sums(&about.graph, own, hops)))
}

/// The encoder's answers over their norms: what a public function makes of each row.
fn answers(encoder: &Mlp, features: &Features) -> DenseMatrix {
    let mut scores = infer::scores(encoder, features);
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
fn plain_sums(graph: &Graph, own: DenseMatrix, hops: usize) -> Vec<DenseMatrix> {
    let (mut rows, mut all) = (own, Vec::new());
    for _ in 0..hops {
        let mut sums = DenseMatrix::zeros(rows.rows(), rows.columns());
        for (node, other) in graph.arcs() {
            let pairs = sums.row_mut(node as usize).iter_mut().zip(rows.row(other as usize));
            pairs.for_each(|(sum, value)| *sum += value);
        }
        normalize(&mut sums);
        rows = sums.clone();
        all.push(sums);
    }
    all
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
