//! [`Scored`]: lines of scores beside each other, and what they say.

use std::io::{self, Write};

use privet::learn::metrics::{Paired, Summary};
use serde::Serialize;

use crate::console::Answer;
use crate::style::{FAINT, STRONG, printable};
use crate::table::{Align, Cell, Table};

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scored {
    /// What it is about.
    pub title: String,
    /// What the scores measure.
    pub metric: &'static str,
    /// The seeds, in the order of the scores.
    pub seeds: Vec<u64>,
    /// The scores; the first line is what the others are compared with.
    pub lines: Vec<Line>,
    /// The same runs by another metric, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub also: Option<Also>,
    /// What the guarantee says about the metric, if it says something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<f64>,
    /// What else must be known to read the numbers.
    pub notes: Vec<String>,
    /// Always: scores need the truth and noise that can be replayed.
    pub scores_are_simulated: bool,
}

/// Scores by another metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Also {
    /// What they measure.
    pub metric: &'static str,
    /// The scores; the first line is what the others are compared with.
    pub lines: Vec<Line>,
}

/// One line of scores.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// What was measured.
    pub name: String,
    /// One score per seed.
    pub scores: Vec<f64>,
}

impl Answer for Scored {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{STRONG}{}{STRONG:#}", printable(&self.title))?;
        table(self.metric, &self.lines).write(out, 2)?;
        if let Some(largest) = self.largest {
            writeln!(out, "largest that the card's epsilon allows for one pair: {largest:.4}")?;
        }
        if let Some(also) = &self.also {
            table(also.metric, &also.lines).write(out, 2)?;
        }
        for note in &self.notes {
            writeln!(out, "{FAINT}{}{FAINT:#}", printable(note))?;
        }
        let (first, last) = (self.seeds.first(), self.seeds.last());
        if let (Some(first), Some(last)) = (first, last) {
            writeln!(out, "{FAINT}simulations, seeds {first} to {last}{FAINT:#}")?;
        }
        Ok(())
    }
}

/// Means, deviations, and how far the first line is above each other one.
fn table(metric: &str, lines: &[Line]) -> Table {
    let mut table = Table::new(vec![Align::Left, Align::Right, Align::Right, Align::Right]);
    let heads = ["", metric, "deviation", "first line minus this (p)"];
    table.row(heads.map(Cell::new).to_vec());
    let first = lines.first().map_or(&[][..], |line| &line.scores);
    for (at, line) in lines.iter().enumerate() {
        let Some(summary) = Summary::of(&line.scores) else { continue };
        let compared =
            Paired::of(first, &line.scores).filter(|_| at > 0).map_or_else(String::new, |paired| {
                format!("{:+.4} ({:.3})", paired.difference.mean, paired.p_value)
            });
        let (mean, deviation) =
            (format!("{:.4}", summary.mean), format!("{:.4}", summary.deviation));
        let cells = [printable(&line.name), mean, deviation, compared];
        table.row(cells.map(Cell::new).to_vec());
    }
    table
}
