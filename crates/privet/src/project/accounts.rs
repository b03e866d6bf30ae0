//! [`ProjectLedgers`]: the accounts of a project, one a unit, under one budget.
//!
//! An account is a ledger of its own, with the project's limit. Where two of them are about the same relation (features and
//! label are parts of one record), what one has spent is not there for the other: each is held below the limit by what
//! the others have spent. While anything may be charged two locks are held: one in the folder, and one outside of it that
//! all copies of the folder share. So no other process charges an account of this project or of a copy meanwhile.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::config::{Config, Protects};
use crate::privacy::fault::{self, Fault};
use crate::privacy::ledger::{Contents, counted_elsewhere, spent};
use crate::privacy::noise::NoiseRng;
use crate::privacy::unit::UnitFacts;
use crate::privacy::{Epsilon, Ledger, Loss, Unit};
use crate::{Error, Result};

/// The accounts of a project, while no other process may charge them.
#[derive(Debug, Clone)]
pub struct ProjectLedgers {
    folder: PathBuf,
    /// Where charges are counted outside of the project.
    counts: Option<PathBuf>,
    config: Config,
    /// How many entries every account had when they were taken.
    before: Vec<usize>,
    /// Held as long as anything may be charged.
    _locks: Arc<[Option<File>; 2]>,
}

/// Entries of one account that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entries {
    /// The account.
    pub unit: String,
    /// The first of them, from 1.
    pub first: usize,
    /// The last of them.
    pub last: usize,
}

/// One account, as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Balance {
    /// What it pays for.
    pub protects: Protects,
    /// Its file; not there before the first charge.
    pub path: PathBuf,
    /// What it says, if anything was charged.
    pub contents: Option<Contents>,
    /// What was spent on the person who paid most.
    pub spent: Loss,
}

impl Balance {
    /// How two accounts relate: those of one relation are about the same secret of the same person.
    pub(super) fn is_like(&self, other: Protects) -> bool {
        relation(self.protects) == relation(other)
    }
}

fn relation(what: Protects) -> Option<&'static str> {
    UnitFacts::named(what.unit()).map(|unit| unit.relation.name())
}

/// How many entries every account has.
fn entries(config: &Config, folder: &Path) -> Result<Vec<usize>> {
    let count = |what: &Protects| match path_of(folder, what.unit()) {
        path if path.exists() => Ok(Contents::read(&path)?.entries.len()),
        _ => Ok(0),
    };
    config.project.protects.iter().map(count).collect()
}

/// The accounts that a project has, or will have.
///
/// # Errors
/// If one cannot be read, or has lost charges that are known elsewhere.
pub(super) fn balances(
    config: &Config,
    folder: &Path,
    counts: Option<&Path>,
) -> Result<Vec<Balance>> {
    let balance = |&protects: &Protects| {
        let path = path_of(folder, protects.unit());
        let delta = config.limit()?.delta;
        if !path.exists() {
            refuse_lost(&path, counts, protects)?;
            let spent = Loss { epsilon: Epsilon::new(0.0)?, delta };
            return Ok(Balance { protects, path, contents: None, spent });
        }
        let contents = Contents::read(&path)?;
        contents.check_count(&path)?;
        if let Some(counts) = counts {
            // The entries here against the count kept outside: a restored copy of the folder is
            // noticed.
            contents.check_witness(&path, &count_of(counts, protects.unit()))?;
        }
        let groups = spent(&contents.entries, contents.header.limit.delta)?;
        // People who published have no privacy to spend, and would show an infinite loss.
        let most = groups.iter().filter(|group| !group.opted_out).map(|group| group.loss);
        let none = Loss { epsilon: Epsilon::new(0.0)?, delta };
        let larger = |a: Loss, b: Loss| match fault::on(Fault::SmallestGroupShown) {
            true => b.epsilon < a.epsilon,
            false => b.epsilon > a.epsilon,
        };
        let spent = most.fold(none, |a, b| if larger(a, b) { b } else { a });
        Ok(Balance { protects, path, contents: Some(contents), spent })
    };
    if !fault::on(Fault::UndeclaredChargesIgnored) {
        refuse_undeclared(config, folder, counts)?;
    }
    config.project.protects.iter().map(balance).collect()
}

/// Charges for something that `privet.toml` no longer names stay charges: a custodian who removes it from the list must not see less
/// than what was spent.
fn refuse_undeclared(config: &Config, folder: &Path, counts: Option<&Path>) -> Result<()> {
    for what in Protects::ALL.into_iter().filter(|what| !config.protects(*what)) {
        let path = path_of(folder, what.unit());
        let here = if path.exists() { Contents::read(&path)?.entries.len() } else { 0 };
        // What the machine knows counts as well: a deleted ledger has been charged nevertheless.
        let elsewhere = counts.map(|counts| counted_elsewhere(&count_of(counts, what.unit())));
        let known = here.max(elsewhere.transpose()?.unwrap_or(0));
        if known > 0 {
            let message = format!(
                "{}: refused: {known} charges were made to hide {}, and project.protects in privet.toml no longer says \"{}\"",
                path.display(),
                what.about(),
                what.name()
            );
            return Err(Error::Refused {
                message,
                remedy: "put it back: what was spent stays spent",
            });
        }
    }
    Ok(())
}

/// An account that is gone, though charges to it are known elsewhere.
fn refuse_lost(path: &Path, counts: Option<&Path>, what: Protects) -> Result<()> {
    let Some(count) = counts.map(|counts| count_of(counts, what.unit())) else { return Ok(()) };
    match counted_elsewhere(&count)? {
        _ if fault::on(Fault::LostAccountStartsAnew) => Ok(()),
        0 => Ok(()),
        known => {
            // Never 0 again: a lost ledger would give the whole budget back.
            let reason = format!(
                "it is gone, but {} knows of {known} charges to it: restore it from a copy of this project",
                count.display()
            );
            Err(Error::file(path, reason))
        }
    }
}

fn path_of(folder: &Path, unit: &str) -> PathBuf {
    folder.join(format!("{unit}.ledger"))
}

fn count_of(counts: &Path, unit: &str) -> PathBuf {
    counts.join(format!("{unit}.count"))
}

/// A lock of the operating system, which ends with the process that holds it.
fn lock(path: &Path, held: &str) -> Result<File> {
    let failed = |error: std::io::Error| Error::file(path, error);
    let file =
        File::options().create(true).truncate(false).write(true).open(path).map_err(failed)?;
    file.try_lock().map_err(|error| match error {
        std::fs::TryLockError::WouldBlock => Error::Refused {
            message: format!("{}: refused: {held}", path.display()),
            remedy: "wait until it is done",
        },
        std::fs::TryLockError::Error(error) => failed(error),
    })?;
    Ok(file)
}

const BY_A_COPY: &str = "another process is spending from a copy of this project";

impl ProjectLedgers {
    /// The accounts in a folder, once no other process charges them.
    ///
    /// # Errors
    /// If another process does, or the folder cannot be made.
    pub(super) fn lock(folder: PathBuf, counts: Option<PathBuf>, config: &Config) -> Result<Self> {
        std::fs::create_dir_all(&folder).map_err(|error| Error::file(&folder, error))?;
        let own = folder.join("lock");
        let shared = counts.as_deref().filter(|_| !fault::on(Fault::CopiesSpendTogether));
        // The folder's lock keeps two processes apart, the machine's lock two copies of the folder.
        let locks = [
            (!fault::on(Fault::ProjectNotLocked))
                .then(|| lock(&own, "another process is spending from this project"))
                .transpose()?,
            shared.map(|shared| lock(&shared.join("lock"), BY_A_COPY)).transpose()?,
        ];
        let before = entries(config, &folder)?;
        Ok(Self { folder, counts, config: config.clone(), before, _locks: Arc::new(locks) })
    }

    /// What was charged since they were taken.
    ///
    /// # Errors
    /// If an account cannot be read.
    pub fn charged(&self) -> Result<Vec<Entries>> {
        let now = entries(&self.config, &self.folder)?;
        let all = self.config.project.protects.iter().zip(self.before.iter().zip(now));
        let entries = all.map(|(what, (&before, last))| {
            let before = if fault::on(Fault::InterruptedChargeCredited) { 0 } else { before };
            let unit = what.unit().to_owned();
            Entries { unit, first: before + 1, last }
        });
        Ok(entries.filter(|entries| entries.first <= entries.last).collect())
    }

    /// The account of a unit, held below the limit by what others of its relation have spent.
    pub(crate) fn open<U: Unit>(&self, noise: NoiseRng) -> Result<Ledger<U>> {
        let protects = self.pays_for(U::NAME)?;
        let balances = balances(&self.config, &self.folder, self.counts.as_deref())?;
        // Ledgers of one relation share the limit: what others of it have spent is deducted here.
        let alike = balances.iter().filter(|balance| balance.is_like(protects));
        let limit = self.config.limit_of(alike.clone().count())?;
        let others: f64 = alike
            .filter(|balance| balance.protects != protects)
            .filter(|_| !fault::on(Fault::RelativesNotDeducted))
            .map(|balance| balance.spent.epsilon.get())
            .sum();
        let path = path_of(&self.folder, U::NAME);
        let ledger = match path.exists() {
            // A ledger keeps the limit that it was created with; another one in privet.toml is
            // refused.
            true => Ledger::open(&path, noise)?,
            false => Ledger::create(&path, limit, noise)?,
        };
        if ledger.limit() != limit {
            let (path, limit) = (path.display().to_string(), ledger.limit());
            return Err(Error::OtherLimit { path, limit, wanted: self.config.budget.epsilon });
        }
        let counts = self.counts.as_ref().filter(|_| !fault::on(Fault::CountNotWitnessed));
        let ledger = match counts {
            Some(counts) => ledger.witnessed_by(&count_of(counts, U::NAME))?,
            None => ledger,
        };
        Ok(ledger.at_most(Epsilon::new((limit.epsilon.get() - others).max(0.0))?))
    }

    /// What the account of a unit pays for here.
    fn pays_for(&self, unit: &str) -> Result<Protects> {
        let protects = &self.config.project.protects;
        protects.iter().copied().find(|what| what.unit() == unit).ok_or_else(|| {
            let hidden: Vec<&str> = protects.iter().map(|what| what.about()).collect();
            let named = UnitFacts::named(unit).map_or(unit, |facts| facts.protects);
            Error::Refused {
                message: format!(
                    "refused: this hides {named} and nothing else, and the project hides {}",
                    hidden.join(", and ")
                ),
                remedy: "use what protects that (`privet train` chooses), or change `protects` in privet.toml \
                         before anything is spent",
            }
        })
    }

    /// The whole budget.
    pub(crate) fn limit(&self) -> Result<Loss> {
        self.config.limit()
    }

    /// The files of the accounts that are there.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let all = self.config.project.protects.iter();
        all.map(|what| path_of(&self.folder, what.unit())).filter(|path| path.exists()).collect()
    }
}
