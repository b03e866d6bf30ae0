//! [`Console`]: results to standard output, everything else to standard error.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use privet::graph::Notice;
use privet::learn::train::Watch;
use serde::Serialize;

use crate::args::{Color, Speech};
use crate::failure::Result;
use crate::style::{NOTE, printable};

/// What a command found out. Its [`Serialize`] form is for programs, the text for people.
pub trait Answer: Serialize {
    /// Writes it for people.
    ///
    /// # Errors
    /// If the stream fails.
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()>;
}

/// Where and how a command speaks.
#[derive(Debug, Clone, Copy)]
pub struct Console {
    speech: Speech,
}

impl Console {
    /// A console that speaks as asked.
    pub fn new(speech: Speech) -> Self {
        match speech.color {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
        Self { speech }
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

    /// Whether ids and cells may be told.
    pub fn shows_values(&self) -> bool {
        self.speech.show_values
    }

    /// Says what a reader folded away, where what it read is not about to be hidden by noise.
    pub fn notices(&self, notices: &[Notice]) {
        notices.iter().for_each(|notice| self.note(&notice.to_string()));
    }

    /// Nobody should take a simulation for the real thing.
    pub fn announce(&self, noise: privet::Noise) {
        if let privet::Noise::Replay(seed) = noise {
            self.note(&format!(
                "SIMULATION: noise replayed from seed {seed} protects nobody; the card says so"
            ));
        }
    }

    /// The same on the way to a release: how many self-loops were dropped is a fact about secret records, so
    /// it is told only to whoever asks for it.
    pub fn private_notices(&self, notices: &[Notice]) {
        if self.shows_values() {
            self.notices(notices);
        }
    }

    /// Whether anybody watches: progress is for terminals only.
    pub fn is_watched(&self) -> bool {
        !self.speech.quiet && io::stderr().is_terminal()
    }

    /// A sign of life for work of unknown length; gone when dropped.
    pub fn spinner(&self, doing: impl Into<String>) -> Spinner {
        let bar = ProgressBar::new_spinner();
        bar.set_draw_target(self.draw_target());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}{msg}") {
            bar.set_style(style);
        }
        bar.set_message(printable(&doing.into()));
        bar.enable_steady_tick(Duration::from_millis(100));
        Spinner(bar)
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
    pub fn runs(&self, doing: &str) -> ProgressBar {
        let bar = ProgressBar::new(0);
        bar.set_draw_target(self.draw_target());
        let template = "{msg}  {bar:24.cyan}  {pos} of {len} runs  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("█▌░"));
        }
        bar.set_message(printable(doing));
        bar.enable_steady_tick(Duration::from_millis(500));
        bar
    }

    fn draw_target(&self) -> ProgressDrawTarget {
        match self.is_watched() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        }
    }
}

/// A sign of life on standard error, wiped away when the work is done.
#[derive(Debug)]
pub struct Spinner(ProgressBar);

/// Training tells how far it is. Ctrl-C ends the process, see [`crate::interrupt`].
impl Watch for Spinner {
    fn sees(&self, done: usize, of: usize) {
        self.0.set_prefix(format!("epoch {done} of at most {of}: "));
    }
}

impl Spinner {
    /// Says what is being done now.
    pub fn say(&self, doing: impl Into<String>) {
        self.0.set_message(printable(&doing.into()));
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
