//! What can be asked of a publication: how private edges and features are protected.

use serde::{Deserialize, Serialize};

use super::{PartialSettings, RequestFields};
use crate::doubts::Doubt;
use crate::graph::{Dataset, Error as DataError};
use crate::hetero_rr::{EdgeProtection, FeatureProtection};
use crate::privacy::features::{Decoding, FeatureMechanism, FeatureSettings};
use crate::publish::{Columns, FeaturePolicy, Publish};
use crate::{Error, Result};

/// How a dataset is published by HeteroRR.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct PublishRequest {
    /// Privacy budget of each private edge (epsilon)
    #[cfg_attr(feature = "clap", arg(long, value_name = "EPSILON"))]
    pub epsilon_edges: f64,
    /// How edges are protected.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub edges: PartialSettings<EdgeProtection>,
    /// Privacy budget of each row of features (epsilon); without it, features are left out
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "EPSILON"))]
    pub epsilon_features: Option<f64>,
    /// Features are public: publish them as they are
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub public_features: bool,
    /// Randomiser
    #[serde(default = "feature_rr")]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAME", default_value = "feature-rr", hide_possible_values = true)
    )]
    #[cfg_attr(feature = "clap", arg(value_parser = clap::builder::PossibleValuesParser::new(FeatureMechanism::NAMES)))]
    pub mechanism: String,
    /// Number of bins of feature-rr
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub bins: Option<u32>,
    /// Sensitive columns, which get less of the budget, by name or index from 0
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "COLUMN,...", value_delimiter = ','))]
    pub sensitive_columns: Vec<String>,
    /// Weight of importance against sensitivity, from 0 to 1 (gamma)
    #[serde(default = "half")]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = half()))]
    pub gamma: f64,
    /// How to decode a report: an unbiased estimate, or the paper's formula
    #[serde(default = "unbiased")]
    #[cfg_attr(feature = "clap", arg(long, default_value = "unbiased"))]
    #[cfg_attr(feature = "clap", arg(value_parser = crate::options::by_name(&crate::options::DECODINGS)))]
    pub decoding: Decoding,
}

fn feature_rr() -> String {
    "feature-rr".into()
}

fn unbiased() -> Decoding {
    Decoding::Unbiased
}

fn half() -> f64 {
    0.5
}

impl RequestFields for PublishRequest {
    fn example() -> Self {
        Self {
            epsilon_edges: 1.0,
            edges: PartialSettings::all(&EdgeProtection::new(1.0)),
            epsilon_features: None,
            public_features: false,
            mechanism: feature_rr(),
            bins: None,
            sensitive_columns: Vec::new(),
            gamma: half(),
            decoding: unbiased(),
        }
    }

    fn validate(&self) -> Result<()> {
        if !FeatureMechanism::NAMES.contains(&self.mechanism.as_str()) {
            let known = FeatureMechanism::NAMES.iter().copied();
            return Err(DataError::unknown_name("mechanism", &self.mechanism, known).into());
        }
        if self.public_features && self.epsilon_features.is_some() {
            let reason = "features are public, or have a price";
            return Err(Error::request(
                "public-features",
                reason,
                "leave one of it and epsilon-features out",
            ));
        }
        self.protection().map(drop)
    }
}

impl PublishRequest {
    fn protection(&self) -> Result<EdgeProtection> {
        self.edges.over(EdgeProtection::new(self.epsilon_edges))
    }

    /// How this dataset is published; `sample` is public and tells which columns matter.
    ///
    /// # Errors
    /// If there are no features to protect, or a setting does not belong to the mechanism.
    pub fn publish(
        &self,
        sample: Option<Dataset>,
        accepted: Vec<Doubt>,
        dataset: &Dataset,
    ) -> Result<Publish> {
        self.validate()?;
        let features = match (self.epsilon_features, self.public_features) {
            (Some(epsilon), _) => FeaturePolicy::Protected(self.rows(epsilon, sample, dataset)?),
            (None, true) => FeaturePolicy::Public,
            (None, false) => FeaturePolicy::LeftOut,
        };
        Ok(Publish { edges: self.protection()?, features, accepted })
    }

    fn rows(
        &self,
        epsilon: f64,
        sample: Option<Dataset>,
        dataset: &Dataset,
    ) -> Result<FeatureProtection> {
        let (mechanism, decoding) = (self.mechanism.clone(), self.decoding);
        let settings = FeatureSettings { bins: self.bins, ..FeatureSettings::default() };
        let how = FeatureProtection { mechanism, epsilon, settings, decoding };
        let (sensitive, gamma) = (self.sensitive_columns.clone(), self.gamma);
        Columns { sensitive, sample, gamma }.shared(how, dataset)
    }
}
