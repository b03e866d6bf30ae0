//! Predictions about people who were not there: a table in, a table out, in memory that does not grow with it. While one
//! batch is computed the next one is read.
//!
//! Connections among the new people, if there are any, are what answers are spread over; then everybody is held in memory.

use std::io::Write;
use std::path::Path;
use std::sync::mpsc::sync_channel;

use super::Classifier;
use super::interval::exact_accuracy;
use crate::data::declared::{Batch, EdgeTable, PeopleTable, Schema};
use crate::data::formats::Limits;
use crate::graph::{DenseMatrix, FeatureMatrix};
use crate::project::Evaluation;
use crate::{Error, Result};

/// How many people are read at a time.
const BATCH: usize = 8192;

/// What is written about everybody beside their most likely class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// How many of the most likely classes.
    pub top: usize,
    /// Whether the probability of every class is.
    pub probabilities: bool,
}

impl Default for Shown {
    fn default() -> Self {
        Self { top: 1, probabilities: false }
    }
}

impl Classifier {
    /// Classifies everybody in a table (`-` is standard input), row by row: each one by their own record. How many
    /// they were; `so_far` is told after every batch.
    ///
    /// # Errors
    /// If the table is not as declared, or what was found cannot be written.
    pub fn predict(
        &self,
        people: &Path,
        table: Option<String>,
        shown: Shown,
        out: &mut dyn Write,
        so_far: &mut dyn FnMut(u64),
    ) -> Result<u64> {
        let readable = &self.people()?.with_table(table);
        let (send, receive) = sync_channel::<Result<Batch>>(2);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let batches = readable.batches(people, BATCH, &Limits::default());
                // Nobody listens any more once something failed on the other side.
                match batches {
                    Ok(mut batches) => {
                        batches.all(|batch| send.send(batch.map_err(Error::from)).is_ok());
                    }
                    Err(error) => drop(send.send(Err(error.into()))),
                }
            });
            let (mut line, mut count) = (String::new(), 0u64);
            // The header comes once the table is known to have the columns; one without people has a header alone.
            let mut begun = false;
            for batch in receive {
                let Batch { ids, rows, .. } = batch?;
                if !std::mem::replace(&mut begun, true) {
                    self.write_header(shown, out)?;
                }
                let probabilities = self.probabilities(rows, None)?;
                self.write_rows(&ids, &probabilities, shown, &mut line, out)?;
                count += ids.len() as u64;
                so_far(count);
            }
            if !begun {
                self.write_header(shown, out)?;
            }
            Ok(count)
        })
    }

    /// The same for people who know each other: answers are spread over their connections.
    ///
    /// # Errors
    /// As for [`predict`](Self::predict).
    pub fn predict_connected(
        &self,
        people: &Path,
        table: Option<String>,
        edges: EdgeTable,
        shown: Shown,
        out: &mut dyn Write,
    ) -> Result<u64> {
        let people = PeopleTable {
            file: people.to_string_lossy().into_owned(),
            table,
            label: None,
            classes: None,
            ..self.about.preprocessing.clone()
        };
        let schema = Schema { people, edges: vec![edges] };
        let dataset = schema.read(Path::new(""), &Limits::default())?;
        let rows = match dataset.features().map(|features| features.matrix()) {
            Some(FeatureMatrix::Dense(rows)) => rows.clone(),
            Some(FeatureMatrix::Sparse(rows)) => rows.to_dense(),
            None => DenseMatrix::zeros(dataset.graph().node_count(), 0),
        };
        let ids: Vec<String> = dataset.ids().iter().map(|id| id.to_string()).collect();
        let probabilities = self.probabilities(rows, Some(dataset.graph()))?;
        self.write_header(shown, out)?;
        self.write_rows(&ids, &probabilities, shown, &mut String::new(), out)?;
        Ok(ids.len() as u64)
    }

    /// How good it is on people who may be looked at, with their labels: counted, each by their own record. People
    /// without a label are left out.
    ///
    /// # Errors
    /// If the table is not as declared, or has no labels.
    pub fn evaluate_public(&self, people: &Path) -> Result<Evaluation> {
        let readable = self.people()?;
        let (mut right, mut labelled, mut all) = (0u64, 0u64, 0usize);
        for batch in readable.batches(people, BATCH, &Limits::default())? {
            let Batch { ids, rows, labels, .. } = batch?;
            let Some(labels) = labels else {
                let (what, remedy) = ("labels", "answers are compared with them");
                return Err(Error::Missing { dataset: people.display().to_string(), what, remedy });
            };
            let answers = self.classes(rows)?;
            let known = labels.iter().zip(&answers).filter(|(label, _)| label.is_some());
            labelled += known.clone().count() as u64;
            right += known.filter(|(label, answer)| **label == Some(**answer)).count() as u64;
            all += ids.len();
        }
        let counts = vec![right as i64, (labelled - right) as i64];
        let how = "counted, on people who may be looked at";
        Ok(Evaluation {
            accuracy: exact_accuracy(right, labelled),
            people: all,
            card: None,
            counts,
            how,
        })
    }

    fn write_header(&self, shown: Shown, out: &mut dyn Write) -> Result<()> {
        let mut line = quoted(&self.about.preprocessing.id);
        for rank in 1..=shown.top {
            let rank = if rank == 1 { String::new() } else { format!("_{rank}") };
            line += &format!(",class{rank},probability{rank}");
        }
        if shown.probabilities {
            self.about
                .classes
                .iter()
                .for_each(|class| line += &format!(",{}", quoted(&format!("p:{class}"))));
        }
        writeln!(out, "{line}").map_err(unwritten)
    }

    fn write_rows(
        &self,
        ids: &[String],
        probabilities: &DenseMatrix,
        shown: Shown,
        text: &mut String,
        out: &mut dyn Write,
    ) -> Result<()> {
        use std::fmt::Write as _;
        let names: Vec<String> = self.about.classes.iter().map(|class| quoted(class)).collect();
        let mut order: Vec<usize> = Vec::new();
        text.clear();
        for (row, id) in ids.iter().enumerate() {
            let row = probabilities.row(row);
            order.clear();
            order.extend(0..row.len());
            // Equal ones in the order they were declared in.
            order.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
            text.push_str(&quoted(id));
            let mut told = |name: &str, probability: f32| {
                // Writing to a string cannot fail.
                let _ = write!(text, "{name}{probability:.6}");
            };
            order
                .iter()
                .take(shown.top)
                .for_each(|&class| told(&format!(",{},", names[class]), row[class]));
            if shown.probabilities {
                row.iter().for_each(|&probability| told(",", probability));
            }
            text.push('\n');
        }
        out.write_all(text.as_bytes()).map_err(unwritten)
    }
}

/// A cell of a csv file.
fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.into(),
    }
}

fn unwritten(error: std::io::Error) -> Error {
    Error::File { path: "predictions".into(), reason: error.to_string() }
}
