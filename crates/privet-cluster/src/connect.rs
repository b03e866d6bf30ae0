//! Connections between all pairs of processes, made by ourselves so that strangers and mistakes are told.
//!
//! Every process listens, and connects to those with smaller numbers. A connection begins with a greeting: what
//! it is for, who it is, how many there should be and the hash of the job. The answer is empty, or says why not. A
//! pair has two connections: one for data, one for signs of life (`heart.rs`).
//!
//! Nothing here is encrypted, and no process proves its identity: a list of addresses keeps mistakes out, not attackers.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::door::{Door, Guest};
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
pub(crate) struct Hello {
    pub purpose: Purpose,
    pub index: usize,
    pub count: usize,
    pub job: [u8; 32],
}

impl Hello {
    pub fn to_bytes(self) -> [u8; GREETING] {
        let mut bytes = [0; GREETING];
        bytes[..8].copy_from_slice(&MAGIC.to_ne_bytes());
        bytes[8..12].copy_from_slice(&VERSION.to_ne_bytes());
        bytes[12..16].copy_from_slice(&(self.purpose as u32).to_ne_bytes());
        bytes[16..20].copy_from_slice(&(self.index as u32).to_ne_bytes());
        bytes[20..24].copy_from_slice(&(self.count as u32).to_ne_bytes());
        bytes[24..].copy_from_slice(&self.job);
        bytes
    }

    /// What was said, or what is wrong with it.
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
    pub door: Door,
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
        let (door, guests) = Door::open(listener, self)?;
        let unmet = || (0..self.hosts.count()).map(|_| None).collect::<Vec<_>>();
        let mut links = Links { data: unmet(), hearts: unmet(), door };
        for index in 0..self.index {
            for purpose in PURPOSES {
                links.room(purpose)[index] = Some(self.visit(index, purpose, deadline)?);
            }
        }
        self.await_guests(&guests, &mut links, deadline)?;
        Ok(links)
    }

    fn await_guests(
        &self,
        guests: &Receiver<Guest>,
        links: &mut Links,
        deadline: Instant,
    ) -> Result<()> {
        loop {
            let missing = (self.index + 1..self.hosts.count())
                .find(|&index| links.data[index].is_none() || links.hearts[index].is_none());
            let Some(missing) = missing else { return Ok(()) };
            let left = deadline.saturating_duration_since(Instant::now());
            match guests.recv_timeout(left) {
                Ok(guest) => links.room(guest.purpose)[guest.index] = Some(guest.stream),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    let (peer, patience) = (self.hosts.peer(missing), self.patience);
                    let cause = links.door.refused().unwrap_or("it did not connect".to_owned());
                    return Err(Error::Absent { peer, patience, cause });
                }
            }
        }
    }

    /// Connects to a process with a smaller number, which may not be there yet.
    fn visit(&self, index: usize, purpose: Purpose, deadline: Instant) -> Result<TcpStream> {
        let peer = || self.hosts.peer(index);
        loop {
            let cause = match self.reach(index, deadline) {
                Ok(stream) => match self.introduce(stream, purpose) {
                    Ok((stream, reason)) if reason.is_empty() => return Ok(stream),
                    Ok((_, reason)) => return Err(Error::Disagrees { peer: peer(), reason }),
                    Err(cause) => cause,
                },
                Err(cause) => cause,
            };
            if Instant::now() >= deadline {
                let (patience, cause) = (self.patience, cause.to_string());
                return Err(Error::Absent { peer: peer(), patience, cause });
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn reach(&self, index: usize, deadline: Instant) -> std::io::Result<TcpStream> {
        let mut cause = std::io::Error::other("its name has no address");
        for address in self.hosts.resolve(index)? {
            let left = deadline.saturating_duration_since(Instant::now());
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
        stream.write_all(&Hello { purpose, index, count, job }.to_bytes())?;
        let mut length = [0];
        stream.read_exact(&mut length)?;
        let mut reason = vec![0; usize::from(length[0])];
        stream.read_exact(&mut reason)?;
        stream.set_read_timeout(None)?;
        Ok((stream, String::from_utf8_lossy(&reason).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_are_understood() {
        let hello = Hello { purpose: Purpose::Heart, index: 3, count: 5, job: [7; 32] };
        assert_eq!(Hello::from_bytes(&hello.to_bytes()), Ok(hello));
        let mut other = hello.to_bytes();
        other[8] = 9;
        assert!(Hello::from_bytes(&other).unwrap_err().contains("version 9"));
        other[0] = 0;
        assert!(Hello::from_bytes(&other).unwrap_err().contains("does not speak"));
    }
}
