//! [`Run`]: what belongs to one run and not to a system: where noise comes from, where ledgers are kept, what
//! is seeded, and how it is stopped. Every system takes the same.
//!
//! ```
//! use privet::Run;
//! let folder = std::env::temp_dir().join("privet-doc-run");
//! let real = Run::in_folder(&folder)?;             // protects people, writes accounts down
//! let tried = Run::simulation(7);                  // the same every time, gives no protection, says so
//! let stop = std::sync::atomic::AtomicBool::new(false);
//! let watched = tried.watched_by(&stop);           // ends early once the flag is set
//! # std::fs::remove_dir_all(folder).ok();
//! # Ok::<(), privet::Error>(())
//! ```

use std::path::{Path, PathBuf};

use crate::data::formats::Spill;
use crate::learn::train::{NoWatch, Watch};
use crate::privacy::fault::{self, Fault};
use crate::privacy::ledger::{Contents, remove_if_unused};
use crate::privacy::noise::NoiseRng;
use crate::privacy::{Ledger, Loss, Unit};
use crate::project::ProjectLedgers;
use crate::{Error, Result};

/// What belongs to one run and not to the system.
#[derive(Debug, Clone)]
pub struct Run<'a> {
    /// Where privacy noise comes from.
    pub noise: Noise,
    /// Where ledgers are kept.
    pub ledgers: LedgerStore,
    /// Decides initial weights, batches, sketches and who publishes; gives no protection.
    pub seed: u64,
    /// Who is told how far training is, and may stop it.
    pub watch: &'a dyn Watch,
    /// The most memory to use and a place for what does not fit; `None`: everything is held in memory.
    pub spill: Option<Spill>,
}

impl Run<'static> {
    /// A run that protects people: noise from the operating system, ledgers in new files of a folder, which is
    /// made if it is not there.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Result<Self> {
        let folder = folder.into();
        std::fs::create_dir_all(&folder).map_err(|error| Error::file(&folder, error))?;
        let (noise, ledgers) = (Noise::OperatingSystem, LedgerStore::Folder(folder));
        Ok(Self { noise, ledgers, seed: 0, watch: &NoWatch, spill: None })
    }

    /// An experiment: everything, noise included, follows from the seed, and every card says so.
    pub fn simulation(seed: u64) -> Self {
        let (noise, ledgers) = (Noise::Replay(seed), LedgerStore::Memory);
        Self { noise, ledgers, seed, watch: &NoWatch, spill: None }
    }
}

impl<'a> Run<'a> {
    /// The same with another seed for what gives no protection: first weights, batches, sketches.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The same in no more memory than this: reports are made part by part and kept in files, and spread over the graph
    /// as many columns at a time as fit. What comes out has the same bytes.
    #[must_use]
    pub fn within(self, spill: Option<Spill>) -> Self {
        Self { spill, ..self }
    }

    /// The same with an observer. A flag stops it as soon as it is set; a [`Watch`] of one's own is told of every
    /// epoch as well.
    pub fn watched_by(self, watch: &dyn Watch) -> Run<'_> {
        let Self { noise, ledgers, seed, spill, .. } = self;
        Run { noise, ledgers, seed, watch, spill }
    }
}

/// Where noise comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noise {
    /// The operating system: protects people.
    OperatingSystem,
    /// A seed: a simulation, stamped as one.
    Replay(u64),
}

impl Noise {
    /// The noise of one kind of report among so many of a run. A seed gives each kind a stream of its own: with the same
    /// noise in two of them, what is known of one would give the other away.
    fn stream(self, stream: u64, streams: u64) -> crate::privacy::Result<NoiseRng> {
        match self {
            Self::OperatingSystem => NoiseRng::from_operating_system(),
            Self::Replay(seed) => {
                let stream = if fault::on(Fault::OneStreamForAllKinds) { 0 } else { stream };
                // Streams do not overlap: each seed has a block of its own.
                Ok(NoiseRng::replay(seed.wrapping_mul(streams).wrapping_add(stream)))
            }
        }
    }
}

/// Where ledgers are kept.
#[derive(Debug, Clone)]
pub enum LedgerStore {
    /// In memory, for simulations.
    Memory,
    /// In new files `features.ledger`, `labels.ledger`, `edges.ledger` and so on of this folder.
    Folder(PathBuf),
    /// In files of the caller's choice, which may have been charged before.
    Files(Vec<LedgerFile>),
    /// In a project, under one budget ([`Project::spend`](crate::project::Project::spend)).
    Project(Box<ProjectLedgers>),
}

/// One account in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerFile {
    /// The kind of report it is for: `features`, `labels`, `edges`.
    pub kind: &'static str,
    /// The file; a new account is made if it is not there.
    pub path: PathBuf,
    /// What a new account allows in all, if that is not what the first release asks for.
    pub limit: Option<f64>,
}

impl LedgerFile {
    /// What the file allows, or will allow once it is made for a release that asks for so much.
    fn limit(&self, asked: Loss) -> Result<Loss> {
        Ok(Loss::new(self.limit.unwrap_or(asked.epsilon.get()), asked.delta.get())?)
    }

    fn open<U: Unit>(&self, asked: Loss, noise: NoiseRng) -> Result<Ledger<U>> {
        if !self.path.exists() {
            return Ok(Ledger::create(&self.path, self.limit(asked)?, noise)?);
        }
        let ledger = Ledger::open(&self.path, noise)?;
        let limit = ledger.limit();
        // A given limit must agree with that of the account; without one the account's limit holds.
        match self.limit.filter(|&wanted| limit.epsilon.get() != wanted) {
            None => Ok(ledger),
            Some(wanted) => {
                let path = self.path.display().to_string();
                Err(Error::OtherLimit { path, limit, wanted })
            }
        }
    }
}

impl LedgerStore {
    /// The ledger of a kind of report in a folder.
    pub fn file(folder: &Path, kind: &str) -> PathBuf {
        folder.join(format!("{kind}.ledger"))
    }

    /// A ledger for one kind of report. Replayed noise differs between the streams of one run: this one, of so many.
    pub(crate) fn open<U: Unit>(
        &self,
        kind: &str,
        limit: Loss,
        noise: Noise,
        (stream, streams): (u64, u64),
    ) -> Result<Ledger<U>> {
        let noise = |streams: u64, stream: u64| noise.stream(stream, streams);
        match self {
            Self::Memory => Ok(Ledger::in_memory(limit, noise(streams, stream)?)?),
            Self::Folder(folder) => {
                Ok(Ledger::create(&Self::file(folder, kind), limit, noise(streams, stream)?)?)
            }
            Self::Files(files) => match files.iter().position(|file| file.kind == kind) {
                // A ledger file has its own noise stream, by its place in the list.
                Some(at) => files[at].open(limit, noise(files.len() as u64, at as u64)?),
                None => Err(Error::invalid("ledgers", format!("none for {kind}"), "one")),
            },
            Self::Project(project) => project.open(noise(streams, stream)?),
        }
    }

    /// What an account may be charged in all, if it is made for a release that asks for so much; one that is there
    /// has its limit already.
    pub(crate) fn limit_of_new(&self, kind: &str, asked: Loss) -> Result<Loss> {
        let files = match self {
            Self::Memory | Self::Folder(_) => return Ok(asked),
            Self::Project(project) => return project.limit(),
            Self::Files(files) => files,
        };
        match files.iter().find(|file| file.kind == kind && !file.path.exists()) {
            Some(file) => file.limit(asked),
            None => Ok(asked),
        }
    }

    /// Does something that charges. If it fails, an account that was made for it and not charged is gone again, and
    /// the error names those that were charged.
    pub(crate) fn accounted<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let accounts = self.accounts();
        work().map_err(|error| match accounts.charged() {
            // Without a charge the error stands as it is; with one the caller must know what was
            // spent.
            ledgers if ledgers.is_empty() => error,
            ledgers => Error::Charged { error: Box::new(error), ledgers },
        })
    }

    /// What the accounts say now, to find out what was charged since.
    pub fn accounts(&self) -> Accounts<'_> {
        let before = self.paths().into_iter().map(|path| {
            let before = Before::of(&path);
            (path, before)
        });
        Accounts { store: self, before: before.collect() }
    }

    /// The files of those that have one: in a folder, as far as they are there.
    fn paths(&self) -> Vec<PathBuf> {
        match self {
            Self::Memory => Vec::new(),
            Self::Files(files) => files.iter().map(|file| file.path.clone()).collect(),
            Self::Project(project) => project.paths(),
            Self::Folder(folder) => {
                let entries = std::fs::read_dir(folder).into_iter().flatten();
                let mut paths: Vec<PathBuf> =
                    entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
                paths.retain(|path| path.extension().is_some_and(|ending| ending == "ledger"));
                paths.sort();
                paths
            }
        }
    }
}

/// What accounts said before something that may charge them.
#[derive(Debug)]
pub struct Accounts<'a> {
    store: &'a LedgerStore,
    before: Vec<(PathBuf, Before)>,
}

impl Accounts<'_> {
    /// Those that were charged since. Those that were made since and not charged go.
    pub fn charged(self) -> Vec<String> {
        let charged = self.store.paths().into_iter().filter(|path| {
            let before = self.before.iter().find(|(other, _)| other == path);
            before.map_or(&Before::NotThere, |(_, before)| before).was_charged(path)
        });
        charged.map(|path| path.display().to_string()).collect()
    }
}

/// What an account said before something that may charge it.
#[derive(Debug)]
enum Before {
    NotThere,
    Entries(usize),
    Unreadable,
}

impl Before {
    fn of(path: &Path) -> Self {
        match (path.exists(), Contents::read(path)) {
            (false, _) => Self::NotThere,
            (true, Ok(contents)) => Self::Entries(contents.entries.len()),
            (true, Err(_)) => Self::Unreadable,
        }
    }

    /// Whether it was charged since; if it was made since and not charged, it goes.
    fn was_charged(&self, path: &Path) -> bool {
        match self {
            // Unless another process has charged it meanwhile; what cannot be read may well be charged.
            Self::NotThere => path.exists() && !remove_if_unused(path).unwrap_or(false),
            Self::Entries(count) => {
                Contents::read(path).is_ok_and(|contents| contents.entries.len() > *count)
            }
            Self::Unreadable => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Secret;
    use crate::privacy::features::LabelRr;
    use crate::privacy::noise::RandomWords;
    use crate::privacy::template::CoinFlip;
    use crate::privacy::unit::{FeatureRow, Label};

    #[test]
    fn b9_a_seed_gives_every_kind_a_stream_of_its_own() {
        let first = |seed, stream| {
            let mut noise = Noise::Replay(seed).stream(stream, 3).unwrap();
            noise.next_release().into_stream().next_u64()
        };
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..5 {
            for stream in 0..3 {
                assert!(seen.insert(first(seed, stream)), "seed {seed}, stream {stream}");
            }
        }
    }

    /// Features and labels of the same people, as a run releases them: equal mechanisms on equal records differ.
    #[test]
    fn b9_features_and_labels_of_a_run_have_different_noise() {
        let (run, people) = (Run::simulation(7), 400);
        let limit = Loss::new(1.0, 0.0).unwrap();
        let mut features: Ledger<FeatureRow> =
            run.ledgers.open("features", limit, run.noise, (0, 3)).unwrap();
        let mut labels: Ledger<Label> =
            run.ledgers.open("labels", limit, run.noise, (1, 3)).unwrap();
        let coin = CoinFlip::new(1.0).unwrap();
        let answers = Secret::new(vec![0.0; people]);
        let flips = features.release_each(&answers, &coin).unwrap().into_inner();
        let response = LabelRr::new(1.0, 2).unwrap();
        let classes = vec!["no".to_owned(), "yes".to_owned()];
        let truth = crate::graph::Labels::single(vec![Some(0); people], classes).unwrap();
        let told = labels.release_each(&Secret::new(truth), &response).unwrap().into_inner();
        let told: Vec<bool> = told.iter().map(|label| *label == Some(1)).collect();
        let differ = flips.iter().zip(&told).filter(|(flip, told)| **flip != **told).count();
        assert!(differ > 50, "{differ} of {people} reports differ");
    }
}
