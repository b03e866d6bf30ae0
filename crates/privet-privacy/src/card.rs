//! [`Card`]: the guarantee that travels with what was released, and can be checked against ledgers.
//!
//! A card is a JSON file beside the output. It says who is protected against what, by how much, on
//! whose word, and what is *not* protected. It quotes the hash of the ledger it was made from, so
//! `verify` can recompute every number and notice a ledger that was edited or cut.

mod explain;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::ledger::{self, Contents, Entry, Ledger, Users};
use crate::loss::{Delta, Epsilon, Loss};
use crate::mechanism::{Parameters, Status, Theorem};
use crate::noise::{NoiseOrigin, Numerics};
use crate::unit::{Relation, Trust, Unit};

/// The version of the card's format.
const FORMAT: u32 = 1;

/// A privacy card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The version of the format.
    pub format: u32,
    /// What was released.
    pub subject: String,
    /// One guarantee per relation; they are listed, never added.
    pub guarantees: Vec<Guarantee>,
    /// What is in the released thing, or was used to make it, without any protection.
    pub unprotected: Vec<String>,
    /// The software that made it.
    pub software: String,
}

/// What is promised under one relation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guarantee {
    /// The protected unit.
    pub unit: String,
    /// What that protects, in words.
    pub protects: String,
    /// What neighbouring inputs differ in.
    pub relation: Relation,
    /// Who sees the raw data.
    pub trust: Trust,
    /// The guarantee of everyone who did not choose otherwise: the worst over groups of users.
    pub loss: Loss,
    /// Which accountant computed it.
    pub accountant: String,
    /// What may be spent in all.
    pub limit: Loss,
    /// Groups of users with guarantees of their own; one line if all are alike.
    pub groups: Vec<GroupLine>,
    /// What was done, in order.
    pub releases: Vec<ReleaseLine>,
    /// What the same releases cost under other relations, by theorem.
    pub also: Vec<Conversion>,
    /// Which ledger this was computed from.
    pub ledger: LedgerSeal,
}

/// What one group of users is left with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupLine {
    /// How many users, if not everyone.
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
    pub parameters: Parameters,
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
    /// The guarantee there.
    pub loss: Loss,
    /// By which theorem.
    pub theorem: String,
}

/// Fixes the ledger a guarantee was computed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerSeal {
    /// How many entries it had.
    pub entries: usize,
    /// The hash after the last of them.
    pub chain: String,
}

impl Card {
    /// A card with no guarantee yet.
    pub fn new(subject: impl Into<String>) -> Self {
        let software = format!("privet {}", env!("CARGO_PKG_VERSION"));
        Self {
            format: FORMAT,
            subject: subject.into(),
            guarantees: Vec::new(),
            unprotected: Vec::new(),
            software,
        }
    }

    /// Adds what a ledger guarantees.
    ///
    /// # Errors
    /// If an event in it has no theorem.
    pub fn with_ledger<U: Unit>(mut self, ledger: &Ledger<U>) -> Result<Self> {
        self.guarantees.push(Guarantee::of::<U>(ledger.contents())?);
        Ok(self)
    }

    /// Adds something that is not protected.
    #[must_use]
    pub fn with_unprotected(mut self, what: impl Into<String>) -> Self {
        self.unprotected.push(what.into());
        self
    }

    /// Whether any noise was replayed from a seed, so that the card protects nobody.
    pub fn is_simulation(&self) -> bool {
        let seeded = |r: &ReleaseLine| matches!(r.noise, NoiseOrigin::Simulation { .. });
        self.guarantees.iter().flat_map(|guarantee| &guarantee.releases).any(seeded)
    }

    /// Whether Privet ships every mechanism that made it. If not, its numbers are somebody else's word.
    pub fn is_audited(&self) -> bool {
        let mut releases = self.guarantees.iter().flat_map(|guarantee| &guarantee.releases);
        releases.all(|release| release.audited)
    }

    /// Recomputes the card from ledgers. An empty list means that every number holds.
    ///
    /// # Errors
    /// If the card is of another format, or an event has no theorem.
    pub fn differences(&self, ledgers: &[Contents]) -> Result<Vec<String>> {
        if self.format != FORMAT {
            let expected = "a format this version knows";
            return Err(Error::range("card format", self.format, expected));
        }
        let mut differences = Vec::new();
        for guarantee in &self.guarantees {
            let found = ledgers.iter().find(|ledger| ledger.header.unit == guarantee.unit);
            match found {
                None => differences.push(format!("no ledger for the unit {}", guarantee.unit)),
                Some(ledger) => guarantee.compare(ledger, &mut differences)?,
            }
        }
        Ok(differences)
    }
}

impl Guarantee {
    /// What must be true of the data for the number to hold; nobody checked it, for it is private itself.
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

    fn of<U: Unit>(contents: &Contents) -> Result<Self> {
        let header = &contents.header;
        let (groups, loss, accountant) = totals(&contents.entries, header.limit.delta)?;
        Ok(Self {
            unit: U::NAME.into(),
            protects: U::PROTECTS.into(),
            relation: U::RELATION,
            trust: U::TRUST,
            loss,
            accountant,
            limit: header.limit,
            groups,
            releases: contents.entries.iter().map(ReleaseLine::of).collect(),
            also: also(&contents.entries)?,
            ledger: LedgerSeal { entries: contents.entries.len(), chain: contents.chain.clone() },
        })
    }

    /// The ledger may have grown since the card was written; what stood then must stand still.
    fn compare(&self, ledger: &Contents, differences: &mut Vec<String>) -> Result<()> {
        let unit = &self.unit;
        if ledger.header.relation != self.relation || ledger.header.limit != self.limit {
            differences.push(format!("{unit}: the ledger's relation or limit is another one"));
        }
        let Some(entries) = ledger.entries.get(..self.ledger.entries) else {
            let (card, file) = (self.ledger.entries, ledger.entries.len());
            differences.push(format!("{unit}: the card counts {card} entries, the ledger {file}"));
            return Ok(());
        };
        if ledger.chain_after(self.ledger.entries)? != self.ledger.chain {
            differences.push(format!("{unit}: the ledger is not the one the card was made from"));
        }
        let (groups, loss, _) = totals(entries, ledger.header.limit.delta)?;
        if !alike(loss, self.loss) {
            differences.push(format!("{unit}: the card says {}, the ledger {loss}", self.loss));
        }
        let same_group = |(a, b): (&GroupLine, &GroupLine)| {
            (a.users, a.opted_out) == (b.users, b.opted_out) && alike(a.loss, b.loss)
        };
        if groups.len() != self.groups.len() || !groups.iter().zip(&self.groups).all(same_group) {
            differences.push(format!("{unit}: the groups of users differ"));
        }
        let same = |(a, b): (&Conversion, &Conversion)| {
            (a.relation, &a.theorem) == (b.relation, &b.theorem) && alike(a.loss, b.loss)
        };
        let also = also(entries)?;
        if also.len() != self.also.len() || !also.iter().zip(&self.also).all(same) {
            differences
                .push(format!("{unit}: what the releases cost under other relations differs"));
        }
        if !entries.iter().map(ReleaseLine::of).eq(self.releases.iter().cloned()) {
            differences.push(format!("{unit}: the releases listed are not those of the ledger"));
        }
        Ok(())
    }
}

impl ReleaseLine {
    fn of(entry: &Entry) -> Self {
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

/// Whether two losses are the same number. Transforms differ in their last digits from processor to
/// processor, so a card that was written on one machine may be recomputed on another.
fn alike(a: Loss, b: Loss) -> bool {
    let (x, y) = (a.epsilon.get(), b.epsilon.get());
    a.delta == b.delta && (x == y || (x - y).abs() <= 1e-9 * x.abs().max(1.0))
}

/// What entries cost under other relations, as far as they say so themselves.
fn also(entries: &[Entry]) -> Result<Vec<Conversion>> {
    Ok(ledger::relationship(entries)?.into_iter().collect())
}

/// Every group's loss, the worst among those who did not choose to publish, and on whose word.
fn totals(entries: &[Entry], delta: Delta) -> Result<(Vec<GroupLine>, Loss, String)> {
    let groups = ledger::spent(entries, delta)?;
    let private = || groups.iter().filter(|group| !group.opted_out);
    let worst = private().max_by(|a, b| a.loss.epsilon.get().total_cmp(&b.loss.epsilon.get()));
    let nothing = Loss { epsilon: Epsilon::ZERO, delta: Delta::ZERO };
    let loss = worst.map_or(nothing, |group| group.loss);
    let accountant = worst.map_or("none", |group| group.accountant).to_owned();
    let count = |users: &Users| users.count().filter(|_| groups.len() > 1);
    let line = |group: &ledger::Spent| GroupLine {
        users: count(&group.users),
        loss: group.loss,
        opted_out: group.opted_out,
    };
    Ok((groups.iter().map(line).collect(), loss, accountant))
}
