//! Where noise comes from and where the cost is written down: `ledger=`, `folder=` and `seed=` of every call that
//! releases something, as a [`Run`] of the library.

use std::path::PathBuf;

use privet::doubts::Doubt;
use privet::graph::Error;
use privet::{LedgerStore, Noise, Run};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::Failure;
use crate::ledger::{Ledger, Spending};
use crate::work::Board;

/// What a call said about it.
pub(crate) struct Where {
    ledgers: LedgerStore,
    noise: Noise,
    seed: u64,
    /// Held until the work is done, even if no caller waits for it any more.
    _spending: Option<Spending>,
}

impl Where {
    /// One account for one kind of report, a folder for all kinds, or a simulation.
    ///
    /// # Errors
    /// If nothing was said, or both; those of the ledger and of the folder.
    pub(crate) fn new(
        kind: &'static str,
        ledger: Option<&Ledger>,
        folder: Option<PathBuf>,
        seed: Option<u64>,
    ) -> PyResult<Self> {
        let (ledgers, spending) = match (ledger, folder) {
            (Some(_), Some(_)) => {
                let text = "ledger= and folder= are two places for one cost: give one of them";
                return Err(PyValueError::new_err(text));
            }
            (Some(ledger), None) => {
                let (file, spending) = ledger.borrow(kind)?;
                (LedgerStore::Files(vec![file]), Some(spending))
            }
            (None, Some(folder)) => (Run::in_folder(folder).map_err(Failure::from)?.ledgers, None),
            (None, None) if seed.is_some() => (LedgerStore::Memory, None),
            (None, None) => {
                let text = "a release costs people something: say where that is written down, with ledger= or \
                            folder=; seed= makes a simulation, which gives no protection";
                return Err(PyValueError::new_err(text));
            }
        };
        let noise = seed.map_or(Noise::OperatingSystem, Noise::Replay);
        Ok(Self { ledgers, noise, seed: seed.unwrap_or(0), _spending: spending })
    }

    /// The same for the library, with an observer.
    pub(crate) fn run<'a>(&self, board: &'a Board) -> Run<'a> {
        let (noise, ledgers) = (self.noise, self.ledgers.clone());
        Run { noise, ledgers, seed: self.seed, watch: board, spill: None }
    }
}

/// Doubts by their names.
///
/// # Errors
/// If there is no such doubt.
pub(crate) fn doubts(names: &[String]) -> Result<Vec<Doubt>, Failure> {
    let known = || Doubt::ALL.map(Doubt::name);
    let doubt = |name: &String| {
        Doubt::from_name(name).ok_or_else(|| Error::unknown_name("doubt", name, known()).into())
    };
    names.iter().map(doubt).collect()
}
