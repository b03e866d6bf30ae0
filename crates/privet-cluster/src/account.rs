//! What a process used: seconds, memory, bytes sent. All processes exchange it at the end.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::engine::Exchange;
use crate::{Error, Result};

/// What one process used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResourceUse {
    /// Its number.
    pub worker: usize,
    /// How many nodes it held.
    pub nodes: usize,
    /// Seconds from the first message to the last.
    pub seconds: f64,
    /// The most memory it ever had, where the system tells (Linux).
    pub peak_bytes: Option<u64>,
    /// Bytes it sent to other processes.
    pub sent_bytes: u64,
}

/// What each process used, in the order of the processes.
///
/// # Errors
/// If a message is not what it should be.
pub fn tell(nodes: usize, begun: Instant, exchange: &mut Exchange) -> Result<Vec<ResourceUse>> {
    let used = ResourceUse {
        worker: exchange.index(),
        nodes,
        seconds: begun.elapsed().as_secs_f64(),
        peak_bytes: peak_memory(),
        sent_bytes: exchange.sent(),
    };
    let text = serde_json::to_vec(&used).map_err(|error| Error::Broken(error.to_string()))?;
    let read = |(from, text): (usize, Vec<u8>)| {
        serde_json::from_slice(&text).map_err(|error| Error::message(from, error.to_string()))
    };
    exchange.all_hear(&text)?.into_iter().enumerate().map(read).collect()
}

/// The most memory this process ever had (VmHWM).
pub fn peak_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
