//! [`PersonalDevice`]: a person's own side, wherever accounts and answers are kept. It checks what the person holds against what is
//! asked, prices all parts against what the person allowed for life, draws each from its own account, and sends the
//! same bytes ever after.
//!
//! Where things are kept is a [`DeviceStorage`]: files in a folder, or a browser's storage. It must let one answer through at a
//! time, for two at once could both see a budget that has room for one.

use privet_graph::{DenseMatrix, Features, Labels, NodeId};
use privet_privacy::fault::{self, Fault};
use privet_privacy::ledger::{Contents, spent};
use privet_privacy::noise::NoiseRng;
use privet_privacy::population::OwnList;
use privet_privacy::unit::Unit;
use privet_privacy::{Epsilon, Ledger, Loss, Secret};
use serde::{Deserialize, Serialize};

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

/// What the person holds. It never leaves as it is.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceRecord {
    /// A number for every column that is asked.
    #[serde(default)]
    pub features: Option<Vec<f32>>,
    /// The number of the right class.
    #[serde(default)]
    pub label: Option<u32>,
    /// The places of contacts among those who can take part.
    #[serde(default)]
    pub contacts: Option<Vec<NodeId>>,
}

impl DeviceRecord {
    /// Whether it is what is asked: no more, no less. The error does not show what it holds.
    ///
    /// # Errors
    /// Which part is not.
    pub fn check(&self, asked: &CheckedTask, participant: u32) -> Result<()> {
        let task = &asked.task;
        let count = task.people.count;
        Error::unless(participant < count, "participant", participant, format!("below {count}"))?;
        for (what, asked, held) in [
            ("features", asked.features.is_some(), self.features.is_some()),
            ("label", asked.label.is_some(), self.label.is_some()),
            ("contacts", asked.contacts.is_some(), self.contacts.is_some()),
        ] {
            let word = |there| if there { "some" } else { "none" };
            Error::unless(asked == held, what, word(held), word(asked))?;
        }
        if let (Some(row), Some(asked)) = (&self.features, &task.asks.features) {
            let (found, wanted) = (row.len(), asked.columns.len());
            Error::unless(found == wanted, "features", found, format!("{wanted} numbers"))?;
            let finite = row.iter().all(|value| value.is_finite());
            Error::unless(finite, "features", "something else", "finite numbers")?;
        }
        if let (Some(class), Some(asked)) = (self.label, &task.asks.label) {
            let fits = (class as usize) < asked.classes.len();
            Error::unless(fits, "label", "another one", "one of the answers there are")?;
        }
        if let Some(list) = &self.contacts {
            let ascends = list.windows(2).all(|pair| pair[0] < pair[1]);
            let others = list.iter().all(|&other| other < count && other != participant);
            let expected =
                "other people who can take part, each once, in the order of their places";
            Error::unless(ascends && others, "contacts", "something else", expected)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::rc::Rc;
    use std::sync::{Arc, Mutex};

    use privet_privacy::ledger::LineKeeper;

    use super::*;
    use crate::SigningKey;
    use crate::task::tests::survey;

    /// A browser's storage, made of maps.
    #[derive(Default, Clone)]
    struct Drawer {
        accounts: Arc<Mutex<BTreeMap<&'static str, String>>>,
        answers: Rc<RefCell<BTreeMap<String, Vec<u8>>>>,
        /// Accounts cannot be charged.
        full: bool,
        /// Reports cannot be kept.
        lost: bool,
    }

    struct Line(Lines, &'static str, bool);
    type Lines = Arc<Mutex<BTreeMap<&'static str, String>>>;

    impl LineKeeper for Line {
        fn keep(&mut self, line: &str) -> Result<(), String> {
            match self.2 {
                true => Err("no room".into()),
                false => {
                    self.0.lock().unwrap().entry(self.1).or_default().push_str(line);
                    Ok(())
                }
            }
        }
    }

    impl DeviceStorage for Drawer {
        type Error = Error;

        fn contents(&self, account: AccountKind) -> Result<Option<Contents>> {
            let accounts = self.accounts.lock().unwrap();
            Ok(accounts.get(account.name()).map(|lines| Contents::kept(lines)).transpose()?)
        }

        fn open<U: Unit>(
            &self,
            account: AccountKind,
            limit: Loss,
            noise: NoiseRng,
        ) -> Result<Ledger<U>> {
            let lines =
                self.accounts.lock().unwrap().get(account.name()).cloned().unwrap_or_default();
            let keeper = Line(self.accounts.clone(), account.name(), self.full);
            Ok(Ledger::kept(&lines, limit, noise, Box::new(keeper))?)
        }

        fn answered(&self, task: TaskName) -> Result<Option<Vec<u8>>> {
            Ok(self.answers.borrow().get(&task.to_string()).cloned())
        }

        fn remember(&self, task: TaskName, report: &[u8]) -> Result<()> {
            if self.lost {
                return Err(Error::refused(
                    "report",
                    "a storage that is full",
                    "room for a report",
                ));
            }
            self.answers.borrow_mut().insert(task.to_string(), report.to_vec());
            Ok(())
        }
    }

    fn sealed(title: &str) -> SealedTask {
        let task = crate::Task { title: title.into(), ..survey() };
        SigningKey::from_bytes(&[3; 32]).seal(&task).unwrap()
    }

    fn mine() -> DeviceRecord {
        DeviceRecord {
            features: Some(vec![1.0, 2.0, 3.0]),
            label: Some(1),
            contacts: Some(vec![3, 8]),
        }
    }

    fn answer(
        drawer: &Drawer,
        lifetime: f64,
        task: &SealedTask,
        seed: u64,
    ) -> Result<DeviceAnswer> {
        PersonalDevice::new(drawer, lifetime)?
            .answer(task, 7, &mine(), || Ok(NoiseRng::replay(seed)))
    }

    #[test]
    fn a_report_is_drawn_once_wherever_it_is_kept() {
        let drawer = Drawer::default();
        let task = sealed("once");
        let first = answer(&drawer, 7.0, &task, 1).unwrap();
        // Other noise would draw another report, if anything were drawn.
        let again = answer(&drawer, 7.0, &task, 2).unwrap();
        assert_eq!((first.again, again.again, &first.report), (false, true, &again.report));
        assert_ne!(answer(&Drawer::default(), 7.0, &task, 2).unwrap().report, first.report);
        let spent = PersonalDevice::new(&drawer, 7.0).unwrap().spent().unwrap();
        assert_eq!(spent, DeviceSpending { record: 3.0, contacts: 3.0, lifetime: 7.0 });
        let other = PersonalDevice::new(&drawer, 7.0).unwrap();
        let message =
            other.answer(&task, 9, &mine(), || Ok(NoiseRng::replay(1))).unwrap_err().to_string();
        assert!(message.contains("participant"), "{message}");
    }

    #[test]
    fn a_budget_for_life_is_held_wherever_it_is_kept() {
        let drawer = Drawer::default();
        answer(&drawer, 5.5, &sealed("first"), 1).unwrap();
        let message = answer(&drawer, 5.5, &sealed("second"), 1).unwrap_err();
        let expected =
            Error::OverLifetime { what: "record", before: 3.0, after: 6.0, lifetime: 5.5 };
        assert_eq!(message, expected);
        assert!(
            answer(&drawer, 6.0, &sealed("second"), 1).is_err(),
            "the account keeps the first limit"
        );
        assert_eq!(drawer.answers.borrow().len(), 1);
        for lifetime in [0.0, -1.0, f64::NAN, 20.5] {
            assert!(PersonalDevice::new(&drawer, lifetime).is_err());
        }
    }

    /// Charges that cannot be kept are no charges, and a report without one never leaves.
    #[test]
    fn nothing_leaves_that_could_not_be_kept() {
        let drawer = Drawer { full: true, ..Drawer::default() };
        let message = answer(&drawer, 7.0, &sealed("full"), 1).unwrap_err().to_string();
        assert!(message.contains("no room"), "{message}");
        assert!(drawer.answers.borrow().is_empty() && drawer.accounts.lock().unwrap().is_empty());
    }

    /// A report that was not kept would be drawn anew when the task is asked again: two reports, of which one was charged.
    #[test]
    fn c11_no_report_leaves_that_could_not_be_kept() {
        let drawer = Drawer { lost: true, ..Drawer::default() };
        let message = answer(&drawer, 7.0, &sealed("lost"), 1).unwrap_err().to_string();
        assert!(message.contains("room for a report"), "{message}");
        // What was charged before it was drawn stays charged.
        assert_eq!(PersonalDevice::new(&drawer, 7.0).unwrap().spent().unwrap().record, 3.0);
    }

    /// Features and label together do not fit into this budget, though each would.
    #[test]
    fn c11_nothing_is_drawn_unless_all_parts_fit() {
        let drawer = Drawer::default();
        assert!(answer(&drawer, 2.5, &sealed("both"), 1).is_err());
        assert!(drawer.accounts.lock().unwrap().is_empty(), "nothing is charged");
    }

    #[test]
    fn an_account_that_was_edited_is_not_spent_from() {
        let drawer = Drawer::default();
        answer(&drawer, 9.0, &sealed("first"), 1).unwrap();
        let edit = |lines: &mut String| *lines = lines.replacen("1.0", "0.5", 1);
        edit(drawer.accounts.lock().unwrap().get_mut("label").unwrap());
        let message = answer(&drawer, 9.0, &sealed("second"), 1).unwrap_err().to_string();
        assert!(message.contains("line 2") && message.contains("edited"), "{message}");
    }
}
