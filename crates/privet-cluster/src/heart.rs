//! Heartbeats: a process that dies, stops or falls silent is noticed, and named, by all others at once.
//!
//! Timely has no notion of a process that is gone: it would wait for ever. So every pair has a second connection on
//! which a byte travels every two seconds, a goodbye at the end, or the reason for which a process stopped. Its
//! end without a goodbye, or ten seconds of silence, is a loss.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::error::Peer;
use crate::hosts::Hosts;
use crate::{Error, Result};

/// How often a process says that it is there.
const BEAT: Duration = Duration::from_secs(2);
/// How long nothing may be heard.
const SILENCE: Duration = Duration::from_secs(10);

const ALIVE: u8 = b'.';
const GOODBYE: u8 = b'q';
const STOPPED: u8 = b'!';
/// It stopped because another process did.
const FOLLOWED: u8 = b'~';

/// What was noticed of a process that cannot go on.
#[derive(Debug)]
pub(crate) struct LostPeer {
    pub error: Box<Error>,
    /// The smaller, the nearer to what began it: a process's own words, a connection that ended, and the words of
    /// one that stopped for the same reason.
    pub distance: u8,
}

impl LostPeer {
    /// A process whose connection ended, or was silent.
    pub fn of(peer: &Peer, reason: impl Into<String>) -> Self {
        let error = Error::Lost { peer: peer.clone(), reason: reason.into() };
        Self { error: Box::new(error), distance: 1 }
    }
}

/// The signs of life of this process, and watches over those of others.
pub(crate) struct Heartbeats {
    stop: Option<Sender<Vec<u8>>>,
    beating: Option<JoinHandle<()>>,
}

impl Heartbeats {
    /// Starts to beat, and to watch: `lost` is called at the first loss of every process.
    pub fn start(
        streams: Vec<Option<TcpStream>>,
        hosts: &Hosts,
        lost: impl Fn(LostPeer) + Clone + Send + 'static,
    ) -> Result<Self> {
        let mut outgoing = Vec::new();
        for (index, stream) in streams.into_iter().enumerate() {
            let Some(stream) = stream else { continue };
            let peer = hosts.peer(index);
            let fault = |cause| Error::io(&peer, cause);
            // A read that ends for silence is how a stopped machine is noticed: TCP alone would wait for hours.
            stream.set_read_timeout(Some(SILENCE)).map_err(fault)?;
            outgoing.push(stream.try_clone().map_err(fault)?);
            let (peer, lost) = (peer.clone(), lost.clone());
            let thread = std::thread::Builder::new().name(format!("privet:watch-{index}"));
            // A thread for each peer, which sleeps in `read`: losses are noticed while the job computes.
            let watch = move || watch(stream, &peer).map_or_else(lost, |()| ());
            thread.spawn(watch).map_err(|cause| Error::io("a thread", cause))?;
        }
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new().name("privet:heart".to_owned());
        let beating = thread.spawn(move || beat(outgoing, &stopped));
        let beating = beating.map_err(|cause| Error::io("a thread", cause))?;
        Ok(Self { stop: Some(stop), beating: Some(beating) })
    }

    /// Ends well.
    pub fn goodbye(self) {
        self.end(vec![GOODBYE]);
    }

    /// Ends, and tells the others why.
    pub fn stop(self, error: &Error) {
        // Whether this process is the cause or only stopped because of another one: see `LostPeer::distance`.
        let followed = matches!(error, Error::Lost { .. } | Error::Stopped { .. });
        let reason = error.to_string();
        let reason = &reason.as_bytes()[..reason.len().min(usize::from(u16::MAX))];
        let length = (reason.len() as u16).to_le_bytes();
        self.end([&[if followed { FOLLOWED } else { STOPPED }], &length[..], reason].concat());
    }

    fn end(mut self, last: Vec<u8>) {
        if let Some(stop) = self.stop.take() {
            // If the thread is gone, no one receives this.
            let _heard = stop.send(last);
        }
        if let Some(beating) = self.beating.take() {
            let _ended = beating.join();
        }
    }
}

fn beat(mut outgoing: Vec<TcpStream>, stopped: &Receiver<Vec<u8>>) {
    let say = |outgoing: &mut Vec<TcpStream>, bytes: &[u8]| {
        // A failed write needs no report: the watch on that peer notices that it is gone.
        outgoing.retain_mut(|stream| stream.write_all(bytes).is_ok());
    };
    loop {
        match stopped.recv_timeout(BEAT) {
            Err(RecvTimeoutError::Timeout) => say(&mut outgoing, &[ALIVE]),
            Ok(last) => {
                say(&mut outgoing, &last);
                return outgoing.iter().for_each(|stream| {
                    // What was written still arrives; the peer's watch reads the last byte, then the end.
                    let _closed = stream.shutdown(Shutdown::Write);
                });
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Returns once the process has sent its goodbye.
fn watch(mut stream: TcpStream, peer: &Peer) -> Result<(), LostPeer> {
    let gone = |reason: &str| Err(LostPeer::of(peer, reason));
    let mut byte = [0];
    loop {
        match stream.read(&mut byte) {
            Ok(0) => return gone("its connection ended"),
            Ok(_) if byte[0] == GOODBYE => return Ok(()),
            Ok(_) if matches!(byte[0], STOPPED | FOLLOWED) => {
                let reason = last_words(&mut stream).unwrap_or("it did not say why".to_owned());
                let error = Box::new(Error::Stopped { peer: peer.clone(), reason });
                return Err(LostPeer { error, distance: if byte[0] == STOPPED { 0 } else { 2 } });
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return gone(&format!("nothing was heard of it for {} s", SILENCE.as_secs()));
            }
            Err(error) => return gone(&error.to_string()),
        }
    }
}

fn last_words(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut length = [0; 2];
    stream.read_exact(&mut length)?;
    let mut words = vec![0; usize::from(u16::from_le_bytes(length))];
    stream.read_exact(&mut words)?;
    Ok(String::from_utf8_lossy(&words).into_owned())
}
