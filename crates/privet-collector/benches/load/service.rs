//! The processes that reports are sent to: the collector, and a service that does nothing with the same requests.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};

use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use privet_collector::{CollectorSettings, RunningService};

pub const TOKEN: &str = "the token of a bench";

/// A process that answers requests.
pub struct Service {
    child: Child,
    pub address: String,
}

impl Service {
    /// The collector, on a store.
    pub fn collector(store: &str) -> Self {
        Self::start(&["--serve", store])
    }

    /// What answers without doing anything: the most that requests of their own can reach on this machine.
    pub fn empty() -> Self {
        Self::start(&["--serve-nothing"])
    }

    fn start(words: &[&str]) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, address: line.trim().to_owned() }
    }

    /// Bytes of memory, where the system says it.
    pub fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
        kilobytes.and_then(|number| number.parse::<u64>().ok()).unwrap_or(0) << 10
    }

    /// Seconds of processor time so far.
    pub fn processor(&self) -> f64 {
        processor(&self.child.id().to_string())
    }

    pub fn end(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}

/// Seconds of processor time of a process, in steps of a hundredth, where the system says it.
pub fn processor(process: &str) -> f64 {
    let about = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // What follows the name, which may hold anything: of the process 11 and 12, in hundredths.
    let words = about.rsplit(')').next().unwrap_or_default().split_whitespace();
    words.skip(11).take(2).filter_map(|word| word.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The collector's process.
pub fn serve(store: &str) {
    let settings = CollectorSettings {
        listen: "127.0.0.1:0".into(),
        store: store.into(),
        rate: 0,
        log: false,
        ..CollectorSettings::default()
    };
    let running = RunningService::start(settings, TOKEN).unwrap();
    println!("{}", running.address);
    until_closed();
    running.stop().unwrap();
}

/// Reads every request whole, and says that it was taken. It was not.
pub fn serve_nothing() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    println!("{}", listener.local_addr().unwrap());
    runtime.spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let answer = |request: Request<Incoming>| async {
                request.into_body().collect().await?;
                let answer = Response::builder().status(StatusCode::CREATED);
                Ok::<_, hyper::Error>(answer.body(Empty::<Bytes>::new()).unwrap())
            };
            let service = hyper::service::service_fn(answer);
            let builder = hyper::server::conn::http1::Builder::new();
            tokio::spawn(builder.serve_connection(TokioIo::new(stream), service));
        }
    });
    until_closed();
}

/// Until the bench closes our input.
fn until_closed() {
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}
