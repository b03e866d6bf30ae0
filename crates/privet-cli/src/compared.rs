//! [`Compared`]: what LDP-GE scored beside its control, its ceiling and no graph, and what was released.

use std::io::{self, Write};

use privet::ldp_ge::Private;
use privet_lab::experiments::ldp_ge::report::settings;
use privet_lab::experiments::ldp_ge::{Comparison, Experiment, Task, compare::probability};
use privet_lab::report::Measured;
use serde::Serialize;

use crate::console::Answer;
use crate::simulated::Simulated;
use crate::style::{FAINT, STRONG, count, printable, real};
use crate::table::{Align, Cell, Table};

/// What was measured, and what was written.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    /// How many people.
    pub nodes: usize,
    /// Which parts only their owners know.
    pub private: Vec<&'static str>,
    /// What each person sends.
    #[serde(flatten)]
    pub reporting: Reporting,
    /// What came of it.
    #[serde(flatten)]
    pub simulated: Simulated<Comparison>,
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
        let (name, verdict) = (experiment.dataset.name(), comparison.verdict());
        let comparison = comparison.clone();
        Self {
            nodes: experiment.dataset.graph().node_count(),
            private: parts.into_iter().filter(|part| part.1).map(|part| part.0).collect(),
            reporting,
            simulated: Simulated::new(name, settings(experiment), seeds, comparison, verdict),
        }
    }

    fn scores(&self) -> Table {
        let mut table = Table::new([Align::Left, Align::Right, Align::Left, Align::Left]);
        let metric = self.simulated.comparison.task.metric();
        table.row(["", metric, "", ""].map(|name| Cell::styled(name, FAINT)));
        for row in &self.simulated.comparison.variants {
            let measured = Measured::percent(&row.test);
            table.row([
                Cell::styled(row.variant.name(), STRONG),
                Cell::new(measured.short()),
                Cell::new(measured.interval()),
                Cell::styled(row.variant.about(), FAINT),
            ]);
        }
        let added = &self.simulated.comparison.features_added;
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
        let what = match self.simulated.comparison.task {
            Task::Nodes => "node classification",
            Task::Links => "link prediction",
        };
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
            printable(&self.simulated.dataset),
            count(self.nodes as u64),
            self.private.join(", "),
            self.simulated.setting("mechanism"),
            real(self.simulated.comparison.epsilon),
        )?;
        self.simulated.write_seeds(out)?;
        self.scores().write(out, 0)?;
        writeln!(out, "\n{}", self.simulated.verdict)?;
        self.simulated.written.write_text(out)
    }
}
