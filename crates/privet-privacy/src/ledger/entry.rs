//! [`LedgerEntry`]: one line of a ledger, written before the noise of its release was drawn.

use serde::{Deserialize, Serialize};

use super::pairs::PairCost;
use super::users::Users;
use crate::accountant;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::{Delta, Epsilon};
use crate::mechanism::{Mechanism, MechanismParameters, Status, Theorem};
use crate::noise::{NoiseOrigin, Numerics};

/// What some users were charged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charge {
    /// Whose data was read.
    pub users: Users,
    /// What happened to it.
    pub event: Event,
    /// What it tells about a pair of users, where lists of an undirected graph were reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<PairCost>,
}

/// One release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerEntry {
    /// The mechanism's name.
    pub mechanism: String,
    /// Its public settings.
    pub parameters: MechanismParameters,
    /// What it cost whom. The sets of users do not overlap.
    pub charges: Vec<Charge>,
    /// How many people's data was read, where every person reported; so far "everyone" reaches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<u64>,
    /// Why that is what it cost.
    pub theorem: Theorem,
    /// How far that can be trusted.
    pub status: Status,
    /// Whether the claim is about the very arithmetic that ran.
    pub numerics: Numerics,
    /// Whether the noise protects anyone.
    pub noise: NoiseOrigin,
    /// What was taken for public.
    pub assumes_public: Vec<String>,
    /// Whether Privet ships the mechanism, with an audit; if not, the claim is the word of its author.
    #[serde(default = "shipped", skip_serializing_if = "is_shipped")]
    pub audited: bool,
}

/// Entries say it only of mechanisms from outside.
pub(crate) fn shipped() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
pub(crate) fn is_shipped(audited: &bool) -> bool {
    *audited
}

impl LedgerEntry {
    pub(super) fn of<M: Mechanism>(
        mechanism: &M,
        charges: Vec<Charge>,
        people: Option<u64>,
        noise: NoiseOrigin,
    ) -> Self {
        Self {
            mechanism: mechanism.name().into(),
            parameters: mechanism.parameters(),
            charges,
            people,
            theorem: mechanism.theorem(),
            status: mechanism.status(),
            numerics: mechanism.numerics(),
            noise,
            assumes_public: mechanism.assumes_public(),
            audited: M::AUDITED || fault::on(Fault::OutsidersUnstamped),
        }
    }

    /// A mechanism that claims to read private data at no cost must have been audited.
    pub(super) fn costs_something(&self) -> Result<()> {
        if self.audited || fault::on(Fault::OutsidersForNothing) {
            return Ok(());
        }
        for charge in &self.charges {
            if accountant::best(&charge.event, Delta::ZERO)?.value == Epsilon::ZERO {
                let expected = "one that costs something: this mechanism was made outside Privet";
                return Err(Error::range("event", &charge.event, expected));
            }
        }
        Ok(())
    }

    pub(super) fn validate(&self) -> Result<()> {
        self.charges.iter().try_for_each(|charge| {
            charge.users.validate(self.people)?;
            charge.event.validate()
        })
    }
}
