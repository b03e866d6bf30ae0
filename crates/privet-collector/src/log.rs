//! Structured lines on stderr, one an event: a moment, an event, what it is about. Never the contents of a report, an id, a
//! code or a token; requests are counted ([`metrics`](crate::metrics)), not listed.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// Whether events are left out. One flag, as there is one log for a process.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Writes nothing from now on, or everything.
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Writes an event down.
pub fn event(name: &str, about: Value) {
    if QUIET.load(Ordering::Relaxed) {
        return;
    }
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let line = json!({ "time": seconds, "event": name, "about": about });
    // Who does not read the log is served all the same.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Writes down that something failed.
pub fn failure(what: &str, error: &dyn std::error::Error) {
    event("failure", json!({ "what": what, "error": error.to_string() }));
}
