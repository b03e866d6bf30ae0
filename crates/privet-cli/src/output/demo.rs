//! What `privet demo` shows: the tour of the four trust models, as text and as JSON.

use std::io::{self, Write};

use privet_lab::experiments::trial::Variant;
use privet_lab::tour::{Score, Stop, Tour};
use serde::Serialize;

use crate::output::console::Answer;
use crate::output::style::{ACCENT, FAINT, GOOD, STRONG, wrapped};

/// The widest line of a sentence.
const WIDTH: usize = 76;

/// The tour, taken.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TourOutput {
    /// What was seen.
    #[serde(flatten)]
    pub tour: Tour,
    /// Always: scores need the truth and noise that can be replayed.
    pub scores_are_simulated: bool,
    /// The page, where one was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
}

impl Answer for TourOutput {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let seed = self.tour.seed;
        writeln!(
            out,
            "{STRONG}A tour of Privet{STRONG:#}  {FAINT}four ways to learn from people; these do not exist \
             (seed {seed}){FAINT:#}\n"
        )?;
        for (number, stop) in (1..).zip(&self.tour.stops) {
            let (system, title) = (stop.setting.system, stop.setting.title);
            writeln!(out, "{GOOD}{number} {title}{GOOD:#}  {FAINT}{system}{FAINT:#}")?;
            for (name, text) in stop.told() {
                line(out, name, &text)?;
            }
            writeln!(out, "  {:<9} {}", "", scores(stop))?;
            line(out, "so", &stop.verdict)?;
        }
        writeln!(
            out,
            "\n{FAINT}Accuracy over {} runs. control: the same noise, nothing behind it; majority:\none answer for all; public: no private data at all; ceiling: no privacy.{FAINT:#}",
            self.runs()
        )?;
        if let Some(page) = &self.html {
            writeln!(out, "wrote {page}")?;
        }
        writeln!(
            out,
            "Next: {ACCENT}privet plan --help{ACCENT:#}  which way is for you, and what it will be worth\n      \
             {ACCENT}privet init --help{ACCENT:#}  your own tables, one budget"
        )
    }
}

impl TourOutput {
    fn runs(&self) -> u64 {
        let scores = self.tour.stops.iter().flat_map(|stop| &stop.scores);
        scores.map(|score| score.accuracy.runs).max().unwrap_or(0)
    }
}

/// What was learned, from nothing to everything, and how far runs are apart.
fn scores(stop: &Stop) -> String {
    let word = |score: &Score| {
        let style = if score.variant == Variant::Private { STRONG } else { FAINT };
        let name = match score.variant {
            Variant::NoPrivateData => "public",
            variant => variant.name(),
        };
        let percent = score.accuracy.short().replace(" ± ", "±");
        format!("{style}{name}{style:#} {}", percent.trim_end_matches(" %"))
    };
    stop.shown().into_iter().map(word).collect::<Vec<_>>().join("  ") + " %"
}

fn line(out: &mut dyn Write, name: &str, text: &str) -> io::Result<()> {
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    for (name, text) in names.zip(wrapped(text, WIDTH)) {
        writeln!(out, "  {FAINT}{name:<9}{FAINT:#} {text}")?;
    }
    Ok(())
}
