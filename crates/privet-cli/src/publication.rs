//! What `privet publish` means on data that is in memory: for the command, and for other languages.

use clap::Parser;
use privet::graph::Dataset;
use privet::hetero_rr::{EdgeProtection, FeatureProtection};
use privet::privacy::features::Settings;
use privet::publish::{Columns, FeaturePolicy, Publish};

use crate::args::{self, Args, FeatureOptions};
use crate::failure::{Failure, Result};
use crate::systems::in_one_line;

/// `privet publish` and these words.
///
/// # Errors
/// If they make no sense.
pub fn typed(words: &[String]) -> Result<args::Publish> {
    // Nothing is read or written by whoever has only settings to say.
    let start = ["privet", "publish", "data", "--output=-"].into_iter().map(str::to_owned);
    match Args::try_parse_from(start.chain(words.iter().cloned())) {
        Ok(Args { command: args::Command::Publish(publish), .. }) => Ok(*publish),
        Ok(_) => Err(Failure::usage("not a publication")),
        Err(error) => Err(Failure::usage(in_one_line(&error.to_string()))),
    }
}

/// How a dataset is published; `sample` is public and tells which columns matter.
///
/// # Errors
/// If there are no features to protect, or a setting does not belong to the mechanism.
pub fn publish(
    typed: &args::Publish,
    sample: Option<Dataset>,
    dataset: &Dataset,
) -> Result<Publish> {
    let edges = EdgeProtection::new(typed.edges.epsilon_edges);
    let edges = typed.edges.protection.over(edges)?;
    let options = &typed.features;
    let features = match (options.epsilon_features, options.public_features) {
        (Some(epsilon), _) => FeaturePolicy::Protected(rows(options, epsilon, sample, dataset)?),
        (None, true) => FeaturePolicy::Public,
        (None, false) => FeaturePolicy::LeftOut,
    };
    Ok(Publish { edges, features, accepted: typed.releasing.accept.clone() })
}

fn rows(
    options: &FeatureOptions,
    epsilon: f64,
    sample: Option<Dataset>,
    dataset: &Dataset,
) -> Result<FeatureProtection> {
    let features = dataset.features().ok_or_else(|| {
        Failure::usage("there are no features to protect")
            .hint("give them with --features FILE, or leave out --epsilon-features")
    })?;
    let FeatureOptions { mechanism, bins, decoding, sensitive_columns, gamma, .. } = options;
    let shared = !sensitive_columns.is_empty() || sample.is_some();
    if shared && mechanism != "feature-rr" {
        let message = "shares of the budget are for feature-rr: other mechanisms treat all alike";
        let hint = "leave out --sensitive-columns and --public-sample";
        return Err(Failure::usage(message).hint(hint));
    }
    let columns = Columns { sensitive: sensitive_columns.clone(), sample, gamma: *gamma };
    let theta = columns.shares(features)?;
    Ok(FeatureProtection {
        mechanism: mechanism.clone(),
        epsilon,
        settings: Settings { bins: *bins, theta, ..Settings::default() },
        decoding: *decoding,
    })
}
