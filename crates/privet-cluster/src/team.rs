//! [`Team`]: the processes of a job, from meeting to goodbye.
//!
//! The job runs on a thread of its own. The thread that asked for it waits for whichever comes first: the job's
//! result, or the loss of a process. In the second case it returns at once and leaves the job's thread behind,
//! parked: timely cannot be stopped, and the process is about to end.

use std::io::{Error as IoError, Read, Result as IoResult, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::zero_copy::stream::Stream;
use timely::communication::{Allocator, Hooks};

use crate::connect::{JoinRequest, Links};
use crate::engine::Exchange;
use crate::error::Peer;
use crate::heart::{Heartbeats, LostPeer};
use crate::hosts::Hosts;
use crate::packet::refill;
use crate::{Error, Result};

/// How long better news of a loss are waited for.
const MOMENT: Duration = Duration::from_millis(300);

/// The processes of a job.
pub struct Team {
    links: Option<(Links, Hosts, usize)>,
}

impl std::fmt::Debug for Team {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.links.as_ref().map_or(1, |(_, hosts, _)| hosts.count());
        write!(f, "Team {{ {count} processes }}")
    }
}

enum TeamEvent<T> {
    Result(Result<T>),
    Loss(LostPeer),
}

impl Team {
    /// This process alone.
    pub fn alone() -> Self {
        Self { links: None }
    }

    /// Waits until all processes are connected.
    ///
    /// # Errors
    /// If a process did not come, runs another job, or the address is taken.
    pub fn meet(invitation: &JoinRequest) -> Result<Self> {
        Self::meet_on(invitation.listen()?, invitation)
    }

    /// Like [`Team::meet`], with a listener that is open already.
    ///
    /// # Errors
    /// Those of [`Team::meet`].
    pub fn meet_on(listener: TcpListener, invitation: &JoinRequest) -> Result<Self> {
        // A list of one host: no network, and the same bytes.
        if invitation.hosts.count() == 1 {
            return Ok(Self::alone());
        }
        let links = invitation.meet(listener)?;
        Ok(Self { links: Some((links, invitation.hosts.clone(), invitation.index)) })
    }

    /// Runs this process's part of a job.
    ///
    /// # Errors
    /// Those of the job, and [`Error::Lost`] or [`Error::Stopped`] if another process cannot go on.
    pub fn run<T: Send + 'static>(
        self,
        job: impl FnOnce(&mut Exchange) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let Some((links, hosts, index)) = self.links else { return job(&mut Exchange::alone()) };
        let Links { data, hearts, door } = links;
        let (news, heard) = channel::<TeamEvent<T>>();
        let lost = news.clone();
        // The receiver is gone once the first event has been read.
        let tell = move |loss| drop(lost.send(TeamEvent::Loss(loss)));
        let hearts = Heartbeats::start(hearts, &hosts, tell.clone())?;
        let lines = ConnectionMaker { hosts: hosts.clone(), finishing: Arc::default() };
        let sockets = lines.of(data, tell);
        let finishing = lines.finishing;
        let thread = std::thread::Builder::new().name("privet:job".to_owned());
        let work = move || work(sockets, index, finishing, job, &news);
        thread.spawn(work).map_err(|cause| Error::io("a thread", cause))?;
        // The first event decides: the job's own result, or the loss of a process.
        let result = match heard.recv() {
            Ok(TeamEvent::Result(result)) => result,
            Ok(TeamEvent::Loss(loss)) => Err(nearest(loss, &heard)),
            Err(_) => Err(Error::Broken("its thread ended".to_owned())),
        };
        match &result {
            // Without a goodbye the others would report this process as lost.
            Ok(_) => hearts.goodbye(),
            Err(error) => hearts.stop(error),
        }
        drop(door);
        result
    }
}

/// What began it: the news that follow each other within a moment are about the same thing.
fn nearest<T>(mut loss: LostPeer, heard: &Receiver<TeamEvent<T>>) -> Error {
    let until = Instant::now() + MOMENT;
    // A lost connection and a process that stopped because of it are both reported: the one nearest to the
    // cause names the culprit.
    while loss.distance > 0 {
        let left = until.saturating_duration_since(Instant::now());
        match heard.recv_timeout(left) {
            Ok(TeamEvent::Loss(other)) if other.distance < loss.distance => loss = other,
            Ok(TeamEvent::Loss(_)) => {}
            Ok(TeamEvent::Result(_)) | Err(_) => break,
        }
    }
    *loss.error
}

fn panic_words(panic: &(dyn std::any::Any + Send)) -> String {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
    words.unwrap_or("it panicked").to_owned()
}

/// What the job's thread does.
fn work<T, F: Fn(LostPeer) + Clone + Send + Sync + 'static>(
    sockets: Vec<Option<WatchedConnection<F>>>,
    index: usize,
    finishing: Arc<AtomicBool>,
    job: impl FnOnce(&mut Exchange) -> Result<T>,
    news: &Sender<TeamEvent<T>>,
) {
    let count = sockets.len();
    let hooks = Hooks { refill: refill(), ..Hooks::default() };
    let local = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
    let network = initialize_networking_from_sockets(local, sockets, index, 1, hooks);
    let (builders, guard) = match network {
        Ok(network) => network,
        Err(cause) => {
            return drop(news.send(TeamEvent::Result(Err(Error::io("the network", cause)))));
        }
    };
    let Some(builder) = builders.into_iter().next() else { return };
    let allocator = Allocator::Tcp(builder.build());
    let mut exchange = Exchange::new(allocator, index, count);
    // A panic that unwound through timely's threads would end the process before the others get the reason.
    let result = catch_unwind(AssertUnwindSafe(|| job(&mut exchange)))
        .unwrap_or_else(|panic| Err(Error::Broken(panic_words(&*panic))));
    if result.is_err() {
        // The heartbeat tells the others; closing would wait for them.
        std::mem::forget((exchange, guard));
        return drop(news.send(TeamEvent::Result(result)));
    }
    // From here on, the end of a connection is no loss: the others end too.
    finishing.store(true, Ordering::SeqCst);
    exchange.close();
    drop(guard);
    drop(news.send(TeamEvent::Result(result)));
}

/// Makes [`WatchedConnection`]s.
struct ConnectionMaker {
    hosts: Hosts,
    finishing: Arc<AtomicBool>,
}

impl ConnectionMaker {
    fn of<F: Fn(LostPeer) + Clone>(
        &self,
        sockets: Vec<Option<TcpStream>>,
        lost: F,
    ) -> Vec<Option<WatchedConnection<F>>> {
        let line = |(index, stream): (usize, Option<TcpStream>)| {
            let (peer, finishing) = (self.hosts.peer(index), Arc::clone(&self.finishing));
            stream.map(|stream| WatchedConnection { stream, peer, finishing, lost: lost.clone() })
        };
        sockets.into_iter().enumerate().map(line).collect()
    }
}

/// A connection that reports its own end. Timely's threads would panic, each with a message of its own.
struct WatchedConnection<F> {
    stream: TcpStream,
    peer: Peer,
    finishing: Arc<AtomicBool>,
    lost: F,
}

impl<F: Fn(LostPeer)> WatchedConnection<F> {
    /// Nothing more comes of this connection: says so, and never returns.
    fn give_up(&self, reason: String) -> ! {
        (self.lost)(LostPeer::of(&self.peer, reason));
        loop {
            std::thread::park();
        }
    }

    fn check<T>(&self, result: IoResult<T>) -> IoResult<T> {
        match result {
            Err(error) if !interrupted(&error) => self.give_up(error.to_string()),
            result => result,
        }
    }
}

fn interrupted(error: &IoError) -> bool {
    error.kind() == std::io::ErrorKind::Interrupted
}

impl<F: Fn(LostPeer)> Read for WatchedConnection<F> {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        loop {
            match self.stream.read(buffer) {
                Err(error) if interrupted(&error) => {}
                // A connection may end once this process has nothing left to send: no process ends before all do.
                Ok(0) if !buffer.is_empty() && !self.finishing.load(Ordering::SeqCst) => {
                    self.give_up("its connection ended".to_owned())
                }
                result => return self.check(result),
            }
        }
    }
}

impl<F: Fn(LostPeer)> Write for WatchedConnection<F> {
    fn write(&mut self, buffer: &[u8]) -> IoResult<usize> {
        let result = self.stream.write(buffer);
        self.check(result)
    }

    fn flush(&mut self) -> IoResult<()> {
        let result = self.stream.flush();
        self.check(result)
    }
}

impl<F: Fn(LostPeer) + Clone + Send + Sync> Stream for WatchedConnection<F> {
    fn try_clone(&self) -> IoResult<Self> {
        let (peer, finishing, lost) =
            (self.peer.clone(), Arc::clone(&self.finishing), self.lost.clone());
        Ok(Self { stream: self.stream.try_clone()?, peer, finishing, lost })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> IoResult<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> IoResult<()> {
        self.stream.shutdown(how)
    }
}
