//! GAP, edge-level: an encoder of public features, noisy sums of its rows over neighbours, a classifier of all hops.
//!
//! Sajadmanesh, Shamsabadi, Bellet, Gatica-Perez, "GAP: Differentially Private Graph Neural Networks with Aggregation
//! Perturbation" (2023). The encoder's hidden layer, with rows scaled to norm 1, is summed over neighbours with Gaussian
//! noise, scaled to norm 1 and summed again. The classifier reads the rows of all hops beside each other.
//!
//! Fixed in public: two hops (the paper tunes one to five), 64 hidden columns, delta by the number of people. An edge is in
//! the sums of both its ends, so the sensitivity of one hop is √2
//! ([`NoisySums`]).

use privet::doubts::default_delta;
use privet::graph::DenseMatrix;
use privet::hetero_rr::custody;
use privet::ldp_ge::Learner;
use privet::learn::kernels::{SparseInput, Write, product};
use privet::learn::models::{ItemRows, Mlp, Network};
use privet::privacy::accountant::{AnalyticGaussian, calibrate};
use privet::privacy::aggregation::{AttributedGraph, NoisySums, SumSettings};
use privet::privacy::noise::NoiseRng;
use privet::privacy::unit::Edge;
use privet::privacy::{Event, Ledger, Loss, Secret};
use privet::{Error, Protected, Result, Run};

use super::PeerInput;

/// How often rows are summed over neighbours.
const HOPS: usize = 2;
/// Columns of the encoder's hidden layer, and of the classifier's.
const HIDDEN: usize = 64;

/// What the classifier says of every node.
///
/// # Errors
/// If no noise keeps the budget, or training fails.
pub(super) fn classify(input: PeerInput<'_>, run: &Run<'_>) -> Result<Protected<DenseMatrix>> {
    let PeerInput { dataset, features, labels, split, epsilon } = input;
    let (people, rows) = (dataset.graph().node_count(), features.matrix());
    let learner = learner(split.train.len());
    let encoder = learner.classify(rows.into(), labels, 1.0, split, run.seed, run.watch)?;
    let own = encoded(&encoder, rows.into())?;

    let target = Loss::new(epsilon, default_delta(people))?;
    let each = |noise_multiplier| Event::Gaussian { noise_multiplier }.repeated(HOPS as u64);
    let noise_multiplier = calibrate::noise_multiplier(&AnalyticGaussian, target, each)?;
    // Nothing is cut: one edge moves sums by the same whatever they are.
    let (max_degree, clip) = (people, people as f64);
    let settings = SumSettings { hops: HOPS, max_degree, clip, noise_multiplier };
    let mechanism = NoisySums::<Edge>::new(settings, people)?;
    let graph = custody::simple(dataset.graph())?;
    let secret = Secret::new(AttributedGraph { graph, rows: own.clone() });
    let mut ledger: Ledger<Edge> = Ledger::in_memory(target, NoiseRng::replay(run.seed))?;
    let said = ledger.release(&secret, &mechanism)?.try_map(|hops| -> Result<DenseMatrix> {
        let all = beside(own, hops);
        let seed = run.seed.wrapping_add(1);
        let model = learner.classify((&all).into(), labels, 1.0, split, seed, run.watch)?;
        let everyone: Vec<u32> = (0..people as u32).collect();
        Ok(model.scores((&all).into(), &everyone))
    })?;
    Ok(said.protected(&ledger)?)
}

/// Small batches where few people teach.
fn learner(people: usize) -> Learner {
    let batch = (people / 16).next_power_of_two().clamp(32, 256);
    Learner { hidden: vec![HIDDEN], dropout: 0.5, batch, patience: 10, ..Learner::default() }
}

/// The encoder's hidden layer, each row scaled to norm 1.
fn encoded(encoder: &Mlp, rows: ItemRows<'_>) -> Result<DenseMatrix> {
    let none = || Error::invalid("layers of the encoder", 0, "at least one");
    let layer = encoder.layers().first().ok_or_else(none)?;
    let mut out = DenseMatrix::zeros(rows.rows(), layer.outputs());
    let weight = &layer.weight.value;
    match rows {
        ItemRows::Dense(rows) => product(rows, weight, Write::Replace, &mut out),
        ItemRows::Sparse(rows) => {
            SparseInput::new(rows.clone()).product(weight, Write::Replace, &mut out);
        }
    }
    for row in 0..out.rows() {
        let values = out.row_mut(row).iter_mut().zip(layer.bias.value.values());
        values.for_each(|(value, bias)| *value = (*value + bias).max(0.0));
    }
    normalize(&mut out);
    Ok(out)
}

/// A person's own row, and each hop's sum over its norm.
fn beside(own: DenseMatrix, hops: Vec<DenseMatrix>) -> DenseMatrix {
    let width = own.columns();
    let mut all = DenseMatrix::zeros(own.rows(), width * (1 + hops.len()));
    let each = std::iter::once(own).chain(hops.into_iter().map(|mut hop| {
        normalize(&mut hop);
        hop
    }));
    for (at, part) in each.enumerate() {
        for row in 0..part.rows() {
            all.row_mut(row)[at * width..(at + 1) * width].copy_from_slice(part.row(row));
        }
    }
    all
}

/// Rows over their norms.
fn normalize(matrix: &mut DenseMatrix) {
    for row in 0..matrix.rows() {
        let values = matrix.row_mut(row);
        let norm = values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
        if norm > 0.0 {
            values.iter_mut().for_each(|value| *value = (f64::from(*value) / norm) as f32);
        }
    }
}
