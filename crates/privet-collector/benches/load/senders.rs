//! Those who send: every report is a request of its own, on connections that are kept.
//!
//! One thread drives all connections, each with one request on its way. A thread a connection took more processor time
//! than the service, and both share the machine's cores.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use privet_protocol::TaskName;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::service::processor;

pub const CONNECTIONS: usize = 256;

/// How it went.
#[derive(Default)]
pub struct Sent {
    took: Duration,
    times: Vec<Duration>,
    /// Seconds of processor time of those who sent.
    processor: f64,
}

impl Sent {
    pub fn add(&mut self, other: Self) {
        self.took += other.took;
        self.times.extend(other.times);
        self.processor += other.processor;
    }

    pub fn rate(&self) -> f64 {
        self.times.len() as f64 / self.took.as_secs_f64()
    }

    /// Microseconds of processor time a report: of a service that used so many seconds, and of those who sent.
    pub fn processor(&self, service: f64) -> String {
        let each = 1e6 / self.times.len() as f64;
        format!("{:.1} us of the service, {:.1} of senders", service * each, self.processor * each)
    }

    /// Milliseconds within which so many of a hundred were answered.
    pub fn p(&mut self, percent: usize) -> f64 {
        self.times.sort_unstable();
        self.times[(self.times.len() * percent / 100).min(self.times.len() - 1)].as_secs_f64() * 1e3
    }
}

/// Sends all of them.
pub fn send_all(address: &str, name: TaskName, reports: &[Vec<u8>]) -> Sent {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let (address, reports) = (address.to_owned(), Rc::<[Vec<u8>]>::from(reports));
    let (start, before) = (Instant::now(), processor("self"));
    let next = Rc::new(Cell::new(0));
    let connection = |_| converse(address.clone(), name, reports.clone(), next.clone());
    let connections = tokio::task::LocalSet::new();
    let all: Vec<_> =
        (0..CONNECTIONS).map(connection).map(|one| connections.spawn_local(one)).collect();
    runtime.block_on(connections);
    let times = runtime.block_on(async {
        let mut times = Vec::new();
        for one in all {
            times.extend(one.await.unwrap());
        }
        times
    });
    let (took, processor) = (start.elapsed(), processor("self") - before);
    Sent { took, times, processor }
}

async fn converse(
    address: String,
    name: TaskName,
    reports: Rc<[Vec<u8>]>,
    next: Rc<Cell<usize>>,
) -> Vec<Duration> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let (mut times, mut answer) = (Vec::new(), [0; 4096]);
    while let Some(report) = reports.get(next.replace(next.get() + 1)) {
        let mut request = format!(
            "POST /api/v1/tasks/{name}/reports HTTP/1.1\r\nhost: a\r\n\
             content-type: application/octet-stream\r\ncontent-length: {}\r\n\r\n",
            report.len()
        )
        .into_bytes();
        request.extend_from_slice(report);
        let start = Instant::now();
        stream.write_all(&request).await.unwrap();
        let read = stream.read(&mut answer).await.unwrap();
        times.push(start.elapsed());
        let created = answer[..read].starts_with(b"HTTP/1.1 201");
        assert!(created, "{}", String::from_utf8_lossy(&answer[..read]));
    }
    times
}
