//! [`PageState`]: a person's accounts and answers as a page keeps them. What was kept comes with the question; what is new goes out
//! at once, and nothing is drawn or sent before the page has confirmed that it lasts.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use privet_privacy::ledger::{Contents, LineKeeper};
use privet_privacy::noise::NoiseRng;
use privet_privacy::unit::Unit;
use privet_privacy::{Ledger, Loss};
use privet_protocol::device::{AccountKind, DeviceStorage};
use privet_protocol::{Error, Result, TaskName};
use serde::Deserialize;

/// What a page brings: storage that lasts.
pub trait PageStorage: Sync {
    /// Makes a line of an account last, and says whether it will.
    fn keep(&self, account: &str, line: &str) -> bool;

    /// Makes a report last, and says whether it will.
    fn put(&self, task: &str, report: &[u8]) -> bool;
}

/// What a page has kept.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageState {
    /// What all answers together may cost.
    pub lifetime: f64,
    /// The lines of each account that was charged.
    #[serde(default)]
    pub accounts: BTreeMap<String, String>,
    /// The report that was drawn for the task in question.
    #[serde(default)]
    pub report: Option<Vec<u8>>,
}

/// The lines of accounts, as they are after what was kept since.
type AccountLines = Arc<Mutex<BTreeMap<String, String>>>;

/// Storage of a page, and what it held when it was asked.
pub(crate) struct BrowserStorage {
    lines: AccountLines,
    report: Option<Vec<u8>>,
    outside: &'static dyn PageStorage,
}

impl BrowserStorage {
    pub(crate) fn new(kept: PageState, outside: &'static dyn PageStorage) -> Self {
        Self { lines: Arc::new(Mutex::new(kept.accounts)), report: kept.report, outside }
    }

    fn of(&self, account: AccountKind) -> Option<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.get(account.name()).filter(|lines| !lines.is_empty()).cloned()
    }
}

/// What was not kept, in words for the person.
fn not_kept() -> String {
    "the browser could not keep it, so nothing was sent; make room, or leave private browsing"
        .into()
}

struct PageKeeper {
    account: AccountKind,
    lines: AccountLines,
    outside: &'static dyn PageStorage,
}

impl LineKeeper for PageKeeper {
    fn keep(&mut self, line: &str) -> Result<(), String> {
        if !self.outside.keep(self.account.name(), line) {
            return Err(not_kept());
        }
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.entry(self.account.name().into()).or_default().push_str(line);
        Ok(())
    }
}

impl DeviceStorage for BrowserStorage {
    type Error = Error;

    fn contents(&self, account: AccountKind) -> Result<Option<Contents>> {
        Ok(self.of(account).map(|lines| Contents::kept(&lines)).transpose()?)
    }

    fn open<U: Unit>(
        &self,
        account: AccountKind,
        limit: Loss,
        noise: NoiseRng,
    ) -> Result<Ledger<U>> {
        let page = PageKeeper { account, lines: Arc::clone(&self.lines), outside: self.outside };
        let lines = self.of(account).unwrap_or_default();
        Ok(Ledger::kept(&lines, limit, noise, Box::new(page))?)
    }

    fn answered(&self, _: TaskName) -> Result<Option<Vec<u8>>> {
        Ok(self.report.clone())
    }

    fn remember(&self, task: TaskName, report: &[u8]) -> Result<()> {
        match self.outside.put(&task.to_string(), report) {
            true => Ok(()),
            false => Err(Error::Mechanism(not_kept())),
        }
    }
}
