//! What `privet publish` means on data that is in memory: for the command, and for other languages.

use privet::graph::Dataset;
use privet::hetero_rr::{EdgeProtection, FeatureProtection};
use privet::privacy::features::FeatureSettings;
use privet::publish::{Columns, FeaturePolicy, Publish};

use crate::args::{self, Command, FeatureOptions};
use crate::failure::{Failure, Result};
use crate::systems::command;

/// `privet publish` and these words.
///
/// # Errors
/// If they make no sense.
pub fn typed(words: &[String]) -> Result<args::Publish> {
    // Nothing is read or written where only settings are given.
    let start = ["publish", "data", "--output=-"].into_iter().map(str::to_owned);
    match command(&start.chain(words.iter().cloned()).collect::<Vec<_>>())? {
        Command::Publish(publish) => Ok(*publish),
        _ => Err(Failure::usage("not a publication")),
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
    let FeatureOptions { bins, decoding, gamma, .. } = *options;
    let (mechanism, sensitive) = (options.mechanism.clone(), options.sensitive_columns.clone());
    let settings = FeatureSettings { bins, ..FeatureSettings::default() };
    let how = FeatureProtection { mechanism, epsilon, settings, decoding };
    Ok(Columns { sensitive, sample, gamma }.shared(how, dataset)?)
}
