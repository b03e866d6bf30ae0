//! [`Project::tune`]: settings chosen by looking at private people, where every look is charged.
//!
//! Candidates are trained on four fifths of the training people, and each is counted on the last fifth as
//! [`evaluate`](super::evaluate) counts: with noise, for a price. The best by its noisy accuracy is taken as it is, for choosing
//! among releases costs nothing more. All trainings and all looks are entries of the ledger, so what tuning costs
//! is the price of all of them together, and not that of the winner.
//!
//! How much each training may cost follows from what all may cost: the accountant composes the planned trainings and
//! looks, and the largest share that stays within is taken.

use super::Project;
use super::config::Protects;
use super::evaluate::Vote;
use crate::Method;
use crate::dpar::{Dpar, Mode, Settings};
use crate::graph::NodeId;
use crate::model::interval::ShareInterval;
use crate::model::{Classifier, Model};
use crate::privacy::fault::{self, Fault};
use crate::privacy::unit::Node;
use crate::privacy::{Event, Loss, accountant};
use crate::{Error, LedgerStore, Protected, Result, Run};

/// The share of what tuning may cost that goes into looks.
const LOOKS: f64 = 0.2;

/// What came of tuning.
#[derive(Debug)]
pub struct TuningOutcome {
    /// The best of them.
    pub model: Protected<Model>,
    /// Its place among the candidates.
    pub best: usize,
    /// Every candidate, the default first.
    pub trials: Vec<Candidate>,
    /// What each training was allowed.
    pub training: Loss,
    /// What each look cost.
    pub look_epsilon: f64,
}

/// Settings that were tried.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Candidate {
    /// What differs from the default.
    pub settings: String,
    /// The noisy accuracy on people who were not trained on.
    pub accuracy: ShareInterval,
}

/// A candidate: what differs from the default, what trains, and its settings.
type TriedSettings = (&'static str, Method, Settings);

/// The candidates, the default first: what mattered most on the benchmarks (docs/results/dpar.md). `fitting` is the method
/// that [`Project::train`] would take, `stochastic` the form of DP-SGD that suits the data.
fn candidates(stochastic: Method, fitting: Method) -> Vec<TriedSettings> {
    let default = Settings::rigorous();
    let with = |change: &dyn Fn(&mut Settings)| {
        let mut settings = default.clone();
        change(&mut settings);
        settings
    };
    // The default comes first, so that with ties it stays.
    let mut all = match fitting {
        Method::ClassSums => vec![
            ("default: sums by class", Method::ClassSums, default.clone()),
            ("gradient descent", Method::GradientDescent, default.clone()),
        ],
        Method::HiddenLayer => vec![
            ("default: a hidden layer", Method::HiddenLayer, default.clone()),
            ("gradient descent", Method::GradientDescent, default.clone()),
        ],
        _ => vec![
            ("default: gradient descent", Method::GradientDescent, default.clone()),
            ("sums by class, no training", Method::ClassSums, default.clone()),
        ],
    };
    let trained = [
        ("DP-SGD, a hidden layer of 32", with(&|s| s.model.hidden = vec![32])),
        ("DP-SGD", default.clone()),
        ("DP-SGD, four times the learning rate", with(&|s| s.model.learning_rate *= 4.0)),
        ("DP-SGD, twice the steps", with(&|s| s.model.steps *= 2)),
        ("DP-SGD, half the steps", with(&|s| s.model.steps /= 2)),
        ("DP-SGD, all rows in every batch", with(&|s| s.model.batch = 1.0)),
    ];
    all.extend(trained.map(|(name, settings)| (name, stochastic, settings)));
    all
}

/// How many candidates there are.
pub const MOST_TRIALS: usize = 8;

impl Project {
    /// Tries so many settings, all of them together for so much, and keeps the best.
    ///
    /// # Errors
    /// If the project protects something else than whole people, there are too few or too many trials, or the budget refuses.
    pub fn tune(&self, trials: usize, target: Loss, run: &Run<'_>) -> Result<TuningOutcome> {
        Error::unless(
            (2..=MOST_TRIALS).contains(&trials),
            "trials",
            trials,
            "a number from 2 to 8",
        )?;
        if !self.config().protects(Protects::People) {
            let message =
                "refused: settings are tuned privately where whole people are protected".into();
            let remedy = "train with the defaults, or tune on people who may be looked at";
            return Err(Error::Refused { message, remedy });
        }
        let stochastic = match self.config().edges.is_empty() {
            true => Method::Features,
            false => Method::SmoothedSgd,
        };
        let dataset = self.dataset()?;
        let id = |node: &NodeId| dataset.ids().get(*node).to_string();
        let (judges, learners): (Vec<NodeId>, Vec<NodeId>) =
            // Candidates are judged by people who train none of them.
            self.to_train_on(&dataset).into_iter().partition(|node| judges(&id(node)));
        let judges = dataset.induced(&judges)?;
        // A fifth of the budget is for looking, divided among the candidates.
        let look_epsilon = LOOKS * target.epsilon.get() / trials as f64;
        let fitting = self.fitting_people(&dataset, target)?;
        let chosen: Vec<_> = candidates(stochastic, fitting).into_iter().take(trials).collect();
        // What is left after the looks trains every candidate alike.
        let training = affordable(&chosen, learners.len(), target, look_epsilon)?;
        let mut tried: Vec<Candidate> = Vec::new();
        let mut best: Option<(usize, Protected<Classifier>)> = None;
        for (at, (settings, method, chosen)) in chosen.into_iter().enumerate() {
            let model = self.train_on(&dataset, &learners, method, chosen, training, run)?;
            // Every look is charged: the best of several runs costs what all of them cost.
            let unkept = Run { ledgers: LedgerStore::Memory, ..run.clone() };
            let looks = if at > 0 && fault::on(Fault::LooksNotCharged) { &unkept } else { run };
            let seen =
                self.count_privately(model.get(), &judges, Vote::Right, look_epsilon, looks)?;
            let better = |best: &(usize, _)| tried[best.0].accuracy.value < seen.accuracy.value;
            if best.as_ref().is_none_or(better) {
                best = Some((at, model));
            }
            tried.push(Candidate { settings: settings.into(), accuracy: seen.accuracy });
        }
        let (best, model) = best.ok_or_else(|| Error::invalid("trials", 0, "at least 2"))?;
        let model = self.signed_off(model)?.map(Model::People);
        Ok(TuningOutcome { model, best, trials: tried, training, look_epsilon })
    }
}

/// Whether a person is used to judge candidates: a hash of the id decides, another one than for testing.
fn judges(id: &str) -> bool {
    super::hashed("privet judges ", id) < 0.2
}

/// The most that every training may cost so that all of them, and all looks, stay within the target.
fn affordable(
    candidates: &[TriedSettings],
    people: usize,
    target: Loss,
    look_epsilon: f64,
) -> Result<Loss> {
    let looks = crate::privacy::Epsilon::new(look_epsilon)?;
    let all = |epsilon: f64| -> Result<f64> {
        let each = Loss::new(epsilon, target.delta.get())?;
        let mut event = Event::Nothing;
        for (_, method, settings) in candidates {
            let system = Dpar::new(*method, Mode::Rigorous, each, settings.clone())?;
            event = event.then(system.plan::<Node>(people)?.event);
            event = event.then(Event::Pure { epsilon: looks });
        }
        Ok(accountant::best(&event, target.delta)?.value.get())
    };
    // Basic composition is always affordable; the truth lies between it and the whole.
    let rest = (1.0 - LOOKS) * target.epsilon.get();
    let (mut low, mut high) = (rest / candidates.len() as f64, rest);
    for _ in 0..7 {
        let middle = 0.5 * (low + high);
        match all(middle)? <= target.epsilon.get() {
            true => low = middle,
            false => high = middle,
        }
    }
    Ok(Loss::new(low, target.delta.get())?)
}
