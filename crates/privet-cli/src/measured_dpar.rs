//! [`MeasuredDpar`]: what a node-private classifier scored beside features alone, its control and its ceiling.

use std::io::{self, Write};

use privet_lab::experiments::dpar::report::{price, settings, verdict};
use privet_lab::experiments::dpar::{Comparison, Experiment};
use privet_lab::report::Measured;
use serde::Serialize;

use crate::compared::Released;
use crate::console::Answer;
use crate::style::{FAINT, GOOD, NOTE, STRONG, counted, printable, real};
use crate::table::{Align, Cell, Table};

/// What was measured, and what was written.
#[derive(Debug, Clone, Serialize)]
pub struct MeasuredDpar {
    /// The data.
    pub dataset: String,
    /// What is hidden about a person.
    pub relation: privet_lab::experiments::dpar::Hidden,
    /// All settings, by the names of their options.
    pub settings: serde_json::Map<String, serde_json::Value>,
    /// The seeds, in the order of the scores.
    pub seeds: Vec<u64>,
    /// Always: scores need the truth and noise that can be replayed.
    pub scores_are_simulated: bool,
    /// The numbers.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// What they say.
    pub verdict: String,
    /// The release, if one was made.
    pub release: Option<Released>,
    /// The report, if it was written to a file.
    pub html: Option<String>,
}

impl MeasuredDpar {
    /// What was measured.
    pub fn new(experiment: &Experiment<'_>, comparison: &Comparison, seeds: Vec<u64>) -> Self {
        let settings = settings(experiment);
        Self {
            dataset: experiment.dataset.name().into(),
            relation: experiment.hidden,
            settings: settings.into_iter().map(|(name, value)| (name, value.into())).collect(),
            seeds,
            scores_are_simulated: true,
            comparison: comparison.clone(),
            verdict: verdict(experiment, comparison),
            release: None,
            html: None,
        }
    }

    fn scores(&self) -> Table {
        let mut table =
            Table::new([Align::Left, Align::Right, Align::Right, Align::Right, Align::Left]);
        let heads = ["", "accuracy", "true epsilon", "printed", ""];
        table.row(heads.map(|name| Cell::styled(name, FAINT)));
        for row in &self.comparison.variants {
            table.row([
                Cell::styled(row.variant.name(), STRONG),
                Cell::new(Measured::percent(&row.accuracy).short()),
                Cell::new(price(row)),
                Cell::new(row.printed.map_or_else(String::new, real)),
                Cell::styled(row.about, FAINT),
            ]);
        }
        table
    }
}

impl Answer for MeasuredDpar {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let setting = |name: &str| self.settings.get(name).and_then(|value| value.as_str());
        writeln!(
            out,
            "{STRONG}DPAR on {}{STRONG:#}: {}, {} people trained on, delta {}",
            printable(&self.dataset),
            setting("method").unwrap_or_default(),
            crate::style::count(self.comparison.people as u64),
            setting("delta").unwrap_or_default(),
        )?;
        let seeds = match self.seeds.as_slice() {
            [first, .., last] => format!("seeds {first} to {last}"),
            seeds => format!("{} {seeds:?}", counted(seeds.len(), "seed", "seeds")),
        };
        writeln!(out, "{NOTE}simulated{NOTE:#} with {seeds}, compared with the truth\n")?;
        self.scores().write(out, 0)?;
        writeln!(out, "\n{}", self.verdict)?;
        writeln!(
            out,
            "{FAINT}protected: the people trained on, each as a whole. NOT protected: those who are classified\n\
             later, towards whoever sees their neighbours' answers{FAINT:#}"
        )?;
        if let Some(released) = &self.release {
            released.write_text(out)?;
        }
        match &self.html {
            Some(file) => writeln!(out, "\n{GOOD}wrote{GOOD:#} {}", printable(file)),
            None => Ok(()),
        }
    }
}
