//! [`Collection`]: reports from people's devices, put together. It holds nothing that was not randomised, and says so on a card
//! that follows from the task alone.
//!
//! A report is taken if an honest device could have sent it. The same bytes again change nothing; other bytes of the same
//! participant are refused, for two reports of one participant would show more than was promised.

pub mod draft;
pub mod estimates;
pub mod stream;
pub mod verified;

use std::collections::BTreeMap;
use std::path::Path;

use crate::data::formats::Format;
use crate::data::formats::write::{Overwrite, write};
use crate::dprr::{Claim, Defence};
use crate::graph::{
    Dataset, DenseMatrix, Direction, FeatureMatrix, Features, Labels, LoadedData, NodeId, NodeIds,
    SparseBuilder,
};
use crate::privacy::edges::Merge;
use crate::privacy::fault::{self, Fault};
use crate::privacy::features::{DecodeRows as _, Decoding, FeatureReport};
use crate::privacy::ledger::Foreseen;
use crate::privacy::population::{GraphShape, LabelsShape, TableShape};
use crate::privacy::{Card, Loss};
use crate::protocol::{CheckedTask, Report, SealedTask, Universe};
pub use draft::TaskDraft;

use crate::{Error, Result};

/// What a collector holds of one task.
#[derive(Debug)]
pub struct Collection {
    asked: CheckedTask,
    ids: Vec<String>,
    reports: BTreeMap<u32, Report>,
}

/// What came of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportReceipt {
    /// It is new.
    New,
    /// The same bytes were there.
    Again,
}

impl Collection {
    /// Nothing yet, of a task and the people who can take part.
    ///
    /// # Errors
    /// If the task is not what its collector signed, or is about other people.
    pub fn new(task: &SealedTask, ids: Vec<String>) -> Result<Self> {
        // Places in the task are places in this list; another order would exchange people.
        let (asked, _) = task.open()?;
        if Universe::of(&ids) != asked.task.people {
            let found = format!("{} others, or in another order", ids.len());
            return Err(Error::invalid("people", found, "those whose hash is in the task"));
        }
        Ok(Self { asked, ids, reports: BTreeMap::new() })
    }

    /// The task.
    pub fn asked(&self) -> &CheckedTask {
        &self.asked
    }

    /// How many people have sent a report.
    pub fn len(&self) -> usize {
        self.reports.len()
    }

    /// Whether no reports have arrived.
    pub fn is_empty(&self) -> bool {
        self.reports.is_empty()
    }

    /// Takes a report.
    ///
    /// # Errors
    /// If no honest device could have sent it, or the participant has sent another one.
    pub fn add(&mut self, bytes: &[u8]) -> Result<ReportReceipt> {
        let report = Report::decode(&self.asked, bytes)?;
        match self.reports.get(&report.participant) {
            None => {
                self.reports.insert(report.participant, report);
                Ok(ReportReceipt::New)
            }
            // The same bytes: a device that was not sure its report arrived.
            Some(known) if *known == report => Ok(ReportReceipt::Again),
            Some(_) => {
                let message = "refused: this participant has sent another report".into();
                let remedy = "a device sends the same bytes again, or none";
                Err(Error::Refused { message, remedy })
            }
        }
    }

    /// What was promised to every user who took part.
    ///
    /// # Errors
    /// Never, of a task that was opened.
    pub fn card(&self) -> Result<Card> {
        promise(&self.asked)
    }

    /// The reports as a dataset of all users who can take part. A user who sent nothing has an empty row, no label and no
    /// contacts; row i of the graph is what i reported.
    ///
    /// # Errors
    /// If no user sent anything.
    pub fn dataset(&self, decoding: Decoding) -> Result<Dataset> {
        Error::unless(!self.is_empty(), "reports", 0, "at least 1")?;
        let rows = (0..self.ids.len() as NodeId).map(|person| {
            let contacts = self.reports.get(&person).and_then(|report| report.contacts.as_ref());
            // People who reported no contacts have an empty list.
            contacts.map_or_else(Vec::new, |contacts| contacts.neighbors.clone())
        });
        let graph = Merge::Directed.graph(rows.collect())?;
        let ids = NodeIds::texts(&self.ids)?;
        let mut dataset = Dataset::new(self.asked.task.title.clone(), graph, ids)?;
        if let Some(features) = self.features(decoding)? {
            dataset = dataset.with_features(features)?;
        }
        if let Some(asked) = &self.asked.task.asks.label {
            let label = |person| self.reports.get(&person).and_then(|report| report.label);
            let labels = (0..self.ids.len() as u32).map(label).collect();
            dataset = dataset.with_labels(Labels::single(labels, asked.classes.clone())?)?;
        }
        Ok(dataset)
    }

    /// Writes the dataset and, beside it, the card that was issued for exactly these files; what was written.
    ///
    /// # Errors
    /// If no user sent anything, or something cannot be written.
    pub fn write(&self, path: &Path, format: Option<Format>) -> Result<(Card, Vec<String>)> {
        let dataset = LoadedData::Nodes(self.dataset(Decoding::Unbiased)?);
        crate::cardfile::issue(path, self.card()?, None, || {
            let files = write(&dataset, path, format, Overwrite::Refuse)?;
            Ok::<_, Error>(files.iter().map(|file| file.display().to_string()).collect())
        })
    }

    fn features(&self, decoding: Decoding) -> Result<Option<Features>> {
        let (Some(mechanism), Some(asked)) = (&self.asked.features, &self.asked.task.asks.features)
        else {
            return Ok(None);
        };
        let sent: Vec<FeatureReport> =
            // In the order of `reports`, which `spread` relies on.
            self.reports.values().filter_map(|report| report.features.clone()).collect();
        let decoded = mechanism.decode(&sent, decoding)?;
        let names = asked.columns.iter().map(|column| column.name.clone()).collect();
        let matrix = self.spread(&decoded, asked.columns.len())?;
        Ok(Some(Features::new(matrix).with_names(names)?))
    }

    /// Rows of those who reported, in the order of all users.
    fn spread(&self, sent: &FeatureMatrix, columns: usize) -> Result<FeatureMatrix> {
        let people = self.ids.len();
        match sent {
            FeatureMatrix::Dense(sent) => {
                let mut all = DenseMatrix::zeros(people, columns);
                for (row, &person) in self.reports.keys().enumerate() {
                    all.row_mut(person as usize).copy_from_slice(sent.row(row));
                }
                Ok(FeatureMatrix::Dense(all))
            }
            FeatureMatrix::Sparse(sent) => {
                let mut all = SparseBuilder::new(columns);
                let mut next = self.reports.keys().enumerate().peekable();
                let mut row = Vec::new();
                for person in 0..people as u32 {
                    row.clear();
                    if let Some((at, _)) = next.next_if(|(_, reported)| **reported == person) {
                        let (columns, values) = sent.row(at);
                        row.extend(columns.iter().copied().zip(values.iter().copied()));
                    }
                    all.push_row(&mut row)?;
                }
                Ok(FeatureMatrix::Sparse(all.finish()))
            }
        }
    }
}

/// What a task promises to every user who takes part: it follows from the task alone.
///
/// # Errors
/// Never, of a task that was opened.
pub fn promise(asked: &CheckedTask) -> Result<Card> {
    let CheckedTask { task, features, label, contacts, .. } = asked;
    let people = task.people.count as usize;
    let mut card = Card::new(format!("{}: reports from people's own devices", task.title));
    let limit = |epsilon: f64| Loss::new(epsilon, 0.0);
    if let (Some(mechanism), Some(part)) = (features, &task.asks.features) {
        let shape = TableShape { rows: people, columns: mechanism.scale().columns() };
        card = card.foreseeing(&Foreseen::new(limit(part.epsilon)?).each(mechanism, &shape)?)?;
    }
    let label = label.as_ref().filter(|_| !fault::on(Fault::TaskCardWithoutLabel));
    if let (Some(mechanism), Some(part)) = (label, &task.asks.label) {
        let shape = LabelsShape { users: people, classes: part.classes.len() };
        card = card.foreseeing(&Foreseen::new(limit(part.epsilon)?).each(mechanism, &shape)?)?;
    }
    if let (Some(mechanism), Some(part)) = (contacts, &task.asks.contacts) {
        let direction = Direction::Undirected;
        let shape = GraphShape { nodes: people, direction };
        card = card.foreseeing(&Foreseen::new(limit(part.epsilon)?).each(mechanism, &shape)?)?;
    }
    let devices = "whether devices drew noise as the task says: each keeps its own account";
    Ok(card.with_unprotected("who can take part, and who did").with_unprotected(devices))
}

impl Collection {
    /// Leaves out reports of people who claim more contacts than the claims of all other users can match; returns who they are. Their
    /// whole report goes: a user who makes up a list makes up an answer. It looks at reports alone and has no privacy cost.
    ///
    /// # Errors
    /// If theta is not a share. Where no contacts were asked, no user is suspected.
    pub fn without_made_up_lists(&mut self, defence: Defence) -> Result<Vec<NodeId>> {
        let Some(mechanism) = &self.asked.contacts else { return Ok(Vec::new()) };
        let (epsilon, flip) =
            (mechanism.0.cost().degree.get(), 1.0 - mechanism.0.keep_probability());
        let people = 0..self.ids.len() as NodeId;
        let said = |person| self.reports.get(&person).and_then(|report| report.contacts.as_ref());
        let claims: Vec<Claim> = people
            .clone()
            .map(|person| match said(person) {
                Some(report) => Claim::Degree { said: report.degree, epsilon, flip },
                None => Claim::Silent,
            })
            .collect();
        let rows = people
            .map(|person| said(person).map_or_else(Vec::new, |report| report.neighbors.clone()));
        let graph = Merge::Directed.graph(rows.collect())?;
        let flagged = defence.judge(&[graph], &claims, Direction::Undirected)?.concat();
        flagged.iter().for_each(|person| {
            self.reports.remove(person);
        });
        Ok(flagged)
    }
}

#[cfg(test)]
mod tests;
