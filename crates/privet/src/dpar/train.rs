//! Training: DP-SGD on rows that stand for themselves, or average over a released structure.

use super::project::Projection;
use super::structure::Weights;
use super::{Classified, Dpar, Inductive, Method, Person, Plan, Training, infer};
use crate::graph::{FeatureMatrix, Features, SparseBuilder};
use crate::learn::models::{Classification, HiddenNorm, Mlp, MlpConfig, Rows};
use crate::learn::propagate::{SingleSource, top_k};
use crate::learn::train::{
    BatchSize, Fit, FitConfig, OptimizerConfig, PrivateMlp, PrivateTopK, PrivatelyTrained,
};
use crate::privacy::sgd::{DpSgd, Learner};
use crate::privacy::{AsPrinted, Card, Ledger, Secret};
use crate::{Result, Run};

/// What is wrong with the printed guarantee of training.
const FLAW: &str = "a bound on the sum of a node's weights does not bound what it does to clipped gradients, \
                    and amplification is not linear in epsilon";

/// Trains; gives the model and the most rows that read from one node.
///
/// # Errors
/// If a setting makes no sense, or the ledger refuses.
pub(super) fn train<U: Person>(
    system: &Dpar,
    plan: &Plan,
    training: &Training,
    weights: Option<Weights>,
    ledger: &mut Ledger<U>,
    seed: u64,
    short: Option<&Projection>,
) -> Result<(Mlp, u32)> {
    if let Some(short) = short {
        let training = training.with_features(|features| short.apply(features));
        let (model, most_shared) = train(system, plan, &training, weights, ledger, seed, None)?;
        return Ok((short.unfold(&model)?, most_shared));
    }
    let config = network(system, training.columns(), training.class_count(), seed);
    let (optimizer, rate) = (OptimizerConfig::default(), system.settings.model.learning_rate);
    match weights {
        None => {
            let learner = PrivateMlp::new(config, optimizer, rate)?;
            Ok((step_by_step(plan, learner, &training.rows()?, ledger)?, 1))
        }
        Some(Weights { matrix, most_shared }) => {
            let learner = PrivateTopK::new(config, optimizer, rate)?;
            let secret = training.aggregated(matrix)?;
            Ok((step_by_step(plan, learner, &secret, ledger)?, most_shared))
        }
    }
}

/// One training run through the ledger.
pub(super) fn step_by_step<U: Person, L: Learner<Parameters = PrivatelyTrained>>(
    plan: &Plan,
    learner: L,
    secret: &Secret<L::Data>,
    ledger: &mut Ledger<U>,
) -> Result<Mlp> {
    let mechanism = DpSgd::<_, U>::new(plan.training, learner)?;
    let trained = match &plan.printed {
        None => ledger.release(secret, &mechanism)?,
        Some(printed) => {
            ledger.release(secret, &AsPrinted::new(mechanism, printed.training, FLAW))?
        }
    };
    Ok(trained.into_inner()?.into_model())
}

/// The network for rows of a length.
pub(super) fn network(system: &Dpar, inputs: usize, outputs: usize, seed: u64) -> MlpConfig {
    let hidden = system.settings.model.hidden.clone();
    MlpConfig { inputs, hidden, outputs, dropout: 0.0, norm: HiddenNorm::None, seed }
}

/// The same without any noise, on features alone or averaged over the true best K: what privacy costs.
///
/// # Errors
/// If training diverges, or somebody interrupts.
pub(super) fn without_privacy(
    system: &Dpar,
    people: &Inductive,
    run: &Run<'_>,
) -> Result<Classified> {
    let Inductive { training, visitors } = people;
    let (graph, features, labels) = training.in_the_clear()?;
    let structure = &system.settings.structure;
    let graph_too = system.method == (Method::NoPrivacy { graph: true });
    let averaged = match graph_too {
        false => features.clone(),
        true => {
            let sources: Vec<u32> = graph.nodes().collect();
            let keep = structure.keep.max(32);
            averaged(
                features,
                &top_k(graph, &sources, keep, SingleSource::Ista(structure.ista()))?,
            )?
        }
    };
    let config = network(system, training.columns(), training.class_count(), run.seed);
    let mut model = Mlp::new(MlpConfig { hidden: vec![32], ..config })?;
    let all: Vec<u32> = graph.nodes().collect();
    let rows = Rows::from(averaged.matrix());
    let mut task = Classification::new(&mut model, rows, &labels, &all, &[])?;
    let fit = FitConfig {
        epochs: 100,
        batch: BatchSize::Examples(256),
        learning_rate: 0.01,
        seed: run.seed,
        ..FitConfig::default()
    };
    Fit::new(fit).interrupt(run.interrupt).run(&mut task)?;
    let mut inference = system.settings.inference;
    inference.rounds = if graph_too { inference.rounds } else { 0 };
    let predicted = infer::classes(&model, visitors, inference)?;
    let card = Card::new(format!("{}: {}", training.name, system.method.name()))
        .with_unprotected("everything");
    Ok(Classified { model, predicted, most_shared: 0, card })
}

/// Features averaged by rows of weights.
fn averaged(features: &Features, weights: &crate::graph::SparseMatrix) -> Result<Features> {
    let mut rows = SparseBuilder::new(features.columns());
    let mut sum = vec![0f32; features.columns()];
    for row in 0..weights.rows() {
        let (nodes, scores) = weights.row(row);
        let total = scores.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let mut touched = Vec::new();
        for (&node, score) in nodes.iter().zip(scores) {
            for (column, value) in features.nonzero_entries(node as usize) {
                if sum[column as usize] == 0.0 {
                    touched.push(column);
                }
                sum[column as usize] += score / total * value;
            }
        }
        let mut entries: Vec<(u32, f32)> = touched
            .into_iter()
            .map(|column| (column, std::mem::take(&mut sum[column as usize])))
            .filter(|entry| entry.1 != 0.0)
            .collect();
        rows.push_row(&mut entries)?;
    }
    Ok(Features::new(FeatureMatrix::Sparse(rows.finish())))
}
