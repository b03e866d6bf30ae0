//! [`Guarantee`]: what one ledger promises, computed from its entries and nothing else.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::fault::{self, Fault};
use crate::ledger::{self, Contents, LedgerEntry, RelationshipEnds};
use crate::loss::{Delta, Epsilon, Loss};
use crate::mechanism::{MechanismParameters, Status, Theorem};
use crate::noise::{NoiseOrigin, Numerics};
use crate::tradeoff::{self, PrivacyProfile};
use crate::unit::{DataPart, Relation, Trust, UnitFacts};

/// What is promised by one ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guarantee {
    /// How many people chose to publish what the others have protected: they have no protection.
    pub published: u64,
    /// The protected unit.
    pub unit: String,
    /// What that protects, in words.
    pub protects: String,
    /// What neighbouring inputs differ in.
    pub relation: Relation,
    /// Who holds the raw data.
    pub trust: Trust,
    /// The guarantee of everyone who did not choose otherwise: the worst over groups of users. Infinite
    /// if everyone chose to publish.
    pub loss: Loss,
    /// Which accountant computed it.
    pub accountant: String,
    /// What may be spent in all.
    pub limit: Loss,
    /// Groups of users with guarantees of their own; one line if all are alike.
    pub groups: Vec<GroupLine>,
    /// What was done, in order.
    pub releases: Vec<ReleaseLine>,
    /// Other guarantees of the same releases, at smaller epsilons: points of their privacy profile. None where the loss
    /// says all there is to say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profile: Vec<Loss>,
    /// What the same releases cost under other relations, by theorem. An infinite loss is the first.
    pub also: Vec<Conversion>,
    /// Which ledger this was computed from.
    pub ledger: LedgerSeal,
}

/// What one group of users is left with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupLine {
    /// How many users; none where the ledger does not know.
    pub users: Option<u64>,
    /// Their guarantee; infinite for those who chose to publish.
    pub loss: Loss,
    /// Whether they chose to publish.
    pub opted_out: bool,
}

/// One release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseLine {
    /// The mechanism.
    pub mechanism: String,
    /// Its public settings.
    pub parameters: MechanismParameters,
    /// What happened, in words.
    pub event: String,
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
    /// Whether Privet ships the mechanism, with an audit.
    #[serde(default = "ledger::shipped", skip_serializing_if = "ledger::is_shipped")]
    pub audited: bool,
}

/// The same releases under another relation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversion {
    /// The other relation.
    pub relation: Relation,
    /// Which pairs of users it is about.
    #[serde(default, skip_serializing_if = "RelationshipEnds::is_any_two")]
    pub between: RelationshipEnds,
    /// The guarantee there.
    pub loss: Loss,
    /// By which theorem.
    pub theorem: String,
}

/// Fixes the ledger a guarantee was computed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerSeal {
    /// The name of its file; none if it was kept in memory.
    pub file: Option<String>,
    /// How many entries it had: the release of this card is the last of them.
    pub entries: usize,
    /// The hash after the last of them.
    pub chain: String,
}

impl Guarantee {
    /// What a ledger promises.
    pub(super) fn of(unit: UnitFacts, contents: &Contents) -> Result<Self> {
        let Contents { header, entries, chain, .. } = contents;
        let groups = ledger::spent(entries, header.limit.delta)?;
        let (loss, accountant) = headline(&groups);
        let published = groups.iter().filter(|group| group.opted_out);
        Ok(Self {
            published: published.filter_map(|group| group.users.count()).sum(),
            unit: unit.name.into(),
            protects: unit.protects.into(),
            relation: unit.relation,
            trust: unit.trust,
            loss,
            accountant: accountant.into(),
            limit: header.limit,
            groups: groups.iter().map(GroupLine::of).collect(),
            releases: entries.iter().map(ReleaseLine::of).collect(),
            profile: profile(entries, &groups, loss),
            also: ledger::relationship(entries)?,
            ledger: LedgerSeal { file: None, entries: entries.len(), chain: chain.clone() },
        })
    }

    /// What must be true of the data for the number to hold. It is not checked, since it is private itself.
    pub fn conditions(&self) -> Vec<&str> {
        let mut conditions = Vec::new();
        for release in &self.releases {
            if let Status::Conditional { on } = &release.status
                && !conditions.contains(&on.as_str())
            {
                conditions.push(on.as_str());
            }
        }
        conditions
    }

    /// The loss with all other guarantees of the same releases.
    pub fn profile(&self) -> PrivacyProfile {
        let heeded = !fault::on(Fault::ProfileNotHeeded);
        PrivacyProfile::with_points(self.loss, if heeded { &self.profile } else { &[] })
    }

    /// Whether it speaks of a part of a dataset.
    pub fn is_about(&self, part: DataPart) -> bool {
        UnitFacts::named(&self.unit).is_some_and(|unit| unit.parts.contains(&part))
    }
}

impl GroupLine {
    fn of(group: &ledger::GroupLoss) -> Self {
        Self { users: group.users.count(), loss: group.loss, opted_out: group.opted_out }
    }
}

impl ReleaseLine {
    pub(super) fn of(entry: &LedgerEntry) -> Self {
        let words: Vec<String> = entry
            .charges
            .iter()
            .map(|charge| match charge.users.count() {
                None => charge.event.to_string(),
                Some(count) => format!("{} ({count} users)", charge.event),
            })
            .collect();
        Self {
            mechanism: entry.mechanism.clone(),
            parameters: entry.parameters.clone(),
            event: words.join("; "),
            theorem: entry.theorem.clone(),
            status: entry.status.clone(),
            numerics: entry.numerics,
            noise: entry.noise,
            assumes_public: entry.assumes_public.clone(),
            audited: entry.audited,
        }
    }
}

/// Other guarantees of the same releases. Where protected users have different histories, the worst of them at one epsilon
/// need not be the worst at another, so there is no point but the loss itself.
fn profile(entries: &[LedgerEntry], groups: &[ledger::GroupLoss], loss: Loss) -> Vec<Loss> {
    let mut private = groups.iter().filter(|group| !group.opted_out);
    match (private.next(), private.next()) {
        (Some(group), None) => tradeoff::points(&ledger::history(entries, &group.users), loss),
        _ => Vec::new(),
    }
}

/// The worst loss among those who did not choose to publish, and on whose word. Where all users
/// did, none is protected.
pub(super) fn headline(groups: &[ledger::GroupLoss]) -> (Loss, &'static str) {
    let private = groups.iter().filter(|group| !group.opted_out);
    let worst = private.max_by(|a, b| a.loss.epsilon.get().total_cmp(&b.loss.epsilon.get()));
    match worst {
        Some(group) => (group.loss, group.accountant),
        None if groups.is_empty() || fault::on(Fault::PublishingIsFree) => {
            (Loss { epsilon: Epsilon::ZERO, delta: Delta::ZERO }, "none")
        }
        None => (Loss { epsilon: Epsilon::INFINITE, delta: Delta::ZERO }, "none"),
    }
}

/// What several ledgers cost one person together. Guarantees of the same relation are about the same person, and add up:
/// features and label are parts of one record, and an attacker who sees a report about each at epsilon 1 has seen epsilon 2
/// of the record. Guarantees of different relations are not added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CombinedLoss {
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
pub(super) fn totals(guarantees: &[Guarantee]) -> Vec<CombinedLoss> {
    let mut totals: Vec<CombinedLoss> = Vec::new();
    for guarantee in guarantees {
        // Losses add (basic composition) where neighbouring datasets are the same; across relations a sum has no
        // meaning.
        match totals.iter_mut().find(|total| total.relation == guarantee.relation) {
            Some(_) if fault::on(Fault::PartsNotAdded) => {}
            Some(total) => {
                total.units.push(guarantee.unit.clone());
                total.protects += &format!(" and {}", guarantee.protects);
                total.loss = total.loss + guarantee.loss;
            }
            None => totals.push(CombinedLoss {
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
