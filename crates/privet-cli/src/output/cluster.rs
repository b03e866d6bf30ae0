//! [`JobOutput`]: what several processes did, and what each of them used.

use std::io::{self, Write};

use privet::privacy::Card;
use privet_cluster::jobs::train::PartQuality;
use privet_cluster::session::JobResult;
use privet_cluster::session::ResourceUse;
use serde::Serialize;

use crate::output::console::Answer;
use crate::output::protect::ProtectionOutput;
use crate::output::style::{GOOD, NOTE, bytes, counted, percent, printable, real};
use crate::output::table::{Align, TextCell, TextTable};

/// What became of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobOutput {
    /// The files written, by worker 0.
    pub files: Vec<String>,
    /// Number of nodes.
    pub nodes: usize,
    /// What was done.
    #[serde(flatten)]
    pub work: ClusterWork,
    /// What every process used.
    pub workers: Vec<ResourceUse>,
    /// What is promised, if anything.
    pub card: Option<Card>,
}

impl From<JobResult<ClusterWork, (Option<Card>, Vec<String>)>> for JobOutput {
    fn from(done: JobResult<ClusterWork, (Option<Card>, Vec<String>)>) -> Self {
        let (card, files) = done.written.unwrap_or_default();
        Self { files, nodes: done.nodes, work: done.found, workers: done.workers, card }
    }
}

/// What a process has to show in the end.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ProcessResult {
    /// A job that released nothing.
    Worked(Box<JobOutput>),
    /// A release, by the process that charged and wrote it. What others used depends on records, so it is not shown.
    Released(Box<ProtectionOutput>),
    /// A part of a release that worker 0 wrote.
    Helped {
        /// How many people's reports were drawn here.
        people: usize,
    },
}

impl Answer for ProcessResult {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Worked(work) => work.write_text(out),
            Self::Released(release) => release.write_text(out),
            Self::Helped { people } => {
                let people = counted(*people, "person", "people");
                writeln!(out, "drew for {people}; worker 0 has written the release")
            }
        }
    }
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "job", rename_all = "kebab-case")]
pub enum ClusterWork {
    /// Personalised PageRank.
    Embed {
        /// Rounds run, those before a resumption included.
        rounds: usize,
        /// The round it was resumed from; 0 if from the beginning.
        resumed_from: usize,
        /// The largest error.
        error_bound: f64,
        /// What the error is measured in.
        error_bound_holds: String,
    },
    /// Sums over neighbours.
    Hops {
        /// Steps done, those before a resumption included.
        steps: usize,
        /// The step it was resumed from; 0 if from the beginning.
        resumed_from: usize,
    },
    /// A trained classifier.
    Train {
        /// Steps done, those before a resumption included.
        epochs: usize,
        /// The epoch it was resumed from; 0 if from the beginning.
        resumed_from: usize,
        /// The mean loss before the last step.
        loss: Option<f32>,
        /// On the nodes it was trained on.
        train: PartQuality,
        /// On the nodes it is measured on.
        test: PartQuality,
    },
}

impl Answer for JobOutput {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for file in &self.files {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        let nodes = counted(self.nodes, "node", "nodes");
        match &self.work {
            ClusterWork::Embed { rounds, resumed_from, error_bound, error_bound_holds } => {
                let rounds = counted(*rounds, "round", "rounds");
                let resumed = resumed("round", *resumed_from);
                let error = real(*error_bound);
                writeln!(
                    out,
                    "{nodes}; {rounds}{resumed}, off by at most {error} {error_bound_holds}"
                )?;
            }
            ClusterWork::Hops { steps, resumed_from } => {
                let resumed = resumed("step", *resumed_from);
                writeln!(out, "{nodes}; {}{resumed}", counted(*steps, "step", "steps"))?;
            }
            ClusterWork::Train { epochs, resumed_from, train, test, .. } => {
                let share = |quality: &PartQuality| {
                    let right = quality.accuracy.map_or("none".to_owned(), percent);
                    format!("{right} of {}", counted(quality.nodes as usize, "node", "nodes"))
                };
                let epochs = counted(*epochs, "epoch", "epochs") + &resumed("epoch", *resumed_from);
                let (train, test) = (share(train), share(test));
                writeln!(out, "{nodes}; {epochs}; right on {test} to test, {train} to train")?;
            }
        }
        self.write_workers(out)?;
        match &self.card {
            Some(_) => Ok(()),
            None => writeln!(out, "{NOTE}NOT private{NOTE:#}, unless what it was made from is"),
        }
    }
}

impl JobOutput {
    fn write_workers(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut table = TextTable::new([Align::Right; 5]);
        let head = ["worker", "nodes", "seconds", "peak memory", "sent"];
        table.row(head.map(TextCell::new));
        for used in &self.workers {
            let peak = used.peak_bytes.map_or("unknown".to_owned(), bytes);
            let cells = [
                used.worker.to_string(),
                used.nodes.to_string(),
                format!("{:.2}", used.seconds),
                peak,
                bytes(used.sent_bytes),
            ];
            table.row(cells.map(TextCell::new));
        }
        table.write(out, 2)
    }
}

fn resumed(what: &str, from: usize) -> String {
    match from {
        0 => String::new(),
        from => format!(" (resumed after {what} {from})"),
    }
}
