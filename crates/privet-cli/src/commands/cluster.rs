//! `privet cluster run JOB`: the same by several processes.
//!
//! Every process meets the others first, so that one that is missing is noticed at once, and then reads the data; what
//! was read is compared before the work begins. All of it, writing included, happens inside the job: a process that cannot
//! go on sends its reason, and all stop.

use std::ffi::OsString;
use std::net::TcpListener;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use privet::LedgerStore;
use privet::graph::Dataset;
use privet::learn::propagate::{IterationProgress, Power, Propagation, Rounds};
use privet::privacy::Card;
use privet::protect::Terms;
use privet::request::EmbedMethod;
use privet::run::Accounts;
use privet_cluster::checkpoint::{CheckpointUse, Resume};
use privet_cluster::connect::JoinRequest;
use privet_cluster::jobs::hops::HopSums;
use privet_cluster::jobs::pagerank::PageRank;
use privet_cluster::jobs::randomize::SharedRelease;
use privet_cluster::jobs::train::TrainedClassifier;
use privet_cluster::jobs::train::{ClusterTraining, Head};
use privet_cluster::launch::{self, WorkerProcesses};
use privet_cluster::session::{CheckpointPlan, JobResult};
use privet_cluster::{Error, Exchange, Hosts, JobStart, Team, gather};

use crate::args::{
    ClusterHops, ClusterJob, ClusterRun, ClusterTrain, DataName, Embed, HopAggregation, Protect,
    ReadingArgs,
};
use crate::commands::embed::{Output, card};
use crate::commands::protect::{PlannedRelease, ProtectionJob, budgets, check};
use crate::commands::source::Source;
use crate::failure::{Failure, Result};
use crate::output::cluster::{ClusterWork, JobOutput, ProcessResult};
use crate::output::console::Console;
use crate::output::embed::in_words;
use crate::output::refuse_existing;
use crate::output::style::real;

/// Meets the others, works, answers.
///
/// # Errors
/// If options contradict each other, something is in the way, another process is missing or lost, or the job fails.
pub(super) fn run(mut typed: ClusterRun, console: &Console) -> Result<()> {
    // Worker 0 leads: it writes, and shows the result.
    let chief = typed.worker.is_none() && typed.process.unwrap_or(0) == 0;
    let keeping = keeping(&mut typed);
    let prepared = match typed.job {
        ClusterJob::Embed(ref typed) => Prepared::Embed(EmbeddingJob::new(typed, chief)?),
        ClusterJob::Hops(ref typed) => Prepared::Hops(Hopping::new(typed, chief)?),
        ClusterJob::Train(ref typed) => Prepared::Train(Lessons::new(typed, chief)?),
        ClusterJob::Protect(ref typed) => {
            Prepared::Protect(Share::new(typed, chief, keeping.as_ref(), console)?)
        }
    };
    // Before the job is moved into a worker: errors must know which ledgers were charged.
    let (ledgers, kept) = (prepared.ledgers().cloned(), keeping.is_some());
    let accounts = ledgers.as_ref().map(LedgerStore::accounts);
    let mut place = ProcessPlace::take(&typed, &prepared)?;
    if let Some(launched) = &place.launched {
        for (index, process) in launched.processes() {
            console.step(&format!("worker {index} is process {process}"));
        }
    }
    // Workers that this process started are silent; it speaks for them.
    let shows = typed.worker.is_none();
    let speech = if chief { *console } else { console.quietly() };
    let result = place.work(prepared, keeping, typed.patience, speech);
    let answer = match (result, place.launched.take()) {
        (Ok(answer), Some(launched)) => launched.finish().map(|()| answer)?,
        (Ok(answer), None) => answer,
        (Err(Stopped::Own(failure)), launched) => {
            // The other workers are stopped before the error is shown.
            drop(launched);
            return Err(failure);
        }
        (Err(Stopped::Cluster(error)), Some(launched)) => {
            // A lost connection may be the trace of a worker's own error, which is then shown
            // instead.
            return Err(advised(launched.explain(error), accounts, kept));
        }
        (Err(Stopped::Cluster(error)), None) => return Err(advised(error, accounts, kept)),
    };
    if shows { console.answer(&answer) } else { Ok(()) }
}

/// A job, ready to run.
enum Prepared {
    Embed(EmbeddingJob),
    Hops(Hopping),
    Train(Lessons),
    Protect(Share),
}

impl Prepared {
    fn hash(&self, processes: usize) -> Result<[u8; 32]> {
        let described = match self {
            Self::Embed(job) => job.described(),
            Self::Hops(job) => job.described(),
            Self::Train(job) => job.described(),
            Self::Protect(job) => job.described(),
        };
        // Processes that were started with other settings must not compute together.
        Ok(gather::job_hash(&(described, processes))?)
    }

    /// The accounts that it charges, if it does.
    fn ledgers(&self) -> Option<&LedgerStore> {
        match self {
            Self::Protect(job) => job.ledgers(),
            Self::Embed(_) | Self::Hops(_) | Self::Train(_) => None,
        }
    }

    fn run(
        self,
        shared: ClusterContext,
        exchange: &mut Exchange,
    ) -> Result<ProcessResult, Stopped> {
        Ok(match self {
            Self::Embed(job) => ProcessResult::Worked(Box::new(job.run(shared, exchange)?)),
            Self::Hops(job) => ProcessResult::Worked(Box::new(job.run(shared, exchange)?)),
            Self::Train(job) => ProcessResult::Worked(Box::new(job.run(shared, exchange)?)),
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
fn keeping(typed: &mut ClusterRun) -> Option<CheckpointPlan> {
    let resume = if typed.resume { Resume::Yes } else { Resume::No };
    let every = typed.checkpoint_every;
    typed.checkpoint.take().map(|folder| CheckpointPlan { folder, every, resume })
}

/// What all jobs need beside their own settings.
struct ClusterContext {
    beginning: JobStart,
    console: Console,
}

impl ClusterContext {
    /// What a source holds.
    fn load(&self, source: &Source) -> Result<Dataset> {
        let (loaded, _) = source.load(&self.console)?;
        Ok(loaded.into_nodes()?)
    }
}

/// In a development build, a worker can be made to die after a round, for the tests of what happens then:
/// `PRIVET_CLUSTER_DIES=WORKER@ROUND`.
fn die_if_asked(worker: usize, round: usize) {
    // For tests of recovery: release builds have no such switch.
    if cfg!(debug_assertions)
        && std::env::var("PRIVET_CLUSTER_DIES")
            .is_ok_and(|when| when == format!("{worker}@{round}"))
    {
        std::process::abort();
    }
}

fn source(input: &DataName, reading: &ReadingArgs, console: &Console) -> Result<Source> {
    super::project::refuse_table(input)?;
    Source::find(input, reading.clone(), console)
}

/// This process's place among the others.
struct ProcessPlace {
    listener: Option<TcpListener>,
    hosts: Option<Hosts>,
    index: usize,
    hash: [u8; 32],
    launched: Option<WorkerProcesses>,
}

impl ProcessPlace {
    fn take(typed: &ClusterRun, prepared: &Prepared) -> Result<Self> {
        if let Some(path) = &typed.hosts {
            let (hosts, index) = (Hosts::read(path)?, typed.process.unwrap_or(0));
            let hash = prepared.hash(hosts.count())?;
            let patience = Duration::from_secs(typed.patience);
            let invitation = JoinRequest { hosts: hosts.clone(), index, job: hash, patience };
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
                // Processes on one machine share its threads.
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
        keeping: Option<CheckpointPlan>,
        patience: u64,
        console: Console,
    ) -> Result<ProcessResult, Stopped> {
        let team = match (self.listener.take(), self.hosts.take()) {
            (Some(listener), Some(hosts)) => {
                let patience = Duration::from_secs(patience);
                let invitation = JoinRequest { hosts, index: self.index, job: self.hash, patience };
                let _alive = console.spinner("waiting for all workers");
                Team::meet_on(listener, &invitation)?
            }
            _ => Team::alone(),
        };
        // The team's error type carries text only; this process's own failure is kept beside it.
        let own = Arc::new(Mutex::new(None));
        let (kept, hash) = (Arc::clone(&own), self.hash);
        let result = team.run(move |exchange| {
            let beginning = JobStart { job: hash, begun: Instant::now(), keeping };
            let shared = ClusterContext { beginning, console };
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
    // The same command line again: a worker parses what the user typed.
    let mut words: Vec<OsString> = crate::typed_words().into_iter().skip(1).collect();
    words.extend(["--worker".into(), index.to_string().into()]);
    words
}

// `privet cluster run embed`: what `privet embed` does, by several processes.

/// The job, as typed; worker 0 knows where the output goes.
struct EmbeddingJob {
    input: DataName,
    reading: ReadingArgs,
    job: PageRank,
    output: Option<Output>,
}

impl EmbeddingJob {
    /// Refuses what would fail after an hour of reading.
    pub fn new(typed: &Embed, chief: bool) -> Result<Self> {
        if typed.request.method == EmbedMethod::Push || typed.request.rmax.is_some() {
            let message = "several workers embed by power iteration, not by push";
            return Err(Failure::usage(message).hint("leave out --method and --rmax"));
        }
        if typed.request.self_loops {
            let message = "several workers embed the graph as it is: --self-loops would be another";
            let hint = "add the loops to the graph, and read it with --keep-self-loops";
            return Err(Failure::usage(message).hint(hint));
        }
        let rounds = match (typed.request.rounds, typed.request.tolerance) {
            (Some(rounds), _) => Rounds::Exactly(rounds),
            (None, Some(tolerance)) => Rounds::Residual(tolerance),
            (None, None) => Power::default().rounds,
        };
        let power = Power { rounds, ..Power::default() };
        power.check()?;
        let (alpha, exponent) = (typed.request.alpha, typed.request.r);
        let propagation = Propagation { alpha, exponent, ..Propagation::default() };
        let output = || Output::new(&typed.output, typed.overwrite, &typed.signing);
        Ok(Self {
            input: typed.input.clone(),
            reading: typed.reading.clone(),
            job: PageRank::new(propagation, power),
            output: chief.then(output).transpose()?,
        })
    }

    /// What all processes must agree on.
    pub fn described(&self) -> serde_json::Value {
        let Propagation { alpha, exponent, .. } = self.job.propagation;
        let (rounds, tolerance) = match self.job.power.rounds {
            Rounds::Exactly(rounds) => (Some(rounds), None),
            Rounds::Residual(tolerance) => (None, Some(tolerance)),
        };
        serde_json::json!({
            "job": "embed", "alpha": alpha, "r": exponent, "rounds": rounds, "tolerance": tolerance,
        })
    }

    pub fn run(
        self,
        shared: ClusterContext,
        exchange: &mut Exchange,
    ) -> Result<JobOutput, Stopped> {
        let (console, me) = (shared.console, exchange.index());
        let source = source(&self.input, &self.reading, &console)?;
        let written = RowOutput::new(self.output, &source, &console)?;
        let dataset = shared.load(&source)?;
        let alive = console.spinner("propagating");
        let watch = |round: IterationProgress| {
            let left = real(round.error_bound);
            alive.say(format!("propagating: round {}, error {left}", round.done));
            die_if_asked(me, round.done);
            ControlFlow::Continue(())
        };
        let embed = |data: (&_, &_), exchange: &mut _, keep: CheckpointUse<'_>| {
            let found = self.job.run(data, exchange, keep, watch)?;
            let work = ClusterWork::Embed {
                rounds: found.rounds,
                resumed_from: found.resumed,
                error_bound: found.error_bound,
                error_bound_holds: in_words(found.norm),
            };
            Ok((found.rows, work))
        };
        let write = |dataset: &Dataset| written.write(dataset, &console);
        Ok(shared.beginning.rows(dataset, exchange, embed, write)?.into())
    }
}

// `privet cluster run hops`: sums over neighbours, several steps in a row.

/// The job, as typed; worker 0 knows where the output goes.
struct Hopping {
    input: DataName,
    reading: ReadingArgs,
    steps: usize,
    aggregation: HopAggregation,
    output: Option<Output>,
}

impl Hopping {
    /// Refuses what would fail after an hour of reading.
    pub fn new(typed: &ClusterHops, chief: bool) -> Result<Self> {
        let output = || Output::new(&typed.output, typed.overwrite, &typed.signing);
        Ok(Self {
            input: typed.input.clone(),
            reading: typed.reading.clone(),
            steps: typed.steps,
            aggregation: typed.aggregation,
            output: chief.then(output).transpose()?,
        })
    }

    /// What all processes must agree on.
    pub fn described(&self) -> serde_json::Value {
        serde_json::json!({ "job": "hops", "steps": self.steps, "aggregation": self.aggregation })
    }

    pub fn run(
        self,
        shared: ClusterContext,
        exchange: &mut Exchange,
    ) -> Result<JobOutput, Stopped> {
        let (console, me) = (shared.console, exchange.index());
        let source = source(&self.input, &self.reading, &console)?;
        let written = RowOutput::new(self.output, &source, &console)?;
        let dataset = shared.load(&source)?;
        let (aggregation, steps) = (self.aggregation.into(), self.steps);
        let alive = console.spinner("adding up");
        let watch = |step: usize| {
            alive.say(format!("adding up: step {step} of {steps}"));
            die_if_asked(me, step);
        };
        let add_up = |data: (&_, &_), exchange: &mut _, keep: CheckpointUse<'_>| {
            let job = HopSums { aggregation, steps, panel: None };
            let found = job.run(data, exchange, keep, watch)?;
            Ok((found.rows, ClusterWork::Hops { steps, resumed_from: found.resumed }))
        };
        let write = |dataset: &Dataset| written.write(dataset, &console);
        Ok(shared.beginning.rows(dataset, exchange, add_up, write)?.into())
    }
}

// `privet cluster run protect`: what `privet protect` does, by several processes.
//
// Worker 0 does all that `privet protect` does, but that the others draw for their own people; those read the data, draw
// with what worker 0 permits, and write nothing.

/// This process's part of the release.
enum Share {
    Leads(Box<PlannedRelease>),
    Follows { input: DataName, reading: Box<ReadingArgs>, job: Box<ProtectionJob> },
}

impl Share {
    /// Refuses what would fail only after the budget is spent.
    pub fn new(
        typed: &Protect,
        chief: bool,
        keeping: Option<&CheckpointPlan>,
        console: &Console,
    ) -> Result<Self> {
        if keeping.is_some() {
            let message =
                "a release has no checkpoint: a permission to draw must not be used twice";
            return Err(Failure::usage(message).hint("leave out --checkpoint"));
        }
        check(typed)?;
        let spending = typed.spending();
        let Some(input) = &spending.input else {
            let message = "several workers read data that is named, not a project";
            return Err(
                Failure::usage(message).hint("name a file or folder, or use privet protect")
            );
        };
        let terms = Terms { budgets: budgets(spending)?, ..Terms::alike(spending.epsilon) };
        let (job, reading) = (ProtectionJob::new(typed, terms)?, spending.reading.clone());
        job.check_parts()?;
        // Every worker checks the release; only the leader opens ledgers.
        if chief {
            crate::commands::project::meant(Some(input), console)?;
            return Ok(Self::Leads(Box::new(PlannedRelease::new(typed, input, console)?)));
        }
        Ok(Self::Follows { input: input.clone(), reading: Box::new(reading), job: Box::new(job) })
    }

    /// What all processes must agree on.
    pub fn described(&self) -> serde_json::Value {
        match self {
            Self::Leads(release) => release.job().described(),
            Self::Follows { job, .. } => job.described(),
        }
    }

    /// The ledgers, in the process that charges them.
    pub fn ledgers(&self) -> Option<&LedgerStore> {
        match self {
            Self::Leads(release) => Some(release.ledgers()),
            Self::Follows { .. } => None,
        }
    }

    pub fn run(
        self,
        shared: ClusterContext,
        exchange: &mut Exchange,
    ) -> Result<ProcessResult, Stopped> {
        let (console, me) = (shared.console, exchange.index());
        let watch = |turn: usize| die_if_asked(me, turn);
        match self {
            Self::Leads(release) => {
                let answer = release.run(&console, |job, dataset, run| {
                    let mut together = SharedRelease::begin(&dataset, exchange, watch)?;
                    Ok::<_, Stopped>(job.run(dataset, run, &mut together)?)
                })?;
                // The others wait until all is written.
                exchange.all_hear(&[])?;
                Ok(ProcessResult::Released(Box::new(answer)))
            }
            Self::Follows { input, reading, job } => {
                let dataset = shared.load(&source(&input, &reading, &console)?)?;
                let mut together = SharedRelease::begin(&dataset, exchange, watch)?;
                job.assist(&dataset, &mut together)?;
                let people = together.people();
                // Waits until the leader has written everything.
                exchange.all_hear(&[])?;
                Ok(ProcessResult::Helped { people })
            }
        }
    }
}

// Rows that several processes made, written by worker 0.

/// Where rows go, and the card that comes along. Only worker 0 has any.
struct RowOutput {
    output: Option<Output>,
    card: Option<Card>,
}

impl RowOutput {
    /// Refuses what would write over what is read.
    pub fn new(output: Option<Output>, source: &Source, console: &Console) -> Result<Self> {
        let card = match &output {
            Some(output) => {
                source.keep_apart(&[output.path()])?;
                card(source, console)?
            }
            None => None,
        };
        Ok(Self { output, card })
    }

    /// Writes a dataset whose features are the rows; the card and the files.
    pub fn write(
        self,
        dataset: &Dataset,
        console: &Console,
    ) -> Result<(Option<Card>, Vec<String>), Stopped> {
        match self.output {
            Some(output) => Ok(output.write(dataset, self.card, console)?),
            None => Ok((None, Vec::new())),
        }
    }
}

// `privet cluster run train`: a classifier on nodes that several processes hold.

/// The job, as typed; worker 0 knows where the model goes.
struct Lessons {
    input: DataName,
    reading: ReadingArgs,
    training: ClusterTraining,
    output: Option<PathBuf>,
}

impl Lessons {
    /// Refuses what would fail after an hour of reading.
    pub fn new(typed: &ClusterTrain, chief: bool) -> Result<Self> {
        let output = typed.output.clone().filter(|_| chief);
        if let Some(path) = output.as_ref().filter(|_| !typed.overwrite) {
            refuse_existing(path, "name another file, or replace it with --overwrite")?;
        }
        let training = ClusterTraining {
            hidden: typed.hidden.clone(),
            epochs: typed.epochs,
            learning_rate: typed.learning_rate,
            weight_decay: typed.weight_decay,
            seed: typed.seed,
        };
        let (input, reading) = (typed.input.clone(), typed.reading.clone());
        Ok(Self { input, reading, training, output })
    }

    /// What all processes must agree on.
    pub fn described(&self) -> serde_json::Value {
        serde_json::json!({ "job": "train", "settings": self.training })
    }

    pub fn run(
        self,
        shared: ClusterContext,
        exchange: &mut Exchange,
    ) -> Result<JobOutput, Stopped> {
        let (console, me) = (shared.console, exchange.index());
        let source = source(&self.input, &self.reading, &console)?;
        if let Some(output) = &self.output {
            source.keep_apart(&[output])?;
        }
        let dataset = shared.load(&source)?;
        let (alive, epochs) = (console.spinner("training"), self.training.epochs);
        let watch = |epoch: usize| {
            alive.say(format!("training: epoch {epoch} of {epochs}"));
            die_if_asked(me, epoch);
        };
        let write = |head: &Head| -> Result<_, Stopped> {
            let Some(path) = &self.output else { return Ok((None, Vec::new())) };
            match head {
                Head::Logistic(head) => head.save(path)?,
                Head::Mlp(head) => head.save(path)?,
            }
            Ok((None, vec![path.display().to_string()]))
        };
        let done = self.training.teach(&dataset, &shared.beginning, exchange, watch, write)?;
        let TrainedClassifier { loss, resumed: resumed_from, train, test } = done.found;
        let found = ClusterWork::Train { epochs, resumed_from, loss, train, test };
        Ok(JobResult { found, written: done.written, nodes: done.nodes, workers: done.workers }
            .into())
    }
}
