//! What can be asked of DPAR: `privet run dpar`.

use privet::Facts;
use privet::Method;
use privet::dpar::{Dpar, Mode, Settings};
use privet::graph::Dataset;
use privet::options::methods;
use privet::settings::listed;
use privet_lab::experiments::dpar::Hidden;

use super::named::DataName;
use super::reading::ReadingArgs;
use super::trial::TrialOptions;
use super::typed::GivenSettings;
use crate::failure::{Failure, Result};

/// What `privet run dpar --help` says at the end.
const EXAMPLES: &str = "\
A curator holds the graph; what leaves is a classifier from which an attacker cannot tell whether any one person,
with connections, features and label, was in it. Scores come from simulations on an 80/20 split; connections
between the parts are read by `--method neighbour-votes` alone, and by the ceiling. With -o, one real release is made as well: model, ledger and card in DIR/share, the
report in DIR/private.

In `paper` mode the noise is the published one; its true epsilon is printed beside the published number.

Examples:
  privet run dpar --dataset synthetic --epsilon 4
  privet run dpar --dataset cora_ml --epsilon 8 --method smoothed-sgd --runs 10 -o release
  privet run dpar --dataset cora_ml --epsilon 8 --delta 2e-3 --method em0 --mode paper
  privet run dpar --dataset cora_ml --epsilon 1 --method gap --relation edge-dp
  privet run dpar --dataset school.npz --epsilon 2 --method neighbour-votes --runs 10";

/// What trains, where a method does not.
const INSTEAD: &str = "--method smoothed-sgd";

/// Arguments of `privet run dpar`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct RunDpar {
    /// On what, and what is promised.
    #[command(flatten)]
    pub promise: DparPromise,
    /// Method that trains [default: gradient-descent; class-sums where there are more columns than people and noise is
    /// large; smoothed-sgd with the published noise, and where a setting of training is given]
    #[arg(long, value_parser = methods(&Method::CURATED))]
    pub method: Option<Method>,
    /// Seeds, report and release.
    #[command(flatten)]
    pub trial: TrialOptions,
}

/// The data, and what its people are promised.
#[derive(Debug, clap::Args)]
pub struct DparPromise {
    /// A benchmark, a file, folder or archive, or `synthetic`: people who do not exist
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: DataName,
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
    pub settings: GivenSettings<Settings>,
    /// How to read the data.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

impl RunDpar {
    /// The system that was asked for, or the one that fits, for a dataset of whose people so many are trained on.
    ///
    /// # Errors
    /// If a number makes no sense.
    pub fn system(&self, dataset: &Dataset, learners: usize) -> Result<Dpar> {
        let (promise, count) = (&self.promise, Some(dataset.graph().node_count()));
        let people = matches!(promise.relation, Hidden::NodeAbsent | Hidden::NodeReplace);
        let free = promise.mode == Mode::Rigorous && promise.of_training().is_none();
        let method = match self.method {
            Some(method) => method,
            None if people && free => {
                let asked = promise.system(Method::SmoothedSgd, count)?;
                let columns = Facts::of(dataset).columns;
                let columns = match asked.settings.projection {
                    0 => columns,
                    short => short.min(columns),
                };
                Method::for_people(asked.target, learners, columns)?
            }
            None => Method::SmoothedSgd,
        };
        promise.all_used(&[method], INSTEAD)?;
        promise.system(method, count)
    }

    /// Refuses what no data could make right.
    ///
    /// # Errors
    /// If a number makes no sense.
    pub fn check(&self) -> Result<()> {
        let method = self.method.unwrap_or(Method::SmoothedSgd);
        self.promise.all_used(&[method], INSTEAD)?;
        self.promise.system(method, None).map(drop)
    }
}

impl DparPromise {
    /// The system of a method that keeps the promise to so many people; before the people are counted, as far as it is
    /// known.
    ///
    /// # Errors
    /// If a number makes no sense.
    pub fn system(&self, method: Method, people: Option<usize>) -> Result<Dpar> {
        let target = self.mode.target(self.epsilon, self.delta, people)?;
        let settings = self.settings.over(Settings::of(self.mode))?;
        Ok(Dpar::new(method, self.mode, target, settings)?)
    }

    /// Refuses a setting of training where none of these methods trains; `instead` names one that does.
    ///
    /// # Errors
    /// If one was typed.
    pub fn all_used(&self, methods: &[Method], instead: &str) -> Result<()> {
        let trains = methods.iter().any(|method| method.has_model_settings());
        let Some(typed) = self.of_training().filter(|_| !trains) else { return Ok(()) };
        let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
        let told = format!(
            "--{typed} is a setting of training, and {} does not train",
            names.join(" or ")
        );
        Err(Failure::usage(told).hint(format!("leave it out, or say {instead}")))
    }

    /// A setting of training that was typed.
    fn of_training(&self) -> Option<String> {
        let known = listed(&Settings::of(self.mode).model).into_iter();
        known.map(|(name, _)| name).find(|name| self.settings.has(&name.replace('-', "_")))
    }
}
