//! [`Console`]: results to standard output, everything else to standard error.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use privet::graph::Notice;
use privet::learn::train::Watch;
use serde::Serialize;

use crate::args::{Color, OutputOptions};
use crate::failure::Result;
use crate::output::style::{NOTE, printable};

/// What a command found out. Its [`Serialize`] form is for programs, the text for people.
pub trait Answer: Serialize {
    /// Writes it for people.
    ///
    /// # Errors
    /// If the stream fails.
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()>;
}

/// The same text without colours, for output that is shown elsewhere.
///
/// # Errors
/// Never in practice: memory does not refuse.
pub fn plain_text(answer: &impl Answer) -> Result<String> {
    let mut out = anstream::StripStream::new(Vec::new());
    answer.write_text(&mut out)?;
    Ok(String::from_utf8_lossy(&out.into_inner()).into_owned())
}

/// Where and how a command speaks.
#[derive(Debug, Clone, Copy)]
pub struct Console {
    speech: OutputOptions,
}

impl Console {
    /// A console that speaks as asked.
    pub fn new(speech: OutputOptions) -> Self {
        match speech.color {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
        Self { speech }
    }

    /// The same without notices and progress.
    #[must_use]
    pub fn quietly(self) -> Self {
        Self { speech: OutputOptions { quiet: true, verbose: false, ..self.speech } }
    }

    /// Prints a result to standard output.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn answer(&self, answer: &impl Answer) -> Result<()> {
        let mut out = io::BufWriter::new(anstream::stdout().lock());
        if self.speech.json {
            serde_json::to_writer_pretty(&mut out, answer)?;
            writeln!(out)?;
        } else {
            answer.write_text(&mut out)?;
        }
        Ok(out.flush()?)
    }

    /// Says something worth knowing on standard error.
    pub fn note(&self, text: &str) {
        if !self.speech.quiet {
            let _ = writeln!(anstream::stderr(), "{NOTE}note:{NOTE:#} {}", printable(text));
        }
    }

    /// Whether results are for programs.
    pub fn speaks_json(&self) -> bool {
        self.speech.json
    }

    /// Whether ids and cells may be told.
    pub fn shows_values(&self) -> bool {
        self.speech.show_values
    }

    /// Says what a reader folded away, where what it read is not about to be hidden by noise.
    pub fn notices(&self, notices: &[Notice]) {
        notices.iter().for_each(|notice| self.note(&notice.to_string()));
    }

    /// A simulation must not be mistaken for a release.
    pub fn announce(&self, noise: privet::Noise) {
        if let privet::Noise::Replay(seed) = noise {
            self.note(&format!(
                "SIMULATION: noise replayed from seed {seed} gives no protection; the card says so"
            ));
        }
    }

    /// The same on the way to a release: how many self-loops were dropped is a fact about secret records, so
    /// it is told only on request.
    pub fn private_notices(&self, notices: &[Notice]) {
        if self.shows_values() {
            self.notices(notices);
        }
    }

    /// Whether standard error is a terminal: progress is for terminals only.
    pub fn is_watched(&self) -> bool {
        !self.speech.quiet && io::stderr().is_terminal()
    }

    /// Plain lines where no bar is drawn, unless quiet is wanted.
    fn heartbeat(&self, line: impl Fn(&str) -> String + Send + 'static) -> Option<Heartbeat> {
        if self.speech.quiet || self.is_watched() {
            return None;
        }
        let console = *self;
        let say = move |time| console.note(&line(&in_words(time)));
        Some(Heartbeat::start(EVERY, say))
    }

    /// Says what is being done, if messages are wanted.
    pub fn step(&self, doing: &str) {
        if self.speech.verbose {
            self.note(doing);
        }
    }

    /// A sign of life for work of unknown length; gone when dropped.
    pub fn spinner(&self, doing: impl Into<String>) -> Spinner {
        let doing = doing.into();
        self.step(&doing);
        let text = doing.clone();
        let heartbeat = self.heartbeat(move |time| format!("still {text} ({time})"));
        let bar = ProgressBar::new_spinner();
        bar.set_draw_target(self.draw_target());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}{msg}") {
            bar.set_style(style);
        }
        bar.set_message(printable(&doing));
        bar.enable_steady_tick(Duration::from_millis(100));
        Spinner { bar, _heartbeat: heartbeat }
    }

    /// A bar for a download of so many bytes.
    pub fn download(&self, name: &str, total: u64) -> ProgressBar {
        let bar = ProgressBar::new(total);
        bar.set_draw_target(self.draw_target());
        let template = "{msg}  {bar:24.cyan}  {bytes} of {total_bytes}  {bytes_per_sec}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("█▌░"));
        }
        bar.set_message(printable(name));
        bar
    }

    /// A bar for runs of an experiment, with the time that is left.
    pub fn runs(&self, doing: &str) -> RunProgress {
        self.step(doing);
        let bar = ProgressBar::new(0);
        bar.set_draw_target(self.draw_target());
        let template = "{msg}  {bar:24.cyan}  {pos} of {len} runs  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("█▌░"));
        }
        bar.set_message(printable(doing));
        bar.enable_steady_tick(Duration::from_millis(500));
        let (watched, doing) = (bar.clone(), doing.to_owned());
        let heartbeat = self.heartbeat(move |time| {
            let (done, of) = (watched.position(), watched.length().unwrap_or(0));
            format!("{doing}: {done} of {of} runs ({time})")
        });
        RunProgress {
            bar,
            console: *self,
            begun: Instant::now(),
            first: Mutex::new(None),
            _heartbeat: heartbeat,
        }
    }

    fn draw_target(&self) -> ProgressDrawTarget {
        match self.is_watched() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        }
    }
}

/// Work that takes longer than this is announced.
const LONG: Duration = Duration::from_secs(60);

/// A bar for runs of an experiment, or lines about them.
#[derive(Debug)]
pub struct RunProgress {
    bar: ProgressBar,
    console: Console,
    begun: Instant,
    /// How many were done already, and whether it was said how long the others will take.
    first: Mutex<Option<(usize, bool)>>,
    _heartbeat: Option<Heartbeat>,
}

impl RunProgress {
    /// So many of so many are done. What was stored says nothing about how fast it goes now; the first that is
    /// measured does.
    pub fn sees(&self, done: usize, of: usize) {
        self.bar.set_length(of as u64);
        let Ok(mut first) = self.first.lock() else { return };
        let (stored, told) = *first.get_or_insert((done, false));
        if self.bar.position() == 0 && done > 0 {
            self.bar.reset_eta();
        }
        self.bar.set_position(done as u64);
        if told || done <= stored {
            return;
        }
        *first = Some((stored, true));
        let each = self.begun.elapsed().div_f64((done - stored) as f64);
        let left = each.mul_f64((of - done.min(of)) as f64);
        if left > LONG {
            let time = in_words(left);
            let text =
                format!("{} runs are to be made: about {time}, judged by the first", of - stored);
            self.bar.suspend(|| self.console.note(&text));
        }
    }
}

impl Drop for RunProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A sign of life on standard error, wiped away when the work is done.
#[derive(Debug)]
pub struct Spinner {
    bar: ProgressBar,
    _heartbeat: Option<Heartbeat>,
}

/// Training tells how far it is. Ctrl-C ends the process, see [`crate::interrupt`].
impl Watch for Spinner {
    fn sees(&self, done: usize, of: usize) {
        self.bar.set_prefix(format!("epoch {done} of at most {of}: "));
    }
}

impl Spinner {
    /// Says what is being done now.
    pub fn say(&self, doing: impl Into<String>) {
        self.bar.set_message(printable(&doing.into()));
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

// `Heartbeat`: a plain line now and then, where there is no terminal to draw a bar on.
//
// A line says what is being done and for how long. What depends on the data (an epoch, an error that is left) is not
// said: these lines end up in logs, beside releases.

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
