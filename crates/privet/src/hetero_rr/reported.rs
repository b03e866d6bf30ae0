//! Feature rows of a custody as reports, where they are protected: the part that a published graph and votes share.

use super::custody::Custody;
use super::publish::Ledgers;
use crate::graph::FeatureMatrix;
use crate::privacy::features::{DecodeRows, FeatureMechanism};
use crate::privacy::public::Public;
use crate::protect::FeatureProtection;
use crate::{Error, Protected, Result};

/// What will be drawn: built, and allowed by its ledger, before anything is charged.
pub(super) struct Reporting<'a>(Option<(&'a FeatureProtection, FeatureMechanism)>);

/// Reports in place of rows; nothing where rows are public, or there are none.
pub(super) struct Reported {
    /// The rows, under their card.
    pub rows: Protected<Option<FeatureMatrix>>,
    /// The same as what may steer a mechanism for something else.
    pub public: Option<Public<FeatureMatrix>>,
}

impl<'a> Reporting<'a> {
    /// # Errors
    /// If there is nothing to protect or no declared range, the mechanism refuses its settings, or the ledger would
    /// refuse the charge.
    pub fn new(
        how: Option<&'a FeatureProtection>,
        custody: &Custody,
        ledgers: &Ledgers,
    ) -> Result<Self> {
        let Some(how) = how else { return Ok(Self(None)) };
        let missing = |what, remedy| Error::Missing { dataset: custody.name.clone(), what, remedy };
        let (Some(_), Some(ledger)) = (&custody.features, &ledgers.features) else {
            let remedy = "give them, or leave out their epsilon";
            return Err(missing("features to protect", remedy));
        };
        let Some(scale) = &custody.scale else {
            let remedy = "declare it: one that is taken from the records gives the largest away";
            return Err(missing("declared range of its features", remedy));
        };
        let mechanism = how.mechanism(scale.clone())?;
        ledger.would_allow(&mechanism)?;
        Ok(Self(Some((how, mechanism))))
    }

    /// Charges and draws.
    ///
    /// # Errors
    /// If the ledger refuses.
    pub fn release(self, custody: &Custody, ledgers: &mut Ledgers) -> Result<Reported> {
        let (Some((how, mechanism)), Some(secret), Some(ledger)) =
            (self.0, &custody.features, &mut ledgers.features)
        else {
            let rows = Protected::public(Public::declared(None));
            return Ok(Reported { rows, public: None });
        };
        let reports = ledger.release_each(secret, &mechanism)?;
        let rows = reports.try_map(|reports| mechanism.decode(&reports, how.decoding))?;
        let public = Some(Public::from_release(&rows, FeatureMatrix::clone));
        Ok(Reported { rows: rows.protected(ledger)?.map(Some), public })
    }
}
