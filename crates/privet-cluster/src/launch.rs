//! Several processes on one machine: this one is worker 0 and starts the others, which run the same program.
//!
//! A worker listens on a free port of the loopback interface and writes it to its standard output; once all have, each
//! gets the whole list on its standard input. No port is chosen before it is held, so two jobs never meet by accident.
//! What workers say on standard error is passed on; their last error is kept, to be quoted if they die.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::hosts::Hosts;
use crate::{Error, Result};

/// How long workers may take to end by themselves once the job has ended.
const FAREWELL: Duration = Duration::from_secs(3);

/// The other processes of a job on this machine.
#[derive(Debug)]
pub struct WorkerProcesses {
    workers: Vec<Worker>,
}

#[derive(Debug)]
struct Worker {
    index: usize,
    child: Child,
    last_error: Arc<Mutex<Option<String>>>,
    listening: Option<JoinHandle<()>>,
}

/// A free port of this machine's loopback interface.
///
/// # Errors
/// If there is none.
pub fn listen() -> Result<TcpListener> {
    let place = (Ipv4Addr::LOCALHOST, 0);
    TcpListener::bind(place).map_err(|cause| Error::io("127.0.0.1", cause))
}

/// Shares this machine's processors between so many workers: for this process, which is one of them. What
/// RAYON_NUM_THREADS says is left alone, and so are threads that run already.
pub fn share_threads(workers: usize) {
    if std::env::var_os("RAYON_NUM_THREADS").is_none() {
        let threads = threads_per_worker(workers);
        let _shared = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    }
}

fn threads_per_worker(workers: usize) -> usize {
    let there = std::thread::available_parallelism().map_or(1, usize::from);
    (there / workers.max(1)).max(1)
}

/// Starts workers 1 to `count` - 1 with the words that `words` gives for each, and sends all of them the list of
/// addresses; `own` is where this process listens.
///
/// # Errors
/// If a worker cannot be started, or dies before it listens: then all are stopped.
pub fn start(
    program: &Path,
    count: usize,
    own: &TcpListener,
    words: impl Fn(usize) -> Vec<OsString>,
) -> Result<(WorkerProcesses, Hosts)> {
    let mut launched = WorkerProcesses { workers: Vec::new() };
    let met = launched.start(program, count, own, words);
    match met {
        Ok(hosts) => Ok((launched, hosts)),
        Err(error) => {
            launched.stop();
            Err(error)
        }
    }
}

/// What a worker does first: listens, says where, and reads the addresses of all processes.
///
/// # Errors
/// If it cannot listen, or the process that started it is gone.
pub fn join() -> Result<(TcpListener, Hosts)> {
    let listener = listen()?;
    let fault = |cause| Error::io("the process that started this worker", cause);
    let port = listener.local_addr().map_err(fault)?.port();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{port}").and_then(|()| out.flush()).map_err(fault)?;
    let mut addresses = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(fault)?;
        // An empty line ends the list: the pipe stays open, and its end means that the parent is gone.
        if line.is_empty() {
            return Ok((listener, Hosts::of(addresses)?));
        }
        addresses.push(line);
    }
    Err(fault(std::io::ErrorKind::UnexpectedEof.into()))
}

impl WorkerProcesses {
    /// The numbers of the workers, and those that the system gives them.
    pub fn processes(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.workers.iter().map(|worker| (worker.index, worker.child.id()))
    }

    fn start(
        &mut self,
        program: &Path,
        count: usize,
        own: &TcpListener,
        words: impl Fn(usize) -> Vec<OsString>,
    ) -> Result<Hosts> {
        let threads = threads_per_worker(count).to_string();
        let fault = |cause| Error::io(program.display(), cause);
        for index in 1..count {
            let mut command = Command::new(program);
            // Addresses travel over pipes, so that ports are chosen by the system and never collide.
            command.args(words(index)).stdin(Stdio::piped());
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            if std::env::var_os("RAYON_NUM_THREADS").is_none() {
                command.env("RAYON_NUM_THREADS", &threads);
            }
            let child = command.spawn().map_err(fault)?;
            self.workers.push(Worker::new(index, child)?);
        }
        // All are started before the first is waited for: they read their data at the same time.
        let mut addresses = vec![own.local_addr().map_err(fault)?.to_string()];
        for worker in &mut self.workers {
            addresses.push(format!("127.0.0.1:{}", worker.port()?));
        }
        let list = addresses.join("\n") + "\n\n";
        for worker in &mut self.workers {
            worker.tell(&list)?;
        }
        Hosts::of(addresses)
    }

    /// Waits until all have ended, after a job that went well here.
    ///
    /// # Errors
    /// If one of them did not end well.
    pub fn finish(mut self) -> Result<()> {
        let until = Instant::now() + FAREWELL;
        let mut result = Ok(());
        for worker in &mut self.workers {
            let ended = worker.wait(until);
            if !ended.is_some_and(|status| status.success()) && result.is_ok() {
                // The first that failed is reported; the others usually follow it.
                result = Err(worker.death(ended));
            }
        }
        self.stop();
        result
    }

    /// Stops all, after a job that failed here; says more about the worker that was lost, if one was.
    pub fn explain(mut self, error: Error) -> Error {
        let until = Instant::now() + FAREWELL;
        let lost = match &error {
            Error::Lost { peer, .. } | Error::Absent { peer, .. } => Some(peer.index),
            _ => None,
        };
        let worker = self.workers.iter_mut().find(|worker| Some(worker.index) == lost);
        let error = match worker.and_then(|worker| Some((worker.wait(until)?, worker))) {
            Some((status, worker)) => worker.death(Some(status)),
            None => error,
        };
        self.stop();
        error
    }

    /// Ends those that still run.
    fn stop(&mut self) {
        // They know already, or are about to notice: they get a moment to remove what is half-written.
        let until = Instant::now() + FAREWELL;
        for worker in &mut self.workers {
            // The end of its standard input is how a worker learns that its parent gave up.
            drop(worker.child.stdin.take());
            if worker.wait(until).is_none() {
                // It had its time to end by itself.
                let _gone = worker.child.kill();
                let _reaped = worker.child.wait();
            }
            if let Some(listening) = worker.listening.take() {
                let _ended = listening.join();
            }
        }
    }
}

impl Drop for WorkerProcesses {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Worker {
    fn new(index: usize, mut child: Child) -> Result<Self> {
        let last_error = Arc::new(Mutex::new(None));
        let listening = child.stderr.take().map(|stderr| {
            let kept = Arc::clone(&last_error);
            std::thread::spawn(move || pass_on(index, BufReader::new(stderr), &kept))
        });
        Ok(Self { index, child, last_error, listening })
    }

    /// Where it listens.
    fn port(&mut self) -> Result<u16> {
        let mut line = String::new();
        if let Some(out) = self.child.stdout.take() {
            // It says nothing else there.
            let _read = BufReader::new(out).read_line(&mut line);
        }
        match line.trim().parse() {
            Ok(port) => Ok(port),
            Err(_) => {
                let ended = self.wait(Instant::now() + FAREWELL);
                Err(self.death(ended))
            }
        }
    }

    fn tell(&mut self, list: &str) -> Result<()> {
        let sent = match &mut self.child.stdin {
            Some(stdin) => ChildStdin::write_all(stdin, list.as_bytes()),
            None => Ok(()),
        };
        sent.map_err(|_| {
            let ended = self.wait(Instant::now() + FAREWELL);
            self.death(ended)
        })
    }

    fn wait(&mut self, until: Instant) -> Option<ExitStatus> {
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= until {
                return None;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn death(&mut self, ended: Option<ExitStatus>) -> Error {
        if ended.is_some()
            && let Some(listening) = self.listening.take()
        {
            let _ended = listening.join();
        }
        let status = ended.map_or("it did not end".to_owned(), |status| status.to_string());
        let last = self.last_error.lock().ok().and_then(|last| last.clone());
        Error::Died { index: self.index, process: self.child.id(), status, last }
    }
}

/// Passes on what a worker says, and keeps its errors.
fn pass_on(index: usize, lines: impl BufRead, kept: &Mutex<Option<String>>) {
    for line in lines.lines().map_while(std::result::Result::ok) {
        if let Some(error) = line.strip_prefix("error: ") {
            if let Ok(mut kept) = kept.lock() {
                *kept = Some(error.to_owned());
            }
        } else if !line.starts_with("hint: ") {
            eprintln!("worker {index}: {line}");
        }
    }
}
