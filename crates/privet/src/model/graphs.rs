//! [`GraphModel`]: classes of whole graphs, by DPRR's classifier. It learned from randomised lists of contacts and reads
//! nothing else, so the people of a new graph send such reports, too: an answer about them is a release with a card of
//! its own.

use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::NETWORK;
use super::answers::{AnswerTable, as_probabilities};
use super::predict::AnswerColumns;
use crate::dprr::{Crowd, Dprr, GraphScorer, UserReports};
use crate::graph::{DenseMatrix, GraphSet, Labels};
use crate::saved::{read_json, write_json};
use crate::{Protected, Result, Run};

/// A classifier of graphs.
#[derive(Debug, Clone)]
pub struct GraphModel {
    /// What it is.
    pub about: AboutGraphs,
    /// What learned from reports.
    pub network: GraphScorer,
    /// What it says about the graphs of those who sent reports when it was trained: their ids, and classes.
    pub answers: Vec<(String, u32)>,
}

/// What is written down beside the network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AboutGraphs {
    /// The project it comes from.
    pub project: String,
    /// How people report, how reports are read, and what learned from them.
    pub system: Dprr,
    /// What the classes are called.
    pub classes: Vec<String>,
    /// The column of ids in a table of people.
    pub person: String,
    /// The column of such a table that says which graph each person is in.
    pub member: String,
}

/// What a model says about some graphs.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphAnswers {
    /// The graphs.
    pub ids: Vec<String>,
    /// The probability of every class, one row a graph.
    pub probabilities: DenseMatrix,
}

const ANSWERS: &str = "answers.json";

impl GraphModel {
    /// What a report costs each person in a graph.
    pub fn epsilon(&self) -> f64 {
        self.about.system.protection.setting.epsilon()
    }

    /// Collects reports from the people of new graphs, as those it learned from were collected, and classifies.
    ///
    /// # Errors
    /// If a ledger refuses.
    pub fn classify(&self, graphs: &GraphSet, run: &Run<'_>) -> Result<Protected<GraphAnswers>> {
        let AboutGraphs { system, classes, project, .. } = &self.about;
        let unknown = Labels::single(vec![None; graphs.len()], classes.clone())?;
        let crowd = Crowd::new(&graphs.clone().with_labels(unknown)?)?;
        let chosen = system.protection.setting.choose(&crowd.sizes, run.seed)?;
        let collected = system.protection.collect(&crowd, &chosen, run.noise, &run.ledgers)?;
        let answers = collected.try_map(|UserReports { graphs: noisy, claims }| {
            let (learner, reading) = (&system.learner, system.reading);
            let scores =
                learner.scores_of(&self.network, reading, noisy, &claims, crowd.direction)?;
            let ids = graphs.ids().iter().map(|id| id.to_string()).collect();
            Ok::<_, crate::Error>(GraphAnswers { ids, probabilities: as_probabilities(scores) })
        })?;
        Ok(answers.about(format!("classes of graphs, by a model of {project}")))
    }

    /// Answers as a table.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(
        &self,
        answers: &GraphAnswers,
        shown: AnswerColumns,
        out: &mut dyn Write,
    ) -> Result<()> {
        let mut table = AnswerTable::csv(&self.about.member, &self.about.classes, shown);
        table.write_header(out)?;
        table.write_rows(&answers.ids, &answers.probabilities, &mut String::new(), out)
    }

    pub(super) fn write_parts(&self, folder: &Path) -> Result<()> {
        self.network.save(&folder.join(NETWORK))?;
        write_json(&folder.join(ANSWERS), &self.answers)
    }

    pub(super) fn read_parts(about: AboutGraphs, folder: &Path) -> Result<Self> {
        let network = GraphScorer::load(&folder.join(NETWORK))?;
        let answers = read_json(&folder.join(ANSWERS))?.unwrap_or_default();
        Ok(Self { about, network, answers })
    }

    pub(super) fn words(&self) -> [String; 3] {
        let AboutGraphs { project, classes, .. } = &self.about;
        [
            project.clone(),
            format!("It tells these classes of whole graphs apart: {}.", classes.join(", ")),
            format!(
                "Use it: `privet predict . new-people.csv --edges contacts.csv:source:target -o predictions.csv`. The \
                 people\nof new graphs send randomised lists, each for epsilon {}; the predictions have a card of their \
                 own.",
                self.epsilon()
            ),
        ]
    }
}
