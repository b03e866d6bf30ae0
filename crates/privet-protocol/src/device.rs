//! [`PersonalDevice`]: a person's own side, wherever accounts and answers are kept. It checks what the person holds against what is
//! asked, prices all parts against what the person allowed for life, draws each from its own account, and sends the
//! same bytes ever after.
//!
//! Where things are kept is a [`DeviceStorage`]: files in a folder, or a browser's storage. It must let one answer through at a
//! time, for two at once could both see a budget that has room for one.

mod record;

use privet_graph::{DenseMatrix, Features, Labels};
use privet_privacy::fault::{self, Fault};
use privet_privacy::ledger::{Contents, spent};
use privet_privacy::noise::NoiseRng;
use privet_privacy::population::OwnList;
use privet_privacy::unit::Unit;
use privet_privacy::{Epsilon, Ledger, Loss, Secret};
use serde::{Deserialize, Serialize};

pub use record::DeviceRecord;

use crate::{CheckedTask, Error, Report, Result, SealedTask, TaskName};

/// A kind of answer. Each has an account of its own; features and label are parts of one record, and share a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountKind {
    /// Numbers.
    Features,
    /// One of several answers.
    Label,
    /// A list of people.
    Contacts,
}

impl AccountKind {
    /// What it is called where it is kept.
    pub fn name(self) -> &'static str {
        match self {
            Self::Features => "features",
            Self::Label => "label",
            Self::Contacts => "contacts",
        }
    }

    /// The other part of the same record, if there is one.
    fn beside(self) -> Option<Self> {
        match self {
            Self::Features => Some(Self::Label),
            Self::Label => Some(Self::Features),
            Self::Contacts => None,
        }
    }
}

/// Where a person's accounts and answers are kept.
pub trait DeviceStorage {
    /// Why something is not there.
    type Error: From<Error>;

    /// What an account says; nothing, if it was never charged.
    ///
    /// # Errors
    /// If it cannot be read, or was changed.
    fn contents(&self, account: AccountKind) -> Result<Option<Contents>, Self::Error>;

    /// The account, ready to be charged; a new one has this limit.
    ///
    /// # Errors
    /// If it cannot be opened.
    fn open<U: Unit>(
        &self,
        account: AccountKind,
        limit: Loss,
        noise: NoiseRng,
    ) -> Result<Ledger<U>, Self::Error>;

    /// The report that was drawn for a task.
    ///
    /// # Errors
    /// If the storage cannot be read.
    fn answered(&self, task: TaskName) -> Result<Option<Vec<u8>>, Self::Error>;

    /// Makes a report last before it can leave.
    ///
    /// # Errors
    /// If it may be lost.
    fn remember(&self, task: TaskName, report: &[u8]) -> Result<(), Self::Error>;
}

/// What is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceAnswer {
    /// The task it is for.
    pub task: TaskName,
    /// The bytes.
    pub report: Vec<u8>,
    /// Whether they were drawn before, and remembered.
    pub again: bool,
}

/// What answers have cost the person so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DeviceSpending {
    /// What the person's record lost: features and label together.
    pub record: f64,
    /// What each entry of the person's list of contacts lost.
    pub contacts: f64,
    /// What each of the two may lose.
    pub lifetime: f64,
}

impl DeviceSpending {
    /// Whether a task fits into what is left; all its parts together.
    ///
    /// # Errors
    /// What it would come to.
    pub fn allows(&self, asked: &CheckedTask) -> Result<()> {
        let asks = &asked.task.asks;
        let features = asks.features.as_ref().map_or(0.0, |asked| asked.epsilon);
        let label = asks.label.as_ref().map_or(0.0, |asked| asked.epsilon);
        let list = asks.contacts.as_ref().map_or(0.0, |asked| asked.epsilon);
        let &Self { record, contacts, lifetime } = self;
        for (what, before, more) in
            [("record", record, features + label), ("list of contacts", contacts, list)]
        {
            let after = before + more;
            // Additions of a few numbers round in the last digit; ledgers are exact about each.
            if more > 0.0 && after > lifetime * (1.0 + 1e-12) {
                return Err(Error::OverLifetime { what, before, after, lifetime });
            }
        }
        Ok(())
    }
}

/// A person, by what they keep.
#[derive(Debug, Clone, Copy)]
pub struct PersonalDevice<'k, K> {
    keeping: &'k K,
    lifetime: f64,
}

/// The most that a person may allow: beyond it nothing is protected.
pub const MOST_LIFETIME: f64 = 20.0;

impl<'k, K: DeviceStorage> PersonalDevice<'k, K> {
    /// The person who keeps this, and allows so much in all.
    ///
    /// # Errors
    /// If the budget is none.
    pub fn new(keeping: &'k K, lifetime: f64) -> Result<Self> {
        let fits = lifetime > 0.0 && lifetime <= MOST_LIFETIME;
        Error::unless(fits, "lifetime budget", lifetime, "an epsilon above 0, up to 20")?;
        Ok(Self { keeping, lifetime })
    }

    /// The person's report for a task: drawn once, charged before that, remembered, and the same bytes ever after.
    ///
    /// # Errors
    /// If the task is not what its collector signed, something else is held than what is asked, the lifetime budget has no
    /// room for it (then nothing is drawn), or what should be kept is not.
    pub fn answer(
        &self,
        task: &SealedTask,
        participant: u32,
        mine: &DeviceRecord,
        noise: impl Fn() -> Result<NoiseRng>,
    ) -> Result<DeviceAnswer, K::Error> {
        let (asked, _) = task.open()?;
        mine.check(&asked, participant)?;
        let kept = self.keeping.answered(asked.name)?;
        if let Some(report) = kept.filter(|_| !fault::on(Fault::DrawnAgainWhenAsked)) {
            // Another place would be another person: one person's answer is never sent in another's name.
            let kept = Report::decode(&asked, &report)?.participant;
            let same = kept == participant || fault::on(Fault::OtherPlaceAnswers);
            Error::unless(same, "participant", participant, "the one who answered")?;
            return Ok(DeviceAnswer { task: asked.name, report, again: true });
        }
        // All parts are priced before the first is drawn.
        if !fault::on(Fault::PartsPricedOneByOne) {
            self.spent()?.allows(&asked)?;
        }
        let report = self.draw(&asked, participant, mine, noise)?.encode();
        let kept = self.keeping.remember(asked.name, &report);
        // A report that was not kept could be drawn anew later, at another's cost: it is not sent.
        if !fault::on(Fault::SentBeforeKept) {
            kept?;
        }
        Ok(DeviceAnswer { task: asked.name, report, again: false })
    }

    /// What answers have cost so far.
    ///
    /// # Errors
    /// If an account cannot be read.
    pub fn spent(&self) -> Result<DeviceSpending, K::Error> {
        let record = self.spent_on(AccountKind::Features)? + self.spent_on(AccountKind::Label)?;
        let contacts = self.spent_on(AccountKind::Contacts)?;
        Ok(DeviceSpending { record, contacts, lifetime: self.lifetime })
    }

    fn draw(
        &self,
        asked: &CheckedTask,
        participant: u32,
        mine: &DeviceRecord,
        noise: impl Fn() -> Result<NoiseRng>,
    ) -> Result<Report, K::Error> {
        let place = u64::from(participant);
        let features = match (&asked.features, &mine.features) {
            (Some(mechanism), Some(row)) => {
                let row = DenseMatrix::new(1, row.len(), row.clone()).map_err(Error::from)?;
                let mut ledger = self.open(AccountKind::Features, noise()?)?;
                let secret = Secret::new(Features::dense(row));
                let drawn = ledger.release_own(&secret, 0, mechanism, place);
                Some(drawn.map_err(Error::from)?.get().clone())
            }
            _ => None,
        };
        let label = match (&asked.label, &asked.task.asks.label, mine.label) {
            (Some(mechanism), Some(asked), Some(class)) => {
                let label = Labels::single(vec![Some(class)], asked.classes.clone());
                let mut ledger = self.open(AccountKind::Label, noise()?)?;
                let secret = Secret::new(label.map_err(Error::from)?);
                let drawn = ledger.release_own(&secret, 0, mechanism, place);
                *drawn.map_err(Error::from)?.get()
            }
            _ => None,
        };
        let contacts = match (&asked.contacts, &mine.contacts) {
            (Some(mechanism), Some(list)) => {
                let people = asked.task.people.count as usize;
                let list = OwnList::new(participant, list.clone(), people);
                let mut ledger = self.open(AccountKind::Contacts, noise()?)?;
                let secret = Secret::new(list.map_err(Error::from)?);
                let drawn = ledger.release_own(&secret, 0, mechanism, place);
                Some(drawn.map_err(Error::from)?.get().clone())
            }
            _ => None,
        };
        Ok(Report { task: asked.name, participant, features, label, contacts })
    }

    /// The account of a kind of answer, held below the budget by what the other part of the record has spent.
    fn open<U: Unit>(&self, account: AccountKind, noise: NoiseRng) -> Result<Ledger<U>, K::Error> {
        let limit = Loss::new(self.lifetime, 0.0).map_err(Error::from)?;
        let ledger = self.keeping.open(account, limit, noise)?;
        let others = match account.beside() {
            Some(other) => self.spent_on(other)?,
            None => 0.0,
        };
        // Features and label share one budget: what the other account has spent is not there to spend.
        let left = Epsilon::new((self.lifetime - others).max(0.0)).map_err(Error::from)?;
        Ok(ledger.at_most(left))
    }

    fn spent_on(&self, account: AccountKind) -> Result<f64, K::Error> {
        let Some(contents) = self.keeping.contents(account)? else { return Ok(0.0) };
        // From the ledger's entries, never from a number kept beside them.
        let groups = spent(&contents.entries, contents.header.limit.delta).map_err(Error::from)?;
        Ok(groups.iter().map(|group| group.loss.epsilon.get()).fold(0.0, f64::max))
    }
}

#[cfg(test)]
mod tests;
