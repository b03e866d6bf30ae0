//! `privet run dprr`: the whole system, beside its control, its ceiling and the largest class.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use privet::Run;
use privet::doubts::Terms;
use privet::dprr::{GraphLearner, Method, Protection, Reading};
use privet::graph::GraphSet;
use privet::privacy::{Card, Loss};
use privet_lab::experiments::dprr::Case;
use privet_lab::experiments::dprr::compare::compare;
use privet_lab::experiments::dprr::write_up::report;

use super::dprr_data::Graphs;
use super::trial::{Trial, under_a_bar};
use crate::args::RunDprr;
use crate::classified::Classified;
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
    trial: Trial,
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
            trial: Trial::new(&typed.trial)?,
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
        let case = self.case(&set);
        let seeds = self.trial.seeds()?;
        let lines = self.questions(&set)?;
        let comparison = under_a_bar(console, |stop, tell| compare(&case, &seeds, stop, tell))?;
        let never = AtomicBool::new(false);
        let make = |account: &Path, draft: &Path| {
            release(&case, &self.trial.release_run(account, &never), &lines, draft)
        };
        let write_up = |card| report(&case, &comparison, &self.trial.command, card);
        let written = self.trial.write_up(console, make, write_up)?;
        let mut answer = Classified::new(&case, &comparison, seeds);
        answer.simulated.written = written;
        console.answer(&answer)
    }

    /// What the card of a release must repeat.
    fn questions(&self, set: &GraphSet) -> Result<Vec<String>> {
        let terms = Terms::once(set.node_count(), Loss::new(self.asked, 0.0)?);
        self.trial.questions(&[terms], || set.require_public_users())
    }

    fn case<'a>(&'a self, set: &'a GraphSet) -> Case<'a> {
        let Protection { method, setting, split } = self.protection.clone();
        let mut case = Case::new(&self.dataset, set, method, setting);
        case.protection.split = split;
        case.reading = self.reports;
        case.learner = self.learner.clone();
        case
    }
}

/// Collects once, learns, and writes the ledger where `run` says, model and predictions to a folder.
fn release(
    case: &Case<'_>,
    run: &Run<'_>,
    on_whose_word: &[String],
    folder: &Path,
) -> Result<Card> {
    let case = Case { seed: run.seed, ..case.clone() };
    let (made, mut card) = case.run_as(run)?.1.into_parts();
    made.model.save(&folder.join("model.safetensors"))?;
    let names = case.set.labels().map_or_else(Vec::new, |labels| labels.class_names().to_vec());
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
