//! [`MeasuredDpar`]: what a node-private classifier scored beside features alone, its control and its ceiling.

use std::io::{self, Write};

use privet_lab::experiments::dpar::report::{price, settings, verdict};
use privet_lab::experiments::dpar::{Comparison, Experiment};
use privet_lab::report::Measured;
use serde::Serialize;

use crate::console::Answer;
use crate::simulated::Simulated;
use crate::style::{FAINT, STRONG, count, printable, real};
use crate::table::{Align, Cell, Table};

/// What was measured, and what was written.
#[derive(Debug, Clone, Serialize)]
pub struct MeasuredDpar {
    /// What is hidden about a person.
    pub relation: privet_lab::experiments::dpar::Hidden,
    /// What came of it.
    #[serde(flatten)]
    pub simulated: Simulated<Comparison>,
}

impl MeasuredDpar {
    /// What was measured.
    pub fn new(experiment: &Experiment<'_>, comparison: &Comparison, seeds: Vec<u64>) -> Self {
        let (name, verdict) = (experiment.dataset.name(), verdict(experiment, comparison));
        let comparison = comparison.clone();
        let simulated = Simulated::new(name, settings(experiment), seeds, comparison, verdict);
        Self { relation: experiment.hidden, simulated }
    }

    fn scores(&self) -> Table {
        let mut table =
            Table::new([Align::Left, Align::Right, Align::Right, Align::Right, Align::Left]);
        let heads = ["", "accuracy", "true epsilon", "printed", ""];
        table.row(heads.map(|name| Cell::styled(name, FAINT)));
        for row in &self.simulated.comparison.variants {
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
        writeln!(
            out,
            "{STRONG}DPAR on {}{STRONG:#}: {}, {} people trained on, delta {}",
            printable(&self.simulated.dataset),
            self.simulated.setting("method"),
            count(self.simulated.comparison.people as u64),
            self.simulated.setting("delta"),
        )?;
        self.simulated.write_seeds(out)?;
        self.scores().write(out, 0)?;
        writeln!(out, "\n{}", self.simulated.verdict)?;
        writeln!(
            out,
            "{FAINT}protected: the people trained on, each as a whole. NOT protected: those who are classified\n\
             later, towards whoever sees their neighbours' answers{FAINT:#}"
        )?;
        self.simulated.written.write_text(out)
    }
}
