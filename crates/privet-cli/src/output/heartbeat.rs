//! [`Heartbeat`]: a plain line now and then, where there is no terminal to draw a bar on.
//!
//! A line says what is being done and for how long. What depends on the data (an epoch, an error that is left) is not
//! said: these lines end up in logs, beside releases.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a line is printed.
pub const EVERY: Duration = Duration::from_secs(10);

/// Prints lines until it is dropped.
#[derive(Debug)]
pub struct Heartbeat {
    /// Dropped to end the thread.
    running: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Calls `say` with the time that has gone by, every so often.
    pub fn start(every: Duration, say: impl Fn(Duration) + Send + 'static) -> Self {
        let (running, ended) = channel::<()>();
        let begun = Instant::now();
        let beat = move || {
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(every) {
                say(begun.elapsed());
            }
        };
        // Without a thread there is no sign of life, and nothing else is lost.
        let thread = std::thread::Builder::new().name("heartbeat".into()).spawn(beat).ok();
        Self { running: Some(running), thread }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        drop(self.running.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// `40 s`, `3 min`, `2.5 h`.
pub fn in_words(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", (seconds + 30) / 60),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn it_beats_until_it_is_dropped() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&heard);
        let heartbeat = Heartbeat::start(Duration::from_millis(5), move |time| {
            told.lock().unwrap().push(time);
        });
        let begun = Instant::now();
        while heard.lock().unwrap().len() < 2 {
            assert!(begun.elapsed() < Duration::from_secs(10), "not a sound");
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(heartbeat);
        let beats = heard.lock().unwrap().len();
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(heard.lock().unwrap().len(), beats, "it is over");
    }

    #[test]
    fn times_are_told_in_words() {
        let told = [40, 150, 9000].map(|seconds| in_words(Duration::from_secs(seconds)));
        assert_eq!(told, ["40 s", "3 min", "2.5 h"]);
    }
}
