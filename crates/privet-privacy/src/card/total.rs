//! [`Total`]: guarantees of the same relation are about the same person, and add up.
//!
//! Features and label are parts of one record: whoever sees a report about each at epsilon 1 has seen
//! epsilon 2 of the record. So where a card holds several guarantees of one relation, what they cost
//! together stands on it as well, and is said first. Guarantees of different relations are not added.

use serde::{Deserialize, Serialize};

use super::guarantee::Guarantee;
use crate::fault::{self, Fault};
use crate::loss::Loss;
use crate::unit::Relation;

/// What several ledgers cost one person together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Total {
    /// The relation they share.
    pub relation: Relation,
    /// Their units.
    pub units: Vec<String>,
    /// What they protect together, in words.
    pub protects: String,
    /// The sum of their losses (basic composition).
    pub loss: Loss,
}

/// A total for every relation of which there is more than one guarantee.
pub(super) fn totals(guarantees: &[Guarantee]) -> Vec<Total> {
    let mut totals: Vec<Total> = Vec::new();
    for guarantee in guarantees {
        match totals.iter_mut().find(|total| total.relation == guarantee.relation) {
            Some(_) if fault::on(Fault::PartsNotAdded) => {}
            Some(total) => {
                total.units.push(guarantee.unit.clone());
                total.protects += &format!(" and {}", guarantee.protects);
                total.loss = total.loss + guarantee.loss;
            }
            None => totals.push(Total {
                relation: guarantee.relation,
                units: vec![guarantee.unit.clone()],
                protects: format!("taken together, {}", guarantee.protects),
                loss: guarantee.loss,
            }),
        }
    }
    totals.retain(|total| total.units.len() > 1);
    totals
}
