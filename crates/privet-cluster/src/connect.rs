//! Connections between all pairs of processes, made here and not by timely, so that strangers and mistakes are refused
//! with a reason.
//!
//! Every process listens, and connects to those with smaller numbers. A connection begins with a greeting: what
//! it is for, who it is, how many there should be and the hash of the job. The answer is empty, or says why not. A
//! pair has two connections: one for data, one for signs of life (`heart.rs`).
//!
//! Nothing here is encrypted, and no process proves its identity: a list of addresses keeps mistakes out, not attackers.

use std::collections::HashSet;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use privet::privacy::fault;
use privet::privacy::fault::Fault;

use crate::hosts::Hosts;
use crate::{Error, Result};

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Data,
    Heart,
}

const PURPOSES: [Purpose; 2] = [Purpose::Data, Purpose::Heart];
/// Also tells that both sides write numbers in the same order.
const MAGIC: u64 = u64::from_le_bytes(*b"privet19");
const VERSION: u32 = 1;
/// Length of a greeting.
pub(crate) const GREETING: usize = 56;

/// How a process introduces itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Greeting {
    pub purpose: Purpose,
    pub index: usize,
    pub count: usize,
    pub job: [u8; 32],
}

impl Greeting {
    pub fn to_bytes(self) -> [u8; GREETING] {
        let mut bytes = [0; GREETING];
        // In this machine's own byte order: a machine with the other one fails here, before any number is
        // misread.
        bytes[..8].copy_from_slice(&MAGIC.to_ne_bytes());
        bytes[8..12].copy_from_slice(&VERSION.to_ne_bytes());
        bytes[12..16].copy_from_slice(&(self.purpose as u32).to_ne_bytes());
        bytes[16..20].copy_from_slice(&(self.index as u32).to_ne_bytes());
        bytes[20..24].copy_from_slice(&(self.count as u32).to_ne_bytes());
        bytes[24..].copy_from_slice(&self.job);
        bytes
    }

    /// Decodes a greeting, or says what is wrong with it.
    pub fn from_bytes(bytes: &[u8; GREETING]) -> Result<Self, String> {
        let mut magic = [0; 8];
        magic.copy_from_slice(&bytes[..8]);
        if u64::from_ne_bytes(magic) != MAGIC {
            return Err("it does not speak as a worker of privet does".to_owned());
        }
        let number = |at: usize| {
            let mut four = [0; 4];
            four.copy_from_slice(&bytes[at..at + 4]);
            u32::from_ne_bytes(four)
        };
        if number(8) != VERSION {
            return Err(format!("it speaks version {}, expected {VERSION}", number(8)));
        }
        let purpose = *PURPOSES.get(number(12) as usize).ok_or("a connection for nothing known")?;
        let mut job = [0; 32];
        job.copy_from_slice(&bytes[24..]);
        Ok(Self { purpose, index: number(16) as usize, count: number(20) as usize, job })
    }
}

/// Who this process is, and with whom it works on what.
#[derive(Debug, Clone)]
pub struct JoinRequest {
    /// All processes of the job.
    pub hosts: Hosts,
    /// The number of this process.
    pub index: usize,
    /// What all processes must agree on: a hash of the job, its settings and its data.
    pub job: [u8; 32],
    /// How long to wait for the others.
    pub patience: Duration,
}

/// Connections to every other process.
pub(crate) struct Links {
    pub data: Vec<Option<TcpStream>>,
    pub hearts: Vec<Option<TcpStream>>,
    /// Refuses connections that come later.
    pub door: PeerListener,
}

impl Links {
    fn room(&mut self, purpose: Purpose) -> &mut Vec<Option<TcpStream>> {
        match purpose {
            Purpose::Data => &mut self.data,
            Purpose::Heart => &mut self.hearts,
        }
    }
}

impl JoinRequest {
    /// Listens where the others will look for this process.
    ///
    /// # Errors
    /// If it has no place in the list, or another program listens there.
    pub fn listen(&self) -> Result<TcpListener> {
        if self.index >= self.hosts.count() {
            let expected = format!("a number below {}, the hosts in the list", self.hosts.count());
            return Err(Error::invalid("--process", self.index, expected));
        }
        let address = self.hosts.peer(self.index).address;
        TcpListener::bind(&*address).map_err(|cause| Error::Listen { address, cause })
    }

    /// Connects to all other processes.
    pub(crate) fn meet(&self, listener: TcpListener) -> Result<Links> {
        let deadline = Instant::now() + self.patience;
        let (door, connections) = PeerListener::open(listener, self)?;
        let unmet = || (0..self.hosts.count()).map(|_| None).collect::<Vec<_>>();
        let mut links = Links { data: unmet(), hearts: unmet(), door };
        // Of a pair, the process with the larger number connects: otherwise both would, and two connections
        // would have to be told apart.
        for index in 0..self.index {
            for purpose in PURPOSES {
                links.room(purpose)[index] = Some(self.connect_to(index, purpose, deadline)?);
            }
        }
        self.await_connections(&connections, &mut links, deadline)?;
        Ok(links)
    }

    fn await_connections(
        &self,
        connections: &Receiver<PeerConnection>,
        links: &mut Links,
        deadline: Instant,
    ) -> Result<()> {
        loop {
            // Those with larger numbers connect to this one; data and heartbeat must both be there.
            let missing = (self.index + 1..self.hosts.count())
                .find(|&index| links.data[index].is_none() || links.hearts[index].is_none());
            let Some(missing) = missing else { return Ok(()) };
            let left = deadline.saturating_duration_since(Instant::now());
            match connections.recv_timeout(left) {
                Ok(connection) => {
                    links.room(connection.purpose)[connection.index] = Some(connection.stream)
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    let (peer, patience) = (self.hosts.peer(missing), self.patience);
                    let cause = links.door.refused().unwrap_or("it did not connect".to_owned());
                    return Err(Error::Absent { peer, patience, cause });
                }
            }
        }
    }

    /// Connects to a process with a smaller number, which may not be there yet.
    fn connect_to(&self, index: usize, purpose: Purpose, deadline: Instant) -> Result<TcpStream> {
        let peer = || self.hosts.peer(index);
        loop {
            let cause = match self.open_connection(index, deadline) {
                Ok(stream) => match self.introduce(stream, purpose) {
                    Ok((stream, reason)) if reason.is_empty() => return Ok(stream),
                    Ok((_, reason)) => return Err(Error::Disagrees { peer: peer(), reason }),
                    Err(cause) => cause,
                },
                Err(cause) => cause,
            };
            // Until then a refused connection only means that the other has not started yet.
            if Instant::now() >= deadline {
                let (patience, cause) = (self.patience, cause.to_string());
                return Err(Error::Absent { peer: peer(), patience, cause });
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn open_connection(&self, index: usize, deadline: Instant) -> std::io::Result<TcpStream> {
        let mut cause = std::io::Error::other("its name has no address");
        for address in self.hosts.resolve(index)? {
            let left = deadline.saturating_duration_since(Instant::now());
            // At least a try for each address, and never the whole time for one that drops packets.
            let left = left.clamp(Duration::from_millis(10), Duration::from_secs(2));
            match TcpStream::connect_timeout(&address, left) {
                Ok(stream) => return Ok(stream),
                Err(error) => cause = error,
            }
        }
        Err(cause)
    }

    fn introduce(
        &self,
        mut stream: TcpStream,
        purpose: Purpose,
    ) -> std::io::Result<(TcpStream, String)> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        let (index, count, job) = (self.index, self.hosts.count(), self.job);
        stream.write_all(&Greeting { purpose, index, count, job }.to_bytes())?;
        // The answer: its length in one byte, then the reason for a refusal; empty means accepted.
        let mut length = [0];
        stream.read_exact(&mut length)?;
        let mut reason = vec![0; usize::from(length[0])];
        stream.read_exact(&mut reason)?;
        stream.set_read_timeout(None)?;
        Ok((stream, String::from_utf8_lossy(&reason).into_owned()))
    }
}

// Which connections are accepted: from listed machines, for the right job, once each. All others are refused as long
// as the job lasts, so that a second job on the same port gets the reason.

/// How long a connection may take to say who it is.
const GREETING_TIMEOUT: Duration = Duration::from_secs(2);
/// Pause between two looks for a new connection.
const LOOK: Duration = Duration::from_millis(10);

/// A connection that was let in.
pub(crate) struct PeerConnection {
    pub index: usize,
    pub purpose: Purpose,
    pub stream: TcpStream,
}

/// A thread that listens.
pub(crate) struct PeerListener {
    closed: Arc<AtomicBool>,
    refused: Arc<Mutex<Option<String>>>,
    thread: Option<JoinHandle<()>>,
}

struct ListenerThread {
    listener: TcpListener,
    invitation: JoinRequest,
    machines: Vec<IpAddr>,
    inside: HashSet<(usize, bool)>,
    connections: Sender<PeerConnection>,
    closed: Arc<AtomicBool>,
    refused: Arc<Mutex<Option<String>>>,
}

impl PeerListener {
    pub fn open(
        listener: TcpListener,
        invitation: &JoinRequest,
    ) -> Result<(Self, Receiver<PeerConnection>)> {
        let fault = |cause| Error::io(&invitation.hosts.peer(invitation.index).address, cause);
        listener.set_nonblocking(true).map_err(fault)?;
        let (connections, receiver) = channel();
        let (closed, refused) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(None)));
        let worker = ListenerThread {
            listener,
            invitation: invitation.clone(),
            machines: invitation.hosts.machines(),
            inside: HashSet::new(),
            connections,
            closed: Arc::clone(&closed),
            refused: Arc::clone(&refused),
        };
        let thread = std::thread::Builder::new().name("privet:door".to_owned());
        let thread = thread.spawn(move || worker.listen()).map_err(fault)?;
        Ok((Self { closed, refused, thread: Some(thread) }, receiver))
    }

    /// Who was refused last, and why.
    pub fn refused(&self) -> Option<String> {
        self.refused.lock().ok()?.clone()
    }
}

impl Drop for PeerListener {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It holds nothing that a panic could leave half done.
            let _ended = thread.join();
        }
    }
}

impl ListenerThread {
    fn listen(mut self) {
        while !self.closed.load(Ordering::Relaxed) {
            match self.listener.accept() {
                Ok((stream, from)) => self.receive(stream, from.ip().to_canonical()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    // Once all processes are connected, late connections can wait for their refusal.
                    let wanted = 2 * (self.invitation.hosts.count() - self.invitation.index - 1);
                    let all = self.inside.len() >= wanted;
                    std::thread::park_timeout(if all { 10 * LOOK } else { LOOK });
                }
                Err(_) => std::thread::park_timeout(LOOK),
            }
        }
    }

    fn receive(&mut self, mut stream: TcpStream, from: IpAddr) {
        // Before a byte is read: a stranger gets no answer.
        if !self.machines.contains(&from) {
            return self.note_refusal(format!("{from} is not in the list of hosts"));
        }
        match self.greet(&mut stream) {
            Ok((hello, reason)) => {
                // Its length travels in one byte.
                let answer = &reason.as_bytes()[..reason.len().min(255)];
                let length = answer.len() as u8;
                let answered = stream.write_all(&[&[length], answer].concat());
                if !reason.is_empty() {
                    return self
                        .note_refusal(format!("worker {} at {from}: {reason}", hello.index));
                }
                if answered.and_then(|()| stream.set_read_timeout(None)).is_ok() {
                    let Greeting { index, purpose, .. } = hello;
                    // Only after the answer was written: a process that did not get it may try again.
                    self.inside.insert((index, purpose == Purpose::Heart));
                    // The receiver is gone if the job has been given up.
                    let _waiting = self.connections.send(PeerConnection { index, purpose, stream });
                }
            }
            Err(reason) => self.note_refusal(format!("{from}: {reason}")),
        }
    }

    /// Who it is, and why it cannot come in: an empty reason if it can.
    fn greet(&self, stream: &mut TcpStream) -> Result<(Greeting, String), String> {
        let silent = |_| "it did not say who it is".to_owned();
        // The listener does not block, and on some systems its connections inherit that.
        stream.set_nonblocking(false).map_err(silent)?;
        stream.set_nodelay(true).map_err(silent)?;
        stream.set_read_timeout(Some(GREETING_TIMEOUT)).map_err(silent)?;
        let mut bytes = [0; GREETING];
        stream.read_exact(&mut bytes).map_err(silent)?;
        let hello = Greeting::from_bytes(&bytes)?;
        let JoinRequest { hosts, index, job, .. } = &self.invitation;
        let reason = if hello.count != hosts.count() {
            format!(
                "its list has {} hosts, that of worker {index} has {}",
                hello.count,
                hosts.count()
            )
        } else if hello.job != *job && !fault::on(Fault::OtherJobJoins) {
            format!("worker {index} runs another job: command, settings and data must be the same")
        } else if hello.index <= *index || hello.index >= hosts.count() {
            format!("a worker {} does not connect to worker {index}", hello.index)
        } else if self.inside.contains(&(hello.index, hello.purpose == Purpose::Heart)) {
            format!("there is a worker {} already", hello.index)
        } else {
            String::new()
        };
        Ok((hello, reason))
    }

    fn note_refusal(&self, reason: String) {
        eprintln!("privet: refused a connection: {reason}");
        if let Ok(mut refused) = self.refused.lock() {
            *refused = Some(reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_are_understood() {
        let hello = Greeting { purpose: Purpose::Heart, index: 3, count: 5, job: [7; 32] };
        assert_eq!(Greeting::from_bytes(&hello.to_bytes()), Ok(hello));
        let mut other = hello.to_bytes();
        other[8] = 9;
        assert!(Greeting::from_bytes(&other).unwrap_err().contains("version 9"));
        other[0] = 0;
        assert!(Greeting::from_bytes(&other).unwrap_err().contains("does not speak"));
    }
}
