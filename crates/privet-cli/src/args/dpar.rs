//! What can be asked of DPAR: `privet run dpar`.

use privet::dpar::{Dpar, DparMethod, Mode, Settings};
use privet::settings::listed;
use privet_lab::experiments::dpar::Hidden;

use super::named::Named;
use super::reading::Reading;
use super::trial::TrialOptions;
use super::typed::Typed;
use crate::failure::{Failure, Result};

/// What `privet run dpar --help` says at the end.
const EXAMPLES: &str = "\
A curator holds the graph; what leaves is a classifier from which nobody can tell whether any one person,
with connections, features and label, was in it. Scores come from simulations on an 80/20 split whose
parts are not connected. With -o, one real release is made as well: model, ledger and card in DIR/share, the
report in DIR/private.

In `paper` mode the noise is the published one; its true epsilon is printed beside the published number.

Examples:
  privet run dpar --dataset synthetic --epsilon 4
  privet run dpar --dataset cora_ml --epsilon 8 --method spread --runs 10 -o release
  privet run dpar --dataset cora_ml --epsilon 8 --delta 2e-3 --method em0 --mode paper
  privet run dpar --dataset cora_ml --epsilon 1 --method gap --relation edge-dp";

/// Arguments of `privet run dpar`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct RunDpar {
    /// On what, and what is promised.
    #[command(flatten)]
    pub promise: DparPromise,
    /// What is trained, and on what [default: means where noise is large for so many people and columns, else spread;
    /// spread too with the published noise, and where a setting of training is typed]
    #[arg(long)]
    pub method: Option<DparMethod>,
    /// Seeds, report and release.
    #[command(flatten)]
    pub trial: TrialOptions,
}

/// The data, and what its people are promised.
#[derive(Debug, clap::Args)]
pub struct DparPromise {
    /// A benchmark, a file, folder or archive, or `synthetic`: people who do not exist
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: Named,
    /// What a person's presence may cost; in `paper` mode, the printed number
    #[arg(long)]
    pub epsilon: f64,
    /// The probability with which that bound may fail [default: the largest power of ten up to a tenth of
    /// one over the number of people; in `paper` mode 1e-4, whatever their number]
    #[arg(long)]
    pub delta: Option<f64>,
    /// Whose noise
    #[arg(long, default_value = "rigorous")]
    pub mode: Mode,
    /// What is hidden about a person
    #[arg(long, default_value = "node-absent")]
    pub relation: Hidden,
    /// How it is done.
    #[command(flatten, next_help_heading = "Settings; those not given come from the mode")]
    pub settings: Typed<Settings>,
    /// How to read the data.
    #[command(flatten)]
    pub reading: Reading,
}

impl RunDpar {
    /// The method that was asked for, or the one that fits so many people and columns.
    ///
    /// # Errors
    /// If a number makes no sense.
    pub fn method(&self, people: usize, columns: usize) -> Result<DparMethod> {
        let promise = &self.promise;
        match (self.method, promise.mode, promise.relation) {
            (Some(method), ..) => Ok(method),
            (None, Mode::Rigorous, Hidden::NodeAbsent | Hidden::NodeReplace)
                if promise.of_training().is_none() =>
            {
                let target = promise.mode.target(promise.epsilon, promise.delta, Some(people))?;
                Ok(DparMethod::fitting(target, people, columns)?)
            }
            (None, ..) => Ok(DparMethod::Spread),
        }
    }
}

impl DparPromise {
    /// The system of a method that keeps the promise to so many people; before anybody was counted, as far as it is
    /// known.
    ///
    /// # Errors
    /// If a number makes no sense.
    pub fn system(&self, method: DparMethod, people: Option<usize>) -> Result<Dpar> {
        if let (DparMethod::Means, Some(typed)) = (method, self.of_training()) {
            let told = format!("--{typed} is a setting of training, and means does not train");
            return Err(Failure::usage(told).hint("leave it out, or say --method spread"));
        }
        let target = self.mode.target(self.epsilon, self.delta, people)?;
        let settings = self.settings.over(Settings::of(self.mode))?;
        Ok(Dpar::new(method, self.mode, target, settings)?)
    }

    /// A setting of training that was typed.
    fn of_training(&self) -> Option<String> {
        let known = listed(&Settings::of(self.mode).model).into_iter();
        known.map(|(name, _)| name).find(|name| self.settings.has(&name.replace('-', "_")))
    }
}
