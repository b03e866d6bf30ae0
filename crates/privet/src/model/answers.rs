//! Answers as a csv table: who, the most likely classes, and the probability of every class if wanted.

use std::io::Write;

use super::predict::Shown;
use crate::graph::DenseMatrix;
use crate::words::csv_cell;
use crate::{Error, Result};

/// A table of answers that is being written.
pub(crate) struct AnswerTable<'a> {
    /// The column of ids.
    pub id: &'a str,
    /// What the classes are called.
    pub classes: &'a [String],
    /// What is shown of them.
    pub shown: Shown,
}

impl AnswerTable<'_> {
    pub fn write_header(&self, out: &mut dyn Write) -> Result<()> {
        let mut line = csv_cell(self.id);
        for rank in 1..=self.shown.top {
            let rank = if rank == 1 { String::new() } else { format!("_{rank}") };
            line += &format!(",class{rank},probability{rank}");
        }
        if self.shown.probabilities {
            let names = self.classes.iter().map(|class| csv_cell(&format!("p:{class}")));
            names.for_each(|name| line += &format!(",{name}"));
        }
        writeln!(out, "{line}").map_err(unwritten)
    }

    /// One row each; `text` is a buffer that is used again.
    pub fn write_rows(
        &self,
        ids: &[String],
        probabilities: &DenseMatrix,
        text: &mut String,
        out: &mut dyn Write,
    ) -> Result<()> {
        use std::fmt::Write as _;
        let names: Vec<String> = self.classes.iter().map(|class| csv_cell(class)).collect();
        let mut order: Vec<usize> = Vec::new();
        text.clear();
        for (row, id) in ids.iter().enumerate() {
            let row = probabilities.row(row);
            order.clear();
            order.extend(0..row.len());
            // Equal ones in the order they were declared in.
            order.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
            text.push_str(&csv_cell(id));
            let mut told = |name: &str, probability: f32| {
                // Writing to a string cannot fail.
                let _ = write!(text, "{name}{probability:.6}");
            };
            order
                .iter()
                .take(self.shown.top)
                .for_each(|&class| told(&format!(",{},", names[class]), row[class]));
            if self.shown.probabilities {
                row.iter().for_each(|&probability| told(",", probability));
            }
            text.push('\n');
        }
        out.write_all(text.as_bytes()).map_err(unwritten)
    }
}

pub(crate) fn unwritten(error: std::io::Error) -> Error {
    Error::File { path: "predictions".into(), reason: error.to_string() }
}

/// Scores of every row as probabilities.
pub(super) fn as_probabilities(mut scores: DenseMatrix) -> DenseMatrix {
    (0..scores.rows()).for_each(|row| softmax(scores.row_mut(row)));
    scores
}

/// Scores as probabilities.
pub fn softmax(scores: &mut [f32]) {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    scores.iter_mut().for_each(|score| *score = (*score - largest).exp());
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
}
