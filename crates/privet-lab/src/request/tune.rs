//! What can be asked of a search for LDP-GE's settings.

use privet::graph::Error as DataError;
use privet::ldp_ge::Task;
use privet::privacy::features::{Decoding, FeatureMechanism};
use privet::request::RequestFields;
use privet::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::experiments::ldp_ge::reports::Reports;
use crate::experiments::trial::NamedData;
use crate::experiments::tune::{FIRST, Search, TunedSettings};

/// A search for LDP-GE's settings on data that may be looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct TuneRequest {
    /// Privacy budget of a person's row of features (epsilon)
    #[cfg_attr(feature = "clap", arg(long))]
    pub epsilon: f64,
    /// What to predict: nodes or links
    #[serde(default)]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_enum, default_value_t, hide_possible_values = true)
    )]
    pub task: Task,
    /// Number of candidates, including the published settings
    #[serde(default = "trials")]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = trials()))]
    pub trials: u32,
    /// Number of fresh seeds for the comparison of the winner with the published settings
    #[serde(default = "runs")]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = runs()))]
    pub runs: u64,
    /// Seed of the candidates
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 0))]
    pub seed: u64,
    /// First seed of the search; figures use seeds from 0, so choose others
    #[serde(default = "first_seed")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = FIRST))]
    pub first_seed: u64,
    /// Tune the non-private upper bound (ceiling) instead of private runs
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub ceiling: bool,
    /// Also tune k; each value needs new reports and their budget
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub tune_reports: bool,
    /// Randomiser of features
    #[serde(default = "hds")]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAME", default_value = "hds", hide_possible_values = true)
    )]
    #[cfg_attr(feature = "clap", arg(value_parser = clap::builder::PossibleValuesParser::new(FeatureMechanism::NAMES)))]
    pub mechanism: String,
    /// How to decode a report: an unbiased estimate, or the paper's formula
    #[serde(default = "unbiased")]
    #[cfg_attr(feature = "clap", arg(long, default_value = "unbiased"))]
    #[cfg_attr(feature = "clap", arg(value_parser = privet::options::by_name(&privet::options::DECODINGS)))]
    pub decoding: Decoding,
}

fn trials() -> u32 {
    60
}

fn runs() -> u64 {
    3
}

fn first_seed() -> u64 {
    FIRST
}

fn hds() -> String {
    "hds".into()
}

fn unbiased() -> Decoding {
    Decoding::Unbiased
}

impl RequestFields for TuneRequest {
    fn example() -> Self {
        Self {
            epsilon: 1.0,
            task: Task::default(),
            trials: trials(),
            runs: runs(),
            seed: 0,
            first_seed: FIRST,
            ceiling: false,
            tune_reports: false,
            mechanism: hds(),
            decoding: unbiased(),
        }
    }

    fn validate(&self) -> Result<()> {
        let Self { trials, runs, first_seed, .. } = *self;
        Error::unless((1..=100_000).contains(&trials), "trials", trials, "1 to 100000")?;
        Error::unless((1..=10_000).contains(&runs), "runs", runs, "1 to 10000")?;
        Error::unless(first_seed < 1_000_000, "first-seed", first_seed, "a seed below 1000000")?;
        if FeatureMechanism::NAMES.contains(&self.mechanism.as_str()) {
            return Ok(());
        }
        let known = FeatureMechanism::NAMES.iter().copied();
        Err(DataError::unknown_name("mechanism", &self.mechanism, known).into())
    }
}

impl TuneRequest {
    /// The search, on data in memory.
    ///
    /// # Errors
    /// If a number makes no sense, or the data lacks something.
    pub fn search<'a>(&self, data: NamedData<'a>) -> Result<Search<'a>> {
        self.validate()?;
        let (mechanism, decoding) = (self.mechanism.clone(), self.decoding);
        let reports = Reports { mechanism, epsilon: self.epsilon, k: None, decoding };
        let search = Search {
            trials: self.trials as usize,
            runs: self.runs,
            tuned: match self.tune_reports {
                true => TunedSettings::CollectorAndReports,
                false => TunedSettings::Collector,
            },
            seed: self.seed,
            first_seed: self.first_seed,
            ..Search::new(data, self.task, reports)
        };
        let search = if self.ceiling { search.for_ceiling() } else { search };
        search.check()?;
        Ok(search)
    }
}
