//! [`Members`]: what a membership attack found, beside what it could have found at most.

use std::io::{self, Write};

use privet_lab::experiments::dpar::Hidden;
use privet_lab::experiments::dpar::membership::{Outcome, Sought};
use privet_lab::report::Report;
use serde::Serialize;

use crate::console::Answer;
use crate::reproduced::WIDTH;
use crate::simulated::Written;

/// What was found.
#[derive(Debug, Clone, Serialize)]
pub struct Members {
    /// The data.
    pub dataset: String,
    /// What is hidden, on the card.
    pub relation: Hidden,
    /// What was sought.
    pub sought: Sought,
    /// How many models were trained of each kind.
    pub shadows: usize,
    /// The seed of the split, the targets and the noise.
    pub seed: u64,
    /// Always: whether a guess was right needs the truth.
    pub scores_are_simulated: bool,
    /// One for every system, those without privacy last. Rates are pairs of a false-positive rate and what was found.
    pub outcomes: Vec<Outcome>,
    /// What they say.
    pub verdict: String,
    /// The report, if it was written to a file.
    #[serde(flatten)]
    pub written: Written,
    /// The same for people.
    #[serde(skip)]
    pub report: Report,
}

impl Answer for Members {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.report.terminal(WIDTH))?;
        self.written.write_text(out)
    }
}
