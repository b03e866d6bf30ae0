//! `privet run dprr`: the whole system, beside its control, its ceiling and the largest class.
//!
//! Scores are simulations: they need the truth, which a collector does not have. A release, if one is
//! wanted, is a collection of its own, with noise from the operating system.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use privet::dprr::{GraphLearner, Method, Protection, Reading, Run};
use privet::ldp_ge::{Books, Noise};
use privet::privacy::Card;
use privet_graph::GraphSet;
use privet_lab::experiments::dprr::Case;
use privet_lab::experiments::dprr::compare::{Comparison, compare, report};

use super::dprr_data::Graphs;
use super::run_ldp_ge::{Folder, typed_command, write_html};
use crate::args::RunDprr;
use crate::classified::Classified;
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::output::{refuse_existing, write_whole};

/// What to run on, how, and what to make of it.
#[derive(Debug)]
pub struct Plan {
    graphs: Graphs,
    dataset: String,
    protection: Protection,
    reports: Reading,
    learner: GraphLearner,
    runs: usize,
    seed: Option<u64>,
    html: Option<PathBuf>,
    folder: Option<Folder>,
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, options contradict each other, or something is in the way.
    pub fn new(typed: RunDprr, console: &Console) -> Result<Self> {
        if typed.runs == 0 {
            return Err(Failure::usage("--runs 0 measures nothing").hint("at least 1; 5 tell more"));
        }
        if let Some(path) = &typed.html {
            refuse_existing(path, "name another file")?;
        }
        let setting = typed.setting()?;
        // Refused now, not after a minute of reading.
        let split = typed.split.rule(typed.alpha);
        split.mechanism(typed.epsilon, 1000)?;
        setting.choose(&[], 0).or_else(|error| match typed.user_epsilons {
            Some(_) => Ok(privet::dprr::Chosen { epsilons: vec![], of_user: vec![] }),
            None => Err(error),
        })?;
        Ok(Self {
            graphs: Graphs::find(&typed.dataset, typed.reading, console)?,
            dataset: typed.dataset,
            protection: Protection { method: Method::from(typed.mechanism), setting, split },
            reports: typed.reports.into(),
            learner: typed.learner.learner(),
            runs: typed.runs,
            seed: typed.seed,
            html: typed.html,
            folder: typed.output.as_deref().map(Folder::new).transpose()?,
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
        let first = self.seed.unwrap_or(0);
        let seeds: Vec<u64> = (0..self.runs as u64).map(|run| first.wrapping_add(run)).collect();
        let comparison = measure(&case, &seeds, console)?;
        let command = typed_command();
        let mut answer = Classified::new(&case, &comparison, seeds);
        let report = match &self.folder {
            None => report(&case, &comparison, &command, None),
            Some(folder) => {
                let _alive = console.spinner("making the release");
                let make = |account: &Path, draft: &Path| self.release(&case, account, draft);
                let write_up = |card| report(&case, &comparison, &command, Some(card));
                let (released, report) = folder.fill(make, write_up)?;
                answer.release = Some(released);
                report
            }
        };
        answer.html = self.html.as_deref().map(|path| write_html(path, &report)).transpose()?;
        console.answer(&answer)
    }

    fn case<'a>(&'a self, set: &'a GraphSet) -> Case<'a> {
        let Protection { method, setting, split } = self.protection.clone();
        let mut case = Case::new(&self.dataset, set, method, setting);
        case.protection.split = split;
        case.reading = self.reports;
        case.learner = self.learner.clone();
        case
    }

    /// Collects once, learns, and writes the ledger to one folder, model, predictions and card to
    /// another.
    fn release(&self, case: &Case<'_>, account: &Path, folder: &Path) -> Result<Card> {
        let never = AtomicBool::new(false);
        let run = Run {
            noise: self.seed.map_or(Noise::OperatingSystem, Noise::Replay),
            books: Books::Folder(account.into()),
            seed: self.seed.unwrap_or(0),
            interrupt: &never,
        };
        let case = Case { seed: run.seed, ..case.clone() };
        let (_, made) = case.run_as(&run)?;
        made.model.save(&folder.join("model.safetensors"))?;
        let names = case.set.labels().map_or_else(Vec::new, |labels| labels.class_names().to_vec());
        let mut lines = String::from("graph,predicted\n");
        for (graph, &class) in made.predicted.iter().enumerate() {
            let name = names.get(class as usize).map_or("", String::as_str);
            lines += &format!("{graph},{name}\n");
        }
        write_whole(&folder.join("predicted.csv"), lines.as_bytes())?;
        let mut card = made.card;
        card.subject = format!("a classifier and predictions made from: {}", card.subject);
        let mut text = serde_json::to_vec_pretty(&card)?;
        text.push(b'\n');
        write_whole(&folder.join("card.json"), &text)?;
        Ok(card)
    }
}

fn measure(case: &Case<'_>, seeds: &[u64], console: &Console) -> Result<Comparison> {
    // Ctrl-C ends the process, see `interrupt`; nothing is on disk yet.
    let never = AtomicBool::new(false);
    let bar = console.runs("measuring");
    let compared = compare(case, seeds, &never, |done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    Ok(compared?)
}
