//! Labels: each person's class, by randomised response.

use privet::privacy::features::LabelRr;
use privet::privacy::unit::Label;
use privet::privacy::{Card, Secret};
use privet_graph::{Dataset, Labels};

use super::account::Account;
use super::{Released, always_unprotected, unprotected_edges, unprotected_features};
use crate::failure::{Failure, Kind, Result};

/// How much it may cost.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) epsilon: f64,
}

impl Plan {
    pub(super) fn release(&self, dataset: Dataset, account: &Account) -> Result<Released> {
        let labels = dataset.labels().cloned().ok_or_else(|| {
            Failure::usage("there are no labels to protect").hint("give them with --labels FILE")
        })?;
        if labels.is_multi() {
            let message = "refused: nodes have several labels each, and randomised response would \
                           drop all of those";
            return Err(Failure::new(Kind::Refused, message));
        }
        let mechanism = LabelRr::new(self.epsilon, labels.class_count())?;
        let names = labels.class_names().to_vec();
        let secret = Secret::new(labels);
        let (reports, ledger) = account.spend::<Label, _>(|ledger| {
            Ok(ledger.release_each(&secret, &mechanism)?.into_inner())
        })?;
        let subject = format!("{}, labels randomised by label-rr", dataset.name());
        let card = Card::new(subject).with_ledger(&ledger)?;
        let card = unprotected_features(unprotected_edges(card, &dataset), &dataset);
        let card = always_unprotected(card, &dataset)
            .with_unprotected("the list of classes, and which nodes have a label");
        Ok(Released { dataset: dataset.with_labels(Labels::single(reports, names)?)?, card })
    }
}
