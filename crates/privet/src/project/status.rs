//! [`ProjectStatus`]: what a project protects, what was spent and is left, and what came of every charge.

use std::path::PathBuf;

use serde::Serialize;

use super::config::Protects;
use super::{Balance, Past, Project};
use crate::Result;
use crate::privacy::Loss;
use crate::privacy::card::{StatedLoss, stated_conversions};
use crate::privacy::fault::{self, Fault};
use crate::privacy::noise::NoiseOrigin;
use crate::privacy::unit::UnitFacts;

/// All of it, read off the ledgers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProjectStatus {
    /// The project's name.
    pub name: String,
    /// Its folder.
    pub root: PathBuf,
    /// Who sees raw data.
    pub trust: super::TrustModel,
    /// Who will see releases.
    pub audience: Option<String>,
    /// One line for every relation.
    pub relations: Vec<RelationSpending>,
    /// Every charge, in the order of the accounts.
    pub charges: Vec<ChargeStatus>,
    /// How many people were removed.
    pub removed: usize,
    /// Whether a folder that is restored from an older copy would be noticed.
    pub watched_from_outside: bool,
}

/// What one relation has cost, and may.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RelationSpending {
    /// What neighbouring data differ in.
    pub relation: &'static str,
    /// What is hidden, in words.
    pub hides: Vec<&'static str>,
    /// The whole budget, as the ledgers have it: it was fixed by the first charge.
    pub limit: Loss,
    /// What `privet.toml` says now, if that is something else: then nothing is charged until it says the limit again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated: Option<Loss>,
    /// What was spent on the person who paid most: the sum over all accounts of the relation.
    pub spent_epsilon: f64,
    /// The rest.
    pub left_epsilon: f64,
    /// What the same charges come to for another relation: a friendship stands in two lists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<StatedLoss>,
}

/// One charge, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChargeStatus {
    /// What it was paid for.
    pub protects: Protects,
    /// The mechanism.
    pub mechanism: String,
    /// Its number in its account, from 1.
    pub entry: usize,
    /// What the account had spent after it.
    pub spent_epsilon: f64,
    /// Whether the noise came from a seed.
    pub simulation: bool,
    /// What came of it; nothing, if the command that made it was interrupted.
    pub release: Option<Past>,
}

impl Project {
    /// How the project stands.
    ///
    /// # Errors
    /// If an account cannot be read, or has lost charges that are known elsewhere.
    pub fn status(&self) -> Result<ProjectStatus> {
        self.status_known_to(super::Outside::here()?.as_ref())
    }

    pub(super) fn status_known_to(
        &self,
        outside: Option<&super::Outside>,
    ) -> Result<ProjectStatus> {
        let (config, history) = (&self.config, self.history()?);
        let mut relations: Vec<RelationSpending> = Vec::new();
        let mut charges = Vec::new();
        let balances = self.balances_known_to(outside)?;
        let limits: Vec<EnforcedLimit> = balances
            .iter()
            .map(|balance| self.enforced(balance, &balances))
            .collect::<Result<_>>()?;
        for (balance, enforced) in balances.into_iter().zip(limits) {
            let protects = balance.protects;
            let Some(facts) = UnitFacts::named(protects.unit()) else { continue };
            let relation = facts.relation.name();
            let epsilon = balance.spent.epsilon.get();
            // Accounts of one relation are one line: their losses add up.
            match relations.iter_mut().find(|line| line.relation == relation) {
                Some(line) => {
                    line.hides.push(protects.about());
                    line.spent_epsilon = match fault::on(Fault::StatusShowsLargest) {
                        true => line.spent_epsilon.max(epsilon),
                        false => line.spent_epsilon + epsilon,
                    };
                    // The strictest limit of the accounts is the one that is reached first.
                    if enforced.limit.epsilon < line.limit.epsilon {
                        line.limit = enforced.limit;
                    }
                    line.stated = line.stated.or(enforced.stated);
                }
                None => relations.push(RelationSpending {
                    relation,
                    hides: vec![protects.about()],
                    limit: enforced.limit,
                    stated: enforced.stated,
                    spent_epsilon: epsilon,
                    left_epsilon: 0.0,
                    also: Vec::new(),
                }),
            }
            let Some(contents) = balance.contents else { continue };
            if let Some(line) = relations.last_mut() {
                line.also.extend(stated_conversions(&contents)?);
            }
            // The account after each entry: what had been spent by then, not what the entry cost
            // alone.
            for (entry, number) in contents.entries.iter().zip(1..) {
                let spent = crate::privacy::ledger::spent(
                    &contents.entries[..number],
                    contents.header.limit.delta,
                )?;
                let most = spent
                    .iter()
                    // People who published have no finite loss to show.
                    .filter(|group| !group.opted_out)
                    .map(|group| group.loss.epsilon.get());
                let release = history.iter().find(|past| past.was_charged(protects.unit(), number));
                charges.push(ChargeStatus {
                    protects,
                    mechanism: entry.mechanism.clone(),
                    entry: number,
                    spent_epsilon: most.fold(0.0, f64::max),
                    simulation: entry.noise != NoiseOrigin::OperatingSystem,
                    release: release.cloned(),
                });
            }
        }
        for line in &mut relations {
            // Computed last, when all accounts of the relation are in.
            line.left_epsilon = (line.limit.epsilon.get() - line.spent_epsilon).max(0.0);
        }
        Ok(ProjectStatus {
            name: config.project.name.clone(),
            root: self.root.clone(),
            trust: config.project.trust,
            audience: config.project.audience.clone(),
            relations,
            charges,
            removed: self.removed()?,
            watched_from_outside: outside.is_some(),
        })
    }

    /// What the account of a balance will let through, which is what its ledger says once there is one.
    fn enforced(&self, balance: &Balance, all: &[Balance]) -> Result<EnforcedLimit> {
        let config = &self.config;
        let whole = config.limit()?;
        let alike = all.iter().filter(|other| other.is_like(balance.protects)).count();
        let stated = config.limit_of(alike)?;
        let of_ledger = balance.contents.as_ref().map(|contents| contents.header.limit);
        Ok(match of_ledger.filter(|limit| *limit != stated) {
            None => EnforcedLimit { limit: whole, stated: None },
            Some(limit) => {
                // Accounts of one relation share delta evenly.
                let delta = (limit.delta.get() * alike as f64).min(1.0);
                let limit = Loss::new(limit.epsilon.get(), delta)?;
                EnforcedLimit { limit, stated: Some(whole) }
            }
        })
    }
}

/// What an account will let through.
struct EnforcedLimit {
    limit: Loss,
    /// What `privet.toml` says, if that is something else.
    stated: Option<Loss>,
}
