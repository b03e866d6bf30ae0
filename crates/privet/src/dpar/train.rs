//! Training: DP-SGD on rows that stand for themselves, or average over a released structure.

use super::people::{OpenPeople, View};
use super::project::Projection;
use super::structure::Weights;
use super::{Dpar, Person, Plan, class_sums, gradient_descent, hidden_layer};
use crate::Method;
use crate::graph::{FeatureMatrix, Features, Labels, SparseBuilder};
use crate::learn::models::{Classification, Mlp, MlpConfig};
use crate::learn::train::{
    AggregatedRows, BatchSize, Fit, FitConfig, LabelledRows, OptimizerConfig, PrivateMlp,
    PrivateSums, PrivateTopK, PrivatelyTrained, WatchedLearner,
};
use crate::privacy::sgd::{DpSgd, Learner};
use crate::privacy::{AsPrinted, Ledger, PublicShape, Release};
use crate::{Result, Run, learn, privacy};

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
    people: View<'_>,
    weights: Option<Release<Weights, U>>,
    ledger: &mut Ledger<U>,
    run: &Run<'_>,
    short: Option<&Projection>,
) -> Result<Release<(Mlp, u32), U>> {
    let people = people.shortened(short);
    let (columns, classes) = (people.columns(), people.class_count());
    let config = network(system, columns, classes, run.seed);
    let (optimizer, rate) = (OptimizerConfig::default(), system.settings.model.learning_rate);
    let labelled = |people: &OpenPeople| {
        Ok(LabelledRows::new(people.features.clone(), people.classes.clone())?)
    };
    let centred = |people: &OpenPeople| {
        Ok(LabelledRows::new(people.descent_rows()?, people.classes.clone())?)
    };
    let trained = match weights {
        None if system.method == Method::ClassSums => {
            let learner = PrivateSums::new(people.len(), columns, classes)?;
            let sums = step_by_step(plan, learner, people, ledger, OWN_ROW, run, labelled)?;
            sums.try_map(|sums| Ok::<_, crate::Error>((class_sums::model(&sums, plan)?, 1)))?
        }
        None if system.method == Method::GradientDescent => {
            let (learner, training) = gradient_descent::learner(plan, columns, classes)?;
            let plan = &Plan { training, ..plan.clone() };
            let descent = step_by_step(plan, learner, people, ledger, OWN_ROW, run, centred)?;
            descent.try_map(|descent| {
                let (weights, biases) = descent.into_model();
                Ok::<_, crate::Error>((class_sums::linear(weights, biases)?, 1))
            })?
        }
        None if system.method == Method::HiddenLayer => {
            let learner = hidden_layer::learner(&plan.training, columns, classes, run.seed)?;
            let model = step_by_step(plan, learner, people, ledger, OWN_ROW, run, centred)?;
            model.map(|trained| (trained.into_model(), 1))
        }
        None => {
            let learner = PrivateMlp::new(config, optimizer, rate)?;
            let model = step_by_step(plan, learner, people, ledger, OWN_ROW, run, labelled)?;
            model.map(|trained| (trained.into_model(), 1))
        }
        Some(weights) => {
            let learner = PrivateTopK::new(config, optimizer, rate)?;
            let matrix = &weights.get().matrix;
            let rows = |people: &OpenPeople| {
                let classes = people.classes_of(matrix);
                Ok(AggregatedRows::new(people.features.clone(), matrix.clone(), classes)?)
            };
            let model = step_by_step(plan, learner, people, ledger, RELEASED_READERS, run, rows)?;
            let model = model.map(PrivatelyTrained::into_model);
            model.zip(weights.map(|weights| weights.most_shared))
        }
    };
    match short {
        None => Ok(trained),
        Some(short) => trained.try_map(|(model, shared)| Ok((short.unfold(&model)?, shared))),
    }
}

/// Why one person is one row.
pub(super) const OWN_ROW: &str = "a row is made of one person's own features and class";
/// Why a person is read by no more rows than were charged.
const RELEASED_READERS: &str =
    "which rows read whom is released, and who is not there counts nothing";

/// One training run through the ledger, on rows that `work` makes of the people; an observer of the run may stop it.
pub(super) fn step_by_step<U, L>(
    plan: &Plan,
    learner: L,
    people: View<'_>,
    ledger: &mut Ledger<U>,
    reason: &'static str,
    run: &Run<'_>,
    work: impl Fn(&OpenPeople) -> Result<L::Data> + Sync,
) -> Result<Release<L::Parameters, U>>
where
    U: Person,
    L: Learner<Data: PublicShape<Shape = usize>>,
{
    let learner = WatchedLearner::new(learner, run.watch);
    let mechanism = DpSgd::<_, U>::new(plan.training, learner)?;
    let rows = people.len();
    let trained = match &plan.printed {
        None => people.release(ledger, mechanism, reason, rows, work)?,
        Some(printed) => {
            let printed = AsPrinted::new(mechanism, printed.training, FLAW);
            people.release(ledger, printed, reason, rows, work)?
        }
    };
    trained.transpose().map_err(|error| match error {
        privacy::Error::Interrupted => learn::Error::Interrupted.into(),
        error => crate::Error::from(error),
    })
}

/// The network for rows of a length.
pub fn network(system: &Dpar, inputs: usize, outputs: usize, seed: u64) -> MlpConfig {
    let hidden = system.settings.model.hidden.clone();
    MlpConfig { inputs, hidden, outputs, dropout: 0.0, seed }
}

/// A network trained without protection, on rows that are public.
///
/// # Errors
/// If training diverges, or the run is interrupted.
pub fn fitted(
    config: MlpConfig,
    rows: &Features,
    labels: &Labels,
    nodes: &[u32],
    run: &Run<'_>,
) -> Result<Mlp> {
    let mut model = Mlp::new(config)?;
    let mut task = Classification::new(&mut model, rows.matrix().into(), labels, nodes, &[])?;
    let fit = FitConfig {
        epochs: 100,
        batch: BatchSize::Examples(256),
        learning_rate: 0.01,
        seed: run.seed,
        ..FitConfig::default()
    };
    Fit::new(fit).watched_by(run.watch).run(&mut task)?;
    Ok(model)
}

/// Features averaged by rows of weights.
///
/// # Errors
/// If a row of weights names a person who has no features.
pub fn averaged(features: &Features, weights: &crate::graph::SparseMatrix) -> Result<Features> {
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
