//! [`Classified`]: what DPRR scored beside everything it must be compared with; [`Attacked`]: what a
//! poisoning attack did to it.

use std::io::{self, Write};

use privet_lab::experiments::dprr::Case;
use privet_lab::experiments::dprr::compare::Comparison;
use privet_lab::experiments::dprr::poisoned::Poisoned;
use privet_lab::experiments::dprr::write_up::settings;
use privet_lab::experiments::ldp_ge::compare::probability;
use privet_lab::report::{Measured, Report};
use serde::Serialize;

use crate::console::Answer;
use crate::reproduced::WIDTH;
use crate::simulated::{Simulated, Written};
use crate::style::{FAINT, STRONG, count, printable};
use crate::table::{Align, Cell, Table};

/// What was measured, and what was written.
#[derive(Debug, Clone, Serialize)]
pub struct Classified {
    /// How many graphs.
    pub graphs: usize,
    /// How many users in all of them.
    pub users: usize,
    /// What came of it.
    #[serde(flatten)]
    pub simulated: Simulated<Comparison>,
}

impl Classified {
    /// What was measured.
    pub fn new(case: &Case<'_>, comparison: &Comparison, seeds: Vec<u64>) -> Self {
        let (verdict, comparison) = (comparison.verdict(), comparison.clone());
        Self {
            graphs: case.set.len(),
            users: case.set.node_count(),
            simulated: Simulated::new(case.name, settings(case), seeds, comparison, verdict),
        }
    }

    fn scores(&self) -> Table {
        let mut table =
            Table::new([Align::Left, Align::Right, Align::Left, Align::Right, Align::Left]);
        table.row(["", "accuracy", "", "AUC", ""].map(|name| Cell::styled(name, FAINT)));
        let row = |name: &str, test: Measured, auc: String, about: &str| {
            [
                Cell::styled(name, STRONG),
                Cell::new(test.short()),
                Cell::new(test.interval()),
                Cell::new(auc),
                Cell::styled(about, FAINT),
            ]
        };
        for scored in &self.simulated.comparison.variants {
            let auc = Measured::percent(&scored.auc).short();
            let (name, about) = (scored.variant.name(), scored.variant.about());
            table.row(row(name, Measured::percent(&scored.test), auc, about));
        }
        let majority = Measured::percent(&self.simulated.comparison.majority);
        table.row(row("majority", majority, String::new(), "the largest class, always"));
        let added = &self.simulated.comparison.lists_added;
        let meaning = format!("private − control, {}", probability(added.p_value));
        let difference = Measured::percent(&added.difference);
        table.row(row("difference", difference, String::new(), &meaning));
        table
    }
}

impl Answer for Classified {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{STRONG}DPRR on {}{STRONG:#}: graph classification, {} graphs, {} users\n\
             {}, epsilon {} for a list, lambda {}",
            printable(&self.simulated.dataset),
            count(self.graphs as u64),
            count(self.users as u64),
            self.simulated.setting("mechanism"),
            self.simulated.setting("epsilon"),
            self.simulated.setting("lambda"),
        )?;
        self.simulated.write_seeds(out)?;
        self.scores().write(out, 0)?;
        writeln!(out, "\n{}", self.simulated.verdict)?;
        self.simulated.written.write_text(out)
    }
}

/// What a poisoning attack did.
#[derive(Debug, Clone, Serialize)]
pub struct Attacked {
    /// The data.
    pub dataset: String,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// The numbers.
    #[serde(flatten)]
    pub poisoned: Poisoned,
    /// What they say.
    pub verdict: String,
    /// What was written.
    #[serde(flatten)]
    pub written: Written,
    /// The same for people.
    #[serde(skip)]
    pub report: Report,
}

impl Answer for Attacked {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.report.terminal(WIDTH))?;
        self.written.write_text(out)
    }
}
