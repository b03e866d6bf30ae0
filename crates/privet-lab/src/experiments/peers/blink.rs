//! Blink, the hybrid variant: who is probably connected, by noisy degrees and randomised bits, as weights of a graph network.
//!
//! Zhu, Tan, Xiao, "Blink: Link Local Differential Privacy in Graph Neural Networks via Bayesian Estimation" (2023). Every
//! device reports its degree with Laplace noise and every bit of its list by randomised response. The server fits a beta model
//! to the degrees (prior), takes both reports about each pair as evidence (posterior), and keeps pairs that are more likely
//! connected than not, weighted by how likely. A graph convolution of two layers reads features over these weights.
//!
//! Fixed in public: a tenth of epsilon for the degree (the paper tunes the share), 50 rounds of the fit, 16 hidden columns. The paper
//! states epsilon for one list; both ends of a relationship report it, and the card says what that costs.

use privet::graph::{DenseMatrix, Direction, Graph, GraphBuilder, SelfLoops};
use privet::hetero_rr::{GcnLearner, custody};
use privet::learn::models::gcn::{Gcn, GcnAggregation, GcnConfig, NodeClassification};
use privet::learn::train::{
    AdamConfig, BatchSize, EarlyStopping, Fit, FitConfig, OptimizerConfig, WeightDecay,
};
use privet::privacy::edges::local::{BitRow, NoisyDegree, PackedRr, Rr};
use privet::privacy::noise::NoiseRng;
use privet::privacy::unit::NeighborBit;
use privet::privacy::{Ledger, Loss, Secret};
use privet::{Protected, Result, Run};

use super::PeerInput;

/// The share of epsilon that a degree takes.
const DEGREE: f64 = 0.1;
/// Rounds of the fixed point that fits degrees.
const ROUNDS: usize = 50;

/// What the network says of every node.
///
/// # Errors
/// If training fails.
pub(super) fn classify(input: PeerInput<'_>, run: &Run<'_>) -> Result<Protected<DenseMatrix>> {
    let PeerInput { dataset, epsilon, .. } = input;
    let (for_degree, for_bits) = (DEGREE * epsilon, (1.0 - DEGREE) * epsilon);
    let secret = Secret::new(custody::simple(dataset.graph())?);
    let mut ledger: Ledger<NeighborBit> =
        Ledger::in_memory(Loss::new(epsilon, 0.0)?, NoiseRng::replay(run.seed))?;
    let degrees = ledger.release_each(&secret, &NoisyDegree::new(for_degree)?)?;
    let bits = ledger.release_each(&secret, &PackedRr(Rr::new(for_bits)?))?;
    let said = degrees.zip(bits).try_map(|(degrees, bits)| -> Result<_> {
        let degrees: Vec<f64> = degrees.iter().map(|report| report.degree as f64).collect();
        let (graph, weights) = likely(&bits, &propensities(&degrees), for_bits)?;
        learned(input, &graph, &weights, run)
    })?;
    Ok(said.protected(&ledger)?)
}

/// The beta model: `P(i ~ j) = 1 / (1 + exp(-b_i - b_j))` with expected degrees as reported, by the fixed point
/// `b_i = ln d_i - ln Σ_j 1 / (exp(-b_j) + exp(b_i))`.
fn propensities(degrees: &[f64]) -> Vec<f64> {
    let most = (degrees.len() as f64 - 2.0).max(1.0);
    let degrees: Vec<f64> = degrees.iter().map(|degree| degree.clamp(1.0, most)).collect();
    // Expected degrees of a model without ties to anyone in particular: a start near the solution.
    let total: f64 = degrees.iter().sum();
    let mut at: Vec<f64> = degrees.iter().map(|degree| (degree / total.sqrt()).ln()).collect();
    for _ in 0..ROUNDS {
        let (inverse, own): (Vec<f64>, Vec<f64>) = at.iter().map(|b| ((-b).exp(), b.exp())).unzip();
        let next = |i: usize| {
            let sum: f64 = inverse.iter().map(|other| 1.0 / (other + own[i])).sum();
            // Without the person's own term.
            let sum = sum - 1.0 / (inverse[i] + own[i]);
            (degrees[i] / sum.max(f64::MIN_POSITIVE)).ln()
        };
        at = (0..at.len()).map(next).collect();
    }
    at
}

/// Pairs that are more likely connected than not, and how likely; everyone is connected to themselves.
fn likely(bits: &[BitRow], propensities: &[f64], epsilon: f64) -> Result<(Graph, Vec<f32>)> {
    let people = bits.len();
    let said = |from: usize, about: usize| match bits[from].contains(about as u32) {
        true => epsilon,
        false => -epsilon,
    };
    // Evidence adds up: the prior's logarithm of odds, and that of either report.
    let odds = |i: usize, j: usize| propensities[i] + propensities[j] + said(i, j) + said(j, i);
    let mut builder = GraphBuilder::new(people, Direction::Undirected).self_loops(SelfLoops::Keep);
    for i in 0..people {
        builder.push(i as u32, i as u32);
        for j in i + 1..people {
            if odds(i, j) > 0.0 {
                builder.push(i as u32, j as u32);
            }
        }
    }
    let (graph, _) = builder.build()?;
    let weight = |(from, to): (u32, u32)| match from == to {
        true => 1.0,
        false => (1.0 / (1.0 + (-odds(from as usize, to as usize)).exp())) as f32,
    };
    let weights = graph.arcs().map(weight).collect();
    Ok((graph, weights))
}

/// A graph convolution of two layers over weighted arcs.
fn learned(
    input: PeerInput<'_>,
    graph: &Graph,
    weights: &[f32],
    run: &Run<'_>,
) -> Result<DenseMatrix> {
    let PeerInput { features, labels, split, .. } = input;
    let rows = features.matrix();
    let GcnLearner { hidden, dropout, weight_decay, learning_rate, epochs, patience } =
        GcnLearner::default();
    let mut gcn = Gcn::new(GcnConfig {
        hidden,
        aggregation: GcnAggregation::Symmetric,
        dropout,
        seed: run.seed,
        ..GcnConfig::new(features.columns(), labels.class_count())
    })?;
    let weighted = gcn.weighted_input(graph, weights, rows.into())?;
    let mut task =
        NodeClassification::new(&mut gcn, &weighted, labels, &split.train, &split.validation)?;
    let weight_decay = WeightDecay::L2(weight_decay);
    let fit = FitConfig {
        epochs,
        batch: BatchSize::Full,
        learning_rate,
        optimizer: OptimizerConfig::Adam(AdamConfig { weight_decay, ..AdamConfig::default() }),
        early_stopping: Some(EarlyStopping { patience }),
        seed: run.seed,
        ..FitConfig::default()
    };
    Fit::new(fit).watched_by(run.watch).run(&mut task)?;
    Ok(gcn.scores(&weighted)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fit gives back the degrees it was told.
    #[test]
    fn expected_degrees_are_those_reported() {
        let degrees = [1.0, 2.0, 3.0, 4.0, 2.0, 2.0, 5.0, 1.0];
        let at = propensities(&degrees);
        for (i, degree) in degrees.iter().enumerate() {
            let other = |j: usize| 1.0 / (1.0 + (-at[i] - at[j]).exp());
            let expected: f64 = (0..at.len()).filter(|&j| j != i).map(other).sum();
            assert!((expected - degree).abs() < 0.05, "{i}: {expected}, reported {degree}");
        }
    }

    /// A degree that is no number of people is brought back among those there can be.
    #[test]
    fn impossible_degrees_do_no_harm() {
        assert!(propensities(&[-5.0, 100.0, 2.0, 1.0]).iter().all(|b| b.is_finite()));
    }
}
