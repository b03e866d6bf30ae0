//! Labels: each person's class, by randomised response.

use privet::graph::{Dataset, Labels};
use privet::privacy::Secret;
use privet::privacy::features::LabelRr;
use privet::privacy::unit::Label;

use super::unprotected::{always_unprotected, published, unprotected_edges, unprotected_features};
use super::{Released, Terms};
use crate::failure::{Failure, Kind, Result};

/// Randomises the labels of a dataset.
pub(super) fn release(dataset: Dataset, terms: &Terms) -> Result<Released> {
    let labels = dataset.labels().cloned().ok_or_else(|| {
        Failure::usage("there are no labels to protect").hint("give them with --labels FILE")
    })?;
    if labels.is_multi() {
        let message = "refused: nodes have several labels each, and randomised response would \
                       drop all of those";
        return Err(Failure::new(Kind::Refused, message));
    }
    let classes = labels.class_count();
    let strengths =
        terms.budgets.strengths(dataset.ids(), |epsilon| Ok(LabelRr::new(epsilon, classes)?))?;
    let names = labels.class_names().to_vec();
    let secret = Secret::new(labels);
    let (reports, ledger) = terms
        .account
        .spend::<Label, _>(|ledger| Ok(strengths.release(ledger, &secret)?.into_inner()))?;
    let subject = format!("{}, labels randomised by label-rr", dataset.name());
    let card = terms.card(subject).with_ledger(&ledger)?;
    let card = published(card, strengths.publishers(), "label");
    let card = unprotected_features(unprotected_edges(card, &dataset), &dataset);
    let card = always_unprotected(card, &dataset);
    let card = card.with_unprotected("the list of classes, and which nodes have a label");
    Ok(Released { dataset: dataset.with_labels(Labels::single(reports, names)?)?, card })
}
