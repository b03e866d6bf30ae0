//! [`Account`]: the ledger that a release is charged to.

use std::path::PathBuf;

use privet::privacy::ledger::remove_if_unused;
use privet::privacy::noise::NoiseRng;
use privet::privacy::{Ledger, Loss, Unit};

use super::{check_folder, refuse_existing};
use crate::args::Spending;
use crate::console::Console;
use crate::failure::{Failure, Kind, Result};
use crate::output::beside;

/// Where the account is, what may be spent, and where noise comes from.
#[derive(Debug)]
pub(super) struct Account {
    /// The ledger's file.
    pub path: PathBuf,
    state: State,
    noise: Noise,
}

#[derive(Debug)]
enum State {
    New { limit: Loss },
    Existing { wanted: Option<f64> },
}

#[derive(Debug)]
enum Noise {
    OperatingSystem,
    Replay { seed: u64 },
}

impl Account {
    /// `most` is what anyone pays for the release: the limit of a new account, unless one was typed.
    pub(super) fn new(spending: &Spending, most: f64, delta: f64) -> Result<Self> {
        let path = spending.ledger.clone();
        let path = path.unwrap_or_else(|| beside(&spending.output, "ledger"));
        if spending.ledger.is_none() {
            let hint = format!("charge it again with --ledger {}", path.display());
            refuse_existing(&path, &hint)?;
        }
        let state = match path.exists() {
            true => State::Existing { wanted: spending.limit },
            false => {
                check_folder(&path)?;
                let limit = Loss::new(spending.limit.unwrap_or(most), delta)?;
                State::New { limit }
            }
        };
        let noise = spending.seed.map_or(Noise::OperatingSystem, |seed| Noise::Replay { seed });
        Ok(Self { path, state, noise })
    }

    /// What a new account may be charged in all; an existing one has its limit already.
    pub(super) fn new_limit(&self) -> Option<Loss> {
        match self.state {
            State::New { limit } => Some(limit),
            State::Existing { .. } => None,
        }
    }

    /// Nobody should take a simulation for the real thing.
    pub(super) fn announce(&self, console: &Console) {
        if let Noise::Replay { seed } = self.noise {
            console.note(&format!(
                "SIMULATION: noise replayed from seed {seed} protects nobody; the card says so"
            ));
        }
    }

    /// Charges the ledger and runs what was charged; gives the ledger back for the card.
    pub(super) fn spend<U: Unit, T>(
        &self,
        release: impl FnOnce(&mut Ledger<U>) -> Result<T>,
    ) -> Result<(T, Ledger<U>)> {
        let mut ledger = self.open::<U>()?;
        let before = ledger.entries().len();
        let failure = match release(&mut ledger) {
            Ok(released) => return Ok((released, ledger)),
            Err(failure) => failure,
        };
        let charged = ledger.entries().len() > before;
        drop(ledger);
        if charged {
            return Err(self.lament(failure));
        }
        if let State::New { .. } = self.state {
            // Made a moment ago, nothing charged: as if it had never been, unless somebody else has
            // charged it meanwhile.
            let _ = remove_if_unused(&self.path);
        }
        Err(failure)
    }

    /// Says that what was charged stays charged.
    pub(super) fn lament(&self, failure: Failure) -> Failure {
        failure.hint(format!(
            "noise was drawn already, so the charge in {} stays, although nothing was written",
            self.path.display()
        ))
    }

    fn open<U: Unit>(&self) -> Result<Ledger<U>> {
        let noise = match self.noise {
            Noise::OperatingSystem => NoiseRng::from_operating_system()?,
            Noise::Replay { seed } => NoiseRng::replay(seed),
        };
        let ledger = match self.state {
            State::New { limit } => return Ok(Ledger::create(&self.path, limit, noise)?),
            State::Existing { .. } => Ledger::open(&self.path, noise)?,
        };
        let State::Existing { wanted: Some(wanted) } = self.state else { return Ok(ledger) };
        let limit = ledger.limit();
        if limit.epsilon.get() == wanted {
            return Ok(ledger);
        }
        let message = format!(
            "{}: refused: its limit is {limit} and cannot become epsilon {wanted}",
            self.path.display()
        );
        Err(Failure::new(Kind::Refused, message).hint("leave out --limit"))
    }
}
