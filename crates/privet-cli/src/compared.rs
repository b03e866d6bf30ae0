//! [`Compared`]: what LDP-GE scored beside its control, its ceiling and no graph, and what was released.

use std::io::{self, Write};
use std::path::Path;

use privet::ldp_ge::Private;
use privet::privacy::Card;
use privet_lab::experiments::ldp_ge::report::settings;
use privet_lab::experiments::ldp_ge::{Comparison, Experiment, Task, compare::probability};
use privet_lab::report::Measured;
use serde::Serialize;

use crate::console::Answer;
use crate::style::{FAINT, GOOD, NOTE, STRONG, counted, printable, real};
use crate::table::{Align, Cell, Table};

/// What was measured, and what was written.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    /// The data.
    pub dataset: String,
    /// How many people.
    pub nodes: usize,
    /// Which parts only their owners know.
    pub private: Vec<&'static str>,
    /// What each person sends.
    #[serde(flatten)]
    pub reporting: Reporting,
    /// All settings, by the names of their options.
    pub settings: serde_json::Map<String, serde_json::Value>,
    /// The seeds, in the order of the scores.
    pub seeds: Vec<u64>,
    /// Always: scores need the truth and noise that can be replayed.
    pub scores_are_simulated: bool,
    /// The numbers.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// What they say about features.
    pub verdict: String,
    /// The release, if one was made.
    pub release: Option<Released>,
    /// The report, if it was written to a file.
    pub html: Option<String>,
}

/// What each person sends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Reporting {
    /// Randomised columns.
    Columns {
        /// How many.
        k: usize,
        /// Out of how many.
        columns: usize,
    },
    /// The randomised answer of a model that volunteers made possible.
    Answers {
        /// The share of volunteers.
        volunteers: f64,
    },
}

/// A release in a folder.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Released {
    /// The folder.
    pub folder: String,
    /// What is in it.
    pub files: Vec<String>,
    /// Whether its noise came from a seed, so that nobody is protected.
    pub simulation: bool,
    /// What is promised.
    pub card: Card,
}

impl Released {
    /// What lies in a folder.
    ///
    /// # Errors
    /// If it cannot be listed.
    pub fn new(folder: &Path, card: Card) -> io::Result<Self> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            files.push(entry?.file_name().to_string_lossy().into_owned());
        }
        files.sort();
        let simulation = card.is_simulation();
        Ok(Self { folder: folder.display().to_string(), files, simulation, card })
    }

    pub(crate) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let folder = printable(&self.folder);
        writeln!(out, "\n{GOOD}wrote{GOOD:#} {folder}: {}", self.files.join(", "))?;
        for guarantee in &self.card.guarantees {
            writeln!(out, "{STRONG}protected{STRONG:#}: {}", guarantee.protects)?;
            writeln!(out, "  {}: {}", guarantee.relation, guarantee.loss)?;
            for other in &guarantee.also {
                writeln!(out, "  {}: {}", other.relation, other.loss)?;
            }
        }
        writeln!(out, "{STRONG}NOT protected{STRONG:#}: {}", self.card.unprotected.join(", "))?;
        if self.simulation {
            writeln!(out, "{NOTE}SIMULATION{NOTE:#}: noise from a seed protects nobody")?;
        }
        writeln!(
            out,
            "{FAINT}the report's scores were computed from the raw data: keep it, publish the rest\n\
             check it: privet verify {folder}/card.json --explain{FAINT:#}"
        )
    }
}

impl Compared {
    /// What was measured.
    pub fn new(
        experiment: &Experiment<'_>,
        comparison: &Comparison,
        reporting: Reporting,
        seeds: Vec<u64>,
    ) -> Self {
        let Private { features, labels, edges } = experiment.private;
        let parts = [("features", features), ("labels", labels), ("edges", edges)];
        let settings = settings(experiment);
        Self {
            dataset: experiment.dataset.name().into(),
            nodes: experiment.dataset.graph().node_count(),
            private: parts.into_iter().filter(|part| part.1).map(|part| part.0).collect(),
            reporting,
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
        let mut table = Table::new([Align::Left, Align::Right, Align::Left, Align::Left]);
        let metric = self.comparison.task.metric();
        table.row(["", metric, "", ""].map(|name| Cell::styled(name, FAINT)));
        for row in &self.comparison.variants {
            let measured = Measured::percent(&row.test);
            table.row([
                Cell::styled(row.variant.name(), STRONG),
                Cell::new(measured.short()),
                Cell::new(measured.interval()),
                Cell::styled(row.variant.about(), FAINT),
            ]);
        }
        let added = &self.comparison.features_added;
        let measured = Measured::percent(&added.difference);
        let meaning = format!("private − control, {}", probability(added.p_value));
        table.row([
            Cell::styled("difference", STRONG),
            Cell::new(measured.short()),
            Cell::new(measured.interval()),
            Cell::styled(meaning, FAINT),
        ]);
        table
    }
}

impl Answer for Compared {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let what = match self.comparison.task {
            Task::Nodes => "node classification",
            Task::Links => "link prediction",
        };
        let mechanism = self.settings.get("mechanism").and_then(|name| name.as_str());
        let sent = match self.reporting {
            Reporting::Columns { k, columns } => format!("{k} of {columns} columns each"),
            Reporting::Answers { volunteers } => {
                let share = real(100.0 * volunteers);
                format!("the answer of a model of {share} % volunteers, who are not protected")
            }
        };
        writeln!(
            out,
            "{STRONG}LDP-GE on {}{STRONG:#}: {what}, {} people, private {}\n\
             {}, epsilon {} for {sent}",
            printable(&self.dataset),
            crate::style::count(self.nodes as u64),
            self.private.join(", "),
            mechanism.unwrap_or_default(),
            real(self.comparison.epsilon),
        )?;
        let seeds = match self.seeds.as_slice() {
            [first, .., last] => format!("seeds {first} to {last}"),
            seeds => format!("{} {seeds:?}", counted(seeds.len(), "seed", "seeds")),
        };
        writeln!(out, "{NOTE}simulated{NOTE:#} with {seeds}, compared with the truth\n")?;
        self.scores().write(out, 0)?;
        writeln!(out, "\n{}", self.verdict)?;
        if let Some(released) = &self.release {
            released.write_text(out)?;
        }
        match &self.html {
            Some(file) => writeln!(out, "\n{GOOD}wrote{GOOD:#} {}", printable(file)),
            None => Ok(()),
        }
    }
}
