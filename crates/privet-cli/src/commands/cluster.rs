//! `privet cluster run JOB`: the same by several processes.
//!
//! Every process meets the others first, so that one that is missing is noticed at once, and then reads the data; what
//! was read is compared before the work begins. All of it, writing included, happens inside the job: whoever cannot go
//! on says why, and everybody stops.

mod embed;
mod hops;
mod protect;
mod rows;
mod train;

use std::ffi::OsString;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use privet::LedgerStore;
use privet::graph::Dataset;
use privet::run::Accounts;
use privet_cluster::checkpoint::Resume;
use privet_cluster::connect::Invitation;
use privet_cluster::launch::{self, Launched};
use privet_cluster::session::Keeping;
use privet_cluster::{Beginning, Error, Exchange, Hosts, Team, gather};

use crate::args::{ClusterJob, ClusterRun, Named, Reading};
use crate::commands::source::Source;
use crate::failure::{Failure, Result};
use crate::output::cluster::{Answered, Clustered};
use crate::output::console::Console;

/// Meets the others, works, answers.
///
/// # Errors
/// If options contradict each other, something is in the way, another process is missing or lost, or the job fails.
pub(super) fn run(mut typed: ClusterRun, console: &Console) -> Result<()> {
    let chief = typed.worker.is_none() && typed.process.unwrap_or(0) == 0;
    let keeping = keeping(&mut typed);
    let prepared = match typed.job {
        ClusterJob::Embed(ref typed) => Prepared::Embed(embed::Embedding::new(typed, chief)?),
        ClusterJob::Hops(ref typed) => Prepared::Hops(hops::Hopping::new(typed, chief)?),
        ClusterJob::Train(ref typed) => Prepared::Train(train::Lessons::new(typed, chief)?),
        ClusterJob::Protect(ref typed) => {
            Prepared::Protect(protect::Share::new(typed, chief, keeping.as_ref(), console)?)
        }
    };
    let (ledgers, kept) = (prepared.ledgers().cloned(), keeping.is_some());
    let accounts = ledgers.as_ref().map(LedgerStore::accounts);
    let mut place = Place::take(&typed, &prepared)?;
    if let Some(launched) = &place.launched {
        for (index, process) in launched.processes() {
            console.step(&format!("worker {index} is process {process}"));
        }
    }
    let shows = typed.worker.is_none();
    let speech = if chief { *console } else { console.quietly() };
    let result = place.work(prepared, keeping, typed.patience, speech);
    let answer = match (result, place.launched.take()) {
        (Ok(answer), Some(launched)) => launched.finish().map(|()| answer)?,
        (Ok(answer), None) => answer,
        (Err(Stopped::Own(failure)), launched) => {
            drop(launched);
            return Err(failure);
        }
        (Err(Stopped::Cluster(error)), Some(launched)) => {
            return Err(advised(launched.explain(error), accounts, kept));
        }
        (Err(Stopped::Cluster(error)), None) => return Err(advised(error, accounts, kept)),
    };
    if shows { console.answer(&answer) } else { Ok(()) }
}

/// A job, ready to run.
enum Prepared {
    Embed(embed::Embedding),
    Hops(hops::Hopping),
    Train(train::Lessons),
    Protect(protect::Share),
}

impl Prepared {
    fn hash(&self, processes: usize) -> Result<[u8; 32]> {
        let described = match self {
            Self::Embed(job) => job.described(),
            Self::Hops(job) => job.described(),
            Self::Train(job) => job.described(),
            Self::Protect(job) => job.described(),
        };
        Ok(gather::job_hash(&(described, processes))?)
    }

    /// The accounts that it charges, if it does.
    fn ledgers(&self) -> Option<&LedgerStore> {
        match self {
            Self::Protect(job) => job.ledgers(),
            Self::Embed(_) | Self::Hops(_) | Self::Train(_) => None,
        }
    }

    fn run(self, shared: Shared, exchange: &mut Exchange) -> Result<Answered, Stopped> {
        Ok(match self {
            Self::Embed(job) => Answered::Worked(Box::new(job.run(shared, exchange)?)),
            Self::Hops(job) => Answered::Worked(Box::new(job.run(shared, exchange)?)),
            Self::Train(job) => Answered::Worked(Box::new(job.run(shared, exchange)?)),
            Self::Protect(job) => job.run(shared, exchange)?,
        })
    }
}

/// What to do after other processes were lost: a release stays charged, and another job can go on if it kept its state.
fn advised(error: Error, accounts: Option<Accounts<'_>>, kept: bool) -> Failure {
    let lost = matches!(error, Error::Lost { .. } | Error::Died { .. } | Error::Stopped { .. });
    let failure = Failure::from(error);
    match accounts.map(Accounts::charged) {
        Some(ledgers) if !ledgers.is_empty() => failure.charged(&ledgers),
        None if lost && kept => failure.hint("go on from the last checkpoint with --resume"),
        None if lost => failure.hint("what is kept with --checkpoint FOLDER can be resumed"),
        _ => failure,
    }
}

/// Why a process does not go on: for a reason of its own, or because of the others.
enum Stopped {
    Own(Failure),
    Cluster(Error),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Own(failure)
    }
}

impl From<privet::graph::Error> for Stopped {
    fn from(error: privet::graph::Error) -> Self {
        Self::Own(error.into())
    }
}

impl From<privet::Error> for Stopped {
    fn from(error: privet::Error) -> Self {
        Self::Own(error.into())
    }
}

impl From<privet::learn::Error> for Stopped {
    fn from(error: privet::learn::Error) -> Self {
        Self::Own(error.into())
    }
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Cluster(error)
    }
}

/// Where state is kept, and whether to go on from it.
fn keeping(typed: &mut ClusterRun) -> Option<Keeping> {
    let resume = if typed.resume { Resume::Yes } else { Resume::No };
    let every = typed.checkpoint_every;
    typed.checkpoint.take().map(|folder| Keeping { folder, every, resume })
}

/// What all jobs need beside their own settings.
struct Shared {
    beginning: Beginning,
    console: Console,
}

impl Shared {
    /// What a source holds.
    fn load(&self, source: &Source) -> Result<Dataset> {
        let (loaded, _) = source.load(&self.console)?;
        Ok(loaded.into_nodes()?)
    }
}

/// In a development build, a worker can be made to die after a round, for the tests of what happens then:
/// `PRIVET_CLUSTER_DIES=WORKER@ROUND`.
fn die_if_asked(worker: usize, round: usize) {
    if cfg!(debug_assertions)
        && std::env::var("PRIVET_CLUSTER_DIES")
            .is_ok_and(|when| when == format!("{worker}@{round}"))
    {
        std::process::abort();
    }
}

fn source(input: &Named, reading: &Reading, console: &Console) -> Result<Source> {
    super::project::refuse_table(input)?;
    Source::find(input, reading.clone(), console)
}

/// This process's place among the others.
struct Place {
    listener: Option<TcpListener>,
    hosts: Option<Hosts>,
    index: usize,
    hash: [u8; 32],
    launched: Option<Launched>,
}

impl Place {
    fn take(typed: &ClusterRun, prepared: &Prepared) -> Result<Self> {
        if let Some(path) = &typed.hosts {
            let (hosts, index) = (Hosts::read(path)?, typed.process.unwrap_or(0));
            let hash = prepared.hash(hosts.count())?;
            let patience = Duration::from_secs(typed.patience);
            let invitation = Invitation { hosts: hosts.clone(), index, job: hash, patience };
            let listener = Some(invitation.listen()?);
            return Ok(Self { listener, hosts: Some(hosts), index, hash, launched: None });
        }
        let hash = prepared.hash(typed.workers)?;
        if let Some(index) = typed.worker {
            let (listener, hosts) = launch::join()?;
            let (listener, hosts) = (Some(listener), Some(hosts));
            return Ok(Self { listener, hosts, index, hash, launched: None });
        }
        match typed.workers {
            0 => Err(Failure::usage("--workers: found 0, expected at least 1")),
            1 => Ok(Self { listener: None, hosts: None, index: 0, hash, launched: None }),
            count => {
                launch::share_threads(count);
                let listener = launch::listen()?;
                let program = std::env::current_exe()?;
                let (launched, hosts) = launch::start(&program, count, &listener, as_worker)?;
                let (listener, hosts) = (Some(listener), Some(hosts));
                Ok(Self { listener, hosts, index: 0, hash, launched: Some(launched) })
            }
        }
    }

    fn work(
        &mut self,
        prepared: Prepared,
        keeping: Option<Keeping>,
        patience: u64,
        console: Console,
    ) -> Result<Answered, Stopped> {
        let team = match (self.listener.take(), self.hosts.take()) {
            (Some(listener), Some(hosts)) => {
                let patience = Duration::from_secs(patience);
                let invitation = Invitation { hosts, index: self.index, job: self.hash, patience };
                let _alive = console.spinner("waiting for all workers");
                Team::meet_on(listener, &invitation)?
            }
            _ => Team::alone(),
        };
        let own = Arc::new(Mutex::new(None));
        let (kept, hash) = (Arc::clone(&own), self.hash);
        let result = team.run(move |exchange| {
            let beginning = Beginning { job: hash, begun: Instant::now(), keeping };
            let shared = Shared { beginning, console };
            prepared.run(shared, exchange).map_err(|stopped| match stopped {
                Stopped::Cluster(error) => error,
                Stopped::Own(failure) => {
                    let told = Error::Caller(failure.message().to_owned());
                    if let Ok(mut kept) = kept.lock() {
                        *kept = Some(failure);
                    }
                    told
                }
            })
        });
        let own = own.lock().ok().and_then(|mut own| own.take());
        result.map_err(|error| match own {
            Some(failure) => Stopped::Own(failure),
            None => Stopped::Cluster(error),
        })
    }
}

/// The words with which another process is started.
fn as_worker(index: usize) -> Vec<OsString> {
    let mut words: Vec<OsString> = crate::typed_words().into_iter().skip(1).collect();
    words.extend(["--worker".into(), index.to_string().into()]);
    words
}
