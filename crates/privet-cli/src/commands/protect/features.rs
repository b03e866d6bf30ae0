//! Feature rows: each person's report, decoded into a matrix of the same shape.

use privet::privacy::features::{DecodeRows, Decoding, FeatureMechanism, Scale, Settings};
use privet::privacy::unit::FeatureRow;
use privet::privacy::{Card, Secret};
use privet_graph::{Dataset, Features};

use super::account::Account;
use super::{Released, always_unprotected, unprotected_edges, unprotected_labels};
use crate::args::ProtectFeatures;
use crate::failure::{Failure, Kind, Result};

/// A mechanism and its settings.
#[derive(Debug)]
pub(super) struct Plan {
    mechanism: String,
    epsilon: f64,
    settings: Settings,
    decoding: Decoding,
}

impl Plan {
    pub(super) fn new(typed: &ProtectFeatures) -> Self {
        let (k, delta, bins) = (typed.k, typed.delta, typed.bins);
        Self {
            mechanism: typed.mechanism.clone(),
            epsilon: typed.spending.epsilon,
            settings: Settings { k, delta, bins, theta: None },
            decoding: typed.decoding.into(),
        }
    }

    pub(super) fn release(&self, dataset: Dataset, account: &Account) -> Result<Released> {
        let features = dataset.features().cloned().ok_or_else(|| {
            Failure::usage("there are no features to protect")
                .hint("give them with --features FILE")
        })?;
        let mechanism = self.build(&features)?;
        let names = features.names().map(<[String]>::to_vec);
        let secret = Secret::new(features);
        let (matrix, ledger) = account.spend::<FeatureRow, _>(|ledger| {
            let reports = ledger.release_each(&secret, &mechanism)?;
            Ok(mechanism.decode(reports.get(), self.decoding)?)
        })?;
        // The declared range was that of the truth; estimates go beyond it.
        let released = match names {
            Some(names) => Features::new(matrix).with_names(names)?,
            None => Features::new(matrix),
        };
        let subject = format!("{}, features randomised by {}", dataset.name(), self.mechanism);
        let card = Card::new(subject).with_ledger(&ledger)?;
        let card = unprotected_labels(unprotected_edges(card, &dataset), &dataset);
        let card = always_unprotected(card, &dataset);
        Ok(Released { dataset: dataset.with_features(released)?, card })
    }

    fn build(&self, features: &Features) -> Result<FeatureMechanism> {
        let scale = public_scale(features)?;
        Ok(FeatureMechanism::build(&self.mechanism, self.epsilon, scale, &self.settings)?)
    }
}

/// The columns and their declared range.
///
/// # Errors
/// If it was not declared: a range that was measured would be an unpaid release.
pub(in crate::commands) fn public_scale(features: &Features) -> Result<Scale> {
    let bounds = features.bounds().filter(|bounds| bounds.is_public());
    if bounds.is_none() {
        let message = "refused: the range of the features was not declared, and a range taken \
                       from the records would give the largest of them away";
        let hint = "if you know it without looking, say so with --bounds LOW,HIGH";
        return Err(Failure::new(Kind::Refused, message).hint(hint));
    }
    Ok(Scale::new(features.columns(), bounds)?)
}
