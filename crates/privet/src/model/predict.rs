//! Predictions about new people: a table in, a table out, in memory that does not grow with it. While one
//! batch is computed the next one is read.
//!
//! Connections of the new people, if they are known, are what answers are spread over; then all people are held in memory.

use std::io::Write;
use std::path::Path;
use std::sync::mpsc::sync_channel;

use super::answers::{AnswerFormat, AnswerTable};
use super::newcomers::NewcomerAnswers;
use super::{Classifier, Newcomers};
use crate::data::declared::PeopleBatch;
use crate::dpar::UNKNOWN;
use crate::graph::DenseMatrix;
use crate::learn::models::likeliest;
use crate::privacy::unit::DataPart;
use crate::project::Evaluation;
use crate::project::InputGuard;
use crate::project::evaluate::counted;
use crate::{Error, Result};

/// How many people are read at a time.
const BATCH: usize = 8192;

/// What is written about each person beside their most likely class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerColumns {
    /// How many of the most likely classes.
    pub top: usize,
    /// Whether the probability of every class is.
    pub probabilities: bool,
}

impl Default for AnswerColumns {
    fn default() -> Self {
        Self { top: 1, probabilities: false }
    }
}

impl Classifier {
    /// Classifies all people in a table (`-` is standard input), row by row: each one by their own record. How many
    /// they were; `so_far` is told after every batch.
    ///
    /// # Errors
    /// If the table is not as declared, an id stands in it twice, it holds people whose features a project protects (an
    /// answer is a function of their own features, without noise), or what was found cannot be written.
    pub fn predict(
        &self,
        people: &Path,
        table: Option<String>,
        shown: AnswerColumns,
        guard: &InputGuard,
        out: &mut dyn Write,
        so_far: &mut dyn FnMut(u64),
    ) -> Result<u64> {
        self.predict_as((shown, AnswerFormat::Csv), (people, table), guard, out, so_far)
    }

    /// The same in a format of the caller's choice.
    pub(super) fn predict_as(
        &self,
        (shown, format): (AnswerColumns, AnswerFormat),
        (people, table): (&Path, Option<String>),
        guard: &InputGuard,
        out: &mut dyn Write,
        so_far: &mut dyn FnMut(u64),
    ) -> Result<u64> {
        let readable = &self.people()?.with_table(table);
        let mut table = self.table(shown, format);
        let (send, receive) = sync_channel::<Result<PeopleBatch>>(2);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let batches = guard.open_people(readable, people, BATCH, &[DataPart::Features]);
                // There is no receiver any more once something failed on the other side.
                match batches {
                    Ok(mut batches) => {
                        batches.all(|batch| send.send(batch).is_ok());
                    }
                    Err(error) => drop(send.send(Err(error))),
                }
            });
            let (mut line, mut count) = (String::new(), 0u64);
            // The header comes once the table is known to have the columns; one without people has a header alone.
            let mut begun = false;
            for batch in receive {
                let PeopleBatch { ids, rows, .. } = batch?;
                if !std::mem::replace(&mut begun, true) {
                    table.write_header(out)?;
                }
                let probabilities = self.probabilities(rows, None)?;
                table.write_rows(&ids, &probabilities, &mut line, out)?;
                count += ids.len() as u64;
                so_far(count);
            }
            if !begun {
                table.write_header(out)?;
            }
            table.write_end(out)?;
            Ok(count)
        })
    }

    /// The same for people with known connections: answers are spread over them, and come in the order of the table.
    ///
    /// # Errors
    /// As for [`predict`](Self::predict).
    pub(super) fn predict_connected(
        &self,
        people: &Newcomers,
        (shown, format): (AnswerColumns, AnswerFormat),
        out: &mut dyn Write,
    ) -> Result<u64> {
        let probabilities = self.probabilities(people.rows.clone(), Some(&people.graph))?;
        let mut table = self.table(shown, format);
        table.write_header(out)?;
        table.write_rows(&people.ids[..people.new], &probabilities, &mut String::new(), out)?;
        table.write_end(out)?;
        Ok(people.new as u64)
    }

    /// Answers as a csv table.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_answers(
        &self,
        answers: &NewcomerAnswers,
        shown: AnswerColumns,
        out: &mut dyn Write,
    ) -> Result<()> {
        let mut table = self.table(shown, AnswerFormat::Csv);
        table.write_header(out)?;
        table.write_rows(&answers.ids, &answers.probabilities, &mut String::new(), out)?;
        table.write_end(out)
    }

    fn table(&self, shown: AnswerColumns, format: AnswerFormat) -> AnswerTable<'_> {
        let (id, classes) = (&self.about.preprocessing.id, &self.about.classes);
        AnswerTable { format, ..AnswerTable::csv(id, classes, shown) }
    }

    /// How good it is on people whom no project protects, or who volunteered, with their labels: counted without noise, each
    /// by their own record. People without a label are left out.
    ///
    /// # Errors
    /// If the table is not as declared, holds people whom a project protects, or has no labels.
    pub fn evaluate_public(&self, people: &Path, guard: &InputGuard) -> Result<Evaluation> {
        let readable = self.people()?;
        let (mut classes, mut scores) = (Vec::new(), Vec::new());
        let read = [DataPart::Features, DataPart::Labels];
        for batch in guard.open_people(&readable, people, BATCH, &read)? {
            let PeopleBatch { rows, labels, .. } = batch?;
            let Some(labels) = labels else {
                let (what, remedy) = ("labels", "answers are compared with them");
                return Err(Error::Missing { dataset: people.display().to_string(), what, remedy });
            };
            classes.extend(labels.into_iter().map(|label| label.unwrap_or(UNKNOWN)));
            scores.extend_from_slice(self.probabilities(rows, None)?.values());
        }
        let how = "counted without noise; no protected people of a project known here were found among them";
        let names = &self.about.classes;
        let scores = DenseMatrix::new(classes.len(), names.len(), scores)?;
        Ok(counted(&classes, &likeliest(&scores), Some(&scores), names, "people", how))
    }
}
