//! GAP: sums over neighbours with noise, hop by hop (Sajadmanesh et al. 2023), as a baseline.
//!
//! An encoder is trained on features alone; its answers, one short row per person, are summed over neighbours with
//! noise; a classifier is trained on a person's own answer beside the noisy sums. Everything that reads
//! a secret is charged to one ledger. Where connections alone are secret (`edge-dp`), the sums are all that is
//! charged, and no bound on degrees is needed. For whole people the guarantee holds only if no person has more neighbours
//! than the bound ([`aggregation`](crate::privacy::aggregation)), and its card says so. Visitors' sums carry no noise:
//! their degrees have no promised bound.

use super::people::{OpenPeople, PeopleWithSecretEdges, released};
use super::project::Projection;
use super::train::{OWN_ROW, fitted, network, step_by_step, train};
use super::{Dpar, Inference, Person, Plan, TrainedClassifier, Training, Visitors, infer};
use crate::graph::{DenseMatrix, Features, Graph};
use crate::learn::models::Mlp;
use crate::learn::train::{LabelledRows, OptimizerConfig, PrivateMlp, PrivatelyTrained};
use crate::privacy::Ledger;
use crate::privacy::aggregation::{AttributedGraph, AttributedShape, NoisySums};
use crate::privacy::unit::Edge;
use crate::{Error, Protected, Result, Run};

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
) -> Result<Protected<TrainedClassifier>> {
    let sums = plan.sums.ok_or_else(without_sums)?;
    let (optimizer, rate) = (OptimizerConfig::default(), system.settings.model.learning_rate);
    let (people, classes) = (training.all_people(), training.class_count());
    let encoder = train(system, plan, people, None, &mut ledger, run, short)?;
    let encoder = encoder.map(|(encoder, _)| encoder);

    let mechanism = NoisySums::<U>::new(sums, people.len())?;
    let shape = AttributedShape { nodes: people.len(), rows: people.len() };
    let attributed = |people: &OpenPeople| {
        let (graph, rows) = (people.graph.clone(), answers(encoder.get(), &people.features));
        Ok(AttributedGraph { graph, rows })
    };
    let noisy = people.release(&mut ledger, mechanism, ANSWERS, shape, attributed)?;

    let config = network(system, classes * (1 + sums.hops), classes, run.seed.wrapping_add(1));
    let learner = PrivateMlp::new(config, optimizer, rate)?;
    let rows = |people: &OpenPeople| {
        let rows = beside(answers(encoder.get(), &people.features), noisy.get());
        Ok(LabelledRows::new(Features::dense(rows), people.classes.clone())?)
    };
    let model = step_by_step(plan, learner, people, &mut ledger, OWN_ROW, run, rows)?;
    let model = model.map(PrivatelyTrained::into_model);

    let trained = model.zip(encoder).zip(noisy.map(drop)).map(|(trained, ())| trained);
    answered(system, system.protected(trained, training.name(), &ledger)?, visitors)
}

/// Why a person's row in the sums is that person's own.
const ANSWERS: &str = "a row is what a released network says of one person's own features";

/// The same where connections alone are secret: encoder and classifier are trained without noise, on features and
/// classes as they are, and the sums over neighbours protect every edge.
///
/// # Errors
/// If a setting makes no sense, or the ledger refuses.
pub(super) fn classify_edges(
    system: &Dpar,
    plan: &Plan,
    people: &PeopleWithSecretEdges,
    visitors: &Visitors,
    mut ledger: Ledger<Edge>,
    run: &Run<'_>,
) -> Result<Protected<TrainedClassifier>> {
    let sums = plan.sums.ok_or_else(without_sums)?;
    let PeopleWithSecretEdges { known, connections } = people;
    let (classes, nodes, labels) = (known.class_count, known.present(), known.labels()?);
    let config = network(system, known.features.columns(), classes, run.seed);
    let encoder = fitted(config, &known.features, &labels, &nodes, run)?;

    let own = answers(&encoder, &known.features);
    let mechanism = NoisySums::<Edge>::new(sums, known.classes.len())?;
    let shape = AttributedShape { nodes: known.classes.len(), rows: own.rows() };
    let reason = "rows are public, and the graph is that of the connections";
    let attributed =
        |graph: &Graph| Ok(AttributedGraph { graph: graph.clone(), rows: own.clone() });
    let noisy = released(connections, &mut ledger, mechanism, reason, shape, attributed)?;

    let trained = noisy.try_map(|noisy| -> Result<_> {
        let rows = Features::dense(beside(own.clone(), &noisy));
        let config = network(system, rows.columns(), classes, run.seed.wrapping_add(1));
        Ok((fitted(config, &rows, &labels, &nodes, run)?, encoder))
    })?;
    let trained = system
        .protected(trained, &known.name, &ledger)?
        .with_unprotected("the features and classes of the people it was trained on");
    answered(system, trained, visitors)
}

/// A classifier and its encoder, and what they say about the visitors.
fn answered(
    system: &Dpar,
    trained: Protected<(Mlp, Mlp)>,
    visitors: &Visitors,
) -> Result<Protected<TrainedClassifier>> {
    trained.try_map(|(model, encoder)| -> Result<_> {
        let said = said(system, &model, &encoder, visitors)?;
        let mut trained =
            TrainedClassifier { encoder: Some(encoder), ..TrainedClassifier::of(model) };
        trained.answer(said);
        Ok(trained)
    })
}

fn without_sums() -> Error {
    Error::invalid("plan of gap", "without sums", "one with them")
}

fn said(system: &Dpar, model: &Mlp, encoder: &Mlp, visitors: &Visitors) -> Result<DenseMatrix> {
    let features = rows(encoder, visitors, system.settings.structure.hops);
    let no_more = Inference { rounds: 0, ..system.settings.inference };
    infer::answers(model, &Visitors { features, ..visitors.clone() }, no_more)
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
pub(crate) fn beside(own: DenseMatrix, hops: &[DenseMatrix]) -> DenseMatrix {
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

/// Rows over their norms.
pub(crate) fn normalize(matrix: &mut DenseMatrix) {
    for row in 0..matrix.rows() {
        let values = matrix.row_mut(row);
        let norm = values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
        if norm > 0.0 {
            values.iter_mut().for_each(|value| *value = (f64::from(*value) / norm) as f32);
        }
    }
}
