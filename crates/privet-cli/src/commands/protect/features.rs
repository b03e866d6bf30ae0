//! Feature rows: each person's report, decoded into a matrix of the same shape.

use privet::graph::{Dataset, Features};
use privet::privacy::Secret;
use privet::privacy::features::{Decoding, FeatureMechanism, Scale, Settings, decode_chosen};
use privet::privacy::unit::FeatureRow;

use super::unprotected::{always_unprotected, published, unprotected_edges, unprotected_labels};
use super::{Released, Terms};
use crate::args::ProtectFeatures;
use crate::failure::{Failure, Kind, Result};

/// A mechanism and its settings.
#[derive(Debug)]
pub(super) struct Plan {
    mechanism: String,
    settings: Settings,
    decoding: Decoding,
}

impl Plan {
    pub(super) fn new(typed: &ProtectFeatures) -> Self {
        let (k, delta, bins) = (typed.k, typed.delta, typed.bins);
        Self {
            mechanism: typed.mechanism.clone(),
            settings: Settings { k, delta, bins, theta: None },
            decoding: typed.decoding.into(),
        }
    }

    pub(super) fn release(&self, dataset: Dataset, terms: &Terms) -> Result<Released> {
        let features = dataset.features().cloned().ok_or_else(|| {
            Failure::usage("there are no features to protect")
                .hint("give them with --features FILE")
        })?;
        let scale = public_scale(&features)?;
        let strengths = terms.budgets.strengths(dataset.ids(), |epsilon| {
            Ok(FeatureMechanism::build(&self.mechanism, epsilon, scale.clone(), &self.settings)?)
        })?;
        let names = features.names().map(<[String]>::to_vec);
        let secret = Secret::new(features);
        let (matrix, ledger) = terms.account.spend::<FeatureRow, _>(|ledger| {
            let reports = strengths.release(ledger, &secret)?;
            let mechanism = |user| strengths.of_user(user);
            Ok(decode_chosen(reports.get(), mechanism, self.decoding)?)
        })?;
        // The declared range was that of the truth; estimates go beyond it.
        let released = match names {
            Some(names) => Features::new(matrix).with_names(names)?,
            None => Features::new(matrix),
        };
        let subject = format!("{}, features randomised by {}", dataset.name(), self.mechanism);
        let card = terms.card(subject).with_ledger(&ledger)?;
        let card = published(card, strengths.publishers(), "row of features");
        let card = unprotected_labels(unprotected_edges(card, &dataset), &dataset);
        let card = always_unprotected(card, &dataset);
        Ok(Released { dataset: dataset.with_features(released)?, card })
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
