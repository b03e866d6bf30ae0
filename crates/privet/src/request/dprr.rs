//! What can be asked of DPRR.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{PartialSettings, Request, RequestFields};
use crate::dprr::{Dprr, DprrMethod, GraphLearner, Reading, Reporting, Setting, SplitRule};
use crate::graph::SourceLocation;
use crate::graph::files::{LIST_BYTES, read_text};
use crate::{Error, Facts, Result};

/// DPRR, or another mechanism for lists of neighbours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct DprrRequest {
    /// Privacy budget of a private user's list of neighbours (epsilon)
    #[cfg_attr(feature = "clap", arg(long))]
    pub epsilon: f64,
    /// Share of users who publish their lists
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE", default_value_t = 0.0))]
    pub public_share: f64,
    /// File with an epsilon per user, one a line, graph after graph; `inf` publishes; none may pass epsilon
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub user_epsilons: Option<PathBuf>,
    /// Randomiser of neighbour lists
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t))]
    pub mechanism: DprrMethod,
    /// How the collector interprets reports
    #[serde(rename = "reading", default)]
    #[cfg_attr(feature = "clap", arg(long = "reading", value_enum, default_value_t))]
    pub reports: Reading,
    /// How epsilon is divided.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub split: PartialSettings<SplitRule>,
    /// How the collector learns.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten, next_help_heading = "Learning"))]
    pub learner: PartialSettings<GraphLearner>,
}

impl RequestFields for DprrRequest {
    fn example() -> Self {
        Self {
            epsilon: 1.0,
            public_share: 0.0,
            user_epsilons: None,
            mechanism: DprrMethod::default(),
            reports: Reading::default(),
            split: PartialSettings::all(&Reading::default().split()),
            learner: PartialSettings::all(&GraphLearner::default()),
        }
    }

    fn validate(&self) -> Result<()> {
        if self.public_share != 0.0 && self.user_epsilons.is_some() {
            let reason = "the file says who publishes";
            return Err(Error::request("public-share", reason, "leave it or user-epsilons out"));
        }
        let (epsilon, public_share) = (self.epsilon, self.public_share);
        self.reporting(Setting::Customised { epsilon, public_share })?.check()?;
        self.learner.over(GraphLearner::default()).map(drop)
    }
}

impl Request for DprrRequest {
    type Release = Dprr;

    /// Facts leave nothing open here.
    fn resolve(&self, _: &Facts) -> Result<Dprr> {
        self.system()
    }
}

impl DprrRequest {
    /// The system. Reads the file of epsilons, if one was named.
    ///
    /// # Errors
    /// If a number makes no sense, or the file cannot be read.
    pub fn system(&self) -> Result<Dprr> {
        self.validate()?;
        let protection = self.reporting(self.setting()?)?;
        let learner = self.learner.over(GraphLearner::default())?;
        Ok(Dprr { protection, reading: self.reports, learner })
    }

    fn reporting(&self, setting: Setting) -> Result<Reporting> {
        let split = self.split.over(self.reports.split())?;
        Ok(Reporting { method: self.mechanism, setting, split })
    }

    /// How strongly each user is protected.
    fn setting(&self) -> Result<Setting> {
        let epsilon = self.epsilon;
        let Some(path) = &self.user_epsilons else {
            return Ok(match self.public_share == 0.0 {
                true => Setting::Common { epsilon },
                false => Setting::Customised { epsilon, public_share: self.public_share },
            });
        };
        let place = SourceLocation::file(path.display().to_string());
        let text = read_text(path, LIST_BYTES)?;
        let value = |(line, number): (&str, u64)| {
            let found: Option<f64> = line.trim().parse().ok();
            let allowed = |value: &f64| *value > 0.0 && (*value <= epsilon || value.is_infinite());
            found.filter(allowed).ok_or_else(|| {
                let expected = format!("an epsilon up to {epsilon}, or inf");
                place.line(number).malformed(format!("'{}'", line.trim()), expected).into()
            })
        };
        let all: Result<Vec<f64>> = text.lines().zip(1..).map(value).collect();
        Ok(Setting::PerUser(all?))
    }
}
