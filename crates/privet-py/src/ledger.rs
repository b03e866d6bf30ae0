//! An account in a file, as Python holds it: which file, and that one thread of one process uses it at a time.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use privet::privacy::Loss;
use privet::privacy::card::stated_account;
use privet::privacy::ledger::{Contents, spent};
use privet::run::LedgerFile;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::error::{Failure, LedgerError};

/// An account in a file; the file is made by the first release.
#[pyclass(frozen, module = "privet._native")]
pub(crate) struct Ledger {
    path: PathBuf,
    limit: Option<f64>,
    /// A child of `fork` has a copy of everything but the right to spend.
    process: u32,
    busy: Arc<AtomicBool>,
}

#[pymethods]
impl Ledger {
    #[new]
    #[pyo3(signature = (path, limit=None))]
    fn new(path: PathBuf, limit: Option<f64>) -> PyResult<Self> {
        if let Some(limit) = limit {
            Loss::new(limit, 0.0).map_err(Failure::from)?;
        }
        let path = std::path::absolute(path)?;
        Ok(Self { path, limit, process: std::process::id(), busy: Arc::default() })
    }

    /// The file.
    #[getter]
    fn path(&self) -> &Path {
        &self.path
    }

    /// Whether something made the file already.
    #[getter]
    fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Epsilon and delta that may be spent in all, if that is settled.
    #[getter]
    fn limit(&self) -> PyResult<Option<(f64, f64)>> {
        Ok(match self.contents()? {
            Some(contents) => Some(pair(contents.header.limit)),
            None => self.limit.map(|epsilon| (epsilon, 0.0)),
        })
    }

    /// Who is protected.
    #[getter]
    fn unit(&self) -> PyResult<Option<String>> {
        Ok(self.contents()?.map(|contents| contents.header.unit))
    }

    /// Epsilon and delta of the person who paid most; those who gave their data away are not counted.
    #[getter]
    fn spent(&self) -> PyResult<(f64, f64)> {
        let Some(contents) = self.contents()? else { return Ok((0.0, 0.0)) };
        let delta = contents.header.limit.delta;
        let groups = spent(&contents.entries, delta).map_err(Failure::from)?;
        let paid = groups.iter().filter(|group| !group.opted_out);
        let most = paid.map(|group| group.loss.epsilon.get()).fold(0.0, f64::max);
        Ok((most, if contents.entries.is_empty() { 0.0 } else { delta.get() }))
    }

    /// What was spent, with its relation and everything that it depends on; nothing if nothing was charged.
    fn stated(&self) -> PyResult<Vec<String>> {
        let Some(contents) = self.contents()? else { return Ok(Vec::new()) };
        let lines = stated_account(&contents).map_err(Failure::from)?;
        Ok(lines.iter().map(ToString::to_string).collect())
    }

    /// Every release, as the file has it: a list in JSON.
    fn entries(&self) -> PyResult<String> {
        let entries = self.contents()?.map_or_else(Vec::new, |contents| contents.entries);
        serde_json::to_string(&entries).map_err(|error| LedgerError::new_err(error.to_string()))
    }

    /// The hash that fixes all entries.
    #[getter]
    fn chain(&self) -> PyResult<Option<String>> {
        Ok(self.contents()?.map(|contents| contents.chain))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(format!(
            "a ledger cannot be pickled or copied: two copies would spend the same budget twice; open it again with \
             privet.Ledger({:?})",
            self.path.display()
        )))
    }
}

impl Ledger {
    fn contents(&self) -> PyResult<Option<Contents>> {
        match self.path.exists() {
            true => Ok(Some(Contents::read(&self.path).map_err(Failure::from)?)),
            false => Ok(None),
        }
    }

    /// The right to spend, until it is dropped.
    ///
    /// # Errors
    /// If this is not the process that opened it, or another thread is spending.
    pub(crate) fn borrow(&self, kind: &'static str) -> PyResult<(LedgerFile, Spending)> {
        let place = self.path.display();
        if std::process::id() != self.process {
            return Err(LedgerError::new_err(format!(
                "ledger {place}: it was opened by another process, of which this one is a fork; open it again with \
                 privet.Ledger(path)"
            )));
        }
        if self.busy.swap(true, Ordering::AcqRel) {
            return Err(LedgerError::new_err(format!(
                "ledger {place}: another thread is spending from it; one release at a time"
            )));
        }
        let file = LedgerFile { kind, path: self.path.clone(), limit: self.limit };
        Ok((file, Spending(Arc::clone(&self.busy))))
    }
}

/// As long as this lives no other caller spends through the same object.
pub(crate) struct Spending(Arc<AtomicBool>);

impl Drop for Spending {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

fn pair(loss: Loss) -> (f64, f64) {
    (loss.epsilon.get(), loss.delta.get())
}
