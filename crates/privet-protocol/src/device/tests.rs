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
        let lines = self.accounts.lock().unwrap().get(account.name()).cloned().unwrap_or_default();
        let keeper = Line(self.accounts.clone(), account.name(), self.full);
        Ok(Ledger::kept(&lines, limit, noise, Box::new(keeper))?)
    }

    fn answered(&self, task: TaskName) -> Result<Option<Vec<u8>>> {
        Ok(self.answers.borrow().get(&task.to_string()).cloned())
    }

    fn remember(&self, task: TaskName, report: &[u8]) -> Result<()> {
        if self.lost {
            return Err(Error::refused("report", "a storage that is full", "room for a report"));
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
    DeviceRecord { features: Some(vec![1.0, 2.0, 3.0]), label: Some(1), contacts: Some(vec![3, 8]) }
}

fn answer(drawer: &Drawer, lifetime: f64, task: &SealedTask, seed: u64) -> Result<DeviceAnswer> {
    PersonalDevice::new(drawer, lifetime)?.answer(task, 7, &mine(), || Ok(NoiseRng::replay(seed)))
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
    let expected = Error::OverLifetime { what: "record", before: 3.0, after: 6.0, lifetime: 5.5 };
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
