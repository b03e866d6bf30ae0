//! [`StatedLoss`]: a privacy loss with its relation and every condition that its number depends on.
//!
//! An epsilon alone says neither who is protected nor what must be true for the number to hold. A spent budget is
//! therefore printed by the [`Display`](std::fmt::Display) of this type and by nothing else: what a reader sees last is as
//! complete as the card. `cargo xtask check` fails on a result that carries a bare epsilon.

use serde::{Deserialize, Serialize};

use super::guarantee::{Conversion, Guarantee, ReleaseLine, headline};
use super::{Card, CombinedLoss};
use crate::error::Result;
use crate::fault::{self, Fault};
use crate::ledger::{self, Contents, RelationshipEnds};
use crate::loss::{Epsilon, Loss};
use crate::mechanism::Status;
use crate::noise::{NoiseOrigin, Numerics};
use crate::unit::{Relation, Trust, UnitFacts};

/// A privacy loss with its unit and its conditions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedLoss {
    /// What neighbouring inputs differ in.
    pub relation: Relation,
    /// Which pairs of users it is about, where the relation is about pairs.
    #[serde(default, skip_serializing_if = "RelationshipEnds::is_any_two")]
    pub between: RelationshipEnds,
    /// The loss, if all conditions hold.
    pub loss: Loss,
    /// What the loss depends on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<LossCondition>,
}

/// Something that a privacy loss depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum LossCondition {
    /// The noise was drawn from a seed: anyone with the seed can remove it.
    Simulation,
    /// No theorem bounds the loss of a mechanism.
    Unproven,
    /// A property of the private data, which cannot be checked without a cost.
    DataProperty {
        /// The property.
        on: String,
    },
    /// A Markov chain has converged, which cannot be checked.
    Stationarity,
    /// A published algorithm ran as printed, and its paper claims another number.
    PaperClaim {
        /// The number of the paper.
        printed: Epsilon,
        /// Why it is wrong.
        flaw: String,
    },
    /// A mechanism was made outside of Privet.
    Unaudited,
    /// The curator holds the raw data.
    TrustedCurator,
    /// The proof is about real numbers, and floating-point numbers were used.
    FloatingPoint,
}

impl StatedLoss {
    /// The same with an epsilon rounded up to four digits after the point: it claims no more than the card.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        // Rounded up: a printed epsilon never promises more than the exact one.
        if let Ok(epsilon) = Epsilon::new((1e4 * self.loss.epsilon.get()).ceil() / 1e4) {
            self.loss.epsilon = epsilon;
        }
        self
    }
}

impl Card {
    /// Every loss on the card: infinite losses first, then totals, then each guarantee with its conversions.
    pub fn stated(&self) -> Vec<StatedLoss> {
        let totals = self.totals.iter().map(|total| self.stated_total(total));
        let each = self.guarantees.iter().flat_map(|guarantee| {
            let also = guarantee.also.iter().map(|other| guarantee.stated_as(other));
            std::iter::once(guarantee.stated()).chain(also)
        });
        let (mut infinite, finite): (Vec<_>, Vec<_>) =
            totals.chain(each).partition(|stated| !stated.loss.epsilon.is_finite());
        // Infinite losses stand first, where they are not overlooked below small ones.
        infinite.extend(finite);
        infinite
    }

    /// A total with the conditions of all its parts.
    pub fn stated_total(&self, total: &CombinedLoss) -> StatedLoss {
        let parts = self.guarantees.iter().filter(|part| part.relation == total.relation);
        let mut conditions = Vec::new();
        parts.for_each(|part| add_missing(&mut conditions, part.loss_conditions()));
        let between = RelationshipEnds::AnyTwo;
        StatedLoss { relation: total.relation, between, loss: total.loss, conditions }
    }
}

impl Guarantee {
    /// The loss with its relation and its conditions.
    pub fn stated(&self) -> StatedLoss {
        let between = RelationshipEnds::AnyTwo;
        let conditions = self.loss_conditions();
        StatedLoss { relation: self.relation, between, loss: self.loss, conditions }
    }

    /// A conversion of it, under the same conditions.
    pub fn stated_as(&self, other: &Conversion) -> StatedLoss {
        other.under(self.loss_conditions())
    }

    /// Everything the loss depends on, each condition once.
    pub fn loss_conditions(&self) -> Vec<LossCondition> {
        let mut conditions = conditions(&self.releases, self.trust);
        let everyone_published = self.groups.iter().all(|group| group.opted_out);
        if !self.loss.epsilon.is_finite() && !everyone_published {
            conditions.push(LossCondition::Unproven);
            conditions.sort_by_key(LossCondition::rank);
        }
        conditions
    }
}

impl Conversion {
    fn under(&self, conditions: Vec<LossCondition>) -> StatedLoss {
        let Self { relation, between, loss, .. } = *self;
        // A published list is published under any condition.
        let holds_anyway = between == RelationshipEnds::WithPublisher;
        let conditions = if holds_anyway { Vec::new() } else { conditions };
        StatedLoss { relation, between, loss, conditions }
    }
}

/// What an account has spent and its conversions, as the account's card states them; none of an account of an unknown unit.
///
/// # Errors
/// If an event has no theorem.
pub fn stated_account(account: &Contents) -> Result<Vec<StatedLoss>> {
    let Some(unit) = UnitFacts::named(&account.header.unit) else { return Ok(Vec::new()) };
    let groups = ledger::spent(&account.entries, account.header.limit.delta)?;
    let (loss, _) = headline(&groups);
    let releases: Vec<ReleaseLine> = account.entries.iter().map(ReleaseLine::of).collect();
    let conditions = conditions(&releases, unit.trust);
    let between = RelationshipEnds::AnyTwo;
    let mut lines = vec![StatedLoss { relation: unit.relation, between, loss, conditions }];
    lines.extend(stated_conversions(account)?);
    Ok(lines)
}

/// The conversions of an account's losses to other relations, as the account's card states them.
///
/// # Errors
/// If an event has no theorem.
pub fn stated_conversions(account: &Contents) -> Result<Vec<StatedLoss>> {
    let Some(unit) = UnitFacts::named(&account.header.unit) else { return Ok(Vec::new()) };
    let releases: Vec<ReleaseLine> = account.entries.iter().map(ReleaseLine::of).collect();
    let lines = ledger::relationship(&account.entries)?;
    Ok(lines.iter().map(|line| line.under(conditions(&releases, unit.trust))).collect())
}

/// What these releases depend on, each condition once, the most serious first.
fn conditions(releases: &[ReleaseLine], trust: Trust) -> Vec<LossCondition> {
    let mut conditions = Vec::new();
    if fault::on(Fault::ConditionsLeftOut) {
        return conditions;
    }
    releases.iter().for_each(|release| add_missing(&mut conditions, release.conditions()));
    if trust == Trust::Curator {
        conditions.push(LossCondition::TrustedCurator);
    }
    conditions.sort_by_key(LossCondition::rank);
    conditions
}

impl LossCondition {
    /// The place in a line.
    fn rank(&self) -> u8 {
        match self {
            Self::Simulation => 0,
            Self::Unproven => 1,
            Self::DataProperty { .. } => 2,
            Self::Stationarity => 3,
            Self::PaperClaim { .. } => 4,
            Self::Unaudited => 5,
            Self::TrustedCurator => 6,
            Self::FloatingPoint => 7,
        }
    }
}

impl ReleaseLine {
    /// What the cost of this release depends on.
    fn conditions(&self) -> Vec<LossCondition> {
        let mut conditions = Vec::new();
        match &self.status {
            Status::Holds => {}
            Status::Conditional { on } => {
                conditions.push(LossCondition::DataProperty { on: on.clone() });
            }
            Status::HoldsAtStationarity => conditions.push(LossCondition::Stationarity),
            Status::PaperMode { printed, flaw } => {
                let (printed, flaw) = (*printed, flaw.clone());
                conditions.push(LossCondition::PaperClaim { printed, flaw });
            }
        }
        if matches!(self.noise, NoiseOrigin::Simulation { .. }) {
            conditions.push(LossCondition::Simulation);
        }
        if !self.audited {
            conditions.push(LossCondition::Unaudited);
        }
        if self.numerics == Numerics::Idealized {
            conditions.push(LossCondition::FloatingPoint);
        }
        conditions
    }
}

fn add_missing(conditions: &mut Vec<LossCondition>, more: Vec<LossCondition>) {
    for condition in more {
        if !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::local::Rr;
    use crate::ledger::{Foreseen, UserChoice, UserChoices};
    use crate::noise::NoiseRng;
    use crate::population::GraphShape;
    use crate::template::CoinFlip;
    use crate::unit::{FeatureRow, NeighborBit};
    use crate::{Ledger, Secret};
    use privet_graph::Direction;

    /// A card of one coin flip with noise of the operating system.
    fn coin() -> Card {
        let limit = Loss::new(9.0, 0.0).unwrap();
        let mut ledger =
            Ledger::<FeatureRow>::in_memory(limit, NoiseRng::from_operating_system().unwrap())
                .unwrap();
        ledger.release_each(&Secret::new(vec![1.0, 0.0]), &CoinFlip::new(1.0).unwrap()).unwrap();
        Card::new("answers").with_ledger(&ledger).unwrap()
    }

    #[test]
    fn a6_a_loss_without_conditions_is_printed_as_it_is() {
        assert_eq!(coin().stated()[0].to_string(), "record-ldp: (epsilon 1, delta 0)");
    }

    /// Every condition is in the line, the most serious first, and each once.
    #[test]
    fn a6_every_condition_is_in_the_printed_line() {
        let mut card = coin();
        card.guarantees[0].trust = Trust::Curator;
        let on = "no person has more than 3 neighbours".to_owned();
        let (printed, flaw) = (Epsilon::new(0.5).unwrap(), "it counts one batch".to_owned());
        let first = card.guarantees[0].releases[0].clone();
        for status in [
            Status::PaperMode { printed, flaw },
            Status::HoldsAtStationarity,
            Status::Conditional { on: on.clone() },
            Status::Conditional { on },
        ] {
            let noise = NoiseOrigin::Simulation { seed: 1 };
            let (numerics, audited) = (Numerics::Idealized, false);
            let line = ReleaseLine { status, noise, numerics, audited, ..first.clone() };
            card.guarantees[0].releases.push(line);
        }
        assert_eq!(
            card.stated()[0].to_string(),
            "record-ldp: (epsilon 1, delta 0); simulation: noise from a seed protects no one; only if no person has \
         more than 3 neighbours (not checked; no guarantee otherwise); only if a random walk has converged (cannot \
         be checked); run as its paper prints it, which claims epsilon 0.5, but it counts one batch; not audited: made \
         outside Privet; the curator is trusted with the raw data; floating-point rounding is not covered"
        );
        // A total has the conditions of its parts.
        card = card.clone().joined(Card { guarantees: vec![coin().guarantees.remove(0)], ..card });
        let total = card.stated_total(&card.totals[0]);
        assert_eq!((total.loss.epsilon.get(), total.conditions.len()), (2.0, 7));
        card.guarantees[0].loss.epsilon = Epsilon::INFINITE;
        assert!(card.stated()[0].to_string().contains("UNPROVEN"), "{}", card.stated()[0]);
    }

    /// That 59 of 60 publish stands before any number that is small.
    #[test]
    fn a2_relationships_with_publishers_come_first() {
        let graph = GraphShape { nodes: 60, direction: Direction::Undirected };
        let card = |publishers| {
            let choice = |user| match user < publishers {
                true => UserChoice::Public,
                false => UserChoice::Private(0),
            };
            let choices =
                UserChoices::new(vec![Rr::new(1.0).unwrap()], (0..60).map(choice).collect())
                    .unwrap();
            let planned = Foreseen::<NeighborBit>::new(Loss::new(1.0, 0.0).unwrap());
            Card::new("lists").foreseeing(&planned.chosen(&choices, &graph).unwrap()).unwrap()
        };
        let lines = |card: &Card| card.stated().iter().map(ToString::to_string).collect::<Vec<_>>();
        let exposed = "relationship-dp: (epsilon inf, delta 0) for relationships with a person who published their contacts";
        let one_private = card(59);
        assert_eq!(lines(&one_private), [exposed, "edge-ldp: (epsilon 1, delta 0)"]);
        let some = card(20);
        let between = "relationship-dp: (epsilon 2, delta 0) for relationships between two people who did not publish";
        assert_eq!(lines(&some), [exposed, "edge-ldp: (epsilon 1, delta 0)", between]);
        assert_eq!(lines(&card(0))[1], "relationship-dp: (epsilon 2, delta 0)");
        let said_first =
            "Relationships with them are not protected, whatever the other person chose";
        for card in [&one_private, &some] {
            assert!(card.warnings()[0].contains(said_first), "{:?}", card.warnings());
            let text = card.explain();
            let (warned, strength) =
                (text.find(said_first).unwrap(), text.find("Strength: epsilon").unwrap());
            assert!(warned < strength, "{text}");
            let plain = card.in_plain_words();
            assert!(plain.contains("NO PROTECTION for your connections with"), "{plain}");
        }
        // A single private person has no relationship that is protected at all, so nothing may be called strong.
        let plain = one_private.in_plain_words();
        assert!(!plain.contains("Protection:"), "{plain}");
        assert!(some.in_plain_words().contains("Protection: "));
    }
}
