//! Answers as a csv table: who, the most likely classes, and the probability of every class if wanted.

use std::io::Write;

use super::predict::AnswerColumns;
use crate::graph::DenseMatrix;
use crate::words::csv_cell;
use crate::{Error, Result};

/// What answers are written as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AnswerFormat {
    /// A csv table with a header.
    #[default]
    Csv,
    /// One JSON object: `about` says what the answers are about, `answers` has them.
    Json,
}

/// Answers that are being written, one after another: all of them need not fit into memory.
pub(crate) struct AnswerTable<'a> {
    /// The column of ids.
    pub id: &'a str,
    /// What the classes are called.
    pub classes: &'a [String],
    /// What is shown of them.
    pub shown: AnswerColumns,
    pub format: AnswerFormat,
    /// How many were written.
    pub written: u64,
}

impl<'a> AnswerTable<'a> {
    /// A csv table.
    pub fn csv(id: &'a str, classes: &'a [String], shown: AnswerColumns) -> Self {
        Self { id, classes, shown, format: AnswerFormat::Csv, written: 0 }
    }

    pub fn write_header(&self, out: &mut dyn Write) -> Result<()> {
        if self.format == AnswerFormat::Json {
            return write_json_header("people", out);
        }
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
        &mut self,
        ids: &[String],
        probabilities: &DenseMatrix,
        text: &mut String,
        out: &mut dyn Write,
    ) -> Result<()> {
        let names: Vec<String> = self.classes.iter().map(|class| csv_cell(class)).collect();
        let mut order: Vec<usize> = Vec::new();
        text.clear();
        for (row, id) in ids.iter().enumerate() {
            let row = probabilities.row(row);
            order.clear();
            order.extend(0..row.len());
            // Equal ones in the order they were declared in.
            order.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
            order.truncate(self.shown.top);
            match self.format {
                AnswerFormat::Csv => self.put_line(id, row, (&order, &names), text),
                AnswerFormat::Json => self.put_object(id, row, &order, text),
            }
            self.written += 1;
        }
        out.write_all(text.as_bytes()).map_err(unwritten)
    }

    /// What comes after the last row.
    pub fn write_end(&self, out: &mut dyn Write) -> Result<()> {
        match self.format {
            AnswerFormat::Csv => Ok(()),
            AnswerFormat::Json => write_json_end(out),
        }
    }

    fn put_line(
        &self,
        id: &str,
        row: &[f32],
        (likeliest, names): (&[usize], &[String]),
        text: &mut String,
    ) {
        use std::fmt::Write as _;
        text.push_str(&csv_cell(id));
        let mut put = |name: &str, probability: f32| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{name}{probability:.6}");
        };
        likeliest.iter().for_each(|&class| put(&format!(",{},", names[class]), row[class]));
        if self.shown.probabilities {
            row.iter().for_each(|&probability| put(",", probability));
        }
        text.push('\n');
    }

    fn put_object(&self, id: &str, row: &[f32], likeliest: &[usize], text: &mut String) {
        let class = |&class: &usize| {
            format!(
                "{{\"class\":{},\"probability\":{}}}",
                json_text(&self.classes[class]),
                json_number(row[class])
            )
        };
        let classes: Vec<String> = likeliest.iter().map(class).collect();
        let mut object = format!("\"id\":{},\"classes\":[{}]", json_text(id), classes.join(","));
        if self.shown.probabilities {
            let named = self.classes.iter().zip(row);
            let each = named.map(|(name, p)| format!("{}:{}", json_text(name), json_number(*p)));
            object += &format!(",\"probabilities\":{{{}}}", each.collect::<Vec<_>>().join(","));
        }
        put_json_answer(self.written == 0, &object, text);
    }
}

/// The beginning of answers in JSON, and what they are about.
pub(super) fn write_json_header(about: &str, out: &mut dyn Write) -> Result<()> {
    write!(out, "{{\"about\":{},\"answers\":[", json_text(about)).map_err(unwritten)
}

/// One answer, after the others.
pub(super) fn put_json_answer(first: bool, members: &str, text: &mut String) {
    text.push_str(if first { "\n{" } else { ",\n{" });
    text.push_str(members);
    text.push('}');
}

pub(super) fn write_json_end(out: &mut dyn Write) -> Result<()> {
    writeln!(out, "\n]}}").map_err(unwritten)
}

/// As many digits as the csv table has.
pub(super) fn json_number(value: f32) -> String {
    if value.is_finite() { format!("{value:.6}") } else { "null".into() }
}

pub(super) fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
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
