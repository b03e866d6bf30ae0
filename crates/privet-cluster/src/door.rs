//! Which connections are accepted: from listed machines, for the right job, once each. All others are refused as long
//! as the job lasts, so that a second job on the same port gets the reason.

use std::collections::HashSet;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use privet::privacy::fault::{self, Fault};

use crate::connect::{GREETING, Hello, JoinRequest, Purpose};
use crate::{Error, Result};

/// How long a guest may take to say who it is.
const GREETING_TIME: Duration = Duration::from_secs(2);
/// Pause between two looks for a new connection.
const LOOK: Duration = Duration::from_millis(10);

/// A connection that was let in.
pub(crate) struct Guest {
    pub index: usize,
    pub purpose: Purpose,
    pub stream: TcpStream,
}

/// A thread that listens.
pub(crate) struct Door {
    closed: Arc<AtomicBool>,
    refused: Arc<Mutex<Option<String>>>,
    thread: Option<JoinHandle<()>>,
}

struct DoorThread {
    listener: TcpListener,
    invitation: JoinRequest,
    machines: Vec<IpAddr>,
    inside: HashSet<(usize, bool)>,
    guests: Sender<Guest>,
    closed: Arc<AtomicBool>,
    refused: Arc<Mutex<Option<String>>>,
}

impl Door {
    pub fn open(
        listener: TcpListener,
        invitation: &JoinRequest,
    ) -> Result<(Self, Receiver<Guest>)> {
        let fault = |cause| Error::io(&invitation.hosts.peer(invitation.index).address, cause);
        listener.set_nonblocking(true).map_err(fault)?;
        let (guests, receiver) = channel();
        let (closed, refused) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(None)));
        let keeper = DoorThread {
            listener,
            invitation: invitation.clone(),
            machines: invitation.hosts.machines(),
            inside: HashSet::new(),
            guests,
            closed: Arc::clone(&closed),
            refused: Arc::clone(&refused),
        };
        let thread = std::thread::Builder::new().name("privet:door".to_owned());
        let thread = thread.spawn(move || keeper.stand()).map_err(fault)?;
        Ok((Self { closed, refused, thread: Some(thread) }, receiver))
    }

    /// Who was refused last, and why.
    pub fn refused(&self) -> Option<String> {
        self.refused.lock().ok()?.clone()
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It holds nothing that a panic could leave half done.
            let _ended = thread.join();
        }
    }
}

impl DoorThread {
    fn stand(mut self) {
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
        if !self.machines.contains(&from) {
            return self.tell(format!("{from} is not in the list of hosts"));
        }
        match self.greet(&mut stream) {
            Ok((hello, reason)) => {
                let answer = &reason.as_bytes()[..reason.len().min(255)];
                let length = answer.len() as u8;
                let answered = stream.write_all(&[&[length], answer].concat());
                if !reason.is_empty() {
                    return self.tell(format!("worker {} at {from}: {reason}", hello.index));
                }
                if answered.and_then(|()| stream.set_read_timeout(None)).is_ok() {
                    let Hello { index, purpose, .. } = hello;
                    self.inside.insert((index, purpose == Purpose::Heart));
                    // The receiver is gone if the job has been given up.
                    let _waiting = self.guests.send(Guest { index, purpose, stream });
                }
            }
            Err(reason) => self.tell(format!("{from}: {reason}")),
        }
    }

    /// Who it is, and why it cannot come in: an empty reason if it can.
    fn greet(&self, stream: &mut TcpStream) -> Result<(Hello, String), String> {
        let silent = |_| "it did not say who it is".to_owned();
        stream.set_nonblocking(false).map_err(silent)?;
        stream.set_nodelay(true).map_err(silent)?;
        stream.set_read_timeout(Some(GREETING_TIME)).map_err(silent)?;
        let mut bytes = [0; GREETING];
        stream.read_exact(&mut bytes).map_err(silent)?;
        let hello = Hello::from_bytes(&bytes)?;
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

    fn tell(&self, reason: String) {
        eprintln!("privet: refused a connection: {reason}");
        if let Ok(mut refused) = self.refused.lock() {
            *refused = Some(reason);
        }
    }
}
