//! [`CollectorSettings`]: each setting of a service, with its meaning and its default.

use std::path::PathBuf;

/// How a service runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectorSettings {
    /// Where to listen: an address and a port. From elsewhere than this machine it should be reached by HTTPS only.
    pub listen: String,
    /// Where tasks and reports are kept: a file of SQLite, or `postgres://...`.
    pub store: String,
    /// Requests a second from one address, and twice as many at once; 0 sets no limit.
    pub rate: u32,
    /// Seconds that one request may take.
    pub seconds: u64,
    /// Connections at once; further ones wait.
    pub connections: usize,
    /// The most bytes of a report.
    pub largest_report: usize,
    /// A certificate and its key, for HTTPS.
    pub tls: Option<Tls>,
    /// Whether to write events on stderr, as lines of JSON.
    pub log: bool,
}

/// Files in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// The certificate, and those that vouch for it.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl Default for CollectorSettings {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:8420".into(),
            store: "collector.db".into(),
            rate: 50,
            seconds: 30,
            connections: 4096,
            largest_report: 1 << 20,
            tls: None,
            log: true,
        }
    }
}
