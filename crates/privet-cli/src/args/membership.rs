//! What can be asked of `privet attack membership`.

use std::path::PathBuf;

use privet::Method;
use privet::dpar::Dpar;
use privet::options::methods;
use privet::request::DparPromise;
use privet_lab::experiments::attack::beside_no_privacy;
use privet_lab::experiments::dpar::membership::AttackTarget;

use super::named::DataName;
use super::reading::ReadingArgs;
use super::trial::ResultsOptions;
use crate::failure::Result;

/// What `privet attack membership --help` says at the end.
const EXAMPLES: &str = "\
Shadow models are trained with and without each target; a model is asked about all people, and its confidence
compared with what models of either kind say. Beside every rate stands the ceiling: what any attack at all
can reach by the card's guarantee. Models without privacy are attacked too, to see that the attack works.

Examples:
  privet attack membership --dataset synthetic --epsilon 4
  privet attack membership --dataset cora_ml --epsilon 1 --delta 2e-3 --methods em0,features,gap
  privet attack membership --dataset cora_ml --epsilon 8 --delta 2e-3 --target connections --methods gap
  privet attack membership --dataset cora_ml --epsilon 1 --delta 2e-3 --mode paper --methods em0";

/// Arguments of `privet attack membership`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct AttackMembership {
    /// A benchmark, a file, folder or archive, or `synthetic`: generated people
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: DataName,
    /// What is promised.
    #[command(flatten)]
    pub promise: DparPromise,
    /// Models to attack
    #[arg(long, value_name = "METHOD", value_delimiter = ',', default_value = "em0,features,gap",
        value_parser = methods(&Method::DPAR))]
    pub methods: Vec<Method>,
    /// Attacker's target
    #[arg(long, default_value = "people")]
    pub target: AttackTarget,
    /// Number of shadow models of each kind
    #[arg(long, default_value_t = 48)]
    pub shadows: usize,
    /// Number of target people or connections, at most a quarter of all
    #[arg(long, default_value_t = 250)]
    pub targets: usize,
    /// Seed of the split, the targets and the noise
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Where finished models are.
    #[command(flatten)]
    pub finished: ResultsOptions,
    /// Write the report to this HTML file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// How to read the data.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

impl AttackMembership {
    /// The systems to attack, where so many people are.
    ///
    /// # Errors
    /// If a number makes no sense.
    pub fn systems(&self, people: Option<usize>) -> Result<Vec<Dpar>> {
        self.promise.trains(&self.methods)?;
        let methods = beside_no_privacy(&self.methods);
        methods.map(|method| Ok(self.promise.system(method, people)?)).collect()
    }
}
