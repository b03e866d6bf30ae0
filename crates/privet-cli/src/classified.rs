//! [`Classified`]: what DPRR scored beside everything it must be compared with; [`Attacked`]: what a
//! poisoning attack did to it.

use std::io::{self, Write};

use privet_lab::experiments::dprr::Case;
use privet_lab::experiments::dprr::compare::{Comparison, settings};
use privet_lab::experiments::dprr::poisoned::Poisoned;
use privet_lab::experiments::ldp_ge::compare::probability;
use privet_lab::report::{Measured, Report};
use serde::Serialize;

use crate::compared::Released;
use crate::console::Answer;
use crate::reproduced::WIDTH;
use crate::style::{FAINT, GOOD, NOTE, STRONG, count, printable};
use crate::table::{Align, Cell, Table};

/// What was measured, and what was written.
#[derive(Debug, Clone, Serialize)]
pub struct Classified {
    /// The data.
    pub dataset: String,
    /// How many graphs.
    pub graphs: usize,
    /// How many users in all of them.
    pub users: usize,
    /// All settings, by the names of their options.
    pub settings: serde_json::Map<String, serde_json::Value>,
    /// The seeds, in the order of the scores.
    pub seeds: Vec<u64>,
    /// Always: scores need the truth and noise that can be replayed.
    pub scores_are_simulated: bool,
    /// The numbers.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// What they say about private lists.
    pub verdict: String,
    /// The release, if one was made.
    pub release: Option<Released>,
    /// The report, if it was written to a file.
    pub html: Option<String>,
}

impl Classified {
    /// What was measured.
    pub fn new(case: &Case<'_>, comparison: &Comparison, seeds: Vec<u64>) -> Self {
        let settings = settings(case);
        Self {
            dataset: case.name.into(),
            graphs: case.set.len(),
            users: case.set.node_count(),
            settings: settings.into_iter().map(|(name, value)| (name, value.into())).collect(),
            seeds,
            scores_are_simulated: true,
            verdict: comparison.verdict(),
            comparison: comparison.clone(),
            release: None,
            html: None,
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
        for scored in &self.comparison.variants {
            let auc = Measured::percent(&scored.auc).short();
            let (name, about) = (scored.variant.name(), scored.variant.about());
            table.row(row(name, Measured::percent(&scored.test), auc, about));
        }
        let majority = Measured::percent(&self.comparison.majority);
        table.row(row("majority", majority, String::new(), "the largest class, always"));
        let added = &self.comparison.lists_added;
        let meaning = format!("private − control, {}", probability(added.p_value));
        let difference = Measured::percent(&added.difference);
        table.row(row("difference", difference, String::new(), &meaning));
        table
    }
}

impl Answer for Classified {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let setting = |name: &str| self.settings.get(name).and_then(|v| v.as_str()).unwrap_or("");
        writeln!(
            out,
            "{STRONG}DPRR on {}{STRONG:#}: graph classification, {} graphs, {} users\n\
             {}, epsilon {} for a list, lambda {}",
            printable(&self.dataset),
            count(self.graphs as u64),
            count(self.users as u64),
            setting("mechanism"),
            setting("epsilon"),
            setting("lambda"),
        )?;
        writeln!(
            out,
            "{NOTE}simulated{NOTE:#} with seeds {:?}, compared with the truth\n",
            self.seeds
        )?;
        self.scores().write(out, 0)?;
        writeln!(out, "\n{}", self.verdict)?;
        if let Some(released) = &self.release {
            released.write_text(out)?;
        }
        wrote(self.html.as_deref(), out)
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
    /// The report, if it was written to a file.
    pub html: Option<String>,
    /// The same for people.
    #[serde(skip)]
    pub report: Report,
}

impl Answer for Attacked {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.report.terminal(WIDTH))?;
        wrote(self.html.as_deref(), out)
    }
}

/// Says which file was written, if one was.
///
/// # Errors
/// If there is nobody to hear it.
pub fn wrote(html: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
    match html {
        Some(file) => writeln!(out, "\n{GOOD}wrote{GOOD:#} {}", printable(file)),
        None => Ok(()),
    }
}
