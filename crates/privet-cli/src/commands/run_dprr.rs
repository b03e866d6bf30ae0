//! `privet run dprr`: the whole system, beside its control, its ceiling and the largest class.

use std::path::Path;

use privet::Run;
use privet::doubts::Terms;
use privet::dprr::{GraphLearner, Method, Protection, Reading};
use privet::graph::GraphSet;
use privet::privacy::{Card, Loss};
use privet_lab::experiments::dprr::DprrTrial;
use privet_lab::experiments::trial::Data;

use super::dprr_data::Graphs;
use super::trial::Measuring;
use crate::args::RunDprr;
use crate::console::Console;
use crate::failure::Result;
use crate::output::write_whole;

/// What to run on, how, and what to make of it.
#[derive(Debug)]
pub struct Plan {
    graphs: Graphs,
    dataset: String,
    protection: Protection,
    reports: Reading,
    learner: GraphLearner,
    measuring: Measuring,
    /// The largest epsilon that a protected user may have.
    asked: f64,
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, options contradict each other, or something is in the way.
    pub fn new(typed: RunDprr, console: &Console) -> Result<Self> {
        let setting = typed.setting()?;
        let asked = typed.largest_epsilon();
        // Refused now, not after a minute of reading.
        let reports = Reading::from(typed.reports);
        let split = typed.split.rule(typed.alpha.unwrap_or_else(|| reports.split().alpha()));
        split.mechanism(typed.epsilon, 1000)?;
        setting.choose(&[], 0).or_else(|error| match typed.user_epsilons {
            Some(_) => Ok(privet::dprr::Chosen { epsilons: vec![], of_user: vec![] }),
            None => Err(error),
        })?;
        Ok(Self {
            graphs: Graphs::find(&typed.dataset, typed.reading, console)?,
            dataset: typed.dataset,
            protection: Protection { method: Method::from(typed.mechanism), setting, split },
            reports,
            learner: typed.learner.learner(),
            measuring: Measuring::new(&typed.trial)?,
            asked,
        })
    }

    /// Reads, measures, releases if wanted, and says what came of it.
    ///
    /// # Errors
    /// If the data cannot be read or lacks something, a setting makes no sense, or the result cannot
    /// be written.
    pub fn run(self, console: &Console) -> Result<()> {
        let set = self.graphs.load(console)?;
        let trial = self.trial(&set);
        let lines = self.questions(&set)?;
        self.measuring.run(console, &trial, |run, folder| release(&trial, run, &lines, folder))
    }

    /// What the card of a release must repeat.
    fn questions(&self, set: &GraphSet) -> Result<Vec<String>> {
        let terms = Terms::once(set.node_count(), Loss::new(self.asked, 0.0)?);
        self.measuring.questions(&[terms], || set.require_public_users())
    }

    fn trial<'a>(&'a self, set: &'a GraphSet) -> DprrTrial<'a> {
        let Protection { method, setting, split } = self.protection.clone();
        let mut trial = DprrTrial::new(Data::new(&self.dataset, set), method, setting);
        trial.protection.split = split;
        (trial.reading, trial.learner) = (self.reports, self.learner.clone());
        trial
    }
}

/// Collects once, learns, and writes the ledger where `run` says, model and predictions to a folder.
fn release(
    trial: &DprrTrial<'_>,
    run: &Run<'_>,
    on_whose_word: &[String],
    folder: &Path,
) -> Result<Card> {
    let (made, mut card) = trial.run_as(run)?.1.into_parts();
    made.model.save(&folder.join("model.safetensors"))?;
    let names =
        trial.data.dataset.labels().map_or_else(Vec::new, |labels| labels.class_names().to_vec());
    let mut lines = String::from("graph,predicted\n");
    for (graph, &class) in made.predicted.iter().enumerate() {
        let name = names.get(class as usize).map_or("", String::as_str);
        lines += &format!("{graph},{name}\n");
    }
    write_whole(&folder.join("predicted.csv"), lines.as_bytes())?;
    card.subject = format!("a classifier and predictions made from: {}", card.subject);
    card = on_whose_word.iter().cloned().fold(card, Card::with_unprotected);
    Ok(card)
}
